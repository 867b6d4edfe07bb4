/* tuning.h - a tuning with limited memory, for tests. Private to compiler/. */
#ifndef ORDO_COMPILER_CHOOSE_TUNING_H
#define ORDO_COMPILER_CHOOSE_TUNING_H

#include <ordo/detail/tune.h>

/* ordo_tune that keeps schedules of at most so many tasks in total; a chosen schedule that was not
 * kept is compiled again. */
bool ordo_tune_keeping(const struct ordo_tune_wish *wish, uint64_t most_kept,
	struct ordo_tuning *result, struct ordo_error *error);

#endif
