/* mix.c - many chunks are placed like a few: how many like each, so that links and adders share the
 * work more evenly than chunks that are placed one by one.
 *
 * At the prices of the loads, chunks leave the way that is dearest for the one that is cheapest, as
 * many at once as make the fullest links and adders emptier; in turn a new way is looked for, the
 * cheapest of all. Prices become sharper from round to round.
 *
 * source S. Lacoste-Julien and M. Jaggi, NIPS, 2015 (Frank-Wolfe, pairwise steps); D. Bienstock,
 *        Potential Function Methods for Approximately Solving Linear Programming Problems, 2002
 */
#include "mix.h"
#include "chunk.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* One way to place a chunk. */
struct way {
	uint32_t first, end; /* into uses: arcs, and behind all arcs the adders */
	uint32_t count;	     /* chunks that go so */
	uint32_t best;	     /* in the fastest mix so far */
};

struct mixer {
	struct ordo_prices prices;
	const struct ordo_place_network *network;
	const struct ordo_sum_tree *tree;
	uint32_t nchunk;
	struct ordo_place_chunk *chunks; /* [MOST_WAYS] */
	struct ordo_place_chunk *room;	 /* [1] */
	struct way *ways;		 /* [nway] */
	uint32_t nway;
	uint32_t *uses;
	size_t nuse, use_room;
	uint64_t time[2];   /* of the fastest mix so far, as of a placement */
	uint64_t enough[2]; /* a time at which a mix ends; denominator 0: none */
	uint64_t *scales;   /* [nload] how much a chunk adds to an exponent */
	uint32_t sharpness;
};

enum {
	MOST_WAYS = 1024,
	/* The fullest costs 2^sharpness as much as an idle one. */
	SOFTEST = 64,
	SHARPEST = 2048,
	ROUGHEST = 8,	/* of a mix that begins with nothing */
	EVEN = 512,	/* where whole chunks are evened out */
	MASS = 1 << 20, /* chunks while ways are looked for: parts of all */
	MOVES = 1500,	/* at one sharpness */
	NEW_EVERY = 16, /* moves between looks for a new way */
	SWEEPS = 4	/* over all ways, while single chunks move */
};

static bool use(struct mixer *mixer, uint32_t what)
{
	if (!ordo_array_reserve(
		    &mixer->uses, &mixer->use_room, mixer->nuse + 1, sizeof *mixer->uses))
		return false;
	mixer->uses[mixer->nuse++] = what;
	return true;
}

/* The chunk behind the last way becomes a way. */
static bool add_way(struct mixer *mixer)
{
	const struct ordo_place_chunk *chunk = &mixer->chunks[mixer->nway];
	struct way *way = &mixer->ways[mixer->nway++];
	*way = (struct way){.first = (uint32_t)mixer->nuse};
	for (uint32_t node = mixer->tree->nleaf; node < mixer->tree->nnode; node++)
		if (!use(mixer, mixer->network->graph->narc + chunk->at[node]))
			return false;
	for (uint32_t h = 0; h < chunk->nhop; h++) {
		const struct ordo_leg *leg = ordo_place_leg(mixer->network, &chunk->hops[h]);
		for (uint32_t a = leg->first; a < leg->end; a++)
			if (!use(mixer, mixer->network->arcs[a]))
				return false;
	}
	way->end = (uint32_t)mixer->nuse;
	return true;
}

static bool is_way(const struct mixer *mixer, uint32_t w, const struct ordo_place_chunk *chunk)
{
	const struct ordo_place_chunk *other = &mixer->chunks[w];
	bool same = other->nhop == chunk->nhop && other->target == chunk->target &&
		    !memcmp(other->at, chunk->at, mixer->tree->nnode * sizeof *chunk->at);
	for (uint32_t h = 0; same && h < chunk->nhop; h++)
		same = other->hops[h].from == chunk->hops[h].from &&
		       other->hops[h].to == chunk->hops[h].to &&
		       other->hops[h].node == chunk->hops[h].node &&
		       other->hops[h].result == chunk->hops[h].result;
	return same;
}

