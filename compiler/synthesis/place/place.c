/* place.c - a fixed tree of sums is placed on a network: each chunk where it is cheapest, at prices
 * that rise with the loads, again and again.
 *
 * It begins with what serves every tree: all values go to where the result is wanted. On a full
 * mesh or one switch nothing is faster.
 *
 * source A. Plotkin, D. Shmoys and E. Tardos, Math. Oper. Res. 20(2), 1995 (multiplicative weights)
 */
#include "place.h"
#include "prices.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

static void free_chunks(struct ordo_place_chunk *chunks, uint32_t nchunk)
{
	for (uint32_t c = 0; chunks && c < nchunk; c++) {
		free(chunks[c].at);
		free(chunks[c].hops);
	}
	free(chunks);
}

void ordo_placement_free(struct ordo_placement *placement)
{
	free_chunks(placement->chunks, placement->nchunk);
	*placement = (struct ordo_placement){0};
}

static struct ordo_place_chunk *make_chunks(uint32_t nchunk, uint32_t nnode)
{
	struct ordo_place_chunk *chunks = ordo_array_make(nchunk, sizeof *chunks, 0);
	bool worked = chunks;
	for (uint32_t c = 0; worked && c < nchunk; c++)
		worked = (chunks[c].at = ordo_array_make(nnode, sizeof *chunks[c].at, 0));
	if (worked)
		return chunks;
	free_chunks(chunks, nchunk);
	return NULL;
}

static bool copy_chunks(
	struct ordo_place_chunk *to, const struct ordo_place_chunk *from, const uint32_t count[2])
{
	for (uint32_t c = 0; c < count[0]; c++) {
		if (!ordo_array_reserve(
			    &to[c].hops, &to[c].room, (size_t)from[c].nhop + 1, sizeof *to[c].hops))
			return false;
		memcpy(to[c].at, from[c].at, count[1] * sizeof *to[c].at);
		if (from[c].nhop)
			memcpy(to[c].hops, from[c].hops, from[c].nhop * sizeof *to[c].hops);
		to[c].nhop = from[c].nhop;
		to[c].target = from[c].target;
	}
	return true;
}

struct placer {
	struct ordo_prices prices;
	const struct ordo_place_network *network;
	const struct ordo_sum_tree *tree;
	bool spreads;
	uint32_t nchunk;
	struct ordo_place_chunk *chunks; /* now; the best are in the placement */
	uint64_t *history;		 /* [narc] loads of all passes */
};

static bool add_hop(struct ordo_place_chunk *chunk, struct ordo_place_hop hop)
{
	if (!ordo_array_reserve(
		    &chunk->hops, &chunk->room, (size_t)chunk->nhop + 1, sizeof *chunk->hops))
		return false;
	chunk->hops[chunk->nhop++] = hop;
	return true;
}

/* Writes the hops of a chunk whose places are known. */
static bool lay_hops(struct placer *placer, struct ordo_place_chunk *chunk)
{
	const uint32_t nrank = placer->network->nrank, last = placer->tree->nnode - 1;
	chunk->nhop = 0;
	for (uint32_t node = 0; node <= last; node++) {
		const uint32_t to =
			node == last ? chunk->target : chunk->at[placer->tree->parents[node]];
		for (uint32_t at = chunk->at[node]; at != to;) {
			const uint16_t next = placer->prices.nexts[at * nrank + to];
			if (!add_hop(chunk, (struct ordo_place_hop){(uint16_t)at, next,
						    (uint16_t)node, node == last}))
				return false;
			at = next;
		}
	}
	if (!placer->spreads)
		return true;
	ordo_prices_spread(&placer->prices, chunk->target);
	for (uint32_t i = 1; i < nrank; i++) {
		const uint16_t v = placer->prices.order[i];
		if (!add_hop(chunk, (struct ordo_place_hop){
					    placer->prices.parents[v], v, (uint16_t)last, true}))
			return false;
	}
	return true;
}

