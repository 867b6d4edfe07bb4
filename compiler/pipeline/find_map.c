/* find_map.c - finds an order of ranks in which an algorithm's moves have links, by building it
 * without a topology. */
#include "find_map.h"
#include "map_search.h"
#include "passes.h"
#include "synthesis/match/ways.h"
#include <ordo/detail/slots.h>
#include <ordo/detail/topologies.h>
#include <ordo/operator.h>
#include <ordo/topology.h>
#include <stdlib.h>
#include <string.h>

/* What the vector of a rank is taken to have: as `ordo compile` chooses. */
enum { USUAL_BYTES = 1 << 20 };

/* The network as the search sees it. */
struct network {
	uint64_t joined[ORDO_MOST_MAPPED];
	uint64_t latency[ORDO_MOST_MAPPED * ORDO_MOST_MAPPED],
		time[ORDO_MOST_MAPPED * ORDO_MOST_MAPPED];
};

static bool measure(struct network *network, const struct ordo_topology *topology,
	uint32_t chunk_bytes, struct ordo_error *error)
{
	const uint32_t n = topology->nrank;
	struct ordo_way *ways = ordo_array_make((size_t)n + topology->nswitch, sizeof *ways, 0);
	if (!ways)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < n; i++) {
		ordo_ways_from(topology, i, ways);
		for (uint32_t j = 0; j < n; j++) {
			if (ordo_topology_reaches(topology, i, j) &&
				ordo_topology_reaches(topology, j, i))
				network->joined[i] |= UINT64_C(1) << j;
			if (i == j || ways[j].hops == ORDO_NONE)
				continue;
			network->latency[i * n + j] = ordo_way_time(&ways[j], 0);
			network->time[i * n + j] =
				ordo_way_time(&ways[j], chunk_bytes) - network->latency[i * n + j];
		}
	}
	free(ways);
	return true;
}

static int by_phase(const void *a, const void *b)
{
	const struct ordo_map_load *one = a, *other = b;
	return one->phase != other->phase
		       ? (one->phase > other->phase) - (one->phase < other->phase)
	       : one->from != other->from ? (one->from > other->from) - (one->from < other->from)
					  : (one->to > other->to) - (one->to < other->to);
}

/* One load for each pair and phase; returns how many there are. */
static size_t count_loads(
	const struct ordo_sequence *sequence, struct ordo_map_load *loads, uint64_t *needs)
{
	size_t count = 0, kept = 0;
	for (uint32_t i = 0; i < sequence->nmove; i++) {
		const struct ordo_move *move = &sequence->moves[i];
		if (move->rank == move->peer)
			continue;
		needs[move->rank] |= UINT64_C(1) << move->peer;
		needs[move->peer] |= UINT64_C(1) << move->rank;
		loads[count++] =
			(struct ordo_map_load){move->phase, move->rank, move->peer, move->count};
	}
	qsort(loads, count, sizeof *loads, by_phase);
	for (size_t i = 0; i < count; i++)
		if (kept && !by_phase(&loads[kept - 1], &loads[i]))
			loads[kept - 1].chunks += loads[i].chunks;
		else
			loads[kept++] = loads[i];
	return kept;
}

static bool fail_search(const struct ordo_resolved_request *plain,
	const struct ordo_topology *topology, enum ordo_map_result result, struct ordo_error *error)
{
	return ordo_fail(error, ORDO_USAGE, 0,
		result == ORDO_MAP_NONE
			? "algorithm: map: no order of ranks gives %s all its links in topology "
			  "\"%s\""
			: "algorithm: map: the search ended early, without an order that gives %s "
			  "all its links in \"%s\"",
		plain->notation, topology->name);
}

static bool search_map(const struct ordo_resolved_request *plain,
	const struct ordo_topology *topology, const struct ordo_sequence *sequence, uint32_t *map,
	struct ordo_error *error)
{
	const struct ordo_problem *problem = &plain->problem;
	struct network *network = calloc(1, sizeof *network);
	uint64_t needs[ORDO_MOST_MAPPED] = {0};
	struct ordo_map_load *loads = ordo_array_make(sequence->nmove, sizeof *loads, 0);
	const struct ordo_map_search search = {.nrank = problem->nrank,
		.fixed = ordo_operator_facts(problem->op)->rooted ? problem->root : ORDO_NONE,
		.needs = needs,
		.joined = network ? network->joined : NULL,
		.loads = loads,
		.nload = loads ? count_loads(sequence, loads, needs) : 0,
		.latency = network ? network->latency : NULL,
		.time = network ? network->time : NULL};
	bool worked = network && loads ? measure(network, topology,
						 USUAL_BYTES / ordo_nchunk(problem) + 1, error)
				       : ordo_fail_memory(error);
	if (worked) {
		const enum ordo_map_result result = ordo_map_search(&search, map);
		worked = result == ORDO_MAP_FOUND || fail_search(plain, topology, result, error);
	}
	free(network);
	free(loads);
	return worked;
}

bool ordo_find_map(const struct ordo_resolved_request *plain, const struct ordo_topology *topology,
	uint32_t *map, struct ordo_error *error)
{
	struct ordo_sequence sequence = {0};
	const bool worked = ordo_build(plain, &sequence, error) &&
			    search_map(plain, topology, &sequence, map, error);
	ordo_sequence_free(&sequence);
	return worked;
}
