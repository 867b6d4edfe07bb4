/* arithmetic.c - checks element types, reductions and the floating-point mode. */
#include "arithmetic.h"
#include <ordo/float_mode.h>

bool ordo_plan_options_check(const struct ordo_plan_options *options, struct ordo_error *error)
{
	if ((unsigned)options->type >= ORDO_NTYPE_AND_STATE ||
		(unsigned)options->reduction >= ORDO_NREDUCTION)
		return ordo_fail(error, ORDO_USAGE, 0, "type %d or reduction %d does not exist",
			(int)options->type, (int)options->reduction);
	return ordo_float_mode_check(error);
}
