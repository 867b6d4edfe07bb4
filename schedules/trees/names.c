/* names.c - named trees: built, recognised, parsed and printed. */
#include <inttypes.h>
#include <ordo/detail/order.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* value[i] = value[i] + value[j]. */
static bool add_onto(struct ordo_forest *forest, uint32_t *value, uint32_t i, uint32_t j)
{
	value[i] = ordo_forest_add(forest, value[i], value[j]);
	return value[i] != ORDO_NONE;
}

/* For s = 1, 2, 4, ...: what lies s further on is added at every multiple of 2s. */
static bool add_dyadic(struct ordo_forest *forest, uint32_t *value, uint32_t nleaf)
{
	for (uint32_t s = 1; s < nleaf; s *= 2)
		for (uint32_t i = 0; i + s < nleaf; i += 2 * s)
			if (!add_onto(forest, value, i, i + s))
				return false;
	return true;
}

/* The largest power of two below n, n >= 2. */
static uint32_t power_below(uint32_t n)
{
	uint32_t power = 1;
	while (power < n - power)
		power *= 2;
	return power;
}

/* With M the largest power of two below what is left: item j >= M is added at j - M. */
static bool add_folded(struct ordo_forest *forest, uint32_t *value, uint32_t nleaf)
{
	for (uint32_t left = nleaf; left > 1;) {
		const uint32_t M = power_below(left);
		for (uint32_t j = M; j < left; j++)
			if (!add_onto(forest, value, j - M, j))
				return false;
		left = M;
	}
	return true;
}

static bool add_chain(
	struct ordo_forest *forest, uint32_t *value, uint32_t nleaf, struct ordo_tree_name name)
{
	const uint32_t step = name.kind == ORDO_RING_DOWN ? nleaf - 1 : 1;
	uint32_t sum = value[name.from], at = name.from;
	for (uint32_t i = 1; i < nleaf && sum != ORDO_NONE; i++) {
		at = (uint32_t)(((uint64_t)at + step) % nleaf);
		sum = ordo_forest_add(forest, sum, value[at]);
	}
	value[0] = sum;
	return sum != ORDO_NONE;
}

uint32_t ordo_forest_named(struct ordo_forest *forest, struct ordo_tree_name name, uint32_t nleaf)
{
	uint32_t *value = malloc((size_t)nleaf * sizeof *value), tree = ORDO_NONE;
	bool worked = value;
	for (uint32_t leaf = 0; worked && leaf < nleaf; leaf++)
		worked = (value[leaf] = ordo_forest_leaf(forest, leaf)) != ORDO_NONE;
	if (worked && name.kind == ORDO_DYADIC)
		worked = add_dyadic(forest, value, nleaf);
	else if (worked && name.kind == ORDO_FOLDED)
		worked = add_folded(forest, value, nleaf);
	else if (worked)
		worked = name.from < nleaf && add_chain(forest, value, nleaf, name);
	if (worked)
		tree = value[0];
	free(value);
	return tree;
}

/* Recognising. Dyadic and folded trees are made and compared; chains are walked from their end. */

static bool is_leaf(const struct ordo_trees *trees, uint32_t tree)
{
	return trees->nodes[tree][0] == ORDO_NONE;
}

/* Takes the last leaf off a chain. false: neither operand is a leaf. */
static bool take_last(const struct ordo_trees *trees, uint32_t *tree, uint32_t *leaf)
{
	const uint32_t *node = trees->nodes[*tree];
	const bool right = is_leaf(trees, node[1]);
	if (!right && !is_leaf(trees, node[0]))
		return false;
	*leaf = trees->nodes[node[right]][1];
	*tree = node[!right];
	return true;
}

/* Is it a chain of 0..nleaf-1 in cyclic order, `step` (1 or nleaf-1) from one to the next? nleaf >=
 * 3. The first two leaves may stand either way round. */
