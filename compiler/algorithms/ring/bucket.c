/* bucket.c - sums and gathers in rings along the dimensions of a torus, over all of its links at
 * once.
 *
 * With d dimensions the data has 2d lanes, two for each dimension that a lane begins with; then it
 * goes through the others in turn. In a dimension of m ranks every slice is added up on its way to
 * its place from both sides: from floor(m/2) ranks on the one side and from those left over on the
 * other, the other way round in the second lane. So all links are busy in every step, and nothing
 * goes further than it must. AllGather is the same backwards. A ring is a torus of one dimension.
 * Natural K: 2d where blocks are given, 2dN for AllReduce.
 *
 * steps    ReduceScatter, AllGather: the sum of floor(m/2) over the dimensions, the diameter of the
 *          torus; AllReduce twice that
 * volume   (N-1)/N of the vector a phase: AllReduce 2(N-1)/N; where dimensions are equal, each of
 *          the 2d links carries a 2d-th
 * order    up to 2dN trees; AllReduce and ReduceScatter add alike
 * scratch  where m is odd, a place for what comes from the other side in the last step
 * source   Jain and Sabharwal, Int. Conf. on Supercomputing 2010; Sack and Gropp, PPoPP 2012 (all
 *          ports, a part each); the shorter way round: ours
 */
#include "algorithms/direct/closed_form.h"
#include "algorithms/direct/places.h"
#include "torus.h"
#include <stdlib.h>

/* A part of each block, which goes through the dimensions from `first` on. */
struct lane {
	struct ordo_builder *b;
	const struct ordo_problem *problem;
	const struct ordo_torus *torus;
	uint32_t number;
	bool mirrored;		 /* most comes from the next ranks, not from those before */
	struct ordo_slice share; /* chunks of each block */
	uint32_t arrivals;	 /* scratch; ORDO_NONE: no dimension is odd */
};

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	return (request->prepared = ordo_torus_make(request, error)) != NULL;
}

static uint32_t lanes_of(const struct ordo_torus *torus)
{
	return torus->count ? 2 * torus->count : 1;
}

static const struct ordo_level *dimension(const struct lane *lane, uint32_t stage)
{
	const struct ordo_torus *torus = lane->torus;
	return &torus->at[(lane->number / 2 + stage) % torus->count];
}

/* Slices are numbered by the digits of their owners, the first dimension of the lane the most
 * significant. */
static uint32_t owner_of(const struct lane *lane, uint32_t number)
{
	uint32_t rank = 0;
	for (uint32_t stage = lane->torus->count; stage-- > 0;) {
		const struct ordo_level *level = dimension(lane, stage);
		rank += number % level->size * level->stride;
		number /= level->size;
	}
	return rank;
}

static uint32_t number_of(const struct lane *lane, uint32_t rank, uint32_t nstage)
{
	uint32_t number = 0;
	for (uint32_t stage = 0; stage < nstage; stage++) {
		const struct ordo_level *level = dimension(lane, stage);
		number = number * level->size + ordo_torus_digit(level, rank);
	}
	return number;
}

/* The slices whose owners have the digits of `rank` up to a stage. */
static struct ordo_slice slices_of(const struct lane *lane, uint32_t rank, uint32_t stage)
{
	uint32_t width = lane->problem->nrank;
	for (uint32_t s = 0; s <= stage; s++)
		width /= dimension(lane, s)->size;
	return (struct ordo_slice){number_of(lane, rank, stage + 1) * width, width};
}

/* Of a lane in one dimension: in step `step` rank `from` sends `to` these slices. */
struct hop {
	uint32_t from, to;
	struct ordo_slice slices;
	bool meets; /* what comes from the other side ends there too, in the same step */
};

/* From so many ranks away, on one side and on the other. */
static uint32_t reach(const struct ordo_level *level, bool shorter)
{
	return (level->size - shorter) / 2;
}

static struct hop hop_from(const struct lane *lane, uint32_t stage, uint32_t step, bool shorter,
	bool sums, uint32_t rank)
{
	const struct ordo_level *level = dimension(lane, stage);
	const uint32_t ahead = shorter != lane->mirrored ? level->size - 1 : 1,
		       far = sums ? reach(level, shorter) - step : step;
	const uint32_t owner = ordo_torus_along(level, rank, ahead * far % level->size);
	return (struct hop){.from = rank,
		.to = ordo_torus_along(level, rank, sums ? ahead : level->size - ahead),
		.slices = slices_of(lane, owner, stage),
		.meets = sums && shorter && level->size % 2 && far == 1};
}

/* Chunks of one rank that lie together. */
static uint32_t count_runs(const struct lane *lane, struct ordo_slice slices)
{
	return ordo_nblock(lane->problem) == 1 ? 1 : slices.count;
}

