/* float_mode.h - checks that the calling thread computes floats as IEEE 754 specifies.
 *
 * A CPU can treat subnormal numbers as zeros (FTZ and DAZ, "flush to zero") and round in other
 * directions than to nearest. Every thread has its own mode, inherited from the thread that created
 * it. Libraries and compilers change it too: gcc does so for programs linked with -ffast-math.
 * Another mode silently changes the bits of sums; so plans are created, and runs started, only in
 * the standard mode.
 */
#ifndef ORDO_FLOAT_MODE_H
#define ORDO_FLOAT_MODE_H

#include <ordo/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Checks the mode of the calling thread.
 *
 *   error   filled if the result is false: what the mode is, and how it is corrected; may be NULL
 *
 * true: subnormals are kept, and results rounded to nearest, ties to even. false: another mode
 * (ORDO_ENVIRONMENT). The mode is known for x86 and AArch64; on other CPUs the result is true.
 * Takes a few nanoseconds. */
ORDO_API bool ordo_float_mode_check(struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
