/* negabinary.c - the peers in the steps of a negabinary butterfly, and the slices for each. */
#include "negabinary.h"
#include "algorithms/direct/places.h"
#include <ordo/arena.h>

struct negabinary {
	/* [nlane][nstep][n] the peer of a member, in the order of the steps */
	uint32_t *peers;
	/* [n] with one dimension: the steps that lead `d` ranks along the ring from an even rank,
	 * back from an odd one; bit s: step s. NULL */
	uint32_t *ways;
	uint32_t *list; /* [n] of slices, until the next are asked for */
};

static uint32_t log2_of(uint32_t power)
{
	uint32_t log = 0;
	while (power >> log > 1)
		log++;
	return log;
}

/* 1 - 2 + 4 - ... up to 2^s, modulo 2^32. */
static uint32_t distance(uint32_t s)
{
	uint32_t sum = 0, power = 1;
	for (uint32_t i = 0; i <= s; i++, power *= 2)
		sum += i % 2 ? 0 - power : power;
	return sum;
}

static uint32_t peer_of(
	const struct ordo_level *level, uint32_t step, bool mirrored, uint32_t member)
{
	const bool odd = ordo_torus_digit(level, member) % 2;
	const uint32_t way = distance(step);
	return ordo_torus_along(level, member, (odd != mirrored ? 0 - way : way) % level->size);
}

/* The steps of a lane, near first: step s of each dimension that has as many, the lane's own one
 * first. */
static void set_peers(const struct ordo_flow *flow, const struct negabinary *pattern,
	const struct ordo_torus *torus, uint32_t lane)
{
	uint32_t done = 0;
	for (uint32_t s = 0; done < flow->nstep; s++)
		for (uint32_t i = 0; i < torus->count; i++) {
			const struct ordo_level *level = &torus->at[(lane / 2 + i) % torus->count];
			if (1u << s >= level->size)
				continue;
			const uint32_t step = flow->variant ? flow->nstep - 1 - done : done;
			uint32_t *peers =
				pattern->peers + ((size_t)lane * flow->nstep + step) * flow->n;
			for (uint32_t member = 0; member < flow->n; member++)
				peers[member] = peer_of(level, s, lane % 2, member);
			done++;
		}
}

uint32_t ordo_negabinary_peer(const struct ordo_flow *flow, uint32_t step, uint32_t member)
{
	const struct negabinary *pattern = flow->pattern;
	return pattern->peers[((size_t)flow->lane * flow->nstep + step) * flow->n + member];
}

/* Those whose owners later steps reach from the peer. */
static struct ordo_cargo sends(const struct ordo_flow *flow, uint32_t step, uint32_t member)
{
	const struct negabinary *pattern = flow->pattern;
	const uint32_t peer = ordo_negabinary_peer(flow, step, member);
	uint32_t count = 0;
	pattern->list[count++] = peer;
	for (uint32_t later = step + 1; later < flow->nstep; later++)
		for (uint32_t i = 0, end = count; i < end; i++)
			pattern->list[count++] =
				ordo_negabinary_peer(flow, later, pattern->list[i]);
	return (struct ordo_cargo){.peer = peer, .count = count, .listed = pattern->list};
}

/* Where the steps of a way lead, of those before `step`. */
static uint32_t go(const struct ordo_flow *flow, uint32_t member, uint32_t way, uint32_t step)
{
	for (uint32_t s = 0; s < step; s++)
		member = way >> s & 1 ? ordo_negabinary_peer(flow, s, member) : member;
	return member;
}

uint32_t ordo_negabinary_way(const struct ordo_flow *flow, uint32_t from, uint32_t to)
{
	const struct negabinary *pattern = flow->pattern;
	const uint32_t d = from % 2 ? from - to : to - from;
	return pattern->ways[d % flow->n];
}

static uint32_t lies_at(const struct ordo_flow *flow, uint32_t step, uint32_t from, uint32_t slice)
{
	return go(flow, from, ordo_negabinary_way(flow, from, slice), step);
}

