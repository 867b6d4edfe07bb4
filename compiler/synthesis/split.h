/* split.h - logical links between ranks in place of switches. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_SPLIT_H
#define ORDO_SYNTHESIS_SPLIT_H

#include "graph.h"

/* A link between ranks through via[first_via .. first_via + nvia), the switches in order. */
struct ordo_logical_link {
	uint32_t from, to, units, first_via, nvia;
	uint32_t next; /* another one from the same vertex; ORDO_NONE */
};

struct ordo_logical_links {
	uint32_t nlink;
	struct ordo_logical_link *links; /* [nlink] those between ranks; units may be 0 */
	uint32_t *via;
	uint32_t *first; /* [graph->nvertex] links by begin; ORDO_NONE */
	size_t link_room, nvia, via_room;
};

/* The caller frees it, also after the call below failed. */
void ordo_logical_links_free(struct ordo_logical_links *logical);

/* split.c: splits off every switch: units from u to w and from w to t become units from u to t,
 * such that as many trees from the roots exist as before. Each switch must have as many units in as
 * out. capacities: [graph->narc]; roots: [nrank] trees of each rank, some rank's more than 0 */
bool ordo_split_switches(struct ordo_logical_links *logical, const struct ordo_capacities *graph,
	const uint32_t *capacities, const uint32_t *roots, struct ordo_error *error);

/* What a switch joins first, as far as it can. */
enum ordo_split_first {
	ORDO_SPLIT_RANKS,     /* ranks with each other */
	ORDO_SPLIT_WIDEST,    /* the widest links */
	ORDO_SPLIT_RANK_SIDE, /* its other links with its ranks */
	ORDO_SPLIT_FIRSTS
};
/* split_evenly.c: splits off every switch of a symmetric graph, in units of its own, as many one
 * way as the other. one_class: no way goes over links of different classes where several lie side
 * by side. false without a code in `error`: there would be too many links. */
bool ordo_split_evenly(struct ordo_logical_links *logical, const struct ordo_capacities *graph,
	enum ordo_split_first first, bool one_class, struct ordo_error *error);

/* The arcs of the graph that was split, turned round if that was `backwards`, on the way of a
 * logical link. arcs: room for [graph->nvertex] of them. Returns how many there are. */
uint32_t ordo_logical_arcs(const struct ordo_logical_links *logical,
	const struct ordo_logical_link *link, const struct ordo_capacities *graph, bool backwards,
	uint32_t *arcs);

/* Likewise on the way of the shortest logical link between two ranks; of equal ones, that with the
 * most units. false: there is none. */
bool ordo_logical_route(const struct ordo_logical_links *logical, uint32_t from, uint32_t to,
	const struct ordo_capacities *graph, bool backwards, uint32_t *arcs, uint32_t *count);

/* The logical links as a graph of ranks, those of the same ends added up, whose units are the
 * capacities. The caller frees it, also after false: no memory. */
bool ordo_logical_graph_make(struct ordo_capacities *graph,
	const struct ordo_logical_links *logical, uint32_t nrank, struct ordo_error *error);

#endif
