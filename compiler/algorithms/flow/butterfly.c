/* butterfly.c - the slices exchanged in recursive halving. */
#include "butterfly.h"
#include <ordo/arena.h>

static bool near_first(const struct ordo_flow *flow)
{
	return flow->variant;
}

/* Of what a member still has, the half that agrees with the peer in the bit of this step: far first
 * the slices that differ from the peer only below that bit, near first only above it. */
static struct ordo_cargo sends(const struct ordo_flow *flow, uint32_t step, uint32_t member)
{
	const uint32_t mask = near_first(flow) ? 1u << step : flow->n >> 1 >> step,
		       peer = member ^ mask;
	if (near_first(flow))
		return (struct ordo_cargo){
			peer, peer % (2 * mask), 2 * mask, flow->n / (2 * mask), NULL};
	return (struct ordo_cargo){peer, peer - peer % mask, 1, mask, NULL};
}

/* At the member that agrees with the owner in the bits already dealt with, and with `from` in the
 * others. */
static uint32_t lies_at(const struct ordo_flow *flow, uint32_t step, uint32_t from, uint32_t slice)
{
	const uint32_t low = near_first(flow) ? (1u << step) - 1 : (flow->n >> step) - 1;
	return near_first(flow) ? (slice & low) | (from & ~low) : (slice & ~low) | (from & low);
}

/* Near first, the slices of a step lie together if their bits are reversed. */
static const uint32_t *reverse_bits(struct ordo_resolved_request *request, uint32_t n)
{
	uint32_t *place = ordo_arena_alloc(&request->arena, n * sizeof *place);
	for (uint32_t i = 0; place && i < n; i++)
		for (uint32_t bit = 1; bit < n; bit *= 2)
			place[i] |= i & bit ? n / 2 / bit : 0;
	return place;
}

struct ordo_flow *ordo_butterfly_make(struct ordo_resolved_request *request, uint32_t n)
{
	struct ordo_flow *flow = ordo_flow_make(request, n);
	if (!flow)
		return NULL;
	flow->variant = ordo_parameter_is(request, "masks", "near");
	flow->sends = sends;
	flow->lies_at = lies_at;
	while (1u << flow->nstep < n)
		flow->nstep++;
	if (flow->variant && ordo_flow_cuts(request->problem.op) &&
		!(flow->place = reverse_bits(request, n)))
		return NULL;
	return request->prepared = flow;
}
