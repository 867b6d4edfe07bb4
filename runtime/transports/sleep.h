/* sleep.h - sleeping until a word changes. Private to runtime/. */
#ifndef ORDO_SLEEP_H
#define ORDO_SLEEP_H

#include <stdatomic.h>
#include <stdint.h>

/* Sleeps while the word has that value, at most timeout_ms (UINT32_MAX: no limit); may return early
 * for no reason. The word carries all ordering. */
void ordo_sleep(_Atomic uint32_t *word, uint32_t value, uint32_t timeout_ms);
/* Wakes everybody who sleeps on the word; it has been changed before. */
void ordo_wake(_Atomic uint32_t *word);

/* Of a clock that is never set. */
uint64_t ordo_now_ms(void);

/* A moment's patience inside a loop that looks at a word. */
static inline void ordo_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

#endif
