/* closed_form.c - what the formulas of several algorithms have in common. */
#include "closed_form.h"

bool ordo_form_is(struct ordo_cost *cost, enum ordo_cost_source source, uint64_t steps,
	uint64_t wire, uint64_t reduced, uint64_t parts)
{
	*cost = (struct ordo_cost){steps, wire, reduced, parts, source};
	return true;
}

uint32_t ordo_form_rounds(uint32_t p)
{
	uint32_t q = 0;
	while (UINT64_C(1) << q < p)
		q++;
	return q;
}

uint32_t ordo_form_power(uint32_t p)
{
	uint32_t power = 1;
	while (power <= p / 2)
		power *= 2;
	return power;
}

bool ordo_form_has_slices(const struct ordo_resolved_request *request, uint32_t p)
{
	return ordo_nblock(&request->problem) > 1 || request->problem.chunks_per_block % p == 0;
}

bool ordo_form_phases(const struct ordo_resolved_request *request, enum ordo_cost_source source,
	uint64_t rounds, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank;
	switch (request->problem.op) {
	case ORDO_REDUCESCATTER:
		return ordo_form_is(cost, source, rounds, p - 1, p - 1, p);
	case ORDO_ALLGATHER:
		return ordo_form_is(cost, source, rounds, p - 1, 0, p);
	case ORDO_ALLREDUCE:
		return ordo_form_has_slices(request, request->problem.nrank) &&
		       ordo_form_is(cost, source, 2 * rounds, 2 * (p - 1), p - 1, p);
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
	case ORDO_SCATTER:
	case ORDO_GATHER:
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		break;
	}
	return false;
}

bool ordo_form_whole_vectors(const struct ordo_resolved_request *request,
	enum ordo_cost_source source, struct ordo_cost *cost)
{
	const uint64_t q = ordo_form_rounds(request->problem.nrank);
	if (request->problem.op == ORDO_ALLREDUCE)
		return ordo_form_is(cost, ORDO_COST_ROUNDS, 2 * q, 2 * q, q, 1);
	if (request->problem.op == ORDO_REDUCE)
		return ordo_form_is(cost, source, q, q, q, 1);
	return request->problem.op == ORDO_BROADCAST && ordo_form_is(cost, source, q, q, 0, 1);
}
