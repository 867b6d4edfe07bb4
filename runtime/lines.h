/* lines.h - memory that shares no cache line with other memory. Private to runtime/. */
#ifndef ORDO_LINES_H
#define ORDO_LINES_H

#include "cache_line.h"
#include <stdlib.h>
#include <string.h>

/* Zeroed; freed with free. NULL: no memory. */
static inline void *allocate_lines(size_t count, size_t size)
{
	const size_t bytes = (count * size / CACHE_LINE + 1) * CACHE_LINE;
	void *memory = aligned_alloc(CACHE_LINE, bytes);
	return memory ? memset(memory, 0, bytes) : NULL;
}

#endif
