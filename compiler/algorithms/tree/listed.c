/* listed.c - in which order the moves along packed trees begin. With phases=apart, sums are listed
 * as those of a ReduceScatter, results as those of an AllGather: each phase has its own shares of
 * the links, and its own order.
 */
#include "arrivals.h"
#include "packed.h"
#include <math.h>
#include <ordo/arena.h>
#include <stdlib.h>

/* Whether all routes go over one switch only. Then moves are listed as if each had its links for
 * itself; elsewhere links that a move wants at once are seldom free at once, and moves are listed
 * as if all pairs shared links by what they carry. */
static bool is_star(const struct ordo_packed *packed)
{
	const struct ordo_pair_routes *routes = &packed->routes;
	const uint32_t nrank = packed->graph.nrank;
	uint32_t hub = ORDO_NONE;
	for (uint32_t i = 0; i < routes->first[nrank * nrank]; i++) {
		const struct ordo_arc *arc = &packed->graph.arcs[routes->arcs[i]];
		const uint32_t ends[] = {arc->from, arc->to};
		for (uint32_t k = 0; k < 2; k++) {
			if (ends[k] < nrank)
				continue;
			if (hub != ORDO_NONE && hub != ends[k])
				return false;
			hub = ends[k];
		}
	}
	return true;
}

/* The time of an addition over that of a chunk on the widest arc; shares: of pairs of ranks; NULL.
 */
static double time_of_addition(const struct ordo_packed *packed,
	const struct ordo_topology *topology, const struct ordo_capacities *shares)
{
	const struct ordo_capacities *graph = &packed->graph;
	const double widest =
		(double)ordo_capacities_widest(graph) * (double)graph->unit *
		pow(10, -graph->unit_digits) *
		(shares ? (double)ordo_capacities_widest(shares) / ORDO_WIDEST_SHARE : 1);
	return widest / ordo_adding_gbs(topology);
}

/* The moves of these ways, in time. pairs: with switches, their shares */
static bool list_ways(const struct ordo_resolved_request *request,
	const struct ordo_capacities *pairs, const struct ordo_chunk_way *ways, uint32_t nway,
	struct ordo_listed_move **moves, size_t *nmove)
{
	const struct ordo_packed *packed = request->prepared;
	const bool switched = packed->routes.first,
		   star = switched && !packed->names_ways && !packed->spreads && is_star(packed);
	const struct ordo_listed_adders adders = {ORDO_ARRIVAL_SLOTS,
		time_of_addition(packed, request->topology, switched && !star ? pairs : NULL)};
	return ordo_list_moves(moves, nmove, switched ? pairs : &packed->graph,
		star ? &packed->routes : NULL, ordo_sums_are_apart(request) ? &adders : NULL, ways,
		nway, NULL);
}

/* A way by its root, and by when a phase comes to it. */
struct visit {
	uint32_t root, way;
	size_t time;
};

static int compare_visits(const void *one, const void *other)
{
	const struct visit *a = one, *b = other;
	return a->root != b->root   ? (a->root > b->root) - (a->root < b->root)
	       : a->time != b->time ? (a->time > b->time) - (a->time < b->time)
				    : (a->way > b->way) - (a->way < b->way);
}

/* Of one phase, all ways: when their last sum moves, or their first result. last_first: sums that
 * move last come first */
static void list_visits(struct visit *visits, const struct ordo_chunk_way *ways, uint32_t nway,
	const struct ordo_listed_move *moves, size_t nmove, bool last_first)
{
	for (uint32_t way = 0; way < nway; way++)
		visits[way] = (struct visit){ways[way].root, way, 0};
	for (size_t i = 0; i < nmove; i++)
		visits[moves[i].way].time = last_first ? nmove - i : i;
	for (size_t i = nmove; i-- > 0;)
		if (moves[i].kind == ORDO_LISTED_RESULT)
			visits[moves[i].way].time = i;
	qsort(visits, nway, sizeof *visits, compare_visits);
}

/* What a result's way becomes. Of each root, the first results are those of the first sums, and
 * move while the last sums leave links idle. But where links are not as wide both ways, some are
 * busy with sums for longer than with results: there the first results are those of the last sums,
 * so that few take such links while sums still need them. */
static bool match_phases(const struct ordo_chunk_way *ways, uint32_t nway, bool last_first,
	struct ordo_listed_move *const moves[2], const size_t nmove[2])
{
	struct visit *visits[2] = {NULL, NULL};
	uint32_t *becomes = ordo_array_make(nway, sizeof *becomes, 0);
	bool worked = becomes;
	for (uint32_t phase = 0; phase < 2; phase++) {
		visits[phase] = ordo_array_make(nway, sizeof *visits[phase], 0);
		worked = worked && visits[phase];
		if (worked)
			list_visits(
				visits[phase], ways, nway, moves[phase], nmove[phase], last_first);
	}
	for (uint32_t i = 0; worked && i < nway; i++)
		becomes[visits[1][i].way] = visits[0][i].way;
	for (size_t i = 0; worked && i < nmove[1]; i++)
		moves[1][i].way = becomes[moves[1][i].way];
	for (uint32_t phase = 0; phase < 2; phase++)
		free(visits[phase]);
	free(becomes);
	return worked;
}

/* All sums as a ReduceScatter alone has them, then all results as an AllGather alone. */
static bool list_apart(const struct ordo_resolved_request *request,
	const struct ordo_chunk_way *ways, uint32_t nway, struct ordo_listed_move **moves,
	size_t *nmove)
{
	const struct ordo_packed *packed = request->prepared;
	struct ordo_chunk_way *half = ordo_array_make(nway, sizeof *half, 0);
	struct ordo_listed_move *phases[2] = {NULL, NULL};
	size_t counts[2] = {0, 0};
	bool worked = half;
	for (uint32_t phase = 0; worked && phase < 2; phase++) {
		for (uint32_t way = 0; way < nway; way++)
			half[way] = (struct ordo_chunk_way){ways[way].chunk, ways[way].root,
				phase ? NULL : ways[way].up, phase ? ways[way].down : NULL};
		worked = list_ways(request, &packed->pairs_of_phase[phase], half, nway,
			&phases[phase], &counts[phase]);
	}
	worked = worked && match_phases(ways, nway, !ordo_capacities_symmetric(&packed->graph),
				   phases, counts);
	*nmove = counts[0] + counts[1];
	*moves = worked ? ordo_array_make(*nmove, sizeof **moves, 0) : NULL;
	for (size_t i = 0; *moves && i < *nmove; i++)
		(*moves)[i] = i < counts[0] ? phases[0][i] : phases[1][i - counts[0]];
	for (uint32_t phase = 0; phase < 2; phase++)
		free(phases[phase]);
	free(half);
	return *moves;
}

bool ordo_packed_list(const struct ordo_resolved_request *request,
	const struct ordo_chunk_way *ways, uint32_t nway, struct ordo_listed_move **moves,
	size_t *nmove)
{
	const struct ordo_packed *packed = request->prepared;
	return packed->apart ? list_apart(request, ways, nway, moves, nmove)
			     : list_ways(request, &packed->pairs, ways, nway, moves, nmove);
}
