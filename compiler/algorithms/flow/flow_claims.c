/* flow_claims.c - steps and volume, counted along the flow. */
#include "flow.h"
#include <stdlib.h>

/* How far the slices have come. */
struct course {
	struct ordo_flow flow;
	/* [n][n] by member and place: cross-rank moves in a row that made what lies there */
	uint8_t *depth;
	uint64_t *sent; /* [nrank] chunks */
};

static bool begin(struct course *course, const struct ordo_resolved_request *request)
{
	course->flow = ordo_flow_of(request);
	course->depth = calloc((size_t)course->flow.n * course->flow.n, sizeof *course->depth);
	course->sent = calloc(course->flow.problem.nrank, sizeof *course->sent);
	return course->depth && course->sent;
}

static void end(struct course *course)
{
	free(course->depth);
	free(course->sent);
}

static uint8_t *depth_at(const struct course *course, uint32_t member, uint32_t place)
{
	return &course->depth[(size_t)member * course->flow.n + place];
}

static void take(struct course *course, const struct ordo_transfer *transfer, bool adds)
{
	for (uint32_t i = 0; i < transfer->nplace; i++) {
		const uint8_t brought = *depth_at(course, transfer->from, transfer->places[i]) + 1;
		uint8_t *depth = depth_at(course, transfer->to, transfer->places[i]);
		*depth = adds && *depth > brought ? *depth : brought;
	}
	for (uint32_t i = 0; i < transfer->nrun; i++)
		course->sent[ordo_flow_rank(&course->flow, transfer->from)] +=
			transfer->runs[i].count;
}

static void go_through(struct course *course, enum ordo_flow_part part)
{
	const struct ordo_flow *flow = &course->flow;
	for (uint32_t step = 0; part != ORDO_FLOW_NO_PART && step < flow->nstep; step++)
		for (uint32_t i = 0; i < flow->n; i++) {
			const struct ordo_transfer transfer =
				ordo_flow_transfer(flow, part, step, i);
			take(course, &transfer, part == ORDO_FLOW_SUM);
		}
}

/* What partners send before, and are sent after. */
static void count_partners(struct course *course)
{
	const struct ordo_flow *flow = &course->flow;
	const enum ordo_operator op = flow->problem.op;
	const uint64_t K = flow->problem.chunks_per_block, nchunk = ordo_nchunk(&flow->problem);
	for (uint32_t j = 0; j < flow->npair; j++) {
		if (op != ORDO_BROADCAST)
			course->sent[ordo_flow_partner(flow, j)] +=
				op == ORDO_ALLGATHER ? K : nchunk;
		if (op != ORDO_REDUCE)
			course->sent[ordo_flow_rank(flow, j)] +=
				op == ORDO_ALLGATHER ? nchunk - K : K;
		for (uint32_t place = 0; op != ORDO_BROADCAST && place < flow->n; place++)
			*depth_at(course, j, place) = op != ORDO_ALLGATHER || place == j;
	}
}

/* The longest chain that ends with a member or with its partner. */
static uint64_t longest(const struct course *course)
{
	const struct ordo_flow *flow = &course->flow;
	const enum ordo_operator op = flow->problem.op;
	uint64_t steps = 0;
	for (uint32_t member = 0; member < flow->n; member++)
		for (uint32_t place = 0; place < flow->n; place++) {
			const bool goes_on = member < flow->npair && op != ORDO_REDUCE &&
					     (op != ORDO_REDUCESCATTER || place == member);
			const uint64_t depth =
				*depth_at(course, member, place) + (goes_on ? 1u : 0u);
			if (ordo_flow_places(flow, place, place + 1).count && depth > steps)
				steps = depth;
		}
	return steps;
}

static bool go(struct course *course, const struct ordo_resolved_request *request)
{
	if (!begin(course, request))
		return false;
	const struct ordo_flow_parts parts = ordo_flow_parts(course->flow.problem.op);
	count_partners(course);
	go_through(course, parts.first);
	go_through(course, parts.second);
	return true;
}

uint64_t ordo_flow_steps(const struct ordo_resolved_request *request)
{
	struct course course;
	const uint64_t steps = go(&course, request) ? longest(&course) : ORDO_UNCOUNTED;
	end(&course);
	return steps;
}

uint64_t ordo_flow_volume(const struct ordo_resolved_request *request)
{
	struct course course;
	uint64_t most = 0;
	const bool worked = go(&course, request);
	for (uint32_t rank = 0; worked && rank < request->problem.nrank; rank++)
		most = course.sent[rank] > most ? course.sent[rank] : most;
	end(&course);
	return worked ? most : ORDO_UNCOUNTED;
}
