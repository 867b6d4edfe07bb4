/* witness.c - shows that two trees differ: three leaves, and an input with different results.
 *
 * The leaf sets of its nodes determine a tree. So if two trees over the same leaves differ, the
 * first has a node whose leaf set no node of the second has. Take the smallest such node, L + R:
 * since it is the smallest, the second tree has nodes L' and R' with the leaf sets of L and R.
 * Their lowest common ancestor has further leaves, so some leaf c was added before, on the side of
 * L' or of R'. Let a be a leaf of L or R on that side and b one of the other: the first tree adds a
 * and b before c, the second a and c before b.
 *
 * Sets are compared as sums of 128 random bits a leaf: two different sets collide with probability
 * 2^-128. The result is reported only after both trees were evaluated.
 */
#include "trees/flat.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <ordo/hash_seed.h>
#include <xxhash.h>

/* The sum of the weights of a set of leaves. */
struct weight {
	uint64_t high, low;
};

/* The weights of all nodes of a flat tree; NULL: no memory. */
static struct weight *weigh(const struct ordo_forest *forest, const struct flat *flat)
{
	const uint64_t seed = ordo_hash_seed().a;
	struct weight *weights = malloc((size_t)flat->nnode * sizeof *weights);
	for (uint32_t i = flat->nnode; weights && i-- > 0;) {
		if (flat_is_leaf(forest, flat, i)) {
			const uint32_t leaf = forest->trees.nodes[flat->trees[i]][1];
			const XXH128_hash_t hash = XXH3_128bits_withSeed(&leaf, sizeof leaf, seed);
			weights[i] = (struct weight){hash.high64, hash.low64};
			continue;
		}
		const struct weight *left = &weights[i + 1],
				    *right = &weights[flat_right(forest, flat, i)];
		weights[i] = (struct weight){left->high + right->high, left->low + right->low};
	}
	return weights;
}

/* From weights to nodes of a flat tree, open addressing. */
struct index {
	const struct weight *weights;
	uint32_t *slots; /* node + 1; 0: empty */
	uint64_t mask;
};

static uint32_t *slot_of(const struct index *index, struct weight weight)
{
	for (uint64_t at = weight.low;; at++) {
		uint32_t *slot = &index->slots[at & index->mask];
		if (!*slot)
			return slot;
		const struct weight *found = &index->weights[*slot - 1];
		if (found->high == weight.high && found->low == weight.low)
			return slot;
	}
}

static bool make_index(struct index *index, const struct weight *weights, uint32_t nnode)
{
	uint64_t room = 16;
	while (room < 2 * (uint64_t)nnode)
		room *= 2;
	*index = (struct index){weights, calloc(room, sizeof *index->slots), room - 1};
	for (uint32_t i = 0; index->slots && i < nnode; i++)
		*slot_of(index, weights[i]) = i + 1;
	return index->slots;
}

/* The two trees under comparison. */
struct pair {
	const struct ordo_forest *forest;
	struct flat flat[2];
	struct weight *weights[2];
	struct index index; /* of the second */
};

static bool open_pair(struct pair *pair, uint32_t first, uint32_t second, struct ordo_error *error)
{
	if (!ordo_flatten(pair->forest, first, &pair->flat[0], error) ||
		!ordo_flatten(pair->forest, second, &pair->flat[1], error))
		return false;
	for (int i = 0; i < 2; i++)
		if (!(pair->weights[i] = weigh(pair->forest, &pair->flat[i])))
			return ordo_fail_memory(error);
	return make_index(&pair->index, pair->weights[1], pair->flat[1].nnode)
		       ? true
		       : ordo_fail_memory(error);
}

static void close_pair(struct pair *pair)
{
	for (int i = 0; i < 2; i++) {
		free(pair->flat[i].trees);
		free(pair->weights[i]);
	}
	free(pair->index.slots);
}

/* The node of the first tree with the fewest leaves whose leaf set the second lacks; nnode:
 * none. */
