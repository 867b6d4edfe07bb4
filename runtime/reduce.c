/* reduce.c - the loops that add one array onto another, for each element type and reduction. */
#include <ordo/half.h>
#include <ordo/runtime.h>
#include <string.h>

/* A caller's buffer has no effective type and need not be aligned. */
#define UNALIGNED __attribute__((aligned(1), may_alias))
typedef float UNALIGNED f32;
typedef double UNALIGNED f64;
typedef uint16_t UNALIGNED f16;
typedef uint16_t UNALIGNED bf16;
/* Integers are computed unsigned, where wrapping is defined, and compared signed. */
typedef uint32_t UNALIGNED i32;
typedef uint64_t UNALIGNED i64;
typedef uint8_t UNALIGNED i8;
typedef uint8_t UNALIGNED u8;

static inline float sum_f32(float a, float b)
{
	return a + b;
}

static inline float prod_f32(float a, float b)
{
	return a * b;
}

/* IEEE 754-2019 minimum: a NaN wins (the first one, made quiet), and -0 is less than +0. Chosen by bits,
 * without branches, so that it becomes vector code and no compiler may swap the operands. */
static inline float min_f32(float a, float b)
{
	const uint32_t quiet = UINT32_C(1) << 22;
	uint32_t x, y, least;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	least = a < b ? x : y;
	least = a == b ? x | y : least;
	least = b != b ? y | quiet : least;
	least = a != a ? x | quiet : least;
	memcpy(&a, &least, sizeof a);
	return a;
}

static inline float max_f32(float a, float b)
{
	const uint32_t quiet = UINT32_C(1) << 22;
	uint32_t x, y, most;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	most = a > b ? x : y;
	most = a == b ? x & y : most;
	most = b != b ? y | quiet : most;
	most = a != a ? x | quiet : most;
	memcpy(&a, &most, sizeof a);
	return a;
}

static inline double sum_f64(double a, double b)
{
	return a + b;
}

static inline double prod_f64(double a, double b)
{
	return a * b;
}

static inline double min_f64(double a, double b)
{
	const uint64_t quiet = UINT64_C(1) << 51;
	uint64_t x, y, least;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	least = a < b ? x : y;
	least = a == b ? x | y : least;
	least = b != b ? y | quiet : least;
	least = a != a ? x | quiet : least;
	memcpy(&a, &least, sizeof a);
	return a;
}

static inline double max_f64(double a, double b)
{
	const uint64_t quiet = UINT64_C(1) << 51;
	uint64_t x, y, most;
	memcpy(&x, &a, sizeof x);
	memcpy(&y, &b, sizeof y);
	most = a > b ? x : y;
	most = a == b ? x & y : most;
	most = b != b ? y | quiet : most;
	most = a != a ? x | quiet : most;
	memcpy(&a, &most, sizeof a);
	return a;
}

/* f16 and bf16: made in float and rounded back, which half.h shows to be the operation rounded once. CPUs disagree on the NaN that comes
 * of it, so that is chosen here: the first operand that is one, made quiet, or the plain positive one if none is. */
enum { F16_INFINITY = 0x7c00, F16_QUIET = 0x0200, BF16_INFINITY = 0x7f80, BF16_QUIET = 0x0040 };

/* Magnitudes are below 2^15, so that they can be compared as signed numbers, of which vectors have more. */
static inline uint16_t choose_nan(uint16_t a, uint16_t b, uint16_t result, int16_t infinity, uint16_t quiet)
{
	const int16_t first = a & 0x7fff, second = b & 0x7fff, last = result & 0x7fff;
	uint16_t chosen = last > infinity ? (uint16_t)(infinity | quiet) : result;
	chosen = second > infinity ? b | quiet : chosen;
	return first > infinity ? a | quiet : chosen;
}

static inline uint16_t sum_f16(uint16_t a, uint16_t b)
{
	const float sum = ordo_f16_to_float(a) + ordo_f16_to_float(b);
	return choose_nan(a, b, ordo_f16_from_float(sum), F16_INFINITY, F16_QUIET);
}

static inline uint16_t prod_f16(uint16_t a, uint16_t b)
{
	const float product = ordo_f16_to_float(a) * ordo_f16_to_float(b);
	return choose_nan(a, b, ordo_f16_from_float(product), F16_INFINITY, F16_QUIET);
}

static inline uint16_t sum_bf16(uint16_t a, uint16_t b)
{
	const float sum = ordo_bf16_to_float(a) + ordo_bf16_to_float(b);
	return choose_nan(a, b, ordo_bf16_from_float(sum), BF16_INFINITY, BF16_QUIET);
}

static inline uint16_t prod_bf16(uint16_t a, uint16_t b)
{
	const float product = ordo_bf16_to_float(a) * ordo_bf16_to_float(b);
	return choose_nan(a, b, ordo_bf16_from_float(product), BF16_INFINITY, BF16_QUIET);
}

