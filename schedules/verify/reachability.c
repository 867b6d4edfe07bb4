/* reachability.c - decides exactly what certificates left open: one pass over all Notify and Wait
 * for every 16 queried streams.
 *
 * A lane follows one stream s: clock[t][lane] is the latest Notify of s that precedes the current
 * point of stream t, + 1. A pass keeps 16 lanes: one cache line for each stream and each token in
 * flight. So its time is linear in Notify and Wait, its memory linear in streams and tokens, and it
 * decides every query about those lanes. a precedes b exactly if the last Wait before b left
 * clock[stream of b][lane of a's stream] > a.
 */
#include "verifier.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = 16 };

/* Without a limit on them, tokens in flight are measured only if that costs at most so many
 * steps. */
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
	struct line *pool;   /* lines of tokens in flight */
	size_t pool_room;
	uint32_t npool, free_line;
	/* [nnotify] line of a token; free ones are chained through the pool */
	uint32_t *line_of;
	uint32_t *passed;	  /* [nsignal] waits that precede the notifier's current point */
	uint32_t *posted, *taken; /* [nsignal] */
};

static void add_lane(struct reachability *reach, uint32_t stream)
{
	if (reach->lane_of[stream] == ORDO_NONE)
		reach->lane_of[stream] = reach->nlane++;
}

static bool is_open(const struct query *query)
{
	return !query->ordered && query->gate != ORDO_NONE;
}