static uint32_t smallest_difference(const struct pair *pair)
{
	const struct flat *flat = &pair->flat[0];
	uint32_t best = flat->nnode, fewest = UINT32_MAX;
	for (uint32_t i = 0; i < flat->nnode; i++) {
		const uint32_t leaves = pair->forest->facts[flat->trees[i]].leaves;
		if (leaves >= fewest || *slot_of(&pair->index, pair->weights[0][i]))
			continue;
		best = i;
		fewest = leaves;
	}
	return best;
}

/* The operands of a flat node. */
static void split(const struct pair *pair, int tree, uint32_t node, uint32_t operands[2])
{
	operands[0] = node + 1;
	operands[1] = flat_right(pair->forest, &pair->flat[tree], node);
}

static bool holds(const struct pair *pair, uint32_t node, uint32_t other)
{
	return other >= node && other < flat_end(pair->forest, &pair->flat[1], node);
}

/* The lowest common ancestor of two nodes of the second tree; operands[i] is its operand that
 * contains nodes[i]. */
static uint32_t meet(const struct pair *pair, const uint32_t nodes[2], uint32_t operands[2])
{
	uint32_t at = 0;
	for (;;) {
		split(pair, 1, at, operands);
		const bool side[2] = {
			holds(pair, operands[1], nodes[0]), holds(pair, operands[1], nodes[1])};
		if (side[0] != side[1]) {
			if (side[0]) {
				const uint32_t right = operands[1];
				operands[1] = operands[0];
				operands[0] = right;
			}
			return at;
		}
		at = operands[side[0]];
	}
}

/* The smallest leaf below `outer` and not below `inner`, of the second tree; ORDO_NONE: they are
 * one node. */
static uint32_t leaf_between(const struct pair *pair, uint32_t outer, uint32_t inner)
{
	const struct ordo_forest *forest = pair->forest;
	const struct flat *flat = &pair->flat[1];
	uint32_t smallest = ORDO_NONE;
	for (uint32_t i = outer; i < flat_end(forest, flat, outer); i++)
		if (flat_is_leaf(forest, flat, i) && !holds(pair, inner, i) &&
			forest->trees.nodes[flat->trees[i]][1] < smallest)
			smallest = forest->trees.nodes[flat->trees[i]][1];
	return smallest;
}

static void fill_witness(const struct pair *pair, uint32_t difference, struct ordo_witness *witness)
{
	const struct ordo_forest *forest = pair->forest;
	uint32_t operands[2], nodes[2], sides[2], smallest[2];
	split(pair, 0, difference, operands);
	for (int i = 0; i < 2; i++) {
		nodes[i] = *slot_of(&pair->index, pair->weights[0][operands[i]]) - 1;
		smallest[i] = forest->facts[pair->flat[0].trees[operands[i]]].smallest;
	}
	const uint32_t met = meet(pair, nodes, sides);
	const uint32_t left = leaf_between(pair, sides[0], nodes[0]);
	witness->node[0] = pair->flat[0].trees[difference];
	witness->node[1] = pair->flat[1].trees[met];
	witness->a = left != ORDO_NONE ? smallest[0] : smallest[1];
	witness->b = left != ORDO_NONE ? smallest[1] : smallest[0];
	witness->c = left != ORDO_NONE ? left : leaf_between(pair, sides[1], nodes[1]);
}

static bool compare(const struct pair *pair, struct ordo_witness *witness, struct ordo_error *error)
{
	const struct weight *all = pair->weights[0], *others = pair->weights[1];
	if (all->high != others->high || all->low != others->low)
		return ordo_fail(error, ORDO_USAGE, 0, "the two trees have different leaves");
	const uint32_t difference = smallest_difference(pair);
	if (difference == pair->flat[0].nnode)
		return ordo_fail(error, ORDO_USAGE, 0, "the two trees are the same");
	fill_witness(pair, difference, witness);
	return true;
}

bool ordo_tree_witness(const struct ordo_forest *forest, uint32_t first, uint32_t second,
	struct ordo_witness *witness, struct ordo_error *error)
{
	struct pair pair = {.forest = forest};
	const bool worked =
		open_pair(&pair, first, second, error) && compare(&pair, witness, error);
	close_pair(&pair);
	return worked;
}

