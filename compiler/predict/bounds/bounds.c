/* bounds.c - lower bounds on the time of any schedule of an operator: latencies, bytes over ports,
 * additions, and bytes over cuts.
 *
 * p ranks, n bytes, a set S of s ranks with or without the root. Bytes that must leave S:
 *
 *   AllReduce      n            of each element at least the sum of S
 *   Reduce         n            if the root is outside
 *   Broadcast      n            if the root is inside
 *   ReduceScatter  (p-s)/p n    the sums of S for the blocks of the others
 *   AllGather      s/p n        the blocks of S
 *   Scatter        (p-s)/p n    if the root is inside
 *   Gather         s/p n        if the root is outside
 *   AllToAll       s(p-s)/p n
 *
 * demand.c has those of unequal blocks, for which some cuts are compared.
 *
 * Up to 1,024 ranks on a topology, synthesis/ finds the greatest of these bounds over all cuts,
 * and for AllReduce over all partitions; otherwise some cuts are compared here.
 *
 * An AllReduce moves each element 2(p-1) times: p-1 times before the first rank can have its sum,
 * and then once to each other.
 */
#include "bounds.h"
#include "demand.h"
#include "min_cut.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/detail/bound.h>
#include <stdlib.h>

struct bounding {
	struct ordo_time_bounds *bounds;
	const struct ordo_problem *problem;
	const struct ordo_topology *topology; /* NULL: `link` between every two ranks */
	double bytes;
	const struct ordo_demand *demand; /* of unequal blocks; NULL: all are equal */
	double latency,
		/* the least between any two ranks; bytes a second of a link, without a topology */
		link;
	struct ordo_cut cut;
	bool *inside; /* [nrank] the set S of the current cut */
	uint64_t effort;
};

/* The effort of all cuts together, in links. */
enum {
	MOST_EFFORT = 1 << 27,
	ALL_CUTS = 14,
	ALL_CUTS_THROUGH_SWITCHES = 9,
	MOST_BLOCKS = 32,
	MOST_WIRE_RANKS = 1024
};

static double leaving(const struct bounding *bounding, double s, bool root_inside)
{
	const double p = bounding->problem->nrank, n = bounding->bytes;
	switch (bounding->problem->op) {
	case ORDO_ALLREDUCE:
		return n;
	case ORDO_REDUCE:
		return root_inside ? 0 : n;
	case ORDO_BROADCAST:
		return root_inside ? n : 0;
	case ORDO_REDUCESCATTER:
		return (p - s) / p * n;
	case ORDO_ALLGATHER:
		return s / p * n;
	case ORDO_SCATTER:
		return root_inside ? (p - s) / p * n : 0;
	case ORDO_GATHER:
		return root_inside ? 0 : s / p * n;
	case ORDO_ALLTOALL:
		return s * (p - s) / p * n;
	case ORDO_CUSTOM: /* nothing is demanded */
		break;
	}
	return 0;
}

/* Bytes that all ranks together must send. */
static double total_bytes(const struct bounding *bounding)
{
	const double p = bounding->problem->nrank, n = bounding->bytes;
	switch (bounding->problem->op) {
	case ORDO_ALLREDUCE:
		return 2 * (p - 1) * n;
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
	case ORDO_REDUCESCATTER:
	case ORDO_ALLGATHER:
	case ORDO_ALLTOALL:
		return (p - 1) * n;
	case ORDO_SCATTER:
	case ORDO_GATHER:
		return (p - 1) / p * n;
	case ORDO_CUSTOM:
		break;
	}
	return 0;
}

/* Latencies. */

/* A rank that has the data, and the earliest time at which the next receiver can have it. */
struct sender {
	double since, next;
	uint32_t told;
};

static void sink_teller(struct sender *senders, uint32_t count)
{
	const struct sender sender = senders[0];
	uint32_t place = 0;
	for (uint32_t child; (child = 2 * place + 1) < count; place = child) {
		if (child + 1 < count && senders[child + 1].next < senders[child].next)
			child++;
		if (!(senders[child].next < sender.next))
			break;
		senders[place] = senders[child];
	}
	senders[place] = sender;
}

/* The least time of a broadcast of one value, if every informed rank informs others: over P ports,
 * the j-th of them after max(1, j/P) latencies. Simulated with a heap by time: senders[nrank]. */
