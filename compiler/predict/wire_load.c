/* wire_load.c - how long the busiest link or port needs for what a schedule sends. */
#include "routes.h"
#include "sizes.h"
#include <ordo/arena.h>
#include <ordo/detail/bound.h>
#include <stdlib.h>

/* What a schedule sends over each link, and out of each rank and into it. */
struct sent {
	const struct ordo_topology *topology;
	double *over, *out, *in; /* bytes; [nlink], [nrank], [nrank] */
};

static void add_task(struct sent *sent, const struct ordo_routes *routes, uint32_t stream,
	uint32_t rank, const struct ordo_task *task, double bytes)
{
	const struct ordo_route *route =
		&routes->routes[ordo_route_of(routes, stream, rank, task->peer)];
	for (uint32_t i = route->first_link; i < route->end_link; i++)
		sent->over[routes->links[i]] += bytes;
	sent->out[rank] += bytes;
	sent->in[task->peer] += bytes;
}

static void add_all(struct sent *sent, const struct ordo_schedule *schedule,
	const struct ordo_routes *routes, const struct ordo_sizes_of_moves *sizes)
{
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		for (uint32_t i = stream->first; i < stream->end; i++) {
			const struct ordo_task *task = &schedule->tasks[i];
			if (task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE)
				add_task(sent, routes, s, stream->rank, task,
					ordo_bytes_moved(sizes, task));
		}
	}
}

/* A link that is up, at a rank. */
struct end {
	uint32_t rank;
	double width; /* GB/s */
};

/* By ranks, the widest first. */
static int compare_ends(const void *left, const void *right)
{
	const struct end *a = left, *b = right;
	return a->rank != b->rank ? (a->rank < b->rank ? -1 : 1)
				  : (a->width < b->width) - (a->width > b->width);
}

/* The most seconds of a rank's ports, out or in: as many of its widest links as it has ports. */
static double most_of_ports(
	const struct sent *sent, const double *bytes, bool out, struct end *ends)
{
	const struct ordo_topology *topology = sent->topology;
	uint32_t count = 0;
	double most = 0;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const uint32_t rank = out ? link->from : link->to;
		if (!link->down && rank < topology->nrank)
			ends[count++] = (struct end){rank, link->bandwidth_gbs};
	}
	qsort(ends, count, sizeof *ends, compare_ends);
	for (uint32_t i = 0, last; i < count; i = last) {
		double width = 0;
		for (last = i; last < count && ends[last].rank == ends[i].rank; last++)
			if (last - i < topology->ports)
				width += ends[last].width;
		const double seconds = bytes[ends[i].rank] * 1e-9 / width;
		most = seconds > most ? seconds : most;
	}
	return most;
}

static bool find_most(const struct sent *sent, double *seconds, struct ordo_error *error)
{
	const struct ordo_topology *topology = sent->topology;
	struct end *ends =
		topology->ports ? ordo_array_make(topology->nlink, sizeof *ends, 0) : NULL;
	if (topology->ports && !ends)
		return ordo_fail_memory(error);
	*seconds = 0;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const double one = sent->over[i] * 1e-9 / topology->links[i].bandwidth_gbs;
		*seconds = one > *seconds ? one : *seconds;
	}
	for (int out = 0; out < 2 && ends; out++) {
		const double one = most_of_ports(sent, out ? sent->out : sent->in, out, ends);
		*seconds = one > *seconds ? one : *seconds;
	}
	free(ends);
	return true;
}

bool ordo_wire_load(const struct ordo_schedule *schedule, const struct ordo_topology *topology,
	uint64_t bytes, double *seconds, struct ordo_error *error)
{
	const struct ordo_predict_options options = {.topology = topology, .bytes = bytes};
	const uint32_t nrank = topology->nrank;
	struct ordo_sizes_of_moves sizes = {.begin = NULL};
	struct ordo_routes routes = {.first = NULL};
	struct sent sent = {topology, ordo_array_make(topology->nlink, sizeof *sent.over, 0),
		ordo_array_make(nrank, sizeof *sent.out, 0),
		ordo_array_make(nrank, sizeof *sent.in, 0)};
	bool worked = (sent.over && sent.out && sent.in) || ordo_fail_memory(error);
	worked = worked && ordo_sizes_make(&sizes, &schedule->problem, &options, error) &&
		 ordo_routes_make(&routes, schedule, &options, error);
	if (worked) {
		add_all(&sent, schedule, &routes, &sizes);
		worked = find_most(&sent, seconds, error);
	}
	ordo_routes_free(&routes);
	ordo_sizes_free(&sizes);
	free(sent.over);
	free(sent.out);
	free(sent.in);
	return worked;
}
