/* sizes.c - sizes: from bytes to the elements of a block, and the sizes of a table. */
#include "sizes.h"
#include "memory_limit.h"
#include <inttypes.h>
#include <ordo/memory.h>
#include <ordo/plan_set.h>
#include <unistd.h>

enum { FIRST_SIZE = 8, ONE_SIZE = 1 << 20, USUAL_FACTOR = 2, MOST_SIZES = 10000 };

uint64_t blocks_of_rank(const struct ordo_problem *problem)
{
	return problem->op == ORDO_ALLTOALL ? problem->nrank : ordo_nblock(problem);
}

uint64_t bytes_of_one(const struct ordo_problem *problem, enum ordo_type type)
{
	return ordo_type_size(type) * blocks_of_rank(problem);
}

uint64_t bytes_of_count(const struct ordo_problem *problem, enum ordo_type type, uint64_t count)
{
	return count * bytes_of_one(problem, type);
}

uint64_t count_of_bytes(const struct ordo_problem *problem, enum ordo_type type, uint64_t bytes)
{
	return bytes / bytes_of_one(problem, type);
}

void note_cut(struct call *call, const struct ordo_problem *problem, enum ordo_type type,
	uint64_t bytes, uint64_t cut)
{
	const uint64_t nblock = blocks_of_rank(problem);
	if (nblock == 1)
		note(call, "%" PRIu64 " B cut to %" PRIu64 " B, whole elements of %s", bytes, cut,
			ordo_type_name(type));
	else
		note(call,
			"%" PRIu64 " B cut to %" PRIu64
			" B, equally many elements of %s in each of %" PRIu64 " blocks",
			bytes, cut, ordo_type_name(type), nblock);
}

double bus_factor(const struct ordo_problem *problem)
{
	const double n = problem->nrank, others = (n - 1) / n;
	if (problem->op == ORDO_ALLREDUCE)
		return 2 * others;
	return problem->op == ORDO_REDUCE || problem->op == ORDO_BROADCAST ? 1 : others;
}

double bytes_of_buffers(const struct ordo_problem *problem, enum ordo_type type, uint64_t count)
{
	double blocks = 0;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const double input = ordo_input_slots(problem, rank),
			     output = ordo_output_slots(problem, rank);
		blocks += (problem->in_place ? (input > output ? input : output) : input + output) /
			  problem->chunks_per_block;
	}
	return blocks * (double)count * (double)ordo_type_size(type);
}

bool fits_memory(
	struct call *call, const struct ordo_problem *problem, enum ordo_type type, uint64_t count)
{
	return bytes_fit_memory(call, problem, count, bytes_of_buffers(problem, type, count));
}

bool bytes_fit_memory(
	struct call *call, const struct ordo_problem *problem, uint64_t count, double needed)
{
	const double there = (double)ordo_memory_limit();
	struct ordo_error error = {0};
	char wanted[ORDO_UNITS_SIZE], present[ORDO_UNITS_SIZE];
	if (needed <= there)
		return true;
	ordo_fail(&error, ORDO_ENVIRONMENT, 0,
		"%" PRIu64 " elements a block take %s in the buffers of %" PRIu32
		" ranks, and %s %s",
		count, ordo_bytes_text(wanted, needed), problem->nrank,
		memory_is_limited ? "there is" : "this machine has",
		ordo_bytes_text(present, there));
	ordo_hint(&error, "a smaller size, or fewer ranks; --memory-limit SIZE allows more");
	return refuse_error(call, &error);
}

static bool read_steps(struct call *call, struct size_range *range)
{
	const bool several = range->begin < range->end;
	if (range->factor != UNSET_SIZE && range->step != UNSET_SIZE)
		return refuse_usage(call, NULL, "--factor and --step: give one of them");
	if (several && range->factor != UNSET_SIZE && range->factor < 2)
		return refuse_usage(call, "--step adds instead of multiplying",
			"--factor: found %" PRIu64 ", wanted at least 2", range->factor);
	if (several && !range->step)
		return refuse_usage(call, NULL, "--step: found 0, wanted at least 1");
	if (range->factor == UNSET_SIZE)
		range->factor = range->step == UNSET_SIZE ? USUAL_FACTOR : 0;
	if (range->step == UNSET_SIZE)
		range->step = 0;
	if (several && range->factor && !range->begin)
		return refuse_usage(call, "--step, or another --begin",
			"--begin: found 0, which no factor makes larger");
	return true;
}

bool read_size_range(struct call *call, struct size_range *range)
{
	const bool stepping = range->factor != UNSET_SIZE || range->step != UNSET_SIZE;
	if (range->end == UNSET_SIZE && stepping)
		return refuse_usage(call, "for example --end 64MiB",
			"--factor and --step lead from --begin to --end, and "
			"there is no --end");
	if (range->begin == UNSET_SIZE)
		range->begin = range->end == UNSET_SIZE ? ONE_SIZE : FIRST_SIZE;
	if (range->end == UNSET_SIZE)
		range->end = range->begin;
	if (range->end > ORDO_BYTES_LIMIT)
		return refuse_usage(call, NULL, "--end: found %" PRIu64 ", wanted at most %" PRIu64,
			range->end, ORDO_BYTES_LIMIT);
	if (range->begin > range->end)
		return refuse_usage(call, NULL,
			"--begin: found %" PRIu64 ", wanted at most --end, which is %" PRIu64,
			range->begin, range->end);
	if (!read_steps(call, range))
		return false;
	const uint64_t most = MOST_SIZES, count = count_sizes(range);
	return count <= most || refuse_usage(call, "a larger --step, or --factor",
					"found %" PRIu64 " sizes from %" PRIu64 " to %" PRIu64
					", wanted at most %" PRIu64,
					count, range->begin, range->end, most);
}

bool next_size(const struct size_range *range, uint64_t *size)
{
	if (*size == range->end || (range->factor ? *size > range->end / range->factor
						  : range->step > range->end - *size))
		return false;
	*size = range->factor ? *size * range->factor : *size + range->step;
	return true;
}

uint64_t count_sizes(const struct size_range *range)
{
	uint64_t count = 1;
	if (!range->factor && range->step)
		return (range->end - range->begin) / range->step + 1;
	for (uint64_t size = range->begin; next_size(range, &size); count++)
		continue;
	return count;
}
