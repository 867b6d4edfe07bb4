/* group.h - what becomes of the schedules of a group, and collectives that it does not keep. */
#ifndef ORDO_RUNTIME_COLLECTIVE_GROUP_H
#define ORDO_RUNTIME_COLLECTIVE_GROUP_H

#include <ordo/communicator.h>

/* Makes the group destroy these, one for each of its ranges; NULL where it has nothing to
 * destroy. */
void ordo_group_adopt(struct ordo_group *group, struct ordo_schedule *const *schedules);

const struct ordo_problem *ordo_group_problem(const struct ordo_group *group);
/* Proves the schedule of a group of one; of a group of several, each is proved when it is first
 * needed. */
bool ordo_group_prove(struct ordo_group *group, struct ordo_error *error);
/* A collective of the schedule for the size of these options. The caller destroys it. Any thread.
 * NULL: see error. */
struct ordo_collective *ordo_group_make(struct ordo_group *group,
	const struct ordo_plan_options *options, struct ordo_error *error);

#endif
