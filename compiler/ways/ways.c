/* ways.c - the shortest ways between two ranks over switches, in the whole topology and in what
 * remains of it without its slower links. */
#include "ways.h"
#include <ordo/arena.h>
#include <ordo/detail/topologies.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t MOST_PAIRS = UINT64_C(1) << 26;

static int compare_bandwidths(const void *one, const void *other)
{
	const double a = *(const double *)one, b = *(const double *)other;
	return (a > b) - (a < b);
}

/* The least bandwidths of all fabrics: that of the slowest link, and others evenly among those
 * there are. */
static bool find_fabrics(struct ordo_ways *ways)
{
	const struct ordo_topology *topology = ways->topology;
	double *all = ordo_array_make(topology->nlink, sizeof *all, 0);
	uint32_t count = 0, different = 0;
	if (!all)
		return false;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (!topology->links[i].down)
			all[count++] = topology->links[i].bandwidth_gbs;
	qsort(all, count, sizeof *all, compare_bandwidths);
	for (uint32_t i = 0; i < count; i++)
		if (!i || all[i] > all[different - 1])
			all[different++] = all[i];
	ways->nfabric = different < ORDO_MOST_FABRICS ? different : ORDO_MOST_FABRICS;
	for (uint32_t i = 0; i < ways->nfabric; i++)
		ways->least[i] = all[(uint64_t)i * different / ways->nfabric];
	free(all);
	return true;
}

static uint8_t *hops_at(const struct ordo_ways *ways, uint32_t fabric, uint32_t vertex)
{
	const struct ordo_topology *topology = ways->topology;
	return ways->hops +
	       ((size_t)fabric * topology->nswitch + (vertex - topology->nrank)) * topology->nrank;
}

static bool is_in(const struct ordo_ways *ways, uint32_t fabric, const struct ordo_link *link)
{
	return !link->down && link->bandwidth_gbs >= ways->least[fabric];
}

/* Every rank is one link from the switches that it hangs on; then distances are lowered along the
 * links between switches, as long as that lowers any. */
static void count_hops(struct ordo_ways *ways, uint32_t fabric)
{
	const struct ordo_topology *topology = ways->topology;
	const uint32_t nrank = topology->nrank;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (is_in(ways, fabric, link) && link->from >= nrank && link->to < nrank)
			hops_at(ways, fabric, link->from)[link->to] = 1;
	}
	bool lowers = true;
	for (uint32_t turn = 1; lowers && turn < ORDO_MOST_HOPS; turn++) {
		lowers = false;
		for (uint32_t i = 0; i < topology->nlink; i++) {
			const struct ordo_link *link = &topology->links[i];
			if (!is_in(ways, fabric, link) || link->from < nrank || link->to < nrank)
				continue;
			uint8_t *from = hops_at(ways, fabric, link->from);
			const uint8_t *to = hops_at(ways, fabric, link->to);
			for (uint32_t rank = 0; rank < nrank; rank++)
				if (to[rank] < ORDO_MOST_HOPS - 1 && to[rank] + 1 < from[rank]) {
					from[rank] = (uint8_t)(to[rank] + 1);
					lowers = true;
				}
		}
	}
}

bool ordo_ways_make(
	struct ordo_ways *ways, const struct ordo_topology *topology, struct ordo_error *error)
{
	const uint64_t npair = (uint64_t)topology->nswitch * topology->nrank;
	*ways = (struct ordo_ways){.topology = topology};
	if (npair > MOST_PAIRS)
		return ordo_fail(error, ORDO_USAGE, 0,
			"ways: found %u switches and %u ranks, wanted up to %llu pairs of them",
			topology->nswitch, topology->nrank, (unsigned long long)MOST_PAIRS);
	if (!find_fabrics(ways))
		return ordo_fail_memory(error);
	ways->hops = ordo_array_make((size_t)npair * ways->nfabric, 1, 0xff);
	if (!ways->hops)
		return ordo_fail_memory(error);
	for (uint32_t fabric = 0; fabric < ways->nfabric; fabric++)
		count_hops(ways, fabric);
	return true;
}

void ordo_ways_free(struct ordo_ways *ways)
{
	free(ways->hops);
	ways->hops = NULL;
}

/* The ways of one pair while they are found. */
struct finding {
	const struct ordo_ways *ways;
	uint32_t fabric, to;
	struct ordo_way way; /* so far */
	struct ordo_way *found;
	uint32_t count;
};

