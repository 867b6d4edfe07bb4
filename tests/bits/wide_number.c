/* wide_number.c - exact sums of doubles, and what such a sum is rounded to a float type. */
#include "wide_number.h"
#include <math.h>
#include <stdlib.h>

enum { BELOW = 1600 };
#define DIGIT UINT64_C(0xffffffff)

static void add_digits(struct wide_number *number, uint64_t bits, int position, int64_t sign)
{
	const int at = position / 32, off = position % 32;
	const uint64_t low = (bits & DIGIT) << off, high = (bits >> 32) << off;
	number->digit[at] += sign * (int64_t)(low & DIGIT);
	number->digit[at + 1] += sign * (int64_t)((low >> 32) + (high & DIGIT));
	number->digit[at + 2] += sign * (int64_t)(high >> 32);
}

void wide_add(struct wide_number *number, double value, int scale)
{
	int exponent;
	const double fraction = frexp(fabs(value), &exponent);
	if (value != 0)
		add_digits(number, (uint64_t)ldexp(fraction, 53), exponent - 53 + scale + BELOW,
			value < 0 ? -1 : 1);
}

/* Digits 0 to 2^32 - 1, but the last, which has the sign. */
static struct wide_number carried(struct wide_number number)
{
	for (int i = 0; i + 1 < NDIGIT; i++) {
		int64_t carry = number.digit[i] / (INT64_C(1) << 32);
		number.digit[i] -= carry * (INT64_C(1) << 32);
		if (number.digit[i] < 0) {
			number.digit[i] += INT64_C(1) << 32;
			carry--;
		}
		number.digit[i + 1] += carry;
	}
	return number;
}

struct wide_number wide_difference(const struct wide_number *a, const struct wide_number *b)
{
	struct wide_number result = carried(*a), other = carried(*b);
	for (int i = 0; i < NDIGIT; i++)
		result.digit[i] -= other.digit[i];
	return result;
}

int wide_sign(const struct wide_number *number)
{
	const struct wide_number plain = carried(*number);
	if (plain.digit[NDIGIT - 1] < 0)
		return -1;
	for (int i = 0; i < NDIGIT; i++)
		if (plain.digit[i])
			return 1;
	return 0;
}

static struct wide_number magnitude(const struct wide_number *number)
{
	const struct wide_number zero = {{0}};
	return wide_sign(number) < 0 ? wide_difference(&zero, number) : *number;
}

int wide_compare(const struct wide_number *a, const struct wide_number *b)
{
	const struct wide_number left = magnitude(a), right = magnitude(b),
				 difference = wide_difference(&left, &right);
	return wide_sign(&difference);
}

double wide_value(const struct wide_number *number)
{
	const struct wide_number plain = carried(magnitude(number));
	double value = 0;
	for (int i = NDIGIT - 1; i >= 0; i--)
		value += ldexp((double)plain.digit[i], 32 * i - BELOW);
	return wide_sign(number) < 0 ? -value : value;
}

struct form {
	int bits, precision, least, bias;
	uint64_t greatest; /* the bits of the largest finite number */
	bool saturates;
};

static struct form form_of(enum ordo_type type)
{
	return type == ORDO_F8E4M3   ? (struct form){8, 4, -9, 7, 0x7e, true}
	       : type == ORDO_F8E5M2 ? (struct form){8, 3, -16, 15, 0x7b, true}
	       : type == ORDO_F16    ? (struct form){16, 11, -24, 15, 0x7bff, false}
	       : type == ORDO_BF16   ? (struct form){16, 8, -133, 127, 0x7f7f, false}
	       : type == ORDO_F32
		       ? (struct form){32, 24, -149, 127, 0x7f7fffff, false}
		       : (struct form){64, 53, -1074, 1023, UINT64_C(0x7fefffffffffffff), false};
}

/* value * 2^scale; of f64 2^1024 is no double, so it is halved. */
static double scaled_value(enum ordo_type type, uint64_t bits, int scale)
{
	const struct form form = form_of(type);
	const uint64_t sign = bits >> (form.bits - 1), rest = bits & ~(sign << (form.bits - 1)),
		       unit = UINT64_C(1) << (form.precision - 1);
	const int exponent = (int)(rest / unit);
	const double fraction = (double)(rest % unit),
		     size = exponent ? ldexp(fraction + (double)unit,
					       exponent - form.bias - form.precision + 1 + scale)
				     : ldexp(fraction, form.least + scale);
	return sign ? -size : size;
}

double float_value(enum ordo_type type, uint64_t bits)
{
	return scaled_value(type, bits, 0);
}

/* sum - value. */
static struct wide_number distance(
	enum ordo_type type, uint64_t bits, const struct wide_number *sum)
{
	struct wide_number value = {{0}};
	const bool large = type == ORDO_F64 && float_value(type, bits) > 0x1p1000;
	wide_add(&value, large ? scaled_value(type, bits, -8) : float_value(type, bits),
		large ? 8 : 0);
	return wide_difference(sum, &value);
}

bool is_nearest(enum ordo_type type, uint64_t bits, const struct wide_number *sum)
{
	const struct form form = form_of(type);
	const uint64_t sign = UINT64_C(1) << (form.bits - 1), rest = bits & ~sign;
	const int wanted = wide_sign(sum);
	const struct wide_number positive = magnitude(sum), here = distance(type, rest, &positive);
	if (wanted == 0)
		return bits == 0;
	if ((wanted < 0) != (rest != bits) || rest > form.greatest + !form.saturates)
		return false;
	if (rest < form.greatest || (rest == form.greatest && !form.saturates)) {
		const struct wide_number next = distance(type, rest + 1, &positive);
		const int sooner = wide_compare(&here, &next);
		if (sooner > 0 || (sooner == 0 && rest & 1))
			return false;
	}
	/* A sum above the number after the largest is nearest to the last one there is. */
	if (rest == 0)
		return true;
	const struct wide_number before = distance(type, rest - 1, &positive);
	const int sooner = wide_compare(&here, &before);
	return wide_sign(&here) >= 0 || sooner < 0 || (sooner == 0 && !(rest & 1));
}
