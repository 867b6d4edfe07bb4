/* element.h - element types and reductions: what the bits of a sum depend on. Plain tables; any
 * thread. */
#ifndef ORDO_ELEMENT_H
#define ORDO_ELEMENT_H

#include <ordo/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* f16 and bf16 are stored as uint16_t (see half.h) and rounded to nearest, ties to even, after
 * every operation. */
enum ordo_type { ORDO_F16, ORDO_BF16, ORDO_F32, ORDO_F64, ORDO_I8, ORDO_I32, ORDO_I64, ORDO_U8 };
#define ORDO_NTYPE 8
#define ORDO_TYPE_NAMES "f16, bf16, f32, f64, i8, i32, i64 or u8" /* for messages and --help */
/* A reduction of floats whose result is a NaN, whatever the operands and whichever the CPU, gives
 * the canonical NaN: positive, quiet, without payload (f16 7e00, bf16 7fc0, f32 7fc00000, f64
 * 7ff8000000000000). So operands may be swapped, and no bit of a NaN tells one transport from
 * another. What is only copied, as the one contribution of a sum is, keeps every bit.
 *
 * min and max of floats follow IEEE 754-2019 minimum and maximum; integers wrap. avg is the sum,
 * divided once by the number of contributions (the shards) at the very end: floats round that
 * too, integers are truncated towards zero, of the sum as it wrapped. Where one number is
 * reduced to itself nothing is divided. */
enum ordo_reduction { ORDO_SUM, ORDO_PROD, ORDO_MIN, ORDO_MAX, ORDO_AVG };
#define ORDO_NREDUCTION 5
#define ORDO_REDUCTION_NAMES "sum, prod, min, max or avg"

struct ordo_type_facts {
	const char *name; /* "f32" */
	uint32_t size;	  /* bytes */
	bool is_float;
	/* floats: bits of the significand, the hidden one included: u = 2^-precision */
	uint32_t precision;
	/* floats: of the largest finite number, 1.x * 2^e; of the least normal one: 1-e */
	int32_t greatest_exponent;
};

ORDO_API const struct ordo_type_facts *ordo_type_facts(enum ordo_type type);
ORDO_API const char *ordo_type_name(enum ordo_type type); /* "f32" */
ORDO_API size_t ordo_type_size(enum ordo_type type);
ORDO_API bool ordo_type_from_name(const char *name, enum ordo_type *type);
ORDO_API const char *ordo_reduction_name(enum ordo_reduction reduction); /* "sum" */
ORDO_API bool ordo_reduction_from_name(const char *name, enum ordo_reduction *reduction);

/* Whether elements are added on the way: sum and avg. */
ORDO_API bool ordo_reduction_adds(enum ordo_reduction reduction);
/* Whether every order of reducing gives the same bits: integers, minima and maxima; not sums,
 * products and averages of floats. */
ORDO_API bool ordo_is_associative(enum ordo_type type, enum ordo_reduction reduction);

/* The number of a float type nearest to this, ties to even; infinity if it is too large. */
ORDO_API double ordo_type_round(enum ordo_type type, double number);
/* elements[at] as a number; and a number as elements[at], rounded if that is a float, while an
 * integer must be one of the type and below 2^53. The memory needs no alignment. */
ORDO_API double ordo_element_get(enum ordo_type type, const void *elements, size_t at);
ORDO_API void ordo_element_put(enum ordo_type type, void *elements, size_t at, double number);

#ifdef __cplusplus
}
#endif
#endif
