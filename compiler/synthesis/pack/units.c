/* units.c - how many trees a root has, and how many trees a link carries.
 *
 * Trees that reach the bound a/b load no link above its capacity if k units(e) a/b is an integer
 * for every link e: the least such k is b / gcd(b, all a units(e)). Where that is too large,
 * capacities are floor(U units(e)) with the least U for which the trees exist, for each k; that
 * U/k is not monotone in k, so all are compared.
 */

#include "pack.h"
#include "synthesis/bound/cut.h"
#include <ordo/arena.h>
#include <ordo/divisor.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum {
	/* Trees that take longer than the bound by this factor are not looked for. */
	MOST_STRETCH = 1 << 12,
	/* More trees that divide evenly must be faster by this part. */
	LEAST_GAIN = 512,
	/* Times ranks: numbers of spanning trees that are compared. */
	MOST_SPANNING_TRIES = 128
};

bool ordo_units_bound(const struct ordo_capacities *graph, uint32_t root, int64_t *a, int64_t *b,
	struct ordo_error *error)
{
	struct ordo_cut_set cut = {.inside = ordo_array_make(graph->nvertex, sizeof(bool), 0)};
	const bool worked =
		cut.inside && (root == ORDO_NONE ? ordo_cut_allgather(graph, &cut, error)
						 : ordo_cut_broadcast(graph, root, &cut, error));
	free(cut.inside);
	if (!worked)
		return ordo_fail_memory(error);
	if (!cut.units)
		return ordo_fail(error, ORDO_USAGE, 0,
			"packing: some rank has no path to or from another (`ordo bound` names "
			"it)");
	const int64_t divisor =
		(int64_t)ordo_common_divisor((uint64_t)cut.crossing, (uint64_t)cut.units);
	*a = cut.crossing / divisor;
	*b = cut.units / divisor;
	return true;
}

/* The least k for which all k a/b units are integers. */
static int64_t exact_units(const struct ordo_capacities *graph, int64_t a, int64_t b)
{
	uint64_t divisor = (uint64_t)b;
	for (uint32_t i = 0; i < graph->narc; i++)
		divisor = ordo_common_divisor(
			divisor, (uint64_t)((wide)a * graph->arcs[i].units % b));
	return b / (int64_t)divisor;
}

/* The units of all arcs into or out of a vertex. */
static int64_t sum_at(
	const struct ordo_capacities *graph, const uint32_t *capacities, uint32_t v, bool outwards)
{
	int64_t sum = 0;
	for (uint32_t i = 0; i < graph->narc; i++)
		if ((outwards ? graph->arcs[i].from : graph->arcs[i].to) == v)
			sum += capacities[i];
	return sum;
}

void ordo_units_trim(const struct ordo_capacities *graph, uint32_t *capacities)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (uint32_t v = graph->nrank; v < graph->nplace; v++) {
			const int64_t in = sum_at(graph, capacities, v, false),
				      out = sum_at(graph, capacities, v, true),
				      most = in > out ? in : out, least = in > out ? out : in;
			int64_t before = 0;
			for (uint32_t i = 0; in != out && i < graph->narc; i++) {
				if ((in > out ? graph->arcs[i].to : graph->arcs[i].from) != v)
					continue;
				const int64_t after = before + capacities[i];
				capacities[i] = (uint32_t)((wide)after * least / most -
							   (wide)before * least / most);
				before = after;
				changed = true;
			}
		}
	}
}

/* capacities = floor(m/w units), balanced at switches. others: NULL, or [narc] by how many each is
 * to be divided. */
static void scale(const struct ordo_capacities *graph, const uint32_t *others, int64_t m, int64_t w,
	uint32_t *capacities)
{
	for (uint32_t i = 0; i < graph->narc; i++) {
		const wide units = (wide)m * graph->arcs[i].units / w;
		capacities[i] = units > INT32_MAX ? INT32_MAX : (uint32_t)units;
		if (others)
			capacities[i] -= capacities[i] % others[i];
	}
	ordo_units_trim(graph, capacities);
}

/* How many arcs lead from a vertex to ranks (or the other way), but for `other`. */
static uint32_t count_ranks(
	const struct ordo_capacities *graph, uint32_t v, uint32_t other, bool leaving)
{
	uint32_t count = 0;
	for (uint32_t i = leaving ? graph->first[v] : 0;
		i < (leaving ? graph->first[v + 1] : graph->narc); i++) {
		const struct ordo_arc *arc = &graph->arcs[i];
		const uint32_t at = leaving ? arc->from : arc->to,
			       rank = leaving ? arc->to : arc->from;
		count += at == v && rank < graph->nrank && rank != other;
	}
	return count;
}

