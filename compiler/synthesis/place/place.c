/* place.c - a fixed tree of sums is placed on a network: each chunk where it is cheapest, at prices
 * that rise with the loads, again and again.
 *
 * It begins with what serves every tree: all values go to where the result is wanted. On a full
 * mesh or one switch nothing is faster.
 *
 * source A. Plotkin, D. Shmoys and E. Tardos, Math. Oper. Res. 20(2), 1995 (multiplicative weights)
 */
#include "place.h"
#include "chunk.h"
#include "prices.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

void ordo_placement_free(struct ordo_placement *placement)
{
	ordo_place_chunks_free(placement->chunks, placement->nchunk);
	free(placement->shares);
	*placement = (struct ordo_placement){0};
}

bool ordo_placement_copy(struct ordo_placement *to, const struct ordo_placement *from)
{
	const uint32_t count[2] = {from->nchunk, from->nnode};
	*to = *from;
	to->chunks = ordo_place_chunks_make(from->nchunk, from->nnode);
	to->shares = from->shares ? ordo_array_make(from->nchunk, sizeof *to->shares, 0) : NULL;
	if (to->shares)
		memcpy(to->shares, from->shares, from->nchunk * sizeof *to->shares);
	if (to->chunks && !to->shares == !from->shares &&
		ordo_place_chunks_copy(to->chunks, from->chunks, count))
		return true;
	ordo_placement_free(to);
	return false;
}

struct placer {
	struct ordo_prices prices;
	const struct ordo_place_network *network;
	const struct ordo_sum_tree *tree;
	bool spreads;
	uint32_t nchunk;
	struct ordo_place_chunk *chunks; /* now; the best are in the placement */
	uint64_t *history;		 /* loads of all passes */
	bool noisy;			 /* prices are changed by chance */
	uint32_t noise;
};

bool ordo_place_reaches(
	const struct ordo_place_network *network, const uint64_t bound[2], const uint64_t time[2])
{
	const uint64_t adders[2] = {
		network->adding * (network->nrank - 1), (uint64_t)ORDO_ADDING * network->nrank};
	return !ordo_fraction_less(bound, time) || !ordo_fraction_less(adders, time);
}

bool ordo_placement_time(const struct ordo_placement *placement,
	const struct ordo_place_network *network, uint32_t nchunk, uint64_t time[2])
{
	struct ordo_place_network links = *network;
	uint64_t *loads = ordo_array_make(network->graph->narc + network->nrank, sizeof *loads, 0);
	links.adding = 0;
	for (uint32_t c = 0; loads && c < placement->nchunk; c++)
		ordo_place_load(network, &placement->chunks[c],
			nchunk / placement->nchunk + (c < nchunk % placement->nchunk), loads);
	if (loads)
		ordo_loads_time(&links, loads, nchunk, time);
	free(loads);
	return loads;
}

/* Whether no placement of so many whole chunks is faster: what is fullest carries a whole number of
 * them. */
static bool is_least(const struct placer *placer, const struct ordo_placement *placement)
{
	const struct ordo_place_network *network = placer->network;
	const uint64_t *least = placement->least;
	bool answer = !network->adding;
	for (uint32_t a = 0; answer && a < network->graph->narc; a++) {
		const uint64_t room = (uint64_t)network->graph->arcs[a].units * placer->nchunk;
		const ordo_wide chunks = ((ordo_wide)least[0] * room + least[1] - 1) / least[1];
		/* time <= chunks / room */
		answer = (ordo_wide)placement->time[0] * room <= chunks * placement->time[1];
	}
	return answer || ordo_place_reaches(network, least, placement->time);
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
		if (!ordo_place_lay_hops(&placer->prices, placer->spreads, chunk))
			return false;
		ordo_place_load(placer->network, chunk, 1, placer->prices.loads);
	}
	return true;
}

enum { SHARED_BY = 8 };

static size_t nload(const struct placer *placer)
{
	return placer->network->graph->narc + placer->network->nrank;
}

/* The same sequence of numbers everywhere: Lehmer, Park and Miller. */
static uint32_t draw(struct placer *placer)
{
	placer->noise = (uint32_t)((uint64_t)placer->noise * 48271 % 0x7fffffff);
	return placer->noise;
}