/* Forgets the ways that no chunk goes. */
static bool forget(struct mixer *mixer)
{
	const uint32_t nway = mixer->nway;
	mixer->nuse = mixer->nway = 0;
	for (uint32_t w = 0; w < nway; w++) {
		const struct way way = mixer->ways[w];
		if (!way.count && !way.best)
			continue;
		const struct ordo_place_chunk free = mixer->chunks[mixer->nway];
		mixer->chunks[mixer->nway] = mixer->chunks[w];
		mixer->chunks[w] = free;
		if (!add_way(mixer))
			return false;
		mixer->ways[mixer->nway - 1].count = way.count;
		mixer->ways[mixer->nway - 1].best = way.best;
	}
	return true;
}

/* The number of a way, which is new if no other is like this. ORDO_NONE: no memory, or no room. */
static uint32_t find_way(struct mixer *mixer, const struct ordo_place_chunk *chunk)
{
	const uint32_t count[2] = {1, mixer->tree->nnode};
	for (uint32_t w = 0; w < mixer->nway; w++)
		if (is_way(mixer, w, chunk))
			return w;
	if ((mixer->nway == MOST_WAYS && !forget(mixer)) || mixer->nway == MOST_WAYS ||
		!ordo_place_chunks_copy(&mixer->chunks[mixer->nway], chunk, count) ||
		!add_way(mixer))
		return ORDO_NONE;
	return mixer->nway - 1;
}

/* So many chunks more (or less) go one way. */
static void go(struct mixer *mixer, uint32_t w, uint64_t times)
{
	struct way *way = &mixer->ways[w];
	way->count += (uint32_t)times;
	for (uint32_t i = way->first; i < way->end; i++)
		mixer->prices.loads[mixer->uses[i]] += times;
}

static uint64_t cost_of(const struct mixer *mixer, uint32_t w)
{
	uint64_t sum = 0;
	for (uint32_t i = mixer->ways[w].first; i < mixer->ways[w].end; i++)
		sum += mixer->prices.prices[mixer->uses[i]];
	return sum;
}

/* 1024 * 2^(i/16), convex also between them. */
static const uint16_t powers[17] = {1024, 1069, 1117, 1166, 1218, 1272, 1328, 1387, 1448, 1512,
	1579, 1649, 1722, 1798, 1878, 1961, 2048};

/* Exponents and their scales have fixed points. */
enum {
	ONE = 16,   /* bits behind the point of an exponent */
	FINER = 20, /* and of a scale, more */
	PART = ONE - 4,
	LOWEST = 24, /* exponents below the sharpness that count */
	HIGHEST = 30
};

/* 2^22 * 2^exponent of what carries so much. */
static uint64_t power_of(const struct mixer *mixer, uint32_t what)
{
	const uint64_t exponent = mixer->prices.loads[what] * mixer->scales[what] >> FINER,
		       cut = mixer->sharpness > LOWEST
				     ? (uint64_t)(mixer->sharpness - LOWEST) << ONE
				     : 0,
		       most = (uint64_t)HIGHEST << ONE, above = exponent > cut ? exponent - cut : 0,
		       kept = above < most ? above : most, step = kept >> PART & 15,
		       rest = kept & ((1 << PART) - 1);
	return (((uint64_t)powers[step] << PART) +
		       (uint64_t)(powers[step + 1] - powers[step]) * rest)
	       << (kept >> ONE);
}

static uint32_t nload(const struct mixer *mixer)
{
	return mixer->network->graph->narc + mixer->network->nrank;
}

static uint64_t weigh(const struct mixer *mixer)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < nload(mixer); i++)
		sum += power_of(mixer, i);
	return sum;
}

