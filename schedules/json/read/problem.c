/* problem.c - the members that several kinds of documents share. */
#include "problem.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ordo_read_operator(struct ordo_cursor *cursor, const struct ordo_field *field, void *op)
{
	struct ordo_piece value;
	const char *name = NULL;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	bool worked = json && ordo_as_string(cursor, json, &value, field->key, &name);
	if (worked && !ordo_operator_from_name(name, op)) {
		enum ordo_operator meant;
		worked = ordo_fail_at(cursor, value.place,
			"operator: found \"%.40s\", wanted AllReduce, Reduce, Broadcast, "
			"ReduceScatter, AllGather, Scatter, Gather, AllToAll or Custom",
			name);
		if (ordo_operator_from_typed(name, &meant))
			ordo_hint(cursor->error, "did you mean \"%s\"?",
				ordo_operator_facts(meant)->name);
	}
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_accumulate(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	bool worked = json;
	if (json && !(cJSON_IsString(json) && ordo_accumulation_from_name(json->valuestring, into)))
		worked = ordo_fail_value(cursor, &value, field->key,
			"\"f32\", \"exact\", \"binned(bins=2)\" or \"binned(bins=3)\"");
	cJSON_Delete(json);
	return worked;
}

bool ordo_check_read_problem(const struct ordo_cursor *cursor, struct ordo_problem *problem,
	const struct ordo_object *head, const struct ordo_place *places)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	const struct ordo_place root = ordo_place_of(head, places, "root");
	struct ordo_error found;
	if (!ordo_place_of(head, places, "shards").line)
		problem->nshard = problem->nrank;
	if (root.line && !facts->rooted)
		return ordo_fail_at(cursor, root, "root: %s has no root", facts->name);
	if (facts->rooted && !root.line)
		return ordo_fail_at(cursor, ordo_place_of(head, places, "operator"),
			"the key \"root\" is missing: %s has a root", facts->name);
	if (ordo_problem_check(problem, &found))
		return true;
	/* The message begins with the key it concerns. */
	struct ordo_place place = ordo_place_of(head, places, found.text);
	if (!place.line)
		place = ordo_place_of(head, places, "chunks_per_block");
	if (!place.line)
		place = ordo_place_of(head, places, "ranks");
	return ordo_fail_at(cursor, place, "%s", found.text);
}

/* `AllReduce on 8 ranks, in place` */
static void print_problem(char *out, size_t size, const struct ordo_problem *problem)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	char root[32] = "", shards[32] = "", accumulate[48] = "";
	if (facts->rooted)
		snprintf(root, sizeof root, ", root %" PRIu32, problem->root);
	if (problem->nshard != problem->nrank)
		snprintf(shards, sizeof shards, ", %" PRIu32 " shards", problem->nshard);
	if (problem->accumulate)
		snprintf(accumulate, sizeof accumulate, ", accumulating in %s",
			ordo_accumulation_name(problem->accumulate));
	snprintf(out, size, "%s on %" PRIu32 " rank%s%s%s%s%s", facts->name, problem->nrank,
		problem->nrank == 1 ? "" : "s", root, shards, problem->in_place ? ", in place" : "",
		accumulate);
}

bool ordo_is_same_problem(const struct ordo_problem *found, const struct ordo_problem *wanted,
	char why[ORDO_DIFFERENCE_SIZE])
{
	char found_text[160], wanted_text[160];
	if (found->op == wanted->op && found->nrank == wanted->nrank &&
		found->root == wanted->root && found->nshard == wanted->nshard &&
		found->in_place == wanted->in_place && found->accumulate == wanted->accumulate)
		return true;
	print_problem(found_text, sizeof found_text, found);
	print_problem(wanted_text, sizeof wanted_text, wanted);
	snprintf(why, ORDO_DIFFERENCE_SIZE, "found %s, wanted %s, as in the set", found_text,
		wanted_text);
	return false;
}

static bool is_digest(const char *text)
{
	return strlen(text) == 32 && strspn(text, "0123456789abcdef") == 32;
}

static bool read_digest(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const struct ordo_place place = ordo_cursor_place(cursor);
	const char **digest = into;
	if (!ordo_read_string(cursor, field, digest))
		return false;
	return is_digest(*digest)
		       ? true
		       : ordo_fail_at(cursor, place,
				 "digest: found \"%.40s\", wanted 32 hexadecimal digits", *digest);
}

