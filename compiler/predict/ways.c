/* ways.c - shortest ways over the links of a topology that are up: walked backwards from the target, once for all who go there. */
#include "predict/ways.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

static uint32_t nvertex(const struct ordo_ways *ways)
{
	return ways->topology->nrank + ways->topology->nswitch;
}

static bool index_ends(struct ordo_ways *ways)
{
	const struct ordo_topology *topology = ways->topology;
	ways->first_in = ordo_array_make((size_t)nvertex(ways) + 2, sizeof *ways->first_in, 0);
	ways->in = ordo_array_make(topology->nlink, sizeof *ways->in, 0);
	if (!ways->first_in || !ways->in)
		return false;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (!topology->links[i].down)
			ways->first_in[topology->links[i].to + 2]++;
	for (uint32_t v = 0; v < nvertex(ways); v++)
		ways->first_in[v + 2] += ways->first_in[v + 1];
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (!topology->links[i].down)
			ways->in[ways->first_in[topology->links[i].to + 1]++] = topology->links[i].from;
	return true;
}

static bool add_distances(struct ordo_ways *ways, bool through_ranks)
{
	struct ordo_distances *distances = &ways->distances[ways->ndistances++];
	*distances =
		(struct ordo_distances){.from = ordo_array_make(nvertex(ways), sizeof *distances->from, 0xff),
			.queue = ordo_array_make((size_t)nvertex(ways) + 1, sizeof *distances->queue, 0),
			.target = ORDO_NONE,
			.through_ranks = through_ranks};
	return distances->from && distances->queue;
}

bool ordo_ways_make(struct ordo_ways *ways, const struct ordo_topology *topology, bool through_ranks,
	struct ordo_error *error)
{
	*ways = (struct ordo_ways){.topology = topology, .target = ORDO_NONE};
	if (!topology->nswitch && !through_ranks)
		return true;
	ways->taken = ordo_array_make(topology->nlink, sizeof *ways->taken, 0);
	return (ways->taken && index_ends(ways) && (!topology->nswitch || add_distances(ways, false)) &&
		       (!through_ranks || add_distances(ways, true))) ||
	       ordo_fail_memory(error);
}

void ordo_ways_free(struct ordo_ways *ways)
{
	free(ways->taken);
	free(ways->first_in);
	free(ways->in);
	for (uint32_t i = 0; i < ways->ndistances; i++) {
		free(ways->distances[i].from);
		free(ways->distances[i].queue);
	}
}

