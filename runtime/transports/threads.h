/* threads.h - state of the thread transport between runs. Private to runtime/. */
#ifndef ORDO_RUNTIME_TRANSPORTS_THREADS_H
#define ORDO_RUNTIME_TRANSPORTS_THREADS_H

#include "tasks/plan.h"

/* NULL: no memory. */
struct threads *ordo_threads_create(uint32_t nrank);
void ordo_threads_destroy(struct threads *threads); /* takes NULL; no run may be in progress */

#endif
