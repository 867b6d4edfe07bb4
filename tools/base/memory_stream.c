/* memory_stream.c - text printed into memory, all of it or none. */
#define _GNU_SOURCE /* fopencookie */
#include "memory_stream.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

static ssize_t append(void *cookie, const char *text, size_t size)
{
	struct memory_stream *stream = cookie;
	if (!ordo_array_reserve(&stream->text, &stream->room, stream->size + size + 1, 1))
		return 0;
	memcpy(stream->text + stream->size, text, size);
	stream->size += size;
	return (ssize_t)size;
}

FILE *open_memory_stream(struct memory_stream *stream)
{
	*stream = (struct memory_stream){0};
	if (ordo_array_reserve(&stream->text, &stream->room, 1, 1))
		stream->out = fopencookie(stream, "w", (cookie_io_functions_t){.write = append});
	if (!stream->out)
		free(stream->text);
	return stream->out;
}

char *close_memory_stream(struct memory_stream *stream)
{
	const int lost = ferror(stream->out);
	if (fclose(stream->out) || lost) {
		free(stream->text);
		return NULL;
	}
	stream->text[stream->size] = 0;
	return stream->text;
}
