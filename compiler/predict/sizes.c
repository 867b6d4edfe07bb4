/* sizes.c - the sizes of moves, from the offsets of chunks in their blocks. */
#include "sizes.h"
#include <stdlib.h>

bool ordo_sizes_make(struct ordo_sizes_of_moves *sizes, const struct ordo_problem *problem,
	const struct ordo_predict_options *options, struct ordo_error *error)
{
	const uint32_t K = problem->chunks_per_block, element = options->element_bytes;
	const uint64_t nblock =
		problem->op == ORDO_ALLTOALL ? problem->nrank : ordo_nblock(problem);
	const uint64_t count = element ? options->bytes / nblock / element : 0;
	*sizes = (struct ordo_sizes_of_moves){.chunks_per_block = K,
		.block = (double)count,
		.chunk = element ? 0 : (double)options->bytes / (double)nblock / K,
		.element = element ? element : 1,
		.begin = malloc(((size_t)K + 1) * sizeof *sizes->begin)};
	if (!sizes->begin)
		return ordo_fail_memory(error);
	sizes->scratch = element && options->scratch_element_bytes ? options->scratch_element_bytes
								   : sizes->element;
	sizes->bytes = element ? (double)(count * nblock * element) : (double)options->bytes;
	for (uint32_t k = 0; k <= K; k++)
		sizes->begin[k] = (double)ordo_chunk_begin(count, K, k, 1);
	return true;
}

void ordo_sizes_free(struct ordo_sizes_of_moves *sizes)
{
	free(sizes->begin);
	sizes->begin = NULL;
}
