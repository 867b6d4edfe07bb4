/* resources.c - the resources that moves use, and which of them are shared by streams. */
#include "resources.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* The streams that use a resource. */
struct claims {
	uint32_t last, count; /* streams */
};

struct claiming {
	struct ordo_resources *resources;
	const struct ordo_schedule *schedule;
	const struct ordo_routes *routes;
	const struct ordo_topology *topology;
	struct claims *claims; /* [nlink + 4 nrank] */
	uint32_t stream;
};

static void claim(struct claiming *claiming, uint32_t resource)
{
	struct claims *claims = &claiming->claims[resource];
	if (claims->count && claims->last == claiming->stream)
		return;
	claims->last = claiming->stream;
	claims->count++;
}

static void claim_route(struct claiming *claiming, uint32_t number)
{
	const struct ordo_resources *resources = claiming->resources;
	const struct ordo_route *route = &claiming->routes->routes[number];
	if (!claiming->topology) {
		claim(claiming, number);
		return;
	}
	for (uint32_t i = route->first_link; i < route->end_link; i++) {
		const struct ordo_link *link =
			&claiming->topology->links[claiming->routes->links[i]];
		claim(claiming, claiming->routes->links[i]);
		if (resources->ports && link->from < resources->nrank)
			claim(claiming, ordo_resource_of(resources, ORDO_OUT_PORTS, link->from));
		if (resources->ports && link->to < resources->nrank)
			claim(claiming, ordo_resource_of(resources, ORDO_IN_PORTS, link->to));
	}
}

static void claim_task(struct claiming *claiming, const struct ordo_task *task, uint32_t rank)
{
	const struct ordo_resources *resources = claiming->resources;
	const bool sends = task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE;
	if (sends)
		claim_route(claiming,
			ordo_route_of(claiming->routes, claiming->stream, rank, task->peer));
	if (ordo_task_reduces(task) && resources->add_rate > 0)
		claim(claiming, ordo_resource_of(resources, ORDO_ADDER, sends ? task->peer : rank));
	if (task->kind == ORDO_LOCAL_COPY && resources->copy_rate > 0)
		claim(claiming, ordo_resource_of(resources, ORDO_COPIER, rank));
}

static void claim_all(struct claiming *claiming)
{
	const struct ordo_schedule *schedule = claiming->schedule;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		const struct ordo_task *last = NULL;
		claiming->stream = s;
		for (uint32_t i = stream->first; i < stream->end; i++) {
			const struct ordo_task *task = &schedule->tasks[i];
			if (!ordo_task_moves(task))
				continue;
			if (!last || last->kind != task->kind || last->peer != task->peer)
				claim_task(claiming, task, stream->rank);
			last = task;
		}
	}
}

/* Numbers the resources that several streams use. */
static bool number_shared(struct claiming *claiming, struct ordo_error *error)
{
	struct ordo_resources *resources = claiming->resources;
	const uint32_t count = resources->nlink + 4 * resources->nrank,
		       first_port = ordo_resource_of(resources, ORDO_OUT_PORTS, 0),
		       end_port = ordo_resource_of(resources, ORDO_ADDER, 0);
	for (uint32_t i = 0; i < count; i++)
		resources->shared[i] =
			claiming->claims[i].count > 1 ? resources->nshared++ : ORDO_NONE;
	resources->capacity = ordo_array_make(resources->nshared, sizeof *resources->capacity, 0);
	resources->most_flows =
		ordo_array_make(resources->nshared, sizeof *resources->most_flows, 0);
	if (!resources->capacity || !resources->most_flows)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < count; i++)
		if (resources->shared[i] != ORDO_NONE) {
			resources->capacity[resources->shared[i]] =
				i >= first_port && i < end_port ? resources->ports : 1;
			resources->most_flows[resources->shared[i]] = claiming->claims[i].count;
		}
	return true;
}

static bool add_use(
	struct ordo_resources *resources, uint32_t resource, double load, struct ordo_error *error)
{
	if (resources->shared[resource] == ORDO_NONE)
		return true;
	if (!ordo_array_reserve(&resources->uses, &resources->use_room, resources->nuse + 1,
		    sizeof *resources->uses))
		return ordo_fail_memory(error);
	resources->uses[resources->nuse++] = (struct ordo_use){resources->shared[resource], load};
	return true;
}

static bool add_uses(struct claiming *claiming, uint32_t number, struct ordo_error *error)
{
	struct ordo_resources *resources = claiming->resources;
	const struct ordo_route *route = &claiming->routes->routes[number];
	const uint32_t *links = claiming->routes->links;
	resources->first_use[number] = (uint32_t)resources->nuse;
	if (!claiming->topology)
		return add_use(resources, number, 1 / route->bandwidth, error);
	for (uint32_t i = route->first_link; i < route->end_link && resources->ports; i++) {
		const struct ordo_link *link = &claiming->topology->links[links[i]];
		if ((link->from < resources->nrank &&
			    !add_use(resources,
				    ordo_resource_of(resources, ORDO_OUT_PORTS, link->from),
				    1 / route->bandwidth, error)) ||
			(link->to < resources->nrank &&
				!add_use(resources,
					ordo_resource_of(resources, ORDO_IN_PORTS, link->to),
					1 / route->bandwidth, error)))
			return false;
	}
	resources->nport_use[number] = (uint32_t)resources->nuse - resources->first_use[number];
	for (uint32_t i = route->first_link; i < route->end_link; i++)
		if (!add_use(resources, links[i],
			    1e-9 / claiming->topology->links[links[i]].bandwidth_gbs, error))
			return false;
	return true;
}

