/* vector.h - the vector type of the target CPU, with its loads and stores. */
#ifndef ORDO_KERNELS_VECTOR_H
#define ORDO_KERNELS_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512BW__)
#define VECTOR_BYTES 64
#elif defined(__AVX2__)
#define VECTOR_BYTES 32
#else
#define VECTOR_BYTES 16
#endif

#define ALWAYS_INLINE inline __attribute__((always_inline))
#define NOINLINE __attribute__((noinline))
#define UNLIKELY(condition) __builtin_expect(condition, 0)
#define LANES __attribute__((vector_size(VECTOR_BYTES)))
typedef uint8_t u8s LANES;
typedef uint16_t u16s LANES;
typedef uint32_t u32s LANES;
typedef uint64_t u64s LANES;
typedef int8_t i8s LANES;
typedef int16_t i16s LANES;
typedef int32_t i32s LANES;
typedef int64_t i64s LANES;
typedef float f32s LANES;
typedef double f64s LANES;

/* A vector of untyped bits. */
typedef u64s vector;

/* A caller's buffer has no effective type and need not be aligned. */
typedef uint64_t unaligned_vector __attribute__((vector_size(VECTOR_BYTES), aligned(1), may_alias));

/* Selects a where the mask is all ones (as comparisons produce it), and b where it is 0. */
static inline vector choose(vector mask, vector a, vector b)
{
	return (a & mask) | (b & ~mask);
}

/* Whether any bit is set. */
static inline bool any(vector bits)
{
#if defined(__AVX512BW__)
	return _mm512_test_epi64_mask((__m512i)bits, (__m512i)bits) != 0;
#elif defined(__AVX2__)
	return !_mm256_testz_si256((__m256i)bits, (__m256i)bits);
#elif defined(__SSE2__)
	return _mm_movemask_epi8(_mm_cmpeq_epi8((__m128i)bits, _mm_setzero_si128())) != 0xffff;
#else
	uint64_t found = 0;
	for (size_t i = 0; i < VECTOR_BYTES / sizeof found; i++)
		found |= bits[i];
	return found;
#endif
}

/* Whether any element of the two vectors is a NaN. */
static inline bool any_nan_f32(f32s a, f32s b)
{
#if defined(__AVX512BW__)
	return _mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q) != 0;
#elif defined(__AVX2__)
	return _mm256_movemask_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q)) != 0;
#elif defined(__SSE2__)
	return _mm_movemask_ps(_mm_cmpunord_ps((__m128)a, (__m128)b)) != 0;
#else
	return any((vector)(a != a) | (vector)(b != b));
#endif
}

/* The same for four vectors, with one branch. */
static inline bool any_nan_in_four_f32(f32s a, f32s b, f32s c, f32s d)
{
#if defined(__AVX512BW__)
	return (_mm512_cmp_ps_mask((__m512)a, (__m512)b, _CMP_UNORD_Q) |
		       _mm512_cmp_ps_mask((__m512)c, (__m512)d, _CMP_UNORD_Q)) != 0;
#elif defined(__AVX2__)
	return _mm256_movemask_ps(_mm256_or_ps(_mm256_cmp_ps((__m256)a, (__m256)b, _CMP_UNORD_Q),
		       _mm256_cmp_ps((__m256)c, (__m256)d, _CMP_UNORD_Q))) != 0;
#elif defined(__SSE2__)
	return _mm_movemask_ps(_mm_or_ps(_mm_cmpunord_ps((__m128)a, (__m128)b),
		       _mm_cmpunord_ps((__m128)c, (__m128)d))) != 0;
#else
	return any_nan_f32(a, b) || any_nan_f32(c, d);
#endif
}

static inline bool any_nan_f64(f64s a, f64s b)
{
#if defined(__AVX512BW__)
	return _mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_UNORD_Q) != 0;
#elif defined(__AVX2__)
	return _mm256_movemask_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_UNORD_Q)) != 0;
#elif defined(__SSE2__)
	return _mm_movemask_pd(_mm_cmpunord_pd((__m128d)a, (__m128d)b)) != 0;
