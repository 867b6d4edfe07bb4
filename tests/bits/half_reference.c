/* half_reference.c - what one operation on f16, bf16 or fp8 numbers is, computed in integers
 * alone.
 *
 * A finite number is (-1)^negative * m * 2^e with whole m; the exact result is found in that form
 * and rounded once.
 */
#include "half_reference.h"
#include <assert.h>
#include <math.h>

struct format {
	int fraction; /* bits of the significand that are stored */
	int least;    /* exponent of the last place of subnormals */
	uint16_t sign;
	uint16_t infinity; /* NONE: there is no infinity */
	uint16_t last;	   /* the greatest magnitude that is no NaN */
	uint16_t nan;	   /* the canonical one */
	uint16_t overflow; /* every magnitude from this on becomes it */
};

enum { NONE = 0xffff };
static const struct format f16 = {10, -24, 0x8000, 0x7c00, 0x7c00, 0x7e00, 0x7c00},
			   bf16 = {7, -133, 0x8000, 0x7f80, 0x7f80, 0x7fc0, 0x7f80},
			   e4m3 = {3, -9, 0x80, NONE, 0x7e, 0x7f, 0x7e},
			   e5m2 = {2, -16, 0x80, 0x7c, 0x7c, 0x7e, 0x7b};

struct number {
	bool negative;
	uint64_t m;
	int e;
};

static const struct format *format_of(enum ordo_type type)
{
	assert(type <= ORDO_BF16 || type == ORDO_F8E4M3 || type == ORDO_F8E5M2);
	return type == ORDO_F16	     ? &f16
	       : type == ORDO_BF16   ? &bf16
	       : type == ORDO_F8E4M3 ? &e4m3
				     : &e5m2;
}

static bool is_nan(const struct format *format, uint16_t half)
{
	return (half & (format->sign - 1)) > format->last;
}

static bool is_infinite(const struct format *format, uint16_t half)
{
	return (half & (format->sign - 1)) == format->infinity;
}

static struct number decode(const struct format *format, uint16_t half)
{
	const int field = (half & (format->sign - 1)) >> format->fraction;
	const bool negative = half & format->sign;
	const uint64_t stored = half & ((1u << format->fraction) - 1);
	return field ? (struct number){negative, stored | UINT64_C(1) << format->fraction,
			       format->least + field - 1}
		     : (struct number){negative, stored, format->least};
}

/* Drops bits until the significand fits and the last place is one there is: half of the dropped
 * part decides, ties go to even. */
static uint16_t encode(const struct format *format, struct number number)
{
	const uint16_t sign = number.negative ? format->sign : 0;
	const uint64_t full = UINT64_C(1) << (format->fraction + 1);
	uint64_t dropped = 0, half = 0;
	int ndropped = 0;
	while (number.e < format->least || number.m >> ndropped >= full) {
		ndropped++;
		number.e++;
		if (ndropped == 63)
			break;
	}
	if (ndropped) {
		half = UINT64_C(1) << (ndropped - 1);
		dropped = number.m & (2 * half - 1);
		number.m >>= ndropped;
		number.m += dropped > half || (dropped == half && number.m & 1);
	}
	if (number.m == full) {
		number.m /= 2;
		number.e++;
	}
	while (number.m && number.m < full / 2 && number.e > format->least) {
		number.m *= 2;
		number.e--;
	}
	if (number.m < full / 2)
		return sign | (uint16_t)number.m;
	const int field = number.e - format->least + 1,
		  magnitude = field << format->fraction | (int)(number.m - full / 2);
	return (uint16_t)(sign | (magnitude < format->overflow ? magnitude : format->overflow));
}

/* Numbers so far apart that the smaller one only says on which side of the larger one the sum
 * lies. */
enum { FAR = 50 };

static struct number add(struct number a, struct number b)
{
	if (a.e < b.e || !a.m) {
		const struct number other = a;
		a = b;
		b = other;
	}
	if (!a.m)
		return (struct number){a.negative && b.negative, 0, a.e};
	if (!b.m)
		return a;
	const int apart = a.e - b.e;
	assert(apart >= 0 || !b.m);
	int64_t first = (int64_t)(a.m << (apart > FAR ? FAR : apart)),
		second = apart > FAR ? 1 : (int64_t)b.m;
	const int64_t sum = (a.negative ? -first : first) + (b.negative ? -second : second);
	return (struct number){
		sum < 0, (uint64_t)(sum < 0 ? -sum : sum), a.e - (apart > FAR ? FAR : apart)};
}

static uint16_t sum(const struct format *format, uint16_t a, uint16_t b)
{
	if (is_infinite(format, a) || is_infinite(format, b)) {
		if (is_infinite(format, a) && is_infinite(format, b) && a != b)
			return format->nan;
		const uint16_t infinite = is_infinite(format, a) ? a : b;
		return (infinite & format->sign) | format->overflow;
	}
	return encode(format, add(decode(format, a), decode(format, b)));
}

static uint16_t product(const struct format *format, uint16_t a, uint16_t b)
{
	const uint16_t sign = (a ^ b) & format->sign, magnitude = format->sign - 1;
	const struct number x = decode(format, a), y = decode(format, b);
	if (is_infinite(format, a) || is_infinite(format, b))
		return (a & magnitude) && (b & magnitude) ? sign | format->overflow : format->nan;
	return encode(format, (struct number){sign, x.m * y.m, x.e + y.e});
}

static bool is_less(const struct format *format, uint16_t a, uint16_t b)
{
	const bool minus = a & format->sign;
	if (minus != (bool)(b & format->sign))
		return minus;
	return minus ? a > b : a < b;
}

uint16_t half_reference(enum ordo_type type, enum ordo_reduction reduction, uint16_t a, uint16_t b)
{
	const struct format *format = format_of(type);
	if (is_nan(format, a) || is_nan(format, b))
		return format->nan;
	switch (reduction) {
	case ORDO_SUM:
	case ORDO_AVG:
		return sum(format, a, b);
	case ORDO_PROD:
		return product(format, a, b);
	case ORDO_MIN:
		return is_less(format, b, a) ? b : a;
	case ORDO_MAX:
	case ORDO_BAND: /* no reductions of floats */
	case ORDO_BOR:
	case ORDO_BXOR:
	case ORDO_MINLOC:
	case ORDO_MAXLOC:
		break;
	}
	return is_less(format, a, b) ? b : a;
}

uint16_t half_from_float_reference(enum ordo_type type, uint32_t bits)
{
	const struct format *format = format_of(type);
	const uint16_t sign = bits >> 31 ? format->sign : 0;
	const int field = bits >> 23 & 255;
	const uint32_t stored = bits & 0x7fffff;
	if (field == 255 && stored && type > ORDO_BF16)
		return format->nan;
	if (field == 255 && stored)
		return sign | format->nan | (uint16_t)(stored >> (23 - format->fraction));
	if (field == 255)
		return sign | format->overflow;
	return encode(format, (struct number){sign, field ? stored | 0x800000 : stored,
				      (field ? field : 1) - 150});
}

double half_value_reference(enum ordo_type type, uint16_t half)
{
	const struct number number = decode(format_of(type), half);
	const double value = ldexp((double)number.m, number.e);
	return number.negative ? -value : value;
}
