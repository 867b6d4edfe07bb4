/* element.h - element types and reductions: what the bits of a sum depend on. Plain tables; any thread. */
#ifndef ORDO_ELEMENT_H
#define ORDO_ELEMENT_H

#include <ordo/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ordo_type { ORDO_F32, ORDO_F64, ORDO_I32, ORDO_I64, ORDO_U8 };
#define ORDO_NTYPE 5
/* min and max of floats follow IEEE 754-2019 minimum and maximum; integers wrap. */
enum ordo_reduction { ORDO_SUM, ORDO_PROD, ORDO_MIN, ORDO_MAX };
#define ORDO_NREDUCTION 4

struct ordo_type_facts {
	const char *name; /* "f32" */
	uint32_t size;	  /* bytes */
	bool is_float;
	uint32_t precision; /* floats: bits of the significand, the hidden one included: u = 2^-precision */
	int32_t greatest_exponent; /* floats: of the largest finite number, 1.x * 2^e */
};

ORDO_API const struct ordo_type_facts *ordo_type_facts(enum ordo_type type);
ORDO_API const char *ordo_type_name(enum ordo_type type); /* "f32" */
ORDO_API size_t ordo_type_size(enum ordo_type type);
ORDO_API bool ordo_type_from_name(const char *name, enum ordo_type *type);
ORDO_API const char *ordo_reduction_name(enum ordo_reduction reduction); /* "sum" */
ORDO_API bool ordo_reduction_from_name(const char *name, enum ordo_reduction *reduction);

/* Whether every order of reducing gives the same bits: integers, minima and maxima; not sums and products of
 * floats. */
ORDO_API bool ordo_is_associative(enum ordo_type type, enum ordo_reduction reduction);

/* elements[at] as a number, and a number as elements[at], which must have it: no rounding, and integers only to 2^53. The memory needs no
 * alignment. */
ORDO_API double ordo_element_get(enum ordo_type type, const void *elements, size_t at);
ORDO_API void ordo_element_put(enum ordo_type type, void *elements, size_t at, double number);

#ifdef __cplusplus
}
#endif
#endif
