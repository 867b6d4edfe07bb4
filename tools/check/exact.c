/* exact.c - reductions without rounding.
 *
 *   f64 sum   in 128-bit integers, in units of 2^-60
 *   sum       of narrower floats in double: the values are multiples of 2^-31 below 1, so up to
 *             2^22 of them add without rounding
 *   average   its sum, divided when it is compared
 *   product   in long double, whose own rounding is in the bound
 *   integers  modulo 2^64, truncated to the type
 *   min, max  by comparison; -0 is less than +0
 *   bits      of 64 bits, truncated to the type
 *   complex   as two numbers each
 *   pairs     by comparison of values, then of indices
 */
#include "exact.h"
#include <math.h>
#include <string.h>

__extension__ typedef __int128 wide;

static bool is_float(enum ordo_type type)
{
	return ordo_type_facts(type)->is_float;
}

/* Avoids a call for the most common types. */
static int64_t integer_at(enum ordo_type type, const void *value, size_t i)
{
	if (type == ORDO_I32)
		return ((const int32_t *)value)[i];
	if (type == ORDO_I64 || type == ORDO_U64)
		return ((const int64_t *)value)[i]; /* of u64, its bits */
	return (int64_t)ordo_element_get(type, value, i);
}

static double float_at(enum ordo_type type, const void *value, size_t i)
{
	if (type == ORDO_F32)
		return (double)((const float *)value)[i];
	if (type == ORDO_F64)
		return ((const double *)value)[i];
	return ordo_element_get(type, value, i);
}

static wide to_fixed(double value)
{
	return (wide)(int64_t)(value * 0x1p60);
}

/* What is reduced without rounding, for pairs. */
struct exact_pair {
	union {
		double real;
		int64_t integer;
	} value;
	int64_t index;
};

static struct exact_pair pair_at(enum ordo_type type, const void *value, size_t i)
{
	const enum ordo_type part = ordo_type_facts(type)->part;
	const char *at = (const char *)value + i * ordo_type_size(type);
	struct exact_pair pair;
	int32_t index;
	memcpy(&index, at + ordo_type_size(part), sizeof index);
	pair.index = index;
	if (is_float(part))
		pair.value.real = ordo_element_get(part, at, 0);
	else if (part == ORDO_I64)
		memcpy(&pair.value.integer, at, sizeof pair.value.integer);
	else
		pair.value.integer = (int64_t)ordo_element_get(part, at, 0);
	return pair;
}

/* A complex type's numbers one after another: their type, and how many there are. */
static bool is_complex(const struct values *values, struct values *parts, size_t *n)
{
	const struct ordo_type_facts *facts = ordo_type_facts(values->type);
	*parts = *values;
	parts->type = facts->part;
	*n *= 2;
	return facts->kind == ORDO_COMPLEX;
}

static bool is_pair(enum ordo_type type)
{
	return ordo_type_facts(type)->kind == ORDO_PAIR;
}

void begin_exact(const struct values *values, void *exact, const void *value, size_t n)
{
	struct values parts;
	size_t npart = n;
	if (is_complex(values, &parts, &npart)) {
		begin_exact(&parts, exact, value, npart);
		return;
	}
	for (size_t i = 0; is_pair(values->type) && i < n; i++)
		((struct exact_pair *)exact)[i] = pair_at(values->type, value, i);
	if (is_pair(values->type))
		return;
	for (size_t i = 0; i < n; i++)
		if (!is_float(values->type))
			((int64_t *)exact)[i] = integer_at(values->type, value, i);
		else if (values->reduction == ORDO_PROD)
			((long double *)exact)[i] = (long double)float_at(values->type, value, i);
		else if (ordo_reduction_adds(values->reduction) && values->type == ORDO_F64)
			((wide *)exact)[i] = to_fixed(((const double *)value)[i]);
		else
			((double *)exact)[i] = float_at(values->type, value, i);
}

static bool is_less(double a, double b)
{
	return a < b || (a == b && signbit(a) && !signbit(b));
}

static bool integer_is_less(enum ordo_type type, int64_t a, int64_t b)
{
	return ordo_type_facts(type)->kind == ORDO_SIGNED ? a < b : (uint64_t)a < (uint64_t)b;
}

/* Does the second pair go before the first? */
static bool is_before(
	const struct values *values, const struct exact_pair *a, const struct exact_pair *b)
{
	const bool real = is_float(ordo_type_facts(values->type)->part),
		   less = real ? is_less(b->value.real, a->value.real)
			       : b->value.integer < a->value.integer,
		   more = real ? is_less(a->value.real, b->value.real)
			       : a->value.integer < b->value.integer;
	if (less || more)
		return values->reduction == ORDO_MINLOC ? less : more;
	return b->index < a->index;
}