/* Adds `times` (or takes away) a chunk's hops to the loads of arcs. */
static void load(const struct ordo_place_network *network, const struct ordo_place_chunk *chunk,
	uint64_t times, uint64_t *loads)
{
	for (uint32_t h = 0; h < chunk->nhop; h++) {
		const struct ordo_place_hop *hop = &chunk->hops[h];
		const struct ordo_leg *leg =
			&network->legs[(uint32_t)hop->from * network->nrank + hop->to];
		for (uint32_t a = leg->first; a < leg->end; a++)
			loads[network->arcs[a]] += times;
	}
}

/* The time of the busiest arc if the loads are those of nchunk chunks. */
static void measure_time(const struct ordo_capacities *graph, const uint64_t *loads,
	uint32_t nchunk, uint64_t time[2])
{
	time[0] = 0;
	time[1] = 1;
	for (uint32_t a = 0; a < graph->narc; a++) {
		const uint64_t one[2] = {loads[a], (uint64_t)graph->arcs[a].units};
		if (!ordo_fraction_less(time, one))
			continue;
		time[0] = one[0];
		time[1] = one[1];
	}
	ordo_fraction_reduce(time);
	time[1] *= nchunk;
	ordo_fraction_reduce(time);
}

bool ordo_placement_time(const struct ordo_placement *placement,
	const struct ordo_place_network *network, uint32_t nchunk, uint64_t time[2])
{
	uint64_t *loads = ordo_array_make(network->graph->narc, sizeof *loads, 0);
	for (uint32_t c = 0; loads && c < placement->nchunk; c++)
		load(network, &placement->chunks[c],
			nchunk / placement->nchunk + (c < nchunk % placement->nchunk), loads);
	if (loads)
		measure_time(network->graph, loads, nchunk, time);
	free(loads);
	return loads;
}

/* All values go to where the result is wanted. */
static bool lay_raw(struct placer *placer)
{
	ordo_prices_set(&placer->prices, 0);
	ordo_prices_measure(&placer->prices);
	for (uint32_t c = 0; c < placer->nchunk; c++) {
		struct ordo_place_chunk *chunk = &placer->chunks[c];
		chunk->target = (uint16_t)(c % placer->network->nrank);
		for (uint32_t node = 0; node < placer->tree->nnode; node++)
			chunk->at[node] =
				node < placer->tree->nleaf ? (uint16_t)node : chunk->target;
		if (!lay_hops(placer, chunk))
			return false;
		load(placer->network, chunk, 1, placer->prices.loads);
	}
	return true;
}

/* Where the result is computed: for a rank that wants it, or for all. */
static uint32_t find_root(struct placer *placer, uint32_t c)
{
	struct ordo_prices *prices = &placer->prices;
	const uint32_t nrank = placer->network->nrank;
	const uint64_t *costs = prices->costs + (size_t)(placer->tree->nnode - 1) * nrank;
	uint32_t best = ORDO_NONE;
	uint64_t least = 0;
	for (uint32_t i = 0; i < nrank; i++) {
		const uint32_t w = (c + i) % nrank;
		const uint64_t cost =
			costs[w] + (placer->spreads ? ordo_prices_spread(prices, w)
						    : prices->distances[w * nrank + c % nrank]);
		if (best != ORDO_NONE && cost >= least)
			continue;
		best = w;
		least = cost;
	}
	return best;
}

enum { SHARED_BY = 8 };

static bool place_again(struct placer *placer, uint32_t c, uint32_t sharpness)
{
	const struct ordo_sum_tree *tree = placer->tree;
	struct ordo_place_chunk *chunk = &placer->chunks[c];
	const uint32_t nrank = placer->network->nrank;
	load(placer->network, chunk, UINT64_MAX, placer->prices.loads);
	/* On many ranks some chunks share their prices. */
	if (nrank < 2 * SHARED_BY || c % (nrank / SHARED_BY) == 0) {
		ordo_prices_set(&placer->prices, sharpness);
		ordo_prices_measure(&placer->prices);
		ordo_prices_place(&placer->prices);
	}
	for (uint32_t node = tree->nnode; node-- > 0;)
		chunk->at[node] = node == tree->nnode - 1
					  ? (uint16_t)find_root(placer, c)
					  : placer->prices.places[(size_t)node * nrank +
								  chunk->at[tree->parents[node]]];
	chunk->target = placer->spreads ? chunk->at[tree->nnode - 1] : (uint16_t)(c % nrank);
	if (!lay_hops(placer, chunk))
		return false;
	load(placer->network, chunk, 1, placer->prices.loads);
	return true;
}

