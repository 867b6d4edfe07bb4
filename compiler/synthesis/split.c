/* split.c - logical links between ranks in place of switches.
 *
 * With a source that has the units of each root, trees exist iff every set T with a rank is entered
 * by the units of all roots; what it is entered by above that is its slack. Taking M units from
 * u -> w and w -> t to u -> t lowers the slack of a set by M if it holds w but neither u nor t, or
 * u and t but not w. If the units in and out of w are equal, all can be taken so that no slack is
 * below 0 (Bang-Jensen, Frank and Jackson).
 *
 * Which portions are allowed is read from a pool of sets. After a batch of portions one sweep of
 * flows checks all sets; if it finds one that is not in the pool, the batch is undone, the set is
 * added with the slack it had before, and the next batch is half as long. Portions are small and go
 * where a vertex has sent least: large ones turn a switch into a ring, whose trees are high.
 *
 * source J. Bang-Jensen, A. Frank and B. Jackson, SIAM J. Discrete Math. 8, 1995
 */
#include "split.h"
#include "flow.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Sets that one sweep adds. */
enum { MOST_FOUND = 256 };

struct portion {
	uint32_t in, out, made, units; /* links; made: ORDO_NONE if it leads back */
};

struct splitter {
	const struct ordo_capacities *graph;
	struct ordo_logical_links *logical;
	const uint32_t *roots; /* [nrank] units of each */
	int64_t wanted;	       /* of all */
	uint32_t *load;	       /* [nvertex][nvertex] units split off between two vertices */
	uint32_t *hops;	       /* [nvertex][nvertex] on the shortest way through switches only */
	/* A portion is what a link has left over so many, or 1: then what it gives differs by 1. */
	uint32_t nother;
	uint32_t *ins, *outs, nin, nout; /* links of the switch */
	uint32_t *way;			 /* [2 * nvertex] */
	bool *sets;			 /* [nset][nvertex] */
	int64_t *slack;			 /* [nset] */
	size_t nset, set_room, slack_room;
	struct portion *batch;
	size_t nbatch, batch_room, most;
	bool took;	  /* any portion in this round over the switches */
	bool ranks_first; /* joins what leads to a switch from ranks and to ranks, then the rest */
	/* Also ways that need a class for each hop, where nothing else is left. */
	bool any, stuck; /* stuck: there are such ways, and ranks_first may be why */
};

void ordo_logical_links_free(struct ordo_logical_links *logical)
{
	free(logical->links);
	free(logical->via);
	free(logical->first);
	*logical = (struct ordo_logical_links){0};
}

/* Adds a link without switches. false: no memory. */
static bool add_link(struct splitter *splitter, uint32_t from, uint32_t to, uint32_t units)
{
	struct ordo_logical_links *logical = splitter->logical;
	if (!ordo_array_reserve(&logical->links, &logical->link_room, (size_t)logical->nlink + 1,
		    sizeof *logical->links))
		return false;
	logical->links[logical->nlink] = (struct ordo_logical_link){
		from, to, units, (uint32_t)logical->nvia, 0, logical->first[from]};
	logical->first[from] = logical->nlink++;
	return true;
}

/* Writes the switches on the way over one link and then the other into splitter->way, without
 * loops. Returns how many. */
static uint32_t lay_way(const struct splitter *splitter, uint32_t in_link, uint32_t out_link)
{
	const struct ordo_logical_links *logical = splitter->logical;
	const struct ordo_logical_link *in = &logical->links[in_link],
				       *out = &logical->links[out_link];
	const uint32_t length = in->nvia + 1 + out->nvia;
	uint32_t count = 0;
	for (uint32_t i = 0; i < length; i++)
		splitter->way[i] = i < in->nvia ? logical->via[in->first_via + i]
				   : i == in->nvia
					   ? in->to
					   : logical->via[out->first_via + i - in->nvia - 1];
	for (uint32_t i = 0; i < length; i++) {
		const uint32_t v = splitter->way[i];
		for (uint32_t j = length - 1; j > i; j--)
			if (splitter->way[j] == v)
				i = j;
		splitter->way[count++] = v;
	}
	return count;
}

