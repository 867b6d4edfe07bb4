/* lengths.c - lengths of links that bound AllToAll: what goes from rank to rank is at least as long
 * as the shortest way.
 *
 * If every link has a length, n/N bytes for each pair of ranks take at least n/N times the sum of
 * the shortest ways, and links carry in a time T at most T times the sum of bandwidth and length.
 * The greatest such bound is what flows of all pairs reach (duality of linear programs). A cut is
 * lengths of 1 on the links that leave it. Lengths grow where shortest ways crowd, by floats; they
 * are rounded to integers, and what these prove is computed exactly.
 *
 * source F. Shahrokhi and D. W. Matula, The maximum concurrent flow problem, J. ACM 37, 1990
 */
#include "cut.h"
#include "shortest_ways.h"
#include <ordo/arena.h>
#include <ordo/divisor.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LENGTH = 512, MOST_EFFORT = 1 << 25, LEAST_ROUNDS = 8, MOST_ROUNDS = 1000, SMALL = 24 };

struct lengthening {
	const struct ordo_capacities *graph;
	uint32_t most;	 /* of a length, so that sums fit */
	double *weights; /* [narc] lengths, before they are rounded */
	double *flows;	 /* [narc] loads of all rounds, for the bandwidth */
	double congestion;
	uint32_t *lengths;		/* [narc] */
	uint64_t *loads;		/* [narc] shortest ways of ranks over it */
	struct ordo_shortest_ways ways; /* from one rank */
	uint32_t *below;		/* [nvertex] ranks to which they go on from here */
	struct ordo_cut_lengths *best;
};

/* The sum of the ways of all pairs of ranks; and loads. */
static int64_t add_ways(struct lengthening *l)
{
	const struct ordo_capacities *graph = l->graph;
	int64_t sum = 0;
	memset(l->loads, 0, graph->narc * sizeof *l->loads);
	for (uint32_t rank = 0; rank < graph->nrank; rank++) {
		uint32_t count = ordo_shortest_ways_find(&l->ways, graph, l->lengths, rank);
		memset(l->below, 0, graph->nvertex * sizeof *l->below);
		while (count-- > 1) {
			const uint32_t v = l->ways.order[count], arc = l->ways.arcs[v];
			if (v < graph->nrank) {
				l->below[v]++;
				sum += (int64_t)l->ways.distances[v];
			}
			l->loads[arc] += l->below[v];
			l->below[graph->arcs[arc].from] += l->below[v];
		}
	}
	return sum;
}

/* Lengths of at most `most`, in proportion to the weights. */
static void round_weights(struct lengthening *l, uint32_t most)
{
	double greatest = 0;
	for (uint32_t i = 0; i < l->graph->narc; i++)
		greatest = l->weights[i] > greatest ? l->weights[i] : greatest;
	for (uint32_t i = 0; i < l->graph->narc; i++)
		l->lengths[i] = (uint32_t)(l->weights[i] / greatest * most + 0.5);
}

/* What the lengths prove, kept if it is more than before. */
static void try_lengths(struct lengthening *l)
{
	const struct ordo_capacities *graph = l->graph;
	struct ordo_cut_set cut = {.crossing = add_ways(l)};
	for (uint32_t i = 0; i < graph->narc; i++)
		cut.units += graph->arcs[i].units * l->lengths[i];
	if (!cut.units || !ordo_cut_greater(&cut, &l->best->cut))
		return;
	l->best->cut = cut;
	memcpy(l->best->lengths, l->lengths, graph->narc * sizeof *l->lengths);
}

/* The least load of the busiest link, for its bandwidth, that the mean of all rounds has had. */
static double find_congestion(struct lengthening *l, uint32_t round)
{
	double greatest = 0;
	for (uint32_t i = 0; i < l->graph->narc; i++) {
		l->flows[i] += (double)l->loads[i] / (double)l->graph->arcs[i].units;
		greatest = l->flows[i] > greatest ? l->flows[i] : greatest;
	}
	greatest /= round + 1;
	return round && l->congestion < greatest ? l->congestion : greatest;
}