static void add_pairs(
	const struct values *values, struct exact_pair *exact, const void *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct exact_pair pair = pair_at(values->type, value, i);
		if (is_before(values, &exact[i], &pair))
			exact[i] = pair;
	}
}

static void add_integers(const struct values *values, int64_t *exact, const void *value, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int64_t v = integer_at(values->type, value, i);
		switch (values->reduction) {
		case ORDO_SUM:
		case ORDO_AVG:
			exact[i] = (int64_t)((uint64_t)exact[i] + (uint64_t)v);
			break;
		case ORDO_PROD:
			exact[i] = (int64_t)((uint64_t)exact[i] * (uint64_t)v);
			break;
		case ORDO_MIN:
			exact[i] = integer_is_less(values->type, v, exact[i]) ? v : exact[i];
			break;
		case ORDO_MAX:
			exact[i] = integer_is_less(values->type, exact[i], v) ? v : exact[i];
			break;
		case ORDO_BAND:
			exact[i] &= v;
			break;
		case ORDO_BOR:
			exact[i] |= v;
			break;
		case ORDO_BXOR:
			exact[i] ^= v;
			break;
		case ORDO_MINLOC:
		case ORDO_MAXLOC: /* of pairs */
			break;
		}
	}
}

static void add_sums(const struct values *values, void *exact, const void *value, size_t n)
{
	if (values->type == ORDO_F64)
		for (size_t i = 0; i < n; i++)
			((wide *)exact)[i] += to_fixed(((const double *)value)[i]);
	else
		for (size_t i = 0; i < n; i++)
			((double *)exact)[i] += float_at(values->type, value, i);
}

void add_exact(const struct values *values, void *exact, const void *value, size_t n)
{
	struct values parts;
	size_t npart = n;
	if (is_complex(values, &parts, &npart)) {
		add_exact(&parts, exact, value, npart);
		return;
	}
	if (is_pair(values->type)) {
		add_pairs(values, exact, value, n);
		return;
	}
	if (!is_float(values->type)) {
		add_integers(values, exact, value, n);
		return;
	}
	if (ordo_reduction_adds(values->reduction)) {
		add_sums(values, exact, value, n);
		return;
	}
	for (size_t i = 0; i < n; i++) {
		double v = float_at(values->type, value, i), *best = (double *)exact + i;
		if (values->reduction == ORDO_PROD)
			((long double *)exact)[i] *= (long double)v;
		else if (values->reduction == ORDO_MIN ? is_less(v, *best) : is_less(*best, v))
			*best = v;
	}
}

static bool is_wide_sum(const struct values *values)
{
	return ordo_reduction_adds(values->reduction) && values->type == ORDO_F64;
}

const void *exact_at(const struct values *values, const void *exact, size_t i)
{
	struct values parts;
	size_t part = i;
	if (is_complex(values, &parts, &part))
		return exact_at(&parts, exact, part);
	if (is_pair(values->type))
		return (const struct exact_pair *)exact + i;
	if (!is_float(values->type))
		return (const int64_t *)exact + i;
	if (values->reduction == ORDO_PROD)
		return (const long double *)exact + i;
	return is_wide_sum(values) ? (const void *)((const wide *)exact + i)
				   : (const void *)((const double *)exact + i);
}

/* Truncates to the width of the type. */
static int64_t wrap_integer(enum ordo_type type, int64_t exact)
{
	const bool is_signed = ordo_type_facts(type)->kind == ORDO_SIGNED;
	switch (ordo_type_size(type)) {
	case 1:
		return is_signed ? (int64_t)(int8_t)exact : (int64_t)(uint8_t)exact;
	case 2:
		return is_signed ? (int64_t)(int16_t)exact : (int64_t)(uint16_t)exact;
	case 4:
		return is_signed ? (int64_t)(int32_t)exact : (int64_t)(uint32_t)exact;
	default:
		return exact;
	}
}

/* The final integer of a reduction of nleaf values. */
static int64_t finish_integer(const struct values *values, int64_t exact, uint32_t nleaf)
{
	const int64_t integer = wrap_integer(values->type, exact);
	if (values->reduction != ORDO_AVG)
		return integer;
	return values->type == ORDO_U64 ? (int64_t)((uint64_t)integer / nleaf)
					: integer / (int64_t)nleaf;
}

