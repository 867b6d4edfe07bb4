/* plan.c - plans the ways of chunks that one rank wants. */
#include "network.h"
#include <ordo/arena.h>
#include <ordo/schedule.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4 };

/* The search for one chunk's way: from every rank, the squares of what its links carry. */
struct search {
	const struct ordo_match_network *network;
	const uint64_t *loads; /* [links of the topology] chunks */
	uint32_t to;
	uint64_t *least; /* [nrank] UINT64_MAX: not known yet */
	uint32_t *best;	 /* [nrank] the pair that the way from there begins with */
};

static uint64_t load_of(const struct search *search, const struct ordo_match_pair *pair)
{
	uint64_t sum = 0;
	for (uint32_t i = pair->first; i < pair->end; i++)
		sum += search->loads[search->network->links[i]] *
		       search->loads[search->network->links[i]];
	return sum;
}

/* Along pairs that are part of a fastest way; the first of equal ones. */
static uint64_t find_least(struct search *search, uint32_t from)
{
	const struct ordo_match_network *network = search->network;
	const struct ordo_match_groups *groups = &network->by_from;
	const size_t n = network->nrank;
	if (from == search->to || search->least[from] != UINT64_MAX)
		return from == search->to ? 0 : search->least[from];
	for (uint32_t i = groups->first[from]; i < groups->first[from + 1]; i++) {
		const uint32_t p = groups->pairs[i];
		const struct ordo_match_pair *pair = &network->pairs[p];
		const uint64_t rest = network->distance[pair->to * n + search->to];
		if (rest == UINT64_MAX ||
			pair->time + rest != network->distance[from * n + search->to])
			continue;
		const uint64_t load = load_of(search, pair) + find_least(search, pair->to);
		if (load < search->least[from]) {
			search->least[from] = load;
			search->best[from] = p;
		}
	}
	return search->least[from];
}

/* Adds to the loads of the links of a way, or takes away. */
static void load_way(const struct ordo_match_network *network, uint64_t *loads, const uint32_t *way,
	uint32_t count, uint64_t more)
{
	for (uint32_t k = 0; k < count; k++) {
		const struct ordo_match_pair *pair = &network->pairs[way[k]];
		for (uint32_t i = pair->first; i < pair->end; i++)
			loads[network->links[i]] += more;
	}
}

/* Writes the pairs of the way. Returns how many there are. */
static uint32_t take_way(const struct search *search, uint32_t from, uint32_t *way)
{
	uint32_t count = 0;
	for (uint32_t at = from; at != search->to; at = search->network->pairs[way[count++]].to)
		way[count] = search->best[at];
	return count;
}

struct ranked {
	uint64_t distance;
	uint32_t chunk;
};

static int compare_ranked(const void *a, const void *b)
{
	const struct ranked *one = a, *other = b;
	if (one->distance != other->distance)
		return one->distance < other->distance ? 1 : -1;
	return (one->chunk > other->chunk) - (one->chunk < other->chunk);
}

/* The longest ways first. NULL: no memory. */
static struct ranked *rank_chunks(const struct ordo_match_network *network)
{
	const struct ordo_match_wish *wish = network->wish;
	struct ranked *ranked = ordo_array_make(wish->nchunk, sizeof *ranked, 0);
	for (uint32_t c = 0; ranked && c < wish->nchunk; c++)
		ranked[c] = (struct ranked){
			network->distance[(size_t)wish->from[c] * network->nrank + wish->to[c]], c};
	if (ranked)
		qsort(ranked, wish->nchunk, sizeof *ranked, compare_ranked);
	return ranked;
}

/* Ways of at most nrank - 1 pairs, [nchunk * nrank]; counts of pairs in plan->first. After the
 * first round each is chosen anew beside all others. */
static bool find_ways(const struct ordo_match_network *network, struct ordo_match_plan *plan,
	uint32_t *ways, struct search *search, uint64_t *loads)
{
	const struct ordo_match_wish *wish = network->wish;
	struct ranked *ranked = rank_chunks(network);
	for (uint32_t i = 0; ranked && i < ROUNDS * wish->nchunk; i++) {
		const uint32_t c = ranked[i % wish->nchunk].chunk;
		uint32_t *way = ways + (size_t)c * network->nrank, *count = &plan->first[c + 1];
		load_way(network, loads, way, *count, -UINT64_C(1));
		search->to = wish->to[c];
		memset(search->least, 0xff, network->nrank * sizeof *search->least);
		find_least(search, wish->from[c]);
		*count = take_way(search, wish->from[c], way);
		load_way(network, loads, way, *count, 1);
	}
	free(ranked);
	return ranked;
}

static bool gather_ways(
	struct ordo_match_plan *plan, const uint32_t *ways, uint32_t nchunk, uint32_t nrank)
{
	for (uint32_t c = 0; c < nchunk; c++)
		plan->first[c + 1] += plan->first[c];
	plan->pairs = ordo_array_make((size_t)plan->first[nchunk] + 1, sizeof *plan->pairs, 0);
	for (uint32_t c = 0; plan->pairs && c < nchunk; c++)
		memcpy(plan->pairs + plan->first[c], ways + (size_t)c * nrank,
			(plan->first[c + 1] - plan->first[c]) * sizeof *ways);
	return plan->pairs;
}

bool ordo_match_plan_make(struct ordo_match_plan *plan, const struct ordo_match_network *network)
{
	const uint32_t n = network->nrank, nchunk = network->wish->nchunk;
	uint32_t *ways = ordo_array_make((size_t)nchunk * n, sizeof *ways, 0);
	uint64_t *loads = ordo_array_make(network->wish->topology->nlink, sizeof *loads, 0);
	struct search search = {.network = network,
		.loads = loads,
		.least = ordo_array_make(n, sizeof *search.least, 0),
		.best = ordo_array_make(n, sizeof *search.best, 0)};
	plan->first = ordo_array_make((size_t)nchunk + 1, sizeof *plan->first, 0);
	bool worked = ways && loads && search.least && search.best && plan->first;
	worked = worked && find_ways(network, plan, ways, &search, loads) &&
		 gather_ways(plan, ways, nchunk, n);
	free(ways);
	free(loads);
	free(search.least);
	free(search.best);
	return worked;
}

void ordo_match_plan_free(struct ordo_match_plan *plan)
{
	free(plan->first);
	free(plan->pairs);
}
