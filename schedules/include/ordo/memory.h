/* memory.h - how much memory the library may take: what would take more is refused before it is
 * begun. */
#ifndef ORDO_MEMORY_H
#define ORDO_MEMORY_H

#include <ordo/error.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets how much memory the library may take, for the whole process.
 *
 *   bytes   the limit; UINT64_MAX, the value at the beginning: none
 *
 * What is compiled, proved, predicted or read from a pipe is compared with the limit one by one,
 * by an estimate that is right within a small factor: the limit keeps a machine usable, and is
 * no quota. A function that would exceed it fails with ORDO_ENVIRONMENT and error->too_large
 * before it begins. Any thread. */
ORDO_API void ordo_set_memory_limit(uint64_t bytes);
#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/memory_size.h>
#endif
