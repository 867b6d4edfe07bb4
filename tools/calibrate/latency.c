/* latency.c - measures the latency from a Send on one core to the end of the Wait for it on
 * another. */
#define _GNU_SOURCE /* pthread_setaffinity_np */
#include "latency.h"
#include "check/buffers.h"
#include "microbenchmarks.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { NHOP = 100 };

/* The thread of rank 1: runs whenever `turn` increases, until it is stopped. */
struct partner {
	struct ordo_plan *plan;
	_Atomic uint32_t turn;
	atomic_bool stop;
	cpu_set_t core;
};

static void *follow(void *argument)
{
	struct partner *partner = argument;
	struct ordo_error error;
	pthread_setaffinity_np(pthread_self(), sizeof partner->core, &partner->core);
	for (uint32_t done = 0; !atomic_load(&partner->stop);)
		if (atomic_load(&partner->turn) == done)
			sched_yield();
		else if (++done, !ordo_plan_run_rank(partner->plan, 1, &error))
			return NULL;
	return NULL;
}

/* The first two cores that the calling thread may use. false: there are none. */
static bool find_cores(cpu_set_t *allowed, cpu_set_t core[2])
{
	int found = 0;
	if (sched_getaffinity(0, sizeof *allowed, allowed))
		return false;
	for (int i = 0; i < CPU_SETSIZE && found < 2; i++)
		if (CPU_ISSET(i, allowed)) {
			CPU_ZERO(&core[found]);
			CPU_SET(i, &core[found++]);
		}
	return found == 2;
}

static bool run_there_and_back(void *closure, struct ordo_error *error)
{
	struct partner *partner = closure;
	atomic_fetch_add(&partner->turn, 1);
	return ordo_plan_run_rank(partner->plan, 0, error);
}

static bool hop(struct ordo_plan *plan, const struct measuring *how, struct spread *spread,
	struct ordo_error *error)
{
	struct partner partner = {.plan = plan};
	cpu_set_t allowed, core[2];
	pthread_t thread;
	if (!find_cores(&allowed, core) ||
		pthread_setaffinity_np(pthread_self(), sizeof core[0], &core[0]))
		return true;
	partner.core = core[1];
	bool worked = !pthread_create(&thread, NULL, follow, &partner);
	if (worked) {
		worked = time_runs(run_there_and_back, &partner, how->seconds, spread, error);
		atomic_store(&partner.stop, true);
		pthread_join(thread, NULL);
	} else {
		ordo_fail(error, ORDO_ENVIRONMENT, 0, "could not start a second thread");
	}
	pthread_setaffinity_np(pthread_self(), sizeof allowed, &allowed);
	return worked;
}

bool measure_hops(const struct measuring *how, struct spread *spread, struct ordo_error *error)
{
	const struct ordo_plan_options options = {
		.type = how->type, .reduction = how->reduction, .count = 1};
	struct buffers buffers = {.nrank = 0};
	*spread = (struct spread){.count = 0};
	struct ordo_schedule *schedule = make_pingpong(NHOP, error);
	struct ordo_plan *plan = schedule ? ordo_plan_create(schedule, &options, error) : NULL;
	const bool worked =
		plan && allocate_and_bind(&buffers, plan, &schedule->problem, &options, error) &&
		hop(plan, how, spread, error);
	*spread = scale_spread(spread, 1.0 / NHOP, 0);
	ordo_plan_destroy(plan);
	free_buffers(&buffers);
	ordo_schedule_destroy(schedule);
	return worked;
}
