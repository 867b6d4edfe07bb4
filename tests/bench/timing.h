/* timing.h - how long a call takes when owners touch their buffers between calls.
 *
 * Time of (touch + call), less the time of touch alone: what a call costs when inputs were just
 * written and outputs are then read by those who own them. Loops of calls alone would leave each
 * slice in the cache of the core that folds it.
 */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

#include <stdbool.h>
#include <stdint.h>

/* One of those who take part: a thread or a process with its ranks, or one thread that drives
 * all. */
struct member {
	void *closure;
	void (*touch)(void *closure, bool called);
	/* Waits for all members, between touch and call, where a call would let one of them run
	 * ahead of the others; NULL otherwise. Its time is subtracted with that of touch. */
	void (*meet)(void *closure);
	void (*call)(void *closure);
	/* Waits for all members; the answer is the leader's value. NULL: there is one member. */
	uint64_t (*agree)(void *closure, uint64_t value);
	bool leader;
};

double now_s(void);
/* Called by every member. The leader's answer, in seconds, is the median of many short batches,
 * which take about budget_s together, more if a call is long (and then it is that of one batch). At
 * least two calls are made, the last thing is one. */
double time_calls(const struct member *member, double budget_s);

#endif
