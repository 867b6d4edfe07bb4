/* flushing.c - loaded before a program, has its floats flushed to zero, as a library built with
 * -ffast-math would. */
#if defined(__SSE2__)
#include <xmmintrin.h>

__attribute__((constructor)) static void flush(void)
{
	_mm_setcsr(_mm_getcsr() | 1 << 15 | 1 << 6);
}
#endif