/* Adds to the weights of links what shortest ways load them with, for their bandwidth. */
static void weigh_loads(struct lengthening *l, uint32_t round)
{
	const double share = 1 / (1 + (double)round / 4);
	double greatest = 0;
	l->congestion = find_congestion(l, round);
	for (uint32_t i = 0; i < l->graph->narc; i++) {
		const double load = (double)l->loads[i] / (double)l->graph->arcs[i].units;
		l->weights[i] *= 1 + share * load / l->congestion;
		greatest = l->weights[i] > greatest ? l->weights[i] : greatest;
	}
	for (uint32_t i = 0; i < l->graph->narc; i++)
		l->weights[i] /= greatest;
}

static void lengthen(struct lengthening *l)
{
	const struct ordo_capacities *graph = l->graph;
	const uint64_t effort =
		(uint64_t)graph->nrank * ((uint64_t)graph->nvertex * graph->nvertex + graph->narc);
	const uint32_t affordable = (uint32_t)(MOST_EFFORT / effort),
		       rounds = affordable < LEAST_ROUNDS  ? LEAST_ROUNDS
				: affordable > MOST_ROUNDS ? MOST_ROUNDS
							   : affordable;
	for (uint32_t i = 0; i < graph->narc; i++)
		l->weights[i] = 1 / (double)graph->arcs[i].units;
	for (uint32_t round = 0; round < rounds; round++) {
		round_weights(l, l->most);
		try_lengths(l);
		weigh_loads(l, round);
	}
	/* The best are often small integers. */
	for (uint32_t most = 1; most <= SMALL && most < l->most; most++) {
		round_weights(l, most);
		try_lengths(l);
	}
}

/* Divides the lengths by their greatest common divisor. */
static void reduce_lengths(struct ordo_cut_lengths *best, uint32_t narc)
{
	uint64_t divisor = 0;
	for (uint32_t i = 0; i < narc; i++)
		divisor =
			divisor ? ordo_common_divisor(divisor, best->lengths[i]) : best->lengths[i];
	for (uint32_t i = 0; divisor && i < narc; i++)
		best->lengths[i] /= (uint32_t)divisor;
	best->cut.crossing /= divisor ? (int64_t)divisor : 1;
	best->cut.units /= divisor ? (int64_t)divisor : 1;
}

bool ordo_lengths_alltoall(const struct ordo_capacities *graph, struct ordo_cut_lengths *best,
	struct ordo_error *error)
{
	const size_t narc = graph->narc, nvertex = graph->nvertex;
	/* parts * units, N times total times length, stays below 2^62. */
	const int64_t room = INT64_MAX / 2 / graph->nrank / (graph->total ? graph->total : 1);
	struct lengthening l = {.graph = graph,
		.most = room < MOST_LENGTH ? (uint32_t)room : MOST_LENGTH,
		.weights = ordo_array_make(narc, sizeof *l.weights, 0),
		.flows = ordo_array_make(narc, sizeof *l.flows, 0),
		.lengths = ordo_array_make(narc, sizeof *l.lengths, 0),
		.loads = ordo_array_make(narc, sizeof *l.loads, 0),
		.below = ordo_array_make(nvertex, sizeof *l.below, 0),
		.best = best};
	best->lengths = ordo_array_make(narc, sizeof *best->lengths, 0);
	const bool worked = ordo_shortest_ways_make(&l.ways, graph->nvertex) && l.weights &&
			    l.flows && l.lengths && l.loads && l.below && best->lengths;
	if (worked) {
		lengthen(&l);
		reduce_lengths(best, graph->narc);
	}
	free(l.weights);
	free(l.flows);
	free(l.lengths);
	free(l.loads);
	ordo_shortest_ways_free(&l.ways);
	free(l.below);
	return worked || ordo_fail_memory(error);
}
