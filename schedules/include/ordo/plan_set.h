/* plan_set.h - which of several schedules is used at which size: `ordo/plan-set/1`.
 *
 * A set is what a selector decides, written down: ranges of sizes, one after another without a gap,
 * and the schedule of each. All of its schedules do one thing (operator, ranks, root, shards, in
 * place) each in its own way. A size is the bytes of one rank's vector, that is of all blocks of
 * the operator for one rank (AllReduce, Reduce, Broadcast: the vector; ReduceScatter and Scatter:
 * the input of a rank or root; AllGather and Gather: its output; AllToAll: either), as `ordo run
 * --size` counts them; of blocks of unequal sizes, those of the largest buffer of any rank. Both
 * ends of a range belong to it. A range may leave the choice to the library whose selector is
 * written down.
 *
 * The document is a file beside its schedules, or a folder that holds it as `plan-set.json`. What
 * is said of documents in document.h holds here.
 */
#ifndef ORDO_PLAN_SET_H
#define ORDO_PLAN_SET_H

#include <ordo/document.h>
#include <ordo/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest size. */
#define ORDO_BYTES_LIMIT ((uint64_t)INT64_MAX)
/* to_bytes of a last range that has no end. */
#define ORDO_ENDLESS UINT64_MAX

struct ordo_plan_range {
	uint64_t from_bytes, to_bytes; /* both belong to it */
	/* the name of a file or folder beside the document; NULL: none of the set's own serves
	 * these sizes, the library chooses, and the order is unknown */
	const char *schedule;
	struct ordo_place place; /* of that name in the document; line 0 if it was not read */
};

/* Read it from any number of threads. */
struct ordo_plan_set {
	/* of all its schedules; chunks_per_block is 1 here, and each schedule's own there */
	struct ordo_problem problem;
	struct ordo_plan_range *ranges; /* [nrange], ascending, without gaps */
	uint32_t nrange;
	const char *extra; /* the text of the "x" object in canonical form; NULL if there is none */
	const char *file;  /* the document's name; NULL if it was not read */

	/* Private. */
	/* descriptor of the folder its names refer to; -1: there is none */
	int folder;
	const char *folder_name; /* with its slash */
	size_t room;
	struct ordo_arena arena;
};

/* Frees a set. Schedules that were opened, and groups that were made of it, do not need it.
 *
 *   set   NULL: nothing is done */
ORDO_API void ordo_plan_set_destroy(struct ordo_plan_set *set);

/* The range of a size, in O(log nrange).
 *
 *   set     may be one that `ordo embed` compiled in
 *   bytes   of one rank's vector, as counted above
 *
 * Returns an index into set->ranges; ORDO_NONE: the set has no range for this size. */
ORDO_API uint32_t ordo_plan_set_find(const struct ordo_plan_set *set, uint64_t bytes);

/* Reads a plan set from a document. Its schedules are not opened.
 *
 *   path    a file, a folder that holds `plan-set.json`, or "-" for the standard input: then there
 *           are no schedules beside it
 *   error   filled if the result is NULL, with file, line and column; may be NULL
 *
 * Returns a set that the caller destroys. NULL: ORDO_BAD_INPUT, R1; or ORDO_ENVIRONMENT. */
ORDO_API struct ordo_plan_set *ordo_plan_set_read(const char *path, struct ordo_error *error);
#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/plan_sets.h>
#endif
