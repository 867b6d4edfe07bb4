/* interpretation.c - a ring of many ranks with one element a chunk: next to nothing is moved, so
 * that interpretation is what is left. */
#include "contenders.h"
#include "team.h"
#include "timing.h"
#include <inttypes.h>
#include <ordo/communicator.h>
#include <stdio.h>
#include <stdlib.h>

struct tiny {
	struct ordo_plan *plan;
	uint32_t nworker;
	struct ordo_communicator *communicator;
	struct ordo_part *parts;
};

static void nothing_to_touch(void *closure, bool called)
{
	(void)closure;
	(void)called;
}

static void call_tiny(void *closure)
{
	const struct tiny *tiny = closure;
	struct ordo_error error = {0};
	insist(tiny->plan ? ordo_plan_run_threads(tiny->plan, tiny->nworker, &error)
			  : ordo_communicator_run_all(tiny->communicator, tiny->parts, &error),
		&error);
}

static void time_tiny(struct tiny *tiny, const char *engine, uint32_t nworker,
	const struct ordo_schedule *schedule, double budget_s)
{
	const struct member member = {tiny, nothing_to_touch, NULL, call_tiny, NULL, true};
	tiny->nworker = nworker;
	printf("{\"engine\": \"%s\", \"schedule\": \"%s\", \"ranks\": %" PRIu32
	       ", \"workers\": %" PRIu32 ", \"tasks\": %" PRIu32 ", \"us\": %.3f}\n",
		engine, schedule->algorithm, schedule->problem.nrank, nworker, schedule->ntask,
		time_calls(&member, budget_s) * 1e6);
	fflush(stdout);
}

static void time_tiny_communicator(
	struct tiny *tiny, const struct ordo_schedule *schedule, uint32_t nworker, double budget_s)
{
	struct ordo_error error = {0};
	const struct ordo_communicator_options wanted = {
		.nrank = schedule->problem.nrank, .nhelper = nworker - 1};
	tiny->communicator = ordo_communicator_create(&wanted, &error);
	insist(tiny->communicator, &error);
	time_tiny(tiny, "folds", nworker, schedule, budget_s);
	ordo_communicator_destroy(tiny->communicator);
}

/* Inputs of ones and outputs, a line apart: buffers that all lie alike would share few lines of a
 * cache. */
struct ring {
	uint32_t nrank;
	float *buffers;
};
#define LINE 16

static float *ring_input(const struct ring *ring, uint32_t rank)
{
	return ring->buffers + (size_t)rank * (2 * (size_t)ring->nrank + LINE);
}

static float *ring_output(const struct ring *ring, uint32_t rank)
{
	return ring_input(ring, rank) + ring->nrank;
}

/* All outputs are right; and are cleared. */
static void check_ring(const struct ring *ring)
{
	for (uint32_t rank = 0; rank < ring->nrank; rank++)
		for (uint32_t i = 0; i < ring->nrank; i++) {
			float *found = ring_output(ring, rank) + i;
			struct ordo_error wrong = {0};
			snprintf(wrong.text, sizeof(wrong.text),
				"rank %" PRIu32 ", element %" PRIu32 ": found %g, wanted %" PRIu32,
				rank, i, (double)*found, ring->nrank);
			insist(*found == (float)ring->nrank, &wrong);
			*found = 0;
		}
}

static void make_ring(struct ring *ring)
{
	const struct ordo_error none = {.text = "no memory for the buffers of a ring"};
	ring->buffers = calloc(ring->nrank, (2 * (size_t)ring->nrank + LINE) * sizeof(float));
	insist(ring->buffers, &none);
	for (uint32_t rank = 0; rank < ring->nrank; rank++)
		for (uint32_t i = 0; i < ring->nrank; i++)
			ring_input(ring, rank)[i] = 1;
}

/* One, then one a core; then 0. */
static uint32_t more_workers(uint32_t nworker)
{
	return nworker < core_count() ? core_count() : 0;
}

static void time_tasks(const struct ring *ring, const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, double budget_s)
{
	struct ordo_error error = {0};
	struct tiny tiny = {.plan = ordo_plan_create(schedule, options, &error)};
	insist(tiny.plan, &error);
	for (uint32_t rank = 0; rank < ring->nrank; rank++)
		insist(ordo_plan_bind(tiny.plan, rank, ring_input(ring, rank),
			       ring_output(ring, rank), &error),
			&error);
	for (uint32_t nworker = 1; nworker; nworker = more_workers(nworker)) {
		time_tiny(&tiny, "tasks", nworker, schedule, budget_s);
		check_ring(ring);
	}
	ordo_plan_destroy(tiny.plan);
}

static void time_folds(const struct ring *ring, const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, double budget_s)
{
	struct ordo_error error = {.text = "no memory"};
	struct tiny tiny = {.parts = calloc(ring->nrank, sizeof(*tiny.parts))};
	insist(tiny.parts, &error);
	struct ordo_collective *collective = ordo_collective_create(schedule, options, &error);
	insist(collective, &error);
	for (uint32_t rank = 0; rank < ring->nrank; rank++)
		tiny.parts[rank] = (struct ordo_part){.collective = collective,
			.input = ring_input(ring, rank),
			.output = ring_output(ring, rank)};
	for (uint32_t nworker = 1; nworker; nworker = more_workers(nworker)) {
		time_tiny_communicator(&tiny, schedule, nworker, budget_s);
		check_ring(ring);
	}
	ordo_collective_destroy(collective);
	free(tiny.parts);
}

void measure_interpretation(uint32_t nrank, double budget_s)
{
	struct ordo_schedule *schedule = compile(ORDO_ALLREDUCE, nrank, false, "ring");
	const struct ordo_plan_options options = {
		.type = ORDO_F32, .reduction = ORDO_SUM, .count = nrank};
	struct ring ring = {.nrank = nrank};
	make_ring(&ring);
	time_tasks(&ring, schedule, &options, budget_s);
	time_folds(&ring, schedule, &options, budget_s);
	free(ring.buffers);
	ordo_schedule_destroy(schedule);
}
