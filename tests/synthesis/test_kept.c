/* test_kept.c - placements and orders that are kept: those found anew, each for its own problem. */
#include "synthesis/place/kept.h"
#include <ordo/compiler.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { NRANK = 6, NCHUNK = 35, MOST_VARIANTS = 16 };

/* A mesh of which a link is down, with two trees of sums, which problems point into. */
struct placed {
	struct ordo_topology *topology;
	struct ordo_capacities graph;
	struct ordo_place_network network;
	struct ordo_sum_tree dyadic, linear;
};

static void make_tree(struct ordo_sum_tree *tree, enum ordo_tree_kind kind)
{
	struct ordo_forest *forest = ordo_forest_create(NULL);
	const struct ordo_tree_name name = {kind, 0};
	assert_non_null(forest);
	assert_true(ordo_sum_tree_make(tree, forest, ordo_forest_named(forest, name, NRANK), NULL));
	ordo_forest_destroy(forest);
}

static void make(struct placed *placed, uint32_t one, uint32_t other)
{
	placed->topology = ordo_topology_make("full-mesh", NRANK, NULL);
	assert_non_null(placed->topology);
	assert_true(ordo_topology_fail_link(placed->topology, one, other, NULL));
	assert_true(ordo_topology_finish(placed->topology, NULL));
	assert_true(ordo_capacities_make(&placed->graph, placed->topology, false, NULL));
	assert_true(ordo_place_network_make(&placed->network, &placed->graph, NULL));
	placed->network.adding = ORDO_ADDING / 4;
	make_tree(&placed->dyadic, ORDO_DYADIC);
	make_tree(&placed->linear, ORDO_LINEAR);
}

static void destroy(struct placed *placed)
{
	ordo_sum_tree_free(&placed->dyadic);
	ordo_sum_tree_free(&placed->linear);
	ordo_place_network_free(&placed->network);
	ordo_capacities_free(&placed->graph);
	ordo_topology_destroy(placed->topology);
}

static bool has_same_hops(const struct ordo_place_chunk *a, const struct ordo_place_chunk *b)
{
	bool same = a->nhop == b->nhop;
	for (uint32_t h = 0; same && h < a->nhop; h++) {
		const struct ordo_place_hop *one = &a->hops[h], *other = &b->hops[h];
		same = one->from == other->from && one->to == other->to &&
		       one->node == other->node && one->result == other->result;
	}
	return same;
}

static bool is_same(const struct ordo_placement *a, const struct ordo_placement *b)
{
	bool same = a->nchunk == b->nchunk && a->nnode == b->nnode &&
		    !memcmp(a->time, b->time, sizeof a->time) &&
		    !memcmp(a->least, b->least, sizeof a->least);
	for (uint32_t c = 0; same && c < a->nchunk; c++)
		same = a->chunks[c].target == b->chunks[c].target &&
		       !memcmp(a->chunks[c].at, b->chunks[c].at,
			       a->nnode * sizeof *a->chunks[c].at) &&
		       has_same_hops(&a->chunks[c], &b->chunks[c]);
	return same;
}

/* Where another link is down, and where one arc is wider. */
struct networks {
	struct placed first, other, wider;
	struct ordo_place_network adding;
};

static void make_networks(struct networks *networks)
{
	make(&networks->first, 0, 1);
	make(&networks->other, 2, 5);
	make(&networks->wider, 0, 1);
	networks->wider.graph.arcs[3].units *= 8;
	networks->adding = networks->first.network;
	networks->adding.adding = 3 * ORDO_ADDING;
}

/* Each differs from the first in one thing. */
static uint32_t make_variants(struct networks *networks, struct ordo_place_problem *variants)
{
	const struct placed *placed = &networks->first;
	const struct ordo_place_problem first = {.network = &placed->network,
		.tree = &placed->dyadic,
		.nchunk = NCHUNK,
		.spreads = true,
		.bound = {1, 1000},
		.effort = {3, 0}};
	uint32_t count = 0;
	for (uint32_t i = 0; i < MOST_VARIANTS; i++)
		variants[i] = first;
	count++;
	variants[count++].network = &networks->other.network;
	variants[count++].network = &networks->wider.network;
	variants[count++].network = &networks->adding;
	variants[count++].tree = &placed->linear;
	variants[count++].nchunk = NRANK;
	variants[count++].spreads = false;
	variants[count++].bound[0] = 100000; /* reached at once */
	variants[count++].bound[1] = 1;	     /* likewise */
	variants[count++].effort.passes = 0;
	variants[count++].effort.exchanges = 64;
	return count;
}

