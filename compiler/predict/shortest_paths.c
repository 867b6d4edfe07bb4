/* shortest_paths.c - shortest paths over the links of a topology that are up: a backwards search
 * from 64 targets at a time, one bit of a word for each.
 *
 * source Then et al., The More the Merrier: Efficient Multi-Source Graph Traversal, VLDB 2014
 */
#include "shortest_paths.h"
#include <ordo/arena.h>
#include <stdlib.h>

static const uint64_t ALL = UINT64_MAX;
/* Most hops that are searched for targets near each other. */
enum { NEIGHBOURHOOD = 32 * ORDO_NLANE };

static uint32_t nvertex(const struct ordo_topology *topology)
{
	return topology->nrank + topology->nswitch;
}

static uint32_t add_hops(struct ordo_shortest_paths *paths, uint32_t at, uint32_t nhop)
{
	const struct ordo_link *links = paths->topology->links;
	const uint32_t end = paths->topology->first_link[at + 1];
	for (uint32_t i = paths->topology->first_link[at], next; i < end; i = next) {
		for (next = i + 1; next < end && links[next].to == links[i].to;)
			next++;
		const uint32_t best = ordo_topology_best_of(paths->topology, i, next);
		if (best == ORDO_NONE)
			continue;
		paths->first_in[links[i].to + 2]++;
		paths->hops[nhop++] = (struct ordo_hop){.to = links[i].to, .link = best};
	}
	return nhop;
}

static bool make_hops(struct ordo_shortest_paths *paths)
{
	const uint32_t n = nvertex(paths->topology), nlink = paths->topology->nlink;
	uint32_t nhop = 0;
	paths->hops = ordo_array_make(nlink, sizeof *paths->hops, 0);
	paths->in = ordo_array_make(nlink, sizeof *paths->in, 0);
	paths->first_hop = ordo_array_make((size_t)n + 1, sizeof *paths->first_hop, 0);
	paths->first_in = ordo_array_make((size_t)n + 2, sizeof *paths->first_in, 0);
	if (!paths->hops || !paths->in || !paths->first_hop || !paths->first_in)
		return false;
	for (uint32_t v = 0; v < n; v++)
		paths->first_hop[v + 1] = nhop = add_hops(paths, v, nhop);
	for (uint32_t v = 0; v < n; v++)
		paths->first_in[v + 2] += paths->first_in[v + 1];
	for (uint32_t v = 0; v < n; v++)
		for (uint32_t i = paths->first_hop[v]; i < paths->first_hop[v + 1]; i++) {
			struct ordo_hop *hop = &paths->hops[i];
			hop->in = paths->first_in[hop->to + 1]++;
			paths->in[hop->in] = v;
		}
	return true;
}

static bool add_kind(struct ordo_shortest_paths *paths, uint32_t first_between)
{
	struct ordo_found *kind = &paths->kinds[paths->nkind++];
	*kind = (struct ordo_found){
		.leads = ordo_array_make(paths->topology->nlink, sizeof *kind->leads, 0),
		.reached = ordo_array_make(nvertex(paths->topology), sizeof *kind->reached, 0),
		.first_between = first_between};
	return kind->leads && kind->reached;
}

static bool make_lists(struct ordo_shortest_paths *paths)
{
	const struct ordo_topology *topology = paths->topology;
	const uint32_t n = nvertex(topology);
	paths->had = ordo_array_make(topology->nrank, sizeof *paths->had, 0);
	paths->lanes = ordo_array_make(n, sizeof *paths->lanes, 0);
	paths->near = ordo_array_make(n, sizeof *paths->near, 0);
	paths->wave = ordo_array_make(n, sizeof *paths->wave, 0);
	paths->found = ordo_array_make((size_t)n + 1, sizeof *paths->found, 0);
	paths->way = ordo_array_make(n, sizeof *paths->way, 0);
	if (topology->nswitch)
		paths->taken = ordo_array_make(topology->nlink, sizeof *paths->taken, 0);
	for (uint32_t v = 0; paths->lanes && v < n; v++)
		paths->lanes[v].missing = ALL;
	return paths->had && paths->lanes && paths->near && paths->wave && paths->found &&
	       paths->way && (paths->taken || !topology->nswitch);
}

bool ordo_paths_make(struct ordo_shortest_paths *paths, const struct ordo_topology *topology,
	bool through_ranks, const uint32_t *first, const uint32_t *sources,
	struct ordo_error *error)
{
	*paths = (struct ordo_shortest_paths){
		.topology = topology, .first = first, .sources = sources};
	return (make_lists(paths) && make_hops(paths) &&
		       (!topology->nswitch || add_kind(paths, topology->nrank)) &&
		       (!through_ranks || add_kind(paths, 0))) ||
	       ordo_fail_memory(error);
}

