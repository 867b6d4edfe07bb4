/* negabinary.c - the peers in the steps of a negabinary butterfly, and the slices for each. */
#include "negabinary.h"
#include "algorithms/direct/closed_form.h"
#include "algorithms/direct/places.h"
#include <ordo/arena.h>
#include <string.h>

struct negabinary {
	/* [nlane][nstep][n] the peer of a member, in the order of the steps */
	uint32_t *peers;
	/* [n] with one dimension: the steps that lead `d` ranks along the ring from an even rank,
	 * back from an odd one; bit s: step s. NULL */
	uint32_t *ways;
	uint32_t *list; /* [2n] of slices, until the next are asked for */
	bool *marks;	/* [2n] all false between uses */
	const struct ordo_torus *torus;
	/* [nlane][nstep] the dimension of a step, and how many ranks along it a peer is away */
	struct stride {
		uint32_t dimension, s;
	} * strides;
	uint32_t *hops; /* [nlane][nstep] links to a peer */
};

/* How far the peer of step s is: |1 - 2 + 4 - ... up to 2^s|, so many ranks back where s is odd. */
static uint32_t distance(uint32_t s)
{
	uint32_t sum = 1;
	for (uint32_t i = 1; i <= s; i++)
		sum = (UINT32_C(1) << i) - sum;
	return sum;
}

/* Whether the peer of step s is nearer the other way round the ring: it may be in the last step, if
 * the size is no power of two. */
static bool turns(const struct ordo_level *level, uint32_t s)
{
	return distance(s) > level->size / 2;
}

/* Over how many links the peer of step s is. */
static uint32_t links_of(const struct ordo_level *level, uint32_t s)
{
	return turns(level, s) ? level->size - distance(s) : distance(s);
}

/* The rank that is reached after `hop` of the links that lead to the peer of step s. */
static uint32_t along(
	const struct ordo_level *level, uint32_t s, bool mirrored, uint32_t member, uint32_t hop)
{
	const bool odd = ordo_torus_digit(level, member) % 2,
		   back = ((odd != mirrored) != (s % 2 == 1)) != turns(level, s);
	return ordo_torus_along(level, member, back ? level->size - hop : hop);
}

/* The steps of a lane, near first: step s of each dimension that has as many, the lane's own one
 * first. */
static void set_peers(const struct ordo_flow *flow, const struct negabinary *pattern, uint32_t lane)
{
	const struct ordo_torus *torus = pattern->torus;
	uint32_t done = 0;
	for (uint32_t s = 0; done < flow->nstep; s++)
		for (uint32_t i = 0; i < torus->count; i++) {
			const uint32_t dimension = (lane / 2 + i) % torus->count;
			const struct ordo_level *level = &torus->at[dimension];
			if (1u << s >= level->size)
				continue;
			const size_t step = (size_t)lane * flow->nstep +
					    (flow->variant ? flow->nstep - 1 - done : done);
			for (uint32_t member = 0; member < flow->n; member++)
				pattern->peers[step * flow->n + member] =
					along(level, s, lane % 2, member, links_of(level, s));
			pattern->strides[step] = (struct stride){dimension, s};
			done++;
		}
}

uint32_t ordo_negabinary_peer(const struct ordo_flow *flow, uint32_t step, uint32_t member)
{
	const struct negabinary *pattern = flow->pattern;
	return pattern->peers[((size_t)flow->lane * flow->nstep + step) * flow->n + member];
}

/* Lists the owners that the steps from `step` on reach from a member, each once. */
static uint32_t reach(
	const struct ordo_flow *flow, uint32_t step, uint32_t member, bool *marks, uint32_t *list)
{
	uint32_t count = 0;
	list[count++] = member;
	marks[member] = true;
	for (; step < flow->nstep; step++)
		for (uint32_t i = 0, end = count; i < end; i++) {
			const uint32_t peer = ordo_negabinary_peer(flow, step, list[i]);
			if (!marks[peer])
				list[count++] = peer;
			marks[peer] = true;
		}
	return count;
}

