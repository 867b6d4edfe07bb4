/* values.c - sums of trees up to relabelling. */
#include "values.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* The most distinct subgroups: each takes 4 bytes an element of the group. A chain of subgroups is
 * short; only an adversarial document has many. */
enum { MOST_SUBGROUPS = 256 };
/* Elements tried for the one form of a sum, in all: half a minute. */
#define MOST_TRIES (UINT64_C(1) << 33)

static uint32_t subtract(const struct forest *forest, uint32_t a, uint32_t b)
{
	return group_add(forest->group, a, ordo_symmetry_negate(forest->group, b));
}

/* The least of x + H. */
static uint32_t least_of(const struct forest *forest, uint32_t x, uint32_t subgroup)
{
	const uint32_t *least = forest->subgroups[subgroup].least;
	return least ? least[x] : x;
}

/* Elements in ascending order: one that no coset has yet is the least of its own. NULL: no
 * memory. */
static uint32_t *list_cosets(
	const struct ordo_symmetry_group *group, const uint32_t *elements, uint32_t order)
{
	uint32_t *least = malloc((size_t)group->order * sizeof *least);
	for (uint32_t x = 0; least && x < group->order; x++)
		least[x] = ORDO_NONE;
	for (uint32_t x = 0; least && x < group->order; x++) {
		const bool is_least = least[x] == ORDO_NONE;
		for (uint32_t i = 0; is_least && i < order; i++)
			least[group_add(group, x, elements[i])] = x;
	}
	return least;
}

static bool is_in(const struct subgroup *h, uint32_t x)
{
	uint32_t low = 0, high = h->order;
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		*(h->elements[middle] <= x ? &low : &high) = middle;
	}
	return h->elements[low] == x;
}

/* The subgroup with these elements, which become its own or are freed. ORDO_NONE: no memory. */
static uint32_t subgroup_of(struct forest *forest, uint32_t *elements, uint32_t order)
{
	for (uint32_t i = 0; elements && i < forest->nsubgroup; i++)
		if (forest->subgroups[i].order == order &&
			!memcmp(forest->subgroups[i].elements, elements,
				order * sizeof *elements)) {
			free(elements);
			return i;
		}
	if (forest->nsubgroup == MOST_SUBGROUPS)
		forest->too_large = true;
	uint32_t *least =
		elements && order > 1 ? list_cosets(forest->group, elements, order) : NULL;
	if (!elements || (order > 1 && !least) || forest->too_large ||
		!ordo_array_reserve(&forest->subgroups, &forest->subgroup_room,
			(size_t)forest->nsubgroup + 1, sizeof *forest->subgroups)) {
		free(elements);
		free(least);
		return ORDO_NONE;
	}
	forest->subgroups[forest->nsubgroup] = (struct subgroup){order, elements, least};
	return forest->nsubgroup++;
}

static uint32_t intersect(struct forest *forest, uint32_t a, uint32_t b)
{
	const struct subgroup *x = &forest->subgroups[a], *y = &forest->subgroups[b];
	uint32_t *both = malloc(x->order * sizeof *both), order = 0;
	for (uint32_t i = 0; both && i < x->order; i++)
		if (is_in(y, x->elements[i]))
			both[order++] = x->elements[i];
	return subgroup_of(forest, both, order);
}

