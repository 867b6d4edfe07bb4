/* solver.h - what a build without the optional solver refuses. */
#ifndef ORDO_TESTS_SOLVER_H
#define ORDO_TESTS_SOLVER_H

#include <ordo/error.h>
#include <stdbool.h>
#include <string.h>

static inline bool lacks_solver(const struct ordo_error *error)
{
	return error->code == ORDO_ENVIRONMENT && strstr(error->text, "needs GLPK");
}

#endif
