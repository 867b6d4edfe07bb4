/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* plan_sets.h - plan sets made, written, and opened range by range. */
#ifndef ORDO_PLAN_SETS_H
#define ORDO_PLAN_SETS_H

#include <ordo/plan_set.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A set without ranges, of a problem that passes ordo_problem_check; chunks_per_block is not looked
 * at. The caller destroys it. NULL: no memory or a bad problem. */
ORDO_API struct ordo_plan_set *ordo_plan_set_create(
	const struct ordo_problem *problem, struct ordo_error *error);
/* The next range, which begins where the last one ended. ORDO_BAD_INPUT, R1: a gap, an overlap, an
 * empty range, a size above ORDO_BYTES_LIMIT, something after an endless range, or a name that is
 * not plain (FORMAT.md). schedule NULL: the library's own choice. */
ORDO_API bool ordo_plan_set_add(struct ordo_plan_set *set, uint64_t from_bytes, uint64_t to_bytes,
	const char *schedule, struct ordo_error *error);

/* The first range with the same schedule as this one, or likewise without one: what was found for
 * one need not be looked for again. O(range). */
ORDO_API uint32_t ordo_plan_set_first(const struct ordo_plan_set *set, uint32_t range);

/* Whether a file is a set: by the schema it names in its first 64 KiB; and a folder: whether it
 * holds plan-set.json, sound or not. false for "-", devices and pipes, and a file that cannot be
 * read. */
ORDO_API bool ordo_is_plan_set(const char *path);
/* As ordo_plan_set_read, from memory: there are no schedules beside it. */
ORDO_API struct ordo_plan_set *ordo_plan_set_read_text(
	const char *text, size_t size, const char *name, struct ordo_error *error);
/* Reads the schedule of a range, of a set that was read from a path. NULL also if the range has
 * none, or if it is missing (at its place in the set) or of another problem than the set. options
 * may be NULL. The caller destroys it; it does not need the set. */
ORDO_API struct ordo_schedule *ordo_plan_set_open(const struct ordo_plan_set *set, uint32_t range,
	const struct ordo_read_options *options, struct ordo_error *error);

ORDO_API bool ordo_plan_set_print(
	const struct ordo_plan_set *set, FILE *out, struct ordo_error *error);
/* Writes a folder with the set and schedules[nrange], each under the name its range has (equal
 * names: the first of them; a range without one: NULL); these must be of the form `range-0.json`.
 * All of it appears or nothing, and it replaces only what is such a folder or a schedule's. */
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
