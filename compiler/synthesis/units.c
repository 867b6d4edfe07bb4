/* units.c - how many trees a root has, and how many trees a link carries.
 *
 * Trees that reach the bound a/b load no link above its capacity if k units(e) a/b is an integer
 * for every link e: the least such k is b / gcd(b, all a units(e)). Where that is too large,
 * capacities are floor(U units(e)) with the least U for which the trees exist, for each k; that
 * U/k is not monotone in k, so all are compared.
 */
#include "cut.h"
#include "pack.h"
#include <ordo/arena.h>
#include <stdlib.h>

__extension__ typedef __int128 wide;

static int64_t common_divisor(int64_t a, int64_t b)
{
	while (b) {
		const int64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

/* The bound a/b of trees from the roots, in lowest terms. */
static bool bound_of(const struct ordo_capacities *graph, uint32_t root, int64_t *a, int64_t *b,
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
			"packing: some rank has no way in or out (`ordo bound` names it)");
	const int64_t divisor = common_divisor(cut.crossing, cut.units);
	*a = cut.crossing / divisor;
	*b = cut.units / divisor;
	return true;
}

/* The least k for which all k a/b units are integers. */
static int64_t exact_units(const struct ordo_capacities *graph, int64_t a, int64_t b)
{
	int64_t divisor = b;
	for (uint32_t i = 0; i < graph->narc; i++)
		divisor = common_divisor(divisor, (int64_t)((wide)a * graph->arcs[i].units % b));
	return b / divisor;
}

/* capacities = floor(m/w units). */
static void scale(const struct ordo_capacities *graph, int64_t m, int64_t w, uint32_t *capacities)
{
	for (uint32_t i = 0; i < graph->narc; i++) {
		const wide units = (wide)m * graph->arcs[i].units / w;
		capacities[i] = units > INT32_MAX ? INT32_MAX : (uint32_t)units;
	}
}

/* A backward network of the capacities, and the start's arcs of a source to the roots. */
struct trying {
	const struct ordo_capacities *graph;
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

/* The least m for which k trees of each root exist on floor(m/w units); 0: no memory. */
static int64_t least_scale(
	struct trying *trying, uint32_t k, int64_t w, int64_t begin, uint32_t *capacities)
{
	int64_t below = begin - 1, enough = begin;
	for (int answer = 0; answer != 1; enough = answer == 1 ? enough : enough + enough / 2 + 1) {
		scale(trying->graph, enough, w, capacities);
		answer = try_capacities(trying, capacities, k);
		if (answer < 0)
			return 0;
		below = answer ? below : enough;
	}
	while (enough - below > 1) {
		const int64_t middle = below + (enough - below) / 2;
		scale(trying->graph, middle, w, capacities);
		const int answer = try_capacities(trying, capacities, k);
		if (answer < 0)
			return 0;
		*(answer ? &enough : &below) = middle;
	}
	return enough;
}

/* Compares k from `least` to `most`, and keeps that of the least m/k. */
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
		if (!best || (wide)m * *k < (wide)best * one) {
			best = m;
			*k = one;
		}
	}
	scale(graph, best, w, capacities);
	return true;
}

bool ordo_units_from_roots(const struct ordo_capacities *graph, uint32_t root, uint32_t *k,
	uint32_t most, uint32_t *capacities, struct ordo_error *error)
{
	int64_t a = 0, b = 1;
	if (!bound_of(graph, root, &a, &b, error))
		return false;
	const int64_t exact = exact_units(graph, a, b);
	if (!*k ? exact <= most : *k % exact == 0) {
		*k = *k ? *k : (uint32_t)exact;
		for (uint32_t i = 0; i < graph->narc; i++) {
			const wide units = (wide)*k * a * graph->arcs[i].units / b;
			capacities[i] = units > INT32_MAX ? INT32_MAX : (uint32_t)units;
		}
		return true;
	}
	struct trying trying;
	const bool worked =
		make_trying(&trying, graph, root) &&
		compare_units(&trying, *k ? *k : 1, k, *k ? *k : most, a, b, capacities);
	ordo_network_free(&trying.network);
	return worked || ordo_fail_memory(error);
}

bool ordo_units_spanning(const struct ordo_capacities *graph, uint32_t *k, uint32_t most,
	uint32_t *capacities, struct ordo_error *error)
{
	bool exact;
	struct ordo_partition partition = {
		.set_of = ordo_array_make(graph->nrank, sizeof *partition.set_of, 0)};
	if (!partition.set_of || !ordo_partition_find(graph, &partition, &exact, error)) {
		free(partition.set_of);
		return ordo_fail_memory(error);
	}
	free(partition.set_of);
	const int64_t a = 2 * ((int64_t)partition.nset - 1), b = partition.units,
		      least = b ? exact_units(graph, a, b) : INT64_MAX;
	if (!exact || (*k ? *k > most || *k % least != 0 : least > most))
		return ordo_fail(error, ORDO_USAGE, 0,
			"packing: found k=%u, wanted a multiple of %lld up to %u", *k,
			(long long)least, most);
	*k = *k ? *k : (uint32_t)least;
	for (uint32_t i = 0; i < graph->narc; i++)
		capacities[i] = (uint32_t)((wide)*k * a * graph->arcs[i].units / b);
	return true;
}
