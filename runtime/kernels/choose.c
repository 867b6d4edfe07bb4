/* choose.c - chooses the forms of the loops that this CPU can run. */
#include "kernels.h"
#include <stdatomic.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

extern const struct ordo_kernels ordo_kernels_portable;
#if defined(__x86_64__)
extern const struct ordo_kernels ordo_kernels_avx2, ordo_kernels_avx512;

/* By cpuid, because the name of F16C for __builtin_cpu_supports differs between compilers. */
static bool has_f16c(void)
{
	unsigned eax, ebx, ecx, edx;
	return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && ecx & bit_F16C;
}

/* __builtin_cpu_supports also checks that the operating system saves the wide registers. */
static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2") && has_f16c();
}

static bool has_avx512(void)
{
	return has_avx2() && __builtin_cpu_supports("avx512f") &&
	       __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
	       __builtin_cpu_supports("avx512dq");
}
#endif

uint32_t ordo_kernels_all(const struct ordo_kernels *forms[], uint32_t room)
{
	uint32_t count = 0;
	if (count < room)
		forms[count++] = &ordo_kernels_portable;
#if defined(__x86_64__)
	if (count < room && has_avx2())
		forms[count++] = &ordo_kernels_avx2;
	if (count < room && has_avx512())
		forms[count++] = &ordo_kernels_avx512;
#endif
	return count;
}

/* Relaxed suffices: threads that race here compute the same result. */
const struct ordo_kernels *ordo_kernels(void)
{
	static _Atomic(const struct ordo_kernels *) best;
	const struct ordo_kernels *found = atomic_load_explicit(&best, memory_order_relaxed);
	if (!found) {
		const struct ordo_kernels *forms[ORDO_NKERNEL_FORM];
		found = forms[ordo_kernels_all(forms, ORDO_NKERNEL_FORM) - 1];
		atomic_store_explicit(&best, found, memory_order_relaxed);
	}
	return found;
}
