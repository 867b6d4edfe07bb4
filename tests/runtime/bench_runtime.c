/* bench_runtime.c - how long an AllReduce of eight ranks takes beside a plain loop that copies and
 * adds as many bytes. */
#include "exchanges.h"
#include <ordo/runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NRANK 8

struct buffers {
	float *inputs[NRANK], *outputs[NRANK];
	uint64_t count;
};

static double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void insist(bool worked, const struct ordo_error *error)
{
	if (worked)
		return;
	fprintf(stderr, "bench_runtime: %s\n", error->text);
	exit(1);
}

/* The same work without signals, tasks and threads: every rank copies its input, receives N-1 sums
 * and N-1 copies, chunk by chunk. */
static void copy_and_add(const struct buffers *buffers)
{
	const uint64_t chunk = buffers->count / NRANK;
	for (int r = 0; r < NRANK; r++)
		memcpy(buffers->outputs[r], buffers->inputs[r], buffers->count * sizeof(float));
	for (int step = 0; step < NRANK - 1; step++)
		for (int r = 0; r < NRANK; r++) {
			const uint64_t at = (uint64_t)((r + NRANK - step) % NRANK) * chunk;
			ordo_reduce_elements(ORDO_F32, ORDO_SUM,
				buffers->outputs[(r + 1) % NRANK] + at, buffers->outputs[r] + at,
				chunk);
		}
	for (int step = 0; step < NRANK - 1; step++)
		for (int r = 0; r < NRANK; r++) {
			const uint64_t at = (uint64_t)((r + NRANK + 1 - step) % NRANK) * chunk;
			memcpy(buffers->outputs[(r + 1) % NRANK] + at, buffers->outputs[r] + at,
				chunk * sizeof(float));
		}
}

/* Best of several runs, in seconds; nworker UINT32_MAX is the plain loop. */
static double time_runs(
	struct ordo_plan *plan, const struct buffers *buffers, uint32_t nworker, int nrun)
{
	struct ordo_error error = {0};
	double best = 1e9;
	for (int run = 0; run < nrun; run++) {
		double begin = now_s();
		if (nworker == UINT32_MAX)
			copy_and_add(buffers);
		else
			insist(ordo_plan_run_threads(plan, nworker, &error), &error);
		double took = now_s() - begin;
		best = took < best ? took : best;
	}
	return best;
}

static void measure(const struct ordo_schedule *schedule, uint64_t bytes, uint64_t tile_bytes)
{
	struct ordo_error error = {0};
	struct buffers buffers = {.count = bytes / sizeof(float)};
	struct ordo_plan_options options = {.type = ORDO_F32,
		.reduction = ORDO_SUM,
		.count = buffers.count,
		.tile_bytes = tile_bytes};
	struct ordo_plan *plan = ordo_plan_create(schedule, &options, &error);
	insist(plan, &error);
	for (uint32_t r = 0; r < NRANK; r++) {
		buffers.inputs[r] = calloc(1, bytes);
		buffers.outputs[r] = calloc(1, bytes);
		insist(buffers.inputs[r] && buffers.outputs[r] &&
				ordo_plan_bind(
					plan, r, buffers.inputs[r], buffers.outputs[r], &error),
			&error);
		memset(buffers.inputs[r], 0, bytes);
	}
	const int nrun = bytes <= 4096 ? 2000 : bytes <= 4 << 20 ? 50 : 3;
	const double plain = time_runs(plan, &buffers, UINT32_MAX, nrun);
	const double ranks = time_runs(plan, &buffers, 0, nrun),
		     two = time_runs(plan, &buffers, 2, nrun),
		     one = time_runs(plan, &buffers, 1, nrun);
	printf("%10llu %8lld %12.1f %12.1f %6.2f %12.1f %6.2f %12.1f %6.2f\n",
		(unsigned long long)bytes, (long long)tile_bytes, plain * 1e6, ranks * 1e6,
		ranks / plain, two * 1e6, two / plain, one * 1e6, one / plain);
	ordo_plan_destroy(plan);
	for (int r = 0; r < NRANK; r++) {
		free(buffers.inputs[r]);
		free(buffers.outputs[r]);
	}
}

/* Arguments: bytes per rank, and tile_bytes; without any, three sizes. */
int main(int argc, char **argv)
{
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, false);
	printf("%10s %8s %12s %12s %6s %12s %6s %12s %6s\n", "bytes/rank", "tile", "plain us",
		"8 threads", "ratio", "2 workers", "ratio", "1 worker", "ratio");
	if (argc > 1)
		measure(schedule, strtoull(argv[1], NULL, 10),
			argc > 2 ? strtoull(argv[2], NULL, 10) : 0);
	else
		for (uint64_t bytes = 1 << 10; bytes <= 64 << 20;
			bytes *= bytes == 1 << 10 ? 1024 : 64)
			measure(schedule, bytes, 0);
	ordo_schedule_destroy(schedule);
	return 0;
}
