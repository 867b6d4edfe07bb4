/* signals.c - numbers the signals of a schedule, and pairs the j-th Wait of a signal with its j-th
 * Notify. */
#include <ordo/arena.h>
#include <ordo/signals.h>
#include <stdlib.h>

bool ordo_signals_open(struct ordo_signal_table *table, uint32_t nrank, uint32_t ntask)
{
	const uint64_t npair = (uint64_t)nrank * nrank;
	*table = (struct ordo_signal_table){.dense = npair <= ntask, .nrank = nrank};
	table->nchannel = table->dense ? (uint32_t)npair : 0;
	return ordo_near_make(&table->signal_of, (size_t)table->nchannel + ntask);
}

void ordo_signals_close(struct ordo_signal_table *table)
{
	ordo_map_free(&table->channel_of);
	ordo_near_free(&table->signal_of);
}

/* ORDO_NONE: no memory. */
static uint32_t find_channel(struct ordo_signal_table *table, uint32_t from, uint32_t to)
{
	if (table->dense && from < table->nrank && to < table->nrank)
		return from * table->nrank + to;
	uint32_t *channel = ordo_map_at(&table->channel_of, from, to);
	if (channel && *channel == ORDO_NONE)
		*channel = table->nchannel++;
	return channel ? *channel : ORDO_NONE;
}

uint32_t ordo_signals_find(
	struct ordo_signal_table *table, uint32_t from, uint32_t to, uint32_t number)
{
	const uint32_t channel = find_channel(table, from, to);
	if (channel == ORDO_NONE)
		return ORDO_NONE;
	uint32_t index = ordo_near_get(&table->signal_of, channel, number);
	if (index != ORDO_NONE)
		return index;
	index = table->count;
	if (!ordo_array_reserve(
		    &table->items, &table->room, (size_t)index + 1, sizeof *table->items) ||
		!ordo_near_put(&table->signal_of, channel, number, index))
		return ORDO_NONE;
	table->items[table->count++] = (struct ordo_signal){.from = from,
		.to = to,
		.number = number,
		.notifier = ORDO_NONE,
		.waiter = ORDO_NONE};
	return index;
}

static bool number_tasks(struct ordo_pairing *pairing)
{
	const struct ordo_schedule *schedule = pairing->schedule;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		struct ordo_recent_signals recent = {0};
		for (uint32_t t = stream->first; t < stream->end; t++) {
			if (ordo_task_moves(&schedule->tasks[t]))
				continue;
			const struct ordo_signal_use use = ordo_signals_use(
				&pairing->signals, &recent, stream->rank, s, &schedule->tasks[t]);
			if (use.signal == ORDO_NONE)
				return false;
			pairing->signal_of[t] = use.signal;
			pairing->ordinal[t] = use.j;
			if (use.user != s && pairing->second_user == ORDO_NONE)
				pairing->second_user = t;
		}
	}
	return true;
}

static bool list_tasks(struct ordo_pairing *pairing)
{
	const struct ordo_schedule *schedule = pairing->schedule;
	const size_t nsignal = (size_t)pairing->signals.count + 1;
	pairing->first_notify = malloc(nsignal * sizeof *pairing->first_notify);
	pairing->first_wait = malloc(nsignal * sizeof *pairing->first_wait);
	if (!pairing->first_notify || !pairing->first_wait)
		return false;
	size_t nnotify = 0, nwait = 0;
	for (uint32_t i = 0; i < pairing->signals.count; i++) {
		pairing->first_notify[i] = (uint32_t)nnotify;
		pairing->first_wait[i] = (uint32_t)nwait;
		nnotify += pairing->signals.items[i].nnotify;
		nwait += pairing->signals.items[i].nwait;
	}
	pairing->notifies = malloc((nnotify + 1) * sizeof *pairing->notifies);
	pairing->waits = malloc((nwait + 1) * sizeof *pairing->waits);
	if (!pairing->notifies || !pairing->waits)
		return false;
	for (uint32_t t = 0; t < schedule->ntask; t++) {
		if (ordo_task_moves(&schedule->tasks[t]))
			continue;
		const uint32_t signal = pairing->signal_of[t];
		if (schedule->tasks[t].kind == ORDO_NOTIFY)
			pairing->notifies[pairing->first_notify[signal] + pairing->ordinal[t]] = t;
		else
			pairing->waits[pairing->first_wait[signal] + pairing->ordinal[t]] = t;
	}
	return true;
}

bool ordo_pairing_open(struct ordo_pairing *pairing, const struct ordo_schedule *schedule)
{
	const size_t ntask = (size_t)schedule->ntask + 1;
	*pairing = (struct ordo_pairing){.schedule = schedule, .second_user = ORDO_NONE};
	pairing->signal_of = malloc(ntask * sizeof *pairing->signal_of);
	pairing->ordinal = malloc(ntask * sizeof *pairing->ordinal);
	const bool worked =
		pairing->signal_of && pairing->ordinal &&
		ordo_signals_open(&pairing->signals, schedule->problem.nrank, schedule->ntask) &&
		number_tasks(pairing) && list_tasks(pairing);
	ordo_signals_close(&pairing->signals);
	return worked;
}

void ordo_pairing_close(struct ordo_pairing *pairing)
{
	free(pairing->signals.items);
	free(pairing->signal_of);
	free(pairing->ordinal);
	free(pairing->first_notify);
	free(pairing->first_wait);
	free(pairing->notifies);
	free(pairing->waits);
}

uint32_t ordo_pairing_notify_of(const struct ordo_pairing *pairing, uint32_t wait)
{
	const uint32_t signal = pairing->signal_of[wait];
	return pairing->ordinal[wait] < pairing->signals.items[signal].nnotify
		       ? pairing->notifies[pairing->first_notify[signal] + pairing->ordinal[wait]]
		       : ORDO_NONE;
}

uint32_t ordo_pairing_notify_in_call(
	const struct ordo_pairing *pairing, uint32_t wait, uint64_t *call)
{
	const uint32_t index = pairing->signal_of[wait];
	const struct ordo_signal *signal = &pairing->signals.items[index];
	const uint64_t j = *call * signal->nwait + pairing->ordinal[wait];
	if (!signal->nnotify)
		return ORDO_NONE;
	*call = j / signal->nnotify;
	return pairing->notifies[pairing->first_notify[index] + j % signal->nnotify];
}