static struct ordo_slice run_of(const struct lane *lane, struct ordo_slice slices, uint32_t i)
{
	const uint32_t N = lane->problem->nrank, K = lane->problem->chunks_per_block,
		       share = lane->share.count;
	if (ordo_nblock(lane->problem) > 1)
		return (struct ordo_slice){
			owner_of(lane, slices.first + i) * K + lane->share.first, share};
	const uint32_t first = (uint32_t)((uint64_t)slices.first * share / N),
		       end = (uint32_t)(((uint64_t)slices.first + slices.count) * share / N);
	return (struct ordo_slice){lane->share.first + first, end - first};
}

static void make_ready(const struct lane *lane, const struct hop *hop)
{
	ordo_stream(lane->b, "copy", ORDO_NONE);
	for (uint32_t i = 0; i < count_runs(lane, hop->slices); i++)
		ordo_make_ready(lane->b, hop->to, run_of(lane, hop->slices, i), false);
}

/* Two sums that come to one place in the same step would wait for each other: the second goes to
 * scratch, and is added there. */
static void add_beside(const struct lane *lane, const struct hop *hop)
{
	for (uint32_t i = 0, at = lane->arrivals; i < count_runs(lane, hop->slices); i++) {
		const struct ordo_slice run = run_of(lane, hop->slices, i);
		if (run.count)
			ordo_copy(lane->b, ordo_at(hop->to, ORDO_SCRATCH, at),
				ordo_sum_of(lane->b, hop->from, run.first), run.count);
		at += run.count;
	}
}

static void add_arrived(const struct lane *lane, const struct hop *hop)
{
	ordo_stream(lane->b, "add", lane->number);
	for (uint32_t i = 0, at = lane->arrivals; i < count_runs(lane, hop->slices); i++) {
		const struct ordo_slice run = run_of(lane, hop->slices, i);
		if (run.count)
			ordo_reduce(lane->b, ordo_work(lane->b, hop->to, run.first),
				ordo_at(hop->to, ORDO_SCRATCH, at), run.count);
		at += run.count;
	}
}

static void carry(const struct lane *lane, const struct hop *hop, bool sums)
{
	const bool summed = lane->problem->op == ORDO_ALLREDUCE;
	for (uint32_t i = 0; i < count_runs(lane, hop->slices); i++) {
		const struct ordo_slice run = run_of(lane, hop->slices, i);
		if (sums)
			ordo_add_on(lane->b, hop->to, hop->from, run, false);
		else
			ordo_pass_on(lane->b, hop->to, hop->from, run, summed, false);
	}
}

static void take_step(
	const struct lane *lane, uint32_t stage, uint32_t step, bool shorter, bool sums)
{
	const uint32_t N = lane->problem->nrank;
	for (uint32_t rank = 0; sums && rank < N; rank++) {
		const struct hop hop = hop_from(lane, stage, step, shorter, sums, rank);
		make_ready(lane, &hop);
	}
	ordo_stream(lane->b, "send", 2 * lane->number + shorter);
	for (uint32_t rank = 0; rank < N && !ordo_builder_failed(lane->b); rank++) {
		const struct hop hop = hop_from(lane, stage, step, shorter, sums, rank);
		if (hop.meets)
			add_beside(lane, &hop);
		else
			carry(lane, &hop, sums);
	}
	for (uint32_t rank = 0; rank < N; rank++) {
		const struct hop hop = hop_from(lane, stage, step, shorter, sums, rank);
		if (hop.meets)
			add_arrived(lane, &hop);
	}
}

/* All dimensions one after another: for sums the lane's first one first. */
static void go_round(const struct lane *lane, bool sums)
{
	const uint32_t count = lane->torus->count;
	for (uint32_t i = 0, number = 0; i < count; i++) {
		const uint32_t stage = sums ? i : count - 1 - i;
		const struct ordo_level *level = dimension(lane, stage);
		for (uint32_t step = 0; step < reach(level, false); step++) {
			ordo_phase(lane->b, sums ? "reduce-scatter" : "all-gather", number++);
			take_step(lane, stage, step, false, sums);
			if (step < reach(level, true))
				take_step(lane, stage, step, true, sums);
		}
	}
}

static struct lane lane_of(const struct ordo_resolved_request *request, uint32_t number)
{
	const struct ordo_torus *torus = request->prepared;
	return (struct lane){.problem = &request->problem,
		.torus = torus,
		.number = number,
		.mirrored = number % 2,
		.share = ordo_slice_of(request->problem.chunks_per_block, lanes_of(torus), number),
		.arrivals = ORDO_NONE};
}

/* As much as meets in one step at a rank. */
static uint32_t most_arrivals(const struct lane *lane)
{
	uint64_t width = lane->problem->nrank, most = 0;
	for (uint32_t stage = 0; stage < lane->torus->count; stage++) {
		const uint32_t size = dimension(lane, stage)->size;
		width /= size;
		const uint64_t chunks = width * lane->share.count;
		const uint64_t arrive =
			ordo_nblock(lane->problem) > 1 ? chunks : chunks / lane->problem->nrank + 1;
		if (size % 2 && arrive > most)
			most = arrive;
	}
	return (uint32_t)most;
}