static void set_prices(struct mixer *mixer)
{
	uint64_t most = 1;
	for (uint32_t i = 0; i < nload(mixer); i++)
		most = mixer->scales[i] > most ? mixer->scales[i] : most;
	for (uint32_t i = 0; i < nload(mixer); i++)
		mixer->prices.prices[i] =
			(uint64_t)((ordo_wide)power_of(mixer, i) * mixer->scales[i] / most >> 12);
}

/* So that what takes longest now has the exponent `sharpness`. */
static void set_scales(struct mixer *mixer)
{
	const struct ordo_capacities *graph = mixer->network->graph;
	uint64_t longest[2];
	ordo_loads_longest(mixer->network, mixer->prices.loads, longest);
	for (uint32_t i = 0; i < nload(mixer); i++) {
		const ordo_wide chunk = i < graph->narc ? 1 : mixer->network->adding,
				units = i < graph->narc ? (ordo_wide)graph->arcs[i].units
							: ORDO_ADDING;
		mixer->scales[i] = (uint64_t)((chunk * mixer->sharpness << (ONE + FINER)) *
					      longest[1] / (units * longest[0]));
	}
}

/* So many chunks leave a way for another, if that helps. */
static bool move(struct mixer *mixer, uint32_t from, uint32_t to, uint32_t count)
{
	const uint64_t weight = weigh(mixer);
	go(mixer, from, -(uint64_t)count);
	go(mixer, to, count);
	if (weigh(mixer) < weight)
		return true;
	go(mixer, to, -(uint64_t)count);
	go(mixer, from, count);
	return false;
}

/* As many as help. Whether any do. */
static bool move_some(struct mixer *mixer, uint32_t from, uint32_t to)
{
	for (uint32_t count = mixer->ways[from].count; count; count /= 2)
		if (move(mixer, from, to, count))
			return true;
	return false;
}

static void keep(struct mixer *mixer)
{
	uint64_t time[2];
	ordo_loads_time(mixer->network, mixer->prices.loads, mixer->nchunk, time);
	if (mixer->time[1] && !ordo_fraction_less(time, mixer->time))
		return;
	memcpy(mixer->time, time, sizeof time);
	for (uint32_t w = 0; w < mixer->nway; w++)
		mixer->ways[w].best = mixer->ways[w].count;
}

/* The dearest way that chunks go, and the cheapest of all that are known. */
static void find_ends(const struct mixer *mixer, uint32_t *dearest, uint32_t *cheapest)
{
	uint64_t most = 0, least = UINT64_MAX;
	for (uint32_t w = 0; w < mixer->nway; w++) {
		const uint64_t cost = cost_of(mixer, w);
		if (cost < least) {
			least = cost;
			*cheapest = w;
		}
		if (mixer->ways[w].count && cost > most) {
			most = cost;
			*dearest = w;
		}
	}
}

/* The cheapest way at these prices. */
static uint32_t look_for_way(struct mixer *mixer)
{
	ordo_prices_measure(&mixer->prices);
	ordo_prices_place(&mixer->prices, mixer->network->adding);
	return ordo_place_cheapest(&mixer->prices, true, 0, mixer->room)
		       ? find_way(mixer, mixer->room)
		       : ORDO_NONE;
}

static bool is_enough(const struct mixer *mixer)
{
	return mixer->enough[1] && !ordo_fraction_less(mixer->enough, mixer->time);
}

static bool mix(struct mixer *mixer)
{
	bool moved = true;
	if (!forget(mixer))
		return false;
	set_scales(mixer);
	for (uint32_t i = 0; i < MOVES; i++) {
		uint32_t dearest = 0, cheapest = 0;
		set_prices(mixer);
		find_ends(mixer, &dearest, &cheapest);
		if (mixer->nway == MOST_WAYS) {
			if (!forget(mixer))
				return false;
			find_ends(mixer, &dearest, &cheapest);
		}
		const bool looks = !moved || i % NEW_EVERY == 0;
		if (looks) {
			const uint32_t found = look_for_way(mixer);
			if (found == ORDO_NONE)
				return mixer->nway == MOST_WAYS;
			cheapest = found;
		}
		moved = move_some(mixer, dearest, cheapest);
		if (!moved && looks)
			return true;
		keep(mixer);
		if (is_enough(mixer))
			return true;
	}
	return true;
}

