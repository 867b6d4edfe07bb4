/* predict.h - how long a schedule takes on a topology before it ever ran: a discrete-event simulation of its tasks.
 *
 * A Send takes the latencies of the links on its way, then its bytes flow; flows that share a link or a rank's ports share its bandwidth
 * max-min fairly. A SendReduce then adds at its target, a LocalReduce and a LocalCopy on their own rank. A Notify costs nothing and is seen
 * at once; a Wait ends when its token is there.
 *
 * Where the topology says that all ranks share `cores` (ranks that are threads of one machine), a task needs one of them from its begin to its
 * end, but for the latency of its links: whoever was ready first has it first. Every task then takes `task_ns` of a core beside what it moves.
 */
#ifndef ORDO_PREDICT_H
#define ORDO_PREDICT_H

#include <ordo/cost.h>
#include <ordo/document.h>
#include <ordo/timeline.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_predict_options {
	const struct ordo_topology *topology; /* NULL: a link of the machine between every two ranks */
	struct ordo_machine machine;	      /* what the topology does not say */
	uint64_t bytes;		 /* of one rank's larger buffer, as `ordo run --bytes` counts them */
	uint32_t element_bytes;	 /* chunks are cut at elements; 0: not at all, bytes are divisible */
	ordo_progress *progress; /* may be NULL */
	void *closure;
};

/* Where the seconds of the critical path go; their sum is the total. */
struct ordo_breakdown {
	double latency; /* alphas */
	double wire;	/* bytes at the bandwidth they would have had alone */
	double sharing; /* what they took longer because links or ports were shared */
	double reduce;
	double copy;
	double waiting; /* for a busy port or adder */
};

struct ordo_link_load {
	uint64_t flows; /* how many moves went over it */
	uint32_t most;	/* at one time */
	double bytes;
	double busy; /* seconds in which anything flowed */
};

/* No schedule of this operator can be faster than the largest of these. Seconds. */
struct ordo_time_bounds {
	double steps;	    /* ceil(log2 N) latencies, or what the operator demands */
	double volume;	    /* what a rank must get or give, over all its ports */
	double cut;	    /* what must cross the narrowest cut looked at, over that */
	uint32_t cut_nrank; /* ranks on the smaller side of it */
	const uint32_t *cut_ranks;
	bool cut_exact; /* all cuts were looked at, not only some */
};

struct ordo_prediction {
	struct ordo_timeline *timeline;
	uint32_t *path; /* [npath] the critical path, first task to last */
	uint32_t npath;
	struct ordo_breakdown breakdown;
	struct ordo_link_load *links; /* [topology->nlink]; NULL without a topology */
	uint32_t bottleneck;	      /* the link with the most busy seconds at full bandwidth; ORDO_NONE */
	struct ordo_time_bounds bounds;
};

/* The schedule must be proved (or at least balanced and free of deadlock: otherwise ORDO_REFUTED, naming what is stuck). The prediction
 * refers to the schedule. Near-linear in tasks. NULL: refused, or no memory. */
ORDO_API struct ordo_prediction *ordo_predict(const struct ordo_schedule *schedule,
	const struct ordo_predict_options *options, struct ordo_error *error);
ORDO_API void ordo_prediction_destroy(struct ordo_prediction *prediction); /* takes NULL */

#ifdef __cplusplus
}
#endif
#endif