static bool sums(const struct ordo_resolved_request *request)
{
	return request->problem.op != ORDO_ALLGATHER;
}

static bool gathers(const struct ordo_resolved_request *request)
{
	return request->problem.op != ORDO_REDUCESCATTER;
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct ordo_torus *torus = request->prepared;
	ordo_keep_own(b, &request->problem);
	for (uint32_t i = 0; torus->count && i < lanes_of(torus); i++) {
		struct lane lane = lane_of(request, i);
		lane.b = b;
		if (!lane.share.count)
			continue;
		if (sums(request)) {
			lane.arrivals = ordo_scratch(b, most_arrivals(&lane));
			go_round(&lane, true);
		}
		if (gathers(request))
			go_round(&lane, false);
	}
}

static uint32_t chunks(const struct ordo_resolved_request *request)
{
	const uint32_t lanes = lanes_of(request->prepared);
	return request->problem.op == ORDO_ALLREDUCE ? lanes * request->problem.nrank : lanes;
}

static uint64_t steps(const struct ordo_resolved_request *request)
{
	const struct ordo_torus *torus = request->prepared;
	uint64_t diameter = 0;
	for (uint32_t i = 0; i < torus->count; i++)
		diameter += reach(&torus->at[i], false);
	return diameter * (sums(request) + gathers(request));
}

static uint64_t sent_in(const struct lane *lane, uint32_t stage, bool sums, uint32_t rank)
{
	uint64_t sent = 0;
	for (uint32_t shorter = 0; shorter < 2; shorter++)
		for (uint32_t step = 0; step < reach(dimension(lane, stage), shorter); step++) {
			const struct hop hop = hop_from(lane, stage, step, shorter, sums, rank);
			for (uint32_t i = 0; i < count_runs(lane, hop.slices); i++)
				sent += run_of(lane, hop.slices, i).count;
		}
	return sent;
}

static uint64_t volume(const struct ordo_resolved_request *request)
{
	const struct ordo_torus *torus = request->prepared;
	uint64_t most = 0;
	for (uint32_t rank = 0; rank < request->problem.nrank; rank++) {
		uint64_t sent = 0;
		for (uint32_t i = 0; torus->count && i < lanes_of(torus); i++) {
			const struct lane lane = lane_of(request, i);
			for (uint32_t stage = 0; stage < torus->count; stage++)
				sent += (sums(request) ? sent_in(&lane, stage, true, rank) : 0) +
					(gathers(request) ? sent_in(&lane, stage, false, rank) : 0);
		}
		most = sent > most ? sent : most;
	}
	return most;
}

/* d dimensions of m > 2 ranks: in each phase floor(m/2) steps a dimension, and a 2d-th of the data
 * on each link. */
static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	const uint64_t p = request->problem.nrank;
	uint32_t m = 1;
	const uint64_t d = ordo_torus_cube(request->prepared, &m), steps = d * (m / 2);
	const bool all_links = !request->topology || !request->topology->ports;
	if (!d || m < 3 || !all_links || request->problem.chunks_per_block % (2 * d))
		return false;
	/* Where blocks are given, what is sent in a step does not lie together. */
	if (request->problem.op != ORDO_ALLREDUCE && d > 1)
		return false;
	if (request->problem.op == ORDO_ALLREDUCE)
		return request->problem.chunks_per_block % (2 * d * p) == 0 &&
		       ordo_form_is(cost, ORDO_COST_ROUNDS, 2 * steps, 2 * (p - 1), 2 * d * (p - 1),
			       2 * d * p);
	return ordo_form_is(cost, ORDO_COST_ROUNDS, steps, p - 1,
		request->problem.op == ORDO_REDUCESCATTER ? 2 * d * (p - 1) : 0, 2 * d * p);
}

static const struct ordo_parameter parameters[] = {ORDO_TORUS_SIZES};

static const struct ordo_variant variants[] = {{.settings = "", .sparse = true}};

const struct ordo_algorithm ordo_algorithm_bucket = {
	.facts = {.name = "bucket",
		.summary = "rings along the dimensions of a torus, over all its links at once",
		.how = "The data is cut into two parts for each dimension of a torus. Each part "
		       "is reduced in rings along one dimension after another, beginning with its "
		       "own. In a ring every slice reaches its place from both sides. All-gather "
		       "takes the same way back.",
		.when = "For tori and rings: all links are always busy, and each phase takes only "
			"as many steps as the diameter of the torus.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER,
		.ranks = "any",
		.steps = "the diameter of the torus, a ring N/2; AllReduce twice",
		.volume = "(N-1)/N n; AllReduce 2(N-1)/N n",
		.order = "up to 2dN trees with d dimensions",
		.topologies = "torus, ring, hypercube with sizes=[2,2,...], full mesh",
		.source = "Jain and Sabharwal 2010; Sack and Gropp 2012",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants},
	.prepare = prepare,
	.chunks = chunks,
	.build = build,
	.steps = steps,
	.volume = volume,
	.closed_form = closed_form,
};
