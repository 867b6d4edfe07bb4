/* group.h - schedules that a group owns, and collectives that it does not keep. Private to
 * runtime/. */
#ifndef ORDO_RUNTIME_COLLECTIVE_GROUP_H
#define ORDO_RUNTIME_COLLECTIVE_GROUP_H

#include <ordo/communicator.h>

/* Transfers schedules to the group, one for each of its ranges; NULL: none for that range. */
void ordo_group_adopt(struct ordo_group *group, struct ordo_schedule *const *schedules);

const struct ordo_problem *ordo_group_problem(const struct ordo_group *group);
/* Proves the schedule of a group of one. A group of several proves each on first use. */
bool ordo_group_prove(struct ordo_group *group, struct ordo_error *error);
/* A collective of the schedule for the size in the options. The caller destroys it. Any thread.
 * NULL: see error. */
struct ordo_collective *ordo_group_make(struct ordo_group *group,
	const struct ordo_plan_options *options, struct ordo_error *error);

#endif