#else
	return any((vector)(a != a) | (vector)(b != b));
#endif
}

static inline bool any_nan_in_four_f64(f64s a, f64s b, f64s c, f64s d)
{
#if defined(__AVX512BW__)
	return (_mm512_cmp_pd_mask((__m512d)a, (__m512d)b, _CMP_UNORD_Q) |
		       _mm512_cmp_pd_mask((__m512d)c, (__m512d)d, _CMP_UNORD_Q)) != 0;
#elif defined(__AVX2__)
	return _mm256_movemask_pd(_mm256_or_pd(_mm256_cmp_pd((__m256d)a, (__m256d)b, _CMP_UNORD_Q),
		       _mm256_cmp_pd((__m256d)c, (__m256d)d, _CMP_UNORD_Q))) != 0;
#elif defined(__SSE2__)
	return _mm_movemask_pd(_mm_or_pd(_mm_cmpunord_pd((__m128d)a, (__m128d)b),
		       _mm_cmpunord_pd((__m128d)c, (__m128d)d))) != 0;
#else
	return any_nan_f64(a, b) || any_nan_f64(c, d);
#endif
}

static inline vector load(const void *from)
{
	return (vector) * (const unaligned_vector *)from;
}

static inline void store(void *to, vector value)
{
	*(unaligned_vector *)to = value;
}

/* A non-temporal store; `to` is aligned to a vector. */
static inline void stream(void *to, vector value)
{
#if defined(__AVX512BW__)
	_mm512_stream_si512(to, (__m512i)value);
#elif defined(__AVX2__)
	_mm256_stream_si256(to, (__m256i)value);
#elif defined(__SSE2__)
	_mm_stream_si128(to, (__m128i)value);
#else
	store(to, value);
#endif
}

/* Orders streamed stores before later stores. */
static inline void end_streaming(void)
{
#if defined(__SSE2__)
	_mm_sfence();
#endif
}

/* Access to the first bytes of a vector only: part_of returns how many of `left` bytes one access
 * covers. It never splits an element, since elements have 1, 2, 4 or 8 bytes. */
#if defined(__AVX512BW__)
static inline size_t part_of(size_t left)
{
	return left < VECTOR_BYTES ? left : VECTOR_BYTES;
}

static inline vector load_part(const void *from, size_t nbyte)
{
	return (vector)_mm512_maskz_loadu_epi8(UINT64_MAX >> (VECTOR_BYTES - nbyte), from);
}

static inline void store_part(void *to, vector value, size_t nbyte)
{
	_mm512_mask_storeu_epi8(to, UINT64_MAX >> (VECTOR_BYTES - nbyte), (__m512i)value);
}
#else
static inline size_t part_of(size_t left)
{
	return VECTOR_BYTES > 16 && left >= 16 ? 16
	       : left >= 8 ? 8
	       : left >= 4 ? 4
	       : left >= 2 ? 2
			   : 1;
}

static inline vector load_part(const void *from, size_t nbyte)
{
	uint64_t bytes[2] = {0, 0};
	switch (nbyte) {
	case 16:
		memcpy(bytes, from, 16);
		break;
	case 8:
		memcpy(bytes, from, 8);
		break;
	case 4:
		memcpy(bytes, from, 4);
		break;
	case 2:
		memcpy(bytes, from, 2);
		break;
	default:
		memcpy(bytes, from, 1);
	}
	return (vector){bytes[0], bytes[1]};
}

static inline void store_part(void *to, vector value, size_t nbyte)
{
	const uint64_t bytes[2] = {value[0], value[1]};
	switch (nbyte) {
	case 16:
		memcpy(to, bytes, 16);
		break;
	case 8:
		memcpy(to, bytes, 8);
		break;
	case 4:
		memcpy(to, bytes, 4);
		break;
	case 2:
		memcpy(to, bytes, 2);
		break;
	default:
		memcpy(to, bytes, 1);
	}
}
#endif

#endif
