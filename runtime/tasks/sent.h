/* sent.h - bytes sent from rank to rank in one run. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_SENT_H
#define ORDO_RUNTIME_TASKS_SENT_H

#include "plan.h"

/* Fills first_sent and sent. */
bool ordo_plan_count_sent(struct ordo_plan *plan, struct ordo_error *error);

#endif
