/* rounds.h - the time of a schedule whose ranks would wait for each other after every phase.
 * Private to predict/. */
#ifndef ORDO_PREDICT_ROUNDS_H
#define ORDO_PREDICT_ROUNDS_H

#include "simulate.h"

/* The sum over phases of the longest stream of each; no rounds if moves have no phase. false: no
 * memory. */
bool ordo_rounds_make(
	struct ordo_round_sum *rounds, const struct ordo_timed_run *run, struct ordo_error *error);

#endif