/* Single chunks leave one way for another while that helps. */
static void even_out(struct mixer *mixer)
{
	bool moved = true;
	for (uint32_t sweep = 0; moved && sweep < SWEEPS; sweep++) {
		moved = false;
		set_scales(mixer);
		for (uint32_t from = 0; from < mixer->nway; from++) {
			set_prices(mixer);
			const uint64_t cost = cost_of(mixer, from);
			for (uint32_t to = 0; mixer->ways[from].count && to < mixer->nway; to++) {
				if (cost_of(mixer, to) >= cost || !move(mixer, from, to, 1))
					continue;
				moved = true;
				keep(mixer);
				break;
			}
		}
	}
}

static bool make_mixer(
	struct mixer *mixer, const struct ordo_place_problem *problem, struct ordo_error *error)
{
	*mixer = (struct mixer){.network = problem->network, .tree = problem->tree};
	mixer->chunks = ordo_place_chunks_make(MOST_WAYS, mixer->tree->nnode);
	mixer->ways = ordo_array_make(MOST_WAYS, sizeof *mixer->ways, 0);
	mixer->scales = ordo_array_make(nload(mixer), sizeof *mixer->scales, 0);
	mixer->room = ordo_place_chunks_make(1, mixer->tree->nnode);
	return ordo_prices_make(&mixer->prices, mixer->network, mixer->tree, error) &&
	       ((mixer->chunks && mixer->ways && mixer->scales && mixer->room) ||
		       ordo_fail_memory(error));
}

static void free_mixer(struct mixer *mixer)
{
	ordo_prices_free(&mixer->prices);
	ordo_place_chunks_free(mixer->chunks, MOST_WAYS);
	ordo_place_chunks_free(mixer->room, 1);
	free(mixer->scales);
	free(mixer->ways);
	free(mixer->uses);
}

/* So many chunks, like the few in turn, or in their shares. */
static bool begin(struct mixer *mixer, const struct ordo_placement *few, uint32_t nchunk)
{
	uint64_t done = 0, all = 0;
	mixer->nchunk = nchunk;
	for (uint32_t c = 0; c < few->nchunk; c++) {
		const uint32_t w = find_way(mixer, &few->chunks[c]);
		if (w == ORDO_NONE)
			return false;
		all += few->shares ? few->shares[c] : 1;
		const uint64_t until =
			few->shares ? (all * nchunk + MASS / 2) / MASS : all * nchunk / few->nchunk;
		go(mixer, w, until - done);
		done = until;
	}
	keep(mixer);
	return true;
}

/* The ways of the fastest mix, with their shares. */
static bool write_ways(struct mixer *mixer, struct ordo_placement *mixed)
{
	const uint32_t count[2] = {1, mixer->tree->nnode};
	mixed->nchunk = mixer->nway;
	mixed->chunks = ordo_place_chunks_make(mixed->nchunk, mixed->nnode);
	mixed->shares = ordo_array_make(mixed->nchunk, sizeof *mixed->shares, 0);
	bool worked = mixed->chunks && mixed->shares;
	for (uint32_t w = 0; worked && w < mixer->nway; w++) {
		mixed->shares[w] = mixer->ways[w].best;
		worked = ordo_place_chunks_copy(&mixed->chunks[w], &mixer->chunks[w], count);
	}
	memcpy(mixed->time, mixer->time, sizeof mixed->time);
	return worked;
}

