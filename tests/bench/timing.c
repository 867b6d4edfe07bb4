/* timing.c - batches of touches, and of touches with calls. */
#include "timing.h"
#include <stdlib.h>
#include <time.h>

#define LONG_S 0.3 /* a batch that takes so long is measured once */
#define LEAST_BATCHES 3
#define MOST_BATCHES 301
/* Short, so that a host which takes a core away for some milliseconds spoils few batches, and the
 * median none. */
#define BATCH_S 0.002
#define WARM_S 0.05

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

/* Seconds that n touches take, with or without calls. One goes before, untimed, so that every timed
 * touch comes after what it comes after in the long run. The last thing before is a call, and so is
 * the last thing after one with calls. */
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

/* A core that has idled is not given back at once by a host that others use too. */
static void warm_up(const struct member *member)
{
	const double end = now_s() + WARM_S;
	do
		touch_and_call(member, 1);
	while (agree(member, now_s() < end));
}

/* How many touches and calls make a batch; *took is how long they take. */
static uint64_t batch_size(const struct member *member, double *took)
{
	uint64_t n = 1;
	for (;;) {
		*took = time_batch(member, n, true);
		const uint64_t next = *took >= BATCH_S ? n : *took * 8 < BATCH_S ? n * 8 : n * 2;
		const uint64_t agreed = agree(member, next);
		if (agreed == n)
			return n;
		n = agreed;
	}
}

double time_calls(const struct member *member, double budget_s)
{
	double took;
	member->call(member->closure);
	warm_up(member);
	const uint64_t n = batch_size(member, &took);
	const uint64_t least = agree(member, took > LONG_S ? 1 : LEAST_BATCHES);
	const double end = now_s() + budget_s;
	double samples[MOST_BATCHES];
	uint64_t nbatch = 0;
	do {
		const double touches = time_batch(member, n, false);
		samples[nbatch++] = (time_batch(member, n, true) - touches) / (double)n;
	} while (agree(member, nbatch < least || (nbatch < MOST_BATCHES && now_s() < end)));
	qsort(samples, nbatch, sizeof(*samples), ascending);
	return samples[nbatch / 2];
}
