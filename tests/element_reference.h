/* element_reference.h - what one operation on two elements is, spelled out by cases. */
#ifndef ORDO_TESTS_ELEMENT_REFERENCE_H
#define ORDO_TESTS_ELEMENT_REFERENCE_H

#include <ordo/element.h>

/* *dst = *dst op *src; of an average, the sum. */
void element_reference(
	enum ordo_type type, enum ordo_reduction reduction, unsigned char *dst, const unsigned char *src);
/* f16 and bf16 are never NaN here, since theirs are promised like numbers. */
bool element_is_nan(enum ordo_type type, const unsigned char *element);
/* The payload of the sum or product of two NaNs of f32 or f64 is nobody's promise. */
bool element_is_promised(
	enum ordo_type type, enum ordo_reduction reduction, const unsigned char *a, const unsigned char *b);

enum { MOST_SPECIAL_VALUES = 20 };
/* Zeros, infinities, NaNs, subnormals, the ends of ranges. */
const void *special_values(enum ordo_type type, size_t *count);

#endif
