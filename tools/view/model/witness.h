/* witness.h - what the findings of a refuted schedule show, for every picture: which tasks are at
 * fault, what lies between them, and what is missing.
 */
#ifndef ORDO_TOOLS_VIEW_MODEL_WITNESS_H
#define ORDO_TOOLS_VIEW_MODEL_WITNESS_H

#include <ordo/verify.h>

enum witness_link {
	WITNESS_WAITS,	/* of a circle (R7): `from`, a Wait, waits for `to`, a Notify; */
	WITNESS_BEHIND, /* and `from`, a Notify, stands behind `to`, a Wait, in its stream */
	WITNESS_RACE,	/* nothing orders the two (R8) */
	/* what would open it: the Notify for `to`, a Wait, given before `from`, a Wait */
	WITNESS_EARLIER,
	WITNESS_MISSING /* what would help: a Notify after `from` and its Wait before `to` */
};

struct witness_arrow {
	enum witness_link link;
	/* tasks; ORDO_NONE: when `rank` enters the call (from) or leaves it (to) */
	uint32_t from, to;
	/* whose memory it is about, or who has no Notify or Wait; ORDO_NONE: nobody */
	uint32_t rank;
	uint32_t number;  /* of a circle: how manieth in it, from 1; otherwise 0 */
	const char *text; /* one or two lines; of a circle the number */
};

struct witness {
	uint32_t *tasks; /* [ntask] at fault, ascending, each once */
	uint32_t ntask;
	struct witness_arrow *arrows;
	uint32_t narrow;
	/* [nfinding] "R8: race on ...", may have several lines, and a hint in the last */
	const char **captions;
	uint32_t nfinding;
	char rules[64]; /* "R8, R10" */
	/* [nstream] the Wait at which a stream stops for ever, its end if it does not; NULL: none
	 * stops */
	uint32_t *stuck;
	struct ordo_arena arena;
	size_t task_room, arrow_room;
};

/* The proof must be refuted. The caller destroys the witness; the schedule and the proof must
 * outlive it. Linear in tasks for each finding. NULL: no memory. */
struct witness *find_witness(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	struct ordo_error *error);
void free_witness(struct witness *witness); /* takes NULL */

bool is_at_fault(const struct witness *witness, uint32_t task);

#endif
