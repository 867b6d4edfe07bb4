/* tuning.h - a tuning that keeps less, for tests. Private. */
#ifndef ORDO_COMPILER_CHOOSE_TUNING_H
#define ORDO_COMPILER_CHOOSE_TUNING_H

#include <ordo/detail/tune.h>

/* ordo_tune, keeping schedules of at most so many tasks together: what was chosen and not kept is
 * compiled once more. */
bool ordo_tune_keeping(const struct ordo_tune_wish *wish, uint64_t most_kept,
	struct ordo_tuning *result, struct ordo_error *error);

#endif