static double broadcast_time(uint32_t nrank, double latency, uint32_t ports, struct sender *senders)
{
	double time = 0;
	senders[0] = (struct sender){0, latency, 0};
	for (uint32_t known = 1; known < nrank; known++) {
		time = senders[0].next;
		const uint32_t rounds = ++senders[0].told + 1;
		senders[0].next = senders[0].since + latency * fmax(1, (double)rounds / ports);
		sink_teller(senders, known);
		uint32_t place = known;
		const struct sender newcomer = {time, time + latency, 0};
		for (; place && senders[(place - 1) / 2].next > newcomer.next;
			place = (place - 1) / 2)
			senders[place] = senders[(place - 1) / 2];
		senders[place] = newcomer;
	}
	return time;
}

static double least_latency(const struct ordo_topology *topology)
{
	double direct = HUGE_VAL, up = HUGE_VAL, down = HUGE_VAL;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const bool from = link->from < topology->nrank, to = link->to < topology->nrank;
		double *least = from && to ? &direct : from ? &up : to ? &down : NULL;
		if (!link->down && least && link->latency_ns < *least)
			*least = link->latency_ns;
	}
	const double least = up + down < direct ? up + down : direct;
	return isfinite(least) ? least * 1e-9 : 0;
}

/* The work space of a search for shortest paths. */
struct distances {
	double *time;	 /* [nvertex] ns */
	uint32_t *queue; /* [nvertex] */
	bool *queued;	 /* [nvertex] */
};

static bool make_distances(struct distances *distances, uint32_t nvertex)
{
	*distances = (struct distances){ordo_array_make(nvertex, sizeof *distances->time, 0),
		ordo_array_make(nvertex, sizeof *distances->queue, 0),
		ordo_array_make(nvertex, sizeof *distances->queued, 0)};
	return distances->time && distances->queue && distances->queued;
}

static void free_distances(struct distances *distances)
{
	free(distances->time);
	free(distances->queue);
	free(distances->queued);
}

/* The latencies of shortest paths from a rank, over links that are up: Bellman-Ford with a queue of
 * changed vertices. */
static void find_distances(
	const struct ordo_topology *topology, uint32_t from, const struct distances *distances)
{
	const uint32_t nvertex = topology->nrank + topology->nswitch;
	double *time = distances->time;
	uint32_t first = 0, count = 1;
	for (uint32_t v = 0; v < nvertex; v++)
		time[v] = HUGE_VAL;
	time[from] = 0;
	distances->queue[0] = from;
	distances->queued[from] = true;
	while (count) {
		const uint32_t v = distances->queue[first];
		first = (first + 1) % nvertex;
		count--;
		distances->queued[v] = false;
		for (uint32_t i = topology->first_link[v]; i < topology->first_link[v + 1]; i++) {
			const struct ordo_link *link = &topology->links[i];
			const double then = time[v] + link->latency_ns;
			if (link->down || !(then < time[link->to]))
				continue;
			time[link->to] = then;
			if (distances->queued[link->to])
				continue;
			distances->queued[link->to] = true;
			distances->queue[(first + count++) % nvertex] = link->to;
		}
	}
}

/* The greatest of them. */
static double greatest_distance(
	const struct ordo_topology *topology, uint32_t from, const struct distances *distances)
{
	double most = 0;
	find_distances(topology, from, distances);
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		most = isfinite(distances->time[rank]) && distances->time[rank] > most
			       ? distances->time[rank]
			       : most;
	return most * 1e-9;
}

/* The greatest latency of a shortest path to a rank; 0: none is known, for it takes too long.
 * time[nvertex]. */
static double greatest_distance_to(const struct ordo_topology *topology, uint32_t to, double *time)
{
	const uint32_t nvertex = topology->nrank + topology->nswitch;
	double most = 0;
	uint64_t effort = 0;
	for (uint32_t v = 0; v < nvertex; v++)
		time[v] = v == to ? 0 : HUGE_VAL;
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t i = 0; i < topology->nlink; i++) {
			const struct ordo_link *link = &topology->links[i];
			const double then = time[link->to] + link->latency_ns;
			if (link->down || !(then < time[link->from]))
				continue;
			time[link->from] = then;
			changed = true;
		}
		effort += topology->nlink;
		if (changed && effort > MOST_EFFORT / 8)
			return 0;
	}
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		most = isfinite(time[rank]) && time[rank] > most ? time[rank] : most;
	return most * 1e-9;
}

