/* layout.c - where chunks and slots lie in memory, for given counts. */
#include "layout.h"
#include "kernels/arithmetic.h"
#include "kernels/kernels.h"
#include <inttypes.h>
#include <stdlib.h>

/* Small enough that a sum of a few such sizes cannot overflow. */
#define MAX_BYTES (UINT64_C(1) << 60)

static bool fail_size(struct ordo_error *error, const char *what)
{
	return ordo_fail(error, ORDO_USAGE, 0, "the %s would have 2^60 bytes or more", what);
}

static uint64_t *allocate_table(uint64_t nrow, uint64_t ncolumn)
{
	if (ncolumn > SIZE_MAX / sizeof(uint64_t) / nrow)
		return NULL;
	return calloc(nrow * ncolumn, sizeof(uint64_t));
}

static bool place_equal_blocks(struct layout *layout, const struct ordo_problem *problem,
	uint64_t block, uint64_t alignment, uint64_t most, struct ordo_error *error)
{
	const uint32_t K = problem->chunks_per_block;
	layout->block = block;
	layout->form = K == 1 ? EVEN : ordo_nblock(problem) == 1 ? TABLE : BLOCKS;
	if (block > most / ordo_nblock(problem))
		return fail_size(error, "vector");
	if (layout->form == EVEN)
		return true;
	if (!(layout->begin = allocate_table(1, (uint64_t)K + 1)))
		return ordo_fail_memory(error);
	for (uint32_t k = 0; k <= K; k++)
		layout->begin[k] = ordo_chunk_begin(block, K, k, alignment);
	return true;
}

static bool place_unequal_blocks(struct layout *layout, const struct ordo_problem *problem,
	const uint64_t *block_count, uint64_t alignment, uint64_t most, struct ordo_error *error)
{
	const uint32_t K = problem->chunks_per_block, nblock = ordo_nblock(problem);
	layout->form = TABLE;
	if (!(layout->begin = allocate_table(1, (uint64_t)layout->nchunk + 1)))
		return ordo_fail_memory(error);
	uint64_t total = 0;
	for (uint32_t b = 0; b < nblock; b++) {
		if (block_count[b] > most - total)
			return fail_size(error, "vector");
		for (uint32_t k = 0; k < K; k++)
			layout->begin[b * K + k] =
				total + ordo_chunk_begin(block_count[b], K, k, alignment);
		total += block_count[b];
	}
	layout->begin[layout->nchunk] = total;
	return true;
}

/* Output slot iK+k of rank r holds chunk (iN+r)K+k; the adjacent chunks belong to other ranks. */
static bool place_alltoall_outputs(
	struct layout *layout, const struct ordo_problem *problem, struct ordo_error *error)
{
	const uint32_t N = problem->nrank, nslot = N * problem->chunks_per_block;
	if (!(layout->output_begin = allocate_table(N, (uint64_t)nslot + 1)))
		return ordo_fail_memory(error);
	uint64_t *begin = layout->output_begin;
	for (uint32_t r = 0; r < N; r++) {
		uint64_t total = 0;
		for (uint32_t slot = 0; slot < nslot; slot++) {
			uint32_t chunk = ordo_output_chunk(problem, r, slot);
			*begin++ = total;
			total += layout->begin[chunk + 1] - layout->begin[chunk];
		}
		*begin++ = total;
	}
	return true;
}

/* Finds the size of the largest chunk, and whether all chunks have one size. */
static void find_chunk_sizes(struct layout *layout)
{
	uint32_t ndifferent = layout->form == EVEN     ? 1
			      : layout->form == BLOCKS ? layout->chunks_per_block
						       : layout->nchunk;
	uint64_t smallest = UINT64_MAX;
	for (uint32_t c = 0; c < ndifferent; c++) {
		uint64_t n = chunk_begin(layout, c + 1) - chunk_begin(layout, c);
		layout->largest = n > layout->largest ? n : layout->largest;
		smallest = n < smallest ? n : smallest;
	}
	layout->equal = smallest == layout->largest;
}

/* A run moves `tile` elements of every chunk per round: rounds.h. */
static void divide_into_rounds(struct layout *layout, uint64_t tile_bytes, bool overlapping)
{
	const uint64_t line = CACHE_LINE / layout->element;
	uint64_t tile = tile_bytes / CACHE_LINE * line;
	tile = tile ? tile : line;
	layout->nround = layout->largest > tile ? (layout->largest + tile - 1) / tile : 1;
	layout->tile =
		layout->nround > 1
			? round_up((layout->largest + layout->nround - 1) / layout->nround, line)
			: layout->largest;
	layout->stride = round_up(layout->tile, line);
	layout->nbank = overlapping && layout->nround > 1 ? 2 : 1;
}

