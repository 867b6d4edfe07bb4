/* problem.c - the members of a document that describe its problem. */
#include "problem.h"
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
