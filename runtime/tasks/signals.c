/* signals.c - gives every signal (from, to, number) of a schedule a dense number and a counter. */
#include "signals.h"
#include "task_error.h"
#include <ordo/signals.h>
#include <stdlib.h>

/* Each counter has its own cache line, unless they would take more memory than this. */
#define MAX_PADDED_BYTES (UINT64_C(64) << 20)

/* Numbers the signals of one kind of tasks. */
static bool number_kind(struct ordo_plan *plan, struct ordo_signal_table *table,
	enum ordo_task_kind kind, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = plan->schedule;
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		struct ordo_recent_signals recent = {0};
		for (uint32_t t = stream->first; t < stream->end; t++) {
			if (schedule->tasks[t].kind != (unsigned)kind)
				continue;
			const struct ordo_signal_use use = ordo_signals_use(
				table, &recent, stream->rank, s, &schedule->tasks[t]);
			if (use.signal == ORDO_NONE)
				return ordo_fail_memory(error);
			if (use.user != s)
				return ordo_fail_task(schedule, t, 5, error,
					"stream \"%s\" of this rank %s the same signal; wanted one "
					"stream",
					schedule->streams[use.user].name,
					kind == ORDO_WAIT ? "waits for" : "notifies");
			plan->signal_of[t] = use.signal;
		}
	}
	return true;
}

/* Waits first, so that the signals one stream waits for are adjacent in `taken`. */
static bool number_all(
	struct ordo_plan *plan, struct ordo_signal_table *table, struct ordo_error *error)
{
	if (!number_kind(plan, table, ORDO_WAIT, error) ||
		!number_kind(plan, table, ORDO_NOTIFY, error))
		return false;
	const size_t padded = CACHE_LINE / sizeof *plan->words;
	plan->nsignal = table->count;
	plan->word_shift = (uint64_t)table->count * CACHE_LINE <= MAX_PADDED_BYTES ? 4 : 0;
	_Static_assert(CACHE_LINE / sizeof(uint32_t) == 1 << 4, "word_shift");
	plan->words = aligned_alloc(
		CACHE_LINE, (((size_t)table->count << plan->word_shift) / padded + 1) * CACHE_LINE);
	plan->taken = calloc((size_t)table->count + 1, sizeof *plan->taken);
	if (!plan->words || !plan->taken)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < plan->nsignal; i++)
		atomic_init(signal_word(plan, i), 0);
	return true;
}

bool ordo_plan_number_signals(struct ordo_plan *plan, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = plan->schedule;
	struct ordo_signal_table table;
	plan->signal_of = malloc(((size_t)schedule->ntask + 1) * sizeof *plan->signal_of);
	const bool opened = ordo_signals_open(&table, schedule->problem.nrank, schedule->ntask) &&
			    plan->signal_of;
	const bool worked = opened ? number_all(plan, &table, error) : ordo_fail_memory(error);
	plan->signals = table.items;
	ordo_signals_close(&table);
	return worked;
}