static bool are_all_equal(const uint64_t *values, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

static bool place_regions(struct layout *layout, struct ordo_error *error)
{
	const struct ordo_problem *problem = &layout->problem;
	layout->regions = calloc(problem->nrank, sizeof *layout->regions);
	if (!layout->regions)
		return ordo_fail_memory(error);
	for (uint32_t r = 0; r < problem->nrank; r++) {
		struct region *regions = layout->regions[r];
		regions[ORDO_INPUT].nslot = ordo_input_slots(problem, r);
		regions[ORDO_OUTPUT].nslot = ordo_output_slots(problem, r);
		regions[ORDO_INPUT].first =
			regions[ORDO_INPUT].nslot ? ordo_input_chunk(problem, r, 0) : 0;
		/* The output slots of an AllToAll have the sizes of its input slots, unless
		 * output_begin gives others. */
		if (regions[ORDO_OUTPUT].nslot && problem->op != ORDO_ALLTOALL)
			regions[ORDO_OUTPUT].first = ordo_output_chunk(problem, r, 0);
		for (int b = ORDO_INPUT; b <= ORDO_OUTPUT; b++) {
			regions[b].origin = chunk_begin(layout, regions[b].first);
			regions[b].nelement =
				slot_begin(layout, r, (enum ordo_buffer)b, regions[b].nslot);
		}
	}
	return true;
}

/* Any chunk may lie in any slot, and be added to any other. */
static bool fits_custom(
	const struct layout *layout, enum ordo_reduction reduction, struct ordo_error *error)
{
	if (reduction == ORDO_AVG)
		return ordo_fail(error, ORDO_USAGE, 0,
			"Custom: found avg, wanted another reduction; nothing says how many "
			"contributions a sum has");
	return layout->equal ||
	       ordo_fail(error, ORDO_USAGE, 0,
		       "Custom: chunks of different lengths, wanted blocks of a multiple of "
		       "%" PRIu32 " elements, all of one length",
		       layout->chunks_per_block);
}

bool ordo_layout_make(struct layout *layout, const struct ordo_problem *problem,
	const struct ordo_plan_options *options, uint64_t tile_bytes, struct ordo_error *error)
{
	if (!ordo_can_reduce(problem, options->type, options->reduction, error))
		return false;
	if (ordo_divisor(problem, options->reduction) > ORDO_MOST_DIVISOR)
		return ordo_fail(error, ORDO_USAGE, 0,
			"an average of %" PRIu32 " contributions, wanted at most %" PRIu32,
			problem->nshard, ORDO_MOST_DIVISOR);
	const uint64_t element = ordo_type_size(options->type),
		       alignment = options->alignment ? options->alignment : 1;
	/* A rank's input holds one vector per shard. */
	const uint64_t nvector = ((uint64_t)problem->nshard + problem->nrank - 1) / problem->nrank;
	const uint64_t most = MAX_BYTES / element / nvector;
	const uint64_t *block_count = options->block_count;
	layout->problem = *problem;
	layout->type = options->type;
	layout->accumulator = ordo_accumulator(problem, options->type);
	layout->element = element;
	layout->chunks_per_block = problem->chunks_per_block;
	layout->nchunk = ordo_nchunk(problem);
	if (!block_count || are_all_equal(block_count, ordo_nblock(problem))) {
		if (!place_equal_blocks(layout, problem,
			    block_count ? block_count[0] : options->count, alignment, most, error))
			return false;
	} else {
		if (!place_unequal_blocks(layout, problem, block_count, alignment, most, error))
			return false;
		if (problem->op == ORDO_ALLTOALL && !place_alltoall_outputs(layout, problem, error))
			return false;
	}
	find_chunk_sizes(layout);
	if (problem->op == ORDO_CUSTOM && !fits_custom(layout, options->reduction, error))
		return false;
	divide_into_rounds(layout, tile_bytes, options->overlapping_rounds);
	return place_regions(layout, error);
}

void ordo_layout_free(struct layout *layout)
{
	free(layout->begin);
	free(layout->output_begin);
	free(layout->regions);
}