static void put_pair(enum ordo_type type, const struct exact_pair *pair, char *element)
{
	const enum ordo_type part = ordo_type_facts(type)->part;
	const int32_t index = (int32_t)pair->index;
	ordo_element_put(
		type, element, 0, is_float(part) ? pair->value.real : (double)pair->value.integer);
	memcpy(element + ordo_type_size(part), &index, sizeof index);
}

void round_exact(const struct values *values, const void *one, uint32_t nleaf, void *element)
{
	struct values parts;
	size_t part = 1;
	if (is_complex(values, &parts, &part)) {
		for (part = 0; part < 2; part++)
			round_exact(&parts, exact_at(&parts, one, part), nleaf,
				(char *)element + part * ordo_type_size(parts.type));
		return;
	}
	if (is_pair(values->type)) {
		put_pair(values->type, one, element);
		return;
	}
	double value = 0;
	if (is_float(values->type))
		value = values->reduction == ORDO_PROD ? (double)*(const long double *)one
			: is_wide_sum(values)	       ? (double)*(const wide *)one * 0x1p-60
						       : *(const double *)one;
	if (is_float(values->type)) {
		ordo_element_put(values->type, element, 0,
			values->reduction == ORDO_AVG ? value / nleaf : value);
		return;
	}
	const int64_t integer = finish_integer(values, *(const int64_t *)one, nleaf);
	if (ordo_type_size(values->type) == sizeof integer)
		memcpy(element, &integer, sizeof integer);
	else
		ordo_element_put(values->type, element, 0, (double)integer);
}

/* The unit in the last place of x. */
static double last_place(enum ordo_type type, double x)
{
	int exponent;
	frexp(x, &exponent);
	return ldexp(1, exponent - (int)ordo_type_facts(type)->precision);
}

static void widen_distance(struct distance *far, double error, double place, double bound)
{
	if (error / place > far->ulps)
		far->ulps = error / place;
	if (error > bound * far->bounded)
		far->bounded = error / bound;
}

/* log(1 + u), with u the unit roundoff of the type. */
static double log_of_rounding(enum ordo_type type)
{
	return log1p(ldexp(1, -(int)ordo_type_facts(type)->precision));
}

/* Of sums without order: what their bins drop at most of nleaf numbers, and one rounding; another
 * for an average. Exact sums drop nothing. */
static double unordered_bound(
	const struct values *values, enum ordo_type accumulator, uint32_t nleaf)
{
	static const int below[] = {[ORDO_BINNED2_F32 - ORDO_BINNED2_F32] = -28,
		[ORDO_BINNED3_F32 - ORDO_BINNED2_F32] = -56,
		[ORDO_BINNED2_F64 - ORDO_BINNED2_F32] = -56,
		[ORDO_BINNED3_F64 - ORDO_BINNED2_F32] = -84};
	const double dropped = accumulator < ORDO_BINNED2_F32
				       ? 0
				       : ldexp(nleaf - 1.0, below[accumulator - ORDO_BINNED2_F32]);
	return expm1(log1p(dropped) +
		     (1 + (values->reduction == ORDO_AVG)) * log_of_rounding(values->type));
}

/* (1 + u)^n - 1, the relative error bound of n roundings; rounding the accumulator to the type, and
 * dividing, add one rounding each. */
static double relative_bound(
	const struct values *values, enum ordo_type accumulator, double n, uint32_t nleaf)
{
	if (ordo_type_facts(accumulator)->kind == ORDO_STATE)
		return unordered_bound(values, accumulator, nleaf);
	const int last = (accumulator != values->type && n > 0) + (values->reduction == ORDO_AVG);
	return expm1(n * log_of_rounding(accumulator) + last * log_of_rounding(values->type));
}

/* How much of a sum saturation takes. */
static double beyond_largest(enum ordo_type type, double sum)
{
	const double largest = ordo_type_facts(type)->largest;
	return largest > 0 && sum > largest ? sum - largest : 0;
}

/* Every addend passes through at most depth roundings, and the sum of magnitudes is the sum: all
 * values are positive. */
static size_t compare_sums(const struct values *values, enum ordo_type accumulator,
	const void *exact, const void *result, size_t n, uint32_t depth, uint32_t nleaf,
	struct distance *far)
{
	const double relative = relative_bound(values, accumulator, depth, nleaf);
	const bool rounds_once =
		ordo_type_facts(accumulator)->kind == ORDO_STATE && accumulator < ORDO_BINNED2_F32;
	for (size_t i = 0; i < n; i++) {
		double sum, error, got = float_at(values->type, result, i);
		if (values->type != ORDO_F64) {
			sum = ((const double *)exact)[i];
			error = fabs(got - sum);
			if (rounds_once && got != ordo_type_round(values->type, sum))
				return i;
		} else {
			/* A right result is a multiple of 2^-60 too, so the difference is exact. A
			 * wrong one may be out of range. */
			if (!(fabs(got) < 0x1p60))
				return i;
			wide fixed = ((const wide *)exact)[i], found = (wide)(got * 0x1p60);
			sum = (double)fixed * 0x1p-60;
			error = (double)(fixed < found ? found - fixed : fixed - found) * 0x1p-60;
		}
		const double bound = relative * sum + beyond_largest(values->type, sum);
		if (!(error <= bound))
			return i;
		widen_distance(far, error, last_place(values->type, sum), bound);
	}
	return n;
}