/* By how many an arc between a rank and a switch is to be divided: the ranks that the switch joins
 * to it; 1 for other arcs. others: [narc] */
static void count_others(const struct ordo_capacities *graph, uint32_t *others)
{
	for (uint32_t i = 0; i < graph->narc; i++) {
		const struct ordo_arc *arc = &graph->arcs[i];
		const bool enters = arc->to >= graph->nrank;
		const uint32_t hub = enters ? arc->to : arc->from,
			       rank = enters ? arc->from : arc->to;
		const uint32_t count = hub >= graph->nrank && rank < graph->nrank
					       ? count_ranks(graph, hub, rank, enters)
					       : 1;
		others[i] = count ? count : 1;
	}
}

/* A backward network of the capacities, and the start's arcs of a source to the roots. */
struct trying {
	const struct ordo_capacities *graph;
	const uint32_t *others; /* see scale */
	struct ordo_network network;
	uint32_t root;
};

/* Whether k trees of each root exist: 1, 0, or -1 for no memory. */
static int try_capacities(struct trying *trying, const uint32_t *capacities, uint32_t k)
{
	const struct ordo_capacities *graph = trying->graph;
	struct ordo_network *network = &trying->network;
	const uint32_t nrank = graph->nrank, source = graph->nvertex;
	int answer = 1;
	for (uint32_t i = 0; i < graph->narc; i++)
		ordo_network_set(network, 2 * i, capacities[i]);
	for (uint32_t rank = 0; rank < nrank; rank++) {
		const bool is_root = trying->root == ORDO_NONE || trying->root == rank;
		ordo_network_set(network, 2 * (graph->narc + rank), is_root ? k : 0);
		network->target[rank] = false;
	}
	network->target[source] = true;
	for (uint32_t rank = 0; answer == 1 && rank < nrank; rank++) {
		const int64_t wanted = trying->root == ORDO_NONE ? (int64_t)k * nrank : k,
			      got = ordo_flow(network, rank, wanted);
		answer = got < 0 ? -1 : got == wanted;
		ordo_flow_undo(network);
		network->target[rank] = true;
	}
	return answer;
}

static bool make_trying(struct trying *trying, const struct ordo_capacities *graph, uint32_t root)
{
	trying->graph = graph;
	trying->root = root;
	if (!ordo_network_make(
		    &trying->network, graph->nvertex + 1, (size_t)graph->narc + graph->nrank, NULL))
		return false;
	for (uint32_t i = 0; i < graph->narc; i++)
		ordo_network_add(&trying->network, graph->arcs[i].to, graph->arcs[i].from, 0);
	for (uint32_t rank = 0; rank < graph->nrank; rank++)
		ordo_network_add(&trying->network, rank, graph->nvertex, 0);
	return true;
}

/* The least m for which k trees of each root exist on floor(m/w units); 0: no memory, -1: none. */
static int64_t least_scale(
	struct trying *trying, uint32_t k, int64_t w, int64_t begin, uint32_t *capacities)
{
	int64_t below = begin - 1, enough = begin;
	for (int answer = 0; answer != 1; enough = answer == 1 ? enough : enough + enough / 2 + 1) {
		scale(trying->graph, trying->others, enough, w, capacities);
		answer = try_capacities(trying, capacities, k);
		if (answer < 0)
			return 0;
		if (!answer && enough / MOST_STRETCH > begin)
			return -1;
		below = answer ? below : enough;
	}
	while (enough - below > 1) {
		const int64_t middle = below + (enough - below) / 2;
		scale(trying->graph, trying->others, middle, w, capacities);
		const int answer = try_capacities(trying, capacities, k);
		if (answer < 0)
			return 0;
		*(answer ? &enough : &below) = middle;
	}
	return enough;
}

/* Compares k from `least` to `most`, and keeps that of the least m/k; 0: none was found. false: no
 * memory. */
static bool compare_units(struct trying *trying, uint32_t least, uint32_t *k, uint32_t most,
	int64_t a, int64_t b, uint32_t *capacities)
{
	const struct ordo_capacities *graph = trying->graph;
	int64_t w = 1, best = 0;
	*k = least;
	for (uint32_t i = 0; i < graph->narc; i++)
		w = graph->arcs[i].units > w ? graph->arcs[i].units : w;
	for (uint32_t one = least; one <= most; one++) {
		const int64_t begin = (int64_t)(((wide)one * a * w + b - 1) / b),
			      m = least_scale(trying, one, w, begin, capacities);
		if (!m)
			return false;
		const int64_t least_gain = trying->others ? LEAST_GAIN : INT64_MAX;
		if (m > 0 && (!best || (wide)m * *k <
					       (wide)best * one - (wide)best * one / least_gain)) {
			best = m;
			*k = one;
		}
	}
	if (best)
		scale(graph, trying->others, best, w, capacities);
	else
		*k = 0;
	return true;
}