/* Ordered as numbers are, with -0 below +0. */
static inline int16_t rank_half(uint16_t half)
{
	const int16_t as_signed = (int16_t)half;
	return as_signed < 0 ? as_signed ^ 0x7fff : as_signed;
}

static inline uint16_t min_half(uint16_t a, uint16_t b, int16_t infinity, uint16_t quiet)
{
	return choose_nan(a, b, rank_half(a) < rank_half(b) ? a : b, infinity, quiet);
}

static inline uint16_t max_half(uint16_t a, uint16_t b, int16_t infinity, uint16_t quiet)
{
	return choose_nan(a, b, rank_half(a) > rank_half(b) ? a : b, infinity, quiet);
}

static inline uint16_t min_f16(uint16_t a, uint16_t b)
{
	return min_half(a, b, F16_INFINITY, F16_QUIET);
}

static inline uint16_t max_f16(uint16_t a, uint16_t b)
{
	return max_half(a, b, F16_INFINITY, F16_QUIET);
}

static inline uint16_t min_bf16(uint16_t a, uint16_t b)
{
	return min_half(a, b, BF16_INFINITY, BF16_QUIET);
}

static inline uint16_t max_bf16(uint16_t a, uint16_t b)
{
	return max_half(a, b, BF16_INFINITY, BF16_QUIET);
}

static inline uint8_t sum_i8(uint8_t a, uint8_t b)
{
	return (uint8_t)(a + b);
}

static inline uint8_t prod_i8(uint8_t a, uint8_t b)
{
	return (uint8_t)(a * b);
}

static inline uint8_t min_i8(uint8_t a, uint8_t b)
{
	return (int8_t)a < (int8_t)b ? a : b;
}

static inline uint8_t max_i8(uint8_t a, uint8_t b)
{
	return (int8_t)a > (int8_t)b ? a : b;
}

static inline uint32_t sum_i32(uint32_t a, uint32_t b)
{
	return a + b;
}

static inline uint32_t prod_i32(uint32_t a, uint32_t b)
{
	return a * b;
}

static inline uint32_t min_i32(uint32_t a, uint32_t b)
{
	return (int32_t)a < (int32_t)b ? a : b;
}

static inline uint32_t max_i32(uint32_t a, uint32_t b)
{
	return (int32_t)a > (int32_t)b ? a : b;
}

static inline uint64_t sum_i64(uint64_t a, uint64_t b)
{
	return a + b;
}

static inline uint64_t prod_i64(uint64_t a, uint64_t b)
{
	return a * b;
}

static inline uint64_t min_i64(uint64_t a, uint64_t b)
{
	return (int64_t)a < (int64_t)b ? a : b;
}

static inline uint64_t max_i64(uint64_t a, uint64_t b)
{
	return (int64_t)a > (int64_t)b ? a : b;
}

static inline uint8_t sum_u8(uint8_t a, uint8_t b)
{
	return (uint8_t)(a + b);
}

static inline uint8_t prod_u8(uint8_t a, uint8_t b)
{
	return (uint8_t)(a * b);
}

static inline uint8_t min_u8(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

static inline uint8_t max_u8(uint8_t a, uint8_t b)
{
	return a > b ? a : b;
}

typedef void reduce_loop(void *dst, const void *src, size_t n);

/* X(type, enumerator): one line a type, everything else follows. */
#define TYPES(X)                                                                                             \
	X(f16, ORDO_F16)                                                                                     \
	X(bf16, ORDO_BF16)                                                                                   \
	X(f32, ORDO_F32)                                                                                     \
	X(f64, ORDO_F64)                                                                                     \
	X(i8, ORDO_I8)                                                                                       \
	X(i32, ORDO_I32)                                                                                     \
	X(i64, ORDO_I64)                                                                                     \
	X(u8, ORDO_U8)

/* NOLINTBEGIN(bugprone-macro-parentheses): a type takes none */
#define LOOP(reduction, type)                                                                                \
	static void reduction##_all_##type(void *dst, const void *src, size_t n)                             \
	{                                                                                                    \
		type *d = dst;                                                                               \
		const type *s = src;                                                                         \
		for (size_t i = 0; i < n; i++)                                                               \
			d[i] = reduction##_##type(d[i], s[i]);                                               \
	}
/* NOLINTEND(bugprone-macro-parentheses) */
#define LOOPS(type, enumerator) LOOP(sum, type) LOOP(prod, type) LOOP(min, type) LOOP(max, type)
TYPES(LOOPS)

static reduce_loop *const loops[ORDO_NTYPE][ORDO_NREDUCTION] = {
#define ROW(type, enumerator)                                                                                \
	[enumerator] = {[ORDO_SUM] = sum_all_##type,                                                         \
		[ORDO_PROD] = prod_all_##type,                                                               \
		[ORDO_MIN] = min_all_##type,                                                                 \
		[ORDO_MAX] = max_all_##type},
	TYPES(ROW)};

void ordo_reduce_elements(
	enum ordo_type type, enum ordo_reduction reduction, void *dst, const void *src, size_t n)
{
	loops[type][reduction](dst, src, n);
}
