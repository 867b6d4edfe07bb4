/* replay.h - replays written by `ordo verify`, and carried out by `ordo run`. */
#ifndef ORDO_TOOLS_RUN_REPLAY_H
#define ORDO_TOOLS_RUN_REPLAY_H

#include "base/report.h"
#include "check/observed_run.h"

/* Writes a replay of the first finding that has one, or of two reduces in no fixed order. false:
 * call->status; that there is none to write is only noted. */
bool write_replay(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const char *file, const char *path);

/* Carries out a replay and says what came of it; writes a trace of it to that file, unless it is
 * NULL. Returns the exit code: 1 if it shows something. */
int run_replay(struct call *call, const struct ordo_schedule *schedule, const char *path,
	const struct values *values, uint64_t count, const char *trace);

#endif
