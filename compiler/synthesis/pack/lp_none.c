/* lp_none.c - in place of lp.c, where GLPK was not found: there is no solver to ask. */
#include "divide.h"

bool ordo_divide_links(struct ordo_divided_links *divided, const struct ordo_capacities *graph,
	struct ordo_error *error)
{
	(void)graph;
	*divided = (struct ordo_divided_links){0};
	ordo_fail(error, ORDO_ENVIRONMENT, 0,
		"packing: method=lp needs GLPK, which this build of Ordo does not have");
	return ordo_hint(
		error, "install GLPK with its headers (Debian: libglpk-dev) and build Ordo again");
}