/* Values for a, b and c of which (a op b) op c and (a op c) op b differ.
 * sum, avg: a = -b = M, c = M / 2^(precision+2): c and 0, for c is less than half a unit of M's
 * last place. c is 1, unless M would be too large.
 * prod:     a = 2^E, the greatest power there is, b = 2^(1-E), c = 2: 4 and, through overflow,
 *           infinity; with a larger range in the accumulator nothing overflows. */
static void choose_values(struct ordo_contradiction *contradiction)
{
	const struct ordo_type_facts *facts = ordo_type_facts(contradiction->type);
	const int lost = (int)ordo_type_facts(contradiction->accumulator)->precision + 2;
	const int largest = lost < facts->greatest_exponent ? lost : facts->greatest_exponent;
	double *value = contradiction->value;
	if (ordo_reduction_adds(contradiction->reduction)) {
		value[0] = ldexp(1, largest);
		value[1] = -value[0];
		value[2] = ldexp(1, largest - lost);
		contradiction->rest = 0;
	} else {
		value[0] = ldexp(1, facts->greatest_exponent);
		value[1] = ldexp(1, 1 - facts->greatest_exponent);
		value[2] = 2;
		contradiction->rest = 1;
	}
}

/* Evaluates both trees on the values, so that a difference is reported only if it was computed. */
static bool evaluate(const struct ordo_forest *forest, struct ordo_contradiction *contradiction,
	struct ordo_error *error)
{
	const struct ordo_witness *witness = &contradiction->witness;
	struct flat flat;
	if (!ordo_flatten(forest, contradiction->tree[0], &flat, error))
		return false;
	uint32_t end = 0;
	for (uint32_t i = 0; i < flat.nnode; i++)
		if (flat_is_leaf(forest, &flat, i) && forest->trees.nodes[flat.trees[i]][1] >= end)
			end = forest->trees.nodes[flat.trees[i]][1] + 1;
	free(flat.trees);
	double *values = malloc((size_t)end * sizeof *values);
	if (!values)
		return ordo_fail_memory(error);
	for (uint32_t leaf = 0; leaf < end; leaf++)
		values[leaf] = contradiction->rest;
	values[witness->a] = contradiction->value[0];
	values[witness->b] = contradiction->value[1];
	values[witness->c] = contradiction->value[2];
	bool worked = true;
	for (int i = 0; worked && i < 2; i++) {
		worked = ordo_tree_evaluate(forest, contradiction->tree[i], contradiction->type,
			contradiction->accumulator, contradiction->reduction, values,
			&contradiction->result[i], error);
		contradiction->bits[i] =
			ordo_type_bits(contradiction->type, contradiction->result[i]);
	}
	free(values);
	return worked;
}

bool ordo_contradict(const struct ordo_forest *forest, enum ordo_type type,
	enum ordo_type accumulator, enum ordo_reduction reduction,
	const struct ordo_element element[2], const uint32_t tree[2],
	struct ordo_contradiction *contradiction, struct ordo_error *error)
{
	if (ordo_is_associative(type, reduction))
		return ordo_fail(error, ORDO_USAGE, 0,
			"%s %s is associative: every order has the same bits", ordo_type_name(type),
			ordo_reduction_name(reduction));
	*contradiction = (struct ordo_contradiction){.type = ordo_type_facts(type)->part,
		.accumulator = ordo_type_facts(accumulator)->part,
		.reduction = reduction,
		.element = {element[0], element[1]},
		.tree = {tree[0], tree[1]}};
	if (!ordo_tree_witness(forest, tree[0], tree[1], &contradiction->witness, error))
		return false;
	choose_values(contradiction);
	if (!evaluate(forest, contradiction, error))
		return false;
	return contradiction->bits[0] != contradiction->bits[1]
		       ? true
		       : ordo_fail(error, ORDO_UNDECIDED, 0,
				 "two trees differ, but no input was found on which their bits do");
}
