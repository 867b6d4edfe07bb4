/* plan_set.h - which of several schedules is used at which size: `ordo/plan-set/1`.
 *
 * A set is what a selector decides, written down: ranges of sizes, one after another without a gap,
 * and the schedule of each. All of its schedules do one thing (operator, ranks, root, shards, in
 * place) each in its own way. A size is the bytes of one rank's vector, that is of all blocks of
 * the operator for one rank (AllReduce, Reduce, Broadcast: the vector; ReduceScatter and Scatter:
 * the input of a rank or root; AllGather and Gather: its output; AllToAll: either), as `ordo run
 * --bytes` counts them. Both ends of a range belong to it.
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
	const char *schedule;	       /* the name of a file or folder beside the document */
	struct ordo_place place;       /* of that name in the document; line 0 if it was not read */
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

/* A set without ranges, of a problem that passes ordo_problem_check; chunks_per_block is not looked
 * at. The caller destroys it. NULL: no memory or a bad problem. */
ORDO_API struct ordo_plan_set *ordo_plan_set_create(
	const struct ordo_problem *problem, struct ordo_error *error);
ORDO_API void ordo_plan_set_destroy(struct ordo_plan_set *set); /* takes NULL */
/* The next range, which begins where the last one ended. ORDO_BAD_INPUT, R1: a gap, an overlap, an
 * empty range, a size above ORDO_BYTES_LIMIT, something after an endless range, or a name that is
 * not plain (FORMAT.md). */
ORDO_API bool ordo_plan_set_add(struct ordo_plan_set *set, uint64_t from_bytes, uint64_t to_bytes,
	const char *schedule, struct ordo_error *error);

/* The range of a size; ORDO_NONE if the set has none for it. O(log nrange). */
ORDO_API uint32_t ordo_plan_set_find(const struct ordo_plan_set *set, uint64_t bytes);
/* The first range with the same schedule as this one: what was found for one need not be looked for
 * again. O(range). */
ORDO_API uint32_t ordo_plan_set_first(const struct ordo_plan_set *set, uint32_t range);

/* Whether a file is a set: by the schema it names in its first 64 KiB; and a folder: whether it
 * holds plan-set.json, sound or not. false for "-", devices and pipes, and a file that cannot be
 * read. */
ORDO_API bool ordo_is_plan_set(const char *path);
/* Reads a file or a folder; "-" is stdin, and then there are no schedules beside it. Its schedules
 * are not opened. The caller destroys it. NULL: see error. */
ORDO_API struct ordo_plan_set *ordo_plan_set_read(const char *path, struct ordo_error *error);
ORDO_API struct ordo_plan_set *ordo_plan_set_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error);
/* Reads the schedule of a range, of a set that was read from a path. NULL also if it is missing (at
 * its place in the set) or of another problem than the set. options may be NULL. The caller
 * destroys it; it does not need the set. */
ORDO_API struct ordo_schedule *ordo_plan_set_open(const struct ordo_plan_set *set, uint32_t range,
	const struct ordo_read_options *options, struct ordo_error *error);

ORDO_API bool ordo_plan_set_print(
	const struct ordo_plan_set *set, FILE *out, struct ordo_error *error);
/* Writes a folder with the set and schedules[nrange], each under the name its range has (equal
 * names: the first of them); these must be of the form `range-0.json`. All of it appears or
 * nothing, and it replaces only what is such a folder or a schedule's. */
ORDO_API bool ordo_plan_set_write(const struct ordo_plan_set *set,
	const struct ordo_schedule *const *schedules, const char *path, struct ordo_error *error);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API struct ordo_schedule *ordo_plan_set_open_sized(size_t size,
	const struct ordo_plan_set *set, uint32_t range, const struct ordo_read_options *options,
	struct ordo_error *error);
#define ordo_plan_set_open(...)                                                                    \
	ordo_plan_set_open_sized(sizeof(struct ordo_read_options), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
