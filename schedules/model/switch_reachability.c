/* switch_reachability.c - which ranks the switches join, by groups of switches that all reach each
 * other.
 *
 * A group is a strongly connected component of the switches under links that are up. Rank a reaches
 * rank b through switches if a group that a sends into is, or leads to, a group that sends to b.
 * With links in both directions, as almost always, no group leads to another, and nothing but two
 * short sorted lists a rank is kept.
 */
#include "switch_reachability.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* 32 MiB of bits. */
enum { ONE_WAY_LIMIT = 1 << 14 };

/* For every rank the ascending ids of some groups: item[first[r] .. first[r+1]). */
struct group_lists {
	uint32_t *first, *item;
};

struct ordo_switch_reachability {
	uint32_t *group; /* [nswitch]; a group leads to groups of smaller ids only */
	uint32_t ngroup;
	struct group_lists into;   /* groups the rank sends into */
	struct group_lists out_of; /* groups that send to the rank */
	/* [ngroup][nword] bits: group leads to group; NULL if none leads to another */
	uint64_t *leads;
	uint32_t nword;
	struct ordo_arena arena;
};

void ordo_switch_reachability_destroy(struct ordo_switch_reachability *reach)
{
	if (!reach)
		return;
	ordo_arena_free(&reach->arena);
	free(reach);
}

/* The depth-first walk of Tarjan's algorithm, with a stack of its own. Ids count from 0 among the
 * switches.
 */
struct walk {
	const struct ordo_topology *topology;
	uint32_t *number, *low; /* [nswitch], number 0: not seen */
	uint32_t *next;		/* [nswitch] the next link to follow */
	uint32_t *path, npath;	/* switches being explored */
	uint32_t *open, nopen;	/* switches seen that have no group yet */
	uint32_t count;
};

static void enter(struct walk *walk, uint32_t s)
{
	walk->number[s] = walk->low[s] = ++walk->count;
	walk->next[s] = walk->topology->first_link[walk->topology->nrank + s];
	walk->path[walk->npath++] = walk->open[walk->nopen++] = s;
}

static void close_group(struct walk *walk, struct ordo_switch_reachability *reach, uint32_t s)
{
	uint32_t member;
	do {
		member = walk->open[--walk->nopen];
		reach->group[member] = reach->ngroup;
	} while (member != s);
	reach->ngroup++;
}

/* Follows one link of the switch on top of the path, or pops that switch. */
static void step(struct walk *walk, struct ordo_switch_reachability *reach)
{
	const struct ordo_topology *topology = walk->topology;
	uint32_t s = walk->path[walk->npath - 1];
	if (walk->next[s] == topology->first_link[topology->nrank + s + 1]) {
		walk->npath--;
		if (walk->low[s] == walk->number[s])
			close_group(walk, reach, s);
		if (walk->npath) {
			uint32_t before = walk->path[walk->npath - 1];
			if (walk->low[s] < walk->low[before])
				walk->low[before] = walk->low[s];
		}
		return;
	}
	const struct ordo_link *link = &topology->links[walk->next[s]++];
	if (link->down || link->to < topology->nrank)
		return;
	uint32_t t = link->to - topology->nrank;
	if (!walk->number[t])
		enter(walk, t);
	else if (reach->group[t] == ORDO_NONE && walk->number[t] < walk->low[s])
		walk->low[s] = walk->number[t];
}

static bool find_groups(
	struct ordo_switch_reachability *reach, const struct ordo_topology *topology)
{
	size_t nswitch = topology->nswitch;
	uint32_t *room = calloc(nswitch * 5 + 1, sizeof *room);
	reach->group = ordo_arena_alloc(&reach->arena, nswitch * sizeof *reach->group);
	if (room && reach->group) {
		memset(reach->group, 0xff, nswitch * sizeof *reach->group);
		struct walk walk = {.topology = topology,
			.number = room,
			.low = room + nswitch,
			.next = room + 2 * nswitch,
			.path = room + 3 * nswitch,
			.open = room + 4 * nswitch};
		for (uint32_t s = 0; s < nswitch; s++) {
			if (!walk.number[s])
				enter(&walk, s);
			while (walk.npath)
				step(&walk, reach);
		}
	}
	free(room);
	return room && reach->group;
}