/* Bounds the time by the latency between distant ranks. */
static bool bound_distance(struct bounding *bounding, struct ordo_error *error)
{
	const struct ordo_topology *topology = bounding->topology;
	const enum ordo_operator op = bounding->problem->op;
	const uint32_t nvertex = topology->nrank + topology->nswitch;
	struct distances distances;
	const bool worked = make_distances(&distances, nvertex),
		   from_root = op == ORDO_BROADCAST || op == ORDO_SCATTER,
		   to_root = op == ORDO_REDUCE || op == ORDO_GATHER;
	uint64_t effort = 0;
	if (worked && to_root)
		bounding->bounds->steps = fmax(bounding->bounds->steps,
			greatest_distance_to(topology, bounding->problem->root, distances.time));
	for (uint32_t rank = 0;
		worked && !to_root && rank < topology->nrank && effort < MOST_EFFORT / 64; rank++) {
		const uint32_t from = from_root ? bounding->problem->root : rank;
		const double most = greatest_distance(topology, from, &distances);
		bounding->bounds->steps =
			most > bounding->bounds->steps ? most : bounding->bounds->steps;
		effort += topology->nlink;
		if (from_root)
			break;
	}
	free_distances(&distances);
	return worked || ordo_fail_memory(error);
}

/* The greatest latency of a shortest path between two ranks of which one has data for the other.
 */
static bool bound_unequal_distance(struct bounding *bounding, struct ordo_error *error)
{
	const struct ordo_topology *topology = bounding->topology;
	const uint32_t nrank = topology->nrank, nvertex = nrank + topology->nswitch;
	struct distances distances;
	bool worked = make_distances(&distances, nvertex);
	uint64_t effort = 0;
	for (uint32_t rank = 0; worked && rank < nrank && effort < MOST_EFFORT / 64; rank++) {
		if (!(bounding->demand->out[rank] > 0))
			continue;
		find_distances(topology, rank, &distances);
		for (uint32_t to = 0; to < nrank; to++)
			if (ordo_demand_between(bounding->demand, rank, to) &&
				isfinite(distances.time[to]))
				bounding->bounds->steps =
					fmax(bounding->bounds->steps, distances.time[to] * 1e-9);
		effort += topology->nlink + nrank;
	}
	free_distances(&distances);
	return worked || ordo_fail_memory(error);
}

static bool bound_steps(struct bounding *bounding, struct ordo_error *error)
{
	const uint32_t nrank = bounding->demand ? bounding->demand->involved
						: bounding->problem->nrank,
		       ports = bounding->topology ? bounding->topology->ports : 0;
	struct sender *senders = ordo_array_make(nrank, sizeof *senders, 0);
	if (!senders)
		return ordo_fail_memory(error);
	if (nrank > 1)
		bounding->bounds->steps =
			ports ? broadcast_time(nrank, bounding->latency, ports, senders)
			      : bounding->latency;
	free(senders);
	if (!bounding->topology)
		return true;
	return bounding->demand ? bound_unequal_distance(bounding, error)
				: bound_distance(bounding, error);
}

/* Cuts. */

static void count_inside(const struct bounding *bounding, uint32_t *s, bool *root_inside)
{
	*s = 0;
	for (uint32_t rank = 0; rank < bounding->problem->nrank; rank++)
		*s += bounding->inside[rank];
	*root_inside = bounding->inside[bounding->problem->root];
}

static double time_over(double bytes, double rate)
{
	return bytes > 0 && rate > 0 ? bytes / rate : 0;
}

/* The time of the bytes that must cross the cut, in the slower direction. */
static double cut_time(struct bounding *bounding)
{
	uint32_t s;
	bool root_inside;
	const double p = bounding->problem->nrank;
	count_inside(bounding, &s, &root_inside);
	const struct ordo_demand *demand = bounding->demand;
	const double out = demand ? ordo_demand_leaving(demand, bounding->inside, true)
				  : leaving(bounding, s, root_inside),
		     in = demand ? ordo_demand_leaving(demand, bounding->inside, false)
				 : leaving(bounding, p - s, !root_inside);
	if (!bounding->topology) {
		const double rate = s * (p - s) * bounding->link;
		return fmax(time_over(out, rate), time_over(in, rate));
	}
	bounding->effort += 2 * (uint64_t)bounding->topology->nlink +
			    (demand ? 2 * (uint64_t)ordo_nblock(bounding->problem) : 0);
	return fmax(
		time_over(out, out > 0 ? ordo_cut_rate(&bounding->cut, bounding->inside, true) : 0),
		time_over(in, in > 0 ? ordo_cut_rate(&bounding->cut, bounding->inside, false) : 0));
}

