/* packed.h - the trees that `packing` packs for a request, and what they load on links. Private to
 * algorithms/tree. */
#ifndef ORDO_COMPILER_ALGORITHMS_TREE_PACKED_H
#define ORDO_COMPILER_ALGORITHMS_TREE_PACKED_H

#include "algorithm.h"
#include "synthesis/list.h"
#include "synthesis/pack/pack.h"
#include "synthesis/split.h"

struct ordo_packed {
	struct ordo_topology *mesh; /* where the request has no topology; NULL */
	/* Links of several classes side by side, each of which carries its share. */
	struct ordo_parallel_links parallel;
	const struct ordo_topology *topology; /* in which they are apart */
	/* Streams name the ways that `routes` keeps; with `spreads` all of them do. */
	bool names_ways, spreads;
	/* paths=turns: links side by side are one, and the ways of a pair take turns. even: the
	 * ranks at a switch share its links evenly. */
	bool turns, even;
	struct ordo_capacities graph;
	/* With switches: the shares of pairs of ranks in the links between them, and these. */
	struct ordo_capacities pairs;
	/* phases=apart: likewise of sums alone, and of results alone. */
	bool apart;
	struct ordo_capacities pairs_of_phase[2];
	struct ordo_pair_routes routes;
	/* up: trees of sums; down: trees of results. ntree 0: there is no such phase. Of spanning
	 * trees, only `down` is packed. */
	struct ordo_packing up, down;
	bool spanning;
	bool divided; /* `up` and `down` have the same roots, each its own number of trees */
	struct ordo_rooted_trees rooted; /* spanning trees, if sums are apart */
};

enum { ORDO_MOST_SPANNING = 256, ORDO_MOST_SPANNING_RANKS = 64 };

/* Packs all trees of a request, on one rank none; `packed` is zeroed. The caller frees it, also
 * after false. */
bool ordo_packed_make(struct ordo_packed *packed, const struct ordo_resolved_request *request,
	struct ordo_error *error);
void ordo_packed_free(struct ordo_packed *packed);

/* The links of the topology, or all of them turned round. The caller frees it, also after false. */
bool ordo_packed_graph(const struct ordo_packed *packed, struct ordo_capacities *graph,
	bool backwards, struct ordo_error *error);

/* shares.c: what pairs of ranks load on links, and get of them. */

enum ordo_phases { ORDO_PHASE_OF_SUMS = 1, ORDO_PHASE_OF_RESULTS = 2, ORDO_BOTH_PHASES = 3 };

/* Adds what the trees load on each pair of ranks in some phases. links: [nrank][nrank] */
void ordo_packed_loads(
	const struct ordo_packed *packed, enum ordo_phases phases, struct ordo_logical_link *links);
/* The time of the busiest link of an AllReduce. false: no memory. */
bool ordo_packed_busiest(const struct ordo_packed *packed, struct ordo_link_time *busiest);
/* Makes pairs of ranks, as wide as their shares of the links if these have some phases to carry.
 * The caller frees them, also after false: no memory. */
bool ordo_packed_share(const struct ordo_packed *packed, enum ordo_phases phases,
	struct ordo_capacities *pairs, struct ordo_error *error);
enum { ORDO_WIDEST_SHARE = 1 << 20 }; /* of the widest link */

/* listed.c: the moves of all ways, by the time at which they begin. The caller frees *moves
 * [*nmove]. false: no memory. */
bool ordo_packed_list(const struct ordo_resolved_request *request,
	const struct ordo_chunk_way *ways, uint32_t nway, struct ordo_listed_move **moves,
	size_t *nmove);

/* The value of a parameter; 0: auto. */
uint32_t ordo_packing_number(const struct ordo_resolved_request *request, const char *name);

#endif
