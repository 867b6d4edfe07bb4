/* search.c - tries every set of link-disjoint cycles, by walks that step back where they cannot go
 * on.
 *
 * One walk a cycle. Each starts at the same vertex, with few neighbours; a later walk begins with a
 * link to a higher vertex than an earlier one, and ends at a higher vertex than it began with:
 * every set of cycles is met once, in one order and direction. A walk goes on to the vertex with
 * the fewest ways left, and gives up where an unvisited vertex has fewer than two.
 */
#include "graph.h"
#include <ordo/arena.h>
#include <string.h>

struct walk {
	uint32_t *path;	 /* [n], path[0] = start */
	uint32_t *tried; /* [n] the vertex tried last after path[i]; ORDO_NONE: none yet */
	/* [n] neighbours of an unvisited vertex that are unvisited or at an end of the path */
	uint32_t *ways;
	uint64_t *open;		/* [width] unvisited */
	uint32_t length, above; /* path[1] > above, unless that is ORDO_NONE */
};

struct search {
	struct ordo_graph *graph;
	struct walk *walks;
	uint32_t start;
	uint64_t left; /* steps */
};

static uint64_t *row_of(const struct ordo_graph *graph, uint32_t v)
{
	return graph->words + (size_t)v * graph->width;
}

static bool begin(const struct search *search, struct walk *walk, uint32_t above)
{
	const struct ordo_graph *graph = search->graph;
	bool possible = true;
	memset(walk->open, 0, graph->width * sizeof *walk->open);
	for (uint32_t v = 0; v < graph->n; v++) {
		walk->open[v / 64] |= (uint64_t)(v != search->start) << (v % 64);
		walk->ways[v] = ordo_graph_degree(graph, v);
		possible &= walk->ways[v] >= 2;
	}
	walk->path[0] = search->start;
	walk->tried[0] = ORDO_NONE;
	walk->length = 1;
	walk->above = above;
	return possible;
}

static bool may_follow(const struct search *search, const struct walk *walk, uint32_t v)
{
	if (walk->length == 1)
		return walk->above == ORDO_NONE || v > walk->above;
	if (walk->length + 1 == search->graph->n)
		return v > walk->path[1] && ordo_graph_joins(search->graph, v, search->start);
	return true;
}

/* The vertex to try next: the least by (ways left, number) of those greater than the one tried
 * last. */
static uint32_t pick(const struct search *search, const struct walk *walk)
{
	uint32_t best = ORDO_NONE, last = walk->tried[walk->length - 1];
	const uint64_t *row = row_of(search->graph, walk->path[walk->length - 1]);
	for (uint32_t w = 0; w < search->graph->width; w++)
		for (uint64_t bits = row[w] & walk->open[w]; bits; bits &= bits - 1) {
			uint32_t v = w * 64 + (uint32_t)__builtin_ctzll(bits), ways = walk->ways[v];
			if (last != ORDO_NONE && (ways < walk->ways[last] ||
							 (ways == walk->ways[last] && v <= last)))
				continue;
			if ((best == ORDO_NONE || ways < walk->ways[best]) &&
				may_follow(search, walk, v))
				best = v;
		}
	return best;
}

/* The path's head became an inner vertex, or an end again: its open neighbours have a way less, or
 * more. false: one has fewer than two. */
static bool change_ways(const struct search *search, struct walk *walk, uint32_t head, bool more)
{
	const uint64_t *row = row_of(search->graph, head);
	bool possible = true;
	if (head == search->start)
		return true;
	for (uint32_t w = 0; w < search->graph->width; w++)
		for (uint64_t bits = row[w] & walk->open[w]; bits; bits &= bits - 1) {
			uint32_t *ways = &walk->ways[w * 64 + (uint32_t)__builtin_ctzll(bits)];
			*ways = more ? *ways + 1 : *ways - 1;
			possible &= *ways >= 2;
		}
	return possible;
}

/* Is there still an open vertex to come home from? */
static bool has_way_home(const struct search *search, const struct walk *walk)
{
	const uint64_t *row = row_of(search->graph, search->start);
	if (walk->length == search->graph->n)
		return true;
	for (uint32_t w = search->graph->width; w-- > walk->path[1] / 64;) {
		uint64_t bits = row[w] & walk->open[w];
		if (bits && w * 64 + 63 - (uint32_t)__builtin_clzll(bits) > walk->path[1])
			return true;
	}
	return false;
}

