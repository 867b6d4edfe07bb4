/* exact.h - reductions without rounding, and the error of a result against them. */
#ifndef ORDO_TOOLS_EXACT_H
#define ORDO_TOOLS_EXACT_H

#include "values.h"

/* Most bytes of an element of a tile of exact results. */
enum { EXACT_SIZE = 32 };

/* exact[i] = value[i], or exact[i] op value[i]. */
void begin_exact(const struct values *values, void *exact, const void *value, size_t n);
void add_exact(const struct values *values, void *exact, const void *value, size_t n);
/* The address of one exact result; and the result rounded to an element of the type, for a
 * reduction of nleaf values. */
const void *exact_at(const struct values *values, const void *exact, size_t i);
void round_exact(const struct values *values, const void *one, uint32_t nleaf, void *element);

struct distance {
	double ulps;	/* largest error, in units of the last place of the exact result */
	double bounded; /* largest error over its bound; more than 1 is wrong */
};
/* Compares the result of a tree with this depth and number of leaves, whose sums are held in the
 * accumulator (ordo/detail/accumulate.h), and updates the maxima in `far`. Returns the first wrong
 * element (its error exceeds the bound; for integers, minima and maxima: any difference), or n. */
size_t compare_exact(const struct values *values, enum ordo_type accumulator, const void *exact,
	const void *result, size_t n, uint32_t depth, uint32_t nleaf, struct distance *far);

#endif
