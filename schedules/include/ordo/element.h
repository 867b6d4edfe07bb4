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
 * every operation. So are f8e4m3 and f8e5m2, the two formats of OCP's 8-bit floating point
 * specification (half.h), stored as uint8_t, in its saturating mode: what overflows, and an
 * operation that gives infinity, gives the largest finite number (448 and 57344) of that sign.
 *
 * c64 and c128 are complex: the real part, then the imaginary one, each an f32 or an f64.
 *
 * A pair, such as f32_i32, is a value and an int32_t, its index, as C lays out
 * struct { float value; int32_t index; }: f64_i32 and i64_i32 have 16 bytes, and the last four are
 * written as zero by every reduction. */
enum ordo_type {
	ORDO_F16,
	ORDO_BF16,
	ORDO_F32,
	ORDO_F64,
	ORDO_I8,
	ORDO_I32,
	ORDO_I64,
	ORDO_U8,
	ORDO_I16,
	ORDO_U16,
	ORDO_U32,
	ORDO_U64,
	ORDO_F8E4M3,
	ORDO_F8E5M2,
	ORDO_C64,
	ORDO_C128,
	ORDO_F32_I32,
	ORDO_F64_I32,
	ORDO_I32_I32,
	ORDO_I64_I32,
	/* Not among the ORDO_NTYPE types, nor found by a name: states of sums without order
	 * (exact.h), 8, 8, 16, 16, 24, 24 and 32 bytes. They have sum and no other reduction. */
	ORDO_EXACT_F8E4M3,
	ORDO_EXACT_F8E5M2,
	ORDO_EXACT_F16,
	ORDO_BINNED2_F32,
	ORDO_BINNED3_F32,
	ORDO_BINNED2_F64,
	ORDO_BINNED3_F64
};
#define ORDO_NTYPE 20
#define ORDO_NTYPE_AND_STATE 27
/* for messages */
#define ORDO_TYPE_NAMES                                                                            \
	"f16, bf16, f32, f64, f8e4m3, f8e5m2, i8, i16, i32, i64, u8, u16, u32, u64, c64, c128, "   \
	"f32_i32, f64_i32, i32_i32 or i64_i32"
/* A reduction of floats whose result is a NaN, whatever the operands and whichever the CPU, gives
 * the canonical NaN: positive, quiet, without payload (f16 7e00, bf16 7fc0, f32 7fc00000, f64
 * 7ff8000000000000, f8e4m3 7f, f8e5m2 7e). So operands may be swapped, and no bit of a NaN tells
 * one transport from another. What is only copied, as the one contribution of a sum is, keeps every
 * bit.
 *
 * min and max of floats follow IEEE 754-2019 minimum and maximum; integers wrap. avg is the sum,
 * divided once by the number of contributions (the shards) at the very end: floats round that
 * too, integers are truncated towards zero, of the sum as it wrapped (ncclAvg). Where one number is
 * reduced to itself nothing is divided. band, bor and bxor are bitwise, of integers.
 *
 * Complex numbers have sum and avg, part by part. Pairs have minloc and maxloc, and nothing else:
 * of two pairs the one with the lesser (greater) value, as min (max) orders them, -0 below +0; a
 * NaN before any number, and all NaNs equal; of equal values the one with the lower index. This is
 * a total order, so no order of reducing changes a bit. */
enum ordo_reduction {
	ORDO_SUM,
	ORDO_PROD,
	ORDO_MIN,
	ORDO_MAX,
	ORDO_AVG,
	ORDO_BAND,
	ORDO_BOR,
	ORDO_BXOR,
	ORDO_MINLOC,
	ORDO_MAXLOC
};
#define ORDO_NREDUCTION 10
#define ORDO_REDUCTION_NAMES "sum, prod, min, max, avg, band, bor, bxor, minloc or maxloc"

/* The size of one element.
 *
 *   type   of the table above
 *
 * Returns bytes: 1, 2, 4, 8 or 16; of states 8, 16, 24 or 32. */
ORDO_API size_t ordo_type_size(enum ordo_type type);
#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/elements.h>
#endif
