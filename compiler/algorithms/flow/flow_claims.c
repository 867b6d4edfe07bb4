/* flow_claims.c - counts the steps and the volume of a flow. */
#include "flow.h"
#include <stdlib.h>
#include <string.h>

/* The counts so far. */
struct tally {
	struct ordo_flow flow;
	/* [n][n] by member and place, of the lane: length of the chain of cross-rank moves that
	 * made its value */
	uint16_t *depth;
	uint64_t steps; /* the longest */
	uint64_t *sent; /* [nrank] chunks sent */
};

static bool begin(struct tally *tally, const struct ordo_resolved_request *request)
{
	tally->flow = ordo_flow_of(request);
	tally->steps = 0;
	tally->depth = calloc((size_t)tally->flow.n * tally->flow.n, sizeof *tally->depth);
	tally->sent = calloc(tally->flow.problem.nrank, sizeof *tally->sent);
	return tally->depth && tally->sent;
}

static void end(struct tally *tally)
{
	free(tally->depth);
	free(tally->sent);
}

static uint16_t *depth_at(const struct tally *tally, uint32_t member, uint32_t place)
{
	return &tally->depth[(size_t)member * tally->flow.n + place];
}

static void add_transfer(
	struct tally *tally, const struct ordo_transfer *transfer, uint32_t step, bool adds)
{
	const uint32_t hops = ordo_flow_hops(&tally->flow, step);
	for (uint32_t i = 0; i < transfer->nplace; i++) {
		const uint16_t brought =
			(uint16_t)(*depth_at(tally, transfer->from, transfer->places[i]) + hops);
		uint16_t *depth = depth_at(tally, transfer->to, transfer->places[i]);
		*depth = adds && *depth > brought ? *depth : brought;
	}
	for (uint32_t hop = 0; hop < hops; hop++) {
		const uint32_t member = hop ? ordo_flow_via(&tally->flow, step, transfer->from, hop)
					    : transfer->from;
		for (uint32_t i = 0; i < transfer->nrun; i++)
			tally->sent[ordo_flow_rank(&tally->flow, member)] +=
				transfer->runs[i].count;
	}
}

static void count_part(struct tally *tally, enum ordo_flow_part part)
{
	const struct ordo_flow *flow = &tally->flow;
	for (uint32_t step = 0; part != ORDO_FLOW_NO_PART && step < flow->nstep; step++)
		for (uint32_t i = 0; i < flow->n; i++) {
			const struct ordo_transfer transfer =
				ordo_flow_transfer(flow, part, step, i);
			add_transfer(tally, &transfer, ordo_flow_forward(flow, part, step),
				part == ORDO_FLOW_SUM);
		}
}

/* Counts what partners send before the flow, and receive after it. */
static void count_partners(struct tally *tally)
{
	const struct ordo_flow *flow = &tally->flow;
	const enum ordo_operator op = flow->problem.op;
	const uint64_t K = flow->problem.chunks_per_block, nchunk = ordo_nchunk(&flow->problem);
	for (uint32_t j = 0; j < flow->npair; j++) {
		if (op != ORDO_BROADCAST)
			tally->sent[ordo_flow_partner(flow, j)] +=
				op == ORDO_ALLGATHER ? K : nchunk;
		if (op != ORDO_REDUCE)
			tally->sent[ordo_flow_rank(flow, j)] +=
				op == ORDO_ALLGATHER ? nchunk - K : K;
		for (uint32_t place = 0; op != ORDO_BROADCAST && place < flow->n; place++)
			*depth_at(tally, j, place) = op != ORDO_ALLGATHER || place == j;
	}
}

/* The longest chain of moves of the lane, which ends with a member or its partner. */
static void find_longest(struct tally *tally)
{
	const struct ordo_flow *flow = &tally->flow;
	const enum ordo_operator op = flow->problem.op;
	for (uint32_t member = 0; member < flow->n; member++)
		for (uint32_t place = 0; place < flow->n; place++) {
			const bool goes_on = member < flow->npair && op != ORDO_REDUCE &&
					     (op != ORDO_REDUCESCATTER || place == member);
			const uint64_t depth =
				*depth_at(tally, member, place) + (goes_on ? 1u : 0u);
			if (ordo_flow_places(flow, place, place + 1).count && depth > tally->steps)
				tally->steps = depth;
		}
}

static void count_lanes(struct tally *tally)
{
	struct ordo_flow *flow = &tally->flow;
	const struct ordo_flow_parts parts = ordo_flow_parts(flow->problem.op);
	for (flow->lane = 0; flow->lane < flow->nlane; flow->lane++) {
		memset(tally->depth, 0, (size_t)flow->n * flow->n * sizeof *tally->depth);
		count_partners(tally);
		count_part(tally, parts.first);
		count_part(tally, parts.second);
		find_longest(tally);
	}
}

/* false: no memory. */
static bool count_all(struct ordo_flow_counts *counts, const struct ordo_resolved_request *request)
{
	struct tally tally;
	const bool worked = begin(&tally, request);
	if (worked) {
		count_lanes(&tally);
		*counts = (struct ordo_flow_counts){
			.chunks = request->problem.chunks_per_block, .steps = tally.steps};
		for (uint32_t rank = 0; rank < request->problem.nrank; rank++)
			if (tally.sent[rank] > counts->volume)
				counts->volume = tally.sent[rank];
	}
	end(&tally);
	return worked;
}

/* NULL: no memory. */
static const struct ordo_flow_counts *counts_of(const struct ordo_resolved_request *request)
{
	struct ordo_flow_counts *counts = ordo_flow_of(request).counts;
	return counts->chunks == request->problem.chunks_per_block || count_all(counts, request)
		       ? counts
		       : NULL;
}

uint64_t ordo_flow_steps(const struct ordo_resolved_request *request)
{
	const struct ordo_flow_counts *counts = counts_of(request);
	return counts ? counts->steps : ORDO_UNCOUNTED;
}

uint64_t ordo_flow_volume(const struct ordo_resolved_request *request)
{
	const struct ordo_flow_counts *counts = counts_of(request);
	return counts ? counts->volume : ORDO_UNCOUNTED;
}
