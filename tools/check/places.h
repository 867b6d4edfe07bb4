/* places.h - where chunks and slots begin in the buffers of ranks, whose blocks have one size or
 * each its own; computed without the runtime, to check it. */
#ifndef ORDO_TOOLS_PLACES_H
#define ORDO_TOOLS_PLACES_H

#include "buffers.h"

struct places {
	const struct ordo_problem *problem;
	uint64_t count;		     /* elements of each block */
	const uint64_t *block_count; /* [nblock] instead; or NULL: then nothing is allocated */
	uint64_t *begins;	     /* [nblock + 1] of each block, in the order of blocks */
	/* AllToAll: [nrank][nrank + 1] of each block that a rank gets, in its output */
	uint64_t *received;
};

/* block_count may be NULL, and must outlive the places like the problem. The caller frees them,
 * also after false: no memory. */
bool make_places(struct places *places, const struct ordo_problem *problem, uint64_t count,
	const uint64_t *block_count, struct ordo_error *error);
void free_places(struct places *places);

/* All in elements. Where a chunk begins among all chunks of all blocks, in the order of their ids.
 */
uint64_t place_of_chunk(const struct places *places, uint32_t chunk);
uint64_t length_of_chunk(const struct places *places, uint32_t chunk);
/* Where a slot begins in a rank's input or output; slot may be the number of slots: its length. */
uint64_t place_in_input(const struct places *places, uint32_t rank, uint32_t slot);
uint64_t place_in_output(const struct places *places, uint32_t rank, uint32_t slot);

#endif
