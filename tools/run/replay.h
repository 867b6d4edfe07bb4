/* replay.h - writes replays for `ordo verify`, and runs them for `ordo run`. */
#ifndef ORDO_TOOLS_RUN_REPLAY_H
#define ORDO_TOOLS_RUN_REPLAY_H

#include "base/report.h"
#include "check/observed_run.h"

/* Writes a replay of the first finding that has one, or of two reduces in no fixed order; only
 * notes it if there is none. false: call->status. */
bool write_replay(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const char *file, const char *path);

/* Runs a replay and reports the results; writes a trace of it to `trace`, unless NULL. Returns the
 * exit code: 1 if it shows a fault. */
int run_replay(struct call *call, const struct ordo_schedule *schedule, const char *path,
	const struct replay_data *data, const char *trace);

#endif
