/* signals.c - R5: a signal has one notifying and one waiting stream; R6: it is balanced at the
 * end. */
#include "verifier.h"
#include <ordo/arena.h>
#include <stdlib.h>

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

/* Another stream used the signal in the same way. */
static bool report_second_user(
	struct verifier *verifier, uint32_t id, const struct ordo_signal_use *use)
{
	const struct ordo_signal *signal = &verifier->signals.table.items[use->signal];
	const enum ordo_task_kind kind = (enum ordo_task_kind)verifier->schedule->tasks[id].kind;
	const uint32_t tasks[2] = {first_use(verifier, use->user, use->signal, kind), id};
	return ordo_add_finding(&verifier->findings, 5, tasks, 2,
		"give each pair of streams a signal of its own",
		"signal %u from rank %u to rank %u has two %s streams:\n  %s\n  %s", signal->number,
		signal->from, signal->to, kind == ORDO_NOTIFY ? "notifying" : "waiting",
		ordo_where_is(verifier, tasks[0]).text, ordo_where_is(verifier, id).text);
}

static bool number_stream(struct verifier *verifier, uint32_t stream)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	const struct ordo_stream *tasks = &schedule->streams[stream];
	struct ordo_recent_signals recent = {0};
	for (uint32_t id = tasks->first; id < tasks->end; id++) {
		verifier->tasks[id].stream = stream;
		if (ordo_task_moves(&schedule->tasks[id]))
			continue;
		const struct ordo_signal_use use = ordo_signals_use(&verifier->signals.table,
			&recent, tasks->rank, stream, &schedule->tasks[id]);
		if (use.signal == ORDO_NONE)
			return ordo_fail_memory(verifier->findings.error);
		verifier->tasks[id].link = use.signal;
		if (use.user != stream && !report_second_user(verifier, id, &use))
			return false;
	}
	return true;
}

static bool number_signals(struct verifier *verifier)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	struct ordo_signal_table *table = &verifier->signals.table;
	bool worked = ordo_signals_open(table, schedule->problem.nrank, schedule->ntask) ||
		      ordo_fail_memory(verifier->findings.error);
	for (uint32_t s = 0; worked && s < schedule->nstream; s++)
		worked = number_stream(verifier, s);
	ordo_signals_close(table);
	verifier->findings.proof->nsignal = table->count;
	return worked;
}

static bool verify_balance(struct verifier *verifier, uint32_t index)
{
	const struct ordo_signal *signal = &verifier->signals.table.items[index];
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

/* The streams of a signal, and the touches whose entry and exit it can prove. */
static bool join_streams(struct verifier *verifier, uint32_t i)
{
	const struct ordo_signal *ends = &verifier->signals.table.items[i];
	struct signal *signal = &verifier->signals.items[i];
	uint32_t index = ordo_near_get(&verifier->syncs.of, ends->waiter, ends->notifier);
	if (index == ORDO_NONE) {
		index = verifier->syncs.count;
		if (!ordo_array_reserve(&verifier->syncs.items, &verifier->syncs.room,
			    (size_t)index + 1, sizeof *verifier->syncs.items) ||
			!ordo_near_put(&verifier->syncs.of, ends->waiter, ends->notifier, index))
			return ordo_fail_memory(verifier->findings.error);
		verifier->syncs.items[index] = (struct sync){
			.from = ends->notifier, .to = ends->waiter, .first_signal = ORDO_NONE};
		verifier->syncs.count++;
	}
	signal->sync = index;
	signal->next = verifier->syncs.items[index].first_signal;
	verifier->syncs.items[index].first_signal = i;
	if (ends->from == ends->to)
		return true;
	signal->entry = touch_index(verifier, ends->waiter, ends->from);
	signal->exit = touch_index(verifier, ends->notifier, ends->to);
	return signal->entry != ORDO_NONE && signal->exit != ORDO_NONE
		       ? true
		       : ordo_fail_memory(verifier->findings.error);
}

/* Allocates what the run records about signals. */
static bool prepare_run(struct verifier *verifier)
{
	struct signals *signals = &verifier->signals;
	const size_t nstream = (size_t)verifier->schedule->nstream + 1;
	uint32_t nnotify = 0;
	signals->items =
		ordo_array_make((size_t)signals->table.count + 1, sizeof *signals->items, 0);
	for (uint32_t i = 0; signals->items && i < signals->table.count; i++) {
		signals->items[i].first = nnotify;
		signals->items[i].entry = signals->items[i].exit = ORDO_NONE;
		nnotify += signals->table.items[i].nnotify;
	}
	signals->notifies = ordo_array_make((size_t)nnotify + 1, sizeof *signals->notifies, 0);
	signals->waits = ordo_array_make((size_t)nnotify + 1, sizeof *signals->waits, 0);
	return (signals->items && signals->notifies && signals->waits &&
		       ordo_near_make(&verifier->syncs.of, nstream) &&
		       ordo_near_make(&verifier->touches.of, nstream)) ||
	       ordo_fail_memory(verifier->findings.error);
}

bool ordo_verify_signals(struct verifier *verifier)
{
	bool worked = number_signals(verifier);
	const struct ordo_signal_table *table = &verifier->signals.table;
	for (uint32_t i = 0; worked && i < table->count; i++)
		worked = verify_balance(verifier, i);
	worked = worked && prepare_run(verifier);
	/* A signal without Notify or without Wait connects no streams; it is unbalanced, and there
	 * is no run. */
	for (uint32_t i = 0; worked && i < table->count; i++)
		if (table->items[i].notifier != ORDO_NONE && table->items[i].waiter != ORDO_NONE)
			worked = join_streams(verifier, i);
	return worked;
}

/* R13: the number of signals of a rank. */
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
		const struct ordo_signal *signal = &verifier->signals.table.items[i];
		used[signal->from]++;
		if (signal->to != signal->from)
			used[signal->to]++;
	}
	bool worked = true;
	for (uint32_t rank = 0; worked && rank < nrank; rank++)
		if (used[rank] > allowed)
			worked = ordo_add_finding(&verifier->findings, 13, NULL, 0, NULL,
				"rank %u takes part in %u signals, wanted at most %u", rank,
				used[rank], allowed);
	free(used);
	return worked;
}
