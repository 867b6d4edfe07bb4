/* exact.h - what a reduction would be without rounding, and how far a result is from it. */
#ifndef ORDO_TOOLS_EXACT_H
#define ORDO_TOOLS_EXACT_H

#include "values.h"

/* A tile of exact results under way: n elements of at most 16 bytes. */
enum { EXACT_SIZE = 16 };

/* exact[i] = value[i], or exact[i] op value[i]. */
void begin_exact(const struct values *values, void *exact, const void *value, size_t n);
void add_exact(const struct values *values, void *exact, const void *value, size_t n);
/* One of them, where it lies; and it as an element of the type, rounded, when so many leaves make
 * it. */
const void *exact_at(const struct values *values, const void *exact, size_t i);
void round_exact(const struct values *values, const void *one, uint32_t nleaf, void *element);

struct distance {
	double ulps;	/* largest error, in units of the last place of the exact result */
	double bounded; /* largest error over its bound; more than 1 is wrong */
};
/* Compares a result made by a tree of that depth and so many leaves, its sums held in the
 * accumulator (ordo/detail/accumulate.h); `far` grows. Returns the first element that is wrong
 * (error beyond its bound; for integers, minima and maxima: any difference), or n. */
size_t compare_exact(const struct values *values, enum ordo_type accumulator, const void *exact,
	const void *result, size_t n, uint32_t depth, uint32_t nleaf, struct distance *far);

#endif
