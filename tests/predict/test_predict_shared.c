/* test_predict_shared.c - every algorithm on topologies that make it share: the times are those of
 * the plain reference, and what must hold of any prediction does.
 *
 * usage: test_predict_shared [FIRST LAST EVERY]: ranks (2..6), and every so manieth schedule (4)
 */
#include "predict_reference.h"
#include "specimens.h"
#include <math.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

static uint32_t first_rank = 2, last_rank = 6, every = 4, nseen;

static bool near(double a, double b)
{
	return fabs(a - b) <= 1e-8 * fmax(fabs(a), fabs(b));
}

/* Times go forward, along streams and from Notify to Wait, and the path of causes has no gap. */
static void check_timeline(
	const struct specimen *specimen, const struct ordo_prediction *prediction)
{
	const struct ordo_schedule *schedule = prediction->timeline->schedule;
	const struct ordo_timed_task *tasks = prediction->timeline->tasks;
	double last = 0;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
			const double before = i > schedule->streams[s].first ? tasks[i - 1].end : 0;
			bool good = tasks[i].ready == before && tasks[i].ready <= tasks[i].begin &&
				    tasks[i].begin <= tasks[i].end;
			if (schedule->tasks[i].kind == ORDO_WAIT)
				good &= tasks[tasks[i].notify].end <= tasks[i].end;
			else
				good &= tasks[i].notify == ORDO_NONE;
			if (!good)
				fail_msg("%s: task %u: %g %g %g", specimen->title, i,
					tasks[i].ready, tasks[i].begin, tasks[i].end);
		}
	for (uint32_t i = 0; i < prediction->npath; i++) {
		assert_true(tasks[prediction->path[i]].begin == last);
		last = tasks[prediction->path[i]].end;
	}
	assert_true(last == prediction->timeline->total);
}

static void check_sums(const struct specimen *specimen, const struct ordo_prediction *prediction)
{
	const struct ordo_breakdown *parts = &prediction->breakdown;
	const double sum = parts->latency + parts->wire + parts->sharing + parts->reduce +
			   parts->copy + parts->waiting;
	const struct ordo_time_bounds *bounds = &prediction->bounds;
	const double bound =
		fmax(fmax(bounds->steps, bounds->volume), fmax(bounds->reduce, bounds->cut));
	if (!near(sum, prediction->timeline->total))
		fail_msg("%s: parts sum to %g of %g", specimen->title, sum,
			prediction->timeline->total);
	if (bound > prediction->timeline->total * (1 + 1e-9))
		fail_msg("%s: %g is below its bound: steps %g, volume %g, reduce %g, cut %g",
			specimen->title, prediction->timeline->total, bounds->steps, bounds->volume,
			bounds->reduce, bounds->cut);
	assert_true(prediction->busiest_share <= 1 + 1e-9);
}

static void check_loads(const struct specimen *specimen, const struct ordo_prediction *prediction,
	const struct ordo_topology *topology, const double *moved)
{
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link_load *load = &prediction->links[i];
		const double least = load->bytes * 1e-9 / topology->links[i].bandwidth_gbs;
		if (!near(load->bytes, moved[i]) || load->busy < least * (1 - 1e-9) ||
			load->busy > prediction->timeline->total * (1 + 1e-9) ||
			(load->most > 0) != (load->bytes > 0))
			fail_msg("%s: link %u: %g bytes, %g are wanted; busy %g s of %g, at least "
				 "%g",
				specimen->title, i, load->bytes, moved[i], load->busy,
				prediction->timeline->total, least);
	}
}

static void check_specimen(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	const struct ordo_topology *topology = closure;
	struct ordo_error error = {0};
	/* The reference takes the square of the tasks; and in many hundreds of moves at once, which
	 * end by design in the same moment, a rounding decides which of two rates comes first. */
	enum { MOST_PACKED_TASKS = 400 };
	if ((!strncmp(specimen->algorithm, "packing", strlen("packing")) ||
		    !strncmp(specimen->algorithm, "placed", strlen("placed"))) &&
		schedule->ntask > MOST_PACKED_TASKS)
		return;
	const struct ordo_predict_options options = {.topology = topology, .bytes = 10000};
	double *ends = calloc((size_t)schedule->ntask + 1, sizeof *ends),
	       *moved = calloc((size_t)topology->nlink + 1, sizeof *moved);
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
	if (!prediction)
		fail_msg("%s: %s", specimen->title, error.text);
	predict_reference(schedule, topology, (double)options.bytes, ends, moved);
	for (uint32_t i = 0; i < schedule->ntask; i++)
		if (!near(prediction->timeline->tasks[i].end, ends[i]))
			fail_msg("%s on %s: task %u ends at %.12g, wanted %.12g", specimen->title,
				topology->name, i, prediction->timeline->tasks[i].end, ends[i]);
	check_timeline(specimen, prediction);
	check_sums(specimen, prediction);
	check_loads(specimen, prediction, topology, moved);
	ordo_prediction_destroy(prediction);
	free(ends);
	free(moved);
	nseen++;
}

static void check_topology(const char *name, uint32_t nrank, uint32_t ports)
{
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_make(name, nrank, &error);
	if (!topology)
		return;
	/* No two links alike, so that nothing ends together by chance. */
	topology->ports = ports;
	topology->reduce_gbs = 20;
	topology->copy_gbs = 35;
	for (uint32_t i = 0; i < topology->nlink; i++)
		topology->links[i].bandwidth_gbs *= 1 + i * 37 % 11 / 20.0;
	assert_true(ordo_topology_finish(topology, &error));
	const struct specimen_range range = {.topology = topology,
		.first_rank = nrank,
		.last_rank = nrank,
		.every = every,
		.all_parameters = true};
	const struct specimen_count count = visit_specimens(&range, check_specimen, topology);
	assert_int_equal(count.failed, 0);
	ordo_topology_destroy(topology);
}

static void times_are_those_of_the_reference(void **state)
{
	(void)state;
	for (uint32_t nrank = first_rank; nrank <= last_rank; nrank++) {
		char servers[64];
		snprintf(servers, sizeof servers, "servers:%ux%u,spines=1,oversubscription=4",
			nrank / 2, 2);
		check_topology("full-mesh", nrank, 0);
		check_topology("full-mesh", nrank, 2);
		check_topology("star", nrank, 1);
		check_topology("ring", nrank, 0);
		check_topology("hypercube", nrank, 1);
		if (nrank % 2 == 0)
			check_topology(servers, nrank, 0);
	}
	print_message("%u predictions\n", nseen);
	assert_true(nseen > 100);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(times_are_those_of_the_reference)};
	if (argc > 3) {
		first_rank = (uint32_t)strtoul(argv[1], NULL, 10);
		last_rank = (uint32_t)strtoul(argv[2], NULL, 10);
		every = (uint32_t)strtoul(argv[3], NULL, 10);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
