/* chunk.c - one placed chunk: the cheapest at prices, its hops, and its share of the loads. */
#include "chunk.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

void ordo_place_chunks_free(struct ordo_place_chunk *chunks, uint32_t nchunk)
{
	for (uint32_t c = 0; chunks && c < nchunk; c++) {
		free(chunks[c].at);
		free(chunks[c].hops);
	}
	free(chunks);
}

struct ordo_place_chunk *ordo_place_chunks_make(uint32_t nchunk, uint32_t nnode)
{
	struct ordo_place_chunk *chunks = ordo_array_make(nchunk, sizeof *chunks, 0);
	bool worked = chunks;
	for (uint32_t c = 0; worked && c < nchunk; c++)
		worked = (chunks[c].at = ordo_array_make(nnode, sizeof *chunks[c].at, 0));
	if (worked)
		return chunks;
	ordo_place_chunks_free(chunks, nchunk);
	return NULL;
}

bool ordo_place_chunks_copy(
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

static bool add_hop(struct ordo_place_chunk *chunk, struct ordo_place_hop hop)
{
	if (!ordo_array_reserve(
		    &chunk->hops, &chunk->room, (size_t)chunk->nhop + 1, sizeof *chunk->hops))
		return false;
	chunk->hops[chunk->nhop++] = hop;
	return true;
}

bool ordo_place_lay_hops(struct ordo_prices *prices, bool spreads, struct ordo_place_chunk *chunk)
{
	const uint32_t nrank = prices->network->nrank, last = prices->tree->nnode - 1;
	chunk->nhop = 0;
	for (uint32_t node = 0; node <= last; node++) {
		const uint32_t to =
			node == last ? chunk->target : chunk->at[prices->tree->parents[node]];
		for (uint32_t at = chunk->at[node]; at != to;) {
			const uint16_t next = prices->nexts[at * nrank + to];
			if (!add_hop(chunk, (struct ordo_place_hop){(uint16_t)at, next,
						    (uint16_t)node, node == last}))
				return false;
			at = next;
		}
	}
	if (!spreads)
		return true;
	ordo_prices_spread(prices, chunk->target, UINT64_MAX);
	for (uint32_t i = 1; i < nrank; i++) {
		const uint16_t v = prices->order[i];
		if (!add_hop(chunk,
			    (struct ordo_place_hop){prices->parents[v], v, (uint16_t)last, true}))
			return false;
	}
	return true;
}

const struct ordo_leg *ordo_place_leg(
	const struct ordo_place_network *network, const struct ordo_place_hop *hop)
{
	return &network->legs[(uint32_t)hop->from * network->nrank + hop->to];
}

void ordo_place_load(const struct ordo_place_network *network, const struct ordo_place_chunk *chunk,
	uint64_t times, uint64_t *loads)
{
	const uint32_t nnode = 2 * network->nrank - 1;
	for (uint32_t node = network->nrank; chunk->nhop && node < nnode; node++)
		loads[network->graph->narc + chunk->at[node]] += times;
	for (uint32_t h = 0; h < chunk->nhop; h++) {
		const struct ordo_leg *leg = ordo_place_leg(network, &chunk->hops[h]);
		for (uint32_t a = leg->first; a < leg->end; a++)
			loads[network->arcs[a]] += times;
	}
}

uint32_t ordo_place_cheapest_root(
	struct ordo_prices *prices, bool spreads, uint32_t number, uint64_t *least)
{
	const uint32_t nrank = prices->network->nrank;
	const uint64_t *costs = prices->costs + (size_t)(prices->tree->nnode - 1) * nrank;
	uint32_t best = ORDO_NONE;
	*least = UINT64_MAX;
	for (uint32_t i = 0; i < nrank; i++) {
		const uint32_t w = (number + i) % nrank;
		if (costs[w] >= *least)
			continue;
		const uint64_t cost =
			costs[w] + (spreads ? ordo_prices_spread(prices, w, *least - costs[w])
					    : prices->distances[w * nrank + number % nrank]);
		if (cost >= *least)
			continue;
		best = w;
		*least = cost;
	}
	return best;
}

bool ordo_place_cheapest(
	struct ordo_prices *prices, bool spreads, uint32_t number, struct ordo_place_chunk *chunk)
{
	const struct ordo_sum_tree *tree = prices->tree;
	const uint32_t nrank = prices->network->nrank, last = tree->nnode - 1;
	uint64_t least;
	chunk->at[last] = (uint16_t)ordo_place_cheapest_root(prices, spreads, number, &least);
	for (uint32_t node = last; node-- > 0;)
		chunk->at[node] =
			prices->places[(size_t)node * nrank + chunk->at[tree->parents[node]]];
	chunk->target = spreads ? chunk->at[last] : (uint16_t)(number % nrank);
	return ordo_place_lay_hops(prices, spreads, chunk);
}
