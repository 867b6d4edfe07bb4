/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* memory_size.h - how much memory a schedule takes, and whether there is as much. */
#ifndef ORDO_MEMORY_SIZE_H
#define ORDO_MEMORY_SIZE_H

#include <ordo/memory.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The limit in bytes; UINT64_MAX: none. Any thread. */
ORDO_API uint64_t ordo_memory_limit(void);

/* Whether something that takes so many bytes may be begun. If not: ORDO_ENVIRONMENT, `what takes
 * about 3.2 GiB of memory, there is 1.1 GiB`. */
ORDO_API bool ordo_memory_allows(double bytes, const char *what, struct ordo_error *error);

/* What memory is taken by: of a schedule, over all ranks. Slots: those that may be written.
 * Chunks: those that are moved, each as often as it is. */
struct ordo_size {
	double tasks, chunks, slots, streams;
};
/* About how many bytes it takes, at most at a time, to compile such a schedule, or to prove it;
 * measured over all algorithms. */
static inline double ordo_bytes_of(const struct ordo_size *size)
{
	return 300e3 + 75 * size->tasks + 1 * size->chunks + 25 * size->slots + 250 * size->streams;
}

#ifdef __cplusplus
}
#endif
#endif
