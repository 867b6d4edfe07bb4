/* accumulate.c - the type in which partial sums are held. */
#include <ordo/detail/accumulate.h>

static bool is_half(enum ordo_type type)
{
	return type == ORDO_F16 || type == ORDO_BF16;
}

enum ordo_type ordo_accumulator(const struct ordo_problem *problem, enum ordo_type type)
{
	return problem->accumulate_f32 && problem->nshard != 1 && is_half(type) ? ORDO_F32 : type;
}

bool ordo_accumulates(
	const struct ordo_problem *problem, enum ordo_type type, struct ordo_error *error)
{
	if (!problem->accumulate_f32 || is_half(type) || type == ORDO_F32)
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"type: the schedule accumulates in f32; found %s, wanted f16, bf16 or f32",
		ordo_type_name(type));
	return ordo_hint(error, "compile without --accumulate for %s", ordo_type_name(type));
}