/* Near first: those that differ in the steps still to come lie together. */
static const uint32_t *find_places(struct ordo_resolved_request *request, struct ordo_flow *flow)
{
	uint32_t *place =
		ordo_arena_alloc(&request->arena, (size_t)flow->nlane * flow->n * sizeof *place);
	for (flow->lane = 0; place && flow->lane < flow->nlane; flow->lane++)
		for (uint32_t at = 0; at < flow->n; at++) {
			uint32_t way = 0;
			for (uint32_t s = 0; s < flow->nstep; s++)
				way |= (at >> (flow->nstep - 1 - s) & 1) << s;
			place[(size_t)flow->lane * flow->n + go(flow, 0, way, flow->nstep)] = at;
		}
	flow->lane = 0;
	return place;
}

static bool fill(struct ordo_resolved_request *request, struct ordo_flow *flow,
	struct negabinary *pattern, const struct ordo_torus *torus)
{
	const size_t n = flow->n;
	pattern->peers = ordo_arena_alloc(&request->arena,
		((size_t)flow->nlane * flow->nstep * n + 1) * sizeof *pattern->peers);
	pattern->list = ordo_arena_alloc(&request->arena, n * sizeof *pattern->list);
	pattern->ways = ordo_arena_alloc(&request->arena, n * sizeof *pattern->ways);
	if (!pattern->peers || !pattern->list || !pattern->ways)
		return false;
	for (uint32_t lane = 0; lane < flow->nlane; lane++)
		set_peers(flow, pattern, torus, lane);
	for (uint32_t way = 0; way < flow->n; way++)
		pattern->ways[go(flow, 0, way, flow->nstep)] = way;
	return flow->variant || !ordo_flow_cuts(request->problem.op) ||
	       (flow->place = find_places(request, flow));
}

struct ordo_flow *ordo_negabinary_make(struct ordo_resolved_request *request,
	const struct ordo_torus *torus, uint32_t nlane, bool far_first)
{
	struct ordo_flow *flow = ordo_flow_make(request, request->problem.nrank);
	struct negabinary *pattern = ordo_arena_alloc(&request->arena, sizeof *pattern);
	if (!flow || !pattern)
		return NULL;
	flow->pattern = pattern;
	flow->variant = far_first;
	flow->nlane = nlane;
	flow->nstep = log2_of(flow->n);
	flow->sends = sends;
	flow->lies_at = torus->count <= 1 ? lies_at : NULL;
	return fill(request, flow, pattern, torus) ? request->prepared = flow : NULL;
}

/* Both send at once, so what arrives waits in scratch; two places in turn. */
static void exchange_step(
	struct ordo_builder *b, const struct ordo_flow *flow, uint32_t step, uint32_t scratch)
{
	const struct ordo_slice chunks =
		ordo_slice_of(flow->problem.chunks_per_block, flow->nlane, flow->lane);
	if (!chunks.count)
		return;
	ordo_stream(b, "exchange", flow->nlane > 1 ? flow->lane : ORDO_NONE);
	for (uint32_t member = 0; member < flow->n; member++)
		ordo_copy(b,
			ordo_at(ordo_negabinary_peer(flow, step, member), ORDO_SCRATCH,
				scratch + chunks.first),
			ordo_sum_of(b, member, chunks.first), chunks.count);
	for (uint32_t member = 0; member < flow->n; member++) {
		ordo_make_ready(b, member, chunks, false);
		ordo_reduce(b, ordo_work(b, member, chunks.first),
			ordo_at(member, ORDO_SCRATCH, scratch + chunks.first), chunks.count);
	}
}

void ordo_negabinary_exchange(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	struct ordo_flow flow = ordo_flow_of(request);
	const uint32_t K = flow.problem.chunks_per_block;
	ordo_keep_own(b, &flow.problem);
	if (flow.n == 1)
		return;
	const uint32_t first = ordo_scratch(b, K), second = ordo_scratch(b, K);
	for (uint32_t step = 0; step < flow.nstep; step++) {
		ordo_phase(b, "exchange", step);
		for (flow.lane = 0; flow.lane < flow.nlane; flow.lane++)
			exchange_step(b, &flow, step, step % 2 ? second : first);
	}
}