/* The link over one and then the other, added if it is new. ORDO_NONE: no memory. */
static uint32_t join_links(struct splitter *splitter, uint32_t in_link, uint32_t out_link)
{
	struct ordo_logical_links *logical = splitter->logical;
	const uint32_t from = logical->links[in_link].from, to = logical->links[out_link].to,
		       count = lay_way(splitter, in_link, out_link);
	for (uint32_t i = logical->first[from]; i != ORDO_NONE; i = logical->links[i].next) {
		const struct ordo_logical_link *link = &logical->links[i];
		if (link->to == to && link->nvia == count &&
			(!count || !memcmp(logical->via + link->first_via, splitter->way,
					   count * sizeof *splitter->way)))
			return i;
	}
	if (!add_link(splitter, from, to, 0) ||
		!ordo_array_reserve(&logical->via, &logical->via_room, logical->nvia + count,
			sizeof *logical->via))
		return ORDO_NONE;
	memcpy(logical->via + logical->nvia, splitter->way, count * sizeof *splitter->way);
	logical->links[logical->nlink - 1].nvia = count;
	logical->nvia += count;
	return logical->nlink - 1;
}

/* The slack of a set by what the links have now. */
static int64_t slack_of(const struct splitter *splitter, const bool *inside)
{
	const struct ordo_logical_links *logical = splitter->logical;
	int64_t slack = 0;
	for (uint32_t i = 0; i < logical->nlink; i++)
		if (inside[logical->links[i].to] && !inside[logical->links[i].from])
			slack += logical->links[i].units;
	for (uint32_t rank = 0; rank < splitter->graph->nrank; rank++)
		slack -= inside[rank] ? 0 : splitter->roots[rank];
	return slack;
}

/* Takes the units of a portion, or gives them back. */
static void move_units(struct splitter *splitter, struct portion portion, bool forward)
{
	struct ordo_logical_link *links = splitter->logical->links;
	const struct ordo_logical_link *in = &links[portion.in], *out = &links[portion.out];
	const uint32_t nvertex = splitter->graph->nvertex,
		       change = forward ? portion.units : 0u - portion.units;
	links[portion.in].units -= change;
	links[portion.out].units -= change;
	if (portion.made != ORDO_NONE)
		links[portion.made].units += change;
	splitter->load[in->from * nvertex + out->to] += change;
	for (size_t i = 0; i < splitter->nset; i++) {
		const bool *inside = splitter->sets + i * nvertex;
		if (inside[in->from] == inside[out->to] && inside[in->from] != inside[in->to])
			splitter->slack[i] -=
				forward ? (int64_t)portion.units : -(int64_t)portion.units;
	}
}

/* A network of the links turned round, with arcs from the roots to a source. */
static bool make_network(const struct splitter *splitter, struct ordo_network *network)
{
	const struct ordo_logical_links *logical = splitter->logical;
	const struct ordo_capacities *graph = splitter->graph;
	if (!ordo_network_make(
		    network, graph->nvertex + 1, (size_t)logical->nlink + graph->nrank, NULL))
		return false;
	for (uint32_t i = 0; i < logical->nlink; i++)
		if (logical->links[i].units)
			ordo_network_add(network, logical->links[i].to, logical->links[i].from,
				logical->links[i].units);
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		if (splitter->roots[rank])
			ordo_network_add(network, rank, graph->nvertex, splitter->roots[rank]);
	network->target[graph->nvertex] = true;
	return true;
}

/* Room for one set more than the pool and `count` have. */
static bool reserve_set(struct splitter *splitter, size_t count)
{
	const size_t nset = splitter->nset + count + 1;
	return ordo_array_reserve(&splitter->sets, &splitter->set_room,
		       nset * splitter->graph->nvertex, sizeof *splitter->sets) &&
	       ordo_array_reserve(
		       &splitter->slack, &splitter->slack_room, nset, sizeof *splitter->slack);
}