static void finds_the_same(void **state)
{
	struct networks networks;
	struct ordo_place_problem variants[MOST_VARIANTS];
	struct ordo_placement first;
	struct ordo_kept_placements *kept = ordo_kept_placements_create(NULL);
	(void)state;
	assert_non_null(kept);
	make_networks(&networks);
	const uint32_t count = make_variants(&networks, variants);
	assert_true(ordo_place(&first, &variants[0], NULL));
	for (uint32_t turn = 0; turn < 2; turn++)
		for (uint32_t i = 0; i < count; i++) {
			struct ordo_placement anew, once;
			assert_true(ordo_place(&anew, &variants[i], NULL));
			assert_true(ordo_place_once(kept, &once, &variants[i], NULL));
			assert_true(is_same(&anew, &once));
			assert_true(is_same(&first, &anew) == (i == 0));
			ordo_placement_free(&anew);
			ordo_placement_free(&once);
		}
	ordo_placement_free(&first);
	ordo_kept_placements_destroy(kept);
	destroy(&networks.first);
	destroy(&networks.other);
	destroy(&networks.wider);
}

/* Other ways are not looked at if what they lead along was placed before. */
static void places_once(void **state)
{
	struct placed placed;
	struct ordo_placement first, again;
	struct ordo_kept_placements *kept = ordo_kept_placements_create(NULL);
	(void)state;
	assert_non_null(kept);
	make(&placed, 0, 1);
	const struct ordo_place_problem problem = {.network = &placed.network,
		.tree = &placed.dyadic,
		.nchunk = NCHUNK,
		.bound = {1, 1000}};
	assert_true(ordo_place_once(kept, &first, &problem, NULL));
	memset(placed.network.legs, 0, NRANK * NRANK * sizeof *placed.network.legs);
	assert_true(ordo_place_once(kept, &again, &problem, NULL));
	assert_true(is_same(&first, &again));
	ordo_placement_free(&first);
	ordo_placement_free(&again);
	ordo_kept_placements_destroy(kept);
	destroy(&placed);
}

/* An order is looked for once too, and found again in another forest. */
static void searches_once(void **state)
{
	struct placed placed;
	struct ordo_forest *forests[2] = {ordo_forest_create(NULL), ordo_forest_create(NULL)};
	struct ordo_kept_placements *kept = ordo_kept_placements_create(NULL);
	const struct ordo_tree_name name = {ORDO_LINEAR, 0};
	struct ordo_sum_tree found[2];
	uint32_t roots[2];
	(void)state;
	assert_true(kept && forests[0] && forests[1]);
	make(&placed, 0, 1);
	placed.network.adding = 2 * ORDO_ADDING / 5;
	const struct ordo_place_problem problem = {.network = &placed.network,
		.tree = &placed.linear,
		.spreads = true,
		.bound = {1, 1000}};
	for (uint32_t i = 0; i < 2; i++) {
		const uint32_t linear = ordo_forest_named(forests[i], name, NRANK);
		roots[i] = linear;
		assert_true(ordo_place_search_once(kept, forests[i], &roots[i], &problem, NULL));
		assert_int_not_equal(roots[i], linear);
		assert_true(ordo_sum_tree_make(&found[i], forests[i], roots[i], NULL));
		memset(placed.network.legs, 0, NRANK * NRANK * sizeof *placed.network.legs);
	}
	assert_memory_equal(
		found[0].parents, found[1].parents, found[0].nnode * sizeof *found[0].parents);
	for (uint32_t i = 0; i < 2; i++) {
		ordo_sum_tree_free(&found[i]);
		ordo_forest_destroy(forests[i]);
	}
	ordo_kept_placements_destroy(kept);
	destroy(&placed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_same),
		cmocka_unit_test(places_once),
		cmocka_unit_test(searches_once),
	};
	return cmocka_run_group_tests_name("kept", tests, NULL, NULL);
}
