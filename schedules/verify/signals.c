/* signals.c - R5: a signal has one notifying and one waiting stream; R6: it is balanced at the
 * end. */
#include "verifier.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* Signals by name. Two ranks that have signals are a lane; where not many pairs of ranks have none,
 * every pair is one. */
struct signal_names {
	bool dense;
	struct ordo_map lane_of;	/* (from, to) -> lane, unless dense */
	struct ordo_near_map signal_of; /* (lane, number) -> signal */
	uint32_t nlane;
};

static bool open_names(struct signal_names *names, const struct ordo_schedule *schedule)
{
	const uint64_t npair = (uint64_t)schedule->problem.nrank * schedule->problem.nrank;
	names->dense = npair <= schedule->ntask;
	return ordo_near_make(&names->signal_of, names->dense ? npair : schedule->ntask);
}

static void close_names(struct signal_names *names)
{
	ordo_map_free(&names->lane_of);
	ordo_near_free(&names->signal_of);
}

/* ORDO_NONE: no memory. */
static uint32_t name_lane(
	const struct verifier *verifier, struct signal_names *names, uint32_t from, uint32_t to)
{
	if (names->dense)
		return from * verifier->schedule->problem.nrank + to;
	const uint32_t lane = ordo_map_get(&names->lane_of, from, to);
	if (lane != ORDO_NONE)
		return lane;
	return ordo_map_put(&names->lane_of, from, to, names->nlane) ? names->nlane++ : ORDO_NONE;
}

/* The index of a signal, new or not; ORDO_NONE: no memory. */
static uint32_t name_signal(struct verifier *verifier, struct signal_names *names, uint32_t from,
	uint32_t to, uint32_t number)
{
	struct ordo_proof *proof = verifier->findings.proof;
	const uint32_t lane = name_lane(verifier, names, from, to);
	if (lane == ORDO_NONE)
		return ORDO_NONE;
	uint32_t index = ordo_near_get(&names->signal_of, lane, number);
	if (index != ORDO_NONE)
		return index;
	index = proof->nsignal;
	if (!ordo_array_reserve(&verifier->signals.items, &verifier->signals.room,
		    (size_t)index + 1, sizeof *verifier->signals.items) ||
		!ordo_near_put(&names->signal_of, lane, number, index))
		return ORDO_NONE;
	verifier->signals.items[index] = (struct signal){.from = from,
		.to = to,
		.number = number,
		.notifier = ORDO_NONE,
		.waiter = ORDO_NONE,
		.entry = ORDO_NONE,
		.exit = ORDO_NONE};
	proof->nsignal++;
	return index;
}

/* The first task of a stream that uses the signal, for a message. */
static uint32_t first_use(
	const struct verifier *verifier, uint32_t stream, uint32_t signal, enum ordo_task_kind kind)
{
	const struct ordo_stream *in = &verifier->schedule->streams[stream];
	for (uint32_t id = in->first; id < in->end; id++)
		if (verifier->schedule->tasks[id].kind == kind &&
			verifier->tasks[id].link == signal)
			return id;
	return ORDO_NONE;
}

static bool count_use(struct verifier *verifier, uint32_t id, uint32_t stream, uint32_t index)
{
	struct signal *signal = &verifier->signals.items[index];
	enum ordo_task_kind kind = (enum ordo_task_kind)verifier->schedule->tasks[id].kind;
	uint32_t *user = kind == ORDO_NOTIFY ? &signal->notifier : &signal->waiter;
	uint32_t *uses = kind == ORDO_NOTIFY ? &signal->nnotify : &signal->nwait;
	++*uses;
	if (*user == ORDO_NONE)
		*user = stream;
	if (*user == stream)
		return true;
	uint32_t tasks[2] = {first_use(verifier, *user, index, kind), id};
	return ordo_add_finding(&verifier->findings, 5, tasks, 2,
		"give each pair of streams a signal of its own",
		"signal %u from rank %u to rank %u has two %s streams:\n  %s\n  %s", signal->number,
		signal->from, signal->to, kind == ORDO_NOTIFY ? "notifying" : "waiting",
		ordo_where_is(verifier, tasks[0]).text, ordo_where_is(verifier, id).text);
}

static bool name_signals(struct verifier *verifier, struct signal_names *names)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		/* Streams use few signals over and over: the last few need no table. */
		struct {
			uint32_t peer, number, index;
			enum ordo_task_kind kind;
		} recent[8];
		unsigned nrecent = 0;
		const struct ordo_stream *stream = &schedule->streams[s];
		for (uint32_t id = stream->first; id < stream->end; id++) {
			const struct ordo_task *task = &schedule->tasks[id];
			verifier->tasks[id].stream = s;
			if (ordo_task_moves(task))
				continue;
			unsigned slot = (task->peer * 4 + task->signal * 2 + task->kind) % 8;
			enum ordo_task_kind kind = (enum ordo_task_kind)task->kind;
			uint32_t index = ORDO_NONE;
			if (nrecent >> slot & 1 && recent[slot].peer == task->peer &&
				recent[slot].number == task->signal && recent[slot].kind == kind)
				index = recent[slot].index;
			if (index == ORDO_NONE) {
				index = kind == ORDO_NOTIFY
						? name_signal(verifier, names, stream->rank,
							  task->peer, task->signal)
						: name_signal(verifier, names, task->peer,
							  stream->rank, task->signal);
				if (index == ORDO_NONE)
					return ordo_fail_memory(verifier->findings.error);
				recent[slot].peer = task->peer;
				recent[slot].number = task->signal;
				recent[slot].kind = kind;
				recent[slot].index = index;
				nrecent |= 1u << slot;
			}
			verifier->tasks[id].link = index;
			if (!count_use(verifier, id, s, index))
				return false;
		}
	}
	return true;
}

