/* form.c - one form of the loops over elements: compiled once for every instruction set, under the
 * name ORDO_KERNELS_FORM.
 *
 * Values stay in registers: a block of all sources is loaded, folded in their order and stored to
 * all destinations before the next.
 */
#include "cache_line.h"
#include "convert.h"
#include "divide.h"
#include "fetch.h"
#include "kernels.h"
#include "operations.h"
#include "states.h"

/* Four vectors per block, so that four independent operations are in flight. */
enum { BLOCK = 4 * VECTOR_BYTES };
/* Prefetch distance, in bytes. */
enum { AHEAD = 2 * BLOCK };

/* One operation, and the last step over the results of a fold (see operations.h). */
typedef vector operation(vector a, vector b);
typedef struct four finished_four(struct four four);
typedef vector finished(vector a);

struct fold {
	void *const *dst;
	const void *const *src;
	uint32_t ndst, nsrc;
};

static ALWAYS_INLINE const char *source(const struct fold *fold, uint32_t i, size_t at)
{
	return (const char *)fold->src[i] + at;
}

static ALWAYS_INLINE char *destination(const struct fold *fold, uint32_t i, size_t at)
{
	return (char *)fold->dst[i] + at;
}

/* All but one of several destinations belong to other ranks, in the caches of other cores. Stores
 * would wait for these lines one by one; prefetching overlaps the waits. */
static ALWAYS_INLINE void prefetch_destinations(const struct fold *fold, size_t at)
{
	for (uint32_t i = 0; i < fold->ndst; i++)
		for (size_t k = 0; k < BLOCK; k += CACHE_LINE)
			fetch_for_writing(destination(fold, i, at + k));
}

static ALWAYS_INLINE void prefetch_sources(const struct fold *fold, size_t at)
{
	for (uint32_t i = 0; i < fold->nsrc; i++)
		for (size_t k = 0; k < BLOCK; k += CACHE_LINE)
			fetch_for_writing(source(fold, i, at + k));
}

static ALWAYS_INLINE void fold_block(
	const struct fold *fold, operation *op, finished_four *finish, size_t at, unsigned ways)
{
	if (ways & ORDO_TAKE)
		prefetch_sources(fold, at + AHEAD);
	if (!(ways & ORDO_STREAM) && fold->ndst > 1)
		prefetch_destinations(fold, at + AHEAD);
	const char *from = source(fold, 0, at);
	vector a = load(from), b = load(from + VECTOR_BYTES), c = load(from + 2 * VECTOR_BYTES),
	       d = load(from + 3 * VECTOR_BYTES);
	for (uint32_t i = 1; i < fold->nsrc; i++) {
		from = source(fold, i, at);
		a = op(a, load(from));
		b = op(b, load(from + VECTOR_BYTES));
		c = op(c, load(from + 2 * VECTOR_BYTES));
		d = op(d, load(from + 3 * VECTOR_BYTES));
	}
	const struct four four = finish((struct four){a, b, c, d});
	a = four.a, b = four.b, c = four.c, d = four.d;
	for (uint32_t i = 0; i < fold->ndst; i++) {
		char *to = destination(fold, i, at);
		if (ways & ORDO_STREAM && !((uintptr_t)to % VECTOR_BYTES)) {
			stream(to, a);
			stream(to + VECTOR_BYTES, b);
			stream(to + 2 * VECTOR_BYTES, c);
			stream(to + 3 * VECTOR_BYTES, d);
		} else {
			store(to, a);
			store(to + VECTOR_BYTES, b);
			store(to + 2 * VECTOR_BYTES, c);
			store(to + 3 * VECTOR_BYTES, d);
		}
	}
}

static ALWAYS_INLINE void fold_vector(
	const struct fold *fold, operation *op, finished *finish, size_t at)
{
	vector a = load(source(fold, 0, at));
	for (uint32_t i = 1; i < fold->nsrc; i++)
		a = op(a, load(source(fold, i, at)));
	a = finish(a);
	for (uint32_t i = 0; i < fold->ndst; i++)
		store(destination(fold, i, at), a);
}

static ALWAYS_INLINE void fold_part(
	const struct fold *fold, operation *op, finished *finish, size_t at, size_t nbyte)
{
	vector a = load_part(source(fold, 0, at), nbyte);
	for (uint32_t i = 1; i < fold->nsrc; i++)
		a = op(a, load_part(source(fold, i, at), nbyte));
	a = finish(a);
	for (uint32_t i = 0; i < fold->ndst; i++)
		store_part(destination(fold, i, at), a, nbyte);
}

