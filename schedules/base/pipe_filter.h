/* pipe_filter.h - bounds what is read from a pipe or a device while it arrives: only what can begin
 * a document is kept. Private to schedules/.
 *
 * A pipe may never end. The filter examines each byte once, tracks strings and brackets, and closes
 * at the first byte after which the text cannot be a document; the kept text then ends with the
 * byte that the reader (scan.h) rejects. Of long white space it keeps the beginning and records the
 * gap.
 */
#ifndef ORDO_SCHEDULES_BASE_PIPE_FILTER_H
#define ORDO_SCHEDULES_BASE_PIPE_FILTER_H

#include <ordo/error.h>
#include <stddef.h>
#include <stdint.h>

/* The maximum nesting depth of values. */
enum { ORDO_NESTING = 64 };
/* White space in a row between two tokens, of which so many bytes are kept; the bytes of one
 * string or number. */
enum { ORDO_SPACE_LIMIT = 1 << 20, ORDO_SPACE_KEPT = 64, ORDO_TOKEN_LIMIT = 1 << 20 };

/* White space that was left out. */
struct ordo_gap {
	size_t offset;		       /* in what was kept: where it would go on */
	uint32_t bytes, lines, column; /* column: bytes behind its last line end */
};

struct ordo_pipe_filter {
	uint32_t depth;	       /* of brackets */
	uint32_t token, space; /* bytes of the current token or white space */
	bool begun, in_string, escaped;
	bool closed;	       /* the rest is ignored */
	struct ordo_gap gap;   /* of the current white space */
	struct ordo_gap *gaps; /* [ngap] of the caller, for free() */
	size_t ngap, gap_room;
};

/* Filters text[*kept..size), which was read last, in place: *kept grows. {0} is a filter that has
 * seen nothing. false: no memory. */
bool ordo_pipe_filter_take(struct ordo_pipe_filter *filter, char *text, size_t *kept, size_t size);
/* Ends the text. */
bool ordo_pipe_filter_end(struct ordo_pipe_filter *filter, size_t kept);

#endif