bool ordo_place_mix(struct ordo_placement *mixed, const struct ordo_place_problem *problem,
	struct ordo_error *error)
{
	const struct ordo_placement *few = problem->few;
	struct mixer mixer;
	*mixed = (struct ordo_placement){
		.nnode = few->nnode, .least = {few->least[0], few->least[1]}};
	bool worked = make_mixer(&mixer, problem, error);
	if (worked) {
		worked = begin(&mixer, few, MASS);
		for (mixer.sharpness = SOFTEST; worked && mixer.sharpness <= SHARPEST;
			mixer.sharpness *= 2)
			worked = mix(&mixer);
		worked = (worked && write_ways(&mixer, mixed)) || ordo_fail_memory(error);
	}
	free_mixer(&mixer);
	return worked;
}

bool ordo_place_mix_alone(const struct ordo_place_problem *problem, uint32_t sharpness,
	const uint64_t enough[2], uint64_t time[2], uint64_t *prices, struct ordo_error *error)
{
	struct ordo_placement few;
	struct mixer mixer;
	if (!ordo_place(&few, problem, error))
		return false;
	bool worked = make_mixer(&mixer, problem, error);
	if (worked) {
		memcpy(mixer.enough, enough, sizeof mixer.enough);
		worked = begin(&mixer, &few, MASS);
		for (mixer.sharpness = ROUGHEST;
			worked && !is_enough(&mixer) && mixer.sharpness <= sharpness;
			mixer.sharpness *= 2)
			worked = mix(&mixer);
		set_prices(&mixer);
		memcpy(time, mixer.time, sizeof mixer.time);
		memcpy(prices, mixer.prices.prices, nload(&mixer) * sizeof *prices);
		worked = worked || ordo_fail_memory(error);
	}
	free_mixer(&mixer);
	ordo_placement_free(&few);
	return worked;
}

/* Chunks in a sequence in which every arc and adder has its part of the work at any time. The next
 * is always the one that leaves the least sum of squares of the time by which arcs and adders are
 * ahead of their parts. For this each way keeps the product of what it takes with what they are
 * ahead, which changes by the products of two ways. */
struct sequence {
	uint32_t *left;	    /* [nway] chunks that are not in it yet */
	uint32_t *products; /* [nway][nway] */
	int64_t *ahead;	    /* [nway] times the number of chunks */
	int64_t *parts;	    /* [nway] by which that falls with each chunk */
	uint64_t *times;    /* [nload] of a chunk */
	uint64_t *takes;    /* [nload] of one way */
};

enum {
	LONGEST = 1 << 10,
	OWN = LONGEST * LONGEST,
	/* Up to so many chunks only the ways follow each other evenly: with 6 ranks that is faster
	 * for fewer than this. */
	MANY_CHUNKS = 1 << 13
};

static void free_sequence(struct sequence *sequence)
{
	free(sequence->left);
	free(sequence->products);
	free(sequence->ahead);
	free(sequence->parts);
	free(sequence->times);
	free(sequence->takes);
}

static void set_times(const struct mixer *mixer, uint64_t *times)
{
	uint64_t most = 1;
	for (uint32_t i = 0; i < nload(mixer); i++)
		most = mixer->scales[i] > most ? mixer->scales[i] : most;
	for (uint32_t i = 0; i < nload(mixer); i++)
		times[i] = (uint64_t)((ordo_wide)mixer->scales[i] * LONGEST / most);
}

/* The products of a way with all others; with itself as if it had an arc of its own too, so that
 * equal ones do not follow each other. */
