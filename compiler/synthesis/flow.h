/* flow.h - maximum flows of integers from one vertex to a set of others. Private to synthesis/. */
#ifndef ORDO_SYNTHESIS_FLOW_H
#define ORDO_SYNTHESIS_FLOW_H

#include <ordo/error.h>
#include <stdint.h>

/* Arcs 2i and 2i+1 are opposite. */
struct ordo_network {
	uint32_t nvertex, narc;
	uint32_t *first, *next, *to; /* arcs of each vertex, the last added first */
	int64_t *capacity, *room;    /* [narc]; room is what the flow leaves */
	bool *target;		     /* [nvertex] set by the user */
	/* of the last search: steps from the start, ORDO_NONE: not reached */
	uint32_t *depth;
	uint32_t *at, *queue, *path;
	int64_t *budget, *sent; /* [nvertex+1] along the path */
	uint32_t reached;
	uint32_t *changed; /* [nchanged] arcs whose room changed, repeats allowed */
	size_t nchanged, changed_room;
	bool failed; /* no memory */
};

/* A network without arcs, and room for `narc` of them. The caller frees it, also after false: no
 * memory. */
bool ordo_network_make(
	struct ordo_network *network, uint32_t nvertex, size_t narc, struct ordo_error *error);
void ordo_network_free(struct ordo_network *network);

/* Adds an arc, and returns its number. */
uint32_t ordo_network_add(
	struct ordo_network *network, uint32_t from, uint32_t to, int64_t capacity);
/* Sets the capacity of an arc; only while there is no flow. */
void ordo_network_set(struct ordo_network *network, uint32_t arc, int64_t capacity);

/* The ranks breadth-first from one of them, over arcs in their direction and back; then the rest.
 * order: [nvertex], of which the first nrank are the result. false: no memory. */
bool ordo_network_order_ranks(const struct ordo_network *network, uint32_t nrank, uint32_t first,
	uint32_t *order, struct ordo_error *error);

/* Sends up to `enough` units from `start`, which is no target, to targets, over what earlier calls
 * left. If it sends less, in_cut of the same network is a minimum cut. -1: no memory. */
int64_t ordo_flow(struct ordo_network *network, uint32_t start, int64_t enough);
/* Whether a vertex lies on the start's side of the cut nearest to the start. */
bool ordo_flow_reaches(const struct ordo_network *network, uint32_t vertex);
/* Takes all flow back. */
void ordo_flow_undo(struct ordo_network *network);

#endif
