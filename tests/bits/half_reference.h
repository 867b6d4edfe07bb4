/* half_reference.h - what one operation on f16, bf16 or fp8 numbers is, computed in integers
 * alone. */
#ifndef ORDO_TESTS_HALF_REFERENCE_H
#define ORDO_TESTS_HALF_REFERENCE_H

#include <ordo/element.h>

/* type: ORDO_F16, ORDO_BF16, ORDO_F8E4M3 or ORDO_F8E5M2, whose numbers are the lower 8 bits. */
uint16_t half_reference(enum ordo_type type, enum ordo_reduction reduction, uint16_t a, uint16_t b);
/* The number nearest to a float, given by its bits. */
uint16_t half_from_float_reference(enum ordo_type type, uint32_t bits);
/* The value of a number: not for infinities and NaN. */
double half_value_reference(enum ordo_type type, uint16_t half);

#endif