void ordo_paths_free(struct ordo_shortest_paths *paths)
{
	free(paths->taken);
	free(paths->hops);
	free(paths->first_hop);
	free(paths->first_in);
	free(paths->in);
	free(paths->lanes);
	free(paths->near);
	free(paths->way);
	free(paths->wave);
	free(paths->found);
	free(paths->had);
	for (uint32_t i = 0; i < paths->nkind; i++) {
		free(paths->kinds[i].leads);
		free(paths->kinds[i].reached);
	}
}

static bool is_next(const struct ordo_shortest_paths *paths, uint32_t target)
{
	return target < paths->topology->nrank && !paths->had[target] &&
	       paths->first[target] < paths->first[target + 1];
}

static void add_target(struct ordo_shortest_paths *paths, uint32_t target)
{
	paths->had[target] = true;
	paths->targets[paths->ntarget++] = target;
}

/* Adds targets near a target. */
static void add_neighbours(struct ordo_shortest_paths *paths, uint32_t target)
{
	uint32_t *queue = paths->found, nqueue = 1, nlooked = 0;
	queue[0] = target;
	paths->lanes[target].missing = 0;
	for (uint32_t i = 0; i < nqueue && paths->ntarget < ORDO_NLANE; i++) {
		const uint32_t at = queue[i], first = paths->first_in[at],
			       end = nlooked < NEIGHBOURHOOD ? paths->first_in[at + 1] : first;
		if (is_next(paths, at))
			add_target(paths, at);
		nlooked += end - first;
		for (uint32_t k = first; k < end; k++) {
			const uint32_t before = paths->in[k];
			queue[nqueue] = before;
			nqueue += paths->lanes[before].missing != 0;
			paths->lanes[before].missing = 0;
		}
	}
	for (uint32_t i = 0; i < nqueue; i++)
		paths->lanes[queue[i]].missing = ALL;
}

static void choose_targets(struct ordo_shortest_paths *paths)
{
	paths->ntarget = 0;
	for (; paths->nhad < paths->topology->nrank && paths->ntarget < ORDO_NLANE; paths->nhad++)
		if (is_next(paths, paths->nhad)) {
			if (!paths->topology->nswitch && !paths->ntarget)
				add_neighbours(paths, paths->nhad);
			else
				add_target(paths, paths->nhad);
		}
}

static void mark_pairs(struct ordo_shortest_paths *paths)
{
	paths->open = 0;
	for (uint32_t lane = 0; lane < paths->ntarget; lane++) {
		const uint32_t target = paths->targets[lane];
		const uint64_t bit = (uint64_t)1 << lane;
		paths->open |= bit;
		paths->nleft[lane] = paths->first[target + 1] - paths->first[target];
		for (uint32_t i = paths->first[target]; i < paths->first[target + 1]; i++)
			paths->lanes[paths->sources[i]].wanted |= bit;
		for (uint32_t k = paths->first_in[target]; k < paths->first_in[target + 1]; k++)
			paths->near[paths->in[k]] |= bit;
	}
}

static void unmark_pairs(struct ordo_shortest_paths *paths)
{
	for (uint32_t lane = 0; lane < paths->ntarget; lane++) {
		const uint32_t target = paths->targets[lane];
		for (uint32_t i = paths->first[target]; i < paths->first[target + 1]; i++)
			paths->lanes[paths->sources[i]].wanted = 0;
		for (uint32_t k = paths->first_in[target]; k < paths->first_in[target + 1]; k++)
			paths->near[paths->in[k]] = 0;
	}
}

static void forget(const struct ordo_shortest_paths *paths, struct ordo_found *kind)
{
	for (uint32_t i = 0; i < kind->nreached; i++) {
		const uint32_t at = kind->reached[i];
		for (uint32_t k = paths->first_in[at]; k < paths->first_in[at + 1]; k++)
			kind->leads[k] = 0;
	}
	kind->nreached = 0;
}

/* Removes sources that were reached from their targets. */
static void arrive(struct ordo_shortest_paths *paths, struct ordo_lanes *lanes)
{
	uint64_t arrived = lanes->fresh & lanes->wanted;
	lanes->wanted &= ~arrived;
	for (; arrived; arrived &= arrived - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(arrived);
		if (!--paths->nleft[lane])
			paths->open &= ~((uint64_t)1 << lane);
	}
}

