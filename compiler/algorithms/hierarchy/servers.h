/* servers.h - which ranks are in one server; servers may have different numbers of ranks. */
#ifndef ORDO_COMPILER_ALGORITHMS_HIERARCHY_SERVERS_H
#define ORDO_COMPILER_ALGORITHMS_HIERARCHY_SERVERS_H

#include "algorithm.h"

/* What asymmetric and aggregated prepare begins with it. */
struct ordo_servers {
	uint32_t nrank, nserver;
	uint32_t *first;   /* [nserver+1] where the members of a server begin in `members` */
	uint32_t *members; /* [nrank] the ranks of each server, ascending */
	uint32_t *server;  /* [nrank] the server of a rank, counted by their lowest ranks */
	uint32_t *place;   /* [nrank] which of its members a rank is */
};

/* The parameter `groups`. */
#define ORDO_SERVERS_GROUPS                                                                        \
	{                                                                                          \
		.name = "groups", .values = "auto|[8,4,6]", .fallback = "auto",                    \
		.meaning = "ranks of each server, numbered server by server; auto: from the "      \
			   "topology, else ceil(sqrt N) ranks each, and the rest in the last",     \
		.kind = ORDO_LISTS                                                                 \
	}

/* The servers of a request, from its arena: those that `groups` gives; else those in the name of
 * the topology, `servers:4x8`; else the ranks that links without switches join, if these are some
 * but not all; else those that switches join over links faster than the slowest that is needed to
 * join all; else, where nothing tells ranks apart, of ceil(sqrt N) ranks. */
bool ordo_servers_make(const struct ordo_resolved_request *request, struct ordo_arena *arena,
	struct ordo_servers *servers, struct ordo_error *error);

/* Where nothing tells ranks apart: the sizes that there are of *nserver servers, one or two; the
 * second is that of the last server. */
uint32_t ordo_servers_untold(uint32_t nrank, uint32_t *nserver, uint32_t sizes[2]);

static inline uint32_t ordo_server_size(const struct ordo_servers *servers, uint32_t server)
{
	return servers->first[server + 1] - servers->first[server];
}

static inline uint32_t ordo_server_member(
	const struct ordo_servers *servers, uint32_t server, uint32_t place)
{
	return servers->members[servers->first[server] + place];
}

/* The number of members of the largest server. */
uint32_t ordo_servers_largest(const struct ordo_servers *servers);

/* For closed forms: S servers of G ranks each, both more than 1, with a link and a stream for each
 * pair of ranks that meet. */
bool ordo_servers_are_equal(const struct ordo_resolved_request *request,
	const struct ordo_servers *servers, uint64_t *S, uint64_t *G);

/* How many servers a topology tells apart, by its name or its links, of equal sizes or not; 1:
 * none. topology may be NULL. */
bool ordo_servers_count(
	const struct ordo_topology *topology, uint32_t *nserver, struct ordo_error *error);

/* lowest[v], room for all vertices: the lowest rank that v is joined with by links of at least so
 * many GB/s, through switches or between ranks alone; of ranks only. Returns how many lowest ranks
 * there are. */
uint32_t ordo_ranks_join(
	const struct ordo_topology *topology, double least_gbs, bool switches, uint32_t *lowest);

#endif
