/* decompose.c - the complete graph as link-disjoint cycles, named such that missing links fall
 * where they are not needed.
 *
 * n odd (Walecki): one vertex in the hub, the others on a wheel of n-1 places. Cycle c goes from
 * the hub in a zigzag c, c-1, c+1, c-2, ... across the wheel and back to the hub; two places x, y
 * of the wheel are next to each other in cycle ceil((x+y mod n-1) / 2) mod (n-1)/2, the hub and x
 * in cycle x mod (n-1)/2. n even: one vertex in the hub, the others on a wheel of n-1 places.
 * Matching j joins j with the hub and j+t with j-t; matchings 2c and 2c+1 together are cycle c,
 * because two steps along them add 2, which is prime to n-1. One matching is left over. Only cycles
 * below ncycle are used, so every link of another cycle (or of the matching left over) is free.
 * Ranks change places until all missing links are free ones.
 *
 * source  Alspach, Bull. ICA 52, 2008 (Walecki's construction)
 */
#include "graph.h"
#include <ordo/arena.h>

enum { NSTART = 64 };

struct wheel {
	const struct ordo_graph *graph;
	/* round = n-1: places 0..round-1 on the wheel, place n-1 is the hub */
	uint32_t n, round, ncycle;
	uint32_t *place;   /* [n] of each vertex */
	uint32_t *missing; /* [nmissing][2] pairs that are no neighbours */
	uint32_t nmissing;
};

/* The cycle in which two places are next to each other; the matching left over counts as cycle
 * n/2-1. */
static uint32_t cycle_of(const struct wheel *wheel, uint32_t a, uint32_t b)
{
	uint32_t n = wheel->n, round = wheel->round;
	if (b == n - 1) {
		uint32_t kept = a;
		a = b;
		b = kept;
	}
	if (n % 2) {
		uint32_t half = round / 2;
		return a == n - 1 ? b % half : ((a + b) % round + 1) / 2 % half;
	}
	/* n/2 halves, mod n-1 */
	uint32_t middle = a == n - 1 ? b : (uint32_t)((uint64_t)(a + b) * (n / 2) % round);
	return middle / 2;
}

/* The places of cycle c in order. */
static void list_places(const struct wheel *wheel, uint32_t c, uint32_t *places)
{
	uint32_t n = wheel->n, round = wheel->round;
	places[0] = n - 1;
	for (uint32_t i = 1; i < n; i++) {
		if (n % 2)
			places[i] = (i % 2 ? c + i / 2 : c + round - i / 2) % round;
		else if (i == 1)
			places[i] = 2 * c;
		else
			places[i] = (4 * c + (i % 2 ? 0 : 2) + round - places[i - 1]) % round;
	}
}

static bool is_bad(const struct wheel *wheel, uint32_t a, uint32_t b)
{
	return cycle_of(wheel, wheel->place[a], wheel->place[b]) < wheel->ncycle;
}

/* How many missing links at a vertex are needed by a cycle. */
static uint32_t count_bad(const struct wheel *wheel, uint32_t v)
{
	const struct ordo_graph *graph = wheel->graph;
	uint32_t bad = 0;
	for (uint32_t w = 0; w < graph->width; w++) {
		uint64_t absent = ~graph->words[(size_t)v * graph->width + w];
		for (; absent; absent &= absent - 1) {
			uint32_t u = w * 64 + (uint32_t)__builtin_ctzll(absent);
			if (u < wheel->n && u != v)
				bad += is_bad(wheel, v, u);
		}
	}
	return bad;
}

static void swap_places(struct wheel *wheel, uint32_t a, uint32_t b)
{
	uint32_t kept = wheel->place[a];
	wheel->place[a] = wheel->place[b];
	wheel->place[b] = kept;
}

/* Lets v change places with whoever makes fewer bad links. */
static bool better_place(struct wheel *wheel, uint32_t v)
{
	uint32_t here = count_bad(wheel, v);
	for (uint32_t u = 0; u < wheel->n; u++) {
		if (u == v)
			continue;
		uint32_t before = here + count_bad(wheel, u);
		swap_places(wheel, v, u);
		if (count_bad(wheel, v) + count_bad(wheel, u) < before)
			return true;
		swap_places(wheel, v, u);
	}
	return false;
}

/* Each change of places leaves fewer bad links, so this ends. */
static bool settle(struct wheel *wheel)
{
	for (bool changed = true; changed;) {
		uint32_t bad = 0;
		changed = false;
		for (uint32_t i = 0; i < wheel->nmissing; i++) {
			uint32_t *pair = wheel->missing + (size_t)2 * i;
			if (!is_bad(wheel, pair[0], pair[1]))
				continue;
			bad++;
			changed |= better_place(wheel, pair[0]) || better_place(wheel, pair[1]);
		}
		if (!bad)
			return true;
	}
	return false;
}

static void list_missing(struct wheel *wheel)
{
	for (uint32_t a = 0; a < wheel->n; a++)
		for (uint32_t b = a + 1; b < wheel->n; b++)
			if (!ordo_graph_joins(wheel->graph, a, b)) {
				wheel->missing[(size_t)2 * wheel->nmissing] = a;
				wheel->missing[(size_t)2 * wheel->nmissing++ + 1] = b;
			}
}

static void write_cycles(const struct wheel *wheel, uint32_t *vertex_at, uint32_t *cycles)
{
	for (uint32_t v = 0; v < wheel->n; v++)
		vertex_at[wheel->place[v]] = v;
	for (uint32_t c = 0; c < wheel->ncycle; c++) {
		uint32_t *cycle = cycles + (size_t)c * wheel->n;
		list_places(wheel, c, cycle);
		for (uint32_t i = 0; i < wheel->n; i++)
			cycle[i] = vertex_at[cycle[i]];
	}
}

enum ordo_code ordo_cycles_decompose(
	const struct ordo_graph *graph, struct ordo_arena *arena, uint32_t ncycle, uint32_t *cycles)
{
	uint32_t n = graph->n;
	struct wheel wheel = {.graph = graph, .n = n, .round = n - 1, .ncycle = ncycle};
	uint64_t ndegree = 0, number = 1;
	for (uint32_t v = 0; v < n; v++)
		ndegree += ordo_graph_degree(graph, v);
	uint64_t nmissing = ((uint64_t)n * (n - 1) - ndegree) / 2;
	if (nmissing > (uint64_t)n * (n < 64 ? n : 4))
		return ORDO_UNDECIDED; /* far from complete: hopeless and slow */
	uint32_t *vertex_at = ordo_arena_alloc(arena, n * sizeof *vertex_at);
	wheel.place = ordo_arena_alloc(arena, n * sizeof *wheel.place);
	wheel.missing = ordo_arena_alloc(arena, (size_t)(nmissing + 1) * 2 * sizeof *wheel.missing);
	if (!vertex_at || !wheel.place || !wheel.missing)
		return ORDO_ENVIRONMENT;
	list_missing(&wheel);
	list_places(&wheel, 0, wheel.place); /* makes cycle 0 the natural order */
	for (int start = 0; start < NSTART; start++) {
		if (settle(&wheel)) {
			write_cycles(&wheel, vertex_at, cycles);
			return ORDO_OK;
		}
		ordo_shuffle(wheel.place, n, &number);
	}
	return ORDO_UNDECIDED;
}
