/* element.c - the tables of element types and reductions. */
#include <math.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/half.h>
#include <ordo/element.h>
#include <string.h>

#define FLOAT(name, size, type, precision, greatest)                                               \
	{                                                                                          \
		name, size, ORDO_FLOAT, true, type, precision, greatest, 1 - (greatest), 0         \
	}
#define COMPLEX(name, size, part, precision, greatest)                                             \
	{                                                                                          \
		name, size, ORDO_COMPLEX, false, part, precision, greatest, 1 - (greatest), 0      \
	}
#define PLAIN(name, size, kind, part)                                                              \
	{                                                                                          \
		name, size, kind, false, part, 0, 0, 0, 0                                          \
	}
static const struct ordo_type_facts types[ORDO_NTYPE_AND_STATE] = {
	[ORDO_F16] = FLOAT("f16", 2, ORDO_F16, 11, 15),
	[ORDO_BF16] = FLOAT("bf16", 2, ORDO_BF16, 8, 127),
	[ORDO_F32] = FLOAT("f32", 4, ORDO_F32, 24, 127),
	[ORDO_F64] = FLOAT("f64", 8, ORDO_F64, 53, 1023),
	[ORDO_I8] = PLAIN("i8", 1, ORDO_SIGNED, ORDO_I8),
	[ORDO_I32] = PLAIN("i32", 4, ORDO_SIGNED, ORDO_I32),
	[ORDO_I64] = PLAIN("i64", 8, ORDO_SIGNED, ORDO_I64),
	[ORDO_U8] = PLAIN("u8", 1, ORDO_UNSIGNED, ORDO_U8),
	[ORDO_I16] = PLAIN("i16", 2, ORDO_SIGNED, ORDO_I16),
	[ORDO_U16] = PLAIN("u16", 2, ORDO_UNSIGNED, ORDO_U16),
	[ORDO_U32] = PLAIN("u32", 4, ORDO_UNSIGNED, ORDO_U32),
	[ORDO_U64] = PLAIN("u64", 8, ORDO_UNSIGNED, ORDO_U64),
	[ORDO_F8E4M3] = {"f8e4m3", 1, ORDO_FLOAT, true, ORDO_F8E4M3, 4, 8, -6, 448},
	[ORDO_F8E5M2] = {"f8e5m2", 1, ORDO_FLOAT, true, ORDO_F8E5M2, 3, 15, -14, 57344},
	[ORDO_C64] = COMPLEX("c64", 8, ORDO_F32, 24, 127),
	[ORDO_C128] = COMPLEX("c128", 16, ORDO_F64, 53, 1023),
	[ORDO_F32_I32] = PLAIN("f32_i32", 8, ORDO_PAIR, ORDO_F32),
	[ORDO_F64_I32] = PLAIN("f64_i32", 16, ORDO_PAIR, ORDO_F64),
	[ORDO_I32_I32] = PLAIN("i32_i32", 8, ORDO_PAIR, ORDO_I32),
	[ORDO_I64_I32] = PLAIN("i64_i32", 16, ORDO_PAIR, ORDO_I64),
	[ORDO_EXACT_F8E4M3] = PLAIN("exact sum of f8e4m3", 8, ORDO_STATE, ORDO_F8E4M3),
	[ORDO_EXACT_F8E5M2] = PLAIN("exact sum of f8e5m2", 8, ORDO_STATE, ORDO_F8E5M2),
	[ORDO_EXACT_F16] = PLAIN("exact sum of f16", 16, ORDO_STATE, ORDO_F16),
	[ORDO_BINNED2_F32] = PLAIN("sum of f32 in 2 bins", 16, ORDO_STATE, ORDO_F32),
	[ORDO_BINNED3_F32] = PLAIN("sum of f32 in 3 bins", 24, ORDO_STATE, ORDO_F32),
	[ORDO_BINNED2_F64] = PLAIN("sum of f64 in 2 bins", 24, ORDO_STATE, ORDO_F64),
	[ORDO_BINNED3_F64] = PLAIN("sum of f64 in 3 bins", 32, ORDO_STATE, ORDO_F64),
};

union any {
	double f64;
	float f32;
	int64_t i64;
	uint64_t u64;
	int32_t i32;
	uint32_t u32;
	int16_t i16;
	uint16_t u16; /* and halves */
	int8_t i8;
	uint8_t u8; /* and fp8 */
};

