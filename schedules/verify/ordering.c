/* ordering.c - is one access before another in every execution? Cheap certificates first, then a
 * short search back (search.c), the exact sweep for the rest (reachability.c); then R8 and R9.
 *
 * A certificate is a path of happens-before that is known to be there:
 *   - both in one stream;
 *   - the later stream has waited for a Notify that the earlier stream gave after the earlier task;
 *   - the writer of what the later task reads had waited for such a Notify (that writer precedes
 *     the later task);
 *   - the earlier task lies on the way of the data: each move follows the writer of what it reads
 *     (that is
 * itself asked, R8), so these writers form a forest, cut into chains; "a is an ancestor" is a
 * comparison on one chain or after a few steps up. The last is what closes queries whose only
 * path is as long as the ring. If an asked step of a path is later answered by no, the document is
 * refuted for that step, so nothing is ever proved on a false premise.
 */
#include "judge.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* Steps up the forest before the sweep is cheaper. */
#define MOST_CLIMBS 64

static bool is_ancestor(const struct judge *judge, uint32_t a, uint32_t b)
{
	const struct task_info *notes = judge->tasks;
	uint32_t wanted = notes[a].link;
	for (int i = 0; i < MOST_CLIMBS && b != ORDO_NONE; i++) {
		if (notes[b].at < notes[a].at)
			return false;
		if (notes[b].link == wanted)
			return true;
		b = judge->chains.items[notes[b].link][0];
	}
	return false;
}

/* Had `later`, when it ran, been preceded by a Wait of its stream for a Notify of a's stream after
 * a? */
static bool has_waited(const struct judge *judge, uint32_t a, uint32_t later)
{
	const uint32_t sync =
		near_get(&judge->syncs.of, judge->tasks[later].stream, judge->tasks[a].stream);
	if (sync == ORDO_NONE || judge->syncs.items[sync].known <= a)
		return false;
	for (uint32_t i = judge->syncs.items[sync].first_signal; i != ORDO_NONE;
		i = judge->signals.items[i].next) {
		const struct signal *signal = &judge->signals.items[i];
		uint32_t low = 0, high = signal->taken;
		while (low < high) {
			const uint32_t middle = low + (high - low) / 2;
			if (judge->signals.waits[signal->first + middle] < later)
				low = middle + 1;
			else
				high = middle;
		}
		if (low && judge->signals.notifies[signal->first + low - 1] > a)
			return true;
	}
	return false;
}

void note_sync(struct recent *recent, uint32_t sync)
{
	if (recent->syncs[0] == sync)
		return;
	recent->syncs[1] = recent->syncs[0];
	recent->syncs[0] = sync;
}

/* The sync from one stream to the one whose access is under way; streams have to do with few others
 * at a time. */
static uint32_t sync_to(struct judge *judge, uint32_t from, uint32_t to)
{
	struct recent *recent = &judge->recent[to];
	for (int i = 0; i < 2; i++)
		if (recent->syncs[i] != ORDO_NONE &&
			judge->syncs.items[recent->syncs[i]].from == from)
			return recent->syncs[i];
	const uint32_t sync = near_get(&judge->syncs.of, to, from);
	if (sync != ORDO_NONE)
		note_sync(recent, sync);
	return sync;
}

/* Does the access under way, of that stream, follow task a, for certain? */
bool is_ordered(struct judge *judge, uint32_t a, uint32_t stream)
{
	uint32_t earlier = judge->tasks[a].stream;
	if (earlier == stream)
		return true;
	const uint32_t sync = sync_to(judge, earlier, stream);
	if (sync != ORDO_NONE && judge->syncs.items[sync].known > a)
		return true;
	return judge->chains.parent != ORDO_NONE &&
	       (is_ancestor(judge, a, judge->chains.parent) ||
		       has_waited(judge, a, judge->chains.parent));
}

bool extend_chain(struct judge *judge, uint32_t task)
{
	uint32_t parent = judge->chains.parent,
		 chain = parent == ORDO_NONE ? ORDO_NONE : judge->tasks[parent].link;
	if (chain == ORDO_NONE || judge->chains.items[chain][1] != parent) {
		chain = judge->chains.count++;
		if (!ordo_array_reserve(&judge->chains.items, &judge->chains.room,
			    judge->chains.count, sizeof *judge->chains.items))
			return ordo_fail_memory(judge->findings.error);
		judge->chains.items[chain][0] = parent;
	}
	judge->chains.items[chain][1] = task;
	judge->tasks[task].link = chain;
	return true;
}

static bool report_race(struct judge *judge, const struct query *query)
{
	uint32_t tasks[2] = {query->a, query->b};
	return ordo_add_finding(&judge->findings, 8, tasks, 2,
		"a Notify after the first and a Wait before the second would order them",
		"race on rank %u, %s slot %u: nothing orders\n  %s\n  before or after\n  %s",
		query->owner, ordo_buffer_name((enum ordo_buffer)query->buffer), query->slot,
		where_is(judge, query->a).text, where_is(judge, query->b).text);
}

static bool judge_questions(struct judge *judge)
{
	for (uint32_t i = 0; i < judge->queries.count; i++) {
		const struct query *query = &judge->queries.items[i];
		if (query->ordered)
			continue;
		if (query->only_order) {
			if (judge->unordered[0] == ORDO_NONE) {
				judge->unordered[0] = query->a;
				judge->unordered[1] = query->b;
			}
		} else if (!report_race(judge, query)) {
			return false;
		}
	}
	return true;
}

static bool judge_touches(struct judge *judge)
{
	for (uint32_t i = 0; i < judge->touches.count; i++) {
		const struct touch *touch = &judge->touches.items[i];
		if (touch->first == ORDO_NONE)
			continue;
		if (!touch->entered_first &&
			!ordo_add_finding(&judge->findings, 9, &touch->first, 1,
				"let that rank notify this one first: \"I have entered\"",
				"%s touches the memory of rank %u, which may not have entered the "
				"call yet",
				where_is(judge, touch->first).text, touch->rank))
			return false;
		if (touch->left <= touch->last &&
			!ordo_add_finding(&judge->findings, 9, &touch->last, 1,
				"let that rank wait for a Notify given after this task",
				"%s touches the memory of rank %u, which may have left the call "
				"already",
				where_is(judge, touch->last).text, touch->rank))
			return false;
	}
	return true;
}

bool judge_order(struct judge *judge)
{
	return search_back(judge) && judge_presence(judge) && sweep(judge) &&
	       judge_questions(judge) && judge_touches(judge);
}
