/* test_states.c [ELEMENTS] - sums without order: exact and binned states are functions of the
 * elements alone, in every form of the loops, and are rounded once, within the bound.
 *
 * The oracle is wide_number.h: exact sums of the elements, of what a binned sum keeps of them, and
 * of the difference. */
#include "kernels/kernels.h"
#include "wide_number.h"
#include <math.h>
#include <ordo/detail/accumulate.h>
#include <ordo/exact.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A type, its bins, and the bits that a binned sum keeps below the bin of the greatest element. */
static const struct kind {
	enum ordo_type type;
	uint32_t bins;
	int kept_below;
} kinds[] = {{ORDO_F8E4M3, 0, 0}, {ORDO_F8E5M2, 0, 0}, {ORDO_F16, 0, 0}, {ORDO_BF16, 2, 28},
	{ORDO_BF16, 3, 56}, {ORDO_F32, 2, 28}, {ORDO_F32, 3, 56}, {ORDO_F64, 2, 56},
	{ORDO_F64, 3, 84}};
enum { NKIND = sizeof kinds / sizeof *kinds, MOST_WORDS = 4, NSET = 2000 };
static size_t many = 1000000;

static enum ordo_type state_of(const struct kind *kind)
{
	enum ordo_type state;
	struct ordo_error error;
	if (!ordo_exact_type(kind->type, kind->bins, &state, &error))
		fail_msg("%s", error.text);
	return state;
}

