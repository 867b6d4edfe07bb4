/* accumulate.c - the type in which partial sums are held. */
#include <inttypes.h>
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

bool ordo_is_order_free(const struct ordo_problem *problem)
{
	return problem->accumulate >= ORDO_ACCUMULATE_EXACT;
}

enum ordo_type ordo_usual_type(const struct ordo_problem *problem)
{
	return problem->accumulate == ORDO_ACCUMULATE_EXACT ? ORDO_F16 : ORDO_F32;
}

/* What each form holds for each type, plus one; 0: the form has no such type. */
#define HOLDS(accumulator) ((uint8_t)(ORDO_##accumulator + 1))
static const uint8_t held[ORDO_NACCUMULATION][ORDO_NTYPE] = {
	[ORDO_ACCUMULATE_F32] =
		{[ORDO_F16] = HOLDS(F32), [ORDO_BF16] = HOLDS(F32), [ORDO_F32] = HOLDS(F32)},
	[ORDO_ACCUMULATE_EXACT] = {[ORDO_F8E4M3] = HOLDS(EXACT_F8E4M3),
		[ORDO_F8E5M2] = HOLDS(EXACT_F8E5M2),
		[ORDO_F16] = HOLDS(EXACT_F16)},
	[ORDO_ACCUMULATE_BINNED2] = {[ORDO_BF16] = HOLDS(BINNED2_F32),
		[ORDO_F32] = HOLDS(BINNED2_F32),
		[ORDO_F64] = HOLDS(BINNED2_F64)},
	[ORDO_ACCUMULATE_BINNED3] = {[ORDO_BF16] = HOLDS(BINNED3_F32),
		[ORDO_F32] = HOLDS(BINNED3_F32),
		[ORDO_F64] = HOLDS(BINNED3_F64)},
};

static bool has_form(enum ordo_accumulation form, enum ordo_type type)
{
	return (unsigned)type < ORDO_NTYPE && held[form][type];
}

enum ordo_type ordo_accumulator(const struct ordo_problem *problem, enum ordo_type type)
{
	return problem->nshard != 1 && has_form(problem->accumulate, type)
		       ? (enum ordo_type)(held[problem->accumulate][type] - 1)
		       : type;
}

double ordo_adding_cost(const struct ordo_topology *topology, double reduce_gbs,
	const struct ordo_problem *problem, enum ordo_type type)
{
	const double rate = topology ? topology->sum_gbs[problem->accumulate] : 0,
		     usual = topology && topology->reduce_gbs > 0 ? topology->reduce_gbs
								  : reduce_gbs;
	const bool in_states = ordo_type_facts(ordo_accumulator(problem, type))->kind == ORDO_STATE;
	return in_states && rate > 0 ? usual / rate : 1;
}

static const char *const types[ORDO_NACCUMULATION] = {
	[ORDO_ACCUMULATE_F32] = "f16, bf16 or f32",
	[ORDO_ACCUMULATE_EXACT] = "f16, f8e4m3 or f8e5m2",
	[ORDO_ACCUMULATE_BINNED2] = "bf16, f32 or f64",
	[ORDO_ACCUMULATE_BINNED3] = "bf16, f32 or f64",
};

/* What would do for this type, which the form does not have. */
static bool hint_type(
	enum ordo_accumulation accumulation, enum ordo_type type, struct ordo_error *error)
{
	const struct ordo_type_facts *facts = ordo_type_facts(type);
	const bool free = accumulation != ORDO_ACCUMULATE_F32;
	if (facts->kind == ORDO_COMPLEX)
		return ordo_hint(error, "a vector of %s is one of twice as many %s", facts->name,
			ordo_type_name(facts->part));
	if (free && facts->kind == ORDO_FLOAT)
		return ordo_hint(error, "compile with --accumulate %s for %s",
			accumulation == ORDO_ACCUMULATE_EXACT ? "\"binned(bins=3)\"" : "exact",
			facts->name);
	if (free)
		return ordo_hint(error,
			"compile without --accumulate: results of %s have the same bits in any "
			"order",
			facts->name);
	return ordo_hint(error, "compile without --accumulate for %s", facts->name);
}

bool ordo_accumulates(
	const struct ordo_problem *problem, enum ordo_type type, struct ordo_error *error)
{
	const enum ordo_accumulation accumulation = problem->accumulate;
	if (has_form(accumulation, type) && problem->nshard > ORDO_MOST_SUMMED(type))
		return ordo_fail(error, ORDO_USAGE, 0,
			"accumulate: found %" PRIu32
			" contributions of %s to a sum in %s, wanted at "
			"most %" PRIu64,
			problem->nshard, ordo_type_name(type), names[accumulation],
			ORDO_MOST_SUMMED(type));
	if (!accumulation || has_form(accumulation, type))
		return true;
	ordo_fail(error, ORDO_USAGE, 0, "type: the schedule accumulates in %s; found %s, wanted %s",
		names[accumulation], ordo_type_name(type), types[accumulation]);
	return hint_type(accumulation, type, error);
}

bool ordo_can_reduce(const struct ordo_problem *problem, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error)
{
	if (!ordo_accumulates(problem, type, error))
		return false;
	if (!ordo_operator_facts(problem->op)->reduces && problem->op != ORDO_CUSTOM)
		return true;
	if (!ordo_has_reduction(type, reduction, error))
		return false;
	if (!ordo_is_order_free(problem) || ordo_reduction_adds(reduction))
		return true;
	ordo_fail(error, ORDO_USAGE, 0,
		"reduction: the schedule accumulates in %s; found %s, wanted sum or avg",
		names[problem->accumulate], ordo_reduction_name(reduction));
	return ordo_hint(error,
		reduction == ORDO_PROD
			? "products have no such form: compile without --accumulate"
			: "compile without --accumulate: minima and maxima have the same bits in "
			  "any order");
}
