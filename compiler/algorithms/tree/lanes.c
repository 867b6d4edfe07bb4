/* lanes.c - which of the streams between two ranks carries the next chunk. */
#include "lanes.h"
#include "ways/ways.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum {
	MOST_LANES = 16,
	MOST_TURNS = 4 /* lanes of a pair whose paths take turns */
};

const char *ordo_lane_name(uint32_t lane)
{
	static const char *const names[MOST_LANES] = {"to", "2nd to", "3rd to", "4th to", "5th to",
		"6th to", "7th to", "8th to", "9th to", "10th to", "11th to", "12th to", "13th to",
		"14th to", "15th to", "16th to"};
	return names[lane];
}

static bool are_equal(const struct ordo_pair_way *a, const struct ordo_pair_way *b)
{
	return a->units[0] == b->units[0] && a->units[1] == b->units[1];
}

/* The widest first. */
static int compare_lanes(const void *one, const void *other)
{
	const struct ordo_pair_way *a = ((const struct ordo_lane *)one)->way,
				   *b = ((const struct ordo_lane *)other)->way;
	const uint64_t a_units = (uint64_t)a->units[0] + a->units[1],
		       b_units = (uint64_t)b->units[0] + b->units[1];
	return a_units != b_units ? (a_units < b_units) - (a_units > b_units)
				  : (a->first > b->first) - (a->first < b->first);
}

/* Which of equally wide lanes comes first differs from pair to pair: if what all pairs send first
 * went over one switch, the links to another would idle meanwhile. */
static void turn_equal_lanes(
	struct ordo_lane *lanes, struct ordo_lane *room, uint32_t count, uint32_t turn)
{
	for (uint32_t first = 0, end; first < count; first = end) {
		end = first + 1;
		while (end < count && are_equal(lanes[first].way, lanes[end].way))
			end++;
		const uint32_t equal = end - first;
		memcpy(room, lanes + first, equal * sizeof *room);
		for (uint32_t i = 0; i < equal; i++)
			lanes[first + i] = room[(i + turn) % equal];
	}
}

void ordo_lanes_free(struct ordo_lanes *lanes)
{
	free(lanes->first);
	free(lanes->items);
	free(lanes->switches);
	free(lanes->classes);
}

/* The lanes of a pair, one for each way that trees were packed into. Returns how many there are. */
static uint32_t list_ways(const struct ordo_lanes *lanes, uint32_t pair, struct ordo_lane *lane,
	struct ordo_lane *room)
{
	const struct ordo_pair_routes *routes = &lanes->packed->routes;
	uint32_t count = 0;
	for (uint32_t i = routes->first_way[pair]; i != ORDO_NONE; i = routes->ways[i].next)
		lane[count++] = (struct ordo_lane){.way = &routes->ways[i]};
	qsort(lane, count, sizeof *lane, compare_lanes);
	turn_equal_lanes(lane, room, count, pair / lanes->nrank + pair % lanes->nrank);
	return count < MOST_LANES ? count : MOST_LANES;
}

/* Lanes of all pairs that send anything, one for each of their shortest ways; ways/spread.c decides
 * later which stream takes which. false: no memory. */
static bool make_turns(struct ordo_lanes *lanes)
{
	const struct ordo_capacities *pairs = &lanes->packed->pairs;
	const uint32_t nrank = lanes->nrank, npair = nrank * nrank;
	struct ordo_way found[ORDO_MOST_WAYS];
	struct ordo_ways ways = {0};
	lanes->first = ordo_array_make((size_t)npair + 1, sizeof *lanes->first, 0);
	lanes->items = ordo_array_make((size_t)MOST_TURNS * pairs->narc, sizeof *lanes->items, 0);
	const bool worked = lanes->first && lanes->items &&
			    ordo_ways_make(&ways, lanes->packed->topology, NULL);
	for (uint32_t pair = 0, arc = 0; worked && pair < npair; pair++) {
		uint32_t count = 0;
		if (arc < pairs->narc &&
			pairs->arcs[arc].from * nrank + pairs->arcs[arc].to == pair) {
			count = ordo_ways_between(&ways, pair / nrank, pair % nrank, found);
			arc++;
		}
		lanes->first[pair + 1] =
			lanes->first[pair] + (count < MOST_TURNS ? count : MOST_TURNS);
	}
	ordo_ways_free(&ways);
	return worked;
}

