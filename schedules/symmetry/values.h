/* values.h - reduction trees up to relabelling. Private to schedules/symmetry/.
 *
 * A value is a node and the element that is applied to it: the value of rank r is r applied to that
 * of rank
 * 0. All leaves are one node, shard 0. A node is left + (shift applied to right), modulo
 *    commutativity.
 *
 * Two values are the same tree exactly if they are the same pair. For that a node must have one
 * form only, and the element must be fixed where several give one tree: where the tree has a
 * stabiliser H = {h : h T = T}, the element is the least of its coset. Of left + shift right with
 * stabilisers A and B, shift counts modulo A + B. Trees of two different nodes are never
 * relabellings of each other, so h fixes their sum if it fixes both; the sum of two relabellings of
 * one node T, T + s T with 2s in H, is also fixed by s, which exchanges the two.
 */
#ifndef ORDO_VALUES_H
#define ORDO_VALUES_H

#include "group.h"
#include <ordo/map.h>

struct value {
	uint32_t node, by;
};

struct tree_node {
	uint32_t left, right; /* node 0: ORDO_NONE */
	uint32_t shift;
	uint32_t stabiliser;
	uint32_t leaves; /* at most ORDO_LIMIT are told apart */
};

struct subgroup {
	uint32_t order;
	uint32_t *elements; /* ascending */
	uint32_t *least;    /* [N] the least element of each element's coset; NULL: itself */
};

struct forest {
	const struct ordo_symmetry_group *group;
	struct tree_node *nodes;
	size_t node_room;
	uint32_t nnode;
	struct ordo_map pair_of, node_of; /* (left, right) -> pair; (pair, shift) -> node */
	uint32_t npair;
	struct subgroup *subgroups; /* subgroup 0 is {0} */
	size_t subgroup_room;
	uint32_t nsubgroup;
	uint64_t tried;
	bool too_large; /* to be normalised: the reason why a sum failed, if not memory */
};

#define LEAF 0

bool ordo_orbit_forest_create(struct forest *forest, const struct ordo_symmetry_group *group);
void ordo_orbit_forest_free(struct forest *forest);
/* false: no memory, or too large. */
bool ordo_add_values(struct forest *forest, struct value a, struct value b, struct value *sum);
struct value ordo_shift_value(const struct forest *forest, struct value value, uint32_t by);

/* Does the node add N shards, each once? -1: no memory. */
int ordo_adds_each_once(const struct forest *forest, uint32_t node);

#endif
