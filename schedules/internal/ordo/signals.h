/* signals.h - numbers the signals of a schedule, and pairs the j-th Wait of a signal with its j-th
 * Notify.
 *
 * A signal is (from rank, to rank, number). R5 demands that it has one notifying and one waiting
 * stream; a schedule that breaks it is numbered too, its Notify and Wait counted in the order of
 * streams.
 */
#ifndef ORDO_SIGNALS_H
#define ORDO_SIGNALS_H

#include <ordo/map.h>
#include <ordo/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_signal {
	uint32_t from, to, number;
	uint32_t notifier,
		waiter; /* streams of the first Notify and Wait; ORDO_NONE: there is none */
	uint32_t nnotify, nwait;
};

/* Signals by number. Two ranks that have signals are a channel; where few pairs of ranks have none,
 * every pair is one. Ids that are no rank, which R2 forbids, have channels behind those. */
struct ordo_signal_table {
	struct ordo_signal *items; /* [count], in the order in which they were met */
	size_t room;
	uint32_t count;

	bool dense;
	uint32_t nrank, nchannel;
	struct ordo_map channel_of;	/* (from, to) -> channel, where not dense */
	struct ordo_near_map signal_of; /* (channel, number) -> index into items */
};

/* For the Notify and Wait of at most `ntask` tasks. To be closed in any case. false: no memory. */
bool ordo_signals_open(struct ordo_signal_table *table, uint32_t nrank, uint32_t ntask);
/* Frees what finds a signal; the items stay, for free(). */
void ordo_signals_close(struct ordo_signal_table *table);
/* The index of a signal, met before or not; ORDO_NONE: no memory. */
uint32_t ordo_signals_find(
	struct ordo_signal_table *table, uint32_t from, uint32_t to, uint32_t number);

/* Streams use few signals over and over: the last few need no look-up. {0} at the begin of each
 * stream. */
struct ordo_recent_signals {
	struct {
		uint32_t peer, number, signal;
		uint32_t kind; /* 0: none yet */
	} items[8];
};

/* One Notify or Wait: the j-th of that kind of its signal, whose first stood in stream `user`. */
struct ordo_signal_use {
	uint32_t signal; /* ORDO_NONE: no memory */
	uint32_t j, user;
};

/* Counts a Notify or Wait of a stream. */
static inline struct ordo_signal_use ordo_signals_use(struct ordo_signal_table *table,
	struct ordo_recent_signals *recent, uint32_t rank, uint32_t stream,
	const struct ordo_task *task)
{
	const bool notifies = task->kind == ORDO_NOTIFY;
	const unsigned place = (task->peer * 4 + task->signal * 2 + task->kind) % 8;
	uint32_t index = recent->items[place].signal;
	if (recent->items[place].kind != task->kind || recent->items[place].peer != task->peer ||
		recent->items[place].number != task->signal) {
		index = notifies ? ordo_signals_find(table, rank, task->peer, task->signal)
				 : ordo_signals_find(table, task->peer, rank, task->signal);
		if (index == ORDO_NONE)
			return (struct ordo_signal_use){.signal = ORDO_NONE};
		recent->items[place].kind = task->kind;
		recent->items[place].peer = task->peer;
		recent->items[place].number = task->signal;
		recent->items[place].signal = index;
	}
	struct ordo_signal *signal = &table->items[index];
	uint32_t *user = notifies ? &signal->notifier : &signal->waiter;
	uint32_t *count = notifies ? &signal->nnotify : &signal->nwait;
	if (*user == ORDO_NONE)
		*user = stream;
	return (struct ordo_signal_use){index, (*count)++, *user};
}

/* Every Notify and Wait of a schedule, by signal. */
struct ordo_pairing {
	const struct ordo_schedule *schedule;
	struct ordo_signal_table signals;
	uint32_t *signal_of;		     /* [ntask] of each Notify and Wait */
	uint32_t *ordinal;		     /* [ntask] its place among those of its kind */
	uint32_t *first_notify, *first_wait; /* [nsignal] where those of a signal begin in: */
	uint32_t *notifies, *waits;	     /* tasks */
	/* the first task that uses a signal as another stream did before (R5); ORDO_NONE: none */
	uint32_t second_user;
};

/* To be closed in any case. false: no memory. Linear in tasks. */
bool ordo_pairing_open(struct ordo_pairing *pairing, const struct ordo_schedule *schedule);
void ordo_pairing_close(struct ordo_pairing *pairing);
/* The Notify whose token a Wait takes; ORDO_NONE: there is none. */
uint32_t ordo_pairing_notify_of(const struct ordo_pairing *pairing, uint32_t wait);
/* The same over calls that follow each other, where the j-th Wait of all calls takes the token of
 * the j-th Notify of all calls: *call is the call of the Wait, and becomes that of the Notify.
 * ORDO_NONE: the signal has no Notify. */
uint32_t ordo_pairing_notify_in_call(
	const struct ordo_pairing *pairing, uint32_t wait, uint64_t *call);

#ifdef __cplusplus
}
#endif
#endif
