/* exact.c - sums without order in a program's own hands. */
#include "kernels.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/fail.h>
#include <ordo/detail/interpreter.h>
#include <ordo/exact.h>
#include <string.h>

bool ordo_exact_type(
	enum ordo_type type, uint32_t bins, enum ordo_type *state, struct ordo_error *error)
{
	static const enum ordo_accumulation forms[] = {[0] = ORDO_ACCUMULATE_EXACT,
		[2] = ORDO_ACCUMULATE_BINNED2,
		ORDO_ACCUMULATE_BINNED3};
	if ((unsigned)type >= ORDO_NTYPE)
		return ordo_fail(error, ORDO_USAGE, 0, "type %d does not exist", (int)type);
	if (bins > 3 || bins == 1)
		return ordo_fail(error, ORDO_USAGE, 0,
			"bins: found %" PRIu32 ", wanted 0 (exact sums), 2 or 3", bins);
	const struct ordo_problem problem = {
		.op = ORDO_ALLREDUCE, .nrank = 2, .nshard = 2, .accumulate = forms[bins]};
	if (!ordo_accumulates(&problem, type, error))
		return false;
	*state = ordo_accumulator(&problem, type);
	return true;
}

static bool is_state(enum ordo_type state, struct ordo_error *error)
{
	return ((unsigned)state < ORDO_NTYPE_AND_STATE &&
		       ordo_type_facts(state)->kind == ORDO_STATE) ||
	       ordo_fail(error, ORDO_USAGE, 0, "state: found %s, wanted a type of ordo_exact_type",
		       (unsigned)state < ORDO_NTYPE ? ordo_type_name(state) : "no type");
}

static bool are_states_of(enum ordo_type state, enum ordo_type type, struct ordo_error *error)
{
	return is_state(state, error) &&
	       (((unsigned)type <= ORDO_F8E5M2 && ordo_kernels()->widen[state][type]) ||
		       ordo_fail(error, ORDO_USAGE, 0, "type: found %s, which is not added to a %s",
			       (unsigned)type < ORDO_NTYPE_AND_STATE ? ordo_type_name(type)
								     : "no type",
			       ordo_type_name(state)));
}

/* States of elements at a time: at most 4 KiB of the stack. */
enum { AT_ONCE = 128 };

bool ordo_exact_add(enum ordo_type type, enum ordo_type state, void *states, const void *elements,
	size_t n, struct ordo_error *error)
{
	uint64_t block[AT_ONCE * ORDO_MOST_STATE_WORDS];
	if (!are_states_of(state, type, error))
		return false;
	const size_t size = ordo_type_size(type), wide = ordo_type_size(state);
	for (size_t done = 0; done < n; done += AT_ONCE) {
		const size_t count = n - done < AT_ONCE ? n - done : AT_ONCE;
		ordo_widen_elements(
			type, state, block, (const char *)elements + done * size, count);
		ordo_reduce_elements(state, ORDO_SUM, (char *)states + done * wide, block, count);
	}
	return true;
}

/* Of a block, the second half is added to the first until one is left. */
bool ordo_exact_add_all(enum ordo_type type, enum ordo_type state, void *states,
	const void *elements, size_t n, struct ordo_error *error)
{
	uint64_t block[AT_ONCE * ORDO_MOST_STATE_WORDS];
	if (!are_states_of(state, type, error))
		return false;
	const size_t size = ordo_type_size(type), words = ordo_type_size(state) / sizeof *block;
	for (size_t done = 0; done < n; done += AT_ONCE) {
		size_t count = n - done < AT_ONCE ? n - done : AT_ONCE;
		ordo_widen_elements(
			type, state, block, (const char *)elements + done * size, count);
		for (size_t half; count > 1; count -= half) {
			half = count / 2;
			ordo_reduce_elements(
				state, ORDO_SUM, block, block + (count - half) * words, half);
		}
		ordo_reduce_elements(state, ORDO_SUM, states, block, 1);
	}
	return true;
}

bool ordo_exact_merge(
	enum ordo_type state, void *states, const void *others, size_t n, struct ordo_error *error)
{
	if (!is_state(state, error))
		return false;
	ordo_reduce_elements(state, ORDO_SUM, states, others, n);
	return true;
}

bool ordo_exact_round(enum ordo_type type, enum ordo_type state, void *elements, const void *states,
	size_t n, struct ordo_error *error)
{
	if (!are_states_of(state, type, error))
		return false;
	ordo_narrow_elements(type, state, elements, states, n);
	return true;
}