/* Keeps a cut that gives a greater bound than all before. false: no memory. */
static bool keep_if_greater(struct bounding *bounding)
{
	struct ordo_time_bounds *bounds = bounding->bounds;
	const uint32_t nrank = bounding->problem->nrank;
	const double time = cut_time(bounding);
	uint32_t s, count = 0;
	bool root_inside;
	if (!(time > bounds->cut * (1 + 1e-9)))
		return true;
	count_inside(bounding, &s, &root_inside);
	const bool side = 2 * s <= nrank;
	free(bounds->cut_ranks);
	bounds->cut_ranks = ordo_array_make(nrank, sizeof *bounds->cut_ranks, 0);
	if (!bounds->cut_ranks)
		return false;
	for (uint32_t rank = 0; rank < nrank; rank++)
		if (bounding->inside[rank] == side)
			bounds->cut_ranks[count++] = rank;
	bounds->cut_nrank = count;
	bounds->cut = time;
	return true;
}

static bool look_at_all_cuts(struct bounding *bounding)
{
	const uint32_t nrank = bounding->problem->nrank;
	bool worked = true;
	bounding->bounds->cut_exact = true;
	for (uint32_t set = 1; worked && set < 1u << (nrank - 1); set++) {
		for (uint32_t rank = 0; rank < nrank; rank++)
			bounding->inside[rank] = set >> rank & 1;
		worked = keep_if_greater(bounding);
	}
	return worked;
}

/* The cut around the ranks with (rank / stride) mod size in first..end-1. */
static bool bound_stripe(
	struct bounding *bounding, uint32_t stride, uint32_t size, uint32_t first, uint32_t end)
{
	for (uint32_t rank = 0; rank < bounding->problem->nrank; rank++)
		bounding->inside[rank] =
			rank / stride % size >= first && rank / stride % size < end;
	return bounding->effort > MOST_EFFORT || keep_if_greater(bounding);
}

/* Cuts around single ranks; halves along every possible dimension; and blocks of adjacent ranks. */
static bool bound_some_cuts(struct bounding *bounding)
{
	const uint32_t nrank = bounding->problem->nrank;
	bool worked = true;
	for (uint32_t stride = 1; worked && stride < nrank; stride++) {
		if (nrank % stride)
			continue;
		const uint32_t nblock = nrank / stride;
		worked = bound_stripe(bounding, stride, nblock, 0, nblock / 2);
		for (uint32_t i = 0; worked && i < nblock && i < MOST_BLOCKS; i++)
			worked = bound_stripe(bounding, stride, nblock, i, i + 1);
		for (uint32_t size = 2; worked && size < nblock; size++)
			worked = nblock % size || bound_stripe(bounding, stride, size, 0, size / 2);
	}
	return worked;
}

/* All links are equal, so the cut around one rank gives the greatest bound: s(p-s) links leave s
 * ranks, which send at most min(s, p-s) times as much as the busiest rank. */
static bool bound_one_rank(struct bounding *bounding)
{
	const uint32_t nrank = bounding->problem->nrank, root = bounding->problem->root;
	bool worked = true;
	bounding->bounds->cut_exact = true;
	for (uint32_t shift = 0; worked && shift < 2; shift++) {
		for (uint32_t rank = 0; rank < nrank; rank++)
			bounding->inside[rank] = rank == (root + shift) % nrank;
		worked = keep_if_greater(bounding);
	}
	return worked;
}

/* Keeps the ranks on the smaller side of the cut. false: no memory. */
static bool keep_cut(
	struct ordo_time_bounds *bounds, const struct ordo_wire_bound *wire, uint32_t nrank)
{
	uint32_t inside = 0, next = 0;
	while (inside < wire->first[1] && wire->vertices[inside] < nrank)
		inside++;
	const bool side = 2 * inside <= nrank;
	bounds->cut_ranks = ordo_array_make(nrank, sizeof *bounds->cut_ranks, 0);
	for (uint32_t rank = 0; bounds->cut_ranks && rank < nrank; rank++) {
		const bool in = next < inside && wire->vertices[next] == rank;
		next += in;
		if (in == side)
			bounds->cut_ranks[bounds->cut_nrank++] = rank;
	}
	return bounds->cut_ranks;
}

/* The same of unequal blocks: of one rank or another. */
static bool bound_single_ranks(struct bounding *bounding)
{
	const struct ordo_demand *demand = bounding->demand;
	const uint32_t nrank = bounding->problem->nrank;
	uint32_t busiest = 0;
	for (uint32_t rank = 1; rank < nrank; rank++)
		if (fmax(demand->out[rank], demand->in[rank]) >
			fmax(demand->out[busiest], demand->in[busiest]))
			busiest = rank;
	bounding->inside[busiest] = true;
	return keep_if_greater(bounding);
}

