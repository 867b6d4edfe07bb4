/* problem.h - what documents say of the problem they are about: keys that schedules and plan
 * sets share. Private to schedules/. */
#ifndef ORDO_SCHEDULES_JSON_READ_PROBLEM_H
#define ORDO_SCHEDULES_JSON_READ_PROBLEM_H

#include "value.h"

/* Of the values; line 0: the key is not there. */
struct ordo_problem_places {
	struct ordo_place op, nrank, root, nshard, chunks_per_block, in_place, accumulate;
};

/* The value of "operator". */
bool ordo_read_operator(struct ordo_cursor *cursor, enum ordo_operator *op);
/* The value of "accumulate". */
bool ordo_read_accumulate(struct ordo_cursor *cursor, bool *accumulate_f32);
/* What one key says about another, once all were read. Settles nshard if it is not there. */
bool ordo_check_read_problem(const struct ordo_cursor *cursor, struct ordo_problem *problem,
	const struct ordo_problem_places *places);

#endif
