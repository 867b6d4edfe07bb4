/* arrivals.h - sums whose operand arrives in scratch, and is added there in a stream of its own.
 *
 * A SendReduce keeps its stream, and so the link, until the peer has added. Apart from each other,
 * the link carries the next operand meanwhile.
 */
#ifndef ORDO_COMPILER_ALGORITHMS_TREE_ARRIVALS_H
#define ORDO_COMPILER_ALGORITHMS_TREE_ARRIVALS_H

#include "algorithm.h"

/* Of every pair of ranks that has arrivals, a few scratch slots of the receiver, used in turn. */
struct ordo_arrivals {
	uint32_t nrank;
	uint32_t *first; /* [nrank][nrank] by sender, then receiver: scratch slot; ORDO_NONE */
	uint8_t *turn;	 /* [nrank][nrank] the slot that is looked at first */
	uint8_t *taken;	 /* [nrank][nrank] a bit for each slot */
};

/* With 3 some take a few per cent longer, with more none is faster by one. */
enum { ORDO_ARRIVAL_SLOTS = 4 };

/* The parameter: how sums are made. */
#define ORDO_SUMS_PARAMETER                                                                        \
	{                                                                                          \
		.name = "sums", .values = "inline|apart", .fallback = "inline",                    \
		.meaning = "inline: the Send itself adds the data; apart: the data arrives "       \
			   "in scratch, where a separate stream adds it while the link "           \
			   "continues",                                                            \
		.kind = ORDO_WORD                                                                  \
	}

bool ordo_sums_are_apart(const struct ordo_resolved_request *request);
/* How fast a rank adds, GB/s. topology: NULL: as usual */
double ordo_adding_gbs(const struct ordo_topology *topology);

/* Reserves the scratch of all pairs.
 *
 *   pairs   [nrank][nrank] by sender, then receiver: not 0 where something arrives to be added
 *
 * The caller frees it, also after false: no memory. */
bool ordo_arrivals_make(struct ordo_arrivals *arrivals, struct ordo_builder *b,
	const uint8_t *pairs, uint32_t nrank);
void ordo_arrivals_free(struct ordo_arrivals *arrivals);

/* Sends `src` to scratch of a rank, in the stream at hand. Returns the place; one must be free. */
struct ordo_at ordo_arrive(
	struct ordo_arrivals *arrivals, struct ordo_builder *b, uint32_t to, struct ordo_at src);
/* There it is added to `dst`, in the stream "add" of that rank, and its place is free. */
void ordo_add_arrived(struct ordo_arrivals *arrivals, struct ordo_builder *b, struct ordo_at dst,
	uint32_t from, struct ordo_at arrived);

#endif
