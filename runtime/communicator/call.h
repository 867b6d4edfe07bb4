/* call.h - what a communicator is inside, and how one call goes. Private to runtime/.
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
#ifndef ORDO_RUNTIME_COMMUNICATOR_CALL_H
#define ORDO_RUNTIME_COMMUNICATOR_CALL_H

#include "collective/collective.h"
#include "transports/sleep.h"
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>

enum status { OPEN, LAUNCHED, FAILED };
/* Laps are counted modulo this. */
#define NLAP (UINT32_C(1) << 30)

/* In place of a short call of an arrival, while that is missing: it comes no more, until a
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
	bool is_short; /* its collective is, and every rank folds for itself */
	/* of a short call: the whole input; see eager.c */
	alignas(8) unsigned char value[SHORT_INPUT_BYTES];
};

struct slot {
	alignas(CACHE_LINE) _Atomic uint32_t state;
	_Atomic uint32_t nsleeping;			 /* on the state */
	alignas(CACHE_LINE) _Atomic uint32_t narrived;	 /* ranks, unless the call is short */
	alignas(CACHE_LINE) _Atomic uint32_t nlistening; /* asleep on the knocks, of a short call */
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
	_Atomic uint64_t nfolded; /* of its calls before that one, the short ones are folded */
	/* so many calls may write down their parts: all ranks have read what was there */
	uint64_t free_until;
	/* What was found right the last time, to be found right at once. */
	uint64_t serial; /* of the collective; 0: none */
	const void *input;
	void *output;
	struct ends ends;
	uint64_t nvalue; /* bytes of the input, if the collective is short */
	bool in_place;
};

struct helper;
struct bound;

struct ordo_communicator {
	uint32_t nrank, depth, depth_shift, deadline_ms, ncore;
	struct slot *slots; /* [depth] */
	struct seat *seats; /* [nrank] */
	_Atomic uint32_t epoch;
	struct bound *bound; /* see bound.h; NULL: nothing is bound */
	uint32_t most_kept;

	/* Partial sums, of one call at a time that was launched in two stages. */
	_Atomic uint32_t partials_taken;
	unsigned char *partials;
	uint64_t partial_bytes; /* of each of NPARTIAL */
	uint32_t turn;		/* 0 and 1 in turn: see choose_folds */

	/* Failure: 0, 1 while it is written down, 2. */
	alignas(CACHE_LINE) _Atomic uint32_t broken;
	/* for a reset, which a rank that comes again and again would keep from holding its seat */
	_Atomic uint32_t closed;
	struct ordo_error failure;
	pthread_mutex_t resetting;

	/* Helpers: see workers.c. */
	alignas(CACHE_LINE) _Atomic uint32_t bell; /* changes when there may be work */
	_Atomic uint32_t launched;		   /* slot of the call launched last */
	_Atomic uint32_t nlistening;		   /* asleep on it */
	_Atomic uint32_t quits;
	struct helper *helpers;
	uint32_t nhelper, nstarted; /* wanted, and running */
	struct {
		void (*visit)(void *closure, uint32_t rank);
		void *closure;
		_Atomic uint32_t number;    /* of visits so far */
		_Atomic uint32_t nvisiting; /* helpers that are not done with this one */
		_Atomic uint32_t sleeps;    /* the caller, until they are */
	} visit;
};

/* How long a thread looks before it sleeps. Spinning only helps if all have a core; where they have
 * not, the others come on at once when this one yields, while sleeping and being woken costs a
 * hundred times as much. */
