/* sizes.c - the sizes of moves, from the offsets of chunks in their blocks. */
#include "sizes.h"
#include <ordo/detail/slots.h>
#include <stdlib.h>

static bool make_equal(struct ordo_sizes_of_moves *sizes, const struct ordo_problem *problem,
	const struct ordo_predict_options *options, struct ordo_error *error)
{
	const uint32_t K = problem->chunks_per_block, element = options->element_bytes;
	const uint64_t nblock =
		problem->op == ORDO_ALLTOALL ? problem->nrank : ordo_nblock(problem);
	const uint64_t count = element ? options->bytes / nblock / element : 0;
	sizes->block = (double)count;
	sizes->chunk = element ? 0 : (double)options->bytes / (double)nblock / K;
	sizes->bytes = element ? (double)(count * nblock * element) : (double)options->bytes;
	sizes->begin = malloc(((size_t)K + 1) * sizeof *sizes->begin);
	if (!sizes->begin)
		return ordo_fail_memory(error);
	for (uint32_t k = 0; k <= K; k++)
		sizes->begin[k] = (double)ordo_chunk_begin(count, K, k, 1);
	return true;
}

/* Where the chunks of a block begin that has so many elements of its own: whole ones, or `share` as
 * many, divisible. Returns where the block ends. */
static double place_block(double *begin, uint32_t K, double at, uint64_t count, double share)
{
	for (uint32_t k = 0; k < K; k++)
		begin[k] = at + (share < 0 ? (double)ordo_chunk_begin(count, K, k, 1)
					   : (double)count * share * k / K);
	return at + (share < 0 ? (double)count : (double)count * share);
}

static bool make_unequal(struct ordo_sizes_of_moves *sizes, const struct ordo_problem *problem,
	const struct ordo_predict_options *options, struct ordo_error *error)
{
	const uint32_t K = problem->chunks_per_block, nblock = ordo_nblock(problem);
	uint64_t size;
	if (!ordo_blocks_size(problem, options->block_count, &size))
		return ordo_fail(error, ORDO_USAGE, 0,
			"found blocks of 2^59 elements or more together, wanted fewer");
	const bool shared = options->proportional;
	const double share = !shared ? -1
			     : size  ? (double)options->bytes / sizes->element / (double)size
				     : 0;
	sizes->bytes = shared ? (size ? (double)options->bytes : 0) : (double)size * sizes->element;
	sizes->begin = malloc(((size_t)nblock * K + 1) * sizeof *sizes->begin);
	sizes->block_bytes = malloc((size_t)nblock * sizeof *sizes->block_bytes);
	if (!sizes->begin || !sizes->block_bytes)
		return ordo_fail_memory(error);
	double at = 0;
	for (uint32_t b = 0; b < nblock; b++) {
		const double end = place_block(
			sizes->begin + (size_t)b * K, K, at, options->block_count[b], share);
		sizes->block_bytes[b] = (end - at) * sizes->element;
		at = end;
	}
	sizes->begin[(size_t)nblock * K] = at;
	return true;
}

bool ordo_sizes_make(struct ordo_sizes_of_moves *sizes, const struct ordo_problem *problem,
	const struct ordo_predict_options *options, struct ordo_error *error)
{
	const uint32_t element = options->element_bytes;
	*sizes = (struct ordo_sizes_of_moves){
		.chunks_per_block = problem->chunks_per_block, .element = element ? element : 1};
	sizes->scratch = element && options->scratch_element_bytes ? options->scratch_element_bytes
								   : sizes->element;
	sizes->add_cost = options->add_cost > 0 ? options->add_cost : 1;
	return options->block_count ? make_unequal(sizes, problem, options, error)
				    : make_equal(sizes, problem, options, error);
}

void ordo_sizes_free(struct ordo_sizes_of_moves *sizes)
{
	free(sizes->begin);
	free(sizes->block_bytes);
	sizes->begin = sizes->block_bytes = NULL;
}
