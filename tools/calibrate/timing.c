/* timing.c - measures repeated runs of a schedule's tasks on threads. */
#include "timing.h"
#include "base/clock.h"
#include "check/buffers.h"
#include <stdlib.h>
#include <string.h>

enum { FEWEST_RUNS = 3, MOST_RUNS = 2000, WARMING_RUNS = 2 };

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Interpolates between adjacent values. */
static double quantile(const double *sorted, uint32_t count, double share)
{
	const double at = share * (count - 1);
	const uint32_t below = (uint32_t)at;
	const double rest = at - below;
	return below + 1 < count ? sorted[below] * (1 - rest) + sorted[below + 1] * rest
				 : sorted[below];
}

static struct spread spread_of(double *seconds, uint32_t count)
{
	qsort(seconds, count, sizeof *seconds, compare);
	return (struct spread){.count = count,
		.first_quartile = quantile(seconds, count, 0.25),
		.median = quantile(seconds, count, 0.5),
		.third_quartile = quantile(seconds, count, 0.75)};
}

struct spread scale_spread(const struct spread *spread, double factor, double less)
{
	return (struct spread){.count = spread->count,
		.first_quartile = factor * spread->first_quartile - less,
		.median = factor * spread->median - less,
		.third_quartile = factor * spread->third_quartile - less};
}

struct spread rate_of(const struct spread *seconds, double work)
{
	return (struct spread){.count = seconds->count,
		.first_quartile = work / seconds->third_quartile,
		.median = work / seconds->median,
		.third_quartile = work / seconds->first_quartile};
}

/* States of sums take as long to add as their bins differ, which numbers of one size rarely do: in
 * (-1, 1), one in 2^k of which is below 2^-k. */
static void fill_states(enum ordo_type type, void *states, uint64_t nbyte)
{
	uint64_t bits = 1;
	for (uint64_t i = 0; i < nbyte / ordo_type_size(type); i++) {
		bits = bits * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		ordo_element_put(type, states, i, (double)((int64_t)bits >> 11) * 0x1p-52);
	}
}

static void fill(enum ordo_type type, void *buffer, uint64_t nbyte)
{
	enum { PATTERN = 0x2f }; /* in any type a small positive number */
	if (buffer && ordo_type_facts(type)->kind == ORDO_STATE)
		fill_states(type, buffer, nbyte);
	else if (buffer)
		memset(buffer, PATTERN, nbyte);
}

/* Fills the buffers, touching every page. */
static void touch(const struct buffers *buffers, const struct ordo_plan *plan, enum ordo_type type)
{
	for (uint32_t rank = 0; rank < buffers->nrank; rank++) {
		fill(type, buffers->inputs[rank], ordo_plan_input_bytes(plan, rank));
		fill(type, buffers->outputs[rank], ordo_plan_output_bytes(plan, rank));
	}
}

bool time_runs(timed_run *run, void *closure, double seconds, struct spread *spread,
	struct ordo_error *error)
{
	double taken[MOST_RUNS];
	uint32_t count = 0;
	double began = clock_seconds();
	for (uint32_t turn = 0;; turn++) {
		const double start = clock_seconds();
		if (turn == WARMING_RUNS)
			began = start;
		if (count == MOST_RUNS || (count >= FEWEST_RUNS && start - began > seconds))
			break;
		if (!run(closure, error))
			return false;
		if (turn >= WARMING_RUNS)
			taken[count++] = clock_seconds() - start;
	}
	*spread = spread_of(taken, count);
	return true;
}

/* A plan on so many threads. */
struct crew {
	struct ordo_plan *plan;
	uint32_t nworker;
};

static bool run_crew(void *closure, struct ordo_error *error)
{
	const struct crew *crew = closure;
	return ordo_plan_run_threads(crew->plan, crew->nworker, error);
}

bool measure_runs(const struct ordo_schedule *schedule, const struct measuring *how,
	struct spread *spread, struct ordo_error *error)
{
	const struct ordo_plan_options options = {
		.type = how->type, .reduction = how->reduction, .count = how->count};
	struct buffers buffers = {.nrank = 0};
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, error);
	bool worked =
		plan && allocate_and_bind(&buffers, plan, &schedule->problem, &options, error);
	if (worked) {
		touch(&buffers, plan, how->type);
		struct crew crew = {plan, how->nworker};
		worked = time_runs(run_crew, &crew, how->seconds, spread, error);
	}
	ordo_plan_destroy(plan);
	free_buffers(&buffers);
	return worked;
}
