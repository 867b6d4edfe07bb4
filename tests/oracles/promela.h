/* promela.h - schedules as Promela models, judged by Spin. */
#ifndef ORDO_TESTS_PROMELA_H
#define ORDO_TESTS_PROMELA_H

#include <ordo/schedule.h>
#include <stdio.h>

enum promela_detail {
	PROMELA_WAITING, /* streams and signals only: is some interleaving stuck? */
	/* moves too, each from its beginning to its end, ranks entering and leaving: does one meet
	 * another? */
	PROMELA_MEMORY,
};

/* Prints the model. The schedule must keep R1..R4. */
void promela_print(const struct ordo_schedule *schedule, enum promela_detail detail, FILE *out);

enum spin_verdict {
	SPIN_CLEAN,    /* all interleavings end well */
	SPIN_DEADLOCK, /* "invalid end state" */
	/* two moves met, memory of a rank that is not in the call was touched, or a token was
	 * left */
	SPIN_ASSERTION,
	SPIN_UNDECIDED, /* the model is too large for the limits */
	SPIN_ABSENT,	/* spin or the C compiler cannot be run */
};

/* Gives the model to Spin, which explores all its interleavings. `folder` must exist; files of one
 * model replace those of the last. */
enum spin_verdict spin_judge(
	const struct ordo_schedule *schedule, enum promela_detail detail, const char *folder);

#endif
