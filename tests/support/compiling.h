/* compiling.h - what tests of algorithms share: compiling, claims, and orders written down a second
 * time. */
#ifndef TESTS_COMPILING_H
#define TESTS_COMPILING_H

#include "passes.h"
#include "pipeline/pipeline.h"

/* The schedule, which ordo_compile has proved; the test fails if there is none. The caller destroys
 * it. */
struct ordo_schedule *compile_proved(const struct ordo_request *request);

/* The longest chain of cross-rank moves that each carry on what the one before brought, and how
 * many chunks the busiest rank sends: as claimed (the request must apply), and as counted in one
 * run of the schedule. */
struct measured {
	uint64_t steps, volume;
};
struct measured claims_of(const struct ordo_request *request);
struct measured measure(const struct ordo_schedule *schedule);

/* Compiles, proves, and fails the test unless steps and volume are what the algorithm claims.
 * false: the request does not apply. */
bool claims_hold(const struct ordo_request *request);

/* Pairs of a Notify and a Wait between ranks. */
uint32_t count_pairs(const struct ordo_schedule *schedule);

/* Fails the test if the schedule is proved without one of its pairs. topology may be NULL. */
void check_every_pair_is_needed(
	const struct ordo_schedule *schedule, const struct ordo_topology *topology);

/* Proof and claims, for every root, the natural, 1, 3 and N+1 chunks a block, in place or not: all
 * must apply. */
void check_everywhere(const char *algorithm, enum ordo_operator op, uint32_t nrank);

/* The orders, as intervals and strides of the leaves first..first + n - 1. The text lives in the
 * arena. */
typedef const char *print_order(struct ordo_arena *arena, uint32_t first, uint32_t n);
print_order print_dyadic; /* D(N): split at the largest power of two < n */
/* F(N): item j goes onto item j - M, M the largest power of two < n; then n = M */
print_order print_folded;
print_order print_linear; /* ((0+1)+2)+... */

/* Compiles, and fails the test unless every chunk has that one tree on every rank. */
void check_order(const struct ordo_request *request, const char *wanted);

#endif
