/* values.h - inputs made from a seed: any element of any shard can be made again at any time, so no
 * copy is kept.
 *
 * Values are chosen so that their exact sum can be computed: floats are positive with eight binades
 * of exponents, so that adding them in another order gives other bits; factors lie around 1; minima
 * and maxima get both signs and both zeros; integers have all bits.
 */
#ifndef ORDO_TOOLS_VALUES_H
#define ORDO_TOOLS_VALUES_H

#include <ordo/runtime.h>

struct values {
	uint64_t seed;
	enum ordo_type type;
	enum ordo_reduction reduction;
};

/* Writes elements first..first+n-1 of a shard's vector to out, which is aligned for the type. */
void make_values(const struct values *values, uint32_t shard, uint64_t first, size_t n, void *out);

#endif
