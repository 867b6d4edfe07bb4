/* memory.h - how much memory the library may take: what would take more is refused before it is
 * begun. */
#ifndef ORDO_MEMORY_H
#define ORDO_MEMORY_H

#include <ordo/error.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets the limit in bytes for the whole process; UINT64_MAX, which is what it is at first, is
 * none. What is compiled, proved, predicted or read from a pipe is held against it one by one,
 * by estimates that are right within a small factor: it keeps a machine usable, and is no quota.
 * Any thread. */
ORDO_API void ordo_set_memory_limit(uint64_t bytes);
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
	return 400e3 + 60 * size->tasks + 1 * size->chunks + 25 * size->slots + 200 * size->streams;
}

#ifdef __cplusplus
}
#endif
#endif
