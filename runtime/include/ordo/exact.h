/* exact.h - sums without order in a program's own hands: elements added unrounded, rounded once.
 *
 * A schedule that accumulates in exact or binned form gives bits that depend on neither the order
 * of adding nor the topology, but each rank's input is one element of the sum, rounded already if
 * the rank has added up something itself. So with another number of ranks, which each add up
 * another part of the whole, the bits are others. They are not if a rank adds what it has to states
 * instead, and states are summed over the ranks:
 *
 *   enum ordo_type state;
 *   ordo_exact_type(ORDO_F32, 2, &state, &error);
 *   void *states = calloc(count, ordo_type_size(state));
 *   for (...)      every vector that this rank has
 *       ordo_exact_add(ORDO_F32, state, states, vector, count, &error);
 *   ordo_allreduce(communicator, rank, states, sums, count, state, ORDO_SUM, &error);
 *   ordo_exact_round(ORDO_F32, state, result, sums, count, &error);
 *
 * A state is a type of elements as far as calls are concerned: any schedule that sums, not
 * compiled to accumulate, sums states (ORDO_SUM and no other reduction), and others move them. It
 * also travels as bytes by any other means, between machines of one byte order. The other way is
 * one shard for each vector (ordo_problem.nshard) in a schedule that accumulates; then the vectors,
 * and not states, are the input.
 *
 *   bins  types                 bytes of a state   result of n elements with sum S
 *   0     f8e4m3, f8e5m2, f16   8, 8, 16           S rounded once
 *   2     bf16, f32, f64        16, 16, 24         S + d rounded once,
 *   3     bf16, f32, f64        24, 24, 32           |d| <= (n - 1) * 2^-w * max |x|
 *
 * w is 28 and 56 for bf16 and f32 with 2 and 3 bins, 56 and 84 for f64. Every order, and every way
 * to divide the elements among states, gives the same bits of a state, so also of the result. A sum
 * of zero is +0, whatever the signs of its zeros. NaN, and infinities of both signs, give the
 * positive quiet NaN without payload. At most 2^32 elements are in a sum, of f8e5m2 2^29; with more
 * the result is undefined. Nothing else overflows on the way.
 *
 * A state of zero bytes is the empty sum. States and elements need no alignment. No function keeps
 * a pointer; all are thread safe as long as no other thread uses the states that one writes. All
 * compute in integers, so they need no floating-point mode.
 *
 * Source: Demmel and Nguyen, "Parallel Reproducible Summation", IEEE Transactions on Computers
 * 64(7), 2015, for the bins; detail/accumulate.h has the form of a state and the proof.
 */
#ifndef ORDO_EXACT_H
#define ORDO_EXACT_H

#include <ordo/element.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The type of the states of sums.
 *
 *   type    of the elements
 *   bins    0, 2 or 3, as in the table above
 *   state   the result; its size in bytes is ordo_type_size(*state)
 *   error   filled if the result is false; may be NULL
 *
 * false: the type has no such sums (ORDO_USAGE); *state is unchanged. */
ORDO_API bool ordo_exact_type(
	enum ordo_type type, uint32_t bins, enum ordo_type *state, struct ordo_error *error);

/* Adds one element to each state: sum i grows by element i.
 *
 *   type       of the elements
 *   state      as ordo_exact_type gives it for the type
 *   states     [n], which grow; not in the memory of the elements
 *   elements   [n]
 *   n          elements, 0 or more
 *   error      filled if the result is false; may be NULL
 *
 * false: these are no states of sums of that type (ORDO_USAGE); nothing was done. */
ORDO_API bool ordo_exact_add(enum ordo_type type, enum ordo_type state, void *states,
	const void *elements, size_t n, struct ordo_error *error);

/* Adds all elements to one state.
 *
 *   type       of the elements
 *   state      as ordo_exact_type gives it for the type
 *   states     [1], which grows; not in the memory of the elements
 *   elements   [n]
 *   n          elements, 0 or more
 *   error      filled if the result is false; may be NULL
 *
 * false: as ordo_exact_add. */
ORDO_API bool ordo_exact_add_all(enum ordo_type type, enum ordo_type state, void *states,
	const void *elements, size_t n, struct ordo_error *error);

/* Adds sums to sums: states[i] += others[i].
 *
 *   state    of both
 *   states   [n], which grow
 *   others   [n], which are only read; the same memory as states, or apart
 *   n        states, 0 or more
 *   error    filled if the result is false; may be NULL
 *
 * false: `state` is no type of states (ORDO_USAGE); nothing was done. */
ORDO_API bool ordo_exact_merge(
	enum ordo_type state, void *states, const void *others, size_t n, struct ordo_error *error);

/* Rounds sums to nearest, ties to even.
 *
 *   type       of the elements, the one that was added: of a state of bf16 it may also be f32, and
 *              of f32 bf16, which have the same states
 *   state      as ordo_exact_type gives it for the type
 *   elements   [n], written; not in the memory of the states
 *   states     [n], unchanged, so that more may be added
 *   n          states, 0 or more
 *   error      filled if the result is false; may be NULL
 *
 * false: these are no states of sums of that type (ORDO_USAGE); nothing was done. */
ORDO_API bool ordo_exact_round(enum ordo_type type, enum ordo_type state, void *elements,
	const void *states, size_t n, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
