/* kernels.h - the loops over elements, in one form per instruction set. Private to runtime/. */
#ifndef ORDO_RUNTIME_KERNELS_KERNELS_H
#define ORDO_RUNTIME_KERNELS_KERNELS_H

#include <ordo/element.h>

/* One pass over n elements: value = ((src[0] op src[1]) op src[2]) ..., each rounded once, is
 * written to every dst[0..ndst). nsrc and ndst are 1 or more. A dst may equal a src, but must not
 * partly overlap one, nor overlap another dst. No alignment is needed. ways: 0, or
 *   ORDO_STREAM  non-temporal stores, where the CPU has them
 *   ORDO_TAKE    prefetches source lines for writing, since this core will write to them later */
typedef void ordo_fold_kernel(void *const *dst, uint32_t ndst, const void *const *src,
	uint32_t nsrc, size_t n, unsigned ways);
#define ORDO_STREAM 1u
#define ORDO_TAKE 2u

/* dst[i] = dst[i] / divisor for n elements: floats rounded once, integers truncated towards zero.
 * divisor is 1 to ORDO_MOST_DIVISOR, and 1 changes nothing. */
typedef void ordo_divide_kernel(void *dst, size_t n, uint32_t divisor);
#define ORDO_MOST_DIVISOR (UINT32_C(1) << 24) /* all integers up to it are exact in f32 */

/* n elements to the type in which they are added, or back, rounded once: ordo_widen_elements and
 * ordo_narrow_elements of interpreter.h. */
typedef void ordo_convert_kernel(void *restrict dst, const void *restrict src, size_t n);

struct ordo_kernels {
	const char *name; /* "portable", "avx2", "avx512" */
	ordo_fold_kernel *fold[ORDO_NTYPE_AND_STATE][ORDO_NREDUCTION];
	ordo_divide_kernel *divide[ORDO_NTYPE]; /* not of states */
	/* [the type in which they are added][the elements]; NULL where there is no such pair */
	ordo_convert_kernel *widen[ORDO_NTYPE_AND_STATE][ORDO_F8E5M2 + 1],
		*narrow[ORDO_NTYPE_AND_STATE][ORDO_F8E5M2 + 1];
};

/* The best form this CPU can run; chosen once. */
const struct ordo_kernels *ordo_kernels(void);
/* All forms this CPU can run, from the portable one to the best, as far as there is room; returns
 * how many. */
#define ORDO_NKERNEL_FORM 3
uint32_t ordo_kernels_all(const struct ordo_kernels *forms[], uint32_t room);

#endif
