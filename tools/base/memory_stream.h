/* memory_stream.h - text printed into memory, all of it or none. open_memstream loses what it has
 * no memory for and does not say so. */
#ifndef ORDO_TOOLS_BASE_MEMORY_STREAM_H
#define ORDO_TOOLS_BASE_MEMORY_STREAM_H

#include <stdio.h>

struct memory_stream {
	FILE *out; /* to be printed to */
	char *text;
	size_t size, room;
};

/* NULL: no memory. The stream stays where it is until it is closed. */
FILE *open_memory_stream(struct memory_stream *stream);
/* What was printed, ended by a NUL; the caller frees it. NULL: no memory. */
char *close_memory_stream(struct memory_stream *stream);

#endif