/* anew: prices are those of the loads now */
static bool place_again(struct placer *placer, uint32_t c, uint32_t sharpness, bool anew)
{
	struct ordo_place_chunk *chunk = &placer->chunks[c];
	ordo_place_load(placer->network, chunk, UINT64_MAX, placer->prices.loads);
	if (anew) {
		ordo_prices_set(&placer->prices, sharpness);
		for (size_t i = 0; placer->noisy && i < nload(placer); i++)
			placer->prices.prices[i] <<= draw(placer) % 4;
		ordo_prices_measure(&placer->prices);
		ordo_prices_place(&placer->prices, placer->network->adding);
	}
	if (!ordo_place_cheapest(&placer->prices, placer->spreads, c, chunk))
		return false;
	ordo_place_load(placer->network, chunk, 1, placer->prices.loads);
	return true;
}

/* Keeps what is best so far. false: no memory. */
static bool keep(struct placer *placer, struct ordo_placement *placement)
{
	uint64_t time[2];
	ordo_loads_time(placer->network, placer->prices.loads, placer->nchunk, time);
	if (placement->time[1] && !ordo_fraction_less(time, placement->time))
		return true;
	const uint32_t count[2] = {placer->nchunk, placer->tree->nnode};
	placement->time[0] = time[0];
	placement->time[1] = time[1];
	return ordo_place_chunks_copy(placement->chunks, placer->chunks, count);
}

enum {
	SOFTEST = 4,
	DOUBLINGS = 4, /* from the softest to the sharpest */
	SHARPEST = SOFTEST << DOUBLINGS,
	STEPS = 16 /* in each doubling */
};

/* The first passes find where there is room, the last even out the last per cent. */
static uint32_t sharpness_at(uint32_t pass, uint32_t passes)
{
	const uint32_t step = DOUBLINGS * STEPS * pass / (passes > 1 ? passes - 1 : 1);
	return (SOFTEST << step / STEPS) * (STEPS + step % STEPS) / STEPS;
}

/* By the prices of these loads, and of those of all passes together. */
static void raise_bound(struct placer *placer, struct ordo_placement *placement)
{
	uint64_t *const loads = placer->prices.loads;
	for (uint32_t a = 0; a < placer->network->graph->narc + placer->network->nrank; a++)
		placer->history[a] += loads[a];
	for (uint32_t s = SOFTEST / 4; s <= SHARPEST; s *= 2)
		for (uint32_t of_all = 0; of_all < 2; of_all++) {
			placer->prices.loads = of_all ? placer->history : loads;
			ordo_prices_set(&placer->prices, s);
			ordo_prices_bound(&placer->prices, placer->spreads, placement->least);
		}
	placer->prices.loads = loads;
}

/* On many ranks some chunks share their prices. */
static bool has_own_prices(uint32_t nrank, uint32_t c)
{
	return nrank < 2 * SHARED_BY || c % (nrank / SHARED_BY) == 0;
}

static bool improve(struct placer *placer, struct ordo_placement *placement, uint32_t passes)
{
	const uint32_t nrank = placer->network->nrank;
	for (uint32_t pass = 0; pass < passes; pass++) {
		const uint32_t sharpness = sharpness_at(pass, passes);
		if (is_least(placer, placement))
			return true;
		/* The first pass begins without loads. */
		for (uint32_t c = 0; !pass && c < placer->nchunk; c++) {
			ordo_place_load(placer->network, &placer->chunks[c], UINT64_MAX,
				placer->prices.loads);
			placer->chunks[c].nhop = 0;
		}
		for (uint32_t c = 0; c < placer->nchunk; c++)
			if (!place_again(placer, c, sharpness, has_own_prices(nrank, c)))
				return false;
		raise_bound(placer, placement);
		if (!keep(placer, placement))
			return false;
	}
	return true;
}

/* Whether a chunk uses an arc or an adder that takes as long as any. */
static bool uses_fullest(const struct placer *placer, const struct ordo_place_chunk *chunk,
	const uint64_t longest[2])
{
	const struct ordo_place_network *network = placer->network;
	const uint64_t *loads = placer->prices.loads;
	for (uint32_t h = 0; h < chunk->nhop; h++) {
		const struct ordo_leg *leg = ordo_place_leg(network, &chunk->hops[h]);
		for (uint32_t a = leg->first; a < leg->end; a++)
			if (ordo_load_is(network, loads, network->arcs[a], longest))
				return true;
	}
	for (uint32_t node = network->nrank; node < placer->tree->nnode; node++)
		if (ordo_load_is(network, loads, network->graph->narc + chunk->at[node], longest))
			return true;
	return false;
}

