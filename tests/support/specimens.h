/* specimens.h - every algorithm for every operator it has, over ranks, roots, shards, chunks,
 * places and parameters.
 */
#ifndef ORDO_TESTS_SPECIMENS_H
#define ORDO_TESTS_SPECIMENS_H

#include <ordo/compiler.h>
#include <string.h>

struct specimen {
	struct ordo_problem problem;
	char algorithm[96]; /* with its parameters */
	char title[192];
};

struct specimen_range {
	const struct ordo_topology *topology; /* of so many ranks; NULL: none */
	const char *algorithm;		      /* only this one; NULL: all */
	uint32_t first_rank, last_rank;
	uint32_t every;	 /* compile only every so manieth request; 0: all */
	bool all_roots;	 /* otherwise 0 and the last */
	bool all_chunks; /* natural, 1, 2, 3, N+1; otherwise natural and 2 */
	/* every value of every parameter, one at a time; otherwise the fallbacks */
	bool all_parameters;
};

/* What to do with one; the schedule is proved, and destroyed afterwards. */
typedef void visit_specimen(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure);

/* What there was to do. */
struct specimen_count {
	uint32_t visited, inapplicable, failed;
};

/* Compiles and visits them all. A compilation that fails other than by "does not apply" is printed
 * and counted. */
struct specimen_count visit_specimens(
	const struct specimen_range *range, visit_specimen *visit, void *closure);

/* A build without the optional solver does not have what was asked for. */
static inline bool lacks_solver(const struct ordo_error *error)
{
	return error->code == ORDO_ENVIRONMENT && strstr(error->text, "needs GLPK");
}

#endif
