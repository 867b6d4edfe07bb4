/* input_set.h - what is run: one schedule, or those of a plan set, each read and proved when a size
 * first asks for it. */
#ifndef ORDO_TOOLS_RUN_INPUT_SET_H
#define ORDO_TOOLS_RUN_INPUT_SET_H

#include "cli/inputs.h"
#include <ordo/element.h>
#include <ordo/plan_set.h>

struct proved_schedule {
	const char *name; /* in the set; NULL: there is none */
	struct ordo_schedule *schedule;
	struct ordo_proof *proof; /* NULL: not asked for yet */
};

struct subject {
	const char *path;
	const struct topology_choice *choice;
	struct ordo_problem problem;	   /* of a set: one chunk a block */
	struct ordo_plan_set *set;	   /* NULL: one schedule */
	struct proved_schedule *schedules; /* [nschedule] of the ranges of the set, or the one */
	uint32_t nschedule;
	struct ordo_topology *topology; /* NULL: not chosen, or not yet */
};

/* "-" is stdin. false: call->status. To be closed, also after false. */
bool open_subject(struct call *call, struct subject *subject, const char *path,
	const struct topology_choice *choice);
void close_subject(struct subject *subject);

/* The schedule for blocks of so many elements. NULL: call->status. */
struct proved_schedule *find_schedule(
	struct call *call, struct subject *subject, enum ordo_type type, uint64_t count);
/* Proves it, unless that is done. What is refuted is an error, with its findings, unless
 * `unproved`: then a warning. false: call->status. */
bool prove_found(
	struct call *call, struct subject *subject, struct proved_schedule *found, bool unproved);

#endif
