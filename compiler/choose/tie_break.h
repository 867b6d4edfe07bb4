/* tie_break.h - chooses among equally cheap candidates, with the fewest changes of order. Private
 * to compiler/. */
#ifndef ORDO_COMPILER_CHOOSE_TIE_BREAK_H
#define ORDO_COMPILER_CHOOSE_TIE_BREAK_H

#include <ordo/error.h>

/* One of the equally cheap candidates of a range. */
struct ordo_alternative {
	uint32_t option; /* defined by the caller */
	uint32_t order;	 /* equal numbers: equal orders */
};

/* The alternatives of range i are items[i == 0 ? 0 : ends[i-1]] up to ends[i], at least one, the
 * preferred first. choice[i] becomes the index into items of the one taken: with the fewest
 * neighbours whose orders differ, and then the most preferred. false: no memory. */
bool ordo_tie_break(const struct ordo_alternative *items, const uint32_t *ends, uint32_t nrange,
	uint32_t *choice, struct ordo_error *error);

#endif
