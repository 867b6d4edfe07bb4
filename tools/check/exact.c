/* exact.c - reductions without rounding.
 *
 *   f64 sum   in 128-bit integers, in units of 2^-60
 *   sum       of narrower floats in double: the values are multiples of 2^-31 below 1, so up to
 *             2^22 of them add without rounding
 *   average   its sum, divided when it is compared
 *   product   in long double, whose own rounding is in the bound
 *   integers  modulo 2^64, truncated to the type
 *   min, max  by comparison; -0 is less than +0
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
	if (type == ORDO_I64)
		return ((const int64_t *)value)[i];
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

void begin_exact(const struct values *values, void *exact, const void *value, size_t n)
{
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
			exact[i] = v < exact[i] ? v : exact[i];
			break;
		case ORDO_MAX:
			exact[i] = v > exact[i] ? v : exact[i];
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
	switch (ordo_type_size(type)) {
	case 1:
		return type == ORDO_I8 ? (int64_t)(int8_t)exact : (int64_t)(uint8_t)exact;
	case 4:
		return (int32_t)exact;
	default:
		return exact;
	}
}

/* The final integer of a reduction of nleaf values. */
static int64_t finish_integer(const struct values *values, int64_t exact, uint32_t nleaf)
{
	const int64_t integer = wrap_integer(values->type, exact);
	return values->reduction == ORDO_AVG ? integer / (int64_t)nleaf : integer;
}

void round_exact(const struct values *values, const void *one, uint32_t nleaf, void *element)
{
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
	if (values->type == ORDO_I64)
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

/* (1 + u)^n - 1, the relative error bound of n roundings; rounding the accumulator to the type, and
 * dividing, add one rounding each. */
static double relative_bound(const struct values *values, enum ordo_type accumulator, double n)
{
	const int last = (accumulator != values->type && n > 0) + (values->reduction == ORDO_AVG);
	return expm1(n * log_of_rounding(accumulator) + last * log_of_rounding(values->type));
}

/* Every addend passes through at most depth roundings, and the sum of magnitudes is the sum: all
 * values are positive. */
static size_t compare_sums(const struct values *values, enum ordo_type accumulator,
	const void *exact, const void *result, size_t n, uint32_t depth, struct distance *far)
{
	const double relative = relative_bound(values, accumulator, depth);
	for (size_t i = 0; i < n; i++) {
		double sum, error, got = float_at(values->type, result, i);
		if (values->type != ORDO_F64) {
			sum = ((const double *)exact)[i];
			error = fabs(got - sum);
		} else {
			/* A right result is a multiple of 2^-60 too, so the difference is exact. A
			 * wrong one may be out of range. */
			if (!(fabs(got) < 0x1p60))
				return i;
			wide fixed = ((const wide *)exact)[i], found = (wide)(got * 0x1p60);
			sum = (double)fixed * 0x1p-60;
			error = (double)(fixed < found ? found - fixed : fixed - found) * 0x1p-60;
		}
		if (!(error <= relative * sum))
			return i;
		widen_distance(far, error, last_place(values->type, sum), relative * sum);
	}
	return n;
}

/* As for sums, plus one rounding, and the absolute error of a subnormal quotient. */
static size_t compare_averages(const struct values *values, enum ordo_type accumulator,
	const void *exact, const void *result, size_t n, uint32_t depth, uint32_t nleaf,
	struct distance *far)
{
	const struct ordo_type_facts *facts = ordo_type_facts(values->type);
	const double least = ldexp(1, 2 - facts->greatest_exponent - (int)facts->precision),
		     relative = relative_bound(values, accumulator, depth) + 2 * 0x1p-64;
	for (size_t i = 0; i < n; i++) {
		const long double sum = values->type == ORDO_F64
						? (long double)((const wide *)exact)[i] * 0x1p-60L
						: (long double)((const double *)exact)[i];
		const long double average = sum / nleaf;
		const double error = (double)fabsl(
				     (long double)float_at(values->type, result, i) - average),
			     bound = relative * (double)average + least;
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
	const double least = ldexp(1, 2 - facts->greatest_exponent - (int)facts->precision),
		     steps = nleaf - 1.0,
		     relative = relative_bound(values, accumulator, steps) + 2 * steps * 0x1p-64;
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
	if (!is_float(values->type)) {
		for (size_t i = 0; i < n; i++)
			if (finish_integer(values, ((const int64_t *)exact)[i], nleaf) !=
				integer_at(values->type, result, i))
				return i;
		return n;
	}
	if (values->reduction == ORDO_SUM)
		return compare_sums(values, accumulator, exact, result, n, depth, far);
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
