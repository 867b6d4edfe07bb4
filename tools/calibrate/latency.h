/* latency.h - measures the latency from a Send on one core to the end of the Wait for it on
 * another. */
#ifndef ORDO_TOOLS_CALIBRATE_LATENCY_H
#define ORDO_TOOLS_CALIBRATE_LATENCY_H

#include "timing.h"

/* Seconds of a hop, measured by a ping-pong: two ranks pass one element back and forth, each on a
 * thread pinned to its own core; runs are short, so that the scheduler interrupts few of them.
 * Ignores `count` and `nworker`. With one core for the process spread->count is 0. false: no
 * memory, no thread, or a run failed. */
bool measure_hops(const struct measuring *how, struct spread *spread, struct ordo_error *error);

#endif
