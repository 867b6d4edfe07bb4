/* workers.h - the threads of a communicator. Private to runtime/. */
#ifndef ORDO_RUNTIME_COMMUNICATOR_WORKERS_H
#define ORDO_RUNTIME_COMMUNICATOR_WORKERS_H

#include "state.h"

bool ordo_helpers_create(
	struct ordo_communicator *communicator, uint32_t nhelper, struct ordo_error *error);
void ordo_helpers_destroy(struct ordo_communicator *communicator);

#endif
