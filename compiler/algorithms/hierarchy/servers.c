/* servers.c - finds which ranks are in one server. */
#include "servers.h"
#include "levels.h"
#include <stdlib.h>

static bool reserve(struct ordo_servers *servers, uint32_t nrank, struct ordo_arena *arena)
{
	*servers = (struct ordo_servers){.nrank = nrank};
	servers->first = ordo_arena_alloc(arena, ((size_t)nrank + 1) * sizeof *servers->first);
	servers->members = ordo_arena_alloc(arena, (size_t)nrank * sizeof *servers->members);
	servers->server = ordo_arena_alloc(arena, (size_t)nrank * sizeof *servers->server);
	servers->place = ordo_arena_alloc(arena, (size_t)nrank * sizeof *servers->place);
	return servers->first && servers->members && servers->server && servers->place;
}

/* servers->server is set: numbers the members. */
static void count_members(struct ordo_servers *servers)
{
	for (uint32_t s = 0; s <= servers->nserver; s++)
		servers->first[s] = 0;
	for (uint32_t rank = 0; rank < servers->nrank; rank++)
		servers->place[rank] = servers->first[servers->server[rank] + 1]++;
	for (uint32_t s = 0; s < servers->nserver; s++)
		servers->first[s + 1] += servers->first[s];
	for (uint32_t rank = 0; rank < servers->nrank; rank++)
		servers->members[servers->first[servers->server[rank]] + servers->place[rank]] =
			rank;
}

static void divide(struct ordo_servers *servers, uint32_t size)
{
	servers->nserver = (servers->nrank + size - 1) / size;
	for (uint32_t rank = 0; rank < servers->nrank; rank++)
		servers->server[rank] = rank / size;
}

static bool check_given(const struct ordo_servers *servers, const struct ordo_value *groups,
	const char *algorithm, struct ordo_error *error)
{
	uint64_t sum = 0;
	if (groups->nlist != 1)
		return ordo_fail(error, ORDO_USAGE, 0,
			"%s: found groups=%s, wanted one list, the ranks of each server", algorithm,
			groups->word);
	for (uint32_t i = 0; i < groups->ends[0]; i++) {
		if (!groups->items[i])
			return ordo_fail(error, ORDO_USAGE, 0,
				"%s: found a server without ranks in groups=%s, wanted 1 or more",
				algorithm, groups->word);
		sum += groups->items[i];
	}
	if (sum == servers->nrank)
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"%s: found %llu ranks in groups=%s, wanted the %u of the request", algorithm,
		(unsigned long long)sum, groups->word, servers->nrank);
	return ordo_hint(error, "groups=[8,4,6] are the ranks 0..7, 8..11 and 12..17");
}

static void take_given(struct ordo_servers *servers, const struct ordo_value *groups)
{
	uint32_t rank = 0;
	servers->nserver = groups->ends[0];
	for (uint32_t i = 0; i < groups->ends[0]; i++)
		for (uint32_t place = 0; place < groups->items[i]; place++)
			servers->server[rank++] = i;
}

static uint32_t lowest_of(uint32_t *lowest, uint32_t vertex)
{
	while (lowest[vertex] != vertex) {
		lowest[vertex] = lowest[lowest[vertex]];
		vertex = lowest[vertex];
	}
	return vertex;
}

/* Links that are down count: they do not take a rank out of its server. */
static bool joins(const struct ordo_topology *topology, const struct ordo_link *link,
	double least_gbs, bool switches)
{
	return link->bandwidth_gbs >= least_gbs &&
	       (switches || (link->from < topology->nrank && link->to < topology->nrank));
}

uint32_t ordo_ranks_join(
	const struct ordo_topology *topology, double least_gbs, bool switches, uint32_t *lowest)
{
	uint32_t count = 0;
	for (uint32_t vertex = 0; vertex < topology->nrank + topology->nswitch; vertex++)
		lowest[vertex] = vertex;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (!joins(topology, link, least_gbs, switches))
			continue;
		const uint32_t a = lowest_of(lowest, link->from), b = lowest_of(lowest, link->to);
		lowest[a > b ? a : b] = a > b ? b : a;
	}
	for (uint32_t rank = 0; rank < topology->nrank; rank++) {
		lowest[rank] = lowest_of(lowest, rank);
		count += lowest[rank] == rank;
	}
	return count;
}

static int compare(const void *a, const void *b)
{
	const double one = *(const double *)a, other = *(const double *)b;
	return (one > other) - (one < other);
}

/* lowest: of the ranks that stay joined when the slowest links that are needed to join all are
 * left out. The faster the links that are left, the fewer they join, so that bandwidth is found by
 * halving. */
