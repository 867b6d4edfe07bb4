/* routes.c - routes between ranks: a link, or else a shortest path, balanced over equally short
 * ones. */
#include "routes.h"
#include "shortest_paths.h"
#include <ordo/arena.h>
#include <ordo/detail/schedules.h>
#include <stdlib.h>

static int compare_targets(const void *one, const void *other)
{
	const uint32_t *a = one, *b = other;
	return (*a > *b) - (*a < *b);
}

static bool add_route(
	struct ordo_routes *routes, size_t *room, uint32_t to, struct ordo_error *error)
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

/* Checks what the simulation assumes. */
static bool check_task(const struct ordo_schedule *schedule, uint32_t i, uint32_t rank,
	uint32_t nchunk, struct ordo_error *error)
{
	const struct ordo_task *task = &schedule->tasks[i];
	char place[256];
	const bool moves = ordo_task_moves(task), crosses = ordo_task_crosses(task);
	const bool there = !crosses || (task->peer < schedule->problem.nrank &&
					       !(sends(task) && task->peer == rank));
	const bool fits = !moves || (task->chunk < nchunk && task->count <= nchunk - task->chunk);
	if (there && fits)
		return true;
	ordo_task_locate(schedule, i, place, sizeof place);
	return there ? ordo_fail(error, ORDO_REFUTED, 3, "%s: wanted chunks of 0..%u", place,
			       nchunk - 1)
		     : ordo_fail(error, ORDO_REFUTED, 2, "%s: wanted another rank of 0..%u", place,
			       schedule->problem.nrank - 1);
}

/* The targets of streams, while they are found. */
struct finding {
	struct ordo_routes *routes;
	const struct ordo_schedule *schedule;
	uint32_t *seen; /* [nrank] the mark of whose targets a rank was found among last */
	size_t room;
	struct ordo_error *error;
};

/* Adds the peers of a stream that are not marked yet. */
static bool find_targets(struct finding *finding, uint32_t s, uint32_t mark)
{
	const struct ordo_schedule *schedule = finding->schedule;
	const struct ordo_stream *stream = &schedule->streams[s];
	const uint32_t nchunk = ordo_nchunk(&schedule->problem);
	for (uint32_t i = stream->first; i < stream->end; i++) {
		const struct ordo_task *task = &schedule->tasks[i];
		if (!check_task(schedule, i, stream->rank, nchunk, finding->error))
			return false;
		if (!sends(task) || finding->seen[task->peer] == mark)
			continue;
		finding->seen[task->peer] = mark;
		if (!add_route(finding->routes, &finding->room, task->peer, finding->error))
			return false;
	}
	return true;
}

static void sort_targets(struct ordo_routes *routes, uint32_t first)
{
	if (routes->nroute > first)
		qsort(routes->to + first, routes->nroute - first, sizeof *routes->to,
			compare_targets);
}

/* Does the stream go over the switches that it names? Without a topology there are none. */
static bool is_named(
	const struct ordo_schedule *schedule, const struct ordo_topology *topology, uint32_t stream)
{
	return topology && ordo_via_of(schedule, stream);
}

/* The peers of every rank, each once, ascending; then those of each stream that names its way. */
static bool find_pairs(struct finding *finding, const struct ordo_topology *topology)
{
	const struct ordo_schedule *schedule = finding->schedule;
	struct ordo_routes *routes = finding->routes;
	const uint32_t nrank = schedule->problem.nrank, nstream = schedule->nstream;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		const struct ordo_program *program = &schedule->programs[rank];
		routes->first[rank] = routes->nroute;
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			if (!is_named(schedule, topology, s) && !find_targets(finding, s, rank))
				return false;
		sort_targets(routes, routes->first[rank]);
	}
	routes->first[nrank] = routes->nroute;
	if (topology && schedule->vias) {
		routes->first_named =
			ordo_array_make((size_t)nstream + 1, sizeof *routes->first_named, 0);
		if (!routes->first_named)
			return ordo_fail_memory(finding->error);
		for (uint32_t s = 0; s < nstream; s++) {
			routes->first_named[s] = routes->nroute;
			if (is_named(schedule, topology, s) && !find_targets(finding, s, nrank + s))
				return false;
			sort_targets(routes, routes->first_named[s]);
		}
		routes->first_named[nstream] = routes->nroute;
	}
	routes->routes = ordo_array_make(routes->nroute, sizeof *routes->routes, 0);
	return routes->routes || ordo_fail_memory(finding->error);
}