/* The sets of the pool after the last become *count whose slack is below 0, none with a vertex of
 * one before. false: no memory. */
static bool find_sets(struct splitter *splitter, uint32_t *count)
{
	const struct ordo_capacities *graph = splitter->graph;
	const uint32_t nvertex = graph->nvertex;
	uint32_t first = 0;
	struct ordo_network network;
	uint32_t *order = NULL;
	bool *known = ordo_array_make(nvertex, sizeof *known, 0);
	*count = 0;
	while (!splitter->roots[first])
		first++;
	bool worked = make_network(splitter, &network) && known &&
		      (order = ordo_array_make(network.nvertex, sizeof *order, 0)) &&
		      ordo_network_order_ranks(&network, graph->nrank, first, order, NULL);
	for (uint32_t i = 0; worked && i < graph->nrank && *count < MOST_FOUND; i++) {
		if (splitter->roots[order[i]] == splitter->wanted || known[order[i]])
			continue;
		const int64_t got = ordo_flow(&network, order[i], splitter->wanted);
		const bool lacks = got < splitter->wanted;
		worked = got >= 0 && reserve_set(splitter, *count);
		for (uint32_t v = 0; worked && lacks && v < nvertex; v++) {
			const bool inside = ordo_flow_reaches(&network, v);
			splitter->sets[(splitter->nset + *count) * nvertex + v] = inside;
			known[v] = known[v] || inside;
		}
		*count += worked && lacks;
		ordo_flow_undo(&network);
		network.target[order[i]] = !lacks;
	}
	free(known);
	free(order);
	ordo_network_free(&network);
	return worked;
}

/* Keeps the batch, or undoes it and learns from it. false: no memory. */
static bool end_batch(struct splitter *splitter)
{
	uint32_t count;
	if (!find_sets(splitter, &count))
		return false;
	for (size_t i = count ? splitter->nbatch : 0; i-- > 0;)
		move_units(splitter, splitter->batch[i], false);
	for (uint32_t i = 0; i < count; i++) {
		const bool *set = splitter->sets + splitter->nset * splitter->graph->nvertex;
		splitter->slack[splitter->nset] = slack_of(splitter, set);
		splitter->nset++;
	}
	splitter->most = count ? (splitter->nbatch + 1) / 2 : 2 * splitter->most;
	splitter->nbatch = 0;
	return true;
}

/* What the pool allows from u over w to t. */
static int64_t allowed(const struct splitter *splitter, uint32_t u, uint32_t w, uint32_t t)
{
	const uint32_t nvertex = splitter->graph->nvertex;
	int64_t most = INT64_MAX;
	for (size_t i = 0; i < splitter->nset && most > 0; i++) {
		const bool *inside = splitter->sets + i * nvertex;
		if (inside[u] == inside[t] && inside[u] != inside[w] && splitter->slack[i] < most)
			most = splitter->slack[i];
	}
	return most;
}

