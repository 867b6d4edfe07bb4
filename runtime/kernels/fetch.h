/* fetch.h - prefetches memory. Private to runtime/. */
#ifndef ORDO_RUNTIME_KERNELS_FETCH_H
#define ORDO_RUNTIME_KERNELS_FETCH_H

/* Prefetches the cache line of an address for writing, so that a later write need not wait for
 * another core. Any address is valid; nothing is read or written. */
static inline void fetch_for_writing(const void *address)
{
#if defined(__x86_64__)
	/* In assembly, because compilers emit prefetchw only for CPUs known to have it; others
	 * ignore it. */
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
	__builtin_prefetch(address, 1);
#endif
}

#endif