static void take_link(struct ordo_route *route, const struct ordo_link *link)
{
	const double bandwidth = link->bandwidth_gbs * 1e9;
	route->latency += link->latency_ns * 1e-9;
	if (!(route->bandwidth > 0) || bandwidth < route->bandwidth)
		route->bandwidth = bandwidth;
	route->reduce = link->reduce_gbs * 1e9;
}

static bool set_links(struct ordo_routes *routes, uint32_t number,
	const struct ordo_topology *topology, const uint32_t *links, uint32_t nlink,
	struct ordo_error *error)
{
	struct ordo_route *route = &routes->routes[number];
	if (nlink > ORDO_LIMIT - routes->nlink ||
		!ordo_array_reserve(&routes->links, &routes->link_room, routes->nlink + nlink,
			sizeof *routes->links))
		return ordo_fail_memory(error);
	route->first_link = (uint32_t)routes->nlink;
	for (uint32_t i = 0; i < nlink; i++) {
		routes->links[routes->nlink++] = links[i];
		take_link(route, &topology->links[links[i]]);
	}
	route->end_link = (uint32_t)routes->nlink;
	return true;
}

/* The pairs without a link, by target, then by source. */
struct far_pairs {
	uint32_t *first;	    /* [nrank + 2] */
	uint32_t *sources, *number; /* [npair] */
	uint32_t npair;
	uint32_t lost; /* the first pair without a path; ORDO_NONE */
};

/* Makes the routes of pairs with a link. The others have no links yet. */
static bool make_near(struct ordo_routes *routes, const struct ordo_topology *topology,
	struct far_pairs *far, uint32_t nrank, struct ordo_error *error)
{
	for (uint32_t from = 0; from < nrank; from++)
		for (uint32_t i = routes->first[from]; i < routes->first[from + 1]; i++) {
			const uint32_t link =
				ordo_topology_best_link(topology, from, routes->to[i]);
			if (link == ORDO_NONE) {
				far->first[routes->to[i] + 2]++;
				far->npair++;
			} else if (!set_links(routes, i, topology, &link, 1, error))
				return false;
		}
	return true;
}

static bool sort_far(const struct ordo_routes *routes, struct far_pairs *far, uint32_t nrank)
{
	far->sources = ordo_array_make(far->npair, sizeof *far->sources, 0);
	far->number = ordo_array_make(far->npair, sizeof *far->number, 0);
	if (!far->sources || !far->number)
		return false;
	for (uint32_t to = 0; to < nrank; to++)
		far->first[to + 2] += far->first[to + 1];
	for (uint32_t from = 0; from < nrank; from++)
		for (uint32_t i = routes->first[from]; i < routes->first[from + 1]; i++)
			if (!routes->routes[i].end_link) {
				const uint32_t place = far->first[routes->to[i] + 1]++;
				far->sources[place] = from;
				far->number[place] = i;
			}
	return true;
}

/* Makes the route from a source to a target of the current search. */
static bool make_path_route(struct ordo_routes *routes, struct ordo_shortest_paths *paths,
	struct far_pairs *far, uint32_t pair, uint32_t lane, struct ordo_error *error)
{
	const uint32_t nlink = ordo_paths_find(paths, far->sources[pair], lane);
	if (!nlink)
		far->lost = pair < far->lost ? pair : far->lost;
	return !nlink ||
	       set_links(routes, far->number[pair], paths->topology, paths->way, nlink, error);
}

