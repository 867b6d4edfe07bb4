/* latency.h - how long it takes from a Send on one core until the Wait for it on another has
 * ended. */
#ifndef ORDO_TOOLS_CALIBRATE_LATENCY_H
#define ORDO_TOOLS_CALIBRATE_LATENCY_H

#include "timing.h"

/* Seconds of a hop. Two ranks pass one element to and fro, each on a thread of its own that stays
 * on a core of its own, so that neither can take over what the other has to do; runs are short, so
 * that the scheduler cuts few of them in two. `count` and `nworker` are not read. With one core for
 * the process spread->count is 0. false: no memory, no thread, or a run failed. */
bool measure_hops(const struct measuring *how, struct spread *spread, struct ordo_error *error);

#endif
