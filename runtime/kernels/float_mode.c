/* float_mode.c - checks that the calling thread computes floats as IEEE 754 specifies. */
#include <ordo/float_mode.h>
#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

/* The mode register of the CPU, its name in errors, and its bits. */
#if defined(__SSE2__)
#define MODE_REGISTER "MXCSR"
enum { FLUSHES = 1 << 15 | 1 << 6 /* FTZ, DAZ */, ROUNDS_OTHERWISE = 3 << 13 };

static unsigned long mode(void)
{
	return _mm_getcsr();
}
#elif defined(__aarch64__)
#define MODE_REGISTER "FPCR"
enum { FLUSHES = 1 << 24 /* FZ */, ROUNDS_OTHERWISE = 3 << 22 };

static unsigned long mode(void)
{
	unsigned long bits;
	__asm__ volatile("mrs %0, fpcr" : "=r"(bits));
	return bits;
}
#else
#define MODE_REGISTER "mode"
enum { FLUSHES = 0, ROUNDS_OTHERWISE = 0 };

static unsigned long mode(void)
{
	return 0;
}
#endif

bool ordo_float_mode_check(struct ordo_error *error)
{
	const unsigned long bits = mode();
	if (!(bits & (FLUSHES | ROUNDS_OTHERWISE)))
		return true;
	ordo_fail(error, ORDO_ENVIRONMENT, 0,
		"the calling thread's floating point mode: found " MODE_REGISTER
		" %#lx, which %s; wanted subnormals kept and results rounded to nearest, or bits "
		"differ",
		bits,
		!(bits & FLUSHES) ? "does not round to nearest"
		: bits & ROUNDS_OTHERWISE
			? "flushes subnormals to zero and does not round to nearest"
			: "flushes subnormals to zero (FTZ or DAZ)");
	return ordo_hint(error, "fesetenv(FE_DFL_ENV) before the call restores it; linking with "
				"-ffast-math, or a library, may have changed it");
}
