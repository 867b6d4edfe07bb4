/* team.h - threads that work together: a barrier that suits more threads than cores, and a way to
 * start them. */
#ifndef BENCH_TEAM_H
#define BENCH_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#define TEAM_MOST 64

struct team {
	uint32_t nthread;
	uint32_t spins; /* before a waiting thread yields: none where threads share a core */
	uint64_t value; /* the leader's, while a barrier is passed */
	_Alignas(64) atomic_uint arrived;
	_Alignas(64) atomic_uint turn;
};

uint32_t core_count(void);
void team_init(struct team *team, uint32_t nthread);
void team_barrier(struct team *team);
/* A barrier; the answer is what thread 0 gave. */
uint64_t team_agree(struct team *team, uint32_t thread, uint64_t value);
/* Runs work(closure, thread) on nthread threads, the calling one as 0 among them. false: a thread
 * cannot be started. */
bool team_run(struct team *team, void (*work)(void *closure, uint32_t thread), void *closure);

#endif
