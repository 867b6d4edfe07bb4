/* fetch.h - asks for memory before it is needed. Private to runtime/. */
#ifndef ORDO_RUNTIME_KERNELS_FETCH_H
#define ORDO_RUNTIME_KERNELS_FETCH_H

/* The line of an address, to be written to soon: takes it from another core once, where a write
 * alone would wait for it. Any address will do; nothing is read or written. */
static inline void fetch_for_writing(const void *address)
{
#if defined(__x86_64__)
	/* Compilers use it only if told that the CPU has it; a CPU that has not does nothing. */
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)address));
#else
	__builtin_prefetch(address, 1);
#endif
}

#endif
