/* graph.c - the neighbour relation of a topology as bits. */
#include "graph.h"
#include <ordo/arena.h>
#include <string.h>

static bool allocate(struct ordo_graph *graph, struct ordo_arena *arena, uint32_t n)
{
	graph->n = n;
	graph->width = (n + 63) / 64;
	graph->words = ordo_arena_alloc(arena, (size_t)n * graph->width * sizeof *graph->words);
	return graph->words != NULL;
}

bool ordo_graph_make(struct ordo_graph *graph, struct ordo_arena *arena,
	const struct ordo_topology *topology, uint32_t n)
{
	if (!allocate(graph, arena, n))
		return false;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++)
			if (!topology || (ordo_topology_reaches(topology, a, b) &&
						 ordo_topology_reaches(topology, b, a)))
				ordo_graph_flip(graph, a, b);
	return true;
}

uint32_t ordo_graph_degree(const struct ordo_graph *graph, uint32_t v)
{
	uint32_t degree = 0;
	for (uint32_t w = 0; w < graph->width; w++)
		degree +=
			(uint32_t)__builtin_popcountll(graph->words[(size_t)v * graph->width + w]);
	return degree;
}

bool ordo_graph_connected(const struct ordo_graph *graph, uint32_t without, uint8_t *seen,
	uint32_t *queue, uint32_t apart[2])
{
	uint32_t n = graph->n, first = without == 0 ? 1 : 0, head = 0, tail = 0;
	memset(seen, 0, n);
	if (without != ORDO_NONE)
		seen[without] = 1;
	seen[first] = 1;
	queue[tail++] = first;
	while (head < tail) {
		uint32_t v = queue[head++];
		for (uint32_t u = 0; u < n; u++)
			if (!seen[u] && ordo_graph_joins(graph, v, u)) {
				seen[u] = 1;
				queue[tail++] = u;
			}
	}
	for (uint32_t u = 0; u < n; u++)
		if (!seen[u]) {
			apart[0] = first;
			apart[1] = u;
			return false;
		}
	return true;
}

void ordo_graph_flip_cycle(struct ordo_graph *graph, const uint32_t *cycle)
{
	for (uint32_t i = 0; i < graph->n; i++)
		ordo_graph_flip(graph, cycle[i], cycle[i + 1 < graph->n ? i + 1 : 0]);
}

void ordo_shuffle(uint32_t *items, uint32_t n, uint64_t *state)
{
	for (uint32_t i = n; i > 1; i--) {
		uint32_t j = ordo_next_number(state) % i, kept = items[i - 1];
		items[i - 1] = items[j];
		items[j] = kept;
	}
}
