/* group_read.c - reads a group from documents; in a file of its own, so that a group of compiled-in
 * schedules links no reader. */
#include "group.h"
#include <stdlib.h>

/* owned: the schedules that were opened; schedules: one per range. */
static struct ordo_group *read_into(const struct ordo_plan_set *set, struct ordo_schedule **owned,
	const struct ordo_schedule **schedules, struct ordo_error *error)
{
	for (uint32_t i = 0; i < set->nrange; i++) {
		const uint32_t first = ordo_plan_set_first(set, i);
		if (!set->ranges[i].schedule)
			continue;
		if (first == i)
			owned[i] = ordo_plan_set_open(set, i, NULL, error);
		schedules[i] = owned[first];
		if (!schedules[i])
			return NULL;
	}
	struct ordo_group *group = ordo_group_of_schedules(set, schedules, error);
	if (group)
		ordo_group_adopt(group, owned);
	return group;
}

struct ordo_group *ordo_group_create(const struct ordo_plan_set *set, struct ordo_error *error)
{
	struct ordo_schedule **owned = calloc((size_t)set->nrange + 1, sizeof *owned);
	const struct ordo_schedule **schedules = calloc((size_t)set->nrange + 1, sizeof *schedules);
	struct ordo_group *group = NULL;
	if (owned && schedules)
		group = read_into(set, owned, schedules, error);
	else
		ordo_fail_memory(error);
	for (uint32_t i = 0; !group && owned && i < set->nrange; i++)
		ordo_schedule_destroy(owned[i]);
	free(schedules);
	free(owned);
	return group;
}