static void multiply(struct sequence *sequence, const struct mixer *mixer, uint32_t one)
{
	const struct way *way = &mixer->ways[one];
	const bool shares = mixer->nchunk > MANY_CHUNKS;
	memset(sequence->takes, 0, nload(mixer) * sizeof *sequence->takes);
	for (uint32_t i = way->first; i < way->end; i++)
		sequence->takes[mixer->uses[i]] += sequence->times[mixer->uses[i]];
	for (uint32_t w = 0; w < mixer->nway; w++) {
		uint64_t sum = w == one ? OWN : 0;
		for (uint32_t i = mixer->ways[w].first; shares && i < mixer->ways[w].end; i++)
			sum += sequence->takes[mixer->uses[i]] * sequence->times[mixer->uses[i]];
		sequence->products[(size_t)one * mixer->nway + w] = (uint32_t)sum;
		sequence->parts[w] += (int64_t)(sum * way->best);
	}
	sequence->left[one] = way->best;
}

static bool make_sequence(struct sequence *sequence, const struct mixer *mixer)
{
	const uint32_t nway = mixer->nway;
	*sequence = (struct sequence){.left = ordo_array_make(nway, sizeof *sequence->left, 0),
		.products = ordo_array_make((size_t)nway * nway, sizeof *sequence->products, 0),
		.ahead = ordo_array_make(nway, sizeof *sequence->ahead, 0),
		.parts = ordo_array_make(nway, sizeof *sequence->parts, 0),
		.times = ordo_array_make(nload(mixer), sizeof *sequence->times, 0),
		.takes = ordo_array_make(nload(mixer), sizeof *sequence->takes, 0)};
	if (!sequence->left || !sequence->products || !sequence->ahead || !sequence->parts ||
		!sequence->times || !sequence->takes)
		return false;
	set_times(mixer, sequence->times);
	for (uint32_t w = 0; w < nway; w++)
		if (mixer->ways[w].best)
			multiply(sequence, mixer, w);
	return true;
}

/* The way of the next chunk. */
static uint32_t take_next(struct sequence *sequence, const struct mixer *mixer)
{
	const uint32_t nway = mixer->nway;
	uint32_t next = ORDO_NONE;
	int64_t least = INT64_MAX;
	for (uint32_t w = 0; w < nway; w++) {
		const int64_t own = sequence->products[(size_t)w * nway + w];
		sequence->ahead[w] -= sequence->parts[w];
		if (!sequence->left[w] || 2 * sequence->ahead[w] + own * mixer->nchunk >= least)
			continue;
		least = 2 * sequence->ahead[w] + own * mixer->nchunk;
		next = w;
	}
	sequence->left[next]--;
	for (uint32_t w = 0; w < nway; w++)
		sequence->ahead[w] +=
			(int64_t)sequence->products[(size_t)next * nway + w] * mixer->nchunk;
	return next;
}

static bool write_chunks(struct mixer *mixer, struct ordo_placement *divided)
{
	const uint32_t count[2] = {1, mixer->tree->nnode};
	struct sequence sequence;
	bool worked = make_sequence(&sequence, mixer);
	divided->nchunk = mixer->nchunk;
	divided->chunks = ordo_place_chunks_make(divided->nchunk, divided->nnode);
	worked = worked && divided->chunks;
	for (uint32_t c = 0; worked && c < mixer->nchunk; c++)
		worked = ordo_place_chunks_copy(
			&divided->chunks[c], &mixer->chunks[take_next(&sequence, mixer)], count);
	memcpy(divided->time, mixer->time, sizeof divided->time);
	free_sequence(&sequence);
	return worked;
}

bool ordo_place_divide(struct ordo_placement *divided, const struct ordo_place_problem *problem,
	struct ordo_error *error)
{
	const struct ordo_placement *mixed = problem->few;
	struct mixer mixer;
	*divided = (struct ordo_placement){
		.nnode = mixed->nnode, .least = {mixed->least[0], mixed->least[1]}};
	bool worked = make_mixer(&mixer, problem, error);
	if (worked) {
		worked = begin(&mixer, mixed, problem->nchunk);
		mixer.sharpness = EVEN;
		if (worked)
			even_out(&mixer);
		worked = (worked && write_chunks(&mixer, divided)) || ordo_fail_memory(error);
	}
	free_mixer(&mixer);
	return worked;
}
