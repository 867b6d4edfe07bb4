/* predict.h - how long a schedule takes on a topology before it ever ran: a discrete-event
 * simulation of its tasks.
 *
 * A Send takes the latencies of the links on its way, one after another, and then its bytes flow.
 * Flows over one link share its bandwidth max-min fairly. A rank of P ports (topology->ports; 0: no
 * limit) drives at most P links at once in each direction, a link being driven from the begin of a
 * Send until its last byte has arrived: what is more shares the ports fairly too, its latencies
 * included, so k Sends at once take one port as long as k Sends one after another. A SendReduce
 * adds at its target when all its bytes are there, a LocalReduce and a LocalCopy on their own rank;
 * what is added on a rank at one time shares its adder, what is copied its copier. A Notify is seen
 * at once; a Wait ends when its token is there.
 *
 * Sends of one stream to one rank in one phase go as one message: the latency of the second passes
 * while the bytes of the first flow, as far as it could have been sent then, having waited for
 * nothing later.
 *
 * The way: the one that a stream names. Else the link between the two ranks, of several the one
 * with the most bandwidth, of these the one with the least latency; where there is none, a shortest
 * way through switches; and with `through_ranks`, where there is none of those, a shortest way
 * through vertices of any kind. Of equally short ones: at every vertex, of links to or from
 * switches, the one that the fewest pairs of ranks take so far (pairs by target, then source), and
 * then the next vertex whose number is nearest, upwards if two are; so a torus is crossed along its
 * last dimension first.
 *
 * Blocks may have unequal counts. Then a move without elements is none: it takes no latency, no
 * link and no adder, only its task_ns, as the transports do nothing for it (bytes for equal blocks
 * are charged their latencies however few they are).
 *
 * Where the topology says that all ranks share `cores` (ranks that are threads of one machine), a
 * task needs one of them from its begin to its end, but for the latency of its links, which then
 * comes last: whoever was ready first has it first. Every task takes `task_ns` of time beside what
 * it moves.
 */
#ifndef ORDO_PREDICT_H
#define ORDO_PREDICT_H

#include <ordo/document.h>
#include <ordo/timeline.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a machine's links and adders take. */
struct ordo_machine {
	double latency_ns;    /* alpha: of a step */
	double bandwidth_gbs; /* 1/beta: of a link, 10^9 bytes a second */
	/* 1/gamma: of adding one vector to another, 10^9 bytes of it a second */
	double reduce_bandwidth_gbs;
	/* of copying on a rank; 0: copies cost nothing. Closed forms count no copies */
	double copy_bandwidth_gbs;
};

/* A machine to predict with if nothing is known of the real one.
 *
 * Returns 1 microsecond, 56 GB/s a link, and 195 GB/s of adding: a third of a memory of 585
 * GB/s, since adding reads two elements and writes one. */
ORDO_API struct ordo_machine ordo_machine_usual(void);
struct ordo_predict_options {
	/* NULL: a link of the machine between every two ranks */
	const struct ordo_topology *topology;
	struct ordo_machine machine; /* what the topology does not say */
	uint64_t bytes; /* of one rank's larger buffer, as `ordo run --bytes` counts them */
	/* chunks are cut at elements, and bytes that do not fill equal blocks are left out; 0:
	 * bytes are divisible */
	uint32_t element_bytes;
	/* of what scratch slots hold, where they hold another type; 0: the same */
	uint32_t scratch_element_bytes;
	/* ranks pass on what is not for them, where it has no other way */
	bool through_ranks;
	bool no_bounds; /* they are not wanted */
	/* seconds; 0: none. What takes longer is not simulated to its end */
	double limit;
	ordo_progress *progress; /* may be NULL */
	void *closure;
	/* [nblock] elements of each block, of element_bytes each, instead of bytes; or NULL. See
	 * detail/slots.h */
	const uint64_t *block_count;
	/* block_count says only in which proportion blocks share the bytes; elements are
	 * divisible */
	bool proportional;
	/* a byte of a sum in scratch takes so many times as long to add as one that the adder's
	 * rate is of (accumulate.h: ordo_adding_cost); 0: once */
	double add_cost;
};

