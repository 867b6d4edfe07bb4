/* signals.h - the signals of a plan. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_SIGNALS_H
#define ORDO_RUNTIME_TASKS_SIGNALS_H

#include "plan.h"

/* Signals of the schedule -> plan->signals, signal_of, words, taken. */
bool ordo_plan_number_signals(struct ordo_plan *plan, struct ordo_error *error);

#endif