static void keep(struct finding *finding)
{
	for (uint32_t i = 0; i < finding->count; i++)
		if (finding->found[i].nlink == finding->way.nlink &&
			!memcmp(finding->found[i].links, finding->way.links,
				finding->way.nlink * sizeof *finding->way.links))
			return;
	finding->found[finding->count++] = finding->way;
}

/* Follows links from a vertex to all next ones that are `left` links from the target. */
static void follow(struct finding *finding, uint32_t at, uint32_t left)
{
	const struct ordo_ways *ways = finding->ways;
	const struct ordo_topology *topology = ways->topology;
	const uint32_t end = topology->first_link[at + 1];
	for (uint32_t i = topology->first_link[at], next; i < end; i = next) {
		const uint32_t to = topology->links[i].to;
		for (next = i + 1; next < end && topology->links[next].to == to;)
			next++;
		const bool arrives = !left && to == finding->to;
		if (finding->count == ORDO_MOST_WAYS ||
			(!arrives &&
				(!left || to < topology->nrank ||
					hops_at(ways, finding->fabric, to)[finding->to] != left)))
			continue;
		const uint32_t best = ordo_topology_best_of(topology, i, next);
		if (best == ORDO_NONE || !is_in(ways, finding->fabric, &topology->links[best]))
			continue;
		finding->way.links[finding->way.nlink++] = best;
		if (arrives)
			keep(finding);
		else
			follow(finding, to, left - 1);
		finding->way.nlink--;
	}
}

/* How many links follow the first one of a shortest way; ORDO_NONE: there is no way. */
static uint32_t shortest(const struct finding *finding, uint32_t from)
{
	const struct ordo_ways *ways = finding->ways;
	const struct ordo_topology *topology = ways->topology;
	uint32_t least = ORDO_NONE;
	for (uint32_t i = topology->first_link[from]; i < topology->first_link[from + 1]; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (!is_in(ways, finding->fabric, link))
			continue;
		if (link->to == finding->to)
			return 0;
		if (link->to < topology->nrank)
			continue;
		const uint8_t hops = hops_at(ways, finding->fabric, link->to)[finding->to];
		if (hops != UINT8_MAX && hops < least)
			least = hops;
	}
	return least;
}

uint32_t ordo_ways_between(const struct ordo_ways *ways, uint32_t from, uint32_t to,
	struct ordo_way found[ORDO_MOST_WAYS])
{
	struct finding finding = {.ways = ways, .to = to, .found = found};
	for (; finding.fabric < ways->nfabric; finding.fabric++) {
		const uint32_t left = shortest(&finding, from);
		if (left != ORDO_NONE)
			follow(&finding, from, left);
	}
	return finding.count;
}

/* Whether a rank has a link to another, and a way over switches too, which is never a shortest. */
static bool has_detour(const struct ordo_ways *ways, uint32_t from, uint32_t to)
{
	const struct ordo_topology *topology = ways->topology;
	bool direct = false, other = false;
	for (uint32_t i = topology->first_link[from]; i < topology->first_link[from + 1]; i++) {
		const struct ordo_link *link = &topology->links[i];
		direct = direct || (!link->down && link->to == to);
		other = other || (!link->down && link->to >= topology->nrank &&
					 hops_at(ways, 0, link->to)[to] != UINT8_MAX);
	}
	return direct && other;
}

bool ordo_has_ways(const struct ordo_topology *topology, bool *several, struct ordo_error *error)
{
	enum { FEW_RANKS = 64 };
	struct ordo_ways ways;
	struct ordo_way found[ORDO_MOST_WAYS];
	*several = false;
	if (!topology || !topology->nswitch ||
		(uint64_t)topology->nswitch * topology->nrank > MOST_PAIRS)
		return true;
	const bool worked = ordo_ways_make(&ways, topology, error);
	const uint32_t nrank = topology->nrank, nfrom = nrank <= FEW_RANKS ? nrank : 1;
	for (uint32_t from = 0; worked && !*several && from < nfrom; from++)
		for (uint32_t to = 0; !*several && to < nrank; to++)
			*several = to != from &&
				   (has_detour(&ways, from, to) ||
					   ordo_ways_between(&ways, from, to, found) > 1);
	ordo_ways_free(&ways);
	return worked;
}
