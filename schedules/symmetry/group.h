/* group.h - the group and its action on chunks, prepared for one element at a time. Private to
 * schedules/symmetry/.
 */
#ifndef ORDO_GROUP_H
#define ORDO_GROUP_H

#include <ordo/detail/symmetry.h>

/* The additions that run once a task. */
static inline uint32_t group_add(const struct ordo_symmetry_group *group, uint32_t a, uint32_t b)
{
	if (group->ndigit > 1)
		return ordo_symmetry_add(group, a, b);
	const uint64_t sum = (uint64_t)a + b;
	return (uint32_t)(sum >= group->order ? sum - group->order : sum);
}

/* One element, as it acts on chunks. */
struct shift {
	const struct ordo_chunk_action *action;
	/* added to each digit; the second where that is mirrored */
	uint32_t by[2][2 * ORDO_MOST_DIGITS + 2];
	uint32_t stride[2 * ORDO_MOST_DIGITS + 3];
	uint32_t first; /* the lowest digit that is moved; ndigit: none */
	/* not 0: only the highest digit is moved, so chunks are, by `whole` modulo `all` */
	uint32_t all;
	uint32_t whole;
};

struct shift ordo_shift_of(const struct ordo_symmetry_group *group,
	const struct ordo_chunk_action *action, uint32_t element);
uint32_t ordo_shift_digits(const struct shift *shift, uint32_t chunk);
static inline uint32_t shift_chunk(const struct shift *shift, uint32_t chunk)
{
	if (!shift->all)
		return ordo_shift_digits(shift, chunk);
	chunk += shift->whole;
	return chunk < shift->all ? chunk : chunk - shift->all;
}
/* The image of as many of the chunks [first, first+count) as have one that is an interval; returns
 * how many, at least 1, and where the image begins. `in_order`: the image must also be in the same
 * order. */
uint32_t ordo_shift_run(
	const struct shift *shift, uint32_t first, uint32_t count, bool in_order, uint32_t *image);

#endif
