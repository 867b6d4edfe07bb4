/* element_reference.h - what one operation on two elements is, spelled out by cases. */
#ifndef ORDO_TESTS_ELEMENT_REFERENCE_H
#define ORDO_TESTS_ELEMENT_REFERENCE_H

#include <ordo/element.h>

/* *dst = *dst op *src; of an average, the sum. A NaN result is the canonical one:
 * positive, quiet, without payload. */
void element_reference(enum ordo_type type, enum ordo_reduction reduction, unsigned char *dst,
	const unsigned char *src);

enum { MOST_SPECIAL_VALUES = 20 };
/* Zeros, infinities, NaNs, subnormals, the ends of ranges. */
const void *special_values(enum ordo_type type, size_t *count);

#endif
