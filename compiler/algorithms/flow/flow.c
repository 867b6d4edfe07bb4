/* flow.c - the slices that move in each step of a flow, and the moves that carry them. */
#include "flow.h"
#include "algorithms/direct/places.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

struct ordo_flow *ordo_flow_make(struct ordo_resolved_request *request, uint32_t n)
{
	struct ordo_flow *flow = ordo_arena_alloc(&request->arena, sizeof *flow);
	if (!flow)
		return NULL;
	flow->n = n;
	flow->nlane = 1;
	flow->places = ordo_arena_alloc(&request->arena, n * sizeof *flow->places);
	flow->runs = ordo_arena_alloc(&request->arena, n * sizeof *flow->runs);
	flow->marks = ordo_arena_alloc(&request->arena, n * sizeof *flow->marks);
	flow->counts = ordo_arena_alloc(&request->arena, sizeof *flow->counts);
	return flow->places && flow->runs && flow->marks && flow->counts ? flow : NULL;
}

bool ordo_flow_cuts(enum ordo_operator op)
{
	return op == ORDO_ALLREDUCE || op == ORDO_REDUCE || op == ORDO_BROADCAST;
}

struct ordo_flow ordo_flow_of(const struct ordo_resolved_request *request)
{
	struct ordo_flow flow = *(const struct ordo_flow *)request->prepared;
	flow.problem = request->problem;
	return flow;
}

uint32_t ordo_flow_rank(const struct ordo_flow *flow, uint32_t member)
{
	if (member >= flow->npair)
		return flow->npair + member;
	const bool odd = ordo_operator_facts(flow->problem.op)->rooted &&
			 flow->problem.root == 2 * member + 1;
	return 2 * member + odd;
}

uint32_t ordo_flow_partner(const struct ordo_flow *flow, uint32_t member)
{
	return ordo_flow_rank(flow, member) ^ 1;
}

static uint32_t root_member(const struct ordo_flow *flow)
{
	const uint32_t root = flow->problem.root;
	return root < 2 * flow->npair ? root / 2 : root - flow->npair;
}

struct ordo_slice ordo_flow_places(const struct ordo_flow *flow, uint32_t first, uint32_t end)
{
	const uint32_t K = flow->problem.chunks_per_block, npair = flow->npair;
	const struct ordo_slice share = ordo_slice_of(K, flow->nlane, flow->lane);
	uint32_t begins = 0, ends = 0;
	if (ordo_flow_cuts(flow->problem.op)) {
		begins = share.first + ordo_slice_of(share.count, flow->n, first).first;
		ends = share.first + ordo_slice_of(share.count, flow->n, end).first;
	} else if (flow->nlane > 1) {
		return (struct ordo_slice){first * K + share.first, share.count};
	} else {
		begins = K * (first < npair ? 2 * first : first + npair);
		ends = K * (end < npair ? 2 * end : end + npair);
	}
	return (struct ordo_slice){begins, ends - begins};
}

struct ordo_flow_parts ordo_flow_parts(enum ordo_operator op)
{
	switch (op) {
	case ORDO_ALLREDUCE:
		return (struct ordo_flow_parts){ORDO_FLOW_SUM, ORDO_FLOW_SPREAD};
	case ORDO_REDUCE:
		return (struct ordo_flow_parts){ORDO_FLOW_SUM, ORDO_FLOW_GATHER};
	case ORDO_BROADCAST:
		return (struct ordo_flow_parts){ORDO_FLOW_SCATTER, ORDO_FLOW_SPREAD};
	case ORDO_REDUCESCATTER:
		return (struct ordo_flow_parts){ORDO_FLOW_SUM, ORDO_FLOW_NO_PART};
	case ORDO_ALLGATHER:
		return (struct ordo_flow_parts){ORDO_FLOW_SPREAD, ORDO_FLOW_NO_PART};
	case ORDO_SCATTER:
		return (struct ordo_flow_parts){ORDO_FLOW_SCATTER, ORDO_FLOW_NO_PART};
	case ORDO_GATHER:
		return (struct ordo_flow_parts){ORDO_FLOW_GATHER, ORDO_FLOW_NO_PART};
	case ORDO_ALLTOALL:
	case ORDO_CUSTOM:
		break;
	}
	return (struct ordo_flow_parts){ORDO_FLOW_NO_PART, ORDO_FLOW_NO_PART};
}

/* Whether a slice passes through a member on its way from the root to its owner. */
static bool passes(const struct ordo_flow *flow, uint32_t member, uint32_t slice)
{
	for (uint32_t step = 0; step <= flow->nstep; step++)
		if (flow->lies_at(flow, step, root_member(flow), slice) == member)
			return true;
	return false;
}

/* Whether this part moves a slice that `member` sends in a step of the ReduceScatter. Backwards,
 * the member receives it, unless it has it already. */
