/* envelope.c - the lower envelope of lines over whole numbers of bytes.
 *
 * A line that becomes lower has a smaller slope and stays lower, so bisection finds the first such
 * size. Going from crossing to crossing visits every line of the envelope once: O(lines^2 log
 * bytes), with a few dozen lines.
 */
#include "envelope.h"
#include <ordo/operator.h>

static bool is_lower(const struct ordo_line *one, const struct ordo_line *other, uint64_t bytes)
{
	const long double a = ordo_line_at(one, bytes), b = ordo_line_at(other, bytes);
	return a < b || (a <= b && one->slope < other->slope);
}

/* Strictly lower, by more than the slopes were rounded by: equal costs are not lower. */
static bool is_cheaper(const struct ordo_line *one, const struct ordo_line *other, uint64_t bytes)
{
	const long double rounded = 4e-16L, of_other = ordo_line_at(other, bytes);
	return ordo_line_at(one, bytes) < of_other - rounded * of_other;
}

uint32_t ordo_lowest_line(const struct ordo_line *lines, uint32_t count, uint64_t bytes)
{
	uint32_t lowest = ORDO_NONE;
	for (uint32_t i = 0; i < count; i++)
		if (!lines[i].left_out &&
			(lowest == ORDO_NONE || is_lower(&lines[i], &lines[lowest], bytes)))
			lowest = i;
	return lowest;
}

/* The first size of low..high at which `other` is strictly lower, which it is at `high`. */
static uint64_t first_lower(
	const struct ordo_line *line, const struct ordo_line *other, uint64_t low, uint64_t high)
{
	while (low < high) {
		const uint64_t middle = low + (high - low) / 2;
		if (is_cheaper(other, line, middle))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

uint64_t ordo_next_crossing(
	const struct ordo_line *lines, uint32_t count, uint32_t line, uint64_t bytes, uint64_t last)
{
	uint64_t crossing = 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint64_t high = crossing ? crossing : last;
		if (lines[i].left_out || high <= bytes ||
			!is_cheaper(&lines[i], &lines[line], high))
			continue;
		crossing = first_lower(&lines[line], &lines[i], bytes + 1, high);
	}
	return crossing;
}