#define NYIELD 400
static inline uint32_t spins_of(const struct ordo_communicator *communicator)
{
	return communicator->nrank + communicator->nhelper <= communicator->ncore ? 4000 : 0;
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
static inline struct slot *slot_of(const struct ordo_communicator *communicator, uint64_t call)
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

/* A thread begins to act for a rank, or for all or none, until it leaves. false: there is no such
 * rank, or another thread acts for it. */
bool ordo_enter(struct ordo_communicator *communicator, uint32_t rank, struct ordo_error *error);
void ordo_leave(struct ordo_communicator *communicator, uint32_t rank);
bool ordo_enter_all(struct ordo_communicator *communicator, struct ordo_error *error);
void ordo_leave_all(struct ordo_communicator *communicator);
/* Runs the part of a rank that the caller acts for, or of all. */
bool ordo_run_entered(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_error *error);
bool ordo_run_all_entered(struct ordo_communicator *communicator, const struct ordo_part *parts,
	struct ordo_error *error);

/* All parts of the call are there, the last one having come from this rank. false: it failed. */
bool ordo_slot_launch(
	struct ordo_communicator *communicator, struct slot *slot, uint32_t lap, uint32_t rank);
/* Runs items of that lap, at most so many, from this end; returns whether there was one. */
bool ordo_slot_work(struct ordo_communicator *communicator, struct slot *slot, uint32_t lap,
	bool from_end, uint32_t most);
/* Wakes who sleeps on the slot, after its state changed. */
void ordo_slot_wake(struct slot *slot);
/* The deadline is over: fails the call, unless all ranks came to it meanwhile. */
void ordo_slot_give_up(struct ordo_communicator *communicator, struct slot *slot, uint64_t call,
	uint32_t rank, uint64_t waited_ms);
/* Waits until that lap has ended (true) or failed. It fails if ranks are missing for
 * deadline_ms. */
bool ordo_slot_await(struct ordo_communicator *communicator, struct slot *slot, uint64_t call,
	uint32_t rank, uint32_t deadline_ms);

/* Breaks the communicator, for this reason if none was given before: what is open fails. */
void ordo_communicator_break(struct ordo_communicator *communicator, const struct ordo_error *why);
/* Says why it is broken, as whoever met a slot that failed may; returns false. */
bool ordo_communicator_fail(struct ordo_communicator *communicator, struct ordo_error *error);
/* The ranks that did not come to a call, in an error. false: all came, the last one of them just
 * now. */
bool ordo_name_missing(const struct ordo_communicator *communicator, uint64_t call, uint32_t rank,
	uint64_t waited_ms, struct ordo_error *error);
/* Have all ranks come with the same? Otherwise the communicator breaks, and the one that came with
 * something else is named. Collectives of ranks that are done may be gone, so fingerprints are
 * compared; if they differ nobody is done before the reason is written down. */
bool ordo_parts_agree(struct ordo_communicator *communicator, const struct slot *slot);

/* Short calls: see eager.c. */

/* The rank has written down its part, and comes. false: the call was given up. */
bool ordo_short_announce(
	struct ordo_communicator *communicator, struct slot *slot, uint64_t call, uint32_t rank);
/* Wakes who waits for announcements. */
void ordo_short_wake(struct slot *slot);
/* Folds the outputs of a rank, of its short calls before `end`, as far as all ranks have come to
 * them: all of them (ORDO_OVER), or up to one that waits, or that failed. The caller acts for the
 * rank. */
enum ordo_call_state ordo_short_fold(
	struct ordo_communicator *communicator, uint32_t rank, uint64_t end);
/* Waits until a call is folded (true) or failed. */
bool ordo_short_await(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint32_t deadline_ms);
/* The deadline is over: fails the call, unless all ranks came to it meanwhile. */
void ordo_short_give_up(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint64_t waited_ms);
/* Before a rank writes down its part where it did for a short call the last time: waits until that
 * is folded by all ranks, which read it. false: failed. */
bool ordo_short_leave(
	struct ordo_communicator *communicator, uint64_t call, uint32_t rank, uint32_t deadline_ms);

/* There is work for helpers. */
void ordo_ring(struct ordo_communicator *communicator);
bool ordo_helpers_create(
	struct ordo_communicator *communicator, uint32_t nhelper, struct ordo_error *error);
void ordo_helpers_destroy(struct ordo_communicator *communicator);

#endif
