/* partition.c - the partition of the ranks into p sets with the least sum of what leaves them, over
 * p - 1.
 *
 * Let h(S) be the least units that leave S with any switches: a submodular function of sets of
 * ranks. For a trial value M/q the sum of q h(S) - M over the sets of a partition is made least by
 * the greedy algorithm for such functions: x(v) = min q h(S) - M - x(S \ v) over sets S of v and
 * ranks before it, one minimum cut each; sets where that is reached and that meet are joined. If
 * the sum is below -M, the partition found gives a lesser value, which is tried next (Dinkelbach).
 *
 * source W. H. Cunningham, Optimal attack and reinforcement of a network, J. ACM 32, 1985;
 *        A. Frank and E. Tardos, Generalized polymatroids, Math. Programming 42, 1988 (truncation)
 */
#include "cut.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Flows over links for all trial values: with more, only some partitions are compared. */
enum { MOST_EFFORT = 1 << 24, MOST_WIDTHS = 16 };

__extension__ typedef __int128 wide;

struct finding {
	const struct ordo_capacities *graph;
	struct ordo_network network;	 /* vertices nvertex: the start; nvertex+1: a target */
	uint32_t *start_arcs, *end_arcs; /* [nrank] */
	int64_t *x;			 /* [nrank] */
	uint32_t *set_of;		 /* [nrank] */
};

static bool make_finding(struct finding *finding, const struct ordo_capacities *graph)
{
	const uint32_t nrank = graph->nrank, start = graph->nvertex, end = start + 1;
	*finding = (struct finding){.graph = graph,
		.start_arcs = ordo_array_make(nrank, sizeof *finding->start_arcs, 0),
		.end_arcs = ordo_array_make(nrank, sizeof *finding->end_arcs, 0),
		.x = ordo_array_make(nrank, sizeof *finding->x, 0),
		.set_of = ordo_array_make(nrank, sizeof *finding->set_of, 0)};
	if (!ordo_network_make(&finding->network, graph->nvertex + 2,
		    (size_t)graph->narc + 2 * (size_t)nrank, NULL) ||
		!finding->start_arcs || !finding->end_arcs || !finding->x || !finding->set_of)
		return false;
	for (uint32_t i = 0; i < graph->narc; i++)
		ordo_network_add(&finding->network, graph->arcs[i].from, graph->arcs[i].to, 0);
	for (uint32_t rank = 0; rank < nrank; rank++) {
		finding->start_arcs[rank] = ordo_network_add(&finding->network, start, rank, 0);
		finding->end_arcs[rank] = ordo_network_add(&finding->network, rank, end, 0);
	}
	finding->network.target[end] = true;
	return true;
}

static void free_finding(struct finding *finding)
{
	ordo_network_free(&finding->network);
	free(finding->start_arcs);
	free(finding->end_arcs);
	free(finding->x);
	free(finding->set_of);
}

/* Joins the sets that meet the ranks reached by the last flow, and the rank `last`. */
static void join_sets(struct finding *finding, uint32_t last)
{
	for (uint32_t rank = 0; rank <= last; rank++) {
		if (rank != last && !ordo_flow_reaches(&finding->network, rank))
			continue;
		const uint32_t joined = finding->set_of[rank];
		for (uint32_t other = 0; joined != last && other < last; other++)
			if (finding->set_of[other] == joined)
				finding->set_of[other] = last;
	}
}

/* The partition with the least sum of q h(S) - M: set_of; and that sum. false: no memory. */
static bool minimize(struct finding *finding, int64_t M, int64_t q, int64_t *sum)
{
	const struct ordo_capacities *graph = finding->graph;
	struct ordo_network *network = &finding->network;
	int64_t positive = 0;
	*sum = 0;
	for (uint32_t i = 0; i < graph->narc; i++)
		ordo_network_set(network, 2 * i, q * graph->arcs[i].units);
	for (uint32_t rank = 0; rank < graph->nrank; rank++) {
		network->target[rank] = true;
		ordo_network_set(network, finding->start_arcs[rank], 0);
		ordo_network_set(network, finding->end_arcs[rank], 0);
	}
	for (uint32_t rank = 0; rank < graph->nrank; rank++) {
		network->target[rank] = false;
		finding->set_of[rank] = rank;
		ordo_network_set(network, finding->start_arcs[rank], INT64_MAX / 4);
		const int64_t cut = ordo_flow(network, graph->nvertex, INT64_MAX);
		if (cut < 0)
			return false;
		join_sets(finding, rank);
		ordo_flow_undo(network);
		const int64_t x = cut - positive - M;
		*sum += x;
		positive += x > 0 ? x : 0;
		ordo_network_set(network, finding->start_arcs[rank], x > 0 ? x : 0);
		ordo_network_set(network, finding->end_arcs[rank], x < 0 ? -x : 0);
	}
	return true;
}