/* A part shorter than a block: the tail, or the bytes before the first aligned one. */
static ALWAYS_INLINE void fold_tail(
	const struct fold *fold, operation *op, finished *finish, size_t at, size_t end)
{
	for (; end - at >= VECTOR_BYTES; at += VECTOR_BYTES)
		fold_vector(fold, op, finish, at);
	while (at < end) {
		const size_t nbyte = part_of(end - at);
		fold_part(fold, op, finish, at, nbyte);
		at += nbyte;
	}
}

/* Bytes until the first destination is aligned, and with it all of equal alignment; the others get
 * ordinary stores. */
static inline size_t unaligned_bytes(const struct fold *fold, size_t nbyte, size_t element)
{
	const size_t skew = -(uintptr_t)fold->dst[0] % BLOCK;
	return skew % element ? 0 : skew < nbyte ? skew : nbyte;
}

typedef void tail_fold(const struct fold *fold, size_t at, size_t end);

static ALWAYS_INLINE void fold_all(const struct fold *fold, operation *op, finished_four *finish,
	tail_fold *tail, size_t nbyte, size_t element, unsigned ways)
{
	size_t at = ways & ORDO_STREAM ? unaligned_bytes(fold, nbyte, element) : 0;
	if (at)
		tail(fold, 0, at);
	for (; nbyte - at >= BLOCK; at += BLOCK)
		fold_block(fold, op, finish, at, ways);
	if (at < nbyte)
		tail(fold, at, nbyte);
	if (ways & ORDO_STREAM)
		end_streaming();
}

/* Two sources and one destination, the fold of a reducing task, without loops over operands. */
static ALWAYS_INLINE void fold_pair(const struct fold *fold, operation *op, finished_four *finish,
	tail_fold *tail, size_t nbyte)
{
	const char *first = fold->src[0], *second = fold->src[1];
	char *to = fold->dst[0];
	size_t at = 0;
	for (; nbyte - at >= BLOCK; at += BLOCK) {
		vector results[4];
		for (size_t i = 0; i < 4; i++)
			results[i] = op(load(first + at + i * VECTOR_BYTES),
				load(second + at + i * VECTOR_BYTES));
		const struct four four =
			finish((struct four){results[0], results[1], results[2], results[3]});
		store(to + at, four.a);
		store(to + at + VECTOR_BYTES, four.b);
		store(to + at + 2 * VECTOR_BYTES, four.c);
		store(to + at + 3 * VECTOR_BYTES, four.d);
	}
	if (at < nbyte)
		tail(fold, at, nbyte);
}

/* X(type): the types that have a loop of their own for sum, prod, min and max. The sums and
 * products of the other integers are those of the signed ones of their size, those of complex
 * numbers those of their parts. */
#define TYPES(X)                                                                                   \
	X(f16)                                                                                     \
	X(bf16)                                                                                    \
	X(f32)                                                                                     \
	X(f64)                                                                                     \
	X(f8e4m3)                                                                                  \
	X(f8e5m2)                                                                                  \
	X(i8)                                                                                      \
	X(i16)                                                                                     \
	X(i32)                                                                                     \
	X(i64)                                                                                     \
	X(u8)

enum {
	SIZE_f16 = 2,
	SIZE_bf16 = 2,
	SIZE_f32 = 4,
	SIZE_f64 = 8,
	SIZE_f8e4m3 = 1,
	SIZE_f8e5m2 = 1,
	SIZE_i8 = 1,
	SIZE_i16 = 2,
	SIZE_i32 = 4,
	SIZE_i64 = 8,
	SIZE_u8 = 1,
	SIZE_u16 = 2,
	SIZE_u32 = 4,
	SIZE_u64 = 8,
	SIZE_f32_i32 = 8,
	SIZE_f64_i32 = 16,
	SIZE_i32_i32 = 8,
	SIZE_i64_i32 = 16,
	SIZE_word = 8
};

/* A copy: a single source is written unchanged, including NaNs. */
static NOINLINE void copy_tail(const struct fold *fold, size_t at, size_t end)
{
	fold_tail(fold, sum_u8, finished_sum_u8, at, end);
}

static NOINLINE void copy_all(const struct fold *fold, size_t nbyte, unsigned ways)
{
	fold_all(fold, sum_u8, finished_four_sum_u8, copy_tail, nbyte, 1, ways);
}

