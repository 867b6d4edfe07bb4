/* ordering.c - does one access precede another in every execution? Cheap certificates first, then a
 * short backward search (search.c), then the exact pass (reachability.c); then R8 and R9.
 *
 * A certificate is a path of happens-before that is known to be there:
 *   - both in one stream;
 *   - the later stream has waited for a Notify that the earlier stream gave after the earlier task;
 *   - the writer of what the later task reads had waited for such a Notify (that writer precedes
 *     the later task);
 *   - the earlier task lies on the data flow: each move follows the writer of what it reads (itself
 *     a query, R8), so these writers form a forest, cut into chains; "a is an ancestor" is a
 *     comparison on one chain or after a few steps up.
 * The last decides queries whose only path is as long as the ring. If a queried step of a path
 * later turns out unordered, the schedule is refuted for that step, so no proof rests on a false
 * premise.
 */
#include "verifier.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* Steps up the forest before the reachability pass is cheaper. */
#define MOST_CLIMBS 64

static bool is_ancestor(const struct verifier *verifier, uint32_t a, uint32_t b)
{
	const struct task_info *tasks = verifier->tasks;
	uint32_t wanted = tasks[a].link;
	for (int i = 0; i < MOST_CLIMBS && b != ORDO_NONE; i++) {
		if (tasks[b].at < tasks[a].at)
			return false;
		if (tasks[b].link == wanted)
			return true;
		b = verifier->chains.items[tasks[b].link][0];
	}
	return false;
}

/* Had `later`, when it ran, been preceded by a Wait of its stream for a Notify of a's stream after
 * a? */
static bool has_waited(const struct verifier *verifier, uint32_t a, uint32_t later)
{
	const uint32_t sync = ordo_near_get(
		&verifier->syncs.of, verifier->tasks[later].stream, verifier->tasks[a].stream);
	if (sync == ORDO_NONE || verifier->syncs.items[sync].known <= a)
		return false;
	for (uint32_t i = verifier->syncs.items[sync].first_signal; i != ORDO_NONE;
		i = verifier->signals.items[i].next) {
		const struct signal *signal = &verifier->signals.items[i];
		uint32_t low = 0, high = signal->taken;
		while (low < high) {
			const uint32_t middle = low + (high - low) / 2;
			if (verifier->signals.waits[signal->first + middle] < later)
				low = middle + 1;
			else
				high = middle;
		}
		if (low && verifier->signals.notifies[signal->first + low - 1] > a)
			return true;
	}
	return false;
}

void ordo_note_sync(struct recent *recent, uint32_t sync)
{
	if (recent->syncs[0] == sync)
		return;
	recent->syncs[1] = recent->syncs[0];
	recent->syncs[0] = sync;
}

/* The sync from one stream to the one whose access is being ordered; streams synchronise with few
 * others at a time. */
static uint32_t sync_to(struct verifier *verifier, uint32_t from, uint32_t to)
{
	struct recent *recent = &verifier->recent[to];
	for (int i = 0; i < 2; i++)
		if (recent->syncs[i] != ORDO_NONE &&
			verifier->syncs.items[recent->syncs[i]].from == from)
			return recent->syncs[i];
	const uint32_t sync = ordo_near_get(&verifier->syncs.of, to, from);
	if (sync != ORDO_NONE)
		ordo_note_sync(recent, sync);
	return sync;
}

/* Is the current access of that stream certain to follow task a? */
bool ordo_is_ordered(struct verifier *verifier, uint32_t a, uint32_t stream)
{
	uint32_t earlier = verifier->tasks[a].stream;
	if (earlier == stream)
		return true;
	const uint32_t sync = sync_to(verifier, earlier, stream);
	if (sync != ORDO_NONE && verifier->syncs.items[sync].known > a)
		return true;
	return verifier->chains.parent != ORDO_NONE &&
	       (is_ancestor(verifier, a, verifier->chains.parent) ||
		       has_waited(verifier, a, verifier->chains.parent));
}

bool ordo_extend_chain(struct verifier *verifier, uint32_t task)
{
	uint32_t parent = verifier->chains.parent,
		 chain = parent == ORDO_NONE ? ORDO_NONE : verifier->tasks[parent].link;
	if (chain == ORDO_NONE || verifier->chains.items[chain][1] != parent) {
		chain = verifier->chains.count++;
		if (!ordo_array_reserve(&verifier->chains.items, &verifier->chains.room,
			    verifier->chains.count, sizeof *verifier->chains.items))
			return ordo_fail_memory(verifier->findings.error);
		verifier->chains.items[chain][0] = parent;
	}
	verifier->chains.items[chain][1] = task;
	verifier->tasks[task].link = chain;
	return true;
}

static bool report_race(struct verifier *verifier, const struct query *query)
{
	uint32_t tasks[2] = {query->a, query->b};
	return ordo_add_finding(&verifier->findings, 8, tasks, 2,
		"a Notify after the first and a Wait before the second would order them",
		"race on rank %u, %s slot %u: nothing orders\n  %s\n  before or after\n  %s",
		query->owner, ordo_buffer_name((enum ordo_buffer)query->buffer), query->slot,
		ordo_where_is(verifier, query->a).text, ordo_where_is(verifier, query->b).text);
}

static bool verify_queries(struct verifier *verifier)
{
	for (uint32_t i = 0; i < verifier->queries.count; i++) {
		const struct query *query = &verifier->queries.items[i];
		if (query->ordered)
			continue;
		if (query->only_order) {
			if (verifier->unordered[0] == ORDO_NONE) {
				verifier->unordered[0] = query->a;
				verifier->unordered[1] = query->b;
			}
		} else if (!report_race(verifier, query)) {
			return false;
		}
	}
	return true;
}

static bool verify_touches(struct verifier *verifier)
{
	for (uint32_t i = 0; i < verifier->touches.count; i++) {
		const struct touch *touch = &verifier->touches.items[i];
		if (touch->first == ORDO_NONE)
			continue;
		if (!touch->entered_first &&
			!ordo_add_finding(&verifier->findings, 9, &touch->first, 1,
				"let that rank notify this one first: \"I have entered\"",
				"%s touches the memory of rank %u, which may not have entered the "
				"call yet",
				ordo_where_is(verifier, touch->first).text, touch->rank))
			return false;
		if (touch->left <= touch->last &&
			!ordo_add_finding(&verifier->findings, 9, &touch->last, 1,
				"let that rank wait for a Notify given after this task",
				"%s touches the memory of rank %u, which may have left the call "
				"already",
				ordo_where_is(verifier, touch->last).text, touch->rank))
			return false;
	}
	return true;
}

bool ordo_verify_order(struct verifier *verifier)
{
	return ordo_search_back(verifier) && ordo_verify_entry_exit(verifier) &&
	       ordo_verify_reachability(verifier) && ordo_verify_tokens(verifier) &&
	       verify_queries(verifier) && verify_touches(verifier);
}