static uint64_t mix(uint64_t x)
{
	x *= UINT64_C(0x9e3779b97f4a7c15);
	x = (x ^ x >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
	return x ^ x >> 32;
}

/* Bits of the sign, the exponent and the fraction. */
struct fields {
	int exponent, fraction;
};

static struct fields fields_of(enum ordo_type type)
{
	return type == ORDO_F8E4M3   ? (struct fields){4, 3}
	       : type == ORDO_F8E5M2 ? (struct fields){5, 2}
	       : type == ORDO_F16    ? (struct fields){5, 10}
	       : type == ORDO_BF16   ? (struct fields){8, 7}
	       : type == ORDO_F32    ? (struct fields){8, 23}
				     : (struct fields){11, 52};
}

/* How elements are drawn. */
enum flavour { ALL, ALIKE, SUBNORMAL, CANCELLING, GREATEST, POWERS, NFLAVOUR };

/* The bits of a finite element. */
static uint64_t draw(enum ordo_type type, enum flavour flavour, uint64_t seed, uint64_t i)
{
	const struct fields fields = fields_of(type);
	const uint64_t hash = mix(mix(seed + 1) + (flavour == CANCELLING ? i / 2 : i)),
		       most = (UINT64_C(1) << fields.exponent) - (type == ORDO_F8E4M3 ? 1 : 2);
	uint64_t sign = hash & 1, exponent = (hash >> 1) % (most + 1),
		 fraction = mix(hash) & ((UINT64_C(1) << fields.fraction) - 1);
	const uint64_t base = mix(seed) % most;
	if (flavour == ALIKE)
		exponent = base + exponent % 3 > most ? most : base + exponent % 3;
	else if (flavour == SUBNORMAL)
		exponent = exponent % 5 ? 0 : 1 + exponent % 2;
	else if (flavour == GREATEST)
		exponent = most;
	else if (flavour == POWERS)
		fraction = hash >> 40 & 1 ? (UINT64_C(1) << fields.fraction) - 1 : 0;
	else if (flavour == CANCELLING && i % 32)
		sign = i & 1;
	if (type == ORDO_F8E4M3 && exponent == 15 && fraction == 7) /* NaN */
		fraction = 6;
	return sign << (fields.exponent + fields.fraction) | exponent << fields.fraction | fraction;
}

static void put(enum ordo_type type, void *elements, size_t at, uint64_t bits)
{
	const size_t size = ordo_type_size(type);
	const uint8_t one = (uint8_t)bits;
	const uint16_t two = (uint16_t)bits;
	const uint32_t four = (uint32_t)bits;
	memcpy((char *)elements + at * size,
		size == 1   ? (const void *)&one
		: size == 2 ? (const void *)&two
		: size == 4 ? (const void *)&four
			    : (const void *)&bits,
		size);
}

static uint64_t get(enum ordo_type type, const void *elements, size_t at)
{
	const size_t size = ordo_type_size(type);
	uint8_t one;
	uint16_t two;
	uint32_t four;
	uint64_t eight;
	const char *from = (const char *)elements + at * size;
	if (size == 1)
		return memcpy(&one, from, 1), one;
	if (size == 2)
		return memcpy(&two, from, 2), two;
	if (size == 4)
		return memcpy(&four, from, 4), four;
	return memcpy(&eight, from, 8), eight;
}

static uint64_t round_one(const struct kind *kind, const uint64_t *sum)
{
	uint64_t element = 0;
	assert_true(ordo_exact_round(kind->type, state_of(kind), &element, sum, 1, NULL));
	return get(kind->type, &element, 0);
}

/* What the definition keeps of an element: the multiples of 2^lowest, towards zero. */
static int lowest_kept(const struct kind *kind, double greatest)
{
	const int least = kind->type == ORDO_F64 ? -1074 : -149;
	int exponent;
	frexp(greatest, &exponent);
	return greatest > 0 ? least + (exponent - 1 - least) / 28 * 28 - kind->kept_below : least;
}

/* The state of these elements is rounded as its definition says, and its error is in the bound. */
static void expect_defined(
	const struct kind *kind, const void *elements, size_t n, const uint64_t *sum)
{
	struct wide_number kept = {{0}}, error = {{0}}, bound = {{0}};
	double greatest = 0;
	for (size_t i = 0; i < n; i++)
		greatest =
			fmax(greatest, fabs(float_value(kind->type, get(kind->type, elements, i))));
	const int lowest = kind->bins ? lowest_kept(kind, greatest) : -1074;
	for (size_t i = 0; i < n; i++) {
		const double value = float_value(kind->type, get(kind->type, elements, i)),
			     part = kind->bins && lowest > -1074 ? trunc(ldexp(value, -lowest)) : 0;
		if (!kind->bins || lowest <= -1074) {
			wide_add(&kept, value, 0);
			continue;
		}
		wide_add(&kept, part, lowest);
		wide_add(&error, part, lowest + kind->kept_below);
		wide_add(&error, -value, kind->kept_below);
	}
	const uint64_t bits = round_one(kind, sum);
	if (!is_nearest(kind->type, bits, &kept))
		fail_msg("%s, %u bins, %zu elements: %llx is not nearest",
			ordo_type_name(kind->type), kind->bins, n, (unsigned long long)bits);
	for (size_t k = 0, rest = n - 1; rest; rest >>= 1, k++)
		if (rest & 1)
			wide_add(&bound, greatest, (int)k);
	assert_true(wide_compare(&error, &bound) <= 0);
}

static void sums_are_those_of_the_definition(void **unused)
{
	(void)unused;
	static uint64_t elements[NSET];
	for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++)
		for (uint64_t seed = 0; seed < 600; seed++) {
			const enum flavour flavour = (enum flavour)(seed % NFLAVOUR);
			const size_t n = seed < 60 ? 1 + seed / NFLAVOUR : 1 + mix(seed) % 300;
			uint64_t sum[MOST_WORDS] = {0};
			for (size_t i = 0; i < n; i++)
				put(kind->type, elements, i, draw(kind->type, flavour, seed, i));
			assert_true(ordo_exact_add_all(
				kind->type, state_of(kind), sum, elements, n, NULL));
			expect_defined(kind, elements, n, sum);
		}
}