static uint32_t least_of(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static struct ordo_apart_way way_over(
	const struct splitter *splitter, const struct ordo_logical_link *link)
{
	return (struct ordo_apart_way){link->from, link->to, link->nvia,
		link->nvia ? splitter->logical->via + link->first_via : NULL,
		splitter->graph->backwards};
}

/* Whether one class, or none, names the way over one link and then another. *apart: it has to
 * change from one class of links to another, or to none. */
static bool nameable(
	const struct splitter *splitter, uint32_t in_link, uint32_t out_link, bool *apart)
{
	const struct ordo_parallel_links *parallel = splitter->graph->parallel;
	const struct ordo_logical_links *logical = splitter->logical;
	const struct ordo_logical_link *in = &logical->links[in_link],
				       *out = &logical->links[out_link];
	const char *before, *after, *name;
	*apart = false;
	if (!parallel || splitter->any)
		return true;
	const struct ordo_apart_way first = way_over(splitter, in), then = way_over(splitter, out),
				    both = {in->from, out->to, lay_way(splitter, in_link, out_link),
					    splitter->way, splitter->graph->backwards};
	ordo_parallel_links_nameable(parallel, &first, &before);
	ordo_parallel_links_nameable(parallel, &then, &after);
	*apart = before != after;
	return ordo_parallel_links_nameable(parallel, &both, &name);
}

/* The best way on for a link into the switch: that of its class, to the vertex that got least from
 * its begin. A detour only if nothing else is left, as a Send without a way of its own takes the
 * shortest; and last of all back. false: there is none. */
static bool choose_portion(
	const struct splitter *splitter, uint32_t in, bool between_ranks, struct portion *best)
{
	const uint32_t nvertex = splitter->graph->nvertex, nrank = splitter->graph->nrank;
	const struct ordo_logical_link *links = splitter->logical->links, *from = &links[in];
	const uint32_t share = from->units / splitter->nother;
	uint64_t least = UINT64_MAX;
	for (uint32_t i = 0; i < splitter->nout; i++) {
		const struct ordo_logical_link *to = &links[splitter->outs[i]];
		const bool back = to->to == from->from;
		bool apart = false;
		if (!nameable(splitter, in, splitter->outs[i], &apart) || (back && apart))
			continue;
		const uint64_t rank = (uint64_t)back << 63 | (uint64_t)apart << 62 |
				      (uint64_t)splitter->load[from->from * nvertex + to->to]
					      << 31 |
				      (to->to + nvertex - from->from) % nvertex;
		if (!to->units || rank >= least ||
			(between_ranks && (from->from >= nrank || to->to >= nrank || back)))
			continue;
		const int64_t most = allowed(splitter, from->from, from->to, to->to);
		if (most <= 0)
			continue;
		const uint32_t units =
			least_of(least_of(from->units, to->units), share ? share : 1);
		least = rank;
		*best = (struct portion){in, splitter->outs[i], back ? ORDO_NONE : 0,
			most < units ? (uint32_t)most : units};
	}
	return least != UINT64_MAX;
}

/* Takes a portion. false: no memory. */
static bool take_portion(struct splitter *splitter, struct portion portion)
{
	if (portion.made != ORDO_NONE) {
		portion.made = join_links(splitter, portion.in, portion.out);
		if (portion.made == ORDO_NONE)
			return false;
	}
	if (!ordo_array_reserve(&splitter->batch, &splitter->batch_room, splitter->nbatch + 1,
		    sizeof *splitter->batch))
		return false;
	splitter->batch[splitter->nbatch++] = portion;
	splitter->took = true;
	move_units(splitter, portion, true);
	return splitter->nbatch < splitter->most || end_batch(splitter);
}

/* The links into and out of a switch that have units, and the most that a portion of each takes.
 * false: no memory. */
static bool list_links(struct splitter *splitter, uint32_t w)
{
	const struct ordo_logical_links *logical = splitter->logical;
	free(splitter->ins);
	free(splitter->outs);
	splitter->ins = ordo_array_make(logical->nlink, sizeof *splitter->ins, 0);
	splitter->outs = ordo_array_make(logical->nlink, sizeof *splitter->outs, 0);
	splitter->nin = splitter->nout = 0;
	if (!splitter->ins || !splitter->outs)
		return false;
	for (uint32_t i = 0; i < logical->nlink; i++) {
		if (logical->links[i].units && logical->links[i].to == w)
			splitter->ins[splitter->nin++] = i;
		if (logical->links[i].units && logical->links[i].from == w)
			splitter->outs[splitter->nout++] = i;
	}
	return true;
}

/* For how many others each link into the switch has units. */
static void count_others(struct splitter *splitter, bool between_ranks)
{
	const struct ordo_logical_link *links = splitter->logical->links;
	uint32_t nout = 0;
	for (uint32_t i = 0; i < splitter->nout; i++)
		nout += !between_ranks || links[splitter->outs[i]].to < splitter->graph->nrank;
	splitter->nother = nout > 1 ? nout - 1 : 1;
}

/* Takes portions until no link into the switch may give any more. false: no memory. */
static bool take_portions(struct splitter *splitter, bool between_ranks)
{
	uint32_t refused = 0;
	count_others(splitter, between_ranks);
	for (uint32_t turn = 0; refused < splitter->nin; turn++) {
		const uint32_t in = splitter->ins[turn % splitter->nin];
		struct portion portion = {0};
		const bool found = splitter->logical->links[in].units &&
				   choose_portion(splitter, in, between_ranks, &portion);
		refused = found ? 0 : refused + 1;
		if (found && !take_portion(splitter, portion))
			return false;
	}
	return true;
}

/* The first switch that links with units lead to; ORDO_NONE. */
static uint32_t find_unsplit(const struct splitter *splitter)
{
	for (uint32_t i = 0; i < splitter->logical->nlink; i++) {
		const struct ordo_logical_link *link = &splitter->logical->links[i];
		if (link->to >= splitter->graph->nrank && link->units)
			return link->to;
	}
	return ORDO_NONE;
}

/* Splits off all switches, one after another. A batch may span several; one that is undone leaves
 * units at switches before, which are looked at again. */
static bool split_all(struct splitter *splitter, struct ordo_error *error)
{
	const struct ordo_capacities *graph = splitter->graph;
	uint32_t last;
	do {
		if (splitter->nbatch && !end_batch(splitter))
			return ordo_fail_memory(error);
		splitter->took = false;
		for (uint32_t w = graph->nrank; w < graph->nvertex; w++)
			if (!list_links(splitter, w) ||
				(splitter->ranks_first && !take_portions(splitter, true)) ||
				!take_portions(splitter, false))
				return ordo_fail_memory(error);
		last = find_unsplit(splitter);
		splitter->stuck = !splitter->took && last != ORDO_NONE && graph->parallel &&
				  splitter->ranks_first;
		if (!splitter->took && last != ORDO_NONE && graph->parallel && !splitter->any &&
			!splitter->stuck)
			splitter->took = splitter->any = true;
	} while (splitter->took);
	return last == ORDO_NONE ||
	       ordo_fail(error, ORDO_USAGE, 0,
		       "packing: switch %u cannot be split off (units in and out differ)",
		       last - graph->nrank);
}

/* The hops between all vertices on the shortest ways through switches only. queue: [nvertex] */
static void count_hops(const struct splitter *splitter, uint32_t *queue)
{
	const struct ordo_capacities *graph = splitter->graph;
	for (uint32_t from = 0; from < graph->nvertex; from++) {
		uint32_t *hops = splitter->hops + (size_t)from * graph->nvertex, count = 1;
		queue[0] = from;
		hops[from] = 0;
		for (uint32_t i = 0; i < count; i++) {
			const uint32_t v = queue[i];
			if (i && v < graph->nrank)
				continue;
			for (uint32_t arc = graph->first[v]; arc < graph->first[v + 1]; arc++)
				if (hops[graph->arcs[arc].to] == ORDO_NONE) {
					hops[graph->arcs[arc].to] = hops[v] + 1;
					queue[count++] = graph->arcs[arc].to;
				}
		}
	}
}

/* Splits off all switches. *stuck: some ways are left that need a class for each hop. */
static bool split(struct ordo_logical_links *logical, const struct ordo_capacities *graph,
	const uint32_t *capacities, const uint32_t *roots, bool *stuck, struct ordo_error *error)
{
	const size_t nvertex = graph->nvertex;
	uint32_t *queue = ordo_array_make(nvertex, sizeof *queue, 0);
	struct splitter splitter = {.graph = graph,
		.logical = logical,
		.roots = roots,
		.ranks_first = !*stuck,
		.load = ordo_array_make(nvertex * nvertex, sizeof *splitter.load, 0),
		.way = ordo_array_make(2 * nvertex, sizeof *splitter.way, 0),
		.hops = ordo_array_make(nvertex * nvertex, sizeof *splitter.hops, 0xff),
		.most = nvertex};
	*logical = (struct ordo_logical_links){
		.first = ordo_array_make(nvertex, sizeof *logical->first, 0xff)};
	bool worked = (queue && logical->first && splitter.load && splitter.hops && splitter.way) ||
		      ordo_fail_memory(error);
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		splitter.wanted += roots[rank];
	if (worked)
		count_hops(&splitter, queue);
	for (uint32_t i = 0; worked && i < graph->narc; i++)
		worked = add_link(&splitter, graph->arcs[i].from, graph->arcs[i].to,
				 capacities[i]) ||
			 ordo_fail_memory(error);
	worked = worked && split_all(&splitter, error);
	*stuck = splitter.stuck;
	free(queue);
	free(splitter.load);
	free(splitter.hops);
	free(splitter.way);
	free(splitter.ins);
	free(splitter.outs);
	free(splitter.sets);
	free(splitter.slack);
	free(splitter.batch);
	return worked;
}

bool ordo_split_switches(struct ordo_logical_links *logical, const struct ordo_capacities *graph,
	const uint32_t *capacities, const uint32_t *roots, struct ordo_error *error)
{
	struct ordo_error why = {0};
	bool stuck = false, worked = split(logical, graph, capacities, roots, &stuck, &why);
	if (stuck) {
		ordo_logical_links_free(logical);
		why = (struct ordo_error){0};
		worked = split(logical, graph, capacities, roots, &stuck, &why);
	}
	if (!worked && error)
		*error = why;
	return worked;
}

uint32_t ordo_logical_arcs(const struct ordo_logical_links *logical,
	const struct ordo_logical_link *link, const struct ordo_capacities *graph, bool backwards,
	uint32_t *arcs)
{
	for (uint32_t i = 0, v = link->from; i <= link->nvia; i++) {
		const uint32_t next = i < link->nvia ? logical->via[link->first_via + i] : link->to;
		arcs[i] = backwards ? ordo_capacities_arc(graph, next, v)
				    : ordo_capacities_arc(graph, v, next);
		v = next;
	}
	return link->nvia + 1;
}

bool ordo_logical_route(const struct ordo_logical_links *logical, uint32_t from, uint32_t to,
	const struct ordo_capacities *graph, bool backwards, uint32_t *arcs, uint32_t *count)
{
	const struct ordo_logical_link *best = NULL;
	const uint32_t begin = backwards ? to : from, end = backwards ? from : to;
	for (uint32_t i = logical->first[begin]; i != ORDO_NONE; i = logical->links[i].next) {
		const struct ordo_logical_link *link = &logical->links[i];
		if (link->to == end && link->units &&
			(!best || link->nvia < best->nvia ||
				(link->nvia == best->nvia && link->units > best->units)))
			best = link;
	}
	*count = best ? ordo_logical_arcs(logical, best, graph, backwards, arcs) : 0;
	return best;
}

bool ordo_logical_graph_make(struct ordo_capacities *graph,
	const struct ordo_logical_links *logical, uint32_t nrank, struct ordo_error *error)
{
	uint32_t *units = ordo_array_make((size_t)nrank * nrank, sizeof *units, 0);
	*graph = (struct ordo_capacities){.nrank = nrank, .nplace = nrank, .nvertex = nrank};
	graph->arcs = ordo_array_make(logical->nlink, sizeof *graph->arcs, 0);
	graph->first = ordo_array_make((size_t)nrank + 1, sizeof *graph->first, 0);
	const bool worked = units && graph->arcs && graph->first;
	for (uint32_t i = 0; worked && i < logical->nlink; i++) {
		const struct ordo_logical_link *link = &logical->links[i];
		if (link->from < nrank && link->to < nrank)
			units[link->from * nrank + link->to] += link->units;
	}
	for (uint32_t from = 0; worked && from < nrank; from++) {
		for (uint32_t to = 0; to < nrank; to++) {
			graph->total += units[from * nrank + to];
			if (units[from * nrank + to])
				graph->arcs[graph->narc++] =
					(struct ordo_arc){from, to, units[from * nrank + to]};
		}
		graph->first[from + 1] = graph->narc;
	}
	free(units);
	return worked || ordo_fail_memory(error);
}
