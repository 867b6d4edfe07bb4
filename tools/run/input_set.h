/* input_set.h - the schedules to run: one, or those of a plan set, each read and proved on first
 * use. */
#ifndef ORDO_TOOLS_RUN_INPUT_SET_H
#define ORDO_TOOLS_RUN_INPUT_SET_H

#include "cli/inputs.h"
#include "failures/failures.h"
#include <ordo/element.h>
#include <ordo/plan_set.h>

struct proved_schedule {
	const char *name; /* in the set; NULL: there is none */
	struct ordo_schedule *schedule;
	struct ordo_proof *proof; /* NULL: not proved yet */
};

struct subject {
	const char *path;
	const struct topology_choice *choice;
	struct ordo_problem problem;	   /* of a set: one chunk a block */
	struct ordo_plan_set *set;	   /* NULL: one schedule */
	struct proved_schedule *schedules; /* [nschedule] of the ranges of the set, or the one */
	uint32_t nschedule;
	struct ordo_topology *topology; /* NULL: not chosen, or not yet */
	struct chosen_state chosen;	/* of a failure set */
};

/* "-" is stdin. From a failure set `choice` selects, and gets its topology unless it names one.
 * false: call->status. The caller closes it, also after false. */
bool open_subject(struct call *call, struct subject *subject, const char *path,
	struct topology_choice *choice);
void close_subject(struct subject *subject);

/* The schedule for blocks of so many elements, or for a size in bytes. NULL: call->status. */
struct proved_schedule *find_schedule(
	struct call *call, struct subject *subject, enum ordo_type type, uint64_t count);
struct proved_schedule *find_schedule_of_size(
	struct call *call, struct subject *subject, uint64_t bytes);
/* Proves a schedule, unless that is done. A refuted one is an error with its findings or, if
 * `unproved`, a warning. false: call->status. */
bool prove_found(
	struct call *call, struct subject *subject, struct proved_schedule *found, bool unproved);

#endif
