/* reachability.c - exact answers for what no certificate closed: one pass over all Notify and Wait
 * for every 16 streams asked about.
 *
 * A lane follows one stream s: clock[t][lane] is the latest Notify of s that precedes the point
 * stream t is at, + 1. A pass keeps 16 lanes, one cache line a stream,
 * and one line a token under way; so its cost is the number of Notify and Wait, its memory linear,
 * and it answers every query about those lanes. a precedes b exactly if the last Wait before b
 * left clock[stream of b][lane of a's stream] > a.
 */
#include "verifier.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16 };

/* Tokens in flight are measured unasked if that costs no more steps than this. */
#define CHEAP_STEPS 2000000u

struct line {
	uint32_t clock[LANES];
};

/* After the Wait at `gate`, is clock[lane] > need? */
struct probe {
	uint32_t lane, gate_at, need;
	bool *answer;
};

struct reachability {
	struct verifier *verifier;
	uint32_t *lane_of; /* [nstream] ORDO_NONE: no lane */
	uint32_t nlane;
	struct probe *probes;
	uint32_t nprobe;
	bool tokens; /* measure them */

	struct line *clocks; /* [nstream] */
	struct line *pool;   /* lines of tokens under way */
	size_t pool_room;
	uint32_t npool, free_line;
	/* [nnotify] line of a token; free ones are chained through the pool */
	uint32_t *line_of;
	uint32_t *passed;	  /* [nsignal] waits known to the notifier so far */
	uint32_t *posted, *taken; /* [nsignal] */
};

static void add_lane(struct reachability *sweep, uint32_t stream)
{
	if (sweep->lane_of[stream] == ORDO_NONE)
		sweep->lane_of[stream] = sweep->nlane++;
}

static bool is_open(const struct query *query)
{
	return !query->ordered && query->gate != ORDO_NONE;
}

static void add_lanes(struct reachability *sweep)
{
	const struct verifier *verifier = sweep->verifier;
	for (uint32_t i = 0; i < verifier->queries.count; i++)
		if (is_open(&verifier->queries.items[i]))
			add_lane(sweep, verifier->tasks[verifier->queries.items[i].a].stream);
}

/* Signals are balanced, so there are as many Wait. */
static size_t count_notifies(const struct verifier *verifier)
{
	const struct signals *signals = &verifier->signals;
	const uint32_t last = signals->table.count - 1;
	return signals->table.count
		       ? (size_t)signals->items[last].first + signals->table.items[last].nnotify
		       : 0;
}

/* Lanes of the streams that wait, so that their notifiers' knowledge of them is measured. */
static void add_token_lanes(struct reachability *sweep)
{
	struct verifier *verifier = sweep->verifier;
	uint32_t nlane = sweep->nlane + verifier->schedule->nstream;
	sweep->tokens = verifier->options->limits.tokens_in_flight ||
			(2 * (uint64_t)count_notifies(verifier) + verifier->schedule->nstream) *
					((nlane + LANES - 1) / LANES) <=
				CHEAP_STEPS;
	for (uint32_t i = 0; sweep->tokens && i < verifier->findings.proof->nsignal; i++)
		add_lane(sweep, verifier->signals.table.items[i].waiter);
}

static bool add_probes(struct reachability *sweep)
{
	struct verifier *verifier = sweep->verifier;
	const struct task_info *notes = verifier->tasks;
	sweep->probes =
		ordo_array_make((size_t)verifier->queries.count + 1, sizeof *sweep->probes, 0);
	if (!sweep->probes)
		return false;
	for (uint32_t i = 0; i < verifier->queries.count; i++) {
		struct query *query = &verifier->queries.items[i];
		if (is_open(query))
			sweep->probes[sweep->nprobe++] =
				(struct probe){sweep->lane_of[notes[query->a].stream],
					notes[query->gate].at, query->a, &query->ordered};
	}
	return true;
}

