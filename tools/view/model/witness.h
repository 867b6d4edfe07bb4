/* witness.h - the findings of a refuted schedule for every picture: the tasks at fault, the arrows
 * between them, and the missing tasks. */
#ifndef ORDO_TOOLS_VIEW_MODEL_WITNESS_H
#define ORDO_TOOLS_VIEW_MODEL_WITNESS_H

#include <ordo/verify.h>

enum witness_link {
	WITNESS_WAITS,	/* of a cycle (R7): `from`, a Wait, waits for `to`, a Notify; */
	WITNESS_BEHIND, /* and `from`, a Notify, stands behind `to`, a Wait, in its stream */
	WITNESS_RACE,	/* nothing orders the two (R8) */
	/* would open the cycle: the Notify for `to`, a Wait, given before `from`, a Wait */
	WITNESS_EARLIER,
	WITNESS_MISSING /* would order them: a Notify after `from` and its Wait before `to` */
};

struct witness_arrow {
	enum witness_link link;
	/* tasks; ORDO_NONE: when `rank` enters the call (from) or leaves it (to) */
	uint32_t from, to;
	/* the owner of the memory, or of the missing Notify or Wait; ORDO_NONE: none */
	uint32_t rank;
	uint32_t number;  /* the position in a cycle, from 1; otherwise 0 */
	const char *text; /* one or two lines; in a cycle the number */
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
	/* [nstream] the Wait at which a stream blocks forever, its end if it does not; NULL: no
	 * stream blocks */
	uint32_t *stopped;
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
