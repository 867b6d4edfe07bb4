/* timing.c - batches of touches, and of touches with calls. */
#include "timing.h"
#include <stdlib.h>
#include <time.h>

#define LONG_S 0.3 /* a batch that takes so long is measured once */
#define LEAST_BATCHES 3
#define MOST_BATCHES 25
#define BATCH_S 0.008

double now_s(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static uint64_t agree(const struct member *member, uint64_t value)
{
	return member->agree ? member->agree(member->closure, value) : value;
}

static void touch(const struct member *member, bool called)
{
	member->touch(member->closure, called);
	if (member->meet)
		member->meet(member->closure);
}

static void touch_and_call(const struct member *member, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++) {
		touch(member, true);
		member->call(member->closure);
	}
}

/* Seconds that n touches take, with or without calls. One goes before, untimed, so that every timed touch comes after what it comes after in
 * the long run. The last thing before is a call, and so is the last thing after one with calls. */
static double time_batch(const struct member *member, uint64_t n, bool calls)
{
	touch(member, true);
	if (calls)
		member->call(member->closure);
	agree(member, 0);
	const double begin = now_s();
	if (calls)
		touch_and_call(member, n);
	else
		for (uint64_t i = 0; i < n; i++)
			touch(member, false);
	agree(member, 0);
	const double took = now_s() - begin;
	/* Touches alone leave the inputs as no call has seen them. */
	if (!calls)
		member->call(member->closure);
	return took;
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

double time_calls(const struct member *member, double budget_s)
{
	member->call(member->closure);
	uint64_t n = 1;
	double took = 0;
	for (;;) {
		took = time_batch(member, n, true);
		const uint64_t next = took >= BATCH_S ? n : took * 8 < BATCH_S ? n * 8 : n * 2;
		const uint64_t agreed = agree(member, next);
		if (agreed == n)
			break;
		n = agreed;
	}
	const uint64_t least = took > LONG_S ? 1 : LEAST_BATCHES;
	uint64_t nbatch = (uint64_t)(budget_s / (2 * took));
	nbatch = agree(member, nbatch < least ? least : nbatch > MOST_BATCHES ? MOST_BATCHES : nbatch);
	double samples[MOST_BATCHES];
	for (uint64_t i = 0; i < nbatch; i++) {
		const double touches = time_batch(member, n, false);
		samples[i] = (time_batch(member, n, true) - touches) / (double)n;
	}
	qsort(samples, nbatch, sizeof(*samples), ascending);
	return samples[nbatch / 2];
}