bool ordo_lanes_make(struct ordo_lanes *lanes, const struct ordo_packed *packed)
{
	const struct ordo_pair_routes *routes = &packed->routes;
	const uint32_t nrank = packed->graph.nrank, npair = nrank * nrank;
	*lanes = (struct ordo_lanes){.packed = packed, .nrank = nrank};
	if (packed->turns && packed->spreads)
		return make_turns(lanes);
	if (!routes->first_way)
		return true;
	lanes->first = ordo_array_make((size_t)npair + 1, sizeof *lanes->first, 0);
	lanes->items = ordo_array_make(routes->nway, sizeof *lanes->items, 0);
	lanes->switches = ordo_array_make(packed->graph.nvertex, sizeof *lanes->switches, 0);
	lanes->classes = ordo_array_make(packed->graph.nvertex, sizeof *lanes->classes, 0);
	struct ordo_lane *room = ordo_array_make(routes->nway, sizeof *room, 0);
	const bool worked =
		lanes->first && lanes->items && lanes->switches && lanes->classes && room;
	for (uint32_t pair = 0; worked && pair < npair; pair++)
		lanes->first[pair + 1] =
			lanes->first[pair] +
			list_ways(lanes, pair, lanes->items + lanes->first[pair], room);
	free(room);
	return worked;
}

static uint32_t units_of(const struct ordo_lane *lane, uint32_t phase)
{
	return lane->way ? lane->way->units[phase] : 1;
}

/* The lane of a pair that carries least so far for what its way is wide. Then none carries more
 * than its units, unless all together do. */
static uint32_t next_lane(const struct ordo_lanes *lanes, uint32_t pair, uint32_t phase)
{
	uint32_t best = lanes->first[pair];
	for (uint32_t i = best + 1; i < lanes->first[pair + 1]; i++) {
		const struct ordo_lane *lane = &lanes->items[i], *other = &lanes->items[best];
		if ((wide)(lane->sent[phase] + 1) * units_of(other, phase) <
			(wide)(other->sent[phase] + 1) * units_of(lane, phase))
			best = i;
	}
	return best;
}

/* The stream at hand names its way: with one class if that is enough, or one for each hop. */
static void name_way(struct ordo_builder *b, const struct ordo_lanes *lanes,
	const struct ordo_listed_move *move, const struct ordo_pair_way *way)
{
	const struct ordo_parallel_links *parallel = lanes->packed->graph.parallel;
	const struct ordo_apart_way apart = {move->from, move->to, way->narc - 1,
		lanes->packed->routes.way_via + way->first, false};
	const char *class_name;
	const uint32_t count =
		ordo_parallel_links_switches(parallel, apart.via, apart.nvia, lanes->switches);
	if (ordo_parallel_links_nameable(parallel, &apart, &class_name)) {
		ordo_via(b, move->from, lanes->switches, count, class_name);
		return;
	}
	ordo_parallel_links_classes(parallel, &apart, lanes->classes);
	ordo_via_classes(b, move->from, lanes->switches, count, lanes->classes);
}

void ordo_take_lane(
	struct ordo_builder *b, struct ordo_lanes *lanes, const struct ordo_listed_move *move)
{
	const uint32_t pair = move->from * lanes->nrank + move->to,
		       phase = (move->kind == ORDO_LISTED_RESULT && !lanes->packed->turns) ||
			       lanes->packed->spanning,
		       count = lanes->first ? lanes->first[pair + 1] - lanes->first[pair] : 0;
	if (!count) {
		ordo_stream(b, ordo_lane_name(0), move->to);
		return;
	}
	const uint32_t next = next_lane(lanes, pair, phase);
	struct ordo_lane *lane = &lanes->items[next];
	ordo_stream(b, ordo_lane_name(next - lanes->first[pair]), move->to);
	if (lane->way && !lane->sent[0] && !lane->sent[1] &&
		(lanes->packed->spreads || count > 1 || lane->way->narc > 1))
		name_way(b, lanes, move, lane->way);
	lane->sent[phase]++;
}