static const char *const reductions[ORDO_NREDUCTION] = {[ORDO_SUM] = "sum",
	[ORDO_PROD] = "prod",
	[ORDO_MIN] = "min",
	[ORDO_MAX] = "max",
	[ORDO_AVG] = "avg",
	[ORDO_BAND] = "band",
	[ORDO_BOR] = "bor",
	[ORDO_BXOR] = "bxor",
	[ORDO_MINLOC] = "minloc",
	[ORDO_MAXLOC] = "maxloc"};

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
	const enum ordo_type_kind kind = types[type].kind;
	return (kind != ORDO_FLOAT && kind != ORDO_COMPLEX) || reduction == ORDO_MIN ||
	       reduction == ORDO_MAX;
}

#define SET(reduction) (1u << (reduction))
/* The reductions of each kind of type. */
static const struct {
	const char *plural, *names;
	uint32_t reductions;
} kinds[] = {
	[ORDO_SIGNED] = {"integers", "sum, prod, min, max, avg, band, bor or bxor",
		SET(ORDO_MINLOC) - 1},
	[ORDO_UNSIGNED] = {"integers", "sum, prod, min, max, avg, band, bor or bxor",
		SET(ORDO_MINLOC) - 1},
	[ORDO_FLOAT] = {"floats", "sum, prod, min, max or avg", SET(ORDO_BAND) - 1},
	[ORDO_COMPLEX] = {"complex numbers", "sum or avg", SET(ORDO_SUM) | SET(ORDO_AVG)},
	[ORDO_PAIR] = {"pairs of a value and an index", "minloc or maxloc",
		SET(ORDO_MINLOC) | SET(ORDO_MAXLOC)},
	[ORDO_STATE] = {"states of sums", "sum", SET(ORDO_SUM)},
};

bool ordo_has_reduction(
	enum ordo_type type, enum ordo_reduction reduction, struct ordo_error *error)
{
	const enum ordo_type_kind kind = types[type].kind;
	if (kinds[kind].reductions >> reduction & 1)
		return true;
	ordo_fail(error, ORDO_USAGE, 0, "reduction: found %s of %s, wanted %s",
		reductions[reduction], types[type].name, kinds[kind].names);
	size_t other = 0;
	while (!(kinds[types[other].kind].reductions >> reduction & 1))
		other++;
	return ordo_hint(error, "%s holds %s, which have %s; %s is of types such as %s",
		types[type].name, kinds[kind].plural, kinds[kind].names, reductions[reduction],
		types[other].name);
}

/* In units of the last place, which is that of the least normal number for all below it, the type
 * has just the integers. Scaling by powers of two is exact, since a double has more range than any
 * other type; f64 rounds nothing. */
double ordo_type_round(enum ordo_type type, double number)
{
	const struct ordo_type_facts *facts = &types[type];
	const int least = facts->least_exponent + 1, precision = (int)facts->precision;
	const double overflow = facts->largest > 0 ? facts->largest : (double)INFINITY,
		     end = facts->largest > 0 ? facts->largest
					      : ldexp(1, facts->greatest_exponent + 1);
	int exponent;
	if (type == ORDO_F64 || isnan(number) || number == 0)
		return number;
	if (isinf(number))
		return copysign(overflow, number);
	frexp(number, &exponent); /* number = 0.1x * 2^exponent */
	const int place = (exponent > least ? exponent : least) - precision;
	const double rounded = ldexp(rint(ldexp(number, -place)), place);
	return fabs(rounded) < end ? rounded : copysign(overflow, number);
}

static double state_get(enum ordo_type type, const void *elements, size_t at)
{
	const enum ordo_type part = types[type].part;
	uint64_t state[ORDO_MOST_STATE_WORDS];
	memcpy(state, (const char *)elements + at * types[type].size, types[type].size);
	const uint64_t bits = ordo_rounded_sum(type, part, state);
	const union any any = types[part].size == 8   ? (union any){.u64 = bits}
			      : types[part].size == 4 ? (union any){.u32 = (uint32_t)bits}
			      : types[part].size == 2 ? (union any){.u16 = (uint16_t)bits}
						      : (union any){.u8 = (uint8_t)bits};
	return ordo_element_get(part, &any, 0);
}