static bool moves(const struct ordo_flow *flow, enum ordo_flow_part part, uint32_t step,
	uint32_t member, uint32_t slice)
{
	if (part == ORDO_FLOW_SCATTER || part == ORDO_FLOW_GATHER)
		return flow->lies_at(flow, step, root_member(flow), slice) == member;
	return part == ORDO_FLOW_SUM || flow->problem.op != ORDO_BROADCAST ||
	       !passes(flow, member, slice);
}

static int ascending(const void *a, const void *b)
{
	uint32_t x, y;
	memcpy(&x, a, sizeof x);
	memcpy(&y, b, sizeof y);
	return (x > y) - (x < y);
}

/* Sorts distinct places: many by marking, few by qsort. */
static void sort_places(const struct ordo_flow *flow, uint32_t count)
{
	if (count < flow->n / 16) {
		if (count > 1)
			qsort(flow->places, count, sizeof *flow->places, ascending);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		flow->marks[flow->places[i]] = true;
	for (uint32_t place = 0, kept = 0; kept < count; place++)
		if (flow->marks[place]) {
			flow->marks[place] = false;
			flow->places[kept++] = place;
		}
}

/* Joins consecutive places to runs, without empty ones. */
static uint32_t join(const struct ordo_flow *flow, uint32_t nplace)
{
	const bool apart = flow->nlane > 1 && !ordo_flow_cuts(flow->problem.op);
	uint32_t nrun = 0;
	for (uint32_t begin = 0, end; begin < nplace; begin = end) {
		for (end = begin + 1;
			end < nplace && !apart && flow->places[end] == flow->places[end - 1] + 1;)
			end++;
		flow->runs[nrun] =
			ordo_flow_places(flow, flow->places[begin], flow->places[end - 1] + 1);
		nrun += flow->runs[nrun].count > 0;
	}
	return nrun;
}

static bool goes_backwards(enum ordo_flow_part part)
{
	return part == ORDO_FLOW_SPREAD || part == ORDO_FLOW_GATHER;
}

uint32_t ordo_flow_forward(const struct ordo_flow *flow, enum ordo_flow_part part, uint32_t step)
{
	return goes_backwards(part) ? flow->nstep - 1 - step : step;
}

uint32_t ordo_flow_hops(const struct ordo_flow *flow, uint32_t step)
{
	return flow->hops ? flow->hops(flow, step) : 1;
}

uint32_t ordo_flow_via(const struct ordo_flow *flow, uint32_t step, uint32_t member, uint32_t hop)
{
	return flow->via(flow, step, member, hop);
}

struct ordo_transfer ordo_flow_transfer(
	const struct ordo_flow *flow, enum ordo_flow_part part, uint32_t step, uint32_t number)
{
	const bool backwards = goes_backwards(part);
	const uint32_t forward = ordo_flow_forward(flow, part, step);
	const struct ordo_cargo cargo = flow->sends(flow, forward, number);
	const uint32_t *place = flow->place ? flow->place + (size_t)flow->lane * flow->n : NULL;
	uint32_t count = 0, slice = cargo.first;
	for (uint32_t i = 0; i < cargo.count; i++) {
		slice = cargo.listed ? cargo.listed[i] : slice;
		if (moves(flow, part, forward, number, slice))
			flow->places[count++] = place ? place[slice] : slice;
		slice = (uint32_t)(((uint64_t)slice + cargo.stride) % flow->n);
	}
	sort_places(flow, count);
	return (struct ordo_transfer){
		.from = backwards ? cargo.peer : number,
		.to = backwards ? number : cargo.peer,
		.runs = flow->runs,
		.nrun = join(flow, count),
		.places = flow->places,
		.nplace = count,
	};
}

/* The k-th run of a transfer, from the front or from the back. */
static struct ordo_slice run_of(const struct ordo_transfer *transfer, uint32_t k, bool backwards)
{
	return transfer->runs[backwards ? transfer->nrun - 1 - k : k];
}

static void make_ready(
	struct ordo_builder *b, const struct ordo_flow *flow, uint32_t step, bool backwards)
{
	ordo_stream(b, "copy", ORDO_NONE);
	for (uint32_t i = 0; i < flow->n && !ordo_builder_failed(b); i++) {
		const struct ordo_transfer transfer =
			ordo_flow_transfer(flow, ORDO_FLOW_SUM, step, i);
		for (uint32_t k = 0; k < transfer.nrun; k++)
			ordo_make_ready(b, ordo_flow_rank(flow, transfer.to),
				run_of(&transfer, k, backwards), backwards);
	}
}

/* Where the members between keep the messages of a lane. */
struct relays {
	uint32_t first; /* scratch slot */
	uint32_t room;	/* chunks of the largest message */
};

/* A message that goes over several links, and the one that is next. */
struct passage {
	const struct ordo_transfer *transfer;
	uint32_t step; /* of the ReduceScatter */
	uint32_t hop, hops;
	const struct relays *relays;
};

/* Where the member that a message comes to over a link keeps it, from a chunk of it on. */
static struct ordo_at kept_at(
	const struct ordo_flow *flow, const struct passage *passage, uint32_t hop, uint32_t chunk)
{
	const uint32_t member = ordo_flow_via(flow, passage->step, passage->transfer->from, hop);
	return ordo_at(ordo_flow_rank(flow, member), ORDO_SCRATCH,
		passage->relays->first + hop % ORDO_FLOW_TURNS * passage->relays->room + chunk);
}

static void pass_over_link(struct ordo_builder *b, const struct ordo_flow *flow,
	enum ordo_flow_part part, const struct passage *passage, bool backwards)
{
	const struct ordo_transfer *transfer = passage->transfer;
	const bool sums = part == ORDO_FLOW_SUM,
		   summed = ordo_operator_facts(flow->problem.op)->reduces;
	const uint32_t from = ordo_flow_rank(flow, transfer->from),
		       to = ordo_flow_rank(flow, transfer->to), hop = passage->hop;
	uint32_t at = 0;
	for (uint32_t k = 0; backwards && k < transfer->nrun; k++)
		at += transfer->runs[k].count;
	for (uint32_t k = 0; k < transfer->nrun; k++) {
		const struct ordo_slice run = run_of(transfer, k, backwards);
		at -= backwards ? run.count : 0;
		if (hop + 1 == passage->hops)
			ordo_deliver(b, to, kept_at(flow, passage, hop, at), run, sums, backwards);
		else if (hop)
			ordo_copy(b, kept_at(flow, passage, hop + 1, at),
				kept_at(flow, passage, hop, at), run.count);
		else if (sums)
			ordo_send_sum_off(b, kept_at(flow, passage, 1, at), from, run, backwards);
		else
			ordo_send_off(
				b, kept_at(flow, passage, 1, at), from, run, summed, backwards);
		at += backwards ? 0 : run.count;
	}
}

static void transfer_runs(struct ordo_builder *b, const struct ordo_flow *flow,
	enum ordo_flow_part part, const struct ordo_transfer *transfer, bool backwards)
{
	const bool summed = ordo_operator_facts(flow->problem.op)->reduces;
	const uint32_t from = ordo_flow_rank(flow, transfer->from),
		       to = ordo_flow_rank(flow, transfer->to);
	for (uint32_t k = 0; k < transfer->nrun; k++)
		if (part == ORDO_FLOW_SUM)
			ordo_add_on(b, to, from, run_of(transfer, k, backwards), backwards);
		else
			ordo_pass_on(
				b, to, from, run_of(transfer, k, backwards), summed, backwards);
}

/* All messages go over one link before any goes over the next, so that each link takes one at a
 * time. */
static void transfer_all(struct ordo_builder *b, const struct ordo_flow *flow,
	enum ordo_flow_part part, uint32_t step, const struct relays *relays, bool backwards)
{
	const uint32_t forward = ordo_flow_forward(flow, part, step),
		       hops = ordo_flow_hops(flow, forward);
	ordo_stream(b, "send", flow->nlane > 1 ? flow->lane : ORDO_NONE);
	for (uint32_t hop = 0; hop < hops; hop++)
		for (uint32_t i = 0; i < flow->n && !ordo_builder_failed(b); i++) {
			const struct ordo_transfer transfer =
				ordo_flow_transfer(flow, part, step, i);
			const struct passage passage = {&transfer, forward, hop, hops, relays};
			if (hops == 1)
				transfer_runs(b, flow, part, &transfer, backwards);
			else
				pass_over_link(
					b, flow, part, &passage, hop % 2 ? !backwards : backwards);
		}
}

/* The chunks of the largest message of a lane that goes over several links. */
static uint32_t largest_passed_on(const struct ordo_flow *flow, enum ordo_flow_part part)
{
	uint32_t most = 0;
	for (uint32_t step = 0; part != ORDO_FLOW_NO_PART && step < flow->nstep; step++) {
		if (ordo_flow_hops(flow, ordo_flow_forward(flow, part, step)) == 1)
			continue;
		for (uint32_t i = 0; i < flow->n; i++) {
			const struct ordo_transfer transfer =
				ordo_flow_transfer(flow, part, step, i);
			uint32_t count = 0;
			for (uint32_t k = 0; k < transfer.nrun; k++)
				count += transfer.runs[k].count;
			most = count > most ? count : most;
		}
	}
	return most;
}

static void reserve_relays(struct ordo_builder *b, const struct ordo_flow *flow,
	const struct ordo_flow_parts *parts, struct relays *relays)
{
	struct ordo_flow lane = *flow;
	for (lane.lane = 0; flow->hops && lane.lane < flow->nlane; lane.lane++) {
		const uint32_t first = largest_passed_on(&lane, parts->first),
			       second = largest_passed_on(&lane, parts->second),
			       room = first > second ? first : second;
		relays[lane.lane] = (struct relays){ordo_scratch(b, ORDO_FLOW_TURNS * room), room};
	}
}

/* The run made ready or received last is used first, so that one Wait covers a whole step: steps
 * alternate between forward and backward order, and preparation goes the other way. */
static void build_part(struct ordo_builder *b, const struct ordo_flow *flow,
	enum ordo_flow_part part, const struct relays *relays, bool backwards)
{
	static const char *const names[] = {"reduce-scatter", "all-gather", "scatter", "gather"};
	struct ordo_flow lane = *flow;
	for (uint32_t step = 0; part != ORDO_FLOW_NO_PART && step < flow->nstep; step++) {
		ordo_phase(b, names[part], step);
		for (lane.lane = 0; lane.lane < flow->nlane; lane.lane++) {
			if (part == ORDO_FLOW_SUM)
				make_ready(b, &lane, step, !backwards);
			transfer_all(b, &lane, part, step, &relays[lane.lane], backwards);
		}
		backwards = !backwards;
	}
}

/* The partner sends its data to its member. */
static void fold(struct ordo_builder *b, const struct ordo_flow *flow)
{
	const bool sums = ordo_operator_facts(flow->problem.op)->reduces;
	const struct ordo_slice all = {0, ordo_nchunk(&flow->problem)};
	if (flow->problem.op == ORDO_BROADCAST)
		return;
	ordo_phase(b, "fold", ORDO_NONE);
	ordo_stream(b, "copy", ORDO_NONE);
	for (uint32_t j = 0; sums && j < flow->npair; j++)
		ordo_make_ready(b, ordo_flow_rank(flow, j), all, false);
	ordo_stream(b, "send", ORDO_NONE);
	for (uint32_t j = 0; j < flow->npair; j++) {
		const uint32_t rank = ordo_flow_rank(flow, j), partner = ordo_flow_partner(flow, j),
			       K = flow->problem.chunks_per_block;
		if (sums)
			ordo_add_on(b, rank, partner, all, true);
		else
			ordo_pass_on(
				b, rank, partner, (struct ordo_slice){partner * K, K}, false, true);
	}
}

/* The member sends its partner the data it needs and does not have. */
static void unfold(struct ordo_builder *b, const struct ordo_flow *flow)
{
	const enum ordo_operator op = flow->problem.op;
	const uint32_t K = flow->problem.chunks_per_block, nchunk = ordo_nchunk(&flow->problem);
	const bool summed = ordo_operator_facts(op)->reduces;
	if (op == ORDO_REDUCE)
		return;
	ordo_phase(b, "unfold", ORDO_NONE);
	ordo_stream(b, "send", ORDO_NONE);
	for (uint32_t j = 0; j < flow->npair; j++) {
		const uint32_t rank = ordo_flow_rank(flow, j), partner = ordo_flow_partner(flow, j);
		const uint32_t own = partner * K;
		if (op == ORDO_REDUCESCATTER) {
			ordo_pass_on(b, partner, rank, (struct ordo_slice){own, K}, summed, false);
		} else if (op == ORDO_ALLGATHER) {
			ordo_pass_on(b, partner, rank, (struct ordo_slice){0, own}, summed, false);
			ordo_pass_on(b, partner, rank,
				(struct ordo_slice){own + K, nchunk - own - K}, summed, false);
		} else {
			ordo_pass_on(b, partner, rank, (struct ordo_slice){0, K}, summed, false);
		}
	}
}

void ordo_flow_build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct ordo_flow flow = ordo_flow_of(request);
	const struct ordo_flow_parts parts = ordo_flow_parts(flow.problem.op);
	struct relays *relays = ordo_array_make(flow.nlane, sizeof *relays, 0);
	if (!relays) {
		ordo_builder_fail_memory(b);
		return;
	}
	reserve_relays(b, &flow, &parts, relays);
	ordo_keep_own(b, &flow.problem);
	if (flow.npair)
		fold(b, &flow);
	build_part(b, &flow, parts.first, relays, false);
	build_part(b, &flow, parts.second, relays, flow.nstep % 2);
	if (flow.npair)
		unfold(b, &flow);
	free(relays);
}

uint32_t ordo_flow_chunks(const struct ordo_resolved_request *request)
{
	const struct ordo_flow flow = ordo_flow_of(request);
	return ordo_flow_cuts(flow.problem.op) ? flow.n * flow.nlane : flow.nlane;
}