static bool make_far(struct ordo_routes *routes, const struct ordo_predict_options *options,
	struct far_pairs *far, struct ordo_error *error)
{
	struct ordo_shortest_paths paths;
	bool worked = ordo_paths_make(
		&paths, options->topology, options->through_ranks, far->first, far->sources, error);
	while (worked && ordo_paths_search(&paths))
		for (uint32_t lane = 0; worked && lane < paths.ntarget; lane++)
			for (uint32_t i = far->first[paths.targets[lane]];
				worked && i < far->first[paths.targets[lane] + 1]; i++)
				worked = make_path_route(routes, &paths, far, i, lane, error);
	ordo_paths_free(&paths);
	if (!worked || far->lost == ORDO_NONE)
		return worked;
	return ordo_fail(error, ORDO_REFUTED, 12,
		"rank %u sends to rank %u, and in topology %.64s nothing that is up leads there",
		far->sources[far->lost], routes->to[far->number[far->lost]],
		options->topology->name);
}

static bool make_ways(struct ordo_routes *routes, const struct ordo_predict_options *options,
	uint32_t nrank, struct ordo_error *error)
{
	struct far_pairs far = {.first = ordo_array_make((size_t)nrank + 2, sizeof *far.first, 0),
		.lost = ORDO_NONE};
	bool worked = far.first ? make_near(routes, options->topology, &far, nrank, error)
				: ordo_fail_memory(error);
	if (worked && far.npair)
		worked = sort_far(routes, &far, nrank) ? make_far(routes, options, &far, error)
						       : ordo_fail_memory(error);
	free(far.first);
	free(far.sources);
	free(far.number);
	return worked;
}

/* Makes the routes of streams that name their way. */
static bool make_named(struct ordo_routes *routes, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology, struct ordo_error *error)
{
	uint32_t links[ORDO_MOST_VIA + 1];
	char why[256];
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		const struct ordo_via *via = ordo_via_of(schedule, s);
		for (uint32_t i = routes->first_named[s]; i < routes->first_named[s + 1]; i++) {
			if (!ordo_via_links(via, topology, stream->rank, routes->to[i], links, why,
				    sizeof why)) {
				ordo_fail(error, ORDO_REFUTED, 12,
					"rank %u, stream \"%s\": sends to rank %u, and in "
					"topology %.64s %s",
					stream->rank, stream->name, routes->to[i], topology->name,
					why);
				return ordo_hint(error, "the stream names its path (via)");
			}
			if (!set_links(routes, i, topology, links, via->nswitch + 1, error))
				return false;
		}
	}
	return true;
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
	*routes = (struct ordo_routes){
		.first = ordo_array_make((size_t)nrank + 1, sizeof *routes->first, 0)};
	struct finding finding = {.routes = routes,
		.schedule = schedule,
		.seen = ordo_array_make(nrank, sizeof *finding.seen, 0xff),
		.error = error};
	bool worked = routes->first && finding.seen ? true : ordo_fail_memory(error);
	worked = worked && find_pairs(&finding, options->topology);
	free(finding.seen);
	if (worked && options->topology)
		return make_ways(routes, options, nrank, error) &&
		       (!routes->first_named ||
			       make_named(routes, schedule, options->topology, error));
	if (worked)
		make_links(routes, &options->machine);
	return worked;
}

void ordo_routes_free(struct ordo_routes *routes)
{
	free(routes->first);
	free(routes->first_named);
	free(routes->to);
	free(routes->routes);
	free(routes->links);
	*routes = (struct ordo_routes){.first = NULL};
}

/* The place of a target among routes low..high - 1, which rise by target. */
static uint32_t search(const struct ordo_routes *routes, uint32_t low, uint32_t high, uint32_t to)
{
	for (uint32_t count = high - low; count > 1;) {
		const uint32_t half = count / 2;
		low = routes->to[low + half] <= to ? low + half : low;
		count -= half;
	}
	return low;
}

uint32_t ordo_route_find(const struct ordo_routes *routes, uint32_t from, uint32_t to)
{
	const uint32_t low = routes->first[from], high = routes->first[from + 1];
	/* A rank that sends to all others needs no search. */
	const uint32_t nth = to - (to > from);
	if (nth < high - low && routes->to[low + nth] == to)
		return low + nth;
	return search(routes, low, high, to);
}

uint32_t ordo_route_of(
	const struct ordo_routes *routes, uint32_t stream, uint32_t from, uint32_t to)
{
	const uint32_t *named = routes->first_named;
	if (!named || named[stream] == named[stream + 1])
		return ordo_route_find(routes, from, to);
	return search(routes, named[stream], named[stream + 1], to);
}