/* The bound is better than that of Demmel and Nguyen, n * 2^(W (1 - K)) * max |x|. */
static void the_bound_is_within_the_published_one(void **unused)
{
	(void)unused;
	for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++) {
		const int width = kind->type == ORDO_F64 ? 40 : 13;
		if (kind->bins)
			assert_true(kind->kept_below >= width * ((int)kind->bins - 1));
	}
}

static void one_element_is_itself(void **unused)
{
	(void)unused;
	for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++) {
		const size_t size = ordo_type_size(kind->type);
		const uint64_t n = size == 1 ? 1 << 8 : size == 2 ? 1 << 16 : 300000;
		for (uint64_t i = 0; i < n; i++) {
			const uint64_t bits =
				size < 4 ? i : draw(kind->type, (enum flavour)(i % NFLAVOUR), i, i);
			uint64_t sum[MOST_WORDS] = {0}, element = 0;
			put(kind->type, &element, 0, bits);
			const double value = ordo_element_get(kind->type, &element, 0);
			if (!isfinite(value))
				continue;
			assert_true(
				ordo_exact_add(kind->type, state_of(kind), sum, &element, 1, NULL));
			const uint64_t wanted = value == 0 ? 0 : bits;
			if (round_one(kind, sum) != wanted)
				fail_msg("%s %llx, alone", ordo_type_name(kind->type),
					(unsigned long long)bits);
			assert_true(ordo_element_get(state_of(kind), sum, 0) == value);
		}
	}
}

/* One, half a unit of its last place, or of that of the next number, and a bit far below, which
 * decides. */
static void a_tie_is_broken_by_the_last_bit(void **unused)
{
	(void)unused;
	for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++) {
		const int precision = (int)ordo_type_facts(kind->type)->precision,
			  least = kind->type == ORDO_F16      ? -24
				  : kind->type == ORDO_F8E4M3 ? -9
				  : kind->type == ORDO_F8E5M2 ? -16
							      : -130;
		for (int far = precision + 1; far < precision + 60 && -far >= least; far++)
			for (int form = 0; form < 8; form++) {
				const double unit = ldexp(1, 1 - precision),
					     values[] = {form & 1 ? 1 + unit : 1, unit / 2,
						     form & 2 ? ldexp(1, -far) : 0};
				uint64_t elements[3] = {0}, sum[MOST_WORDS] = {0};
				for (size_t i = 0; i < 3; i++)
					ordo_element_put(kind->type, elements, i,
						form & 4 ? -values[i] : values[i]);
				assert_true(ordo_exact_add_all(
					kind->type, state_of(kind), sum, elements, 3, NULL));
				expect_defined(kind, elements, 3, sum);
			}
	}
}

/* Sums on the way are too large, and much smaller elements than the bins hold are lost. */
static void nothing_overflows_on_the_way(void **unused)
{
	(void)unused;
	for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++) {
		const enum ordo_type state = state_of(kind);
		const struct fields fields = fields_of(kind->type);
		const uint64_t infinity = ((UINT64_C(1) << fields.exponent) - 1) << fields.fraction,
			       greatest = kind->type == ORDO_F8E4M3 ? 0x7e : infinity - 1,
			       sign = UINT64_C(1) << (fields.exponent + fields.fraction),
			       above = kind->type == ORDO_F8E4M3 || kind->type == ORDO_F8E5M2
					       ? greatest
					       : infinity;
		uint64_t large = 0, opposite = 0, sum[MOST_WORDS] = {0};
		put(kind->type, &large, 0, greatest);
		put(kind->type, &opposite, 0, greatest | sign);
		for (int i = 0; i < 1000; i++)
			assert_true(ordo_exact_add(kind->type, state, sum, &large, 1, NULL));
		assert_true(round_one(kind, sum) == above);
		for (int i = 0; i < 999; i++)
			assert_true(ordo_exact_add(kind->type, state, sum, &opposite, 1, NULL));
		assert_true(round_one(kind, sum) == greatest);
		for (int i = 0; i < 1001; i++)
			assert_true(ordo_exact_add(kind->type, state, sum, &opposite, 1, NULL));
		assert_true(round_one(kind, sum) == (above | sign));
	}
}