/* Sets the distances of the vertices found; those that may be intermediate form the next wave. */
static uint32_t settle(struct ordo_shortest_paths *paths, struct ordo_found *kind, uint32_t nfound,
	uint32_t first_between)
{
	struct ordo_lanes *const all = paths->lanes;
	uint32_t *const wave = paths->wave, *const found = paths->found;
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
			arrive(paths, lanes);
	}
	return nwave;
}

/* One step backwards from a wave; branch-free, because first visits are hard to predict. */
static uint32_t spread(struct ordo_shortest_paths *paths, struct ordo_found *kind, uint32_t nwave)
{
	struct ordo_lanes *const all = paths->lanes;
	const uint32_t *const in = paths->in, *const first_in = paths->first_in;
	uint32_t *const found = paths->found;
	uint64_t *const leads = kind->leads;
	const uint64_t open = paths->open;
	size_t nfound = 0;
	for (uint32_t i = 0; i < nwave; i++) {
		const uint32_t at = paths->wave[i];
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

static void search(struct ordo_shortest_paths *paths, struct ordo_found *kind)
{
	uint32_t nwave = 0;
	for (uint64_t left = paths->open; left; left &= left - 1) {
		const uint32_t lane = (uint32_t)__builtin_ctzll(left),
			       target = paths->targets[lane];
		paths->lanes[target].next = left & -left;
		paths->found[nwave++] = target;
	}
	nwave = settle(paths, kind, nwave, 0);
	while (nwave && paths->open)
		nwave = settle(paths, kind, spread(paths, kind, nwave), kind->first_between);
	for (uint32_t i = 0; i < kind->nreached; i++)
		paths->lanes[kind->reached[i]].missing = ALL;
}

bool ordo_paths_search(struct ordo_shortest_paths *paths)
{
	unmark_pairs(paths);
	for (uint32_t i = 0; i < paths->nkind; i++)
		forget(paths, &paths->kinds[i]);
	choose_targets(paths);
	mark_pairs(paths);
	for (uint32_t i = 0; i < paths->nkind && paths->open; i++)
		search(paths, &paths->kinds[i]);
	return paths->ntarget;
}

/* The cost of a hop: how often its link is taken already, then the distance of vertex numbers. */
static uint64_t price_of(
	const struct ordo_shortest_paths *paths, uint32_t at, const struct ordo_hop *hop)
{
	const uint32_t nrank = paths->topology->nrank,
		       stride = hop->to > at ? hop->to - at : at - hop->to;
	return (at >= nrank || hop->to >= nrank ? (uint64_t)paths->taken[hop->link] << 32 : 0) |
	       stride;
}

/* The cheapest hop that leads nearer; among two equals the one upwards. NULL: none leads nearer. */
static const struct ordo_hop *best_hop(const struct ordo_shortest_paths *paths,
	const struct ordo_found *kind, uint32_t at, uint32_t lane)
{
	const struct ordo_hop *hop = paths->hops + paths->first_hop[at],
			      *best = NULL, *const end = paths->hops + paths->first_hop[at + 1];
	const uint64_t *const leads = kind->leads, bit = (uint64_t)1 << lane;
	for (uint64_t least = UINT64_MAX; hop < end; hop++) {
		if (!(leads[hop->in] & bit))
			continue;
		const uint64_t price = price_of(paths, at, hop);
		best = price <= least ? hop : best;
		least = price <= least ? price : least;
	}
	return best;
}

static void take(struct ordo_shortest_paths *paths, uint32_t nway, uint32_t link)
{
	paths->way[nway] = link;
	if (paths->taken)
		paths->taken[link]++;
}

/* Follows the hops of one kind of search. */
static uint32_t follow(struct ordo_shortest_paths *paths, const struct ordo_found *kind,
	uint32_t from, uint32_t lane)
{
	uint32_t at = from, nway = 0;
	while (!(paths->near[at] >> lane & 1)) {
		const struct ordo_hop *hop = best_hop(paths, kind, at, lane);
		if (!hop)
			return 0;
		take(paths, nway++, hop->link);
		at = hop->to;
	}
	take(paths, nway++, ordo_topology_best_link(paths->topology, at, paths->targets[lane]));
	return nway;
}

uint32_t ordo_paths_find(struct ordo_shortest_paths *paths, uint32_t from, uint32_t lane)
{
	uint32_t nway = 0;
	for (uint32_t i = 0; i < paths->nkind && !nway; i++)
		nway = follow(paths, &paths->kinds[i], from, lane);
	return nway;
}