#define AT(member) offsetof(struct ordo_met_topology, member)
static const struct ordo_field topology_fields[] = {
	{"name", ordo_read_string, .offset = AT(name)},
	{"digest", read_digest, .offset = AT(digest)},
};
#undef AT
static const struct ordo_object topology_object =
	ORDO_OBJECT("the topology of a schedule", "the topology, an object", topology_fields);

bool ordo_read_met_topology(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	(void)field;
	return ordo_read_object(cursor, &topology_object, into, NULL);
}

/* While they are read. */
struct names {
	const char **items;
	size_t room;
	uint32_t count, most;
};

static bool read_name(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct names *names = into;
	if (names->count == names->most)
		return ordo_fail_at(cursor, ordo_cursor_place(cursor), "%s: found more than %u",
			field->key, names->most);
	if (!ordo_array_reserve(
		    &names->items, &names->room, (size_t)names->count + 1, sizeof *names->items))
		return ordo_fail_memory(cursor->error);
	return ordo_read_string(cursor, field, &names->items[names->count++]);
}

bool ordo_read_names(struct ordo_cursor *cursor, const struct ordo_field *field, uint32_t most,
	const char ***names, uint32_t *count)
{
	struct names met = {.most = most};
	struct ordo_field elements = *field;
	elements.element = read_name;
	bool worked = ordo_read_array(cursor, &elements, &met);
	if (worked && met.count) {
		const size_t size = (size_t)met.count * sizeof *met.items;
		*names = ordo_arena_alloc(cursor->arena, size);
		worked = *names ? true : ordo_fail_memory(cursor->error);
		if (worked)
			memcpy(*names, met.items, size);
		*count = met.count;
	}
	free(met.items);
	return worked;
}

static bool read_switch(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	static const struct ordo_field number = {.key = "via", .most = ORDO_LIMIT};
	struct ordo_met_way *met = into;
	struct ordo_piece value;
	uint32_t found;
	(void)field;
	if (!ordo_skip_value(cursor, &value) ||
		!ordo_piece_integer(cursor, &value, &number, &found))
		return false;
	if (met->via.nswitch == ORDO_MOST_VIA)
		return ordo_fail_at(
			cursor, value.place, "via: found more than %d switches", ORDO_MOST_VIA);
	for (uint32_t i = 0; i < met->via.nswitch; i++)
		if (met->switches[i] == found)
			return ordo_fail_at(
				cursor, value.place, "via: found switch %" PRIu32 " twice", found);
	met->switches[met->via.nswitch++] = found;
	return true;
}

bool ordo_read_via(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_met_way *met = into;
	struct ordo_field elements = *field;
	elements.element = read_switch;
	met->is_there = true;
	return ordo_read_array(cursor, &elements, into);
}

bool ordo_read_via_class(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_met_way *met = into;
	ordo_skip_space(cursor);
	met->has_classes = cursor->at < cursor->end && *cursor->at == '[';
	return met->has_classes ? ordo_read_names(cursor, field, ORDO_MOST_VIA + 1, &met->classes,
					  &met->nclass)
				: ordo_read_string(cursor, field, &met->via.class_name);
}

bool ordo_finish_way(
	const struct ordo_cursor *cursor, struct ordo_met_way *met, struct ordo_place place)
{
	met->via.switches = met->switches;
	met->via.hop_classes = met->classes;
	return !met->has_classes || met->nclass == met->via.nswitch + 1 ||
	       ordo_fail_at(cursor, place,
		       "class: found %" PRIu32 " classes, wanted %" PRIu32 ", one for each hop",
		       met->nclass, met->via.nswitch + 1);
}

bool ordo_check_via(const struct ordo_cursor *cursor, const struct ordo_via *via, uint32_t nrank,
	struct ordo_place place)
{
	for (uint32_t i = 0; i < via->nswitch; i++)
		if (via->switches[i] < nrank)
			return ordo_fail_rule_at(cursor, place, 2,
				"via: found rank %" PRIu32 ", wanted switches, which are %" PRIu32
				" and above",
				via->switches[i], nrank);
	return true;
}
