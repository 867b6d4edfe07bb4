/* promise.h - which numbers of chunks are worth trying. Private to compiler/choose/. */
#ifndef ORDO_COMPILER_CHOOSE_PROMISE_H
#define ORDO_COMPILER_CHOOSE_PROMISE_H

#include "columns.h"

/* Times that differ by less are equal: sums of the same terms in another order. */
#define ORDO_SAME_TIME (1 + 1e-9)
/* Lazily, a candidate that takes so many times the best, and longer than with fewer chunks, is not
 * tried with more: those that are cut unluckily gain less than that. */
#define ORDO_FAR 1.5

/* Whether a candidate is the one before it with more chunks. */
bool ordo_has_more_chunks(const struct ordo_table *table, uint32_t i);
/* Whether with so many chunks a candidate need not be tried: fewer of them already took far longer
 * than the best, and longer than fewer still. More chunks shrink the ends of a pipeline, each time
 * by less, and cost tasks, each time more. Not for a range: where a candidate is tried at some
 * sizes only, the size from which it is the fastest is not known. */
bool ordo_has_grown(const struct ordo_columns *columns, const struct ordo_column *column,
	uint32_t i, double best);
/* Whether a candidate with so many chunks that compiling it takes long, or with `ahead` times as
 * many, may be faster than the best by a part worth that. Siblings with fewer chunks tell. */
bool ordo_is_promising(const struct ordo_columns *columns, const struct ordo_column *column,
	uint32_t i, double best, uint32_t ahead);
/* Whether an earlier candidate with as many chunks is a twin: the earlier one wins the tie. */
bool ordo_has_twin(
	const struct ordo_columns *columns, const struct ordo_column *column, uint32_t i);
/* Whether a candidate has so many chunks that it is compiled only if it is promising. */
bool ordo_is_large(const struct ordo_evaluated *item);
/* Whether a number of chunks between usual ones is worth being tried: half or twice what is best
 * for a candidate that is the best, or near; any where another K may make it the best. */
bool ordo_is_neighbour(const struct ordo_columns *columns, const struct ordo_column *column,
	uint32_t i, double best);
/* Whether the same algorithm is there with twice as many chunks as candidate i has. */
bool ordo_is_doubled(const struct ordo_table *table, uint32_t i);
/* Whether twice as many chunks as those of some candidate are promising. They are not, where even
 * more save much. */
bool ordo_promises_more(const struct ordo_columns *columns, const struct ordo_column *column,
	uint32_t i, double best);

#endif
