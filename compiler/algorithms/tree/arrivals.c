/* arrivals.c - sums whose operand arrives in scratch, and is added there in a stream of its own. */
#include "arrivals.h"
#include <ordo/arena.h>
#include <ordo/predict.h>
#include <ordo/topology.h>
#include <stdlib.h>

bool ordo_sums_are_apart(const struct ordo_resolved_request *request)
{
	return ordo_parameter_is(request, "sums", "apart");
}

double ordo_adding_gbs(const struct ordo_topology *topology)
{
	return topology && topology->reduce_gbs > 0 ? topology->reduce_gbs
						    : ordo_machine_usual().reduce_bandwidth_gbs;
}

bool ordo_arrivals_make(struct ordo_arrivals *arrivals, struct ordo_builder *b,
	const uint8_t *pairs, uint32_t nrank)
{
	const size_t npair = (size_t)nrank * nrank;
	uint32_t most = 0;
	*arrivals = (struct ordo_arrivals){.nrank = nrank,
		.first = ordo_array_make(npair, sizeof *arrivals->first, 0xff),
		.turn = ordo_array_make(npair, sizeof *arrivals->turn, 0),
		.taken = ordo_array_make(npair, sizeof *arrivals->taken, 0)};
	if (!arrivals->first || !arrivals->turn || !arrivals->taken)
		return false;
	for (uint32_t to = 0; to < nrank; to++) {
		uint32_t count = 0;
		for (uint32_t from = 0; from < nrank; from++)
			if (pairs[from * nrank + to])
				arrivals->first[from * nrank + to] = ORDO_ARRIVAL_SLOTS * count++;
		most = count > most ? count : most;
	}
	const uint32_t scratch = ordo_scratch(b, ORDO_ARRIVAL_SLOTS * most);
	for (size_t i = 0; i < npair; i++)
		if (arrivals->first[i] != ORDO_NONE)
			arrivals->first[i] += scratch;
	return true;
}

void ordo_arrivals_free(struct ordo_arrivals *arrivals)
{
	free(arrivals->first);
	free(arrivals->turn);
	free(arrivals->taken);
}

struct ordo_at ordo_arrive(
	struct ordo_arrivals *arrivals, struct ordo_builder *b, uint32_t to, struct ordo_at src)
{
	const size_t pair = (size_t)src.rank * arrivals->nrank + to;
	uint32_t slot = arrivals->turn[pair];
	while (arrivals->taken[pair] >> slot & 1)
		slot = (slot + 1) % ORDO_ARRIVAL_SLOTS;
	arrivals->turn[pair] = (uint8_t)((slot + 1) % ORDO_ARRIVAL_SLOTS);
	arrivals->taken[pair] |= (uint8_t)(1u << slot);
	const struct ordo_at arrived = ordo_at(to, ORDO_SCRATCH, arrivals->first[pair] + slot);
	ordo_copy(b, arrived, src, 1);
	return arrived;
}

void ordo_add_arrived(struct ordo_arrivals *arrivals, struct ordo_builder *b, struct ordo_at dst,
	uint32_t from, struct ordo_at arrived)
{
	const size_t pair = (size_t)from * arrivals->nrank + dst.rank;
	arrivals->taken[pair] &= (uint8_t) ~(1u << (arrived.slot - arrivals->first[pair]));
	ordo_stream(b, "add", ORDO_NONE);
	ordo_builder_reduce(b, dst, arrived, 1);
}