static bool verify_balance(struct verifier *verifier, uint32_t index)
{
	const struct signal *signal = &verifier->signals.items[index];
	if (signal->nnotify == signal->nwait)
		return true;
	bool more = signal->nnotify > signal->nwait;
	uint32_t stream = more ? signal->notifier : signal->waiter;
	uint32_t task = first_use(verifier, stream, index, more ? ORDO_NOTIFY : ORDO_WAIT);
	return ordo_add_finding(&verifier->findings, 6, &task, 1,
		more ? "a token left over is taken by the next call's Wait"
		     : "a Wait without its Notify blocks for ever",
		"signal %u from rank %u to rank %u: %u Notify but %u Wait; first used by %s",
		signal->number, signal->from, signal->to, signal->nnotify, signal->nwait,
		ordo_where_is(verifier, task).text);
}

static uint32_t touch_index(struct verifier *verifier, uint32_t stream, uint32_t rank)
{
	uint32_t index = ordo_near_get(&verifier->touches.of, stream, rank);
	if (index != ORDO_NONE)
		return index;
	index = verifier->touches.count;
	if (!ordo_array_reserve(&verifier->touches.items, &verifier->touches.room,
		    (size_t)index + 1, sizeof *verifier->touches.items) ||
		!ordo_near_put(&verifier->touches.of, stream, rank, index))
		return ORDO_NONE;
	verifier->touches.items[index] = (struct touch){
		.stream = stream, .rank = rank, .first = ORDO_NONE, .last = ORDO_NONE};
	verifier->touches.count++;
	return index;
}

/* Which streams a signal joins, and whose entering and leaving it can prove. */
static bool join_streams(struct verifier *verifier, struct signal *signal)
{
	uint32_t index = ordo_near_get(&verifier->syncs.of, signal->waiter, signal->notifier);
	if (index == ORDO_NONE) {
		index = verifier->syncs.count;
		if (!ordo_array_reserve(&verifier->syncs.items, &verifier->syncs.room,
			    (size_t)index + 1, sizeof *verifier->syncs.items) ||
			!ordo_near_put(
				&verifier->syncs.of, signal->waiter, signal->notifier, index))
			return ordo_fail_memory(verifier->findings.error);
		verifier->syncs.items[index] = (struct sync){
			.from = signal->notifier, .to = signal->waiter, .first_signal = ORDO_NONE};
		verifier->syncs.count++;
	}
	signal->sync = index;
	signal->next = verifier->syncs.items[index].first_signal;
	verifier->syncs.items[index].first_signal = (uint32_t)(signal - verifier->signals.items);
	if (signal->from == signal->to)
		return true;
	signal->entry = touch_index(verifier, signal->waiter, signal->from);
	signal->exit = touch_index(verifier, signal->notifier, signal->to);
	return signal->entry != ORDO_NONE && signal->exit != ORDO_NONE
		       ? true
		       : ordo_fail_memory(verifier->findings.error);
}

bool ordo_verify_signals(struct verifier *verifier)
{
	struct signal_names names = {0};
	bool worked = open_names(&names, verifier->schedule)
			      ? name_signals(verifier, &names)
			      : ordo_fail_memory(verifier->findings.error);
	close_names(&names);
	uint32_t nnotify = 0;
	for (uint32_t i = 0; worked && i < verifier->findings.proof->nsignal; i++) {
		verifier->signals.items[i].first = nnotify;
		nnotify += verifier->signals.items[i].nnotify;
		worked = verify_balance(verifier, i);
	}
	if (!worked)
		return false;
	verifier->signals.notifies =
		ordo_array_make((size_t)nnotify + 1, sizeof *verifier->signals.notifies, 0);
	verifier->signals.waits =
		ordo_array_make((size_t)nnotify + 1, sizeof *verifier->signals.waits, 0);
	const size_t nstream = (size_t)verifier->schedule->nstream + 1;
	if (!verifier->signals.notifies || !verifier->signals.waits ||
		!ordo_near_make(&verifier->syncs.of, nstream) ||
		!ordo_near_make(&verifier->touches.of, nstream))
		return ordo_fail_memory(verifier->findings.error);
	/* A signal that only notifies or only waits joins nothing; it is unbalanced, and the run is
	 * not asked for. */
	for (uint32_t i = 0; worked && i < verifier->findings.proof->nsignal; i++)
		if (verifier->signals.items[i].notifier != ORDO_NONE &&
			verifier->signals.items[i].waiter != ORDO_NONE)
			worked = join_streams(verifier, &verifier->signals.items[i]);
	return worked;
}

/* R13: how many signals a rank takes part in. */
bool ordo_verify_limits(struct verifier *verifier)
{
	uint32_t allowed = verifier->options->limits.signals,
		 nrank = verifier->schedule->problem.nrank;
	if (!allowed)
		return true;
	uint32_t *used = calloc(nrank, sizeof *used);
	if (!used)
		return ordo_fail_memory(verifier->findings.error);
	for (uint32_t i = 0; i < verifier->findings.proof->nsignal; i++) {
		const struct signal *signal = &verifier->signals.items[i];
		used[signal->from]++;
		if (signal->to != signal->from)
			used[signal->to]++;
	}
	bool worked = true;
	for (uint32_t rank = 0; worked && rank < nrank; rank++)
		if (used[rank] > allowed)
			worked = ordo_add_finding(&verifier->findings, 13, NULL, 0, NULL,
				"rank %u takes part in %u signals, allowed are %u", rank,
				used[rank], allowed);
	free(used);
	return worked;
}