static void step_back(const struct search *search, struct walk *walk)
{
	uint32_t v = walk->path[--walk->length];
	change_ways(search, walk, walk->path[walk->length - 1], true);
	walk->open[v / 64] |= 1ull << (v % 64);
}

static bool step(const struct search *search, struct walk *walk, uint32_t v)
{
	uint32_t head = walk->path[walk->length - 1];
	walk->tried[walk->length - 1] = v;
	walk->tried[walk->length] = ORDO_NONE;
	walk->path[walk->length++] = v;
	walk->open[v / 64] &= ~(1ull << (v % 64));
	return change_ways(search, walk, head, false) && has_way_home(search, walk);
}

/* Walks on to the next cycle. */
static enum ordo_code walk_on(struct search *search, struct walk *walk)
{
	uint32_t n = search->graph->n;
	if (walk->length == n)
		step_back(search, walk);
	while (walk->length < n) {
		uint32_t v = pick(search, walk);
		if (v == ORDO_NONE && walk->length == 1)
			return ORDO_REFUTED;
		if (v == ORDO_NONE) {
			step_back(search, walk);
			continue;
		}
		if (!search->left--)
			return ORDO_UNDECIDED;
		if (!step(search, walk, v))
			step_back(search, walk);
	}
	return ORDO_OK;
}

/* walks[c] is walked on, or begun, in the graph without the cycles before it. */
static enum ordo_code search_all(struct search *search, uint32_t ncycle)
{
	uint32_t c = 0;
	bool possible = begin(search, &search->walks[0], ORDO_NONE);
	enum ordo_code code = ORDO_OK;
	for (;;) {
		code = possible ? walk_on(search, &search->walks[c]) : ORDO_REFUTED;
		if (code == ORDO_UNDECIDED || (code == ORDO_REFUTED && c == 0))
			break;
		if (code == ORDO_REFUTED) {
			ordo_graph_flip_cycle(search->graph, search->walks[--c].path);
			possible = true;
			continue;
		}
		if (c + 1 == ncycle)
			break;
		ordo_graph_flip_cycle(search->graph, search->walks[c].path);
		c++;
		possible = begin(search, &search->walks[c], search->walks[c - 1].path[1]);
	}
	while (c > 0)
		ordo_graph_flip_cycle(search->graph, search->walks[--c].path);
	return code;
}

static bool allocate(struct search *search, struct ordo_arena *arena, uint32_t ncycle)
{
	uint32_t n = search->graph->n;
	search->walks = ordo_arena_alloc(arena, ncycle * sizeof *search->walks);
	for (uint32_t c = 0; search->walks && c < ncycle; c++) {
		struct walk *walk = &search->walks[c];
		walk->path = ordo_arena_alloc(arena, n * sizeof *walk->path);
		walk->tried = ordo_arena_alloc(arena, n * sizeof *walk->tried);
		walk->ways = ordo_arena_alloc(arena, n * sizeof *walk->ways);
		walk->open = ordo_arena_alloc(arena, search->graph->width * sizeof *walk->open);
		if (!walk->path || !walk->tried || !walk->ways || !walk->open)
			return false;
	}
	return search->walks != NULL;
}

enum ordo_code ordo_cycles_search(struct ordo_graph *graph, struct ordo_arena *arena,
	uint32_t ncycle, uint64_t limit, uint32_t *cycles)
{
	struct search search = {.graph = graph, .left = limit};
	if (!allocate(&search, arena, ncycle))
		return ORDO_ENVIRONMENT;
	for (uint32_t v = 1; v < graph->n; v++)
		if (ordo_graph_degree(graph, v) < ordo_graph_degree(graph, search.start))
			search.start = v;
	enum ordo_code code = search_all(&search, ncycle);
	for (uint32_t c = 0; code == ORDO_OK && c < ncycle; c++)
		memcpy(cycles + (size_t)c * graph->n, search.walks[c].path,
			graph->n * sizeof *cycles);
	return code;
}