/* Whether k trees of each root reach the bound exactly on what whole trees fit into each link,
 * which `capacities` becomes: 1, 0, or -1: no memory. */
static int take_exact(struct trying *trying, uint32_t k, int64_t a, int64_t b, uint32_t *capacities)
{
	const struct ordo_capacities *graph = trying->graph;
	for (uint32_t i = 0; i < graph->narc; i++) {
		const wide units = (wide)k * a * graph->arcs[i].units / b;
		capacities[i] = units > INT32_MAX ? INT32_MAX : (uint32_t)units;
	}
	ordo_units_trim(graph, capacities);
	return try_capacities(trying, capacities, k);
}

/* The least k up to `most` that reaches the bound exactly; or the k given, if it does. 1, 0: there
 * is none, or -1: no memory. */
static int find_exact(const struct ordo_capacities *graph, struct trying *trying, uint32_t *k,
	uint32_t most, int64_t a, int64_t b, uint32_t *capacities)
{
	const int64_t whole = exact_units(graph, a, b);
	const uint32_t least = *k ? *k : 1;
	int answer = 0;
	most = *k ? *k : whole < most ? (uint32_t)whole : most;
	for (uint32_t one = least; !answer && one <= most; one++) {
		answer = take_exact(trying, one, a, b, capacities);
		*k = answer == 1 ? one : *k;
	}
	return answer;
}

bool ordo_units_from_roots(const struct ordo_capacities *graph, uint32_t root, bool even,
	uint32_t *k, uint32_t most, uint32_t *capacities, struct ordo_error *error)
{
	int64_t a = 0, b = 1;
	if (!ordo_units_bound(graph, root, &a, &b, error))
		return false;
	struct trying trying = {0};
	uint32_t *others = even ? ordo_array_make(graph->narc, sizeof *others, 0) : NULL;
	int worked = make_trying(&trying, graph, root) && (others || !even) ? 0 : -1;
	if (!worked && even)
		count_others(graph, others);
	trying.others = others;
	if (!worked && !even)
		worked = find_exact(graph, &trying, k, most, a, b, capacities);
	if (!worked)
		worked = compare_units(&trying, *k ? *k : 1, k, *k ? *k : most, a, b, capacities)
				 ? 1
				 : -1;
	ordo_network_free(&trying.network);
	free(others);
	if (worked < 0)
		return ordo_fail_memory(error);
	return *k || ordo_fail(error, ORDO_USAGE, 0,
			     "packing: some switch has too little bandwidth one way");
}

bool ordo_units_exact(
	const struct ordo_capacities *graph, uint32_t root, int64_t *k, struct ordo_error *error)
{
	int64_t a, b;
	if (!ordo_units_bound(graph, root, &a, &b, error))
		return false;
	*k = exact_units(graph, a, b);
	return true;
}

/* The bound a/b of spanning trees; b 0: not known exactly. */
static bool bound_of_spanning(
	const struct ordo_capacities *graph, int64_t *a, int64_t *b, struct ordo_error *error)
{
	bool exact = false;
	struct ordo_partition partition = {
		.set_of = ordo_array_make(graph->nrank, sizeof *partition.set_of, 0)};
	const bool worked =
		partition.set_of && ordo_partition_find(graph, &partition, &exact, error);
	free(partition.set_of);
	*a = 2 * ((int64_t)partition.nset - 1);
	*b = exact ? partition.units : 0;
	return worked || ordo_fail_memory(error);
}

bool ordo_units_exact_spanning(
	const struct ordo_capacities *graph, int64_t *k, struct ordo_error *error)
{
	int64_t a, b;
	if (!bound_of_spanning(graph, &a, &b, error))
		return false;
	*k = b ? exact_units(graph, a, b) : INT64_MAX;
	return true;
}

/* A graph with the arcs of another, on which spanning trees are tried. */
struct spanning {
	const struct ordo_capacities *graph;
	struct ordo_capacities scaled;
	struct ordo_partition partition;
};

