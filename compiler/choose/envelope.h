/* envelope.h - the lower envelope of lines over whole numbers of bytes. Private to
 * compiler/choose/. */
#ifndef ORDO_COMPILER_ENVELOPE_H
#define ORDO_COMPILER_ENVELOPE_H

#include <stdbool.h>
#include <stdint.h>

/* A cost in ns. Lines with left_out are ignored. */
struct ordo_line {
	long double fixed, slope; /* ns; ns a byte */
	bool left_out;
};

/* The lowest line at a size; among equals the one with the least slope, then the first. ORDO_NONE:
 * there is none. */
uint32_t ordo_lowest_line(const struct ordo_line *lines, uint32_t count, uint64_t bytes);
/* The first size above `bytes`, at most `last`, at which some line is lower than `line`, which is
 * the lowest at `bytes`. 0: there is none. */
uint64_t ordo_next_crossing(const struct ordo_line *lines, uint32_t count, uint32_t line,
	uint64_t bytes, uint64_t last);

static inline long double ordo_line_at(const struct ordo_line *line, uint64_t bytes)
{
	return line->fixed + line->slope * (long double)bytes;
}

#endif
