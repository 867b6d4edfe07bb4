/* prices.h - prices of links, and the cheapest placement at them. Private to synthesis/place/. */
#ifndef ORDO_SYNTHESIS_PLACE_PRICES_H
#define ORDO_SYNTHESIS_PLACE_PRICES_H

#include "place.h"

__extension__ typedef unsigned __int128 ordo_wide;

#define ORDO_UNREACHED (UINT64_C(1) << 58)

struct ordo_prices {
	const struct ordo_place_network *network;
	const struct ordo_sum_tree *tree;
	uint64_t *loads;  /* [narc] chunks, and behind them [nrank] additions */
	uint64_t *prices; /* [narc], and behind them [nrank] of an addition */
	/* [nrank][nrank] of the cheapest way, and the rank behind the first one on it */
	uint64_t *distances;
	uint16_t *nexts;
	uint64_t *legs;	   /* [nrank][nrank] the price of a leg */
	uint64_t *entries; /* [nrank] the cheapest leg to a rank */
	uint64_t *longest,
		*shortest;    /* [nrank] of the legs from a rank; it need not walk to itself */
	uint64_t *all;	      /* [nvertex][nvertex] */
	uint64_t *costs;      /* [nnode][nrank] of a node's value there */
	uint16_t *places;     /* [nnode][nrank] where it is best computed for that */
	uint64_t *near;	      /* [nrank] */
	uint16_t *parents;    /* [nrank] of the tree that ordo_prices_spread found */
	uint16_t *order;      /* [nrank] in which it grew */
	uint32_t spread_from; /* its root; ORDO_NONE: it is not whole, or of other prices */
	uint64_t spread;      /* what it costs */
};
/* The caller frees it, also after false: no memory. */
bool ordo_prices_make(struct ordo_prices *prices, const struct ordo_place_network *network,
	const struct ordo_sum_tree *tree, struct ordo_error *error);
void ordo_prices_free(struct ordo_prices *prices);

/* Each link's price by its load: the fullest costs 2^sharpness as much as an idle one. */
void ordo_prices_set(struct ordo_prices *prices, uint32_t sharpness);
/* The cheapest ways over legs; then the cheapest places for all nodes at them. with_sums: additions
 * have prices too. */
void ordo_prices_measure(struct ordo_prices *prices);
void ordo_prices_place(struct ordo_prices *prices, bool with_sums);
/* The longest time of a link or an adder under these loads, in chunks over units; lowest terms. */
void ordo_loads_longest(
	const struct ordo_place_network *network, const uint64_t *loads, uint64_t time[2]);
/* Whether the time of an arc, or behind the arcs of an adder, is this. */
bool ordo_load_is(const struct ordo_place_network *network, const uint64_t *loads, uint32_t one,
	const uint64_t time[2]);
/* A sum over all links and adders that grows twofold with each sharpness-th part of `longest`. */
ordo_wide ordo_loads_weight(const struct ordo_place_network *network, const uint64_t *loads,
	const uint64_t longest[2], uint32_t sharpness);
/* The time of the busiest link, and of the busiest adder if that is longer, of so many chunks. */
void ordo_loads_time(const struct ordo_place_network *network, const uint64_t *loads,
	uint32_t nchunk, uint64_t time[2]);
/* No more than ordo_prices_spread: every other rank is entered. */
uint64_t ordo_prices_spread_least(const struct ordo_prices *prices, uint32_t root);
/* The cost of a tree of legs that brings the result from a rank to all; the tree in ->parents. Once
 * it is known to be `enough` or more it is not finished, and the answer is so much at least. */
uint64_t ordo_prices_spread(struct ordo_prices *prices, uint32_t root, uint64_t enough);
/* What no placement of the tree can beat, in vectors over units: raises `least` to it. Changes the
 * distances. */
void ordo_prices_bound(struct ordo_prices *prices, bool spreads, uint64_t least[2]);

/* Numerator and denominator in lowest terms. */
void ordo_fraction_reduce(uint64_t fraction[2]);

#endif
