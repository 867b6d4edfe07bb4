/* element.c - the tables of element types and reductions. */
#include <math.h>
#include <ordo/detail/half.h>
#include <ordo/element.h>
#include <string.h>

static const struct ordo_type_facts types[ORDO_NTYPE] = {
	[ORDO_F16] = {"f16", 2, true, 11, 15},
	[ORDO_BF16] = {"bf16", 2, true, 8, 127},
	[ORDO_F32] = {"f32", 4, true, 24, 127},
	[ORDO_F64] = {"f64", 8, true, 53, 1023},
	[ORDO_I8] = {"i8", 1, false, 0, 0},
	[ORDO_I32] = {"i32", 4, false, 0, 0},
	[ORDO_I64] = {"i64", 8, false, 0, 0},
	[ORDO_U8] = {"u8", 1, false, 0, 0},
};

union any {
	double f64;
	float f32;
	int64_t i64;
	int32_t i32;
	uint16_t half;
	int8_t i8;
	uint8_t u8;
};

static const char *const reductions[ORDO_NREDUCTION] = {[ORDO_SUM] = "sum",
	[ORDO_PROD] = "prod",
	[ORDO_MIN] = "min",
	[ORDO_MAX] = "max",
	[ORDO_AVG] = "avg"};

const struct ordo_type_facts *ordo_type_facts(enum ordo_type type)
{
	return &types[type];
}

const char *ordo_type_name(enum ordo_type type)
{
	return types[type].name;
}

size_t ordo_type_size(enum ordo_type type)
{
	return types[type].size;
}

bool ordo_type_from_name(const char *name, enum ordo_type *type)
{
	for (int i = 0; i < ORDO_NTYPE; i++)
		if (!strcmp(name, types[i].name)) {
			*type = (enum ordo_type)i;
			return true;
		}
	return false;
}

const char *ordo_reduction_name(enum ordo_reduction reduction)
{
	return reductions[reduction];
}

bool ordo_reduction_from_name(const char *name, enum ordo_reduction *reduction)
{
	for (int i = 0; i < ORDO_NREDUCTION; i++)
		if (!strcmp(name, reductions[i])) {
			*reduction = (enum ordo_reduction)i;
			return true;
		}
	return false;
}

bool ordo_reduction_adds(enum ordo_reduction reduction)
{
	return reduction == ORDO_SUM || reduction == ORDO_AVG;
}

bool ordo_is_associative(enum ordo_type type, enum ordo_reduction reduction)
{
	return !types[type].is_float || reduction == ORDO_MIN || reduction == ORDO_MAX;
}

/* In units of the last place, which is that of the least normal number for all below it, the type
 * has just the integers. Scaling by powers of two is exact, since a double has more range than any
 * other type; f64 rounds nothing. */
double ordo_type_round(enum ordo_type type, double number)
{
	const int greatest = types[type].greatest_exponent, precision = (int)types[type].precision;
	int exponent;
	if (type == ORDO_F64 || !isfinite(number) || number == 0)
		return number;
	frexp(number, &exponent); /* number = 0.1x * 2^exponent */
	const int place = (exponent > 2 - greatest ? exponent : 2 - greatest) - precision;
	const double rounded = ldexp(rint(ldexp(number, -place)), place);
	return fabs(rounded) < ldexp(1, greatest + 1) ? rounded
						      : copysign((double)INFINITY, number);
}

double ordo_element_get(enum ordo_type type, const void *elements, size_t at)
{
	union any any;
	memcpy(&any, (const char *)elements + at * types[type].size, types[type].size);
	switch (type) {
	case ORDO_F16:
		return (double)ordo_f16_to_float(any.half);
	case ORDO_BF16:
		return (double)ordo_bf16_to_float(any.half);
	case ORDO_F32:
		return (double)any.f32;
	case ORDO_F64:
		return any.f64;
	case ORDO_I8:
		return any.i8;
	case ORDO_I32:
		return any.i32;
	case ORDO_I64:
		return (double)any.i64;
	case ORDO_U8:
		break;
	}
	return any.u8;
}

void ordo_element_put(enum ordo_type type, void *elements, size_t at, double number)
{
	union any any = {0};
	if (types[type].is_float)
		number = ordo_type_round(type, number);
	switch (type) {
	case ORDO_F16:
		any.half = ordo_f16_from_float((float)number);
		break;
	case ORDO_BF16:
		any.half = ordo_bf16_from_float((float)number);
		break;
	case ORDO_F32:
		any.f32 = (float)number;
		break;
	case ORDO_F64:
		any.f64 = number;
		break;
	case ORDO_I8:
		any.i8 = (int8_t)number;
		break;
	case ORDO_I32:
		any.i32 = (int32_t)number;
		break;
	case ORDO_I64:
		any.i64 = (int64_t)number;
		break;
	case ORDO_U8:
		any.u8 = (uint8_t)number;
		break;
	}
	memcpy((char *)elements + at * types[type].size, &any, types[type].size);
}
