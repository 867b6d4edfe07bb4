/* state.h - the state of a communicator, and the life of one call. Private to runtime/.
 *
 * Call k of every rank uses slot k mod depth, in lap k / depth. Each rank records its part and
 * counts itself in. The last rank to arrive checks that all parts agree and launches the call. Then
 * any thread may claim items and run them, and the thread that finishes the last item ends the call
 * by opening the next lap.
 *
 *   state = lap * 4 + status:   OPEN --last rank--> LAUNCHED --last item--> OPEN of the next lap
 *                               OPEN --failure--> FAILED, until reset
 *
 * A call is launched or fails, never both, because both change the state from OPEN. A call in lap l
 * has ended when the slot has another lap.
 */
#ifndef ORDO_RUNTIME_COMMUNICATOR_STATE_H
#define ORDO_RUNTIME_COMMUNICATOR_STATE_H

#include "collective/collective.h"
#include "transports/sleep.h"
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>

enum status { OPEN, LAUNCHED, FAILED };
/* Laps are counted modulo this. */
#define NLAP (UINT32_C(1) << 30)

/* In arrival.call of a missing rank, when an eager call was given up: the rank can arrive only
 * after a reset. */
#define GIVEN_UP UINT64_MAX

/* The part that a rank brings to a call. */
struct arrival {
	/* + 1, so that it is 0 before any; or GIVEN_UP */
	alignas(CACHE_LINE) _Atomic uint64_t call;
	const struct ordo_collective *collective;
	uint64_t fingerprint; /* of the collective */
	unsigned char *output;
	uint64_t since_ms; /* for ordo_communicator_test */
	uint32_t deadline_ms;
	bool in_place;
	bool is_eager; /* as the collective: every rank folds its own outputs */
	/* of an eager call: the whole input; see eager.c */
	alignas(8) unsigned char value[EAGER_INPUT_BYTES];
};

struct call_slot {
	alignas(CACHE_LINE) _Atomic uint32_t state;
	_Atomic uint32_t nsleeping;		       /* on the state */
	alignas(CACHE_LINE) _Atomic uint32_t narrived; /* ranks, unless the call is eager */
	alignas(CACHE_LINE) _Atomic uint32_t
		nlistening;	/* threads asleep on nwake, in an eager call */
	_Atomic uint32_t nwake; /* incremented to wake them */
	/* lap * 2^34 + end * 2^17 + first, of the unclaimed items; the lap keeps a late thread from
	 * claiming items of another call. */
	alignas(CACHE_LINE) _Atomic uint64_t claims;
	alignas(CACHE_LINE) _Atomic uint32_t nunfinished; /* items */
	/* Of the launched call. */
	const struct folds *folds;
	bool in_place;
	struct ends *ends;	  /* [nrank + NPARTIAL] */
	struct arrival *arrivals; /* [nrank] */
};

/* States of a seat: no thread acts for the rank; one does; a reset or another rank holds it. */
enum { EMPTY, TAKEN, HELD };

/* State of a rank outside any call. */
struct seat {
	alignas(CACHE_LINE) _Atomic uint64_t ncall; /* calls it has made */
	_Atomic uint32_t taken;
	_Atomic uint64_t nfolded; /* all eager calls before this one are folded */
	/* calls before this one may record their parts: all ranks have read what was there */
	uint64_t free_until;
	/* The part that passed the checks last, so that the same part need not be checked again. */
	uint64_t serial; /* of the collective; 0: none */
	const void *input;
	void *output;
	struct ends ends;
	uint64_t nvalue; /* bytes of the input, if the collective is eager */
	bool in_place;
};

/* Partial sums of a call in two stages, one call at a time. */
struct partials {
	_Atomic uint32_t taken;
	unsigned char *memory;
	uint64_t bytes; /* of each of NPARTIAL */
	uint32_t turn;	/* 0 and 1 in turn: see choose_folds */
};

/* Threads that help the callers: see workers.c. */
struct helpers {
	alignas(CACHE_LINE) _Atomic uint32_t bell; /* changes when there may be work */
	_Atomic uint32_t launched;		   /* slot of the last launched call */
	_Atomic uint32_t nlistening;		   /* asleep on the bell */
	_Atomic uint32_t quits;
	struct helper *list;
	uint32_t count, nstarted; /* requested, and running */
	struct {
		void (*visit)(void *closure, uint32_t rank);
		void *closure;
		_Atomic uint32_t number;    /* of the current visit */
		_Atomic uint32_t nvisiting; /* helpers that have not finished it */
		_Atomic uint32_t sleeps;    /* the caller sleeps on nvisiting */
	} visit;
};

struct bound;

struct ordo_communicator {
	uint32_t nrank, depth, depth_shift, deadline_ms, ncore;
	struct call_slot *slots; /* [depth] */
	struct seat *seats;	 /* [nrank] */
	_Atomic uint32_t epoch;
	struct bound *bound; /* see bound.h; NULL: nothing is bound */
	uint32_t max_kept;

	struct partials partials;

	/* 0 intact; 1 while the failure is being recorded; 2 broken. */
	alignas(CACHE_LINE) _Atomic uint32_t broken;
	/* a reset waits for seats: ranks may not enter, or one that keeps calling would starve
	 * it */
	_Atomic uint32_t closed;
	struct ordo_error failure;
	pthread_mutex_t resetting;

	struct helpers helpers;
};

/* How long a thread polls before it sleeps. Spinning helps only if every thread has a core;
 * otherwise yielding lets the others run at once, while sleep and wake cost a hundred times as
 * much. */
#define NYIELD 400
static inline uint32_t spins_of(const struct ordo_communicator *communicator)
{
	return communicator->nrank + communicator->helpers.count <= communicator->ncore ? 4000 : 0;
}
/* How many polls it counts for. */
static inline uint32_t pass_time(uint32_t i, uint32_t nspin)
{
	if (i >= nspin)
		return ordo_yield() ? 1 : NYIELD;
	ordo_relax();
	return 1;
}

static inline uint32_t state_of(uint32_t lap, enum status status)
{
	return (lap % NLAP) << 2 | (uint32_t)status;
}
static inline enum status status_of(uint32_t state)
{
	return (enum status)(state & 3);
}
static inline uint32_t lap_of(uint32_t state)
{
	return state >> 2;
}
static inline struct call_slot *slot_of(const struct ordo_communicator *communicator, uint64_t call)
{
	return &communicator->slots[call & (communicator->depth - 1)];
}
static inline uint32_t call_lap(const struct ordo_communicator *communicator, uint64_t call)
{
	return (uint32_t)(call >> communicator->depth_shift) % NLAP;
}

/* Items are sorted by the rank they write to and claimed from both ends: a thread that acts for
 * upper ranks takes items that write to upper ranks, so buffers stay in the cache of the core that
 * uses them before and after the call. */
static inline bool is_upper(const struct ordo_communicator *communicator, uint32_t rank)
{
	return rank >= communicator->nrank - communicator->nrank / 2;
}

#endif
