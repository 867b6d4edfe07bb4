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

/* A rank's input or output. Slot s holds chunk first + s and begins at element chunk_begin(first +
 * s) - origin. */
struct region {
	uint32_t first, nslot;
	uint64_t origin;
	uint64_t nelement;
};

/* Offsets of chunks, in elements. Chunks are contiguous, in the order of their ids; chunk c begins
 * at chunk_begin(c):
 *   EVEN    c * block                              K = 1, equal blocks
 *   BLOCKS  (c / K) * block + begin[c % K]         equal blocks
 *   TABLE   begin[c]                               one block, or blocks of different sizes
 */
struct layout {
	struct ordo_problem problem;
	/* of the elements of input and output, and of scratch */
	enum ordo_type type, accumulator;
	uint64_t element; /* bytes of an element of `type` */
	enum { EVEN, BLOCKS, TABLE } form;
	uint32_t chunks_per_block, nchunk;
	uint64_t block;
	uint64_t *begin; /* [K + 1] or [nchunk + 1] */
	/* AllToAll with different block sizes: [nrank][nrank * K + 1], of output slots; else
	 * NULL */
	uint64_t *output_begin;
	uint64_t largest;	     /* chunk */
	bool equal;		     /* all chunks have one size */
	uint64_t stride;	     /* from one scratch slot to the next */
	uint64_t tile;		     /* elements of each chunk per round */
	uint64_t nround;	     /* in one run */
	uint32_t nbank;		     /* of scratch slots: round r uses bank r % nbank */
	uint64_t bank;		     /* from one bank to the next, in elements; of plans */
	struct region (*regions)[2]; /* [nrank], of input and output */
};

/* Fills a zeroed layout, with tiles of tile_bytes. The caller frees it, also after a failure. */
bool ordo_layout_make(struct layout *layout, const struct ordo_problem *problem,
	const struct ordo_plan_options *options, uint64_t tile_bytes, struct ordo_error *error);
void ordo_layout_free(struct layout *layout);

static inline enum ordo_type type_in(const struct layout *layout, enum ordo_buffer buffer)
{
	return buffer == ORDO_SCRATCH ? layout->accumulator : layout->type;
}

/* Bytes of an element in that buffer. */
static inline uint64_t element_bytes(const struct layout *layout, enum ordo_buffer buffer)
{
	return ordo_type_size(type_in(layout, buffer));
}

/* Bytes of an element in transit: the receiver widens it, and the sender rounds it. */
static inline uint64_t element_bytes_moved(
	const struct layout *layout, const struct ordo_task *task)
{
	return task->src_buffer == ORDO_SCRATCH && task->dst_buffer == ORDO_SCRATCH
		       ? element_bytes(layout, ORDO_SCRATCH)
		       : layout->element;
}

/* Bytes of a rank's input or output. */
static inline uint64_t region_bytes(
	const struct layout *layout, uint32_t rank, enum ordo_buffer buffer)
{
	return layout->regions[rank][buffer].nelement * layout->element;
}

/* Checks a rank's buffers; in place, derives the one that is NULL. */
bool ordo_layout_check_buffers(const struct layout *layout, bool in_place, uint32_t rank,
	unsigned char **input, unsigned char **output, struct ordo_error *error);

/* Whether a rank's buffers share memory (or one of them is NULL) and the operator allows in-place
 * calls. */
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

/* Offset of a slot in its buffer, in elements; one past the last slot is allowed. */
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
	/* Virtual shards: several vectors, contiguous. */
	return slot / layout->nchunk * chunk_begin(layout, layout->nchunk) +
	       chunk_begin(layout, slot % layout->nchunk);
}

/* Consecutive slots of a rank's buffer. */
struct slots {
	uint32_t rank;
	enum ordo_buffer buffer;
	uint32_t first;
};

/* Whether a slot of input or output is the one the operator assigns to the chunk. If so, the next
 * slots hold the next chunks; modulo nchunk, because the vectors of virtual shards are
 * contiguous. */
static inline bool is_canonical_slot(
	const struct layout *layout, struct slots slots, uint32_t chunk)
{
	if (slots.buffer == ORDO_SCRATCH ||
		(slots.buffer == ORDO_OUTPUT && layout->problem.op == ORDO_ALLTOALL))
		return false;
	return (layout->regions[slots.rank][slots.buffer].first + slots.first) % layout->nchunk ==
	       chunk;
}

/* Whether this chunk and the next ones are contiguous in these slots. */
static inline bool are_packed(const struct layout *layout, struct slots slots, uint32_t chunk)
{
	if (slots.buffer == ORDO_SCRATCH)
		return layout->equal && layout->stride == layout->largest;
	return layout->equal || is_canonical_slot(layout, slots, chunk);
}

/* Total bytes of all chunks. */
static inline uint64_t vector_bytes(const struct layout *layout)
{
	return chunk_begin(layout, layout->nchunk) * layout->element;
}

#endif