static int ascending(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

/* H and s + H, where 2s is in H and s is not. */
static uint32_t extend(struct forest *forest, uint32_t subgroup, uint32_t s)
{
	const struct subgroup *h = &forest->subgroups[subgroup];
	uint32_t *elements = malloc(2 * (size_t)h->order * sizeof *elements);
	for (uint32_t i = 0; elements && i < h->order; i++) {
		elements[i] = h->elements[i];
		elements[h->order + i] = group_add(forest->group, h->elements[i], s);
	}
	if (elements)
		qsort(elements, 2 * (size_t)h->order, sizeof *elements, ascending);
	return subgroup_of(forest, elements, 2 * h->order);
}

/* T + s T, where T has the stabiliser: exchanging the two fixes it if 2s fixes T. */
static uint32_t stabiliser_of_pair(struct forest *forest, uint32_t stabiliser, uint32_t s)
{
	const struct subgroup *h = &forest->subgroups[stabiliser];
	if (is_in(h, s) || !is_in(h, group_add(forest->group, s, s)))
		return stabiliser;
	return extend(forest, stabiliser, s);
}

bool ordo_orbit_forest_create(struct forest *forest, const struct ordo_symmetry_group *group)
{
	*forest = (struct forest){.group = group};
	uint32_t *zero = calloc(1, sizeof *zero);
	if (subgroup_of(forest, zero, 1) == ORDO_NONE ||
		!ordo_array_reserve(&forest->nodes, &forest->node_room, 1, sizeof *forest->nodes))
		return false;
	forest->nodes[forest->nnode++] = (struct tree_node){ORDO_NONE, ORDO_NONE, 0, 0, 1};
	return true;
}

void ordo_orbit_forest_free(struct forest *forest)
{
	for (uint32_t i = 0; i < forest->nsubgroup; i++) {
		free(forest->subgroups[i].elements);
		free(forest->subgroups[i].least);
	}
	free(forest->subgroups);
	free(forest->nodes);
	ordo_map_free(&forest->pair_of);
	ordo_map_free(&forest->node_of);
}

struct value ordo_shift_value(const struct forest *forest, struct value value, uint32_t by)
{
	value.by = group_add(forest->group, value.by, by);
	value.by = least_of(forest, value.by, forest->nodes[value.node].stabiliser);
	return value;
}

/* The node, new or not; ORDO_NONE: no memory. The shift is in its one form. */
static uint32_t node_of(struct forest *forest, uint32_t left, uint32_t right, uint32_t shift)
{
	uint32_t pair = ordo_map_get(&forest->pair_of, left, right);
	if (pair == ORDO_NONE) {
		pair = forest->npair++;
		if (!ordo_map_put(&forest->pair_of, left, right, pair))
			return ORDO_NONE;
	}
	uint32_t node = ordo_map_get(&forest->node_of, pair, shift);
	if (node != ORDO_NONE)
		return node;
	const uint32_t a = forest->nodes[left].stabiliser, b = forest->nodes[right].stabiliser;
	const uint32_t stabiliser =
		left == right ? stabiliser_of_pair(forest, a, shift) : intersect(forest, a, b);
	node = forest->nnode;
	if (stabiliser == ORDO_NONE ||
		!ordo_array_reserve(&forest->nodes, &forest->node_room, (size_t)node + 1,
			sizeof *forest->nodes) ||
		!ordo_map_put(&forest->node_of, pair, shift, node))
		return ORDO_NONE;
	const uint64_t leaves = (uint64_t)forest->nodes[left].leaves + forest->nodes[right].leaves;
	forest->nodes[node] = (struct tree_node){left, right, shift, stabiliser,
		leaves > ORDO_LIMIT ? ORDO_LIMIT : (uint32_t)leaves};
	return forest->nnode++;
}

bool ordo_add_values(struct forest *forest, struct value a, struct value b, struct value *sum)
{
	if (a.node > b.node) {
		const struct value smaller = b;
		b = a;
		a = smaller;
	}
	const uint32_t stab_a = forest->nodes[a.node].stabiliser,
		       stab_b = forest->nodes[b.node].stabiliser;
	const struct subgroup *h = &forest->subgroups[stab_a];
	const uint32_t apart = subtract(forest, b.by, a.by);
	uint32_t shift = least_of(forest, apart, stab_b), base = a.by;
	if (a.node == b.node) {
		const uint32_t back = least_of(forest, subtract(forest, a.by, b.by), stab_a);
		base = back < shift ? b.by : a.by;
		shift = back < shift ? back : shift;
	} else if ((forest->tried += h->order) > MOST_TRIES) {
		return !(forest->too_large = true);
	} else {
		/* (a.by - x) left + (apart + x + ...) right: x and ... fix them. */
		for (uint32_t i = 1; i < h->order; i++) {
			const uint32_t x = h->elements[i];
			const uint32_t other =
				least_of(forest, group_add(forest->group, apart, x), stab_b);
			base = other < shift ? subtract(forest, a.by, x) : base;
			shift = other < shift ? other : shift;
		}
	}
	const uint32_t node = node_of(forest, a.node, b.node, shift);
	if (node == ORDO_NONE)
		return false;
	*sum = ordo_shift_value(forest, (struct value){node, base}, 0);
	return true;
}

int ordo_adds_each_once(const struct forest *forest, uint32_t node)
{
	const uint32_t nrank = forest->group->order;
	if (forest->nodes[node].leaves != nrank)
		return 0;
	uint8_t *seen = calloc(nrank, 1);
	struct value *stack = malloc(((size_t)nrank + 2) * sizeof *stack);
	uint32_t depth = 0;
	int once = seen && stack ? 1 : -1;
	if (once > 0)
		stack[depth++] = (struct value){node, 0};
	while (once > 0 && depth) {
		const struct value top = stack[--depth];
		const struct tree_node *tree = &forest->nodes[top.node];
		if (top.node != LEAF) {
			stack[depth++] = (struct value){tree->left, top.by};
			stack[depth++] = (struct value){
				tree->right, group_add(forest->group, top.by, tree->shift)};
		} else if (seen[top.by]) {
			once = 0;
		} else {
			seen[top.by] = 1;
		}
	}
	free(seen);
	free(stack);
	return once;
}
