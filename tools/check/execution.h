/* execution.h - a schedule bound to buffers of its own, run some times, and checked. */
#ifndef ORDO_TOOLS_EXECUTION_H
#define ORDO_TOOLS_EXECUTION_H

#include "buffers.h"
#include "check.h"

struct execution_wish {
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint64_t count;	  /* elements of each block */
	bool seeded;	  /* one thread, and the seed picks the next stream; else threads */
	uint32_t nworker; /* threads; 0: one a rank */
	uint64_t seed;	  /* of the inputs, and of the seeded transport */
	uint32_t repeat;
	bool check;	   /* needs a proof */
	const char *trace; /* a trace of the last call is kept, for this file; NULL: none */
};

struct execution {
	struct trial trial;
	struct ordo_plan *plan;
	struct buffers buffers;
	double best, total; /* seconds of the fastest run, and of all */
	double fill, checking;
	struct check check; /* of the last run, or the first that was wrong */
};

/* Makes the plan and the buffers, fills them and runs. proof may be NULL if nothing is to be checked. The
 * schedule and the proof must outlive the execution, which the caller closes, also after false. A wrong
 * result is not an error: see check. */
bool execute(struct execution *execution, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct execution_wish *wish, struct ordo_error *error);
void close_execution(struct execution *execution);

/* Bytes that all ranks sent in one run. */
uint64_t bytes_sent(const struct execution *execution);

#endif
