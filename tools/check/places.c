/* places.c - where chunks and slots begin in the buffers of ranks. */
#include "places.h"
#include <stdlib.h>

static void add_received(struct places *places)
{
	const uint32_t N = places->problem->nrank;
	uint64_t *at = places->received;
	for (uint32_t rank = 0; rank < N; rank++, at++)
		for (uint32_t from = 0; from < N; from++, at++)
			at[1] = at[0] + places->block_count[(size_t)from * N + rank];
}

bool make_places(struct places *places, const struct ordo_problem *problem, uint64_t count,
	const uint64_t *block_count, struct ordo_error *error)
{
	const size_t nblock = ordo_nblock(problem);
	const bool alltoall = problem->op == ORDO_ALLTOALL;
	*places = (struct places){.problem = problem, .count = count, .block_count = block_count};
	if (!block_count)
		return true;
	places->begins = calloc(nblock + 1, sizeof *places->begins);
	if (alltoall)
		places->received = calloc(nblock + problem->nrank, sizeof *places->received);
	if (!places->begins || (alltoall && !places->received))
		return ordo_fail_memory(error);
	for (size_t b = 0; b < nblock; b++)
		places->begins[b + 1] = places->begins[b] + block_count[b];
	if (alltoall)
		add_received(places);
	return true;
}

void free_places(struct places *places)
{
	free(places->begins);
	free(places->received);
	places->begins = places->received = NULL;
}

static uint64_t count_of_block(const struct places *places, uint32_t block)
{
	return places->block_count ? places->block_count[block] : places->count;
}

uint64_t place_of_chunk(const struct places *places, uint32_t chunk)
{
	const uint32_t K = places->problem->chunks_per_block, block = chunk / K;
	if (!places->block_count)
		return element_of_slot(places->problem, places->count, chunk);
	return places->begins[block] +
	       (chunk % K ? ordo_chunk_begin(places->block_count[block], K, chunk % K, 1) : 0);
}

uint64_t length_of_chunk(const struct places *places, uint32_t chunk)
{
	const uint32_t K = places->problem->chunks_per_block, k = chunk % K;
	const uint64_t n = count_of_block(places, chunk / K);
	return ordo_chunk_begin(n, K, k + 1, 1) - ordo_chunk_begin(n, K, k, 1);
}

/* Slots hold consecutive chunks from `first` on; of several shards one vector after another. */
static uint64_t place_from(const struct places *places, uint32_t first, uint32_t slot)
{
	const uint32_t nchunk = ordo_nchunk(places->problem);
	if (!places->block_count)
		return element_of_slot(places->problem, places->count, slot);
	const uint64_t vector = places->begins[ordo_nblock(places->problem)];
	const uint32_t nvector = first + slot > nchunk ? slot / nchunk : 0;
	return nvector * vector + place_of_chunk(places, first + slot - nvector * nchunk) -
	       place_of_chunk(places, first);
}

uint64_t place_in_input(const struct places *places, uint32_t rank, uint32_t slot)
{
	if (!ordo_input_slots(places->problem, rank))
		return 0;
	return place_from(places, ordo_input_chunk(places->problem, rank, 0), slot);
}

uint64_t place_in_output(const struct places *places, uint32_t rank, uint32_t slot)
{
	const uint32_t N = places->problem->nrank, K = places->problem->chunks_per_block;
	if (!ordo_output_slots(places->problem, rank))
		return 0;
	if (!places->block_count || places->problem->op != ORDO_ALLTOALL)
		return place_from(places, ordo_output_chunk(places->problem, rank, 0), slot);
	const uint32_t from = slot / K;
	return places->received[(size_t)rank * (N + 1) + from] +
	       (slot % K ? ordo_chunk_begin(
				   places->block_count[(size_t)from * N + rank], K, slot % K, 1)
			 : 0);
}
