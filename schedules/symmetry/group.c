/* group.c - adding digit by digit: the group, and how it moves chunks. */
#include "group.h"
#include <stdio.h>

static bool is_xor(const struct ordo_symmetry_group *group)
{
	return group->ndigit && group->order == UINT64_C(1) << group->ndigit;
}

uint32_t ordo_symmetry_add(const struct ordo_symmetry_group *group, uint32_t a, uint32_t b)
{
	uint32_t sum = 0, stride = 1;
	if (is_xor(group))
		return a ^ b;
	for (uint32_t d = 0; d < group->ndigit; d++) {
		const uint32_t radix = group->radix[d];
		sum += (uint32_t)(((uint64_t)a % radix + b % radix) % radix) * stride;
		a /= radix;
		b /= radix;
		stride *= radix;
	}
	return sum;
}

uint32_t ordo_symmetry_negate(const struct ordo_symmetry_group *group, uint32_t a)
{
	uint32_t negative = 0, stride = 1;
	for (uint32_t d = 0; d < group->ndigit; d++) {
		const uint32_t radix = group->radix[d];
		negative += (radix - a % radix) % radix * stride;
		a /= radix;
		stride *= radix;
	}
	return negative;
}

int ordo_symmetry_print(const struct ordo_symmetry_group *group, char *out, size_t size)
{
	if (group->ndigit <= 1)
		return snprintf(out, size, "cyclic group of %u", group->order);
	if (is_xor(group))
		return snprintf(out, size, "XOR group of %u", group->order);
	int used = 0;
	for (uint32_t d = 0; d < group->ndigit; d++)
		used += snprintf((size_t)used < size ? out + used : NULL,
			(size_t)used < size ? size - (size_t)used : 0, "%sZ_%u", d ? " x " : "",
			group->radix[d]);
	return used;
}

struct shift ordo_shift_of(const struct ordo_symmetry_group *group,
	const struct ordo_chunk_action *action, uint32_t element)
{
	struct shift shift = {.action = action, .first = action->ndigit, .stride = {1}};
	uint32_t digits[ORDO_MOST_DIGITS];
	for (uint32_t d = 0; d < group->ndigit; d++) {
		digits[d] = element % group->radix[d];
		element /= group->radix[d];
	}
	for (uint32_t d = action->ndigit; d-- > 0;) {
		const uint32_t by = action->of[d] == ORDO_NONE ? 0 : digits[action->of[d]];
		shift.by[0][d] = by;
		shift.by[1][d] = by ? action->radix[d] - by : 0;
		if (by)
			shift.first = d;
	}
	for (uint32_t d = 0; d < action->ndigit; d++)
		shift.stride[d + 1] = shift.stride[d] * action->radix[d];
	const uint32_t nchunk = shift.stride[action->ndigit];
	if (shift.first < action->ndigit && shift.stride[shift.first + 1] == nchunk) {
		shift.all = nchunk;
		shift.whole = shift.by[0][shift.first] * shift.stride[shift.first];
	}
	return shift;
}

/* What is added to the digits of a chunk. */
static const uint32_t *added_to(const struct shift *shift, uint32_t chunk)
{
	return shift->by[shift->action->mirrored &&
			 chunk / shift->stride[shift->action->ndigit - 1] % 2];
}

uint32_t ordo_shift_digits(const struct shift *shift, uint32_t chunk)
{
	const uint32_t *radix = shift->action->radix, *by = added_to(shift, chunk);
	if (shift->first == shift->action->ndigit)
		return chunk;
	uint32_t image = chunk % shift->stride[shift->first];
	uint32_t rest = chunk / shift->stride[shift->first];
	for (uint32_t d = shift->first; d < shift->action->ndigit; d++) {
		uint32_t digit = rest % radix[d] + by[d];
		digit -= digit >= radix[d] ? radix[d] : 0;
		image += digit * shift->stride[d];
		rest /= radix[d];
	}
	return image;
}

static uint32_t least(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

uint32_t ordo_shift_run(
	const struct shift *shift, uint32_t first, uint32_t count, bool in_order, uint32_t *image)
{
	const struct ordo_chunk_action *action = shift->action;
	uint32_t d = shift->first;
	*image = shift_chunk(shift, first);
	if (d == action->ndigit)
		return count;
	/* Chunks that differ only in digits below those that move stay together. */
	const uint32_t still = shift->stride[d], past = first % still;
	if (past || count < still)
		return least(count, still - past);
	/* A whole block of all values of the lower digits goes to a whole block, though not in
	 * order. */
	while (!in_order && d + 1 < action->ndigit && first % shift->stride[d + 1] == 0 &&
		count >= shift->stride[d + 1])
		d++;
	const uint32_t stride = shift->stride[d], radix = action->radix[d];
	const uint32_t digit = first / stride % radix;
	const uint32_t moved = (uint32_t)(((uint64_t)digit + added_to(shift, first)[d]) % radix);
	*image -= *image % stride;
	return least(count / stride, least(radix - digit, radix - moved)) * stride;
}
