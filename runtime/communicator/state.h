/* state.h - the state of a communicator, and how one call goes. Private to runtime/.
 *
 * Call k of every rank meets in slot k mod depth; the k / depth that have met there before are its
 * lap. Ranks write down their part and count themselves in. Who comes last looks whether all parts
 * fit together, and launches the call: from then on anybody may claim items of it and run them, and
 * whoever finishes the last item ends the call by opening the next lap.
 *
 *   state = lap * 4 + status:   OPEN --last rank--> LAUNCHED --last item--> OPEN of the next lap
 *                               OPEN --failure--> FAILED, until reset
 *
 * A call is launched or fails, never both, because both change the state from OPEN. Who waits for
 * lap l of a slot has seen it end when the slot has another lap.
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

/* In place of an eager call of an arrival, while that is missing: it comes no more, until a
 * reset. */
#define GIVEN_UP UINT64_MAX

/* What a rank came with. */
struct arrival {
	/* + 1, so that it is 0 before any; or GIVEN_UP */
	alignas(CACHE_LINE) _Atomic uint64_t call;
	const struct ordo_collective *collective;
	uint64_t fingerprint; /* of the collective */
	unsigned char *output;
	uint64_t since_ms; /* for ordo_communicator_test */
	uint32_t deadline_ms;
	bool in_place;
	bool is_eager; /* its collective is, and every rank folds for itself */
	/* of an eager call: the whole input; see eager.c */
	alignas(8) unsigned char value[EAGER_INPUT_BYTES];
};

struct call_slot {
	alignas(CACHE_LINE) _Atomic uint32_t state;
	_Atomic uint32_t nsleeping;		       /* on the state */
	alignas(CACHE_LINE) _Atomic uint32_t narrived; /* ranks, unless the call is eager */
	alignas(CACHE_LINE) _Atomic uint32_t
		nlistening; /* asleep on the knocks, of an eager call */
	_Atomic uint32_t nknock;
	/* lap * 2^34 + end * 2^17 + first of the items nobody has claimed, so that nobody can claim
	 * items of another lap by mistake. */
	alignas(CACHE_LINE) _Atomic uint64_t claims;
	alignas(CACHE_LINE) _Atomic uint32_t nunfinished; /* items */
	/* Of the call that was launched. */
	const struct folds *folds;
	bool in_place;
	struct ends *ends;	  /* [nrank + NPARTIAL] */
	struct arrival *arrivals; /* [nrank] */
};

/* A rank's seat is empty, a thread acts for the rank, or a reset keeps all threads away. */
enum { EMPTY, TAKEN, HELD };

/* Of a rank, in no slot. */
struct seat {
	alignas(CACHE_LINE) _Atomic uint64_t ncall; /* that it made */
	_Atomic uint32_t taken;
	_Atomic uint64_t nfolded; /* of its calls before that one, the eager ones are folded */
	/* so many calls may write down their parts: all ranks have read what was there */
	uint64_t free_until;
	/* What was found right the last time, to be found right at once. */
	uint64_t serial; /* of the collective; 0: none */
	const void *input;
	void *output;
	struct ends ends;
	uint64_t nvalue; /* bytes of the input, if the collective is eager */
	bool in_place;
};

/* Of one call at a time that was launched in two stages. */
struct partials {
	_Atomic uint32_t taken;
	unsigned char *memory;
	uint64_t bytes; /* of each of NPARTIAL */
	uint32_t turn;	/* 0 and 1 in turn: see choose_folds */
};

/* Threads that work beside the callers: see workers.c. */
struct helpers {
	alignas(CACHE_LINE) _Atomic uint32_t bell; /* changes when there may be work */
	_Atomic uint32_t launched;		   /* slot of the call launched last */
	_Atomic uint32_t nlistening;		   /* asleep on the bell */
	_Atomic uint32_t quits;
	struct helper *list;
	uint32_t count, nstarted; /* wanted, and running */
	struct {
		void (*visit)(void *closure, uint32_t rank);
		void *closure;
		_Atomic uint32_t number;    /* of visits so far */
		_Atomic uint32_t nvisiting; /* helpers that are not done with this one */
		_Atomic uint32_t sleeps;    /* the caller, until they are */
	} visit;
};

struct bound;

struct ordo_communicator {
	uint32_t nrank, depth, depth_shift, deadline_ms, ncore;
	struct call_slot *slots; /* [depth] */
	struct seat *seats;	 /* [nrank] */
	_Atomic uint32_t epoch;
	struct bound *bound; /* see bound.h; NULL: nothing is bound */
	uint32_t most_kept;

	struct partials partials;

	/* Failure: 0, 1 while it is written down, 2. */
	alignas(CACHE_LINE) _Atomic uint32_t broken;
	/* for a reset, which a rank that comes again and again would keep from holding its seat */
	_Atomic uint32_t closed;
	struct ordo_error failure;
	pthread_mutex_t resetting;

	struct helpers helpers;
};

/* How long a thread looks before it sleeps. Spinning only helps if all have a core; where they have
 * not, the others come on at once when this one yields, while sleeping and being woken costs a
 * hundred times as much. */
#define NYIELD 400
static inline uint32_t spins_of(const struct ordo_communicator *communicator)
{
	return communicator->nrank + communicator->helpers.count <= communicator->ncore ? 4000 : 0;
}
static inline void pass_time(uint32_t i, uint32_t nspin)
{
	if (i < nspin)
		ordo_relax();
	else
		sched_yield();
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

/* Items are claimed from both ends: they lie by the rank they write to, so a thread that acts for
 * upper ranks takes those that write to upper ranks, and memory stays in the caches of those who
 * have just used it, and will. */
static inline bool is_upper(const struct ordo_communicator *communicator, uint32_t rank)
{
	return rank >= communicator->nrank - communicator->nrank / 2;
}

#endif
