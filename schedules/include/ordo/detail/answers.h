/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* answers.h - what a machine answered to crafted inputs: `ordo/probe-answers/1`.
 *
 * Written by the program that `ordo probe --kit` makes. FORMAT.md has the keys, recover.h of the
 * command the inputs.
 */
#ifndef ORDO_ANSWERS_H
#define ORDO_ANSWERS_H

#include <ordo/element.h>
#include <ordo/operator.h>
#include <ordo/owned.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls of one size. */
struct ordo_answered_size {
	uint64_t count; /* elements of a block */
	uint32_t *
		places; /* [nplace] the elements of a rank's block that were looked at, ascending */
	uint32_t nplace;
	/* [ntable * nrun] of each run the words of all places, in hexadecimal digits */
	const char **rows;
	uint32_t ntable;
	/* [nrepetition * nholder] the table of each rank with a result, in each repetition */
	uint32_t *table_of;
	uint32_t nrepetition;
};

struct ordo_answers {
	struct ordo_problem problem; /* AllReduce, Reduce or ReduceScatter */
	enum ordo_type type;	     /* a float */
	uint32_t nrun;		     /* each input alone, and each pair */
	uint32_t nholder;	     /* ranks with a result: 1 of Reduce, else all */
	const char *extra;	     /* the text of the "x" object; NULL: there is none */
	struct ordo_answered_size *sizes;
	uint32_t nsize;
	struct ordo_arena arena;
};

/* The caller destroys the result. NULL: an error with line and column, or no memory. */
ORDO_API struct ordo_answers *ordo_answers_read(const char *path, struct ordo_error *error);
ORDO_API struct ordo_answers *ordo_answers_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error);
ORDO_API void ordo_answers_destroy(struct ordo_answers *answers); /* takes NULL */

/* The result of a run at a place, both in range. */
ORDO_API double ordo_answer(const struct ordo_answers *answers,
	const struct ordo_answered_size *size, uint32_t table, uint32_t run, uint32_t place);

#ifdef __cplusplus
}
#endif
#endif
