/* accumulate.c - in which type sums are held while they grow. */
#include <ordo/accumulate.h>
#include <ordo/half.h>

/* A caller's buffer has no effective type and need not be aligned. */
#define UNALIGNED __attribute__((aligned(1), may_alias))
typedef float UNALIGNED f32;
typedef uint16_t UNALIGNED half;

static bool is_half(enum ordo_type type)
{
	return type == ORDO_F16 || type == ORDO_BF16;
}

enum ordo_type ordo_accumulator(const struct ordo_problem *problem, enum ordo_type type)
{
	return problem->accumulate_f32 && is_half(type) ? ORDO_F32 : type;
}

bool ordo_accumulates(const struct ordo_problem *problem, enum ordo_type type, struct ordo_error *error)
{
	if (!problem->accumulate_f32 || is_half(type) || type == ORDO_F32)
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"type: the schedule accumulates in f32; found %s, wanted f16, bf16 or f32",
		ordo_type_name(type));
	return ordo_hint(error, "compile without --accumulate for %s", ordo_type_name(type));
}

void ordo_widen(enum ordo_type type, void *wide, const void *elements, size_t n)
{
	f32 *to = wide;
	const half *from = elements;
	if (type == ORDO_F16)
		for (size_t i = 0; i < n; i++)
			to[i] = ordo_f16_to_float(from[i]);
	else
		for (size_t i = 0; i < n; i++)
			to[i] = ordo_bf16_to_float(from[i]);
}

void ordo_narrow(enum ordo_type type, void *elements, const void *wide, size_t n)
{
	half *to = elements;
	const f32 *from = wide;
	if (type == ORDO_F16)
		for (size_t i = 0; i < n; i++)
			to[i] = ordo_f16_from_float(from[i]);
	else
		for (size_t i = 0; i < n; i++)
			to[i] = ordo_bf16_from_float(from[i]);
}
