/* divisor.h - the greatest common divisor: fractions of a vector in lowest terms, and cuts that two
 * have in common. */
#ifndef ORDO_DIVISOR_H
#define ORDO_DIVISOR_H

#include <stdint.h>

/* Of a and 0 it is a. */
static inline uint64_t ordo_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		const uint64_t rest = a % b;
		a = b;
		b = rest;
	}
	return a;
}

#endif
