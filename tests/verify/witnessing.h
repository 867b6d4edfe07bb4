/* witnessing.h - is a refuted schedule seen to be faulty when it runs? */
#ifndef ORDO_TESTS_WITNESSING_H
#define ORDO_TESTS_WITNESSING_H

#include <ordo/schedule.h>

enum witnessed {
	NOTHING_RUNS, /* the document itself is wrong: R1..R5 */
	SHOWN,	      /* stuck, tokens left over, or wrong or different outputs */
	UNSEEN,	      /* both orders ran, and no output shows it */
	/* an interleaving that the verifier's finding promises could not be made or carried out: an
	 * error */
	NO_WITNESS,
};

/* Takes the findings of a refuted schedule, the first few, until a replay of one shows it. why is
 * filled for NO_WITNESS. */
enum witnessed witness(const struct ordo_schedule *schedule, char why[512]);

#endif
