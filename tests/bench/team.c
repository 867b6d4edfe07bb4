/* team.c - a central barrier, and threads. */
#include "team.h"
#include <sched.h>
#include <unistd.h>

uint32_t core_count(void)
{
	const long count = sysconf(_SC_NPROCESSORS_ONLN);
	return count > 0 ? (uint32_t)count : 1;
}

void team_init(struct team *team, uint32_t nthread)
{
	*team = (struct team){.nthread = nthread, .spins = nthread > core_count() ? 0 : 20000};
}

static void pause_a_little(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

void team_barrier(struct team *team)
{
	const unsigned turn = atomic_load_explicit(&team->turn, memory_order_acquire);
	if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 ==
		team->nthread) {
		atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
		atomic_store_explicit(&team->turn, turn + 1, memory_order_release);
		return;
	}
	for (uint32_t i = 0; atomic_load_explicit(&team->turn, memory_order_acquire) == turn; i++) {
		if (i >= team->spins)
			sched_yield();
		else
			pause_a_little();
	}
}

uint64_t team_agree(struct team *team, uint32_t thread, uint64_t value)
{
	if (thread == 0)
		team->value = value;
	team_barrier(team);
	const uint64_t agreed = team->value;
	team_barrier(team);
	return agreed;
}

struct start {
	void (*work)(void *closure, uint32_t thread);
	void *closure;
	uint32_t thread;
	atomic_int *go; /* 1: all are there; -1: give up */
};

static void *begin(void *closure)
{
	const struct start *start = closure;
	int go;
	while ((go = atomic_load(start->go)) == 0)
		sched_yield();
	if (go > 0)
		start->work(start->closure, start->thread);
	return NULL;
}

bool team_run(struct team *team, void (*work)(void *closure, uint32_t thread), void *closure)
{
	pthread_t threads[TEAM_MOST];
	struct start starts[TEAM_MOST];
	atomic_int go = 0;
	uint32_t started = 1;
	if (team->nthread > TEAM_MOST)
		return false;
	for (; started < team->nthread; started++) {
		starts[started] = (struct start){work, closure, started, &go};
		if (pthread_create(&threads[started], NULL, begin, &starts[started]))
			break;
	}
	const bool all = started == team->nthread;
	atomic_store(&go, all ? 1 : -1);
	if (all)
		work(closure, 0);
	for (uint32_t i = 1; i < started; i++)
		pthread_join(threads[i], NULL);
	return all;
}
