/* sleep.h - sleeps until a word changes. Private to runtime/. */
#ifndef ORDO_SLEEP_H
#define ORDO_SLEEP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Sleeps while the word has that value, for at most timeout_ms (UINT32_MAX: no limit); may wake up
 * spuriously. Orders no memory accesses: the word does. */
void ordo_sleep(_Atomic uint32_t *word, uint32_t value, uint32_t timeout_ms);
/* Wakes all threads that sleep on the word; call it after changing the word. */
void ordo_wake(_Atomic uint32_t *word);

/* Of the monotonic clock. */
uint64_t ordo_now_ms(void);

/* Lets other threads run. false: they ran so long that sleeping costs less than yielding again, as
 * where other programs use the cores. */
bool ordo_yield(void);

/* A pause inside a spin loop. */
static inline void ordo_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