static void state_put(enum ordo_type type, void *elements, size_t at, double number)
{
	const enum ordo_type part = types[type].part;
	union any any;
	uint64_t state[ORDO_MOST_STATE_WORDS];
	ordo_element_put(part, &any, 0, number);
	ordo_sum_of_one(type, state,
		types[part].size == 8	? any.u64
		: types[part].size == 4 ? any.u32
		: types[part].size == 2 ? any.u16
					: any.u8);
	memcpy((char *)elements + at * types[type].size, state, types[type].size);
}

double ordo_element_get(enum ordo_type type, const void *elements, size_t at)
{
	union any any;
	if (types[type].kind == ORDO_STATE)
		return state_get(type, elements, at);
	memcpy(&any, (const char *)elements + at * types[type].size, types[types[type].part].size);
	switch (types[type].part) {
	case ORDO_F16:
		return (double)ordo_f16_to_float(any.u16);
	case ORDO_BF16:
		return (double)ordo_bf16_to_float(any.u16);
	case ORDO_F8E4M3:
		return (double)ordo_f8e4m3_to_float(any.u8);
	case ORDO_F8E5M2:
		return (double)ordo_f8e5m2_to_float(any.u8);
	case ORDO_F32:
		return (double)any.f32;
	case ORDO_F64:
		return any.f64;
	case ORDO_I8:
		return any.i8;
	case ORDO_I16:
		return any.i16;
	case ORDO_U16:
		return any.u16;
	case ORDO_I32:
		return any.i32;
	case ORDO_U32:
		return any.u32;
	case ORDO_I64:
		return (double)any.i64;
	case ORDO_U64:
		return (double)any.u64;
	case ORDO_U8:
	case ORDO_C64: /* none of these is a part */
	case ORDO_C128:
	case ORDO_F32_I32:
	case ORDO_F64_I32:
	case ORDO_I32_I32:
	case ORDO_I64_I32:
	case ORDO_EXACT_F8E4M3:
	case ORDO_EXACT_F8E5M2:
	case ORDO_EXACT_F16:
	case ORDO_BINNED2_F32:
	case ORDO_BINNED3_F32:
	case ORDO_BINNED2_F64:
	case ORDO_BINNED3_F64:
		break;
	}
	return any.u8;
}

static union any float_element(enum ordo_type type, double number)
{
	union any any = {0};
	number = ordo_type_round(type, number);
	if (type == ORDO_F16)
		any.u16 = ordo_f16_from_float((float)number);
	else if (type == ORDO_BF16)
		any.u16 = ordo_bf16_from_float((float)number);
	else if (type == ORDO_F8E4M3)
		any.u8 = ordo_f8e4m3_from_float((float)number);
	else if (type == ORDO_F8E5M2)
		any.u8 = ordo_f8e5m2_from_float((float)number);
	else if (type == ORDO_F32)
		any.f32 = (float)number;
	else
		any.f64 = number;
	return any;
}

static union any integer_element(enum ordo_type type, double number)
{
	union any any = {0};
	if (type == ORDO_I8)
		any.i8 = (int8_t)number;
	else if (type == ORDO_I16)
		any.i16 = (int16_t)number;
	else if (type == ORDO_U16)
		any.u16 = (uint16_t)number;
	else if (type == ORDO_I32)
		any.i32 = (int32_t)number;
	else if (type == ORDO_U32)
		any.u32 = (uint32_t)number;
	else if (type == ORDO_I64)
		any.i64 = (int64_t)number;
	else if (type == ORDO_U64)
		any.u64 = (uint64_t)number;
	else
		any.u8 = (uint8_t)number;
	return any;
}

void ordo_element_put(enum ordo_type type, void *elements, size_t at, double number)
{
	if (types[type].kind == ORDO_STATE) {
		state_put(type, elements, at, number);
		return;
	}
	const enum ordo_type part = types[type].part;
	const union any any =
		types[part].is_float ? float_element(part, number) : integer_element(part, number);
	char *to = (char *)elements + at * types[type].size;
	memcpy(to, &any, types[part].size);
	memset(to + types[part].size, 0, types[type].size - types[part].size);
}
