/* problem.h - the members of a document that describe its problem: keys that schedules, plan sets
 * and inputs share. Private to schedules/. */
#ifndef ORDO_SCHEDULES_JSON_READ_PROBLEM_H
#define ORDO_SCHEDULES_JSON_READ_PROBLEM_H

#include "fields.h"

ordo_field_reader ordo_read_operator;	/* enum ordo_operator, the value of "operator" */
ordo_field_reader ordo_read_accumulate; /* bool, the value of "accumulate" */
/* Checks the keys of a problem against each other, once all were read. Sets nshard if its key is
 * absent. `places` are those of `head`, the object that has the keys. */
bool ordo_check_read_problem(const struct ordo_cursor *cursor, struct ordo_problem *problem,
	const struct ordo_object *head, const struct ordo_place *places);

enum { ORDO_DIFFERENCE_SIZE = 400 };
/* Is a schedule's problem that of its set, but for the chunks? false: why not. */
bool ordo_is_same_problem(const struct ordo_problem *found, const struct ordo_problem *wanted,
	char why[ORDO_DIFFERENCE_SIZE]);

#endif
