/* closed_form.h - costs that are known as formulas: each is in the file of its algorithm, here is
 * what they share.
 *
 * p ranks, n bytes, q = ceil(log2 p); a a step, b a byte on a link, g a byte added:
 *
 *   ring      AllGather, Scatter, Gather      (p-1)a + (p-1)/p n b
 *             ReduceScatter                   (p-1)a + (p-1)/p n (b+g)
 *             AllReduce                      2(p-1)a + 2(p-1)/p n b + (p-1)/p n g
 *             Broadcast, Reduce in K chunks  (p-2+K)(a + n/K b [+ n/K g])
 *   mesh      AllGather, Scatter, Gather      a + n/p b                                over p-1
 *             links at once
 *             ReduceScatter                   a + n/p b + (p-1)/p n g
 *             AllReduce two-shot             2a + 2/p n b + (p-1)/p n g
 *             AllReduce one-shot              a + n b + (p-1) n g
 *
 * source  Thakur, Rabenseifner and Gropp, Int. J. High Perform. Comput. Appl. 19(1), 2005; the
 *         algorithms' own files
 */
#ifndef ORDO_COMPILER_ALGORITHMS_DIRECT_CLOSED_FORM_H
#define ORDO_COMPILER_ALGORITHMS_DIRECT_CLOSED_FORM_H

#include "algorithm.h"
#include <ordo/detail/cost.h>

/* Fills a cost: wire/parts and reduced/parts of n. Returns true. */
bool ordo_form_is(struct ordo_cost *cost, enum ordo_cost_source source, uint64_t steps,
	uint64_t wire, uint64_t reduced, uint64_t parts);

/* ceil(log2 p) */
uint32_t ordo_form_rounds(uint32_t p);
/* The largest power of two that is not above p. */
uint32_t ordo_form_power(uint32_t p);
/* Whether a vector is cut into p equal slices, as the formulas have it. */
bool ordo_form_has_slices(const struct ordo_resolved_request *request, uint32_t p);

/* Each phase in so many rounds, in which everything but a rank's own slice goes once. false: the
 * operator has no such phases, or its slices are unequal. */
bool ordo_form_phases(const struct ordo_resolved_request *request, enum ordo_cost_source source,
	uint64_t rounds, struct ordo_cost *cost);

/* All of the vector in every round, up a tree, down it, or both. */
bool ordo_form_whole_vectors(const struct ordo_resolved_request *request,
	enum ordo_cost_source source, struct ordo_cost *cost);

#endif
