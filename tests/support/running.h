/* running.h - schedules run on the real runtime, their results compared with what the operator
 * means. */
#ifndef ORDO_TESTS_RUNNING_H
#define ORDO_TESTS_RUNNING_H

#include <ordo/runtime.h>

/* Runs the schedule by seeds 0..nseed-1, folded on a communicator and, if asked, on threads, on
 * blocks of different lengths, some of them empty. 64-bit integer sums must be exact, and sums of
 * 32-bit floats the same bits in every run. false: why says which run and where. */
bool runs_right(
	const struct ordo_schedule *schedule, uint32_t nseed, bool on_threads, char why[512]);

#endif
