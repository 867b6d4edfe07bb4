/* flat.c - one tree as an array, and its value. */
#include "flat.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* More leaves than a proof accepts. */
#define MOST_LEAVES (1u << 25)

bool ordo_flatten(const struct ordo_forest *forest, uint32_t tree, struct flat *flat,
	struct ordo_error *error)
{
	const uint32_t leaves = forest->facts[tree].leaves;
	*flat = (struct flat){0};
	if (leaves > MOST_LEAVES)
		return ordo_fail(error, ORDO_UNDECIDED, 0,
			"a tree of %u leaves or more: at most %u are walked", leaves, MOST_LEAVES);
	flat->trees = malloc(2 * (size_t)leaves * sizeof *flat->trees);
	/* Right operands that wait for their turn: at most one a level. */
	uint32_t *stack = malloc(((size_t)forest->facts[tree].depth + 1) * sizeof *stack),
		 height = 0;
	if (!flat->trees || !stack) {
		free(flat->trees);
		free(stack);
		flat->trees = NULL;
		return ordo_fail_memory(error);
	}
	for (uint32_t at = tree;;) {
		const uint32_t *node = forest->trees.nodes[at];
		flat->trees[flat->nnode++] = at;
		if (node[0] != ORDO_NONE) {
			stack[height++] = node[1];
			at = node[0];
		} else if (height) {
			at = stack[--height];
		} else {
			break;
		}
	}
	free(stack);
	return true;
}

/* IEEE 754-2019 minimum; maximum is its mirror image. */
static double least(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) ? a : b;
	if (a == b)
		return signbit(a) ? a : b;
	return a < b ? a : b;
}

/* Computed in double and rounded to the accumulator: 53 >= 2p + 2 bits for every other type, so
 * that rounding twice is rounding once (half.h). */
static double combine(enum ordo_type type, enum ordo_reduction reduction, double left, double right)
{
	switch (reduction) {
	case ORDO_SUM:
	case ORDO_AVG:
		return ordo_type_round(type, left + right);
	case ORDO_PROD:
		return ordo_type_round(type, left * right);
	case ORDO_MIN:
		return least(left, right);
	case ORDO_MAX:
		return -least(-left, -right);
	case ORDO_BAND: /* bits and pairs are never evaluated: every order is the same */
	case ORDO_BOR:
	case ORDO_BXOR:
	case ORDO_MINLOC:
	case ORDO_MAXLOC:
		break;
	}
	return left;
}

bool ordo_tree_evaluate(const struct ordo_forest *forest, uint32_t tree, enum ordo_type type,
	enum ordo_type accumulator, enum ordo_reduction reduction, const double *values,
	double *result, struct ordo_error *error)
{
	struct flat flat;
	if (!ordo_flatten(forest, tree, &flat, error))
		return false;
	/* From the end, operands come before their node: the right one, then the left one. */
	double *stack = malloc((size_t)forest->facts[tree].leaves * sizeof *stack);
	uint32_t height = 0;
	for (uint32_t i = flat.nnode; stack && i-- > 0;) {
		const uint32_t *node = forest->trees.nodes[flat.trees[i]];
		if (node[0] == ORDO_NONE) {
			stack[height++] = ordo_type_round(type, values[node[1]]);
			continue;
		}
		height--;
		stack[height - 1] =
			combine(accumulator, reduction, stack[height], stack[height - 1]);
	}
	if (stack)
		*result = ordo_type_round(type, stack[0]);
	if (stack && reduction == ORDO_AVG)
		*result = ordo_type_round(type, *result / forest->facts[tree].leaves);
	/* The canonical NaN, unless there is one contribution, which is returned unchanged. */
	if (stack && isnan(*result) && forest->facts[tree].leaves > 1)
		*result = (double)NAN;
	free(flat.trees);
	free(stack);
	return stack ? true : ordo_fail_memory(error);
}

uint64_t ordo_type_bits(enum ordo_type type, double value)
{
	union {
		uint64_t bits64;
		uint32_t bits32;
		uint16_t bits16;
		uint8_t bits8;
	} element;
	ordo_element_put(type, &element, 0, value);
	switch (ordo_type_size(type)) {
	case sizeof element.bits8:
		return element.bits8;
	case sizeof element.bits16:
		return element.bits16;
	case sizeof element.bits32:
		return element.bits32;
	default:
		return element.bits64;
	}
}