#define KERNEL(reduction, type)                                                                    \
	static NOINLINE void reduction##_tail_##type(                                              \
		const struct fold *fold, size_t at, size_t end)                                    \
	{                                                                                          \
		fold_tail(fold, reduction##_##type, finished_##reduction##_##type, at, end);       \
	}                                                                                          \
	static NOINLINE void reduction##_pair_##type(const struct fold *fold, size_t nbyte)        \
	{                                                                                          \
		fold_pair(fold, reduction##_##type, finished_four_##reduction##_##type,            \
			reduction##_tail_##type, nbyte);                                           \
	}                                                                                          \
	static NOINLINE void reduction##_many_##type(                                              \
		const struct fold *fold, size_t nbyte, unsigned ways)                              \
	{                                                                                          \
		fold_all(fold, reduction##_##type, finished_four_##reduction##_##type,             \
			reduction##_tail_##type, nbyte, SIZE_##type, ways);                        \
	}                                                                                          \
	static void reduction##_all_##type(void *const *dst, uint32_t ndst,                        \
		const void *const *src, uint32_t nsrc, size_t n, unsigned ways)                    \
	{                                                                                          \
		const struct fold fold = {dst, src, ndst, nsrc};                                   \
		const size_t nbyte = n * SIZE_##type;                                              \
		if (nsrc == 1)                                                                     \
			copy_all(&fold, nbyte, ways);                                              \
		else if (nbyte < BLOCK)                                                            \
			reduction##_tail_##type(&fold, 0, nbyte);                                  \
		else if (nsrc == 2 && ndst == 1 && !ways)                                          \
			reduction##_pair_##type(&fold, nbyte);                                     \
		else                                                                               \
			reduction##_many_##type(&fold, nbyte, ways);                               \
	}
#define KERNELS(type) KERNEL(sum, type) KERNEL(prod, type) KERNEL(min, type) KERNEL(max, type)
TYPES(KERNELS)
KERNEL(min, u16)
KERNEL(max, u16)
KERNEL(min, u32)
KERNEL(max, u32)
KERNEL(min, u64)
KERNEL(max, u64)
KERNEL(band, u8)
KERNEL(bor, u8)
KERNEL(bxor, u8)
#define PAIRS(type) KERNEL(minloc, type) KERNEL(maxloc, type)
PAIRS(f32_i32)
PAIRS(f64_i32)
PAIRS(i32_i32)
PAIRS(i64_i32)
#define finished_sum_word finished_sum_u8
#define finished_four_sum_word finished_four_sum_u8
KERNEL(sum, word)

/* The loop of a smaller type, so many of which are an element. */
#define AS_PARTS(name, part, count)                                                                \
	static void name(void *const *dst, uint32_t ndst, const void *const *src, uint32_t nsrc,   \
		size_t n, unsigned ways)                                                           \
	{                                                                                          \
		part(dst, ndst, src, nsrc, n *(count), ways);                                      \
	}
AS_PARTS(sum_all_c64, sum_all_f32, 2)
AS_PARTS(sum_all_c128, sum_all_f64, 2)
AS_PARTS(sum_all_exact_1, sum_all_word, 1)
AS_PARTS(sum_all_exact_2, sum_all_word, 2)
#define BITWISE(size)                                                                              \
	AS_PARTS(band_all_##size, band_all_u8, size)                                               \
	AS_PARTS(bor_all_##size, bor_all_u8, size)                                                 \
	AS_PARTS(bxor_all_##size, bxor_all_u8, size)
BITWISE(1)
BITWISE(2)
BITWISE(4)
BITWISE(8)

/* What a type does not have (ordo_has_reduction): an operator that only moves has some reduction
 * all the same, and copies by it. */
#define COPY(size)                                                                                 \
	static void copy_all_##size(void *const *dst, uint32_t ndst, const void *const *src,       \
		uint32_t nsrc, size_t n, unsigned ways)                                            \
	{                                                                                          \
		(void)nsrc;                                                                        \
		copy_all(&(struct fold){dst, src, ndst, 1}, n *(size), ways);                      \
	}
COPY(1)
COPY(2)
COPY(4)
COPY(8)
COPY(16)
COPY(24)
COPY(32)

#define NAME_OF(form) #form
#define STRUCT_OF(form) ordo_kernels_##form
#define NAME(form) NAME_OF(form)
#define STRUCT(form) STRUCT_OF(form)

/* Rows of the table: what sums, what compares, what takes bits, and the size of an element. */
#define NUMBERS(sums, type)                                                                        \
	sum_all_##sums, prod_all_##sums, min_all_##type, max_all_##type, sum_all_##sums
#define THREE_COPIES(size) copy_all_##size, copy_all_##size, copy_all_##size
#define INTEGERS(sums, type, size)                                                                 \
	{                                                                                          \
		NUMBERS(sums, type), band_all_##size, bor_all_##size, bxor_all_##size,             \
			copy_all_##size, copy_all_##size                                           \
	}
#define FLOATS(type, size)                                                                         \
	{                                                                                          \
		NUMBERS(type, type), THREE_COPIES(size), copy_all_##size, copy_all_##size          \
	}
#define COMPLEXES(type, size)                                                                      \
	{                                                                                          \
		sum_all_##type, THREE_COPIES(size), sum_all_##type, THREE_COPIES(size),            \
			copy_all_##size, copy_all_##size                                           \
	}
#define PAIRED(type, size)                                                                         \
	{                                                                                          \
		THREE_COPIES(size), THREE_COPIES(size), copy_all_##size, copy_all_##size,          \
			minloc_all_##type, maxloc_all_##type                                       \
	}
#define SUMS(sums, size)                                                                           \
	{                                                                                          \
		sum_all_##sums, THREE_COPIES(size), sum_all_##sums, THREE_COPIES(size),            \
			copy_all_##size, copy_all_##size                                           \
	}
#define WIDEN(sum, element, words, bits)                                                           \
	.widen[ORDO_##sum][ORDO_##element] = widen_##element##_to_##sum,
#define ROUND(sum, element, words, bits)                                                           \
	.narrow[ORDO_##sum][ORDO_##element] = round_##sum##_to_##element,
extern const struct ordo_kernels STRUCT(ORDO_KERNELS_FORM);
const struct ordo_kernels STRUCT(ORDO_KERNELS_FORM) = {.name = NAME(ORDO_KERNELS_FORM),
	.fold = {[ORDO_F16] = FLOATS(f16, 2),
		[ORDO_BF16] = FLOATS(bf16, 2),
		[ORDO_F32] = FLOATS(f32, 4),
		[ORDO_F64] = FLOATS(f64, 8),
		[ORDO_F8E4M3] = FLOATS(f8e4m3, 1),
		[ORDO_F8E5M2] = FLOATS(f8e5m2, 1),
		[ORDO_I8] = INTEGERS(i8, i8, 1),
		[ORDO_I16] = INTEGERS(i16, i16, 2),
		[ORDO_I32] = INTEGERS(i32, i32, 4),
		[ORDO_I64] = INTEGERS(i64, i64, 8),
		[ORDO_U8] = INTEGERS(u8, u8, 1),
		[ORDO_U16] = INTEGERS(i16, u16, 2),
		[ORDO_U32] = INTEGERS(i32, u32, 4),
		[ORDO_U64] = INTEGERS(i64, u64, 8),
		[ORDO_C64] = COMPLEXES(c64, 8),
		[ORDO_C128] = COMPLEXES(c128, 16),
		[ORDO_F32_I32] = PAIRED(f32_i32, 8),
		[ORDO_F64_I32] = PAIRED(f64_i32, 16),
		[ORDO_I32_I32] = PAIRED(i32_i32, 8),
		[ORDO_I64_I32] = PAIRED(i64_i32, 16),
		[ORDO_EXACT_F8E4M3] = SUMS(exact_1, 8),
		[ORDO_EXACT_F8E5M2] = SUMS(exact_1, 8),
		[ORDO_EXACT_F16] = SUMS(exact_2, 16),
		[ORDO_BINNED2_F32] = SUMS(binned_2, 16),
		[ORDO_BINNED3_F32] = SUMS(binned_3, 24),
		[ORDO_BINNED2_F64] = SUMS(binned_3, 24),
		[ORDO_BINNED3_F64] = SUMS(binned_4, 32)},
	.divide = {[ORDO_F16] = divide_f16,
		[ORDO_BF16] = divide_bf16,
		[ORDO_F32] = divide_f32,
		[ORDO_F64] = divide_f64,
		[ORDO_F8E4M3] = divide_f8e4m3,
		[ORDO_F8E5M2] = divide_f8e5m2,
		[ORDO_I8] = divide_i8,
		[ORDO_I16] = divide_i16,
		[ORDO_I32] = divide_i32,
		[ORDO_I64] = divide_i64,
		[ORDO_U8] = divide_u8,
		[ORDO_U16] = divide_u16,
		[ORDO_U32] = divide_u32,
		[ORDO_U64] = divide_u64,
		[ORDO_C64] = divide_c64,
		[ORDO_C128] = divide_c128},
	.widen[ORDO_F32] = {[ORDO_F16] = widen_f16, [ORDO_BF16] = widen_bf16},
	.narrow[ORDO_F32] = {[ORDO_F16] = narrow_f16, [ORDO_BF16] = narrow_bf16},
	STATES(WIDEN) STATES(ROUND)};
