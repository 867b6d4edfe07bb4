/* layout.h - where chunks and slots lie in memory, for given counts. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_LAYOUT_H
#define ORDO_RUNTIME_TASKS_LAYOUT_H

#include "cache_line.h"
#include <ordo/detail/accumulate.h>
#include <ordo/runtime.h>

static inline uint64_t round_up(uint64_t n, uint64_t multiple)
{
	return (n + multiple - 1) / multiple * multiple;
}

/* A rank's input or output. Slot s holds chunk first + s, and begins chunk_begin(first + s) -
 * origin elements into the memory. */
struct region {
	uint32_t first, nslot;
	uint64_t origin;
	uint64_t nelement;
};

/* Where chunks lie, in elements. With chunks one after another in the order of their ids, chunk c
 * begins at chunk_begin(c):
 *   EVEN    c * block                              K = 1, equal blocks
 *   BLOCKS  (c / K) * block + begin[c % K]         equal blocks
 *   TABLE   begin[c]                               one block, or blocks of different sizes
 */
struct layout {
	struct ordo_problem problem;
	/* of elements of input and output, and of those of scratch */
	enum ordo_type type, accumulator;
	uint64_t element; /* bytes of one of the type */
	enum { EVEN, BLOCKS, TABLE } form;
	uint32_t chunks_per_block, nchunk;
	uint64_t block;
	uint64_t *begin; /* [K + 1] or [nchunk + 1] */
	/* AllToAll of different sizes: [nrank][nrank * K + 1] of output slots; else NULL */
	uint64_t *output_begin;
	uint64_t largest;	     /* chunk */
	bool equal;		     /* all chunks have one size */
	uint64_t stride;	     /* from one scratch slot to the next */
	uint64_t tile;		     /* of each chunk, moved in one round */
	uint64_t nround;	     /* in one run */
	struct region (*regions)[2]; /* [nrank], of input and output */
};

/* Fills the layout; the tile is tile_bytes of each chunk. On failure, too, it is to be freed. */
bool ordo_layout_make(struct layout *layout, const struct ordo_problem *problem,
	const struct ordo_plan_options *options, uint64_t tile_bytes, struct ordo_error *error);
void ordo_layout_free(struct layout *layout);

static inline enum ordo_type type_in(const struct layout *layout, enum ordo_buffer buffer)
{
	return buffer == ORDO_SCRATCH ? layout->accumulator : layout->type;
}

/* The bytes of an element there. */
static inline uint64_t element_in(const struct layout *layout, enum ordo_buffer buffer)
{
	return ordo_type_size(type_in(layout, buffer));
}

/* The bytes of an element on its way: it is widened where it arrives, and rounded where it comes
 * from. */
static inline uint64_t element_moved(const struct layout *layout, const struct ordo_task *task)
{
	return task->src_buffer == ORDO_SCRATCH && task->dst_buffer == ORDO_SCRATCH
		       ? element_in(layout, ORDO_SCRATCH)
		       : layout->element;
}

/* How many bytes a rank's input or output has. */
static inline uint64_t region_bytes(
	const struct layout *layout, uint32_t rank, enum ordo_buffer buffer)
{
	return layout->regions[rank][buffer].nelement * layout->element;
}

/* Checks a rank's buffers, and fills in the one that was left out in place. */
bool ordo_layout_settle(const struct layout *layout, bool in_place, uint32_t rank,
	unsigned char **input, unsigned char **output, struct ordo_error *error);

/* Were a rank's buffers given as one memory, of an operator that may have that? One of them may be
 * left out. */
bool ordo_layout_is_in_place(const struct layout *layout, uint32_t rank, const unsigned char *input,
	const unsigned char *output);

static inline uint64_t chunk_begin(const struct layout *layout, uint32_t chunk)
{
	switch (layout->form) {
	case EVEN:
		return chunk * layout->block;
	case BLOCKS:
		return chunk / layout->chunks_per_block * layout->block +
		       layout->begin[chunk % layout->chunks_per_block];
	case TABLE:
		break;
	}
	return layout->begin[chunk];
}

/* Where a slot begins, in elements from the start of its buffer; also for the end of the last
 * slot. */
static inline uint64_t slot_begin(
	const struct layout *layout, uint32_t rank, enum ordo_buffer buffer, uint32_t slot)
{
	if (buffer == ORDO_SCRATCH)
		return slot * layout->stride;
	const struct region *region = &layout->regions[rank][buffer];
	if (buffer == ORDO_OUTPUT && layout->output_begin) {
		uint64_t row = (uint64_t)region->nslot + 1;
		return layout->output_begin[rank * row + slot];
	}
	if (region->first + (uint64_t)slot <= layout->nchunk)
		return chunk_begin(layout, region->first + slot) - region->origin;
	/* Virtual shards: several vectors one after another. */
	return slot / layout->nchunk * chunk_begin(layout, layout->nchunk) +
	       chunk_begin(layout, slot % layout->nchunk);
}

/* Bytes of all chunks together. */
static inline uint64_t vector_bytes(const struct layout *layout)
{
	return chunk_begin(layout, layout->nchunk) * layout->element;
}

#endif
