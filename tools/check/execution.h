/* execution.h - a schedule bound to buffers of its own, run some times, and checked. */
#ifndef ORDO_TOOLS_EXECUTION_H
#define ORDO_TOOLS_EXECUTION_H

#include "buffers.h"
#include "check.h"
#include "folding.h"

struct execution_wish {
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint64_t count; /* elements of each block */
	/* what is proved, on a communicator; else the tasks as they are written */
	bool folded;
	bool other_form; /* folded: in place what is not, and out of place what is */
	/* the tasks: one thread, and the seed picks the next stream; else threads */
	bool seeded;
	uint32_t nworker; /* threads; 0: one a rank */
	uint64_t seed;	  /* of the inputs, and of the seeded transport */
	uint32_t warmup;  /* runs before those that are timed */
	uint32_t repeat;  /* runs that are timed */
	/* every run finds inputs written just before, and outputs that were touched */
	bool fresh;
	bool check;		 /* every run, also those that are not timed; see check() */
	ordo_progress *progress; /* of the runs; NULL: nobody asks */
	void *closure;		 /* of progress */
	const char *trace;	 /* a trace of the last call is kept, for this file; NULL: none */
};

struct execution {
	const struct ordo_schedule *schedule;
	struct ordo_problem problem; /* of the schedule, in place as the buffers are */
	struct trial trial;
	struct ordo_plan *plan; /* NULL: folded */
	struct folding folding;
	struct buffers buffers;
	uint32_t ntimed;
	double best, total; /* seconds of the fastest timed run, and of all of them */
	struct check check; /* of the last run, or the first that was wrong */
};

/* Makes the plan or the collective and the buffers, fills them and runs. proof may be NULL. The
 * schedule and the proof must outlive the execution, which the caller closes, also after false. A
 * wrong result is not an error, but ends it: see check. */
bool execute(struct execution *execution, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct execution_wish *wish,
	struct ordo_error *error);
void close_execution(struct execution *execution);

/* Bytes that all ranks sent in one run, of the tasks. */
uint64_t bytes_sent(const struct execution *execution);

#endif