/* The group and the rank that a link joins, or false if it joins no rank and switch, or is down. */
static bool joins(const struct ordo_switch_reachability *reach,
	const struct ordo_topology *topology, const struct ordo_link *link, bool into,
	uint32_t *rank, uint32_t *group)
{
	uint32_t on_rank = into ? link->from : link->to, on_switch = into ? link->to : link->from;
	if (link->down || on_rank >= topology->nrank || on_switch < topology->nrank)
		return false;
	*rank = on_rank;
	*group = reach->group[on_switch - topology->nrank];
	return true;
}

static int compare_ids(const void *one, const void *other)
{
	const uint32_t *a = one, *b = other;
	return (*a > *b) - (*a < *b);
}

/* Several links of a rank may meet one group: keeps each once. */
static void sort_lists(struct group_lists *lists, uint32_t nrank)
{
	uint32_t kept = 0;
	for (uint32_t r = 0; r < nrank; r++) {
		uint32_t begin = lists->first[r], end = lists->first[r + 1], first = kept;
		if (begin < end)
			qsort(lists->item + begin, end - begin, sizeof *lists->item, compare_ids);
		for (uint32_t i = begin; i < end; i++)
			if (kept == first || lists->item[kept - 1] != lists->item[i])
				lists->item[kept++] = lists->item[i];
		lists->first[r] = first;
	}
	lists->first[nrank] = kept;
}

static bool fill_lists(struct ordo_switch_reachability *reach, const struct ordo_topology *topology,
	bool into, struct group_lists *lists)
{
	uint32_t rank, group, nrank = topology->nrank;
	/* first[r+2] counts, then first[r+1] walks from where rank r begins to where it ends. */
	lists->first = ordo_arena_alloc(&reach->arena, ((size_t)nrank + 2) * sizeof *lists->first);
	if (!lists->first)
		return false;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (joins(reach, topology, &topology->links[i], into, &rank, &group))
			lists->first[rank + 2]++;
	for (uint32_t r = 0; r < nrank; r++)
		lists->first[r + 2] += lists->first[r + 1];
	lists->item = ordo_arena_alloc(
		&reach->arena, (size_t)lists->first[nrank + 1] * sizeof *lists->item);
	if (!lists->item)
		return false;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (joins(reach, topology, &topology->links[i], into, &rank, &group))
			lists->item[lists->first[rank + 1]++] = group;
	sort_lists(lists, nrank);
	return true;
}

/* The groups at the two ends of a link between switches of different groups. */
static bool bridges(const struct ordo_switch_reachability *reach,
	const struct ordo_topology *topology, const struct ordo_link *link, uint32_t *from,
	uint32_t *to)
{
	if (link->down || link->from < topology->nrank || link->to < topology->nrank)
		return false;
	*from = reach->group[link->from - topology->nrank];
	*to = reach->group[link->to - topology->nrank];
	return *from != *to;
}

static bool has_bridge(
	const struct ordo_switch_reachability *reach, const struct ordo_topology *topology)
{
	uint32_t from, to;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (bridges(reach, topology, &topology->links[i], &from, &to))
			return true;
	return false;
}

/* The bridges in order of the group they leave: a group leads to smaller ids, so its row is whole
 * before it is used. */
static bool close_bridges(
	struct ordo_switch_reachability *reach, const struct ordo_topology *topology)
{
	uint32_t from, to, nbridge = 0;
	uint32_t(*bridge)[2] = malloc(((size_t)topology->nlink + 1) * sizeof *bridge);
	if (!bridge)
		return false;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (bridges(reach, topology, &topology->links[i], &from, &to)) {
			bridge[nbridge][0] = from;
			bridge[nbridge++][1] = to;
		}
	qsort(bridge, nbridge, sizeof *bridge, compare_ids);
	for (uint32_t i = 0; i < nbridge; i++) {
		uint64_t *row = reach->leads + (size_t)bridge[i][0] * reach->nword;
		const uint64_t *more = reach->leads + (size_t)bridge[i][1] * reach->nword;
		for (uint32_t w = 0; w < reach->nword; w++)
			row[w] |= more[w];
		row[bridge[i][1] / 64] |= UINT64_C(1) << bridge[i][1] % 64;
	}
	free(bridge);
	return true;
}

