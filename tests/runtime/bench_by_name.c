/* bench_by_name.c - what a call by name (collectives.h) takes beside a prepared one
 * (communicator.h): by turns, best of many, one thread for all ranks and a thread a rank; the same
 * size again and again, and two sizes by turns.
 *
 * usage: bench_by_name [NRANK]
 */
#include "exchanges.h"
#include <ordo/collectives.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { MOST_RANKS = 64, NTURN = 41 };

static uint32_t nrank = 2;
static struct ordo_communicator *communicator;
static const struct ordo_collective *collectives[2];
static uint64_t counts[2];
static float *inputs[MOST_RANKS], *outputs[MOST_RANKS];
static struct ordo_part parts[2][MOST_RANKS];
static uint32_t ncall;
static double seconds[2][NTURN];
static pthread_barrier_t turn;

static void insist(bool worked, const struct ordo_error *error)
{
	if (worked)
		return;
	ordo_error_write(error, stderr);
	exit(1);
}

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* One turn of a rank. */
static void call(uint32_t rank, bool by_name)
{
	struct ordo_error error;
	for (uint32_t i = 0; i < ncall; i++)
		insist(by_name ? ordo_allreduce(communicator, rank, inputs[rank], outputs[rank],
					 counts[i % 2], ORDO_F32, ORDO_SUM, &error)
			       : ordo_communicator_run(
					 communicator, rank, &parts[i % 2][rank], &error),
			&error);
}

static void call_all(bool by_name)
{
	struct ordo_error error;
	for (uint32_t i = 0; i < ncall; i++)
		insist(by_name ? ordo_allreduce_all(communicator, (const void *const *)inputs,
					 (void *const *)outputs, counts[i % 2], ORDO_F32, ORDO_SUM,
					 &error)
			       : ordo_communicator_run_all(communicator, parts[i % 2], &error),
			&error);
}

static void *take_turns(void *number)
{
	const uint32_t rank = *(const uint32_t *)number;
	for (int i = 0; i < 2 * NTURN; i++) {
		pthread_barrier_wait(&turn);
		const double begin = now_s();
		call(rank, i % 2);
		if (rank == 0)
			seconds[i % 2][i / 2] = now_s() - begin;
	}
	return NULL;
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return *x < *y ? -1 : *x > *y;
}

static void report(const char *who)
{
	for (int i = 0; i < 2; i++)
		qsort(seconds[i], NTURN, sizeof seconds[i][0], compare);
	const double prepared = seconds[0][NTURN / 4] / ncall * 1e9,
		     by_name = seconds[1][NTURN / 4] / ncall * 1e9;
	printf("%-10s %8llu %8llu %12.0f %12.0f %8.3f\n", who, (unsigned long long)counts[0],
		(unsigned long long)counts[1], prepared, by_name, by_name / prepared);
}

static void measure(struct ordo_group *group, uint64_t first, uint64_t second)
{
	struct ordo_error error;
	pthread_t threads[MOST_RANKS];
	uint32_t ranks[MOST_RANKS];
	counts[0] = first;
	counts[1] = second;
	ncall = first + second > 1 << 16 ? 20 : first + second > 1 << 12 ? 300 : 4000;
	for (int i = 0; i < 2; i++) {
		const struct ordo_plan_options options = {.type = ORDO_F32, .count = counts[i]};
		collectives[i] = ordo_group_collective(group, &options, &error);
		insist(collectives[i], &error);
		for (uint32_t r = 0; r < nrank; r++)
			parts[i][r] = (struct ordo_part){.collective = collectives[i],
				.input = inputs[r],
				.output = outputs[r]};
	}
	for (int i = 0; i < 2 * NTURN; i++) {
		const double begin = now_s();
		call_all(i % 2);
		seconds[i % 2][i / 2] = now_s() - begin;
	}
	report("one thread");
	for (uint32_t r = 0; r < nrank; r++) {
		ranks[r] = r;
		if (pthread_create(&threads[r], NULL, take_turns, &ranks[r]))
			exit(1);
	}
	for (uint32_t r = 0; r < nrank; r++)
		pthread_join(threads[r], NULL);
	report("threads");
}

int main(int argc, char **argv)
{
	struct ordo_error error;
	if (argc > 1)
		nrank = (uint32_t)strtoul(argv[1], NULL, 10);
	if (nrank < 1 || nrank > MOST_RANKS)
		return 2;
	struct ordo_schedule *schedule = exchange_ring(nrank, false, false);
	const struct ordo_communicator_options options = {.nrank = nrank};
	struct ordo_group *group = ordo_group_of_schedule(schedule, &error);
	communicator = group ? ordo_communicator_create(&options, &error) : NULL;
	insist(communicator, &error);
	insist(ordo_communicator_bind(communicator, schedule, &error), &error);
	pthread_barrier_init(&turn, NULL, nrank);
	for (uint32_t r = 0; r < nrank; r++)
		if (!(inputs[r] = calloc(1 << 18, 4)) || !(outputs[r] = calloc(1 << 18, 4)))
			return 5;
	printf("%-10s %8s %8s %12s %12s %8s\n", "", "elements", "in turns", "prepared ns",
		"by name ns", "ratio");
	const uint64_t sizes[][2] = {
		{2, 2}, {2, 8}, {256, 256}, {256, 260}, {16384, 16384}, {1 << 18, 1 << 18}};
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		measure(group, sizes[i][0], sizes[i][1]);
	for (uint32_t r = 0; r < nrank; r++) {
		free(inputs[r]);
		free(outputs[r]);
	}
	ordo_communicator_destroy(communicator);
	ordo_group_destroy(group);
	ordo_schedule_destroy(schedule);
	return 0;
}
