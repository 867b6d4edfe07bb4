/* values.h - generates inputs from a seed: any element of any shard can be regenerated at any time,
 * so no copy is kept.
 *
 * Values allow exact sums, and yet reveal their order: floats to be added are positive and span
 * eight binades, so that another order gives other bits; factors are close to 1; minima and maxima
 * get both signs and both zeros; integers use all bits.
 */
#ifndef ORDO_TOOLS_VALUES_H
#define ORDO_TOOLS_VALUES_H

#include <ordo/runtime.h>

struct values {
	uint64_t seed;
	enum ordo_type type;
	enum ordo_reduction reduction;
};

/* Writes elements [first, first + n) of a shard's vector to out, which is aligned for the type. */
void make_values(const struct values *values, uint32_t shard, uint64_t first, size_t n, void *out);

#endif