static struct ordo_use *make_servers(
	const struct ordo_resources *resources, enum ordo_resource kind, double rate)
{
	struct ordo_use *servers = ordo_array_make(resources->nrank, sizeof *servers, 0);
	for (uint32_t rank = 0; servers && rank < resources->nrank; rank++)
		servers[rank] = (struct ordo_use){
			resources->shared[ordo_resource_of(resources, kind, rank)],
			rate > 0 ? 1 / rate : 0};
	return servers;
}

static bool make_uses(struct claiming *claiming, struct ordo_error *error)
{
	struct ordo_resources *resources = claiming->resources;
	const uint32_t nroute = claiming->routes->nroute;
	resources->first_use = ordo_array_make((size_t)nroute + 1, sizeof *resources->first_use, 0);
	resources->nport_use = ordo_array_make(nroute, sizeof *resources->nport_use, 0);
	resources->adders = make_servers(resources, ORDO_ADDER, resources->add_rate);
	resources->copiers = make_servers(resources, ORDO_COPIER, resources->copy_rate);
	/* Without shared resources there are no uses; one element keeps pointers into the array
	 * valid. */
	if (!resources->first_use || !resources->nport_use || !resources->adders ||
		!resources->copiers ||
		!ordo_array_reserve(
			&resources->uses, &resources->use_room, 1, sizeof *resources->uses))
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < nroute; i++)
		if (!add_uses(claiming, i, error))
			return false;
	resources->first_use[nroute] = (uint32_t)resources->nuse;
	return resources->nuse < ORDO_NONE || ordo_fail_memory(error);
}

static bool count_most(struct claiming *claiming, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = claiming->schedule;
	struct ordo_resources *resources = claiming->resources;
	resources->most_uses = ordo_array_make(schedule->nstream, sizeof *resources->most_uses, 0);
	if (!resources->most_uses)
		return ordo_fail_memory(error);
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		uint32_t most = 1, peer = ORDO_NONE;
		for (uint32_t i = stream->first; i < stream->end; i++) {
			const struct ordo_task *task = &schedule->tasks[i];
			if ((task->kind != ORDO_SEND && task->kind != ORDO_SEND_REDUCE) ||
				task->peer == peer)
				continue;
			peer = task->peer;
			const uint32_t route = ordo_route_of(
					       claiming->routes, s, stream->rank, peer),
				       uses = resources->first_use[route + 1] -
					      resources->first_use[route];
			most = uses > most ? uses : most;
		}
		resources->most_uses[s] = most;
	}
	return true;
}

static double rate_of(double told, double otherwise)
{
	return (told > 0 ? told : otherwise) * 1e9;
}

bool ordo_resources_make(struct ordo_resources *resources, const struct ordo_schedule *schedule,
	const struct ordo_routes *routes, const struct ordo_predict_options *options,
	struct ordo_error *error)
{
	const struct ordo_topology *topology = options->topology;
	struct claiming claiming = {.resources = resources,
		.schedule = schedule,
		.routes = routes,
		.topology = topology};
	*resources = (struct ordo_resources){.nlink = topology ? topology->nlink : routes->nroute,
		.nrank = schedule->problem.nrank,
		.ports = topology ? topology->ports : 0,
		.add_rate = rate_of(
			topology ? topology->reduce_gbs : 0, options->machine.reduce_bandwidth_gbs),
		.copy_rate = rate_of(
			topology ? topology->copy_gbs : 0, options->machine.copy_bandwidth_gbs)};
	const size_t count = (size_t)resources->nlink + 4 * (size_t)resources->nrank;
	resources->shared = ordo_array_make(count, sizeof *resources->shared, 0xff);
	claiming.claims = ordo_array_make(count, sizeof *claiming.claims, 0);
	bool worked = resources->shared && claiming.claims ? true : ordo_fail_memory(error);
	if (worked)
		claim_all(&claiming);
	worked = worked && number_shared(&claiming, error) && make_uses(&claiming, error) &&
		 count_most(&claiming, error);
	free(claiming.claims);
	return worked;
}

void ordo_resources_free(struct ordo_resources *resources)
{
	free(resources->shared);
	free(resources->capacity);
	free(resources->most_flows);
	free(resources->first_use);
	free(resources->nport_use);
	free(resources->uses);
	free(resources->adders);
	free(resources->copiers);
	free(resources->most_uses);
	*resources = (struct ordo_resources){.nlink = 0};
}