/* All sets of +infinity, -infinity and a NaN, among finite elements, in several orders. */
static void infinities_and_nans_are_seen_in_every_order(void **unused)
{
	(void)unused;
	for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++) {
		const struct fields fields = fields_of(kind->type);
		const uint64_t infinity = ((UINT64_C(1) << fields.exponent) - 1) << fields.fraction,
			       sign = UINT64_C(1) << (fields.exponent + fields.fraction);
		const bool has_infinity = kind->type != ORDO_F8E4M3;
		const uint64_t nan = kind->type == ORDO_F8E4M3
					     ? 0x7f
					     : infinity | UINT64_C(1) << (fields.fraction - 1);
		const uint64_t inf = kind->type == ORDO_F8E5M2 ? 0x7b : infinity;
		const uint64_t specials[] = {
			infinity, infinity | sign, sign | (has_infinity ? infinity | 1 : 0x7f)};
		for (unsigned set = has_infinity ? 0 : 4; set < 8; set += has_infinity ? 1 : 4)
			for (uint64_t seed = 0; seed < 30; seed++) {
				uint64_t sum[MOST_WORDS] = {0}, element = 0;
				for (uint64_t i = 0; i < 12; i++) {
					/* The place of a special in this order. */
					uint64_t bits = draw(kind->type, ALL, seed, i);
					for (unsigned k = 0; k < 3; k++)
						if (set >> k & 1 && (seed + 5 * k) % 12 == i)
							bits = specials[k];
					put(kind->type, &element, 0, bits);
					assert_true(ordo_exact_add(kind->type, state_of(kind), sum,
						&element, 1, NULL));
				}
				const uint64_t found = round_one(kind, sum);
				if (set)
					assert_true(found == (set >= 3		? nan
								     : set == 1 ? inf
										: inf | sign));
			}
	}
}

/* The i-th of n elements in another order: step is a prime that does not divide n. */
static size_t place_of(size_t i, size_t n, size_t step)
{
	return i * step % n;
}

/* The states of parts, which are then merged in the order of a tree. */
static void sum_parts(const struct kind *kind, const char *elements, size_t n, uint64_t seed,
	uint64_t result[MOST_WORDS])
{
	enum { NPART = 37 };
	uint64_t sums[NPART][MOST_WORDS] = {{0}};
	const size_t size = ordo_type_size(kind->type);
	const enum ordo_type state = state_of(kind);
	for (size_t at = 0, length; at < n; at += length) {
		length = 1 + mix(seed + at) % 1000;
		length = length < n - at ? length : n - at;
		assert_true(ordo_exact_add_all(kind->type, state, sums[mix(at + seed) % NPART],
			elements + at * size, length, NULL));
	}
	for (size_t left = NPART; left > 1; left = (left + 1) / 2)
		for (size_t i = 0; i < left / 2; i++)
			assert_true(ordo_exact_merge(
				state, sums[i], sums[(left + 1) / 2 + i], 1, NULL));
	memcpy(result, sums[0], sizeof sums[0]);
}

