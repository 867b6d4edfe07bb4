/* network.c - makes pairs of ranks of a topology, and measures how far ranks are apart. */
#include "network.h"
#include "synthesis/heap.h"
#include "ways.h"
#include <ordo/arena.h>
#include <ordo/schedule.h>
#include <stdlib.h>

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

enum key { FROM, TO, LINK };

static uint32_t count_keys(const struct ordo_match_pair *pair, enum key key)
{
	return key == LINK ? pair->end - pair->first : 1;
}

static uint32_t key_of(const struct ordo_match_network *network, const struct ordo_match_pair *pair,
	enum key key, uint32_t i)
{
	if (key == LINK)
		return network->links[pair->first + i];
	return key == FROM ? pair->from : pair->to;
}

/* By counting: where a group ends, and then, from the last pair to the first, where it begins. */
static bool group_pairs(const struct ordo_match_network *network, struct ordo_match_groups *groups,
	enum key key, uint32_t nkey)
{
	groups->first = ordo_array_make((size_t)nkey + 1, sizeof *groups->first, 0);
	groups->pairs = ordo_array_make(
		key == LINK ? network->nlink : network->npair, sizeof *groups->pairs, 0);
	if (!groups->first || !groups->pairs)
		return false;
	for (uint32_t p = 0; p < network->npair; p++)
		for (uint32_t i = 0; i < count_keys(&network->pairs[p], key); i++)
			groups->first[key_of(network, &network->pairs[p], key, i)]++;
	for (uint32_t k = 0; k < nkey; k++)
		groups->first[k + 1] += groups->first[k];
	for (uint32_t p = network->npair; p-- > 0;)
		for (uint32_t i = 0; i < count_keys(&network->pairs[p], key); i++)
			groups->pairs[--groups->first[key_of(
				network, &network->pairs[p], key, i)]] = p;
	return true;
}

/* Dijkstra. events: empty, and so afterwards. */
static bool measure_from(
	const struct ordo_match_network *network, uint32_t from, struct ordo_events *events)
{
	uint64_t *distance = network->distance + (size_t)from * network->nrank;
	const struct ordo_match_groups *groups = &network->by_from;
	bool worked = ordo_events_push(events, (struct ordo_event){0, from});
	distance[from] = 0;
	while (worked && events->count) {
		const struct ordo_event event = ordo_events_pop(events);
		if (event.time > distance[event.item])
			continue;
		for (uint32_t i = groups->first[event.item];
			worked && i < groups->first[event.item + 1]; i++) {
			const struct ordo_match_pair *pair = &network->pairs[groups->pairs[i]];
			const uint64_t time = event.time + pair->time;
			if (time >= distance[pair->to])
				continue;
			distance[pair->to] = time;
			worked = ordo_events_push(events, (struct ordo_event){time, pair->to});
		}
	}
	return worked;
}

static bool find_distances(struct ordo_match_network *network)
{
	const size_t n = network->nrank;
	struct ordo_events events = {0};
	network->distance = ordo_array_make(n * n, sizeof *network->distance, 0xff);
	bool worked = network->distance;
	for (uint32_t from = 0; worked && from < network->nrank; from++)
		worked = measure_from(network, from, &events);
	free(events.items);
	return worked;
}

/* How many ranks rank 0 reaches, or that reach it. reached: [nrank] false; list: [nrank] */
static uint32_t count_reached(
	const struct ordo_match_network *network, bool forwards, bool *reached, uint32_t *list)
{
	const struct ordo_match_groups *groups = forwards ? &network->by_from : &network->by_to;
	uint32_t count = 1;
	list[0] = 0;
	reached[0] = true;
	for (uint32_t at = 0; at < count; at++)
		for (uint32_t i = groups->first[list[at]]; i < groups->first[list[at] + 1]; i++) {
			const struct ordo_match_pair *pair = &network->pairs[groups->pairs[i]];
			const uint32_t next = forwards ? pair->to : pair->from;
			if (!reached[next])
				list[count++] = next;
			reached[next] = true;
		}
	return count;
}

/* Whether all ranks reach each other. */
static bool holds_together(const struct ordo_match_network *network, bool *no_memory)
{
	const uint32_t n = network->nrank;
	bool *reached = ordo_array_make(n, sizeof *reached, 0),
	     *reaching = ordo_array_make(n, sizeof *reaching, 0);
	uint32_t *list = ordo_array_make(n, sizeof *list, 0);
	*no_memory = !reached || !reaching || !list;
	const bool holds = !*no_memory && count_reached(network, true, reached, list) == n &&
			   count_reached(network, false, reaching, list) == n;
	free(reached);
	free(reaching);
	free(list);
	return holds;
}

static bool fail_way(const struct ordo_match_network *network, uint32_t from, uint32_t to,
	struct ordo_error *error)
{
	const bool backwards = network->wish->backwards;
	return ordo_fail(error, ORDO_USAGE, 0,
		"matching: no path leads from rank %u to rank %u in topology \"%s\"",
		backwards ? to : from, backwards ? from : to, network->wish->topology->name);
}

/* Every chunk has a way to where it is wanted. */
static bool check_ways(const struct ordo_match_network *network, struct ordo_error *error)
{
	const struct ordo_match_wish *wish = network->wish;
	for (uint32_t c = 0; c < wish->nchunk; c++)
		for (uint32_t rank = 0; rank < network->nrank; rank++)
			if ((!wish->to || wish->to[c] == rank) &&
				network->distance[(size_t)wish->from[c] * network->nrank + rank] ==
					UINT64_MAX)
				return fail_way(network, wish->from[c], rank, error);
	return true;
}

bool ordo_match_network_make(struct ordo_match_network *network, const struct ordo_match_wish *wish,
	struct ordo_error *error)
{
	const struct ordo_topology *topology = wish->topology;
	bool no_memory = false;
	*network = (struct ordo_match_network){.wish = wish, .nrank = topology->nrank};
	if (!find_pairs(network) ||
		!group_pairs(network, &network->by_from, FROM, topology->nrank) ||
		!group_pairs(network, &network->by_to, TO, topology->nrank) ||
		!group_pairs(network, &network->by_link, LINK, topology->nlink))
		return ordo_fail_memory(error);
	if (!wish->to && holds_together(network, &no_memory))
		return true;
	if (no_memory || !find_distances(network))
		return ordo_fail_memory(error);
	return check_ways(network, error);
}

static void free_groups(const struct ordo_match_groups *groups)
{
	free(groups->first);
	free(groups->pairs);
}

void ordo_match_network_free(struct ordo_match_network *network)
{
	free_groups(&network->by_from);
	free_groups(&network->by_to);
	free_groups(&network->by_link);
	free(network->pairs);
	free(network->links);
	free(network->distance);
}
