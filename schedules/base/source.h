/* source.h - the bytes of a file: read, or mapped if it is large. Private to schedules/. */
#ifndef ORDO_SCHEDULES_BASE_SOURCE_H
#define ORDO_SCHEDULES_BASE_SOURCE_H

#include "pipe_filter.h"

struct ordo_source {
	const char *text;
	size_t size;
	size_t released;       /* bytes released */
	bool mapped;	       /* pages are released as they are read */
	struct ordo_gap *gaps; /* [ngap] white space that was left out, in its order */
	size_t ngap;
};

/* Takes over the descriptor and closes it. `path` is for messages. */
bool ordo_source_from(
	struct ordo_source *source, int descriptor, const char *path, struct ordo_error *error);
/* Opens a path, "-" is stdin; returns its name for messages, NULL with an error. */
const char *ordo_source_open(
	struct ordo_source *source, const char *path, struct ordo_error *error);
void ordo_source_close(struct ordo_source *source);
/* Releases the pages before `offset`, which will not be read again: memory stays bounded for any
 * file. */
void ordo_source_release(struct ordo_source *source, size_t offset);

/* Is this the plain name of a file in a folder, not a path that leaves it? */
bool ordo_is_plain_name(const char *name);

#endif