static void every_order_and_split_has_the_same_bits(void **unused)
{
	(void)unused;
	char *elements = malloc(8 * many), *moved = malloc(8 * many);
	assert_true(elements && moved);
	for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++) {
		const size_t size = ordo_type_size(kind->type);
		uint64_t wanted[MOST_WORDS] = {0}, found[MOST_WORDS];
		for (size_t i = 0; i < many; i++)
			put(kind->type, elements, i,
				draw(kind->type, (enum flavour)(i % 64 ? ALL : i / 64 % NFLAVOUR),
					7, i));
		assert_true(ordo_exact_add_all(
			kind->type, state_of(kind), wanted, elements, many, NULL));
		for (uint64_t seed = 0; seed < 3; seed++) {
			static const size_t steps[] = {1, 999983, 7919};
			for (size_t i = 0; i < many; i++)
				memcpy(moved + i * size,
					elements + place_of(i, many, steps[seed]) * size, size);
			sum_parts(kind, moved, many, seed, found);
			assert_memory_equal(found, wanted, sizeof wanted);
		}
		/* A part of them one after another. */
		memset(found, 0, sizeof found);
		const size_t alone = many / 10;
		for (size_t i = 0; i < alone; i++)
			assert_true(ordo_exact_add(
				kind->type, state_of(kind), found, moved + i * size, 1, NULL));
		assert_true(ordo_exact_add_all(kind->type, state_of(kind), found,
			moved + alone * size, many - alone, NULL));
		assert_memory_equal(found, wanted, sizeof wanted);
		if (many <= 1000000)
			expect_defined(kind, elements, many, wanted);
	}
	free(elements);
	free(moved);
}

/* The words of one element's state, or of the sum of several, by the functions for one. */
static void add_reference(enum ordo_type state, uint64_t *sum, const uint64_t *other)
{
	const int words = (int)(ordo_type_size(state) / sizeof *sum);
	if (state >= ORDO_BINNED2_F32)
		ordo_binned_add(sum, other, words);
	else
		for (int k = 0; k < words; k++)
			sum[k] = ((sum[k] & ~ORDO_INFINITY_TAGS) +
					 (other[k] & ~ORDO_INFINITY_TAGS)) |
				 ((sum[k] | other[k]) & ORDO_INFINITY_TAGS);
}

/* Bits of any kind: some infinities and NaNs, and neighbours in the same bins as well as not. */
static uint64_t draw_any(enum ordo_type type, uint64_t seed, uint64_t i)
{
	const struct fields fields = fields_of(type);
	const uint64_t hash = mix(seed * 77 + i);
	if (hash % 64 == 0)
		return hash >> 8 & ((UINT64_C(2) << (fields.exponent + fields.fraction)) - 1);
	if (hash % 64 == 1)
		return ((UINT64_C(1) << fields.exponent) - 1) << fields.fraction;
	return draw(type, seed % 3 ? ALIKE : ALL, seed / 2, i);
}

enum { MOST_N = 45, MOST_SOURCES = 4 };

/* One form of the loops, `n` elements of `nsrc` sources, at odd addresses. */
static void compare_form(const struct ordo_kernels *form, const struct kind *kind, size_t n,
	uint32_t nsrc, uint64_t seed)
{
	const enum ordo_type state = state_of(kind);
	const size_t wide = ordo_type_size(state), size = ordo_type_size(kind->type);
	static unsigned char elements[MOST_SOURCES][8 * MOST_N + 1],
		states[MOST_SOURCES + 2][32 * MOST_N + 2], rounded[8 * MOST_N + 2];
	const void *src[MOST_SOURCES];
	void *const dst[2] = {
		states[MOST_SOURCES] + 1, seed % 2 ? states[0] + 1 : states[MOST_SOURCES + 1] + 1};
	memset(states, 0x5a, sizeof states);
	memset(rounded, 0x5a, sizeof rounded);
	for (uint32_t k = 0; k < nsrc; k++) {
		for (size_t i = 0; i < n; i++)
			put(kind->type, elements[k] + 1, i, draw_any(kind->type, seed + k, i));
		form->widen[state][kind->type](states[k] + 1, elements[k] + 1, n);
		assert_int_equal(states[k][1 + n * wide], 0x5a);
		src[k] = states[k] + 1;
	}
	form->fold[state][ORDO_SUM](dst, 2, src, nsrc, n, seed % 4 < 2 ? 0 : ORDO_STREAM);
	form->narrow[state][kind->type](rounded + 1, dst[0], n);
	assert_int_equal(rounded[1 + n * size], 0x5a);
	for (size_t i = 0; i < n; i++) {
		uint64_t sum[MOST_WORDS] = {0}, one[MOST_WORDS];
		for (uint32_t k = 0; k < nsrc; k++) {
			ordo_sum_of_one(state, one,
				get(kind->type, elements[k] + 1, i)
					<< (kind->type == ORDO_BF16 ? 16 : 0));
			add_reference(state, sum, one);
		}
		assert_memory_equal((char *)dst[0] + i * wide, sum, wide);
		assert_memory_equal((char *)dst[1] + i * wide, sum, wide);
		assert_true(get(kind->type, rounded + 1, i) ==
			    ordo_rounded_sum(state, kind->type, sum));
	}
	assert_int_equal(states[MOST_SOURCES][1 + n * wide], 0x5a);
}

