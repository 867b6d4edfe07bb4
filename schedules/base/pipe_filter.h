/* pipe_filter.h - what is read from a pipe or a device, while it comes: no more than what a
 * document may begin with. Private to schedules/.
 *
 * A pipe may go on for ever. The filter looks at each byte once, knows where strings and brackets
 * are, and closes where the text can be no document any more; what has been kept then ends with the
 * byte that the reader (scan.h) will refuse. Of long white space it keeps the beginning, and notes
 * what it left out.
 */
#ifndef ORDO_SCHEDULES_BASE_PIPE_FILTER_H
#define ORDO_SCHEDULES_BASE_PIPE_FILTER_H

#include <ordo/error.h>
#include <stddef.h>
#include <stdint.h>

/* Values nest at most so deep. */
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
	uint32_t token, space; /* bytes of the token or white space at hand */
	bool begun, in_string, escaped;
	bool closed;	       /* nothing that follows is of interest */
	struct ordo_gap gap;   /* of the white space at hand */
	struct ordo_gap *gaps; /* [ngap] of the caller, for free() */
	size_t ngap, gap_room;
};

/* Looks at text[*kept..size), which was read last, and closes up what it leaves out: *kept
 * grows. {0} is a filter that has seen nothing. false: no memory. */
bool ordo_pipe_filter_take(struct ordo_pipe_filter *filter, char *text, size_t *kept, size_t size);
/* The text ends there. */
bool ordo_pipe_filter_end(struct ordo_pipe_filter *filter, size_t kept);

#endif
