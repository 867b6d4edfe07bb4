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

/* The size of one element.
 *
 *   type   of the table above
 *
 * Returns bytes: 1, 2, 4 or 8. */
ORDO_API size_t ordo_type_size(enum ordo_type type);
#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/elements.h>
#endif