enum { LEAST_SHARPNESS = 24, MOST_SHARPNESS = 512 };

/* So sharp that the fullest arc costs twice as much with one chunk more. */
static uint32_t sharpness_of(const struct placer *placer)
{
	uint64_t most = LEAST_SHARPNESS;
	for (uint32_t a = 0; a < placer->network->graph->narc; a++)
		most = placer->prices.loads[a] > most ? placer->prices.loads[a] : most;
	return most < MOST_SHARPNESS ? (uint32_t)most : MOST_SHARPNESS;
}

/* A search that places chunks anew. */
struct exchange {
	struct placer *placer;
	struct ordo_place_chunk *before; /* [1] room */
	struct ordo_place_chunk *all;	 /* [nchunk] as they were before a detour */
	uint64_t *loads;		 /* and their loads */
	uint64_t longest[2];		 /* by which weights are measured now */
	ordo_wide weight;		 /* of the loads now */
	uint32_t sharpness;
	uint64_t left; /* how many chunks may still be placed anew */
	bool failed;   /* no memory */
};

static void weigh(struct exchange *exchange)
{
	const struct placer *placer = exchange->placer;
	exchange->weight = ordo_loads_weight(
		placer->network, placer->prices.loads, exchange->longest, exchange->sharpness);
}

static void place_one(struct exchange *exchange, uint32_t c)
{
	exchange->left--;
	if (!place_again(exchange->placer, c, exchange->sharpness, true))
		exchange->failed = true;
}

/* Places a chunk anew, and leaves it so if that makes the fullest links and adders emptier. */
static bool move_one(struct exchange *exchange, uint32_t c)
{
	struct placer *placer = exchange->placer;
	struct ordo_place_chunk *chunk = &placer->chunks[c];
	const uint32_t count[2] = {1, placer->tree->nnode};
	const ordo_wide weight = exchange->weight;
	if (!ordo_place_chunks_copy(exchange->before, chunk, count)) {
		exchange->failed = true;
		return false;
	}
	place_one(exchange, c);
	weigh(exchange);
	if (exchange->weight < weight || exchange->failed)
		return true;
	ordo_place_load(placer->network, chunk, UINT64_MAX, placer->prices.loads);
	ordo_place_load(placer->network, exchange->before, 1, placer->prices.loads);
	exchange->weight = weight;
	exchange->failed = !ordo_place_chunks_copy(chunk, exchange->before, count);
	return false;
}

/* The next chunk from c on that uses what is fullest; nchunk: there is none. */
static uint32_t next_full(const struct placer *placer, uint32_t c)
{
	uint64_t longest[2];
	ordo_loads_longest(placer->network, placer->prices.loads, longest);
	while (c < placer->nchunk && !uses_fullest(placer, &placer->chunks[c], longest))
		c++;
	return c;
}

static void move_all(struct exchange *exchange)
{
	const struct placer *placer = exchange->placer;
	for (bool again = true; again && !exchange->failed;) {
		again = false;
		for (uint32_t c = 0; exchange->left && !exchange->failed; c++) {
			c = next_full(placer, c);
			if (c == placer->nchunk)
				break;
			again = move_one(exchange, c) || again;
		}
	}
}

enum { KICKED = 3 };

/* A few chunks go elsewhere, at prices that are changed by chance; then those that are on the
 * fullest links and adders are moved. If all that is worse than it was, everything is put back. */
static void kick(struct exchange *exchange)
{
	struct placer *placer = exchange->placer;
	const uint32_t count[2] = {placer->nchunk, placer->tree->nnode};
	const ordo_wide weight = exchange->weight;
	if (!ordo_place_chunks_copy(exchange->all, placer->chunks, count)) {
		exchange->failed = true;
		return;
	}
	memcpy(exchange->loads, placer->prices.loads, nload(placer) * sizeof *exchange->loads);
	placer->noisy = true;
	for (uint32_t i = 0; i < KICKED && exchange->left && !exchange->failed; i++)
		place_one(exchange, draw(placer) % placer->nchunk);
	placer->noisy = false;
	weigh(exchange);
	move_all(exchange);
	if (exchange->weight <= weight || exchange->failed)
		return;
	memcpy(placer->prices.loads, exchange->loads, nload(placer) * sizeof *exchange->loads);
	exchange->failed = !ordo_place_chunks_copy(placer->chunks, exchange->all, count);
}

