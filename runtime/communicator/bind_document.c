/* bind_document.c - binds a document; in a file of its own, so that a program with compiled-in
 * schedules links no reader. */
#include "bound.h"
#include "collective/group.h"
#include <ordo/collectives.h>

static struct ordo_group *read_set(const char *path, struct ordo_error *error)
{
	struct ordo_plan_set *set = ordo_plan_set_read(path, error);
	struct ordo_group *group = set ? ordo_group_create(set, error) : NULL;
	ordo_plan_set_destroy(set);
	return group;
}

static struct ordo_group *read_schedule(const char *path, struct ordo_error *error)
{
	struct ordo_schedule *schedule = ordo_schedule_read(path, NULL, error);
	struct ordo_group *group = schedule ? ordo_group_of_schedule(schedule, error) : NULL;
	if (group)
		ordo_group_adopt(group, &schedule);
	else
		ordo_schedule_destroy(schedule);
	return group;
}

bool ordo_communicator_bind_document(
	struct ordo_communicator *communicator, const char *path, struct ordo_error *error)
{
	struct ordo_group *group =
		ordo_is_plan_set(path) ? read_set(path, error) : read_schedule(path, error);
	return group && ordo_bind(communicator, group, true, error);
}
