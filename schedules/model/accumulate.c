/* accumulate.c - the type in which partial sums are held. */
#include <ordo/detail/accumulate.h>
#include <string.h>

static const char *const names[ORDO_NACCUMULATION] = {
	[ORDO_ACCUMULATE_NONE] = "none",
	[ORDO_ACCUMULATE_F32] = "f32",
	[ORDO_ACCUMULATE_EXACT] = "exact",
	[ORDO_ACCUMULATE_BINNED2] = "binned(bins=2)",
	[ORDO_ACCUMULATE_BINNED3] = "binned(bins=3)",
};

const char *ordo_accumulation_name(enum ordo_accumulation accumulation)
{
	return names[accumulation];
}

bool ordo_accumulation_from_name(const char *name, enum ordo_accumulation *accumulation)
{
	for (int i = ORDO_ACCUMULATE_F32; i < ORDO_NACCUMULATION; i++)
		if (!strcmp(name, names[i])) {
			*accumulation = (enum ordo_accumulation)i;
			return true;
		}
	return false;
}

static bool is_half(enum ordo_type type)
{
	return type == ORDO_F16 || type == ORDO_BF16;
}

enum ordo_type ordo_accumulator(const struct ordo_problem *problem, enum ordo_type type)
{
	return problem->accumulate == ORDO_ACCUMULATE_F32 && problem->nshard != 1 && is_half(type)
		       ? ORDO_F32
		       : type;
}

bool ordo_accumulates(
	const struct ordo_problem *problem, enum ordo_type type, struct ordo_error *error)
{
	if (!problem->accumulate)
		return true;
	if (problem->accumulate != ORDO_ACCUMULATE_F32)
		return ordo_fail(error, ORDO_USAGE, 0, "accumulate: sums in %s cannot be run yet",
			ordo_accumulation_name(problem->accumulate));
	if (is_half(type) || type == ORDO_F32)
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"type: the schedule accumulates in f32; found %s, wanted f16, bf16 or f32",
		ordo_type_name(type));
	return ordo_hint(error, "compile without --accumulate for %s", ordo_type_name(type));
}
