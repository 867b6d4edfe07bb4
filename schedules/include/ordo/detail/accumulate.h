/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* accumulate.h - in which type sums are held while they grow.
 *
 * A schedule that accumulates in f32 (problem.accumulate), bound to f16 or bf16, has scratch
 * slots of f32 while input and output hold the type itself:
 *
 *   from input or output into scratch   widened, exactly
 *   every reduction                     made in f32, rounded to f32, into scratch
 *   from scratch into input or output   rounded to the type once, to nearest, ties to even; a NaN
 *   becomes the positive quiet one without payload
 *
 * What is moved otherwise is copied as it is. So which of two NaNs that meet survives is seen in no
 * result. The verifier sees to it that a sum is rounded to the type once, when it is complete (R4).
 *
 * To a single contribution (nshard is 1) nothing is added: scratch holds the type, and every move
 * is a copy, so that a NaN has the same bits whichever way it took.
 *
 * Bound to f32 the schedule means what it would mean without: it accumulates in f32 anyway. It
 * cannot be bound to other types: f64 would be rounded on the way, and integers have no business in
 * f32.
 */
#ifndef ORDO_ACCUMULATE_H
#define ORDO_ACCUMULATE_H

#include <ordo/element.h>
#include <ordo/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "f32", "exact", "binned(bins=2)", "binned(bins=3)", as in documents; of the type itself "none",
 * which no document has. */
ORDO_API const char *ordo_accumulation_name(enum ordo_accumulation accumulation);
/* A document's name; "none" is none. */
ORDO_API bool ordo_accumulation_from_name(const char *name, enum ordo_accumulation *accumulation);

/* The type that scratch slots hold, and in which sums are rounded: f32 for f16 and bf16 where the
 * problem says so and has more than one contribution, else the type. */
ORDO_API enum ordo_type ordo_accumulator(const struct ordo_problem *problem, enum ordo_type type);
/* May the problem be bound to that type? If not, ORDO_USAGE. */
ORDO_API bool ordo_accumulates(
	const struct ordo_problem *problem, enum ordo_type type, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
