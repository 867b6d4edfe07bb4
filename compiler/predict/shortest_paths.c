/* shortest_paths.c - shortest ways over the links of a topology that are up: walked backwards from
 * 64 targets at a time, one bit of a word for each.
 *
 * source  Then et al., The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014
 */
#include "shortest_paths.h"
#include <ordo/arena.h>
#include <stdlib.h>

static const uint64_t ALL = UINT64_MAX;
/* Hops looked at for targets that are near each other. */
enum { NEIGHBOURHOOD = 32 * ORDO_NLANE };

static uint32_t nvertex(const struct ordo_topology *topology)
{
	return topology->nrank + topology->nswitch;
}

/* The first link from a vertex to `to` or a larger number. */
static uint32_t find_links(const struct ordo_topology *topology, uint32_t from, uint32_t to)
{
	uint32_t low = topology->first_link[from], high = topology->first_link[from + 1];
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (topology->links[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The best of links between the same two vertices; ORDO_NONE: none is up. */
static uint32_t best_link(const struct ordo_link *links, uint32_t first, uint32_t end)
{
	uint32_t best = ORDO_NONE;
	for (uint32_t i = first; i < end; i++) {
		const struct ordo_link *link = &links[i],
				       *other = best == ORDO_NONE ? NULL : &links[best];
		if (!link->down && (!other || link->bandwidth_gbs > other->bandwidth_gbs ||
					   (!(link->bandwidth_gbs < other->bandwidth_gbs) &&
						   link->latency_ns < other->latency_ns)))
			best = i;
	}
	return best;
}

uint32_t ordo_ways_link(const struct ordo_topology *topology, uint32_t from, uint32_t to)
{
	const uint32_t first = find_links(topology, from, to);
	uint32_t end = first;
	while (end < topology->first_link[from + 1] && topology->links[end].to == to)
		end++;
	return best_link(topology->links, first, end);
}

static uint32_t add_hops(struct ordo_ways *ways, uint32_t at, uint32_t nhop)
{
	const struct ordo_link *links = ways->topology->links;
	const uint32_t end = ways->topology->first_link[at + 1];
	for (uint32_t i = ways->topology->first_link[at], next; i < end; i = next) {
		for (next = i + 1; next < end && links[next].to == links[i].to;)
			next++;
		const uint32_t best = best_link(links, i, next);
		if (best == ORDO_NONE)
			continue;
		ways->first_in[links[i].to + 2]++;
		ways->hops[nhop++] = (struct ordo_hop){.to = links[i].to, .link = best};
	}
	return nhop;
}

static bool make_hops(struct ordo_ways *ways)
{
	const uint32_t n = nvertex(ways->topology), nlink = ways->topology->nlink;
	uint32_t nhop = 0;
	ways->hops = ordo_array_make(nlink, sizeof *ways->hops, 0);
	ways->in = ordo_array_make(nlink, sizeof *ways->in, 0);
	ways->first_hop = ordo_array_make((size_t)n + 1, sizeof *ways->first_hop, 0);
	ways->first_in = ordo_array_make((size_t)n + 2, sizeof *ways->first_in, 0);
	if (!ways->hops || !ways->in || !ways->first_hop || !ways->first_in)
		return false;
	for (uint32_t v = 0; v < n; v++)
		ways->first_hop[v + 1] = nhop = add_hops(ways, v, nhop);
	for (uint32_t v = 0; v < n; v++)
		ways->first_in[v + 2] += ways->first_in[v + 1];
	for (uint32_t v = 0; v < n; v++)
		for (uint32_t i = ways->first_hop[v]; i < ways->first_hop[v + 1]; i++) {
			struct ordo_hop *hop = &ways->hops[i];
			hop->in = ways->first_in[hop->to + 1]++;
			ways->in[hop->in] = v;
		}
	return true;
}

static bool add_kind(struct ordo_ways *ways, uint32_t first_between)
{
	struct ordo_found *kind = &ways->kinds[ways->nkind++];
	*kind = (struct ordo_found){
		.leads = ordo_array_make(ways->topology->nlink, sizeof *kind->leads, 0),
		.reached = ordo_array_make(nvertex(ways->topology), sizeof *kind->reached, 0),
		.first_between = first_between};
	return kind->leads && kind->reached;
}

static bool make_lists(struct ordo_ways *ways)
{
	const struct ordo_topology *topology = ways->topology;
	const uint32_t n = nvertex(topology);
	ways->had = ordo_array_make(topology->nrank, sizeof *ways->had, 0);
	ways->lanes = ordo_array_make(n, sizeof *ways->lanes, 0);
	ways->near = ordo_array_make(n, sizeof *ways->near, 0);
	ways->wave = ordo_array_make(n, sizeof *ways->wave, 0);
	ways->found = ordo_array_make((size_t)n + 1, sizeof *ways->found, 0);
	ways->way = ordo_array_make(n, sizeof *ways->way, 0);
	if (topology->nswitch)
		ways->taken = ordo_array_make(topology->nlink, sizeof *ways->taken, 0);
	for (uint32_t v = 0; ways->lanes && v < n; v++)
		ways->lanes[v].missing = ALL;
	return ways->had && ways->lanes && ways->near && ways->wave && ways->found && ways->way &&
	       (ways->taken || !topology->nswitch);
}

bool ordo_ways_make(struct ordo_ways *ways, const struct ordo_topology *topology,
	bool through_ranks, const uint32_t *first, const uint32_t *sources,
	struct ordo_error *error)
{
	*ways = (struct ordo_ways){.topology = topology, .first = first, .sources = sources};
	return (make_lists(ways) && make_hops(ways) &&
		       (!topology->nswitch || add_kind(ways, topology->nrank)) &&
		       (!through_ranks || add_kind(ways, 0))) ||
	       ordo_fail_memory(error);
}

void ordo_ways_free(struct ordo_ways *ways)
{
	free(ways->taken);
	free(ways->hops);
	free(ways->first_hop);
	free(ways->first_in);
	free(ways->in);
	free(ways->lanes);
	free(ways->near);
	free(ways->way);
	free(ways->wave);
	free(ways->found);
	free(ways->had);
	for (uint32_t i = 0; i < ways->nkind; i++) {
		free(ways->kinds[i].leads);
		free(ways->kinds[i].reached);
	}
}

static bool is_next(const struct ordo_ways *ways, uint32_t target)
{
	return target < ways->topology->nrank && !ways->had[target] &&
	       ways->first[target] < ways->first[target + 1];
}

static void add_target(struct ordo_ways *ways, uint32_t target)
{
	ways->had[target] = true;
	ways->targets[ways->ntarget++] = target;
}

/* Adds the targets that are near one. */
static void add_neighbours(struct ordo_ways *ways, uint32_t target)
{
	uint32_t *queue = ways->found, nqueue = 1, nlooked = 0;
	queue[0] = target;
	ways->lanes[target].missing = 0;
	for (uint32_t i = 0; i < nqueue && ways->ntarget < ORDO_NLANE; i++) {
		const uint32_t at = queue[i], first = ways->first_in[at],
			       end = nlooked < NEIGHBOURHOOD ? ways->first_in[at + 1] : first;
		if (is_next(ways, at))
			add_target(ways, at);
		nlooked += end - first;
		for (uint32_t k = first; k < end; k++) {
			const uint32_t before = ways->in[k];
			queue[nqueue] = before;
			nqueue += ways->lanes[before].missing != 0;
			ways->lanes[before].missing = 0;
		}
	}
	for (uint32_t i = 0; i < nqueue; i++)
		ways->lanes[queue[i]].missing = ALL;
}

static void choose_targets(struct ordo_ways *ways)
{
	ways->ntarget = 0;
	for (; ways->nhad < ways->topology->nrank && ways->ntarget < ORDO_NLANE; ways->nhad++)
		if (is_next(ways, ways->nhad)) {
			if (!ways->topology->nswitch && !ways->ntarget)
				add_neighbours(ways, ways->nhad);
			else
				add_target(ways, ways->nhad);
		}
}

static void mark_pairs(struct ordo_ways *ways)
{
	ways->open = 0;
	for (uint32_t lane = 0; lane < ways->ntarget; lane++) {
		const uint32_t target = ways->targets[lane];
		const uint64_t bit = (uint64_t)1 << lane;
		ways->open |= bit;
		ways->nleft[lane] = ways->first[target + 1] - ways->first[target];
		for (uint32_t i = ways->first[target]; i < ways->first[target + 1]; i++)
			ways->lanes[ways->sources[i]].wanted |= bit;
		for (uint32_t k = ways->first_in[target]; k < ways->first_in[target + 1]; k++)
			ways->near[ways->in[k]] |= bit;
	}
}

static void unmark_pairs(struct ordo_ways *ways)
{
	for (uint32_t lane = 0; lane < ways->ntarget; lane++) {
		const uint32_t target = ways->targets[lane];
		for (uint32_t i = ways->first[target]; i < ways->first[target + 1]; i++)
			ways->lanes[ways->sources[i]].wanted = 0;
		for (uint32_t k = ways->first_in[target]; k < ways->first_in[target + 1]; k++)
			ways->near[ways->in[k]] = 0;
	}
}

static void forget(const struct ordo_ways *ways, struct ordo_found *kind)
{
	for (uint32_t i = 0; i < kind->nreached; i++) {
		const uint32_t at = kind->reached[i];
		for (uint32_t k = ways->first_in[at]; k < ways->first_in[at + 1]; k++)
			kind->leads[k] = 0;
	}
	kind->nreached = 0;
}

/* Sources were reached from their targets. */
static void arrive(struct ordo_ways *ways, struct ordo_lanes *lanes)
{
	uint64_t arrived = lanes->fresh & lanes->wanted;
	lanes->wanted &= ~arrived;
	for (; arrived; arrived &= arrived - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(arrived);
		if (!--ways->nleft[lane])
			ways->open &= ~((uint64_t)1 << lane);
	}
}

/* What was found has a distance now; those that may lie between are the next wave. */
static uint32_t settle(
	struct ordo_ways *ways, struct ordo_found *kind, uint32_t nfound, uint32_t first_between)
{
	struct ordo_lanes *const all = ways->lanes;
	uint32_t *const wave = ways->wave, *const found = ways->found;
	uint32_t nwave = 0;
	for (uint32_t i = 0; i < nfound; i++) {
		const uint32_t at = found[i];
		struct ordo_lanes *lanes = &all[at];
		const uint64_t fresh = lanes->next, missing = lanes->missing;
		lanes->missing = missing ^ fresh;
		lanes->next = 0;
		lanes->fresh = fresh;
		wave[nwave] = at;
		nwave += at >= first_between;
		if (missing == ALL)
			kind->reached[kind->nreached++] = at;
		if (fresh & lanes->wanted)
			arrive(ways, lanes);
	}
	return nwave;
}

/* One step backwards from a wave. Without a jump for what is found first, which is hard to
 * guess. */
static uint32_t spread(struct ordo_ways *ways, struct ordo_found *kind, uint32_t nwave)
{
	struct ordo_lanes *const all = ways->lanes;
	const uint32_t *const in = ways->in, *const first_in = ways->first_in;
	uint32_t *const found = ways->found;
	uint64_t *const leads = kind->leads;
	const uint64_t open = ways->open;
	size_t nfound = 0;
	for (uint32_t i = 0; i < nwave; i++) {
		const uint32_t at = ways->wave[i];
		const uint64_t bits = all[at].fresh & open;
		for (size_t k = first_in[at], end = first_in[at + 1]; k < end; k++) {
			const uint32_t from = in[k];
			struct ordo_lanes *before = &all[from];
			const uint64_t new = bits & before->missing, next = before->next;
			if (!new)
				continue;
			leads[k] |= new;
			before->next = next | new;
			found[nfound] = from;
			nfound += !next;
		}
	}
	return (uint32_t)nfound;
}

static void search(struct ordo_ways *ways, struct ordo_found *kind)
{
	uint32_t nwave = 0;
	for (uint64_t left = ways->open; left; left &= left - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(left), target = ways->targets[lane];
		ways->lanes[target].next = left & -left;
		ways->found[nwave++] = target;
	}
	nwave = settle(ways, kind, nwave, 0);
	while (nwave && ways->open)
		nwave = settle(ways, kind, spread(ways, kind, nwave), kind->first_between);
	for (uint32_t i = 0; i < kind->nreached; i++)
		ways->lanes[kind->reached[i]].missing = ALL;
}

bool ordo_ways_search(struct ordo_ways *ways)
{
	unmark_pairs(ways);
	for (uint32_t i = 0; i < ways->nkind; i++)
		forget(ways, &ways->kinds[i]);
	choose_targets(ways);
	mark_pairs(ways);
	for (uint32_t i = 0; i < ways->nkind && ways->open; i++)
		search(ways, &ways->kinds[i]);
	return ways->ntarget;
}

/* How often a hop to or from a switch is taken, then how far it leads by number. */
static uint64_t price_of(const struct ordo_ways *ways, uint32_t at, const struct ordo_hop *hop)
{
	const uint32_t nrank = ways->topology->nrank,
		       stride = hop->to > at ? hop->to - at : at - hop->to;
	return (at >= nrank || hop->to >= nrank ? (uint64_t)ways->taken[hop->link] << 32 : 0) |
	       stride;
}

/* Of the hops that lead nearer the one of the least price, upwards if two are; NULL: none leads
 * there. */
static const struct ordo_hop *best_hop(
	const struct ordo_ways *ways, const struct ordo_found *kind, uint32_t at, uint32_t lane)
{
	const struct ordo_hop *hop = ways->hops + ways->first_hop[at],
			      *best = NULL, *const end = ways->hops + ways->first_hop[at + 1];
	const uint64_t *const leads = kind->leads, bit = (uint64_t)1 << lane;
	for (uint64_t least = UINT64_MAX; hop < end; hop++) {
		if (!(leads[hop->in] & bit))
			continue;
		const uint64_t price = price_of(ways, at, hop);
		best = price <= least ? hop : best;
		least = price <= least ? price : least;
	}
	return best;
}

static void take(struct ordo_ways *ways, uint32_t nway, uint32_t link)
{
	ways->way[nway] = link;
	if (ways->taken)
		ways->taken[link]++;
}

/* By one kind of search. */
static uint32_t follow(
	struct ordo_ways *ways, const struct ordo_found *kind, uint32_t from, uint32_t lane)
{
	uint32_t at = from, nway = 0;
	while (!(ways->near[at] >> lane & 1)) {
		const struct ordo_hop *hop = best_hop(ways, kind, at, lane);
		if (!hop)
			return 0;
		take(ways, nway++, hop->link);
		at = hop->to;
	}
	take(ways, nway++, ordo_ways_link(ways->topology, at, ways->targets[lane]));
	return nway;
}

uint32_t ordo_ways_find(struct ordo_ways *ways, uint32_t from, uint32_t lane)
{
	uint32_t nway = 0;
	for (uint32_t i = 0; i < ways->nkind && !nway; i++)
		nway = follow(ways, &ways->kinds[i], from, lane);
	return nway;
}
