/* judging.h - the verifier's verdict beside the oracles'. */
#ifndef ORDO_TESTS_JUDGING_H
#define ORDO_TESTS_JUDGING_H

#include "oracle.h"
#include <ordo/verify.h>
#include <stdio.h>

/* The oracles' limit: they keep which tasks precede which, for every two. */
enum { MOST_JUDGED_TASKS = 6000 };

struct judging {
	bool atomic_reduce;
	uint32_t max_states; /* of the interleavings; 0: do not walk through them */
};

struct judgement {
	bool proved;	    /* says the verifier */
	bool walked;	    /* the interleavings were few enough */
	uint64_t swept;	    /* questions of order that the verifier answered by its last resort */
	uint32_t group;	    /* of rules broken, say the oracles: ORACLE_STATIC, ... or 0 */
	char quarrel[1024]; /* where they disagree; empty if they do not */
};

/* Judges a schedule three times. They agree if they find the same group of rules broken first, and,
 * where nothing is broken, the same tokens in flight and the same facts about orders. */
void judge_schedule(const struct ordo_schedule *schedule, const struct judging *judging,
	struct judgement *judgement);

/* Prints the schedule as handmade() reads it. */
void print_handmade(const struct ordo_schedule *schedule, FILE *out);

#endif
