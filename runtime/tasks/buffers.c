/* buffers.c - checks and completes the buffers of a rank, in place or not. */
#include "layout.h"
#include <inttypes.h>

/* In place: derives the pointer that is NULL. One of the two buffers contains the other. */
static bool derive_buffer(const struct layout *layout, uint32_t rank, unsigned char **input,
	unsigned char **output, struct ordo_error *error)
{
	const struct region *regions = layout->regions[rank];
	const bool input_is_whole = regions[ORDO_INPUT].nslot >= regions[ORDO_OUTPUT].nslot;
	unsigned char **whole = input_is_whole ? input : output,
		      **inner = input_is_whole ? output : input;
	const uint64_t skip =
		regions[input_is_whole ? ORDO_OUTPUT : ORDO_INPUT].origin * layout->element;
	if (!*whole && regions[ORDO_INPUT].nslot == regions[ORDO_OUTPUT].nslot)
		*whole = *inner;
	if (!*whole)
		return true;
	if (*inner && *inner != *whole + skip)
		return ordo_fail(error, ORDO_USAGE, 0,
			"rank %" PRIu32 " is in place: its %s is not the memory %" PRIu64
			" bytes after the start of its %s",
			rank, input_is_whole ? "output" : "input", skip,
			input_is_whole ? "input" : "output");
	*inner = *whole + skip;
	return true;
}

/* In place, a rank that has only one of the buffers accepts it under either name. */
static void accept_either_name(
	const struct layout *layout, uint32_t rank, unsigned char **input, unsigned char **output)
{
	const enum ordo_operator op = layout->problem.op;
	if (op != ORDO_ALLREDUCE && op != ORDO_REDUCE && op != ORDO_BROADCAST)
		return;
	if (!*input && region_bytes(layout, rank, ORDO_INPUT))
		*input = *output;
	if (!*output && region_bytes(layout, rank, ORDO_OUTPUT))
		*output = *input;
}

static bool overlap(const unsigned char *a, uint64_t na, const unsigned char *b, uint64_t nb)
{
	return na && nb && (uintptr_t)a < (uintptr_t)b + nb && (uintptr_t)b < (uintptr_t)a + na;
}

bool ordo_layout_is_in_place(const struct layout *layout, uint32_t rank, const unsigned char *input,
	const unsigned char *output)
{
	const struct ordo_problem *problem = &layout->problem;
	const uint64_t ninput = region_bytes(layout, rank, ORDO_INPUT),
		       noutput = region_bytes(layout, rank, ORDO_OUTPUT);
	if (!ordo_operator_facts(problem->op)->has_in_place || problem->nshard != problem->nrank)
		return false;
	return (ninput && !input) || (noutput && !output) ||
	       overlap(input, ninput, output, noutput);
}

bool ordo_layout_check_buffers(const struct layout *layout, bool in_place, uint32_t rank,
	unsigned char **input, unsigned char **output, struct ordo_error *error)
{
	const struct region *regions = layout->regions[rank];
	const uint64_t ninput = region_bytes(layout, rank, ORDO_INPUT),
		       noutput = region_bytes(layout, rank, ORDO_OUTPUT);
	const bool both = regions[ORDO_INPUT].nslot && regions[ORDO_OUTPUT].nslot;
	if (in_place && both && !derive_buffer(layout, rank, input, output, error))
		return false;
	if (in_place && !both)
		accept_either_name(layout, rank, input, output);
	if ((ninput && !*input) || (noutput && !*output))
		return ordo_fail(error, ORDO_USAGE, 0,
			"rank %" PRIu32 ": the %s is NULL, wanted %" PRIu64 " bytes", rank,
			ninput && !*input ? "input" : "output",
			ninput && !*input ? ninput : noutput);
	if (!in_place && overlap(*input, ninput, *output, noutput))
		return ordo_fail(error, ORDO_USAGE, 0,
			"rank %" PRIu32
			": input and output overlap, but the schedule is not in place",
			rank);
	return true;
}