/* Keeps what is best so far. false: no memory. */
static bool keep(struct placer *placer, struct ordo_placement *placement)
{
	uint64_t time[2];
	measure_time(placer->network->graph, placer->prices.loads, placer->nchunk, time);
	if (placement->time[1] && !ordo_fraction_less(time, placement->time))
		return true;
	const uint32_t count[2] = {placer->nchunk, placer->tree->nnode};
	placement->time[0] = time[0];
	placement->time[1] = time[1];
	return copy_chunks(placement->chunks, placer->chunks, count);
}

enum { SOFTEST = 4, SHARPEST = 24 };

/* By the prices of these loads, and of those of all passes together. */
static void raise_bound(struct placer *placer, struct ordo_placement *placement)
{
	uint64_t *const loads = placer->prices.loads;
	for (uint32_t a = 0; a < placer->network->graph->narc; a++)
		placer->history[a] += loads[a];
	for (uint32_t s = SOFTEST / 4; s <= SHARPEST; s *= 2)
		for (uint32_t of_all = 0; of_all < 2; of_all++) {
			placer->prices.loads = of_all ? placer->history : loads;
			ordo_prices_set(&placer->prices, s);
			ordo_prices_bound(&placer->prices, placer->spreads, placement->least);
		}
	placer->prices.loads = loads;
}

static bool improve(struct placer *placer, struct ordo_placement *placement, uint32_t passes)
{
	for (uint32_t pass = 0; pass < passes; pass++) {
		const uint32_t sharpness =
			SOFTEST + (SHARPEST - SOFTEST) * pass / (passes > 1 ? passes - 1 : 1);
		if (!ordo_fraction_less(placement->least, placement->time))
			return true;
		/* The first pass begins without loads. */
		for (uint32_t c = 0; !pass && c < placer->nchunk; c++) {
			load(placer->network, &placer->chunks[c], UINT64_MAX, placer->prices.loads);
			placer->chunks[c].nhop = 0;
		}
		for (uint32_t c = 0; c < placer->nchunk; c++)
			if (!place_again(placer, c, sharpness))
				return false;
		raise_bound(placer, placement);
		if (!keep(placer, placement))
			return false;
	}
	return true;
}

bool ordo_place(struct ordo_placement *placement, const struct ordo_place_network *network,
	const struct ordo_sum_tree *tree, bool spreads, uint32_t nchunk, const uint64_t bound[2],
	uint32_t passes, struct ordo_error *error)
{
	struct placer placer = {.network = network,
		.tree = tree,
		.spreads = spreads,
		.nchunk = nchunk,
		.chunks = make_chunks(nchunk, tree->nnode),
		.history = ordo_array_make(network->graph->narc, sizeof *placer.history, 0)};
	*placement = (struct ordo_placement){.nchunk = nchunk,
		.nnode = tree->nnode,
		.least = {bound[0], bound[1]},
		.chunks = make_chunks(nchunk, tree->nnode)};
	bool worked = ordo_prices_make(&placer.prices, network, tree, error);
	if (worked && !(placement->chunks && placer.chunks && placer.history))
		worked = ordo_fail_memory(error);
	if (worked) {
		ordo_prices_set(&placer.prices, 0);
		ordo_prices_bound(&placer.prices, spreads, placement->least);
		worked = (lay_raw(&placer) && keep(&placer, placement) &&
				 improve(&placer, placement, passes)) ||
			 ordo_fail_memory(error);
	}
	free_chunks(placer.chunks, nchunk);
	free(placer.history);
	ordo_prices_free(&placer.prices);
	return worked;
}