static int by_batch(const void *left, const void *right)
{
	const struct probe *a = left, *b = right;
	uint32_t batch_a = a->lane / LANES, batch_b = b->lane / LANES;
	if (batch_a != batch_b)
		return batch_a < batch_b ? -1 : 1;
	return a->gate_at < b->gate_at ? -1 : a->gate_at > b->gate_at;
}

bool ordo_list_order(struct verifier *verifier)
{
	const uint32_t ntask = verifier->schedule->ntask;
	if (verifier->queries.order)
		return true;
	verifier->queries.order =
		ordo_array_make((size_t)ntask + 1, sizeof *verifier->queries.order, 0);
	if (!verifier->queries.order)
		return false;
	for (uint32_t id = 0; id < ntask; id++)
		verifier->queries.order[verifier->tasks[id].at] = id;
	for (uint32_t i = 0; i < ntask; i++)
		if (!ordo_task_moves(&verifier->schedule->tasks[verifier->queries.order[i]]))
			verifier->queries.order[verifier->queries.norder++] =
				verifier->queries.order[i];
	return true;
}

static bool open_tokens(struct reachability *sweep)
{
	const struct verifier *verifier = sweep->verifier;
	uint32_t nsignal = verifier->findings.proof->nsignal;
	const size_t nnotify = count_notifies(verifier);
	sweep->line_of = malloc((nnotify + 1) * sizeof *sweep->line_of);
	sweep->passed = calloc((size_t)nsignal + 1, sizeof *sweep->passed);
	sweep->posted = calloc((size_t)nsignal + 1, sizeof *sweep->posted);
	sweep->taken = calloc((size_t)nsignal + 1, sizeof *sweep->taken);
	return sweep->line_of && sweep->passed && sweep->posted && sweep->taken;
}

static uint32_t take_line(struct reachability *sweep)
{
	uint32_t line = sweep->free_line;
	if (line != ORDO_NONE) {
		sweep->free_line = sweep->pool[line].clock[0];
		return line;
	}
	if (!ordo_array_reserve(
		    &sweep->pool, &sweep->pool_room, (size_t)sweep->npool + 1, sizeof *sweep->pool))
		return ORDO_NONE;
	return sweep->npool++;
}

static void measure_tokens(struct reachability *sweep, uint32_t id, uint32_t index, uint32_t known)
{
	struct verifier *verifier = sweep->verifier;
	const struct signal *signal = &verifier->signals.items[index];
	uint32_t *passed = &sweep->passed[index];
	while (*passed < signal->taken && verifier->signals.waits[signal->first + *passed] < known)
		++*passed;
	uint32_t flying = sweep->posted[index] - *passed;
	if (verifier->findings.proof->tokens_in_flight >= flying)
		return;
	verifier->findings.proof->tokens_in_flight = flying;
	verifier->signals.fullest = id;
}

static bool notify(struct reachability *sweep, uint32_t id, uint32_t first_lane)
{
	struct verifier *verifier = sweep->verifier;
	uint32_t index = verifier->tasks[id].link;
	const struct signal *signal = &verifier->signals.items[index];
	const uint32_t notifier = verifier->tasks[id].stream;
	struct line *clock = &sweep->clocks[notifier];
	uint32_t own = sweep->lane_of[notifier] - first_lane;
	if (own < LANES)
		clock->clock[own] = id + 1;
	uint32_t line = take_line(sweep);
	if (line == ORDO_NONE)
		return false;
	sweep->pool[line] = *clock;
	sweep->line_of[signal->first + sweep->posted[index]++] = line;
	const uint32_t waiter = verifier->signals.table.items[index].waiter;
	uint32_t other = sweep->lane_of[waiter] - first_lane;
	if (sweep->tokens && other < LANES)
		measure_tokens(sweep, id, index, clock->clock[other]);
	return true;
}