static void every_form_of_the_loops_has_the_same_bits(void **unused)
{
	(void)unused;
	const struct ordo_kernels *forms[ORDO_NKERNEL_FORM];
	const uint32_t nform = ordo_kernels_all(forms, ORDO_NKERNEL_FORM);
	for (uint32_t f = 0; f < nform; f++)
		for (const struct kind *kind = kinds; kind < kinds + NKIND; kind++)
			for (size_t n = 0; n < MOST_N; n++)
				for (uint32_t nsrc = 1; nsrc <= MOST_SOURCES; nsrc++)
					for (uint64_t seed = 0; seed < 6; seed++)
						compare_form(
							forms[f], kind, n, nsrc, seed + 10 * n);
}

static void other_types_and_states_are_refused(void **unused)
{
	(void)unused;
	struct ordo_error error;
	for (int type = -1; type <= ORDO_NTYPE_AND_STATE; type++)
		for (uint32_t bins = 0; bins < 6; bins++) {
			bool known = false;
			enum ordo_type state = ORDO_I8;
			for (int k = 0; k < NKIND; k++)
				known |= (int)kinds[k].type == type && kinds[k].bins == bins;
			assert_int_equal(
				ordo_exact_type((enum ordo_type)type, bins, &state, &error), known);
			assert_true(known || (error.code == ORDO_USAGE && state == ORDO_I8));
		}
	uint64_t sum[MOST_WORDS] = {0}, one = 1;
	assert_false(ordo_exact_add(ORDO_F32, ORDO_BINNED2_F64, sum, &one, 1, &error));
	assert_non_null(strstr(error.text, "found f32, which is not added to a sum of f64"));
	assert_false(ordo_exact_add_all(ORDO_I32, ORDO_BINNED2_F32, sum, &one, 1, &error));
	assert_false(ordo_exact_round(ORDO_F16, ORDO_EXACT_F8E4M3, &one, sum, 1, &error));
	assert_false(ordo_exact_merge(ORDO_F32, sum, sum, 1, &error));
	assert_non_null(strstr(error.text, "state: found f32"));
	assert_false(ordo_exact_merge((enum ordo_type)99, sum, sum, 1, NULL));
	assert_true(sum[0] == 0 && one == 1);
	enum ordo_type named;
	assert_false(ordo_type_from_name(ordo_type_name(ORDO_EXACT_F16), &named));
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_those_of_the_definition),
		cmocka_unit_test(the_bound_is_within_the_published_one),
		cmocka_unit_test(one_element_is_itself),
		cmocka_unit_test(a_tie_is_broken_by_the_last_bit),
		cmocka_unit_test(nothing_overflows_on_the_way),
		cmocka_unit_test(infinities_and_nans_are_seen_in_every_order),
		cmocka_unit_test(every_order_and_split_has_the_same_bits),
		cmocka_unit_test(every_form_of_the_loops_has_the_same_bits),
		cmocka_unit_test(other_types_and_states_are_refused),
	};
	if (argc > 1)
		many = strtoul(argv[1], NULL, 10);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
