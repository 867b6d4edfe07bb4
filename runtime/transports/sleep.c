/* sleep.c - sleeps until a word changes, by futex where the system has them. */
#include "sleep.h"
#include <limits.h>
#include <sched.h>
#include <time.h>

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t ordo_now_ms(void)
{
	return now_ns() / 1000000;
}

bool ordo_yield(void)
{
	/* A third of the slice that a busy thread gets, and 20 times what sleep and wake take. */
	enum { LONG_NS = 1000000 };
	const uint64_t begin = now_ns();
	sched_yield();
	return now_ns() - begin < LONG_NS;
}

#ifdef __linux__
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

_Static_assert(sizeof(_Atomic uint32_t) == 4, "a futex is 32 bits");

void ordo_sleep(_Atomic uint32_t *word, uint32_t value, uint32_t timeout_ms)
{
	struct timespec timeout = {timeout_ms / 1000, timeout_ms % 1000 * 1000000L};
	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value,
		timeout_ms == UINT32_MAX ? NULL : &timeout, NULL, 0);
}

void ordo_wake(_Atomic uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}
#else
/* Without futexes: polls every 50 us. */
void ordo_sleep(_Atomic uint32_t *word, uint32_t value, uint32_t timeout_ms)
{
	const struct timespec nap = {0, 50000};
	for (uint64_t naps = 0; atomic_load_explicit(word, memory_order_relaxed) == value; naps++) {
		if (timeout_ms != UINT32_MAX && naps / 20 >= timeout_ms)
			return;
		nanosleep(&nap, NULL);
	}
}

void ordo_wake(_Atomic uint32_t *word)
{
	(void)word;
}
#endif
