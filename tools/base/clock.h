/* clock.h - seconds of the monotonic clock. */
#ifndef ORDO_TOOLS_BASE_CLOCK_H
#define ORDO_TOOLS_BASE_CLOCK_H

#include <time.h>

static inline double clock_seconds(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

#endif
