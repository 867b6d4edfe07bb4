/* parallel.h - runs a function on many items, on all processors. */
#ifndef ORDO_TOOLS_PARALLEL_H
#define ORDO_TOOLS_PARALLEL_H

#include <stdint.h>

/* How many threads for_each uses for nitem items; at least 1. */
uint32_t parallel_width(uint64_t nitem);
/* Calls work(closure, item, worker) for item = 0..nitem-1, in any order; worker < width is the
 * number of the thread. */
void for_each(uint64_t nitem, uint32_t width,
	void (*work)(void *closure, uint64_t item, uint32_t worker), void *closure);

#endif