struct ordo_switch_reachability *ordo_switch_reachability_create(
	const struct ordo_topology *topology, struct ordo_error *error)
{
	struct ordo_switch_reachability *reach = calloc(1, sizeof *reach);
	bool worked = reach && find_groups(reach, topology) &&
		      fill_lists(reach, topology, true, &reach->into) &&
		      fill_lists(reach, topology, false, &reach->out_of);
	if (worked && has_bridge(reach, topology)) {
		if (reach->ngroup > ONE_WAY_LIMIT) {
			ordo_fail(error, ORDO_BAD_INPUT, 1,
				"switches: %u groups are joined one way, wanted at most %d",
				reach->ngroup, ONE_WAY_LIMIT);
			ordo_switch_reachability_destroy(reach);
			return NULL;
		}
		reach->nword = (reach->ngroup + 63) / 64;
		reach->leads = ordo_arena_alloc(
			&reach->arena, (size_t)reach->ngroup * reach->nword * sizeof *reach->leads);
		worked = reach->leads && close_bridges(reach, topology);
	}
	if (!worked) {
		ordo_switch_reachability_destroy(reach);
		ordo_fail_memory(error);
		return NULL;
	}
	return reach;
}

/* Every rank has a switch beside it, which has its links: vertex v of the topology is switch v. */
static bool add_twins(
	struct ordo_topology *twins, const struct ordo_topology *topology, struct ordo_error *error)
{
	const uint32_t nrank = topology->nrank;
	const struct ordo_link *last = NULL;
	for (uint32_t r = 0; r < nrank; r++)
		if (!ordo_topology_add(twins, r, nrank + r, NULL, 0, 1, error) ||
			!ordo_topology_add(twins, nrank + r, r, NULL, 0, 1, error))
			return false;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		/* Links of several classes between two vertices lie together. */
		if (link->down || (last && last->from == link->from && last->to == link->to))
			continue;
		if (!ordo_topology_add(
			    twins, nrank + link->from, nrank + link->to, NULL, 0, 1, error))
			return false;
		last = link;
	}
	return ordo_topology_finish(twins, error);
}

struct ordo_switch_reachability *ordo_switch_reachability_through_ranks(
	const struct ordo_topology *topology, struct ordo_error *error)
{
	struct ordo_switch_reachability *reach = NULL;
	struct ordo_topology *twins = ordo_topology_create(
		topology->name, topology->nrank, topology->nrank + topology->nswitch, 0, error);
	if (twins && add_twins(twins, topology, error)) {
		reach = twins->reach;
		twins->reach = NULL;
	}
	ordo_topology_destroy(twins);
	return reach;
}

static bool leads_to(const struct ordo_switch_reachability *reach, uint32_t from, uint32_t to)
{
	return reach->leads && reach->leads[(size_t)from * reach->nword + to / 64] >> to % 64 & 1;
}

bool ordo_switch_reachability_joined(
	const struct ordo_switch_reachability *reach, uint32_t a, uint32_t b)
{
	const uint32_t *into = reach->into.item + reach->into.first[a];
	const uint32_t *into_end = reach->into.item + reach->into.first[a + 1];
	const uint32_t *first = reach->out_of.item + reach->out_of.first[b];
	const uint32_t *end = reach->out_of.item + reach->out_of.first[b + 1];
	for (const uint32_t *out = first; into < into_end && out < end;) {
		if (*into == *out)
			return true;
		if (*into < *out)
			into++;
		else
			out++;
	}
	if (!reach->leads)
		return false;
	for (into = reach->into.item + reach->into.first[a]; into < into_end; into++)
		for (const uint32_t *out = first; out < end; out++)
			if (leads_to(reach, *into, *out))
				return true;
	return false;
}
