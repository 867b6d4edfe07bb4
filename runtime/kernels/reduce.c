/* reduce.c - reduces, divides and converts arrays of elements. */
#include "kernels.h"
#include <ordo/runtime.h>

void ordo_reduce_elements(
	enum ordo_type type, enum ordo_reduction reduction, void *dst, const void *src, size_t n)
{
	const void *const sources[] = {dst, src};
	ordo_kernels()->fold[type][reduction](&dst, 1, sources, 2, n, 0);
}

void ordo_fold_elements(enum ordo_type type, enum ordo_reduction reduction, void *dst,
	const void *const *src, uint32_t nsrc, size_t n)
{
	ordo_kernels()->fold[type][reduction](&dst, 1, src, nsrc, n, 0);
}

void ordo_divide_elements(enum ordo_type type, void *dst, size_t n, uint32_t divisor)
{
	ordo_kernels()->divide[type](dst, n, divisor);
}

void ordo_widen_elements(
	enum ordo_type type, enum ordo_type accumulator, void *wide, const void *elements, size_t n)
{
	ordo_kernels()->widen[accumulator][type](wide, elements, n);
}

void ordo_narrow_elements(
	enum ordo_type type, enum ordo_type accumulator, void *elements, const void *wide, size_t n)
{
	ordo_kernels()->narrow[accumulator][type](elements, wide, n);
}

const char *ordo_element_loops(void)
{
	return ordo_kernels()->name;
}
