/* signals.c - gives every signal (from, to, number) of a schedule a dense number and a counter. */
#include "plan.h"
#include <assert.h>
#include <ordo/arena.h>
#include <ordo/hash_seed.h>
#include <stdlib.h>
#include <string.h>

/* Beyond so many bytes of counters on cache lines of their own, they are packed. */
#define MOST_PADDED_BYTES (UINT64_C(64) << 20)

/* Signals by key: open addressing, at most half full. */
struct signal_set {
	uint32_t *cells; /* [ncell] index into signals, or ORDO_NONE */
	size_t ncell;	 /* a power of two */
	struct signal *signals;
	size_t nsignal, room;
	struct ordo_hash_seed seed;
};

static size_t cell_of(const struct signal_set *set, const struct signal *key)
{
	const uint32_t way = ordo_hash_pair(&set->seed, key->from, key->to);
	size_t cell = ordo_hash_pair(&set->seed, way, key->number) & (set->ncell - 1);
	for (;; cell = ORDO_NEXT_PLACE(cell, set->ncell - 1)) {
		if (set->cells[cell] == ORDO_NONE)
			return cell;
		const struct signal *signal = &set->signals[set->cells[cell]];
		if (signal->from == key->from && signal->to == key->to &&
			signal->number == key->number)
			return cell;
	}
}

static bool grow(struct signal_set *set)
{
	size_t ncell = set->ncell ? set->ncell * 2 : 1024;
	uint32_t *cells = malloc(ncell * sizeof *cells);
	if (!cells)
		return false;
	memset(cells, 0xff, ncell * sizeof *cells);
	free(set->cells);
	set->cells = cells;
	set->ncell = ncell;
	for (size_t i = 0; i < set->nsignal; i++)
		set->cells[cell_of(set, &set->signals[i])] = (uint32_t)i;
	return true;
}

/* The number of a signal, a new one if it was not met; ORDO_NONE: no memory. */
static uint32_t number_of(struct signal_set *set, const struct signal *key)
{
	if (set->nsignal * 2 >= set->ncell && !grow(set))
		return ORDO_NONE;
	uint32_t *cell = &set->cells[cell_of(set, key)];
	if (*cell != ORDO_NONE)
		return *cell;
	if (!ordo_array_reserve(&set->signals, &set->room, set->nsignal + 1, sizeof *set->signals))
		return ORDO_NONE;
	set->signals[set->nsignal] = *key;
	return *cell = (uint32_t)set->nsignal++;
}

/* Numbers the signal of a Notify or Wait, and notes the stream that has it. */
static bool number_task(struct ordo_plan *plan, struct signal_set *set, uint32_t s, uint32_t t,
	struct ordo_error *error)
{
	const struct ordo_schedule *schedule = plan->schedule;
	const struct ordo_task *task = &schedule->tasks[t];
	const uint32_t rank = schedule->streams[s].rank;
	const bool waits = task->kind == ORDO_WAIT;
	const struct signal key = {waits ? task->peer : rank, waits ? rank : task->peer,
		task->signal, ORDO_NONE, ORDO_NONE};
	const uint32_t number = number_of(set, &key);
	if (number == ORDO_NONE)
		return ordo_fail_memory(error);
	assert(number < set->nsignal && set->signals);
	uint32_t *stream = waits ? &set->signals[number].waiter : &set->signals[number].notifier;
	if (*stream != ORDO_NONE && *stream != s)
		return ordo_fail_task(schedule, t, 5, error,
			"stream \"%s\" of this rank %s the same signal; wanted one stream",
			schedule->streams[*stream].name, waits ? "waits for" : "notifies");
	*stream = s;
	plan->signal_of[t] = number;
	return true;
}

static bool number_kind(struct ordo_plan *plan, struct signal_set *set, enum ordo_task_kind kind,
	struct ordo_error *error)
{
	const struct ordo_schedule *schedule = plan->schedule;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			if (schedule->tasks[t].kind == (unsigned)kind &&
				!number_task(plan, set, s, t, error))
				return false;
	return true;
}

/* Waits first, so that what one stream waits for lies together in `taken`. */
static bool number_all(struct ordo_plan *plan, struct signal_set *set, struct ordo_error *error)
{
	if (!number_kind(plan, set, ORDO_WAIT, error) ||
		!number_kind(plan, set, ORDO_NOTIFY, error))
		return false;
	const size_t padded = CACHE_LINE / sizeof *plan->words;
	plan->nsignal = (uint32_t)set->nsignal;
	plan->word_shift = set->nsignal * CACHE_LINE <= MOST_PADDED_BYTES ? 4 : 0;
	_Static_assert(CACHE_LINE / sizeof(uint32_t) == 1 << 4, "word_shift");
	plan->words = aligned_alloc(
		CACHE_LINE, ((set->nsignal << plan->word_shift) / padded + 1) * CACHE_LINE);
	plan->taken = calloc(set->nsignal + 1, sizeof *plan->taken);
	if (!plan->words || !plan->taken)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < plan->nsignal; i++)
		atomic_init(signal_word(plan, i), 0);
	return true;
}

bool ordo_plan_number_signals(struct ordo_plan *plan, struct ordo_error *error)
{
	struct signal_set set = {.seed = ordo_hash_seed()};
	plan->signal_of = malloc(((size_t)plan->schedule->ntask + 1) * sizeof *plan->signal_of);
	bool worked = plan->signal_of ? number_all(plan, &set, error) : ordo_fail_memory(error);
	plan->signals = set.signals;
	free(set.cells);
	return worked;
}
