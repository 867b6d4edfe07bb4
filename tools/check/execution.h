/* execution.h - binds a schedule to buffers of its own, runs it repeatedly, and checks the
 * results. */
#ifndef ORDO_TOOLS_EXECUTION_H
#define ORDO_TOOLS_EXECUTION_H

#include "buffers.h"
#include "check.h"
#include "collective_run.h"
#include "message_run.h"

struct execution_options {
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint64_t count; /* elements of each block */
	/* [nblock] instead; or NULL. Must outlive the execution */
	const uint64_t *block_count;
	/* as a collective on a communicator; otherwise the tasks as written */
	bool folded;
	bool other_form; /* folded: in place if the schedule is not, and out of place if it is */
	/* tasks: on one thread, the seed picks the next stream; otherwise on threads */
	bool seeded;
	/* seeded: signals are flags, and a run is cut into rounds that follow each other */
	bool flags;
	uint64_t staging_bytes; /* tasks: of a rank, as in the options of a plan; 0: no limit */
	bool overlap;		/* tasks: rounds overlap within a rank, as in those options */
	/* tasks: this process runs those of its own rank, by messages; NULL: all ranks are here */
	const struct message_world *world;
	uint32_t nworker; /* threads; 0: one a rank */
	uint64_t seed;	  /* of the inputs, and of the seeded transport */
	uint32_t warmup;  /* untimed runs, before the others */
	uint32_t repeat;  /* runs that are timed */
	/* refills the buffers before every run */
	bool fresh;
	bool check;		 /* every run, including warmup; see check() */
	ordo_progress *progress; /* of the runs; or NULL */
	void *closure;		 /* of progress */
	const char *trace;	 /* records a trace of the last call for this file; NULL: none */
};

struct execution {
	const struct ordo_schedule *schedule;
	struct ordo_problem problem; /* of the schedule, in place if the buffers are */
	struct trial trial;
	struct places places;	/* of unequal blocks */
	struct ordo_plan *plan; /* NULL: folded, or by messages */
	struct message_run messages;
	struct collective_run collective;
	struct buffers buffers;
	uint32_t ntimed;
	double best, total; /* seconds of the fastest timed run, and of all of them */
	struct check check; /* of the last run, or of the first wrong one */
};

/* Creates the plan or the collective, fills buffers and runs. proof may be NULL. The schedule and
 * the proof must outlive the execution, which the caller closes, also after false. A wrong result
 * is not an error, but ends the runs: see `check`. */
bool execute(struct execution *execution, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct execution_options *args,
	struct ordo_error *error);
void close_execution(struct execution *execution);

/* Bytes that the tasks of all ranks send in one run. */
uint64_t bytes_sent(const struct execution *execution);

#endif