static void measure(struct exchange *exchange)
{
	const struct placer *placer = exchange->placer;
	ordo_loads_longest(placer->network, placer->prices.loads, exchange->longest);
	exchange->sharpness = sharpness_of(placer);
	weigh(exchange);
}

/* The best placement so far, again the one at hand. */
static bool take_best(struct exchange *exchange, const struct ordo_placement *placement)
{
	struct placer *placer = exchange->placer;
	const uint32_t count[2] = {placer->nchunk, placer->tree->nnode};
	if (!exchange->before || !exchange->all || !exchange->loads ||
		!ordo_place_chunks_copy(placer->chunks, placement->chunks, count))
		return false;
	memset(placer->prices.loads, 0, nload(placer) * sizeof *placer->prices.loads);
	for (uint32_t c = 0; c < placer->nchunk; c++)
		ordo_place_load(placer->network, &placer->chunks[c], 1, placer->prices.loads);
	return true;
}

/* From the best placement on, chunks on the fullest links and adders are placed anew, while that
 * helps any; where it helps none, some are moved by chance before. */
static bool exchange_all(
	struct placer *placer, struct ordo_placement *placement, uint32_t exchanges)
{
	struct exchange exchange = {.placer = placer,
		.before = ordo_place_chunks_make(1, placer->tree->nnode),
		.all = ordo_place_chunks_make(placer->nchunk, placer->tree->nnode),
		.loads = ordo_array_make(nload(placer), sizeof(uint64_t), 0),
		.left = exchanges};
	exchange.failed = !take_best(&exchange, placement);
	measure(&exchange);
	if (!is_least(placer, placement))
		move_all(&exchange);
	exchange.failed = exchange.failed || !keep(placer, placement);
	while (!exchange.failed && exchange.left && !is_least(placer, placement)) {
		measure(&exchange);
		kick(&exchange);
		exchange.failed = exchange.failed || !keep(placer, placement);
	}
	ordo_place_chunks_free(exchange.before, 1);
	ordo_place_chunks_free(exchange.all, placer->nchunk);
	free(exchange.loads);
	return !exchange.failed;
}

bool ordo_place(struct ordo_placement *placement, const struct ordo_place_problem *problem,
	struct ordo_error *error)
{
	const struct ordo_place_network *network = problem->network;
	const struct ordo_sum_tree *tree = problem->tree;
	const struct ordo_place_effort *effort = &problem->effort;
	const uint32_t nchunk = problem->nchunk;
	struct placer placer = {.network = network,
		.tree = tree,
		.spreads = problem->spreads,
		.nchunk = nchunk,
		.noise = 1,
		.chunks = ordo_place_chunks_make(nchunk, tree->nnode),
		.history = ordo_array_make(
			network->graph->narc + network->nrank, sizeof *placer.history, 0)};
	*placement = (struct ordo_placement){.nchunk = nchunk,
		.nnode = tree->nnode,
		.least = {problem->bound[0], problem->bound[1]},
		.chunks = ordo_place_chunks_make(nchunk, tree->nnode)};
	bool worked = ordo_prices_make(&placer.prices, network, tree, error);
	if (worked && !(placement->chunks && placer.chunks && placer.history))
		worked = ordo_fail_memory(error);
	if (worked) {
		ordo_prices_set(&placer.prices, 0);
		ordo_prices_bound(&placer.prices, problem->spreads, placement->least);
		worked = (lay_raw(&placer) && keep(&placer, placement) &&
				 improve(&placer, placement, effort->passes) &&
				 (!effort->exchanges ||
					 exchange_all(&placer, placement, effort->exchanges))) ||
			 ordo_fail_memory(error);
	}
	ordo_place_chunks_free(placer.chunks, nchunk);
	free(placer.history);
	ordo_prices_free(&placer.prices);
	return worked;
}
