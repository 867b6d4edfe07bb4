/* float_mode.h - whether the calling thread computes floats as IEEE 754 says.
 *
 * A CPU can be told to take subnormal numbers for zeros (FTZ and DAZ; "flush to zero") and to round
 * other than to nearest. Every thread has a mode of its own, and begins with that of the thread
 * that started it. Libraries and compilers set it too: gcc does for whole programs that are linked
 * with -ffast-math. In any other mode sums have other bits, without a word; so plans are only made,
 * and runs only begun, in the standard one.
 */
#ifndef ORDO_FLOAT_MODE_H
#define ORDO_FLOAT_MODE_H

#include <ordo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* true: subnormals are kept and results rounded to nearest, ties to even. false: ORDO_ENVIRONMENT,
 * saying what the mode is and how it is set right. Any thread; known for x86 and AArch64, true on
 * other CPUs. A few nanoseconds. */
ORDO_API bool ordo_float_mode_check(struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