static const struct line *wait(struct reachability *sweep, uint32_t id)
{
	uint32_t index = sweep->verifier->tasks[id].link;
	const struct signal *signal = &sweep->verifier->signals.items[index];
	struct line *clock = &sweep->clocks[sweep->verifier->tasks[id].stream];
	uint32_t line = sweep->line_of[signal->first + sweep->taken[index]++];
	for (int i = 0; i < LANES; i++)
		if (clock->clock[i] < sweep->pool[line].clock[i])
			clock->clock[i] = sweep->pool[line].clock[i];
	sweep->pool[line].clock[0] = sweep->free_line;
	sweep->free_line = line;
	return clock;
}

static void start_pass(struct reachability *sweep)
{
	const struct ordo_schedule *schedule = sweep->verifier->schedule;
	size_t nsignal = sweep->verifier->findings.proof->nsignal;
	memset(sweep->clocks, 0, schedule->nstream * sizeof *sweep->clocks);
	memset(sweep->passed, 0, nsignal * sizeof *sweep->passed);
	memset(sweep->posted, 0, nsignal * sizeof *sweep->posted);
	memset(sweep->taken, 0, nsignal * sizeof *sweep->taken);
	sweep->npool = 0;
	sweep->free_line = ORDO_NONE;
}

static bool run_pass(struct reachability *sweep, uint32_t first_lane, const struct probe **next)
{
	const struct verifier *verifier = sweep->verifier;
	const struct probe *end = sweep->probes + sweep->nprobe;
	start_pass(sweep);
	for (uint32_t i = 0; i < verifier->queries.norder; i++) {
		uint32_t id = verifier->queries.order[i];
		if (verifier->schedule->tasks[id].kind == ORDO_NOTIFY) {
			if (!notify(sweep, id, first_lane))
				return false;
			continue;
		}
		const struct line *clock = wait(sweep, id);
		for (; *next < end && (*next)->lane - first_lane < LANES &&
			(*next)->gate_at == verifier->tasks[id].at;
			++*next)
			*(*next)->answer = clock->clock[(*next)->lane - first_lane] > (*next)->need;
	}
	return true;
}

static bool run_passes(struct reachability *sweep)
{
	struct verifier *verifier = sweep->verifier;
	const struct ordo_verify_options *options = verifier->options;
	const struct probe *next = sweep->probes;
	for (uint32_t first = 0; first < sweep->nlane; first += LANES) {
		if (options->progress)
			options->progress(options->closure, "ordering", first, sweep->nlane);
		if (!run_pass(sweep, first, &next))
			return false;
	}
	return true;
}

static bool open_sweep(struct reachability *sweep)
{
	const size_t nstream = (size_t)sweep->verifier->schedule->nstream + 1;
	sweep->lane_of = ordo_array_make(nstream, sizeof *sweep->lane_of, 0xff);
	sweep->clocks = ordo_array_make(nstream, sizeof *sweep->clocks, 0);
	if (!sweep->lane_of || !sweep->clocks)
		return false;
	add_lanes(sweep);
	add_token_lanes(sweep);
	return true;
}

static void close_sweep(struct reachability *sweep)
{
	free(sweep->lane_of);
	free(sweep->probes);
	free(sweep->clocks);
	free(sweep->pool);
	free(sweep->line_of);
	free(sweep->passed);
	free(sweep->posted);
	free(sweep->taken);
}

bool ordo_verify_reachability(struct verifier *verifier)
{
	struct reachability sweep = {.verifier = verifier};
	bool worked = open_sweep(&sweep);
	if (worked && sweep.nlane) {
		worked = ordo_list_order(verifier) && open_tokens(&sweep) && add_probes(&sweep);
		if (worked) {
			qsort(sweep.probes, sweep.nprobe, sizeof *sweep.probes, by_batch);
			verifier->findings.proof->order_swept += sweep.nprobe;
			worked = run_passes(&sweep);
		}
	}
	close_sweep(&sweep);
	return worked ? true : ordo_fail_memory(verifier->findings.error);
}