static bool join_over_fast_links(const struct ordo_topology *topology, uint32_t *lowest,
	uint32_t *count, struct ordo_error *error)
{
	double *gbs = malloc(((size_t)topology->nlink + 1) * sizeof *gbs);
	uint32_t joining = 0, parting = topology->nlink;
	if (!gbs)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < topology->nlink; i++)
		gbs[i] = topology->links[i].bandwidth_gbs;
	qsort(gbs, topology->nlink, sizeof *gbs, compare);
	while (joining < parting) {
		const uint32_t middle = joining + (parting - joining) / 2;
		if (ordo_ranks_join(topology, gbs[middle], true, lowest) == 1)
			joining = middle + 1;
		else
			parting = middle;
	}
	*count = joining < topology->nlink ? ordo_ranks_join(topology, gbs[joining], true, lowest)
					   : 1;
	free(gbs);
	return true;
}

/* Sets servers->server by the links of a topology; nserver stays 0 if they do not tell ranks
 * apart. */
static bool take_links(struct ordo_servers *servers, const struct ordo_topology *topology,
	struct ordo_error *error)
{
	uint32_t *lowest =
		malloc(((size_t)topology->nrank + topology->nswitch + 1) * sizeof *lowest);
	if (!lowest)
		return ordo_fail_memory(error);
	uint32_t count = ordo_ranks_join(topology, 0, false, lowest);
	bool worked = true;
	if (count == topology->nrank)
		worked = join_over_fast_links(topology, lowest, &count, error);
	for (uint32_t rank = 0;
		worked && count > 1 && count < topology->nrank && rank < topology->nrank; rank++)
		servers->server[rank] =
			lowest[rank] == rank ? servers->nserver++ : servers->server[lowest[rank]];
	free(lowest);
	return worked;
}

/* The servers that a topology has by its name, or by its links. nserver stays 0 if nothing tells
 * ranks apart. */
static bool take_topology(struct ordo_servers *servers, const struct ordo_topology *topology,
	struct ordo_error *error)
{
	uint32_t sizes[ORDO_MAX_LEVELS] = {0};
	const uint32_t named = topology->name ? ordo_levels_named(topology->name, sizes) : 0;
	if (!named)
		return take_links(servers, topology, error);
	if (named > 1 && sizes[named - 1] && servers->nrank % sizes[named - 1] == 0)
		divide(servers, servers->nrank / sizes[named - 1]);
	return true;
}

static uint32_t root_of(uint32_t n)
{
	uint32_t root = 1;
	while ((uint64_t)root * root < n)
		root++;
	return root;
}

uint32_t ordo_servers_untold(uint32_t nrank, uint32_t *nserver, uint32_t sizes[2])
{
	sizes[0] = root_of(nrank);
	*nserver = (nrank + sizes[0] - 1) / sizes[0];
	sizes[1] = nrank - (*nserver - 1) * sizes[0];
	return sizes[1] == sizes[0] ? 1 : 2;
}

bool ordo_servers_make(const struct ordo_resolved_request *request, struct ordo_arena *arena,
	struct ordo_servers *servers, struct ordo_error *error)
{
	const struct ordo_value *groups = ordo_parameter_value(request, "groups");
	if (!reserve(servers, request->problem.nrank, arena))
		return ordo_fail_memory(error);
	if (groups->nlist) {
		if (!check_given(servers, groups, request->algorithm->facts.name, error))
			return false;
		take_given(servers, groups);
	} else if (request->topology && !take_topology(servers, request->topology, error)) {
		return false;
	}
	if (!servers->nserver)
		divide(servers, root_of(servers->nrank));
	count_members(servers);
	return true;
}

bool ordo_servers_count(
	const struct ordo_topology *topology, uint32_t *nserver, struct ordo_error *error)
{
	struct ordo_arena arena = {0};
	struct ordo_servers servers = {0};
	bool worked = true;
	if (topology)
		worked = reserve(&servers, topology->nrank, &arena)
				 ? take_topology(&servers, topology, error)
				 : ordo_fail_memory(error);
	*nserver = servers.nserver ? servers.nserver : 1;
	ordo_arena_free(&arena);
	return worked;
}

uint32_t ordo_servers_largest(const struct ordo_servers *servers)
{
	uint32_t largest = 0;
	for (uint32_t s = 0; s < servers->nserver; s++)
		if (ordo_server_size(servers, s) > largest)
			largest = ordo_server_size(servers, s);
	return largest;
}

bool ordo_servers_are_equal(const struct ordo_resolved_request *request,
	const struct ordo_servers *servers, uint64_t *S, uint64_t *G)
{
	*S = servers->nserver;
	*G = ordo_servers_largest(servers);
	return *S > 1 && *G > 1 && *S * *G == servers->nrank &&
	       ordo_parameter_is(request, "streams", "peers") &&
	       !(request->topology && request->topology->ports);
}
