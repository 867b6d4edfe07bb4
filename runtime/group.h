/* group.h - what becomes of the schedules of a group. */
#ifndef ORDO_RUNTIME_GROUP_H
#define ORDO_RUNTIME_GROUP_H

#include <ordo/communicator.h>

/* Makes the group destroy these, one for each of its ranges; NULL where it has nothing to destroy. */
void ordo_group_adopt(struct ordo_group *group, struct ordo_schedule *const *schedules);

#endif
