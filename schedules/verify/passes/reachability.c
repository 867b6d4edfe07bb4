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

struct reachability {
	struct verifier *verifier;
	uint32_t *lane_of; /* [nstream] ORDO_NONE: no lane */
	uint32_t nlane;
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

static bool notify(struct reachability *reach, uint32_t id, uint32_t first_lane)
{
	const struct verifier *verifier = reach->verifier;
	const uint32_t notifier = verifier->tasks[id].stream,
		       own = reach->lane_of[notifier] - first_lane;
	struct line *line = &reach->passes.lines[notifier];
	if (own < LINE_CLOCKS)
		line->clock[own] = id + 1;
	return send_line(&reach->passes, verifier->tasks[id].link, notifier);
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
	if (!reach->lane_of)
		return false;
	add_lanes(reach);
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
	return worked ? true : ordo_fail_memory(verifier->findings.error);
}
