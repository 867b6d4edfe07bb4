/* graph.h - the neighbour relation as bits, and the ways to find cycles on it. Private to the cycle
 * search.
 *
 * Symmetric, no vertex its own neighbour. Row v is words[v*width .. (v+1)*width).
 */
#ifndef ORDO_CYCLES_GRAPH_H
#define ORDO_CYCLES_GRAPH_H

#include <ordo/topology.h>

struct ordo_graph {
	uint32_t n, width;
	uint64_t *words; /* in the arena it was made in */
};

/* Everybody is everybody's neighbour, or as the topology (not NULL) has it. false: no memory. */
bool ordo_graph_make(struct ordo_graph *graph, struct ordo_arena *arena,
	const struct ordo_topology *topology, uint32_t n);
uint32_t ordo_graph_degree(const struct ordo_graph *graph, uint32_t v);
/* Whether all vertices but `without` (ORDO_NONE: all) hang together; if not, two of them that do
 * not. seen[n], queue[n]: room. */
bool ordo_graph_connected(const struct ordo_graph *graph, uint32_t without, uint8_t *seen,
	uint32_t *queue, uint32_t apart[2]);

static inline bool ordo_graph_joins(const struct ordo_graph *graph, uint32_t a, uint32_t b)
{
	return graph->words[(size_t)a * graph->width + b / 64] >> (b % 64) & 1;
}
static inline void ordo_graph_flip(struct ordo_graph *graph, uint32_t a, uint32_t b)
{
	graph->words[(size_t)a * graph->width + b / 64] ^= 1ull << (b % 64);
	graph->words[(size_t)b * graph->width + a / 64] ^= 1ull << (a % 64);
}
/* Takes the links of a cycle out of the graph, or puts them back. n >= 3. */
void ordo_graph_flip_cycle(struct ordo_graph *graph, const uint32_t *cycle);

/* A fixed sequence of numbers that look random: the search must give the same answer everywhere. */
static inline uint32_t ordo_next_number(uint64_t *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(*state >> 33);
}
void ordo_shuffle(uint32_t *items, uint32_t n, uint64_t *state);

/* repair.c: turns order[n], any sequence of all vertices, into a cycle if local repairs are
 * enough. */
bool ordo_cycle_repair(const struct ordo_graph *graph, uint32_t *order);

/* decompose.c: ncycle <= (n-1)/2 cycles of the complete graph, named such that they avoid what this
 * graph lacks. ORDO_OK found, ORDO_UNDECIDED not found this way, ORDO_ENVIRONMENT no memory. */
enum ordo_code ordo_cycles_decompose(const struct ordo_graph *graph, struct ordo_arena *arena,
	uint32_t ncycle, uint32_t *cycles);

/* search.c: tries everything. ORDO_OK found, ORDO_REFUTED there are none, ORDO_UNDECIDED after
 * `limit` steps, ORDO_ENVIRONMENT no memory. The graph is as before afterwards. */
enum ordo_code ordo_cycles_search(struct ordo_graph *graph, struct ordo_arena *arena,
	uint32_t ncycle, uint64_t limit, uint32_t *cycles);

#endif
