/* bench_tracing.c - what it costs that a run could be traced, and what it costs to trace it.
 *
 * usage: bench_tracing TRACEABLE UNTRACEABLE TRACED, the runtime as it is, without the comparison
 * before every task, and as it is, as shared objects.
 *
 * Both and the traced one run in turns, in one process, on messages so short that nothing but
 * stepping is left. The ratios are of medians, and of the fastest.
 */
#include "exchanges.h"
#include <dlfcn.h>
#include <ordo/detail/trace.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Plans are made anew several times: with two workers it matters by a tenth where one lies in
 * memory. */
enum { NRANK = 8, NPLAN = 12, NTURN = 168, NTIME = NPLAN * NTURN, MOST_ELEMENTS = 256 };

/* A runtime that was loaded, with a plan of its own. */
struct runtime {
	void *object;
	struct ordo_plan *plan;
	bool (*run_threads)(struct ordo_plan *plan, uint32_t nworker, struct ordo_error *error);
	bool (*run_seeded)(struct ordo_plan *plan, uint64_t seed, struct ordo_error *error);
	double times[NTIME]; /* ns a task */
};

static void insist(bool worked, const char *why)
{
	if (worked)
		return;
	fprintf(stderr, "bench_tracing: %s\n", why);
	exit(1);
}

static double now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Stores the address of a function of the object. */
static void find(void *object, const char *name, void *function)
{
	*(void **)function = dlsym(object, name);
	insist(*(void **)function, name);
}

static void load(struct runtime *runtime, const char *path, const struct ordo_schedule *schedule,
	uint64_t count, bool traced)
{
	static float memory[2][NRANK][MOST_ELEMENTS];
	struct ordo_plan *(*create)(const struct ordo_schedule *, const struct ordo_plan_options *,
		struct ordo_error *);
	bool (*bind)(struct ordo_plan *, uint32_t, void *, void *, struct ordo_error *);
	bool (*trace)(struct ordo_plan *, uint32_t, struct ordo_error *);
	struct ordo_error error;
	runtime->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	insist(runtime->object, path);
	find(runtime->object, "ordo_plan_create", &create);
	find(runtime->object, "ordo_plan_bind", &bind);
	find(runtime->object, "ordo_plan_trace_begin", &trace);
	find(runtime->object, "ordo_plan_run_threads", &runtime->run_threads);
	find(runtime->object, "ordo_plan_run_seeded", &runtime->run_seeded);
	const struct ordo_plan_options options = {
		.type = ORDO_F32, .reduction = ORDO_SUM, .count = count};
	runtime->plan = create(schedule, &options, &error);
	insist(runtime->plan && (!traced || trace(runtime->plan, 1, &error)), "no plan");
	for (uint32_t r = 0; r < NRANK; r++)
		insist(bind(runtime->plan, r, memory[0][r], memory[1][r], &error), "no buffers");
}

static void unload(struct runtime *runtime)
{
	void (*destroy)(struct ordo_plan *);
	find(runtime->object, "ordo_plan_destroy", &destroy);
	destroy(runtime->plan);
}

/* One turn: some calls; nworker 0 is the seeded transport. */
static double time_turn(struct runtime *runtime, uint32_t nworker, uint32_t ntask)
{
	enum { NCALL = 5 };
	const double begin = now_ns();
	for (int call = 0; call < NCALL; call++)
		insist(nworker ? runtime->run_threads(runtime->plan, nworker, NULL)
			       : runtime->run_seeded(runtime->plan, 1, NULL),
			"a run failed");
	return (now_ns() - begin) / NCALL / ntask;
}

static int compare_times(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static void measure(const char *const paths[3], uint64_t count, uint32_t nworker)
{
	enum { NORDER = 6 };
	static const int orders[NORDER][3] = {
		{0, 1, 2}, {2, 1, 0}, {1, 2, 0}, {0, 2, 1}, {2, 0, 1}, {1, 0, 2}};
	static struct runtime runtimes[3]; /* without the comparison, with it, traced */
	struct ordo_schedule *schedule = exchange_ring(NRANK, false, false);
	for (int made = 0; made < NPLAN; made++) {
		const int *order = orders[made % NORDER];
		for (int i = 0; i < 3; i++)
			load(&runtimes[order[i]], paths[order[i]], schedule, count, order[i] == 2);
		/* Whoever is first finds other caches than whoever is second. */
		for (int turn = 0; turn < NTURN; turn++)
			for (int i = 0; i < 3; i++) {
				struct runtime *runtime = &runtimes[orders[turn % NORDER][i]];
				runtime->times[made * NTURN + turn] =
					time_turn(runtime, nworker, schedule->ntask);
			}
		for (int i = 0; i < 3; i++)
			unload(&runtimes[i]);
	}
	for (int i = 0; i < 3; i++)
		qsort(runtimes[i].times, NTIME, sizeof(double), compare_times);
	const double *without = runtimes[0].times, *off = runtimes[1].times,
		     *on = runtimes[2].times;
	printf("%10llu  %-9s %8.1f %8.1f %8.1f %10.3f %8.3f %10.3f\n",
		(unsigned long long)count * sizeof(float),
		nworker == 0   ? "seeded"
		: nworker == 1 ? "1 worker"
			       : "2 workers",
		without[NTIME / 2], off[NTIME / 2], on[NTIME / 2],
		off[NTIME / 2] / without[NTIME / 2], off[0] / without[0],
		on[NTIME / 2] / off[NTIME / 2]);
	ordo_schedule_destroy(schedule);
}

int main(int argc, char **argv)
{
	insist(argc == 4, "usage: bench_tracing TRACEABLE UNTRACEABLE TRACED");
	const char *const paths[3] = {argv[2], argv[1], argv[3]};
	printf("AllReduce of %d ranks round the ring, ns a task\n", NRANK);
	printf("%10s  %-9s %8s %8s %8s %10s %8s %10s\n", "bytes/rank", "", "without", "off", "on",
		"off/without", "fastest", "on/off");
	for (uint64_t count = 2; count <= MOST_ELEMENTS; count *= 128)
		for (uint32_t nworker = 0; nworker <= 2; nworker++)
			measure(paths, count, nworker);
	return 0;
}
