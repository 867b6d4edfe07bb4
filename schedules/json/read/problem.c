/* problem.c - what documents say of the problem they are about. */
#include "problem.h"
#include <string.h>

bool ordo_read_operator(struct ordo_cursor *cursor, enum ordo_operator *op)
{
	struct ordo_piece value;
	const char *name = NULL;
	cJSON *json = ordo_parse_value(cursor, "operator", &value);
	bool worked = json && ordo_as_string(cursor, json, &value, "operator", &name);
	if (worked && !ordo_operator_from_name(name, op)) {
		enum ordo_operator meant;
		worked = ordo_fail_at(cursor, value.place,
			"operator: found \"%.40s\", wanted AllReduce, Reduce, Broadcast, "
			"ReduceScatter, AllGather, Scatter, Gather or AllToAll",
			name);
		if (ordo_operator_from_typed(name, &meant))
			ordo_hint(cursor->error, "did you mean \"%s\"?",
				ordo_operator_facts(meant)->name);
	}
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_accumulate(struct ordo_cursor *cursor, bool *accumulate_f32)
{
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, "accumulate", &value);
	bool worked = json;
	*accumulate_f32 = json && cJSON_IsString(json) && !strcmp(json->valuestring, "f32");
	if (json && !*accumulate_f32)
		worked = ordo_fail_value(cursor, &value, "accumulate", "\"f32\"");
	cJSON_Delete(json);
	return worked;
}

/* The place of the value that a message about the problem is about: it begins with the key. */
static struct ordo_place place_of_key(const struct ordo_problem_places *places, const char *text)
{
	const struct {
		const char *key;
		struct ordo_place place;
	} keys[] = {{"ranks:", places->nrank}, {"root:", places->root}, {"shards:", places->nshard},
		{"in_place:", places->in_place}, {"accumulate:", places->accumulate},
		{"chunks_per_block:", places->chunks_per_block}};
	for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
		if (!strncmp(text, keys[i].key, strlen(keys[i].key)) && keys[i].place.line)
			return keys[i].place;
	return places->chunks_per_block.line ? places->chunks_per_block : places->nrank;
}

bool ordo_check_read_problem(const struct ordo_cursor *cursor, struct ordo_problem *problem,
	const struct ordo_problem_places *places)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	struct ordo_error found;
	if (!places->nshard.line)
		problem->nshard = problem->nrank;
	if (places->root.line && !facts->rooted)
		return ordo_fail_at(cursor, places->root, "root: %s has no root", facts->name);
	if (facts->rooted && !places->root.line)
		return ordo_fail_at(cursor, places->op,
			"the key \"root\" is missing: %s has a root", facts->name);
	if (ordo_problem_check(problem, &found))
		return true;
	return ordo_fail_at(cursor, place_of_key(places, found.text), "%s", found.text);
}
