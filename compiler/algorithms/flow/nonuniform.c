/* nonuniform.c - the slices that move in each step, and an order in which those of a step are
 * adjacent.
 *
 * Fewest runs. What a step sends is an arithmetic progression: stride 2^(k+1), length D(n,k), from
 * every start. Two neighbouring places are torn apart by a step as often as one of their slices is
 * sent without the other: 2 min(d, D) times over all ranks, d = how many strides the slices are
 * apart modulo n. So the cost of two neighbours depends on their difference only, and no order is
 * cheaper than one whose neighbours all differ by the cheapest difference. With n = 2^a m, m odd:
 * steps k < a send whole classes modulo 2^(k+1), which lie together if the classes come in
 * bit-reversed order; within a class modulo 2^a, slices have numbers modulo m, and every difference
 * prime to m leads through all of them. The cheapest is about sqrt(m), with about 2 sqrt(m) runs
 * for a rank in all steps together; with the published order (difference 2) it is about m/2.
 */
#include "nonuniform.h"
#include <ordo/arena.h>
#include <ordo/divisor.h>

uint32_t ordo_nonuniform_count(uint32_t n, uint32_t step)
{
	return (uint32_t)((n - 1 + ((uint64_t)1 << step)) >> (step + 1));
}

static bool mirrored(const struct ordo_flow *flow)
{
	return flow->variant;
}

/* member + distance, or, not mirrored, member - distance. */
static uint32_t go(const struct ordo_flow *flow, uint32_t member, uint64_t distance)
{
	const uint64_t rest = distance % flow->n;
	return (uint32_t)((member + (mirrored(flow) ? rest : flow->n - rest)) % flow->n);
}

static struct ordo_cargo sends(const struct ordo_flow *flow, uint32_t step, uint32_t member)
{
	const uint32_t peer = go(flow, member, (uint64_t)1 << step);
	return (struct ordo_cargo){.peer = peer,
		.first = peer,
		.stride = go(flow, 0, (uint64_t)2 << step),
		.count = ordo_nonuniform_count(flow->n, step)};
}

/* The way to the owner is the sum of the powers of two in its length, smallest first. */
static uint32_t lies_at(const struct ordo_flow *flow, uint32_t step, uint32_t from, uint32_t slice)
{
	const uint64_t way = ((uint64_t)flow->n + (mirrored(flow) ? slice : from) -
				     (mirrored(flow) ? from : slice)) %
			     flow->n;
	return go(flow, from, way & (((uint64_t)1 << step) - 1));
}

/* Passes over blocks of length `length`: even offsets to the front, as long as a step sends more
 * than one slice and blocks can be halved. */
static void lie_as_published(uint32_t n, uint32_t *place)
{
	for (uint32_t i = 0; i < n; i++)
		place[i] = i;
	for (uint32_t k = 0, length = n; ordo_nonuniform_count(n, k) > 1; k++, length /= 2) {
		for (uint32_t i = 0; i < n; i++) {
			const uint32_t offset = place[i] % length;
			place[i] += (offset % 2 ? (offset + length) / 2 : offset / 2) - offset;
		}
		if (length % 2)
			return;
	}
}

/* How often the steps from `a` on separate slices that are `difference` apart in their class of
 * m. */
static uint64_t tear(uint32_t n, uint32_t a, uint32_t m, uint32_t difference)
{
	uint64_t torn = 0, strides = difference;
	for (uint32_t step = a; (uint64_t)1 << step < n; step++) {
		strides = (strides % 2 ? strides + m : strides) / 2;
		const uint64_t apart = strides < m - strides ? strides : m - strides;
		const uint64_t sent = ordo_nonuniform_count(n, step);
		torn += apart < sent ? apart : sent;
	}
	return torn;
}

static uint32_t cheapest_difference(uint32_t n, uint32_t a, uint32_t m)
{
	uint32_t cheapest = 1;
	for (uint32_t difference = 2; difference <= m / 2; difference++)
		if (ordo_common_divisor(difference, m) == 1 &&
			tear(n, a, m, difference) < tear(n, a, m, cheapest))
			cheapest = difference;
	return cheapest;
}

static void lie_in_fewest_runs(uint32_t n, uint32_t *place)
{
	uint32_t a = 0;
	while (!(n >> a & 1))
		a++;
	const uint32_t m = n >> a, difference = cheapest_difference(n, a, m);
	for (uint32_t class_number = 0, reversed = 0; class_number < 1u << a; class_number++) {
		for (uint32_t i = 0, w = 0; i < m; i++, w = (w + difference) % m)
			place[class_number + (w << a)] = reversed * m + i;
		uint32_t bit = (1u << a) >> 1;
		for (; reversed & bit; bit >>= 1)
			reversed -= bit;
		reversed += bit;
	}
}

struct ordo_flow *ordo_nonuniform_make(struct ordo_resolved_request *request, bool mirrored_way)
{
	const uint32_t n = request->problem.nrank;
	struct ordo_flow *flow = ordo_flow_make(request, n);
	if (!flow)
		return NULL;
	flow->variant = mirrored_way;
	flow->sends = sends;
	flow->lies_at = lies_at;
	while ((uint64_t)1 << flow->nstep < n)
		flow->nstep++;
	request->prepared = flow;
	if (!ordo_flow_cuts(request->problem.op) || ordo_parameter_is(request, "slices", "natural"))
		return flow;
	uint32_t *place = ordo_arena_alloc(&request->arena, n * sizeof *place);
	if (!place)
		return NULL;
	if (ordo_parameter_is(request, "slices", "published"))
		lie_as_published(n, place);
	else
		lie_in_fewest_runs(n, place);
	flow->place = place;
	return flow;
}

bool ordo_nonuniform_slices_apply(
	const struct ordo_resolved_request *request, struct ordo_error *error)
{
	const enum ordo_operator op = request->problem.op;
	if (ordo_flow_cuts(op) || ordo_parameter_is(request, "slices", "fewest-runs"))
		return true;
	return ordo_fail(error, ORDO_USAGE, 0,
		"algorithm: slices says how one block is cut, and %s has a block for every rank",
		ordo_operator_facts(op)->name);
}
