/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* generators.h - programs in closed form, for more ranks than can be compiled.
 *
 * A generator writes any rank's program down without looking at the others, task for task as
 * ordo_compile has it for the same problem; tests hold the two against each other for as many ranks
 * as they like. It is a source of programs (programs.h): what it says is proved like anything else,
 * as a whole or from one program (symmetry.h).
 */
#ifndef ORDO_GENERATORS_H
#define ORDO_GENERATORS_H

#include <ordo/detail/programs.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_generator_facts {
	const char *name;   /* the algorithm's, as in ordo_request */
	uint32_t operators; /* bit (1 << op) for every operator it has */
	const char *ranks;  /* condition on N, for people */
};

/* What there is. */
ORDO_API const struct ordo_generator_facts *const *ordo_generators(uint32_t *count);

/* The programs of an algorithm of that list, with its natural number of chunks (K is set; a problem
 * that names another is not generated); ring out of place only. Phases have numbers but no names.
 * They own nothing. false: ORDO_USAGE, with what there is as the hint. */
ORDO_API bool ordo_generate(const char *algorithm, const struct ordo_problem *problem,
	struct ordo_programs *programs, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