/* The bound of the wire. What cannot be reached at all gives none. */
static bool bound_wire(struct bounding *bounding, struct ordo_error *error)
{
	struct ordo_time_bounds *bounds = bounding->bounds;
	const struct ordo_problem *problem = bounding->problem;
	struct ordo_error why = {0};
	struct ordo_wire_bound *wire =
		ordo_wire_bound_make(problem->op, problem->root, bounding->topology, false, &why);
	if (!wire)
		return why.code == ORDO_USAGE || ordo_fail_memory(error);
	bounds->cut = ordo_wire_bound_seconds(wire, bounding->bytes);
	bounds->cut_exact = wire->complete;
	bool worked = true;
	if (wire->nset == 1)
		worked = keep_cut(bounds, wire, problem->nrank);
	else
		bounds->cut_nset = wire->nset;
	ordo_wire_bound_destroy(wire);
	return worked || ordo_fail_memory(error);
}

static bool bound_cut(struct bounding *bounding, struct ordo_error *error)
{
	/* Ranks without a shard have nothing to send. */
	if (bounding->topology && !bounding->demand &&
		bounding->problem->nrank <= MOST_WIRE_RANKS &&
		bounding->problem->nshard >= bounding->problem->nrank)
		return bound_wire(bounding, error);
	const uint32_t nrank = bounding->problem->nrank,
		       most = bounding->topology && bounding->topology->nswitch
				      ? ALL_CUTS_THROUGH_SWITCHES
				      : ALL_CUTS;
	bounding->inside = ordo_array_make(nrank, sizeof *bounding->inside, 0);
	bool worked = bounding->inside;
	if (worked && nrank > 1)
		worked = !bounding->topology && !bounding->demand ? bound_one_rank(bounding)
			 : nrank <= most			  ? look_at_all_cuts(bounding)
			 : bounding->topology			  ? bound_some_cuts(bounding)
								  : bound_single_ranks(bounding);
	free(bounding->inside);
	return worked || ordo_fail_memory(error);
}

/* Bytes over ports, and sums. */

static void bound_volume(struct bounding *bounding)
{
	const uint32_t nrank = bounding->problem->nrank, root = bounding->problem->root;
	const struct ordo_demand *demand = bounding->demand;
	const double total = demand ? demand->sent : total_bytes(bounding);
	double send = 0, receive = 0, most = 0;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		const double out = bounding->topology ? bounding->cut.send[rank]
						      : (nrank - 1) * bounding->link,
			     in = bounding->topology ? bounding->cut.receive[rank]
						     : (nrank - 1) * bounding->link;
		most = fmax(most,
			time_over(demand ? demand->out[rank] : leaving(bounding, 1, rank == root),
				out));
		most = fmax(most, time_over(demand ? demand->in[rank]
						   : leaving(bounding, nrank - 1, rank != root),
					  in));
		send += out;
		receive += in;
	}
	if (nrank > 1)
		bounding->bounds->volume =
			fmax(most, fmax(time_over(total, send), time_over(total, receive)));
}

/* Each element takes one addition fewer than it has contributions. */
static void bound_reduce(struct bounding *bounding, double rate)
{
	const struct ordo_problem *problem = bounding->problem;
	if (ordo_operator_facts(problem->op)->reduces)
		bounding->bounds->reduce =
			time_over((problem->nshard - 1.0) * bounding->bytes, problem->nrank * rate);
}

bool ordo_bounds_make(struct ordo_time_bounds *bounds, const struct ordo_problem *problem,
	double bytes, const double *block_bytes, const struct ordo_predict_options *options,
	struct ordo_error *error)
{
	const struct ordo_topology *topology = options->topology;
	struct ordo_demand demand = {.out = NULL};
	struct bounding bounding = {.bounds = bounds,
		.problem = problem,
		.topology = topology,
		.bytes = bytes,
		.demand = block_bytes ? &demand : NULL,
		.latency = topology ? least_latency(topology) : options->machine.latency_ns * 1e-9,
		.link = options->machine.bandwidth_gbs * 1e9};
	const double rate = topology && topology->reduce_gbs > 0
				    ? topology->reduce_gbs
				    : options->machine.reduce_bandwidth_gbs;
	*bounds = (struct ordo_time_bounds){0};
	bool worked =
		(!bounding.demand || ordo_demand_make(&demand, problem, block_bytes, error)) &&
		(!topology || ordo_cut_make(&bounding.cut, topology, error));
	/* Nothing is demanded of Custom. */
	const bool demanding = problem->op != ORDO_CUSTOM;
	worked = worked &&
		 (!demanding || (bound_steps(&bounding, error) && bound_cut(&bounding, error)));
	if (worked && demanding) {
		bound_volume(&bounding);
		bound_reduce(&bounding, rate * 1e9);
	}
	ordo_cut_free(&bounding.cut);
	ordo_demand_free(&demand);
	return worked;
}