static void add_lanes(struct reachability *reach)
{
	const struct verifier *verifier = reach->verifier;
	for (uint32_t i = 0; i < verifier->queries.count; i++)
		if (is_open(&verifier->queries.items[i]))
			add_lane(reach, verifier->tasks[verifier->queries.items[i].a].stream);
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

/* Lanes of the waiting streams, to count the waits that precede each Notify. */
static void add_token_lanes(struct reachability *reach)
{
	struct verifier *verifier = reach->verifier;
	uint32_t nlane = reach->nlane + verifier->schedule->nstream;
	reach->tokens = verifier->options->limits.tokens_in_flight ||
			(2 * (uint64_t)count_notifies(verifier) + verifier->schedule->nstream) *
					((nlane + LANES - 1) / LANES) <=
				CHEAP_STEPS;
	for (uint32_t i = 0; reach->tokens && i < verifier->findings.proof->nsignal; i++)
		add_lane(reach, verifier->signals.table.items[i].waiter);
}

static bool add_probes(struct reachability *reach)
{
	struct verifier *verifier = reach->verifier;
	const struct task_info *notes = verifier->tasks;
	reach->probes =
		ordo_array_make((size_t)verifier->queries.count + 1, sizeof *reach->probes, 0);
	if (!reach->probes)
		return false;
	for (uint32_t i = 0; i < verifier->queries.count; i++) {
		struct query *query = &verifier->queries.items[i];
		if (is_open(query))
			reach->probes[reach->nprobe++] =
				(struct probe){reach->lane_of[notes[query->a].stream],
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

static bool open_tokens(struct reachability *reach)
{
	const struct verifier *verifier = reach->verifier;
	uint32_t nsignal = verifier->findings.proof->nsignal;
	const size_t nnotify = count_notifies(verifier);
	reach->line_of = malloc((nnotify + 1) * sizeof *reach->line_of);
	reach->passed = calloc((size_t)nsignal + 1, sizeof *reach->passed);
	reach->posted = calloc((size_t)nsignal + 1, sizeof *reach->posted);
	reach->taken = calloc((size_t)nsignal + 1, sizeof *reach->taken);
	return reach->line_of && reach->passed && reach->posted && reach->taken;
}

static uint32_t take_line(struct reachability *reach)
{
	uint32_t line = reach->free_line;
	if (line != ORDO_NONE) {
		reach->free_line = reach->pool[line].clock[0];
		return line;
	}
	if (!ordo_array_reserve(
		    &reach->pool, &reach->pool_room, (size_t)reach->npool + 1, sizeof *reach->pool))
		return ORDO_NONE;
	return reach->npool++;
}

static void measure_tokens(struct reachability *reach, uint32_t id, uint32_t index, uint32_t known)
{
	struct verifier *verifier = reach->verifier;
	const struct signal *signal = &verifier->signals.items[index];
	uint32_t *passed = &reach->passed[index];
	while (*passed < signal->taken && verifier->signals.waits[signal->first + *passed] < known)
		++*passed;
	uint32_t flying = reach->posted[index] - *passed;
	if (verifier->findings.proof->tokens_in_flight >= flying)
		return;
	verifier->findings.proof->tokens_in_flight = flying;
	verifier->signals.fullest = id;
}

static bool notify(struct reachability *reach, uint32_t id, uint32_t first_lane)
{
	struct verifier *verifier = reach->verifier;
	uint32_t index = verifier->tasks[id].link;
	const struct signal *signal = &verifier->signals.items[index];
	const uint32_t notifier = verifier->tasks[id].stream;
	struct line *clock = &reach->clocks[notifier];
	uint32_t own = reach->lane_of[notifier] - first_lane;
	if (own < LANES)
		clock->clock[own] = id + 1;
	uint32_t line = take_line(reach);
	if (line == ORDO_NONE)
		return false;
	reach->pool[line] = *clock;
	reach->line_of[signal->first + reach->posted[index]++] = line;
	const uint32_t waiter = verifier->signals.table.items[index].waiter;
	uint32_t other = reach->lane_of[waiter] - first_lane;
	if (reach->tokens && other < LANES)
		measure_tokens(reach, id, index, clock->clock[other]);
	return true;
}

static const struct line *wait(struct reachability *reach, uint32_t id)
{
	uint32_t index = reach->verifier->tasks[id].link;
	const struct signal *signal = &reach->verifier->signals.items[index];
	struct line *clock = &reach->clocks[reach->verifier->tasks[id].stream];
	uint32_t line = reach->line_of[signal->first + reach->taken[index]++];
	for (int i = 0; i < LANES; i++)
		if (clock->clock[i] < reach->pool[line].clock[i])
			clock->clock[i] = reach->pool[line].clock[i];
	reach->pool[line].clock[0] = reach->free_line;
	reach->free_line = line;
	return clock;
}

static void start_pass(struct reachability *reach)
{
	const struct ordo_schedule *schedule = reach->verifier->schedule;
	size_t nsignal = reach->verifier->findings.proof->nsignal;
	memset(reach->clocks, 0, schedule->nstream * sizeof *reach->clocks);
	memset(reach->passed, 0, nsignal * sizeof *reach->passed);
	memset(reach->posted, 0, nsignal * sizeof *reach->posted);
	memset(reach->taken, 0, nsignal * sizeof *reach->taken);
	reach->npool = 0;
	reach->free_line = ORDO_NONE;
}

static bool run_pass(struct reachability *reach, uint32_t first_lane, const struct probe **next)
{
	const struct verifier *verifier = reach->verifier;
	const struct probe *end = reach->probes + reach->nprobe;
	start_pass(reach);
	for (uint32_t i = 0; i < verifier->queries.norder; i++) {
		uint32_t id = verifier->queries.order[i];
		if (verifier->schedule->tasks[id].kind == ORDO_NOTIFY) {
			if (!notify(reach, id, first_lane))
				return false;
			continue;
		}
		const struct line *clock = wait(reach, id);
		for (; *next < end && (*next)->lane - first_lane < LANES &&
			(*next)->gate_at == verifier->tasks[id].at;
			++*next)
			*(*next)->answer = clock->clock[(*next)->lane - first_lane] > (*next)->need;
	}
	return true;
}

static bool run_passes(struct reachability *reach)
{
	struct verifier *verifier = reach->verifier;
	const struct ordo_verify_options *options = verifier->options;
	const struct probe *next = reach->probes;
	for (uint32_t first = 0; first < reach->nlane; first += LANES) {
		if (options->progress)
			options->progress(options->closure, "ordering", first, reach->nlane);
		if (!run_pass(reach, first, &next))
			return false;
	}
	return true;
}

static bool open_clocks(struct reachability *reach)
{
	const size_t nstream = (size_t)reach->verifier->schedule->nstream + 1;
	reach->lane_of = ordo_array_make(nstream, sizeof *reach->lane_of, 0xff);
	reach->clocks = ordo_array_make(nstream, sizeof *reach->clocks, 0);
	if (!reach->lane_of || !reach->clocks)
		return false;
	add_lanes(reach);
	add_token_lanes(reach);
	return true;
}

static void close_clocks(struct reachability *reach)
{
	free(reach->lane_of);
	free(reach->probes);
	free(reach->clocks);
	free(reach->pool);
	free(reach->line_of);
	free(reach->passed);
	free(reach->posted);
	free(reach->taken);
}

bool ordo_verify_reachability(struct verifier *verifier)
{
	struct reachability reach = {.verifier = verifier};
	bool worked = open_clocks(&reach);
	if (worked && reach.nlane) {
		worked = ordo_list_order(verifier) && open_tokens(&reach) && add_probes(&reach);
		if (worked) {
			qsort(reach.probes, reach.nprobe, sizeof *reach.probes, by_batch);
			verifier->findings.proof->order_swept += reach.nprobe;
			worked = run_passes(&reach);
		}
	}
	close_clocks(&reach);
	return worked ? true : ordo_fail_memory(verifier->findings.error);
}