/* Those whose owners later steps reach from the peer, and not from the member itself: with powers
 * of two no owner is reached from both. So a slice leaves every rank but its owner once. */
static struct ordo_cargo sends(const struct ordo_flow *flow, uint32_t step, uint32_t member)
{
	const struct negabinary *pattern = flow->pattern;
	const uint32_t peer = ordo_negabinary_peer(flow, step, member);
	uint32_t *list = pattern->list, *own = list + flow->n, kept = 0;
	bool *marks = pattern->marks, *own_marks = marks + flow->n;
	const uint32_t count = reach(flow, step + 1, peer, marks, list),
		       owned = reach(flow, step + 1, member, own_marks, own);
	for (uint32_t i = 0; i < count; i++) {
		marks[list[i]] = false;
		if (!own_marks[list[i]])
			list[kept++] = list[i];
	}
	for (uint32_t i = 0; i < owned; i++)
		own_marks[own[i]] = false;
	return (struct ordo_cargo){.peer = peer, .count = kept, .listed = list};
}

/* Where the steps of a way lead, of those before `step`. */
static uint32_t go(const struct ordo_flow *flow, uint32_t member, uint32_t way, uint32_t step)
{
	for (uint32_t s = 0; s < step; s++)
		member = way >> s & 1 ? ordo_negabinary_peer(flow, s, member) : member;
	return member;
}

/* How many ranks further on `to` is from an even rank, further back from an odd one. */
static uint32_t offset(const struct ordo_flow *flow, uint32_t from, uint32_t to)
{
	return (flow->n + (from % 2 ? from : to) - (from % 2 ? to : from)) % flow->n;
}

uint32_t ordo_negabinary_way(const struct ordo_flow *flow, uint32_t from, uint32_t to)
{
	const struct negabinary *pattern = flow->pattern;
	return pattern->ways[offset(flow, from, to)];
}

static uint32_t lies_at(const struct ordo_flow *flow, uint32_t step, uint32_t from, uint32_t slice)
{
	return go(flow, from, ordo_negabinary_way(flow, from, slice), step);
}

/* Near first: those that differ in the steps still to come lie together. Several ways may lead to
 * one, if there are no powers of two: the first counts. */
static const uint32_t *find_places(struct ordo_resolved_request *request, struct ordo_flow *flow)
{
	const struct negabinary *pattern = flow->pattern;
	uint32_t *place =
		ordo_arena_alloc(&request->arena, (size_t)flow->nlane * flow->n * sizeof *place);
	for (flow->lane = 0; place && flow->lane < flow->nlane; flow->lane++) {
		uint32_t *lane = place + (size_t)flow->lane * flow->n, at = 0;
		for (uint32_t number = 0; number >> flow->nstep == 0; number++) {
			uint32_t way = 0;
			for (uint32_t s = 0; s < flow->nstep; s++)
				way |= (number >> (flow->nstep - 1 - s) & 1) << s;
			const uint32_t slice = go(flow, 0, way, flow->nstep);
			if (!pattern->marks[slice])
				lane[slice] = at++;
			pattern->marks[slice] = true;
		}
		memset(pattern->marks, 0, flow->n * sizeof *pattern->marks);
	}
	flow->lane = 0;
	return place;
}

/* The way of a rank to owner 0 begins with the step in which it sends that slice. */
static void set_ways(const struct ordo_flow *flow, const struct negabinary *pattern)
{
	uint32_t count = 0;
	pattern->list[count++] = 0;
	pattern->marks[0] = true;
	for (uint32_t step = flow->nstep; step--;)
		for (uint32_t i = 0, end = count; i < end; i++) {
			const uint32_t next = pattern->list[i],
				       member = ordo_negabinary_peer(flow, step, next);
			if (pattern->marks[member])
				continue;
			pattern->marks[member] = true;
			pattern->list[count++] = member;
			pattern->ways[offset(flow, member, 0)] =
				pattern->ways[offset(flow, next, 0)] | UINT32_C(1) << step;
		}
	memset(pattern->marks, 0, flow->n * sizeof *pattern->marks);
}