/* The widest of the links between two vertices that are up, of equally wide ones the one with the least latency; ORDO_NONE. */
static uint32_t link_between(const struct ordo_topology *topology, uint32_t from, uint32_t to)
{
	uint32_t low = topology->first_link[from], high = topology->first_link[from + 1], best = ORDO_NONE;
	const uint32_t end = high;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (topology->links[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < end && topology->links[low].to == to; low++) {
		const struct ordo_link *link = &topology->links[low],
				       *other = best == ORDO_NONE ? NULL : &topology->links[best];
		if (!link->down && (!other || link->bandwidth_gbs > other->bandwidth_gbs ||
					   (!(link->bandwidth_gbs < other->bandwidth_gbs) &&
						   link->latency_ns < other->latency_ns)))
			best = low;
	}
	return best;
}

static void begin_measuring(struct ordo_distances *distances, uint32_t target)
{
	for (uint32_t i = 0; i < distances->nqueue; i++)
		distances->from[distances->queue[i]] = ORDO_NONE;
	distances->target = target;
	distances->nqueue = 1;
	distances->ndone = 0;
	distances->queue[0] = target;
	distances->from[target] = 0;
}

/* From all that may lie between, until one vertex is reached: then all that are nearer have been. Without a jump for what is new, which is hard to guess. */
static void measure(const struct ordo_ways *ways, struct ordo_distances *distances, uint32_t vertex)
{
	const uint32_t first_between = distances->through_ranks ? 0 : ways->topology->nrank;
	uint32_t *from = distances->from, *queue = distances->queue;
	uint32_t nqueue = distances->nqueue, ndone = distances->ndone;
	while (from[vertex] == ORDO_NONE && ndone < nqueue) {
		const uint32_t at = queue[ndone++], far = from[at] + 1, end = ways->first_in[at + 1];
		for (uint32_t i = ways->first_in[at]; i < end; i++) {
			const uint32_t before = ways->in[i];
			const bool is_new = (from[before] == ORDO_NONE) & (before >= first_between);
			queue[nqueue] = before;
			from[before] = is_new ? far : from[before];
			nqueue += is_new;
		}
	}
	distances->nqueue = nqueue;
	distances->ndone = ndone;
}

/* How good a link is as the next one of a way. */
struct offer {
	uint32_t link;
	uint32_t distance; /* from its end to the target */
	uint32_t taken;	   /* by other pairs, if it touches a switch */
	uint32_t stride;   /* between the numbers of its vertices */
	bool down;	   /* towards smaller numbers */
};

static bool is_better(const struct offer *a, const struct offer *b)
{
	if (a->distance != b->distance)
		return a->distance < b->distance;
	if (a->taken != b->taken)
		return a->taken < b->taken;
	if (a->stride != b->stride)
		return a->stride < b->stride;
	return a->down < b->down;
}

/* No other link leads from there to the same vertex: links are sorted. */
static bool is_alone(const struct ordo_topology *topology, uint32_t from, uint32_t link)
{
	const struct ordo_link *links = topology->links;
	return (link == topology->first_link[from] || links[link - 1].to != links[link].to) &&
	       (link + 1 == topology->first_link[from + 1] || links[link + 1].to != links[link].to);
}

/* The link to a vertex nearest to the target; ORDO_NONE: none leads nearer. */
static uint32_t best_next(const struct ordo_ways *ways, const struct ordo_distances *distances, uint32_t at)
{
	const struct ordo_topology *topology = ways->topology;
	const uint32_t nrank = topology->nrank, here = distances->from[at];
	uint32_t farthest = here == ORDO_NONE ? ORDO_NONE - 1 : here - 1;
	struct offer best = {.link = ORDO_NONE, .distance = ORDO_NONE};
	for (uint32_t i = topology->first_link[at]; i < topology->first_link[at + 1]; i++) {
		const uint32_t to = topology->links[i].to;
		if (distances->from[to] > farthest || topology->links[i].down)
			continue;
		farthest = distances->from[to];
		struct offer offer = {.link = is_alone(topology, at, i) ? i : link_between(topology, at, to),
			.distance = distances->from[to],
			.stride = to > at ? to - at : at - to,
			.down = to < at};
		if (at >= nrank || to >= nrank)
			offer.taken = ways->taken[offer.link];
		if (is_better(&offer, &best))
			best = offer;
	}
	return best.link;
}

bool ordo_ways_aim(struct ordo_ways *ways, uint32_t from, uint32_t target)
{
	ways->target = target;
	ways->aim = NULL;
	if (link_between(ways->topology, from, target) != ORDO_NONE)
		return true;
	for (uint32_t i = 0; i < ways->ndistances; i++) {
		struct ordo_distances *distances = &ways->distances[i];
		if (distances->target != target)
			begin_measuring(distances, target);
		measure(ways, distances, from);
		if (best_next(ways, distances, from) == ORDO_NONE)
			continue;
		ways->aim = distances;
		return true;
	}
	return false;
}

uint32_t ordo_ways_next(struct ordo_ways *ways, uint32_t at)
{
	const bool far = ways->aim && ways->aim->from[at] != 1;
	const uint32_t link =
		far ? best_next(ways, ways->aim, at) : link_between(ways->topology, at, ways->target);
	if (ways->taken)
		ways->taken[link]++;
	return link;
}
