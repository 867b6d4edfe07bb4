/* network.c - makes pairs of ranks of a topology, and measures how far ranks are apart. */
#include "network.h"
#include "ways.h"
#include <ordo/arena.h>
#include <ordo/schedule.h>
#include <stdlib.h>
#include <string.h>

/* The links of a way to `to`, in the order in which a message takes them. */
static bool add_pair(
	struct ordo_match_network *network, const struct ordo_way *ways, uint32_t from, uint32_t to)
{
	const struct ordo_topology *topology = network->wish->topology;
	const uint32_t hops = ways[to].hops;
	if (!ordo_array_reserve(&network->pairs, &network->pair_room, (size_t)network->npair + 1,
		    sizeof *network->pairs) ||
		!ordo_array_reserve(&network->links, &network->link_room, network->nlink + hops,
			sizeof *network->links))
		return false;
	uint32_t link = ways[to].link;
	for (uint32_t i = hops; i-- > 0; link = ways[topology->links[link].from].link)
		network->links[network->nlink + i] = link;
	const bool backwards = network->wish->backwards;
	network->pairs[network->npair++] = (struct ordo_match_pair){backwards ? to : from,
		backwards ? from : to, (uint32_t)network->nlink, (uint32_t)network->nlink + hops,
		ordo_way_time(&ways[to], network->wish->chunk_bytes)};
	network->nlink += hops;
	return true;
}

static bool find_pairs(struct ordo_match_network *network)
{
	const struct ordo_topology *topology = network->wish->topology;
	struct ordo_way *ways =
		ordo_array_make((size_t)network->nrank + topology->nswitch, sizeof *ways, 0);
	bool worked = ways;
	for (uint32_t from = 0; worked && from < network->nrank; from++) {
		ordo_ways_from(topology, from, ways);
		for (uint32_t to = 0; worked && to < network->nrank; to++)
			if (to != from && ways[to].hops != ORDO_NONE)
				worked = add_pair(network, ways, from, to);
	}
	free(ways);
	return worked;
}

/* Floyd and Warshall. */
static void find_distances(struct ordo_match_network *network)
{
	const uint32_t n = network->nrank;
	uint64_t *distance = network->distance;
	memset(distance, 0xff, (size_t)n * n * sizeof *distance);
	for (uint32_t i = 0; i < n; i++)
		distance[i * n + i] = 0;
	for (uint32_t p = 0; p < network->npair; p++)
		distance[network->pairs[p].from * n + network->pairs[p].to] =
			network->pairs[p].time;
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t i = 0; i < n; i++)
			for (uint32_t j = 0; j < n; j++) {
				const uint64_t first = distance[i * n + k],
					       second = distance[k * n + j];
				if (first != UINT64_MAX && second != UINT64_MAX &&
					first + second < distance[i * n + j])
					distance[i * n + j] = first + second;
			}
}

static bool fail_way(const struct ordo_match_network *network, uint32_t from, uint32_t to,
	struct ordo_error *error)
{
	const bool backwards = network->wish->backwards;
	return ordo_fail(error, ORDO_USAGE, 0,
		"matching: no way leads from rank %u to rank %u in topology \"%s\"",
		backwards ? to : from, backwards ? from : to, network->wish->topology->name);
}

/* Every chunk has a way to where it is wanted. */
static bool check_ways(const struct ordo_match_network *network, struct ordo_error *error)
{
	const struct ordo_match_wish *wish = network->wish;
	for (uint32_t c = 0; c < wish->nchunk; c++)
		for (uint32_t rank = 0; rank < network->nrank; rank++)
			if ((!wish->to || wish->to[c] == rank) &&
				network->distance[wish->from[c] * network->nrank + rank] ==
					UINT64_MAX)
				return fail_way(network, wish->from[c], rank, error);
	return true;
}

bool ordo_match_network_make(struct ordo_match_network *network, const struct ordo_match_wish *wish,
	struct ordo_error *error)
{
	const size_t n = wish->topology->nrank;
	*network = (struct ordo_match_network){.wish = wish, .nrank = wish->topology->nrank};
	network->distance = ordo_array_make(n * n, sizeof *network->distance, 0);
	if (!network->distance || !find_pairs(network))
		return ordo_fail_memory(error);
	find_distances(network);
	return check_ways(network, error);
}

void ordo_match_network_free(struct ordo_match_network *network)
{
	free(network->pairs);
	free(network->links);
	free(network->distance);
}