/* As for sums, plus one rounding, and the absolute error of a subnormal quotient. */
static size_t compare_averages(const struct values *values, enum ordo_type accumulator,
	const void *exact, const void *result, size_t n, uint32_t depth, uint32_t nleaf,
	struct distance *far)
{
	const struct ordo_type_facts *facts = ordo_type_facts(values->type);
	const double least = ldexp(1, facts->least_exponent + 1 - (int)facts->precision),
		     relative = relative_bound(values, accumulator, depth, nleaf) + 2 * 0x1p-64;
	for (size_t i = 0; i < n; i++) {
		const long double sum = values->type == ORDO_F64
						? (long double)((const wide *)exact)[i] * 0x1p-60L
						: (long double)((const double *)exact)[i];
		const long double average = sum / nleaf;
		const double error = (double)fabsl(
				     (long double)float_at(values->type, result, i) - average),
			     bound = relative * (double)average + least +
				     beyond_largest(values->type, (double)sum) / nleaf;
		if (!(error <= bound))
			return i;
		widen_distance(far, error, last_place(values->type, (double)average), bound);
	}
	return n;
}

/* n-1 multiplications, each rounded once, in any tree; the long double reference has its own
 * roundings. */
static size_t compare_products(const struct values *values, enum ordo_type accumulator,
	const void *exact, const void *result, size_t n, uint32_t nleaf, struct distance *far)
{
	const struct ordo_type_facts *facts = ordo_type_facts(values->type);
	const double least = ldexp(1, facts->least_exponent + 1 - (int)facts->precision),
		     steps = nleaf - 1.0,
		     relative = relative_bound(values, accumulator, steps, nleaf) +
				2 * steps * 0x1p-64;
	for (size_t i = 0; i < n; i++) {
		long double product = ((const long double *)exact)[i];
		double got = float_at(values->type, result, i), size = (double)fabsl(product);
		double error = (double)fabsl((long double)got - product),
		       bound = relative * size + steps * least;
		if (!(error <= bound))
			return i;
		widen_distance(far, error, last_place(values->type, size), bound);
	}
	return n;
}

/* Bits instead of ==, because -0 differs from +0 here. */
static bool same_bits(double a, double b)
{
	uint64_t bits_of_a, bits_of_b;
	memcpy(&bits_of_a, &a, sizeof a);
	memcpy(&bits_of_b, &b, sizeof b);
	return bits_of_a == bits_of_b;
}

size_t compare_exact(const struct values *values, enum ordo_type accumulator, const void *exact,
	const void *result, size_t n, uint32_t depth, uint32_t nleaf, struct distance *far)
{
	struct values parts;
	size_t npart = n;
	if (is_complex(values, &parts, &npart))
		return compare_exact(&parts, ordo_type_facts(accumulator)->part, exact, result,
			       npart, depth, nleaf, far) /
		       2;
	for (size_t i = 0; is_pair(values->type) && i < n; i++) {
		const size_t size = ordo_type_size(values->type);
		char wanted[16];
		put_pair(values->type, (const struct exact_pair *)exact + i, wanted);
		if (memcmp(wanted, (const char *)result + i * size, size) != 0)
			return i;
	}
	if (is_pair(values->type))
		return n;
	if (!is_float(values->type)) {
		for (size_t i = 0; i < n; i++)
			if (finish_integer(values, ((const int64_t *)exact)[i], nleaf) !=
				integer_at(values->type, result, i))
				return i;
		return n;
	}
	if (values->reduction == ORDO_SUM)
		return compare_sums(values, accumulator, exact, result, n, depth, nleaf, far);
	if (values->reduction == ORDO_AVG)
		return compare_averages(values, accumulator, exact, result, n, depth, nleaf, far);
	if (values->reduction == ORDO_PROD)
		return compare_products(values, accumulator, exact, result, n, nleaf, far);
	for (size_t i = 0; i < n; i++) {
		if (!same_bits(((const double *)exact)[i], float_at(values->type, result, i)))
			return i;
	}
	return n;
}
