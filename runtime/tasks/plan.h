/* plan.h - the runtime's representation of a bound schedule. Private to runtime/. */
#ifndef ORDO_RUNTIME_TASKS_PLAN_H
#define ORDO_RUNTIME_TASKS_PLAN_H

#include "layout.h"
#include <ordo/signals.h>
#include <stdalign.h>
#include <stdatomic.h>

struct rank_state {
	alignas(CACHE_LINE) _Atomic(unsigned char *) memory[ORDO_NBUFFER]; /* NULL: not bound */
	bool bound;
	uint64_t ncall;		    /* runs this rank has begun */
	_Atomic uint32_t rank_left; /* 1 while this rank runs on its own thread */
	/* Rounds of the current run: rounds.h. */
	_Atomic uint64_t rounds_ended; /* by all streams */
	_Atomic uint64_t ended[2];     /* ends of rounds by a stream, of even and of odd rounds */
	_Atomic uint32_t parked;       /* list of streams that may not begin their next round yet */
	/* Of a replay, which has one round a call. */
	uint32_t ncall_entered, streams_left; /* calls; streams in the last of them */
};

struct stream_state {
	uint32_t at;	/* the next task */
	uint32_t next;	/* in a list of runnable or of parked streams */
	uint64_t round; /* of the current run */
};

struct sent {
	uint32_t to;
	uint64_t bytes;
};

/* NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding): fields are grouped by use, and there
 * are few plans */
struct ordo_plan {
	/* Read before every task and written at most once, so it shares a line with read-only
	 * fields. */
	_Atomic uint32_t stopped; /* enum stopped */
	const struct ordo_schedule *schedule;
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint32_t divisor; /* of every output element, at the end; 1 unless ORDO_AVG */
	uint32_t watchdog_ms;
	struct layout layout;

	struct rank_state *ranks; /* [nrank] */
	_Atomic uint32_t nunbound;
	struct stream_state *streams; /* [nstream] */
	unsigned char *scratch;
	uint64_t scratch_bytes; /* per rank, of all banks */
	/* Rounds that a rank may be in at one time, 1 or 2; a bank of scratch for each. */
	uint32_t window;

	struct ordo_signal *signals; /* [nsignal] */
	uint32_t nsignal;
	uint32_t *signal_of; /* [ntask] for Notify and Wait */
	/* Per signal: (tokens ever added) * 2 + (1 if the waiting stream is parked), modulo
	 * 2^32. */
	_Atomic uint32_t *words; /* [nsignal << word_shift] */
	uint32_t word_shift;	 /* each on a cache line of its own, unless there are very many */
	/* [nsignal] tokens ever taken, modulo 2^31; only the waiting stream reads it */
	uint32_t *taken;

	uint32_t *first_sent; /* [nrank + 1] into sent, sorted by to */
	struct sent *sent;

	struct ordo_error why; /* why a run was aborted */

	struct trace *trace; /* NULL: nothing is recorded */

	/* State of the transports between runs. */
	struct threads *threads; /* transports/threads.c */
	uint32_t *runnable;	 /* [nstream] transports/seeded.c */
};

enum stopped { RUNNING, STOPPING, STOPPED /* why is written */ };

/* Every rank is bound, and no run was aborted. */
bool ordo_plan_is_ready(struct ordo_plan *plan, struct ordo_error *error);

/* An earlier run was aborted: the error is plan->why. Returns false. */
bool ordo_fail_again(const struct ordo_plan *plan, struct ordo_error *error);

static inline _Atomic uint32_t *signal_word(const struct ordo_plan *plan, uint32_t signal)
{
	return &plan->words[(size_t)signal << plan->word_shift];
}

#endif