/* Whether k spanning trees fit on floor(m/w units): 1, 0, or -1: no memory. */
static int try_spanning(struct spanning *spanning, uint32_t k, int64_t m, int64_t w)
{
	bool exact;
	for (uint32_t i = 0; i < spanning->graph->narc; i++)
		spanning->scaled.arcs[i].units =
			(int64_t)((wide)m * spanning->graph->arcs[i].units / w);
	if (!ordo_partition_find(&spanning->scaled, &spanning->partition, &exact, NULL))
		return -1;
	return exact &&
	       (wide)spanning->partition.units >= (wide)2 * k * (spanning->partition.nset - 1);
}

/* The least m from `begin` on for which k spanning trees fit on floor(m/w units), below `end`; 0:
 * none does; -1: no memory. */
static int64_t least_spanning(
	struct spanning *spanning, uint32_t k, int64_t w, int64_t begin, int64_t end)
{
	int64_t below = begin - 1, enough = end;
	while (enough - below > 1) {
		const int64_t middle = below + (enough - below) / 2;
		const int answer = try_spanning(spanning, k, middle, w);
		if (answer < 0)
			return -1;
		*(answer ? &enough : &below) = middle;
	}
	return enough < end ? enough : 0;
}

/* Where trees that reach the bound a/b exactly are too many: the k of a few up to `most` that comes
 * nearest to it, if it is faster than a ReduceScatter and an AllGather can be. 1, 0: there is none,
 * or -1: no memory. */
static int find_spanning(struct spanning *spanning, uint32_t *k, uint32_t most, int64_t a,
	int64_t b, uint32_t *capacities)
{
	const struct ordo_capacities *graph = spanning->graph;
	const uint32_t few = MOST_SPANNING_TRIES / graph->nrank, ntry = few < 1	     ? 1
									: few > most ? most
										     : few;
	int64_t w = 1, best = 0, gathered, units;
	if (!ordo_units_bound(graph, ORDO_NONE, &gathered, &units, NULL))
		return -1;
	for (uint32_t i = 0; i < graph->narc; i++)
		w = graph->arcs[i].units > w ? graph->arcs[i].units : w;
	for (uint32_t one = most - ntry + 1; one <= most; one++) {
		const int64_t begin = (int64_t)(((wide)one * a * w + b - 1) / b),
			      end = (int64_t)((wide)2 * gathered * one * w /
					      ((wide)units * graph->nrank)),
			      m = least_spanning(spanning, one, w, begin, end);
		if (m < 0)
			return -1;
		if (m && (!best || (wide)m * *k < (wide)best * one)) {
			best = m;
			*k = one;
		}
	}
	for (uint32_t i = 0; i < graph->narc; i++)
		capacities[i] = (uint32_t)((wide)best * graph->arcs[i].units / w);
	return best > 0;
}

/* Sets up the graph that is tried. false: no memory. */
static bool make_spanning(struct spanning *spanning, const struct ordo_capacities *graph)
{
	*spanning = (struct spanning){.graph = graph,
		.scaled = *graph,
		.partition.set_of =
			ordo_array_make(graph->nrank, sizeof *spanning->partition.set_of, 0)};
	spanning->scaled.arcs = ordo_array_make(graph->narc, sizeof *graph->arcs, 0);
	if (!spanning->scaled.arcs || !spanning->partition.set_of)
		return false;
	memcpy(spanning->scaled.arcs, graph->arcs, graph->narc * sizeof *graph->arcs);
	return true;
}

bool ordo_units_spanning(const struct ordo_capacities *graph, uint32_t *k, uint32_t most,
	uint32_t *capacities, struct ordo_error *error)
{
	int64_t a, b;
	if (!bound_of_spanning(graph, &a, &b, error))
		return false;
	const int64_t least = b ? exact_units(graph, a, b) : INT64_MAX;
	if (b && !*k && least > most) {
		struct spanning spanning;
		const int found = make_spanning(&spanning, graph)
					  ? find_spanning(&spanning, k, most, a, b, capacities)
					  : -1;
		free(spanning.scaled.arcs);
		free(spanning.partition.set_of);
		if (found)
			return found > 0 || ordo_fail_memory(error);
	}
	if (!b || (*k ? *k > most || *k % least != 0 : least > most))
		return ordo_fail(error, ORDO_USAGE, 0,
			"packing: found k=%u, wanted a multiple of %lld up to %u", *k,
			(long long)least, most);
	*k = *k ? *k : (uint32_t)least;
	for (uint32_t i = 0; i < graph->narc; i++)
		capacities[i] = (uint32_t)((wide)*k * a * graph->arcs[i].units / b);
	return true;
}
