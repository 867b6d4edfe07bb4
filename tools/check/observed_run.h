/* observed_run.h - runs one interleaving on buffers of its own, and records what happened.
 *
 * Every call has its own inputs: they are filled, and outputs overwritten, when a rank enters, and
 * outputs are copied when it leaves. So writes that come too early or too late are lost or visible,
 * as in a program.
 */
#ifndef ORDO_TOOLS_OBSERVED_RUN_H
#define ORDO_TOOLS_OBSERVED_RUN_H

#include "buffers.h"
#include "check.h"
#include <ordo/detail/replay.h>

enum { ELEMENT_SIZE = 16 };

/* A task of the replay, as it ran. The values are the first element of the replay's slot. */
struct observation {
	uint64_t step; /* number of tasks that ran before it; UINT64_MAX: it did not run */
	unsigned char before[ELEMENT_SIZE], after[ELEMENT_SIZE];
};

/* An output element of a call with two different values: those of two interleavings, or found and
 * wanted. */
struct element_difference {
	uint64_t count; /* number of such elements; if 0, the other fields are undefined */
	uint32_t call, rank, slot;
	uint64_t element; /* of the slot */
	unsigned char values[2][ELEMENT_SIZE];
};

struct observed_run {
	bool completed;
	struct ordo_error error; /* unless completed */
	uint64_t nstep;
	struct observation observations[2]; /* of replay.tasks */
	/* the first wrong element: found and wanted, float sums without rounding */
	struct element_difference wrong;
	struct {
		uint32_t nsignal;		   /* signals that still have tokens */
		uint32_t from, to, number, ntoken; /* the first */
	} left_over;
	/* holds a trace of all calls, but no buffers; NULL: could not be created */
	struct ordo_plan *plan;
	unsigned char *outputs; /* of all calls and ranks, copied as ranks left */
	uint64_t size;
};

/* The type of the observed values: scratch may hold another type than the buffers. */
enum ordo_type observed_type(const struct ordo_schedule *schedule, const struct ordo_replay *replay,
	enum ordo_type type);

/* What a replay runs on. */
struct replay_data {
	struct values values;
	uint64_t count;		     /* elements of each block */
	const uint64_t *block_count; /* [nblock] instead; or NULL */
};

/* Runs interleaving `which`. A run that stops early is not an error,
 * but not `completed`. false: no memory, or the plan cannot be created. The caller closes it in any
 * case. */
bool observe_run(struct observed_run *run, const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, uint32_t which, const struct replay_data *data,
	struct ordo_error *error);
void close_observed_run(struct observed_run *run);

/* The first output element that differs between two completed runs. */
struct element_difference compare_observed_runs(const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, const struct observed_run runs[2],
	const struct replay_data *data);

#endif
