/* buffers.c - allocates buffers for all ranks, and binds them to a plan. */
#include "buffers.h"
#include "places.h"
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SMALL_ALIGNMENT = 64, LARGE_ALIGNMENT = 2 << 20 };

/* NULL for size 0, and if out of memory. */
static void *allocate(uint64_t size)
{
	size_t alignment = size >= LARGE_ALIGNMENT ? LARGE_ALIGNMENT : SMALL_ALIGNMENT;
	if (!size || size > SIZE_MAX - alignment)
		return NULL;
	size_t rounded = ((size_t)size + alignment - 1) / alignment * alignment;
	void *memory = aligned_alloc(alignment, rounded);
	/* Huge pages speed up the first touch of a large buffer; failure is harmless. */
	if (memory && alignment == LARGE_ALIGNMENT)
		madvise(memory, rounded, MADV_HUGEPAGE);
	return memory;
}

/* In place the smaller buffer lies inside the larger one: its offset in bytes. */
static uint64_t offset_inside(
	const struct places *places, enum ordo_type type, uint32_t rank, bool output_larger)
{
	const struct ordo_problem *problem = places->problem;
	for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++) {
		const uint32_t same = ordo_in_place_output_slot(problem, rank, slot);
		if (same == ORDO_NONE)
			continue;
		const uint64_t input = place_in_input(places, rank, slot),
			       output = place_in_output(places, rank, same);
		return (output_larger ? output - input : input - output) * ordo_type_size(type);
	}
	return 0;
}

static bool allocate_rank(
	struct buffers *buffers, const struct places *places, enum ordo_type type, uint32_t rank)
{
	const struct ordo_problem *problem = places->problem;
	const uint64_t size = ordo_type_size(type),
		       input = size * place_in_input(places, rank, ordo_input_slots(problem, rank)),
		       output = size *
				place_in_output(places, rank, ordo_output_slots(problem, rank));
	void **memory = &buffers->memory[2 * (size_t)rank];
	if (problem->in_place) {
		char *larger = memory[0] = allocate(input > output ? input : output);
		if (!larger)
			return !(input || output);
		char *smaller = larger + offset_inside(places, type, rank, output > input);
		buffers->inputs[rank] = output > input ? smaller : larger;
		buffers->outputs[rank] = output > input ? larger : smaller;
		return true;
	}
	memory[0] = buffers->inputs[rank] = allocate(input);
	memory[1] = buffers->outputs[rank] = allocate(output);
	return (memory[0] || !input) && (memory[1] || !output);
}

static bool allocate_lists(struct buffers *buffers, uint32_t nrank, struct ordo_error *error)
{
	*buffers = (struct buffers){.nrank = nrank,
		.memory = calloc((size_t)nrank * 2, sizeof *buffers->memory),
		.inputs = calloc(nrank, sizeof *buffers->inputs),
		.outputs = calloc(nrank, sizeof *buffers->outputs)};
	return buffers->memory && buffers->inputs && buffers->outputs ? true
								      : ordo_fail_memory(error);
}

static bool fail_rank(uint32_t rank, uint32_t nrank, struct ordo_error *error)
{
	return ordo_fail(error, ORDO_ENVIRONMENT, 0,
		"out of memory for the buffers of rank %" PRIu32 " of %" PRIu32, rank, nrank);
}

/* Of the ranks first..end-1. */
static bool allocate_ranks(struct buffers *buffers, const struct ordo_problem *problem,
	const struct ordo_plan_options *options, uint32_t first, uint32_t end,
	struct ordo_error *error)
{
	struct places places;
	bool worked = make_places(&places, problem, options->count, options->block_count, error) &&
		      allocate_lists(buffers, problem->nrank, error);
	for (uint32_t rank = first; worked && rank < end; rank++)
		worked = allocate_rank(buffers, &places, options->type, rank) ||
			 fail_rank(rank, problem->nrank, error);
	free_places(&places);
	return worked;
}

bool allocate_rank_buffers(struct buffers *buffers, const struct ordo_problem *problem,
	const struct ordo_plan_options *options, uint32_t rank, struct ordo_error *error)
{
	return allocate_ranks(buffers, problem, options, rank, rank + 1, error);
}

bool allocate_buffers(struct buffers *buffers, const struct ordo_problem *problem,
	const struct ordo_plan_options *options, struct ordo_error *error)
{
	return allocate_ranks(buffers, problem, options, 0, problem->nrank, error);
}

bool allocate_and_bind(struct buffers *buffers, struct ordo_plan *plan,
	const struct ordo_problem *problem, const struct ordo_plan_options *options,
	struct ordo_error *error)
{
	if (!allocate_buffers(buffers, problem, options, error))
		return false;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		void *input = ordo_plan_input_bytes(plan, rank) ? buffers->inputs[rank] : NULL;
		void *output = ordo_plan_output_bytes(plan, rank) ? buffers->outputs[rank] : NULL;
		if (!ordo_plan_bind(plan, rank, input, output, error))
			return false;
	}
	return true;
}

void free_buffers(struct buffers *buffers)
{
	for (size_t i = 0; buffers->memory && i < 2 * (size_t)buffers->nrank; i++)
		free(buffers->memory[i]);
	free(buffers->memory);
	free(buffers->inputs);
	free(buffers->outputs);
}
