/* problem.c - the members of a document that describe its problem. */
#include "problem.h"
#include <inttypes.h>
#include <stdio.h>
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
	bool *accumulate_f32 = into;
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	bool worked = json;
	*accumulate_f32 = json && cJSON_IsString(json) && !strcmp(json->valuestring, "f32");
	if (json && !*accumulate_f32)
		worked = ordo_fail_value(cursor, &value, field->key, "\"f32\"");
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
	char root[32] = "", shards[32] = "";
	if (facts->rooted)
		snprintf(root, sizeof root, ", root %" PRIu32, problem->root);
	if (problem->nshard != problem->nrank)
		snprintf(shards, sizeof shards, ", %" PRIu32 " shards", problem->nshard);
	snprintf(out, size, "%s on %" PRIu32 " rank%s%s%s%s%s", facts->name, problem->nrank,
		problem->nrank == 1 ? "" : "s", root, shards, problem->in_place ? ", in place" : "",
		problem->accumulate_f32 ? ", accumulating in f32" : "");
}

bool ordo_is_same_problem(const struct ordo_problem *found, const struct ordo_problem *wanted,
	char why[ORDO_DIFFERENCE_SIZE])
{
	char found_text[160], wanted_text[160];
	if (found->op == wanted->op && found->nrank == wanted->nrank &&
		found->root == wanted->root && found->nshard == wanted->nshard &&
		found->in_place == wanted->in_place &&
		found->accumulate_f32 == wanted->accumulate_f32)
		return true;
	print_problem(found_text, sizeof found_text, found);
	print_problem(wanted_text, sizeof wanted_text, wanted);
	snprintf(why, ORDO_DIFFERENCE_SIZE, "found %s, wanted %s, as in the set", found_text,
		wanted_text);
	return false;
}
