/* trace.h - records when the tasks of a plan begin and end. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_TRACE_H
#define ORDO_RUNTIME_TASKS_TRACE_H

#include "step.h"
#include <time.h>

struct record {
	uint64_t begin_ns, end_ns;
	uint32_t worker;
	/* the round, counted from 1, modulo 2^32; a record of another round is stale */
	uint32_t stamp;
};

struct trace {
	uint64_t nround;	     /* kept: round r at r % nround */
	struct record *records;	     /* [nround][ntask] */
	struct ordo_pairing pairing; /* of Waits with Notifies, in one round */
};

static inline struct record *record_of(
	const struct trace *trace, uint64_t round, uint32_t ntask, uint32_t task)
{
	return &trace->records[round % trace->nround * ntask + task];
}

static inline uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

void ordo_trace_destroy(struct trace *trace); /* takes NULL */

/* ordo_step, and records it. */
enum step_result ordo_step_traced(
	struct ordo_plan *plan, uint32_t stream, uint32_t worker, uint32_t *woken);

/* Runs one task of a stream on a worker, as ordo_step does, and records it if the plan is traced.
 * Only a benchmark defines UNTRACEABLE, to measure the cost of the comparison. */
static inline enum step_result step_on(
	struct ordo_plan *plan, uint32_t stream, uint32_t worker, uint32_t *woken)
{
#ifndef UNTRACEABLE
	if (__builtin_expect(plan->trace != NULL, 0))
		return ordo_step_traced(plan, stream, worker, woken);
#else
	(void)worker;
#endif
	return ordo_step(plan, stream, woken);
}

#endif
