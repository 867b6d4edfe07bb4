/* routes.c - the way from one rank to another: a link, or else a shortest way, spread over equally short ones. */
#include "predict/routes.h"
#include "predict/ways.h"
#include <ordo/arena.h>
#include <stdlib.h>

static int compare_targets(const void *one, const void *other)
{
	const uint32_t *a = one, *b = other;
	return (*a > *b) - (*a < *b);
}

static bool add_route(struct ordo_routes *routes, size_t *room, uint32_t to, struct ordo_error *error)
{
	if (!ordo_array_reserve(&routes->to, room, (size_t)routes->nroute + 1, sizeof *routes->to))
		return ordo_fail_memory(error);
	routes->to[routes->nroute++] = to;
	return true;
}

static bool sends(const struct ordo_task *task)
{
	return task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE;
}

/* What the simulation takes for granted. */
static bool check_task(const struct ordo_schedule *schedule, uint32_t i, uint32_t rank, uint32_t nchunk,
	struct ordo_error *error)
{
	const struct ordo_task *task = &schedule->tasks[i];
	char place[256];
	const bool moves = ordo_task_moves(task), crosses = ordo_task_crosses(task);
	const bool there =
		!crosses || (task->peer < schedule->problem.nrank && !(sends(task) && task->peer == rank));
	const bool fits = !moves || (task->chunk < nchunk && task->count <= nchunk - task->chunk);
	if (there && fits)
		return true;
	ordo_task_locate(schedule, i, place, sizeof place);
	return there ? ordo_fail(error, ORDO_REFUTED, 3, "%s: wanted chunks of 0..%u", place, nchunk - 1)
		     : ordo_fail(error, ORDO_REFUTED, 2, "%s: wanted another rank of 0..%u", place,
			       schedule->problem.nrank - 1);
}

/* The peers of every rank, each once, ascending; seen[nrank]. */
static bool find_pairs(struct ordo_routes *routes, const struct ordo_schedule *schedule, uint32_t *seen,
	struct ordo_error *error)
{
	const uint32_t nchunk = ordo_nchunk(&schedule->problem);
	size_t room = 0;
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++) {
		const struct ordo_program *program = &schedule->programs[rank];
		const uint32_t first = routes->first[rank] = routes->nroute;
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
				const struct ordo_task *task = &schedule->tasks[i];
				if (!check_task(schedule, i, rank, nchunk, error))
					return false;
				if (!sends(task) || seen[task->peer] == rank)
					continue;
				seen[task->peer] = rank;
				if (!add_route(routes, &room, task->peer, error))
					return false;
			}
		if (routes->nroute > first)
			qsort(routes->to + first, routes->nroute - first, sizeof *routes->to,
				compare_targets);
	}
	routes->first[schedule->problem.nrank] = routes->nroute;
	routes->routes = ordo_array_make(routes->nroute, sizeof *routes->routes, 0);
	return routes->routes || ordo_fail_memory(error);
}

static void take_link(struct ordo_route *route, const struct ordo_link *link)
{
	const double bandwidth = link->bandwidth_gbs * 1e9;
	route->latency += link->latency_ns * 1e-9;
	if (!(route->bandwidth > 0) || bandwidth < route->bandwidth)
		route->bandwidth = bandwidth;
	route->reduce = link->reduce_gbs * 1e9;
}

/* A way that a topology has. */
static bool make_way(struct ordo_routes *routes, struct ordo_ways *ways, uint32_t from, uint32_t number,
	struct ordo_error *error)
{
	const struct ordo_topology *topology = ways->topology;
	struct ordo_route *route = &routes->routes[number];
	const uint32_t to = routes->to[number];
	if (!ordo_ways_aim(ways, from, to))
		return ordo_fail(error, ORDO_REFUTED, 12,
			"rank %u sends to rank %u, and in topology %.64s nothing that is up leads there",
			from, to, topology->name);
	route->first_link = (uint32_t)routes->nlink;
	for (uint32_t at = from; at != to;) {
		const uint32_t link = ordo_ways_next(ways, at);
		if (routes->nlink == ORDO_LIMIT || !ordo_array_reserve(&routes->links, &routes->link_room,
							   routes->nlink + 1, sizeof *routes->links))
			return ordo_fail_memory(error);
		routes->links[routes->nlink++] = link;
		take_link(route, &topology->links[link]);
		at = topology->links[link].to;
	}
	route->end_link = (uint32_t)routes->nlink;
	return true;
}

/* By target, then by source: sources[] of routes, one list a target. */
static bool make_ways(struct ordo_routes *routes, const struct ordo_predict_options *options, uint32_t nrank,
	struct ordo_error *error)
{
	struct ordo_ways ways;
	uint32_t *first = ordo_array_make((size_t)nrank + 1, sizeof *first, 0),
		 *source = ordo_array_make(routes->nroute, sizeof *source, 0),
		 *number = ordo_array_make(routes->nroute, sizeof *number, 0);
	bool worked = ordo_ways_make(&ways, options->topology, options->through_ranks, error) && first &&
		      source && number;
	if (!first || !source || !number)
		ordo_fail_memory(error);
	for (uint32_t i = 0; worked && i < routes->nroute; i++)
		first[routes->to[i] + 1]++;
	for (uint32_t to = 0; worked && to < nrank; to++)
		first[to + 1] += first[to];
	for (uint32_t from = 0; worked && from < nrank; from++)
		for (uint32_t i = routes->first[from]; i < routes->first[from + 1]; i++) {
			const uint32_t place = first[routes->to[i]]++;
			source[place] = from;
			number[place] = i;
		}
	for (uint32_t i = 0; worked && i < routes->nroute; i++)
		worked = make_way(routes, &ways, source[i], number[i], error);
	ordo_ways_free(&ways);
	free(first);
	free(source);
	free(number);
	return worked;
}

static void make_links(struct ordo_routes *routes, const struct ordo_machine *machine)
{
	for (uint32_t i = 0; i < routes->nroute; i++) {
		struct ordo_route *route = &routes->routes[i];
		route->latency = machine->latency_ns * 1e-9;
		route->bandwidth = machine->bandwidth_gbs * 1e9;
	}
}

bool ordo_routes_make(struct ordo_routes *routes, const struct ordo_schedule *schedule,
	const struct ordo_predict_options *options, struct ordo_error *error)
{
	const uint32_t nrank = schedule->problem.nrank;
	*routes = (struct ordo_routes){.first = ordo_array_make((size_t)nrank + 1, sizeof *routes->first, 0)};
	uint32_t *seen = ordo_array_make(nrank, sizeof *seen, 0xff);
	bool worked = routes->first && seen ? true : ordo_fail_memory(error);
	worked = worked && find_pairs(routes, schedule, seen, error);
	free(seen);
	if (worked && options->topology)
		return make_ways(routes, options, nrank, error);
	if (worked)
		make_links(routes, &options->machine);
	return worked;
}

void ordo_routes_free(struct ordo_routes *routes)
{
	free(routes->first);
	free(routes->to);
	free(routes->routes);
	free(routes->links);
	*routes = (struct ordo_routes){.first = NULL};
}

uint32_t ordo_route_find(const struct ordo_routes *routes, uint32_t from, uint32_t to)
{
	uint32_t low = routes->first[from], high = routes->first[from + 1];
	/* Of a rank that sends to all others. */
	const uint32_t nth = to - (to > from);
	if (nth < high - low && routes->to[low + nth] == to)
		return low + nth;
	for (uint32_t count = high - low; count > 1;) {
		const uint32_t half = count / 2;
		low = routes->to[low + half] <= to ? low + half : low;
		count -= half;
	}
	return low;
}
