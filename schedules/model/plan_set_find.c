/* plan_set_find.c - the range that contains a size; a file of its own, so that a program that only
 * looks up a range links no reader of documents. */
#include <ordo/plan_set.h>
#include <string.h>

uint32_t ordo_plan_set_find(const struct ordo_plan_set *set, uint64_t bytes)
{
	uint32_t first = 0, end = set->nrange;
	while (first < end) {
		const uint32_t middle = first + (end - first) / 2;
		if (set->ranges[middle].to_bytes < bytes)
			first = middle + 1;
		else
			end = middle;
	}
	return first < set->nrange && set->ranges[first].from_bytes <= bytes ? first : ORDO_NONE;
}

/* Either may be NULL. */
static bool is_same(const char *one, const char *other)
{
	return one == other || (one && other && !strcmp(one, other));
}

uint32_t ordo_plan_set_first(const struct ordo_plan_set *set, uint32_t range)
{
	uint32_t first = 0;
	while (!is_same(set->ranges[first].schedule, set->ranges[range].schedule))
		first++;
	return first;
}