static bool fill(struct ordo_resolved_request *request, struct ordo_flow *flow,
	struct negabinary *pattern, const struct ordo_torus *torus)
{
	const size_t n = flow->n;
	pattern->peers = ordo_arena_alloc(&request->arena,
		((size_t)flow->nlane * flow->nstep * n + 1) * sizeof *pattern->peers);
	pattern->list = ordo_arena_alloc(&request->arena, 2 * n * sizeof *pattern->list);
	pattern->marks = ordo_arena_alloc(&request->arena, 2 * n * sizeof *pattern->marks);
	pattern->ways = ordo_arena_alloc(&request->arena, n * sizeof *pattern->ways);
	pattern->strides = ordo_arena_alloc(&request->arena,
		((size_t)flow->nlane * flow->nstep + 1) * sizeof *pattern->strides);
	pattern->hops = ordo_arena_alloc(
		&request->arena, ((size_t)flow->nlane * flow->nstep + 1) * sizeof *pattern->hops);
	pattern->torus = torus;
	if (!pattern->peers || !pattern->list || !pattern->marks || !pattern->ways ||
		!pattern->strides || !pattern->hops)
		return false;
	for (uint32_t lane = 0; lane < flow->nlane; lane++)
		set_peers(flow, pattern, lane);
	set_ways(flow, pattern);
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
	for (uint32_t i = 0; i < torus->count; i++)
		flow->nstep += ordo_form_rounds(torus->at[i].size);
	flow->sends = sends;
	flow->lies_at = torus->count <= 1 ? lies_at : NULL;
	return fill(request, flow, pattern, torus) ? request->prepared = flow : NULL;
}

static uint32_t hops(const struct ordo_flow *flow, uint32_t step)
{
	const struct negabinary *pattern = flow->pattern;
	return pattern->hops[(size_t)flow->lane * flow->nstep + step];
}

static uint32_t via(const struct ordo_flow *flow, uint32_t step, uint32_t member, uint32_t hop)
{
	const struct negabinary *pattern = flow->pattern;
	const struct stride *stride = &pattern->strides[(size_t)flow->lane * flow->nstep + step];
	return along(
		&pattern->torus->at[stride->dimension], stride->s, flow->lane % 2, member, hop);
}

/* Whether peers of a step lack links, but neighbours on the way to them do not. */
static bool needs_relays(
	const struct ordo_topology *topology, const struct ordo_flow *flow, uint32_t step)
{
	bool direct = true;
	for (uint32_t member = 0; member < flow->n; member++) {
		direct = direct && ordo_topology_reaches(topology, member,
					   ordo_negabinary_peer(flow, step, member));
		if (!ordo_topology_reaches(topology, member, via(flow, step, member, 1)))
			return false;
	}
	return !direct;
}

void ordo_negabinary_relay(const struct ordo_resolved_request *request, struct ordo_flow *flow)
{
	const struct negabinary *pattern = flow->pattern;
	for (flow->lane = 0; request->topology && flow->lane < flow->nlane; flow->lane++)
		for (uint32_t step = 0; step < flow->nstep; step++) {
			const size_t at = (size_t)flow->lane * flow->nstep + step;
			const bool relays = needs_relays(request->topology, flow, step);
			pattern->hops[at] =
				relays ? links_of(&pattern->torus
							   ->at[pattern->strides[at].dimension],
						 pattern->strides[at].s)
				       : 1;
			flow->hops = relays ? hops : flow->hops;
		}
	flow->lane = 0;
	flow->via = via;
}

/* Where chunks of an exchange lie in scratch: what arrives, in two places in turn, and what is
 * passed on to others. */
struct exchange_scratch {
	uint32_t arrivals[2], relays;
};

