/* reachability.c - decides exactly what certificates left open: one pass over all Notify and Wait
 * for every 16 queried streams.
 *
 * A lane follows one stream s: clock[t][lane] is the latest Notify of s that precedes the current
 * point of stream t, + 1. A pass keeps 16 lanes: one cache line for each stream and each token in
 * flight. So its time is linear in Notify and Wait, its memory linear in streams and tokens, and it
 * decides every query about those lanes. a precedes b exactly if the last Wait before b left
 * clock[stream of b][lane of a's stream] > a.
 */
#include "passes.h"
#include <stdlib.h>
#include <string.h>

/* Without a limit on them, tokens in flight are measured only if that costs at most so many
 * steps. */
#define CHEAP_STEPS 2000000u

struct reachability {
	struct verifier *verifier;
	uint32_t *lane_of; /* [nstream] ORDO_NONE: no lane */
	uint32_t nlane;
	bool tokens;	  /* measure them */
	uint32_t *passed; /* [nsignal] waits that precede the notifier's current point */
	struct passes passes;
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
					((nlane + LINE_CLOCKS - 1) / LINE_CLOCKS) <=
				CHEAP_STEPS;
	for (uint32_t i = 0; reach->tokens && i < verifier->findings.proof->nsignal; i++)
		add_lane(reach, verifier->signals.table.items[i].waiter);
}

/* Is the clock of the queried stream, after the Wait at the gate, later than task a? */
static void add_probes(struct reachability *reach)
{
	struct verifier *verifier = reach->verifier;
	struct passes *passes = &reach->passes;
	for (uint32_t i = 0; i < verifier->queries.count; i++) {
		struct query *query = &verifier->queries.items[i];
		if (!is_open(query))
			continue;
		const uint32_t lane = reach->lane_of[verifier->tasks[query->a].stream];
		passes->probes[passes->nprobe++] = (struct probe){.batch = lane / LINE_CLOCKS,
			.key = verifier->tasks[query->gate].at,
			.lane = lane % LINE_CLOCKS,
			.need = query->a,
			.target = &query->ordered};
	}
	ordo_passes_sort(passes);
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

static void measure_tokens(struct reachability *reach, uint32_t id, uint32_t index, uint32_t known)
{
	struct verifier *verifier = reach->verifier;
	const struct signal *signal = &verifier->signals.items[index];
	uint32_t *passed = &reach->passed[index];
	while (*passed < signal->taken && verifier->signals.waits[signal->first + *passed] < known)
		++*passed;
	uint32_t flying = reach->passes.sent[index] - *passed;
	if (verifier->findings.proof->tokens_in_flight >= flying)
		return;
	verifier->findings.proof->tokens_in_flight = flying;
	verifier->signals.fullest = id;
}

static bool notify(struct reachability *reach, uint32_t id, uint32_t first_lane)
{
	const struct verifier *verifier = reach->verifier;
	const uint32_t index = verifier->tasks[id].link, notifier = verifier->tasks[id].stream,
		       waiter = verifier->signals.table.items[index].waiter,
		       own = reach->lane_of[notifier] - first_lane,
		       other = reach->lane_of[waiter] - first_lane;
	struct line *line = &reach->passes.lines[notifier];
	if (own < LINE_CLOCKS)
		line->clock[own] = id + 1;
	if (!send_line(&reach->passes, index, notifier))
		return false;
	if (reach->tokens && other < LINE_CLOCKS)
		measure_tokens(reach, id, index, line->clock[other]);
	return true;
}

static const struct line *wait(struct reachability *reach, uint32_t id)
{
	const struct task_info *info = &reach->verifier->tasks[id];
	struct line *own = &reach->passes.lines[info->stream],
		    *line = receive_line(&reach->passes, info->link);
	for (int i = 0; i < LINE_CLOCKS; i++)
		if (own->clock[i] < line->clock[i])
			own->clock[i] = line->clock[i];
	release_line(&reach->passes, line);
	return own;
}

static bool run_pass(struct reachability *reach, uint32_t batch, const struct probe **next)
{
	const struct verifier *verifier = reach->verifier;
	const struct probe *end = reach->passes.probes + reach->passes.nprobe;
	ordo_passes_begin(&reach->passes);
	memset(reach->passed, 0, verifier->findings.proof->nsignal * sizeof *reach->passed);
	for (uint32_t i = 0; i < verifier->queries.norder; i++) {
		const uint32_t id = verifier->queries.order[i];
		if (verifier->schedule->tasks[id].kind == ORDO_NOTIFY) {
			if (!notify(reach, id, batch * LINE_CLOCKS))
				return false;
			continue;
		}
		const struct line *line = wait(reach, id);
		for (; *next < end && (*next)->batch == batch &&
			(*next)->key == verifier->tasks[id].at;
			++*next)
			*(bool *)(*next)->target = line->clock[(*next)->lane] > (*next)->need;
	}
	return true;
}

static bool run_passes(struct reachability *reach)
{
	const struct ordo_verify_options *options = reach->verifier->options;
	const struct probe *next = reach->passes.probes;
	for (uint32_t batch = 0; batch * LINE_CLOCKS < reach->nlane; batch++) {
		if (options->progress)
			options->progress(
				options->closure, "ordering", batch * LINE_CLOCKS, reach->nlane);
		if (!run_pass(reach, batch, &next))
			return false;
	}
	return true;
}

static bool open_lanes(struct reachability *reach)
{
	const struct verifier *verifier = reach->verifier;
	reach->lane_of = ordo_array_make(
		(size_t)verifier->schedule->nstream + 1, sizeof *reach->lane_of, 0xff);
	reach->passed = ordo_array_make(
		(size_t)verifier->findings.proof->nsignal + 1, sizeof *reach->passed, 0);
	if (!reach->lane_of || !reach->passed)
		return false;
	add_lanes(reach);
	add_token_lanes(reach);
	return true;
}

bool ordo_verify_reachability(struct verifier *verifier)
{
	struct reachability reach = {.verifier = verifier};
	bool worked = open_lanes(&reach);
	if (worked && reach.nlane) {
		worked = ordo_passes_open(&reach.passes, verifier, verifier->queries.count);
		if (worked) {
			add_probes(&reach);
			worked = run_passes(&reach);
		}
		ordo_passes_close(&reach.passes);
	}
	free(reach.lane_of);
	free(reach.passed);
	return worked ? true : ordo_fail_memory(verifier->findings.error);
}
