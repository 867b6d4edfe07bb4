/* closure.h - which move must come after which by streams and pairs, closed under transitivity. */
#ifndef ORDO_TESTS_CLOSURE_H
#define ORDO_TESTS_CLOSURE_H

#include "passes.h"
#include "pipeline/pipeline.h"

/* Over the moves but for relays, in the order of the program, and the entering of ranks: bit m of a
 * row is move m, bit nmove + r the entering of rank r. */
struct closure {
	uint32_t nmove, nrank;
	size_t words;
	uint64_t *moves;  /* [nmove][words] what every move comes after */
	uint64_t *leaves; /* [nrank][words] what every rank's leaving comes after */
};

/* Without the pair `dropped`; ORDO_NONE: with all. The caller frees it. */
struct closure close_over(const struct ordo_sequence *sequence, const struct ordo_sync_edges *pairs,
	uint32_t dropped);
void free_closure(struct closure *closure);
bool are_same(const struct closure *a, const struct closure *b);

/* How many pairs could be dropped, and the closure would be the same. */
uint32_t count_superfluous(
	const struct ordo_sequence *sequence, const struct ordo_sync_edges *pairs);

/* Relays that are used. */
uint32_t count_relays(const struct ordo_sequence *sequence);

#endif