static bool is_chain(const struct ordo_trees *trees, uint32_t tree, uint32_t nleaf, uint32_t step,
	uint32_t *from)
{
	uint32_t last, leaf;
	if (!take_last(trees, &tree, &last) || last >= nleaf)
		return false;
	*from = (uint32_t)(((uint64_t)last + step) % nleaf);
	for (uint32_t left = nleaf - 1; left > 2; left--) {
		const uint32_t before = (uint32_t)(((uint64_t)last + nleaf - step) % nleaf);
		if (!take_last(trees, &tree, &leaf) || leaf != before)
			return false;
		last = leaf;
	}
	const uint32_t second = (uint32_t)(((uint64_t)*from + step) % nleaf);
	const uint32_t *pair = trees->nodes[tree];
	if (!is_leaf(trees, pair[0]) || !is_leaf(trees, pair[1]))
		return false;
	const uint32_t a = trees->nodes[pair[0]][1], b = trees->nodes[pair[1]][1];
	return (a == *from && b == second) || (a == second && b == *from);
}

static bool is_named(
	struct ordo_forest *forest, uint32_t tree, enum ordo_tree_kind kind, bool *named)
{
	const uint32_t other = ordo_forest_named(
		forest, (struct ordo_tree_name){kind, 0}, forest->facts[tree].leaves);
	*named = other != ORDO_NONE &&
		 ordo_same_tree(&forest->trees, other) == ordo_same_tree(&forest->trees, tree);
	return other != ORDO_NONE;
}

/* Neither dyadic nor folded trees are deeper than log2 of their leaves, rounded up: others need not
 * be made. */
static bool is_shallow(const struct ordo_tree_facts *facts)
{
	return facts->depth < 32 && UINT64_C(1) << facts->depth < 2 * (uint64_t)facts->leaves;
}

bool ordo_forest_name(struct ordo_forest *forest, uint32_t tree, struct ordo_tree_name *name)
{
	const struct ordo_tree_facts facts = forest->facts[tree];
	*name = (struct ordo_tree_name){ORDO_UNNAMED, 0};
	if (facts.smallest || facts.leaves >= ORDO_LIMIT)
		return true;
	for (enum ordo_tree_kind kind = ORDO_DYADIC; is_shallow(&facts) && kind <= ORDO_FOLDED;
		kind++) {
		bool named;
		if (!is_named(forest, tree, kind, &named))
			return false;
		if (named) {
			name->kind = kind;
			return true;
		}
	}
	if (facts.leaves < 3 || facts.depth != facts.leaves - 1)
		return true;
	uint32_t from;
	if (is_chain(&forest->trees, tree, facts.leaves, 1, &from))
		*name = (struct ordo_tree_name){from ? ORDO_RING_UP : ORDO_LINEAR, from};
	else if (is_chain(&forest->trees, tree, facts.leaves, facts.leaves - 1, &from))
		*name = (struct ordo_tree_name){ORDO_RING_DOWN, from};
	return true;
}

static const char *const words[ORDO_NTREE_KIND] = {[ORDO_UNNAMED] = "unnamed",
	[ORDO_DYADIC] = "dyadic",
	[ORDO_FOLDED] = "folded",
	[ORDO_LINEAR] = "linear",
	[ORDO_RING_UP] = "ring",
	[ORDO_RING_DOWN] = "ring"};

int ordo_tree_name_print(struct ordo_tree_name name, char *out, size_t size)
{
	if (name.kind < ORDO_RING_UP)
		return snprintf(out, size, "%s", words[name.kind]);
	return snprintf(out, size, "ring from %" PRIu32 "%s", name.from,
		name.kind == ORDO_RING_DOWN ? " downwards" : "");
}

bool ordo_tree_name_read(const char *text, struct ordo_tree_name *name)
{
	for (enum ordo_tree_kind kind = ORDO_DYADIC; kind <= ORDO_RING_UP; kind++)
		if (!strcmp(text, words[kind])) {
			*name = (struct ordo_tree_name){kind, 0};
			return true;
		}
	static const char begin[] = "ring from ";
	if (strncmp(text, begin, sizeof begin - 1) != 0)
		return false;
	const char *digits = text + sizeof begin - 1;
	const size_t length = strspn(digits, "0123456789");
	if (!length || length > 9)
		return false;
	name->from = (uint32_t)strtoul(digits, NULL, 10);
	name->kind = digits[length] ? ORDO_RING_DOWN : ORDO_RING_UP;
	return !digits[length] || !strcmp(digits + length, " downwards");
}