/* Where the seconds of the critical path go; their sum is the total. */
struct ordo_breakdown {
	double latency; /* alphas, and what tasks cost whatever they move */
	double wire;	/* bytes at the bandwidth they would have had alone */
	double sharing; /* what they took longer because links or ports were shared */
	double reduce;
	double copy;
	double waiting; /* for a port, an adder or a copier that others used too */
};

struct ordo_link_load {
	uint64_t flows; /* how many moves went over it */
	uint32_t most;	/* at one time */
	double bytes;
	double busy; /* seconds in which anything flowed */
};

/* What a schedule loads beside links. */
enum ordo_resource {
	ORDO_NOTHING,	/* no bytes moved */
	ORDO_LINK,	/* `at`: index into topology->links */
	ORDO_OUT_PORTS, /* `at`: a rank */
	ORDO_IN_PORTS,
	ORDO_ADDER,
	ORDO_COPIER,
	ORDO_WIRE, /* without a topology: links that nobody shares, as the critical path has them */
};

/* No schedule of this operator can be faster than the largest of these under the model above.
 * Seconds; 0: tells nothing. */
struct ordo_time_bounds {
	/* latencies one after another until the last rank can know of the first: ceil(log2 N) of
	 * them on one port */
	double steps;
	/* what the busiest rank must give or get over all its ports; where all share alike
	 * (AllReduce: twice the vector, but for what stays) */
	double volume;
	double reduce; /* what must be added, on all ranks at once */
	/* what must cross the narrowest cut looked at, over that; or what must leave the sets of a
	 * partition of the ranks together (AllReduce), over that */
	double cut;
	uint32_t cut_nrank;  /* ranks on the smaller side of the cut; 0: a partition */
	uint32_t *cut_ranks; /* [cut_nrank] ascending */
	bool cut_exact;	     /* all cuts were looked at, or none is greater */
	uint32_t cut_nset;   /* sets of the partition; 0: a cut */
};

/* Rounds one after another, and what the slowest stream of each takes. */
struct ordo_round_sum {
	uint32_t nround;
	double latency, wire, reduce, copy; /* seconds */
};

struct ordo_prediction {
	struct ordo_timeline *timeline;
	/* it takes longer than the limit; nothing below says anything, nor does the timeline */
	bool given_up;
	uint32_t *path; /* [npath] the critical path, first task to last */
	uint32_t npath;
	struct ordo_breakdown breakdown;
	struct ordo_link_load *links; /* [topology->nlink]; NULL without a topology */
	/* the link with the most busy seconds at full bandwidth; ORDO_NONE */
	uint32_t bottleneck;
	/* of links, ports, adders and copiers that which was used for the largest part of the
	 * time */
	enum ordo_resource busiest;
	uint32_t busiest_at;
	double busiest_share; /* of the total, 0..1 */
	/* that were predicted for: options->bytes, but for what was left out; with counts, of the
	 * largest buffer of a rank */
	double bytes;
	struct ordo_time_bounds bounds;
	/* With counts: if ranks waited for each other after every phase, each in which anything
	 * moves would take as long as the slowest stream in it, on links that nobody shares. No
	 * rounds: the schedule has no phases, or moves outside them */
	struct ordo_round_sum rounds;
};

/* Predicts how long one call of a schedule takes, and where the time goes.
 *
 *   schedule   proved, or at least without deadlock and with as many Waits as Notifies; must
 *              outlive the prediction
 *   options    the machine and the bytes must be set. Not NULL
 *   error      filled if the result is NULL; may be NULL
 *
 * Returns a prediction that the caller destroys; times are seconds. NULL: ORDO_REFUTED, the
 * schedule comes to a stop, and the error names the tasks that wait; ORDO_USAGE, the topology is
 * for another number of ranks or lacks a link; or ORDO_ENVIRONMENT, no memory. Takes time nearly
 * linear in tasks. */
ORDO_API struct ordo_prediction *ordo_predict(const struct ordo_schedule *schedule,
	const struct ordo_predict_options *options, struct ordo_error *error);

/* Frees a prediction, with its timeline.
 *
 *   prediction   NULL: nothing is done */
ORDO_API void ordo_prediction_destroy(struct ordo_prediction *prediction);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API struct ordo_prediction *ordo_predict_sized(size_t size,
	const struct ordo_schedule *schedule, const struct ordo_predict_options *options,
	struct ordo_error *error);
#define ordo_predict(...) ordo_predict_sized(sizeof(struct ordo_predict_options), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/cost.h>
#endif