/* Numbers the sets from 0, by their least ranks; they have numbers below nroom. room: [nroom] */
static void number_sets(
	struct ordo_partition *partition, uint32_t nroom, uint32_t nrank, uint32_t *room)
{
	memset(room, 0xff, nroom * sizeof *room);
	partition->nset = 0;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		uint32_t *number = &room[partition->set_of[rank]];
		if (*number == ORDO_NONE)
			*number = partition->nset++;
		partition->set_of[rank] = *number;
	}
}

static bool find_best(struct ordo_partition *partition, const struct ordo_capacities *graph)
{
	struct finding finding;
	bool worked = make_finding(&finding, graph);
	for (bool better = true; worked && better;) {
		int64_t sum, M = partition->units, q = partition->nset - 1;
		worked = minimize(&finding, M, q, &sum);
		better = worked && sum < -M;
		if (!better)
			break;
		memcpy(partition->set_of, finding.set_of, graph->nrank * sizeof *finding.set_of);
		number_sets(partition, graph->nrank, graph->nrank, finding.set_of);
		partition->units = (sum + M * (int64_t)partition->nset) / q;
	}
	free_finding(&finding);
	return worked;
}

/* The sum of what leaves each set. -1: no memory. */
static int64_t measure(struct ordo_least_cut *least, const struct ordo_partition *partition)
{
	int64_t sum = 0;
	for (uint32_t set = 0; set < partition->nset; set++) {
		const int64_t units = ordo_least_cut(least, partition->set_of, set, NULL);
		if (units < 0)
			return -1;
		sum += units;
	}
	return sum;
}

static uint32_t find_root(uint32_t *parents, uint32_t v)
{
	while (parents[v] != v)
		v = parents[v] = parents[parents[v]];
	return v;
}

/* The most units of an arc below a limit; 0: there is none. */
static int64_t next_width(const struct ordo_capacities *graph, int64_t limit)
{
	int64_t most = 0;
	for (uint32_t i = 0; i < graph->narc; i++)
		if (graph->arcs[i].units < limit && graph->arcs[i].units > most)
			most = graph->arcs[i].units;
	return most;
}

/* Compares the partitions into ranks that arcs of at least some width join, for the greatest
 * widths. parents: [nvertex]; other: as `best`, with room of its own. */
static bool compare_widths(const struct ordo_capacities *graph, struct ordo_least_cut *least,
	struct ordo_partition *best, struct ordo_partition *other, uint32_t *parents)
{
	int64_t width = INT64_MAX;
	for (uint32_t v = 0; v < graph->nvertex; v++)
		parents[v] = v;
	for (uint32_t turn = 0; turn < MOST_WIDTHS && (width = next_width(graph, width)); turn++) {
		for (uint32_t i = 0; i < graph->narc; i++)
			if (graph->arcs[i].units == width)
				parents[find_root(parents, graph->arcs[i].from)] =
					find_root(parents, graph->arcs[i].to);
		for (uint32_t rank = 0; rank < graph->nrank; rank++)
			other->set_of[rank] = find_root(parents, rank);
		number_sets(other, graph->nvertex, graph->nrank, parents + graph->nvertex);
		if (other->nset < 2)
			break;
		other->units = measure(least, other);
		if (other->units < 0)
			return false;
		if ((wide)other->units * (best->nset - 1) < (wide)best->units * (other->nset - 1)) {
			best->units = other->units;
			best->nset = other->nset;
			memcpy(best->set_of, other->set_of, graph->nrank * sizeof *best->set_of);
		}
	}
	return true;
}

static bool find_some(const struct ordo_capacities *graph, struct ordo_least_cut *least,
	struct ordo_partition *best)
{
	const size_t nvertex = graph->nvertex;
	struct ordo_partition other = {
		.set_of = ordo_array_make(graph->nrank, sizeof *other.set_of, 0)};
	uint32_t *parents = ordo_array_make(2 * nvertex, sizeof *parents, 0);
	const bool worked =
		other.set_of && parents && compare_widths(graph, least, best, &other, parents);
	free(other.set_of);
	free(parents);
	return worked;
}

bool ordo_partition_find(const struct ordo_capacities *graph, struct ordo_partition *partition,
	bool *exact, struct ordo_error *error)
{
	struct ordo_least_cut least;
	bool worked = ordo_least_cut_make(&least, graph, error);
	*exact = (uint64_t)graph->narc * graph->nrank <= MOST_EFFORT;
	partition->nset = graph->nrank;
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		partition->set_of[rank] = rank;
	partition->units = worked ? measure(&least, partition) : -1;
	worked = worked && partition->units >= 0 && find_some(graph, &least, partition) &&
		 (!*exact || find_best(partition, graph));
	ordo_least_cut_free(&least);
	return worked || ordo_fail_memory(error);
}
