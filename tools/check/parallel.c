/* parallel.c - the same work on many items, on all processors. */
#include "parallel.h"
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { MOST_WORKERS = 64 };

struct crew {
	uint64_t nitem;
	_Atomic uint64_t next;
	void (*work)(void *closure, uint64_t item, uint32_t worker);
	void *closure;
};

struct worker {
	struct crew *crew;
	uint32_t number;
};

uint32_t parallel_width(uint64_t nitem)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t width = processors < 1		     ? 1
			 : processors > MOST_WORKERS ? MOST_WORKERS
						     : (uint64_t)processors;
	return (uint32_t)(width < nitem ? width : nitem ? nitem : 1);
}

static void *take_items(void *argument)
{
	const struct worker *worker = argument;
	struct crew *crew = worker->crew;
	for (;;) {
		const uint64_t item = atomic_fetch_add(&crew->next, 1);
		if (item >= crew->nitem)
			return NULL;
		crew->work(crew->closure, item, worker->number);
	}
}

void for_each(uint64_t nitem, uint32_t width,
	void (*work)(void *closure, uint64_t item, uint32_t worker), void *closure)
{
	struct crew crew = {.nitem = nitem, .work = work, .closure = closure};
	struct worker workers[MOST_WORKERS];
	pthread_t threads[MOST_WORKERS];
	uint32_t started = 1;
	assert(width >= 1 && width <= MOST_WORKERS);
	for (uint32_t i = 0; i < width; i++)
		workers[i] = (struct worker){&crew, i};
	/* A thread that cannot be had is work that the others do. */
	while (started < width &&
		!pthread_create(&threads[started], NULL, take_items, &workers[started]))
		started++;
	take_items(&workers[0]);
	for (uint32_t i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
}
