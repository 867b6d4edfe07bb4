/* memory_stream.h - text printed into memory, whole or not at all. open_memstream drops text
 * silently when memory runs out. */
#ifndef ORDO_TOOLS_BASE_MEMORY_STREAM_H
#define ORDO_TOOLS_BASE_MEMORY_STREAM_H

#include <stdio.h>

struct memory_stream {
	FILE *out; /* the caller prints to it */
	char *text;
	size_t size, room;
};

/* NULL: no memory. The struct must not move until the stream is closed. */
FILE *open_memory_stream(struct memory_stream *stream);
/* The text, ended by a NUL; the caller frees it. NULL: no memory. */
char *close_memory_stream(struct memory_stream *stream);

#endif