/* What a rank has comes to the scratch of its peer, over one link after another. */
static void bring(struct ordo_builder *b, const struct ordo_flow *flow, uint32_t step,
	const struct ordo_slice *chunks, const struct exchange_scratch *scratch)
{
	const uint32_t K = flow->problem.chunks_per_block, links = ordo_flow_hops(flow, step);
	for (uint32_t hop = 0; hop < links; hop++)
		for (uint32_t member = 0; member < flow->n; member++) {
			const uint32_t from = hop ? via(flow, step, member, hop) : member;
			const bool ends = hop + 1 == links;
			const uint32_t to = ends ? ordo_negabinary_peer(flow, step, member)
						 : via(flow, step, member, hop + 1),
				       kept = scratch->relays + hop % ORDO_FLOW_TURNS * K,
				       next = scratch->relays + (hop + 1) % ORDO_FLOW_TURNS * K;
			ordo_copy(b,
				ordo_at(to, ORDO_SCRATCH,
					(ends ? scratch->arrivals[step % 2] : next) +
						chunks->first),
				hop ? ordo_at(from, ORDO_SCRATCH, kept + chunks->first)
				    : ordo_sum_of(b, member, chunks->first),
				chunks->count);
		}
}

/* Both send at once, so what arrives waits in scratch. */
static void exchange_step(struct ordo_builder *b, const struct ordo_flow *flow, uint32_t step,
	const struct exchange_scratch *scratch)
{
	const struct ordo_slice chunks =
		ordo_slice_of(flow->problem.chunks_per_block, flow->nlane, flow->lane);
	if (!chunks.count)
		return;
	ordo_stream(b, "exchange", flow->nlane > 1 ? flow->lane : ORDO_NONE);
	bring(b, flow, step, &chunks, scratch);
	for (uint32_t member = 0; member < flow->n; member++) {
		ordo_make_ready(b, member, chunks, false);
		ordo_reduce(b, ordo_work(b, member, chunks.first),
			ordo_at(member, ORDO_SCRATCH, scratch->arrivals[step % 2] + chunks.first),
			chunks.count);
	}
}

void ordo_negabinary_exchange(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	struct ordo_flow flow = ordo_flow_of(request);
	struct exchange_scratch scratch;
	const uint32_t K = flow.problem.chunks_per_block;
	ordo_keep_own(b, &flow.problem);
	if (flow.n == 1)
		return;
	scratch.arrivals[0] = ordo_scratch(b, K);
	scratch.arrivals[1] = ordo_scratch(b, K);
	scratch.relays = ordo_scratch(b, flow.hops ? ORDO_FLOW_TURNS * K : 0);
	for (uint32_t step = 0; step < flow.nstep; step++) {
		ordo_phase(b, "exchange", step);
		for (flow.lane = 0; flow.lane < flow.nlane; flow.lane++)
			exchange_step(b, &flow, step, &scratch);
	}
}

uint64_t ordo_negabinary_exchange_steps(const struct ordo_resolved_request *request)
{
	struct ordo_flow flow = ordo_flow_of(request);
	uint64_t most = 0;
	for (flow.lane = 0; flow.lane < flow.nlane; flow.lane++) {
		uint64_t links = 0;
		for (uint32_t step = 0; step < flow.nstep; step++)
			links += ordo_flow_hops(&flow, step);
		most = links > most ? links : most;
	}
	return most;
}

/* In every step each rank sends as many messages, its own and others', as these take links. */
uint64_t ordo_negabinary_exchange_volume(const struct ordo_resolved_request *request)
{
	struct ordo_flow flow = ordo_flow_of(request);
	uint64_t sent = 0;
	for (flow.lane = 0; flow.lane < flow.nlane; flow.lane++)
		for (uint32_t step = 0; step < flow.nstep; step++)
			sent += (uint64_t)ordo_flow_hops(&flow, step) *
				ordo_slice_of(flow.problem.chunks_per_block, flow.nlane, flow.lane)
					.count;
	return sent;
}
