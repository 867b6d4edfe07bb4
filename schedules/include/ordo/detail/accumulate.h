/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* accumulate.h - in which form sums are held while they grow.
 *
 * A schedule that accumulates (problem.accumulate) has scratch slots of another form, the
 * accumulator, while input and output hold the type itself:
 *
 *   from input or output into scratch   widened, without loss
 *   every reduction                     made in the accumulator, into scratch
 *   from scratch into input or output   rounded to the type once, to nearest, ties to even; a NaN
 *   becomes the positive quiet one without payload
 *
 * What is moved otherwise is copied as it is. So which of two NaNs that meet survives is seen in no
 * result. The verifier sees to it that a sum is rounded to the type once, when it is complete (R4).
 *
 *   f32      f16 and bf16 are added up in f32, which rounds every sum. f32 itself accumulates in
 *            f32 anyway
 *   exact    f16, f8e4m3 and f8e5m2: fixed point that is wide enough for every sum, so nothing is
 *            rounded before the end
 *   binned   bf16, f32 and f64: the two or three highest bins of a number, of those that the
 *            largest contribution decides
 *
 * Adding in exact and binned form is associative and commutative. Their complete sums depend on the
 * contributions alone, so G1 to G5 hold whatever the trees, if each contribution is in once (R11)
 * and the sum is rounded once (R4). For this a complete sum that was rounded must survive a way
 * through scratch: rounding what was widened gives the same number, also where bins cannot hold all
 * of its bits.
 *
 * To a single contribution (nshard is 1) nothing is added: scratch holds the type, and every move
 * is a copy, so that a NaN has the same bits whichever way it took.
 *
 * No form can be bound to other types: f64 would be rounded on the way to f32, integers have no
 * business there, and their sums have the same bits in any order.
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

/* Sums in exact or binned form have no order: adding is associative and commutative. */
ORDO_API bool ordo_is_order_free(const struct ordo_problem *problem);
/* The type that is meant where none is named: f32, or, of exact sums, f16. */
ORDO_API enum ordo_type ordo_usual_type(const struct ordo_problem *problem);

/* The type that scratch slots hold, and in which sums are made: that of the form where the problem
 * has one and more than one contribution, else the type. */
ORDO_API enum ordo_type ordo_accumulator(const struct ordo_problem *problem, enum ordo_type type);
/* May the problem be bound to that type? If not, ORDO_USAGE. */
ORDO_API bool ordo_accumulates(
	const struct ordo_problem *problem, enum ordo_type type, struct ordo_error *error);
/* And to that type with that reduction, if it reduces? Exact and binned forms hold sums and
 * averages only. */
ORDO_API bool ordo_can_reduce(const struct ordo_problem *problem, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
