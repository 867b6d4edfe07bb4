/* costs.h - the costs of tasks on the threads of this machine, as a topology for predictions.
 *
 * All ranks share the cores, so a rate is that of one core while all are busy. In the document a
 * link models one core copying; its reduce bandwidth models the extra time of adding, because a
 * SendReduce reads, adds and writes at once.
 */
#ifndef ORDO_TOOLS_CALIBRATE_COSTS_H
#define ORDO_TOOLS_CALIBRATE_COSTS_H

#include "timing.h"
#include <ordo/document.h>
#include <ordo/topology.h>

struct calibrating {
	uint32_t nrank, nworker;
	enum ordo_type type;
	bool forms[ORDO_NACCUMULATION]; /* of sums without order, whose adders are measured too */
	uint64_t bytes;			/* of a rank's buffer, for the document */
	double seconds;			/* approximate time of each measurement */
	ordo_progress *progress;	/* may be NULL */
	void *closure;
};

/* Rates of moving N buffers of so many bytes, in chunks of 1/N; GB/s of a core. */
struct measured_rates {
	uint64_t bytes;
	struct spread copy, reduce; /* Send, SendReduce */
	struct spread local_copy, local_reduce;
};

enum { MOST_RATES = 8 };
struct calibration {
	struct calibrating how;
	struct spread task_ns; /* of a task that moves almost nothing */
	struct spread call_ns; /* of a call without its tasks: threads begin and end it */
	/* from a Send on one core to the end of the Wait for it on another; no runs with one thread
	 * or core */
	struct spread hop_ns;
	double latency_ns;			 /* hop_ns without its tasks */
	struct measured_rates rates[MOST_RATES]; /* ascending */
	/* of a SendReduce of states in a form that was asked for, of how.bytes */
	struct spread sums[ORDO_NACCUMULATION];
	uint32_t nrate;
	uint32_t chosen; /* of how.bytes */
};

/* Takes some seconds. false: no memory, or a run failed. */
bool calibrate(
	const struct calibrating *how, struct calibration *calibration, struct ordo_error *error);

/* A full mesh with the costs measured at a size; call_ns and what it was measured for are in its
 * "x". NULL: no memory. The caller destroys it. */
struct ordo_topology *calibrated_topology(
	const struct calibration *calibration, uint32_t rate, struct ordo_error *error);

#endif
