/* happens_before.c - paths of happens-before: the last direct hop, a path along the data flow, or a
 * search. */
#include "happens_before.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Steps up from chain to chain before a search is cheaper. */
enum { MOST_CLIMBS = 64 };

bool ordo_happens_before_open(struct happens_before *before, const struct ordo_schedule *schedule,
	struct ordo_error *error)
{
	const size_t ntask = (size_t)schedule->ntask + 1, nstream = (size_t)schedule->nstream + 1;
	*before = (struct happens_before){.schedule = schedule, .error = error};
	if (!ordo_execution_open(&before->execution, schedule, 1, error))
		return false;
	ordo_execution_begin(&before->execution, &before->order);
	ordo_execution_want_all(&before->execution);
	if (!ordo_execution_run(&before->execution))
		return false;
	before->stream_of = malloc(ntask * sizeof *before->stream_of);
	before->at = malloc(ntask * sizeof *before->at);
	before->data.links = malloc(ntask * sizeof *before->data.links);
	before->search.stamps = calloc(nstream, sizeof *before->search.stamps);
	before->search.seen = malloc(nstream * sizeof *before->search.seen);
	if (!before->stream_of || !before->at || !before->data.links || !before->search.stamps ||
		!before->search.seen)
		return ordo_fail_memory(error);
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			before->stream_of[t] = s;
	return true;
}

void ordo_happens_before_close(struct happens_before *before)
{
	ordo_execution_close(&before->execution);
	free(before->order.runs);
	free(before->stream_of);
	free(before->at);
	free(before->data.links);
	for (uint32_t i = 0; i < before->data.nchain; i++)
		free(before->data.chains[i].hops);
	free(before->data.chains);
	ordo_map_free(&before->latest);
	free(before->paths.paths);
	free(before->leaving.paths);
	free(before->items);
	free(before->search.steps);
	free(before->search.stamps);
	free(before->search.seen);
}

static bool add_item(struct happens_before *before, struct path_item item)
{
	if (!ordo_array_reserve(&before->items, &before->item_room, (size_t)before->nitem + 1,
		    sizeof *before->items))
		return ordo_fail_memory(before->error);
	before->items[before->nitem++] = item;
	return true;
}

static bool add_hop(struct happens_before *before, uint32_t wait)
{
	return add_item(before, (struct path_item){ORDO_NONE, wait, wait});
}

/* Hops first..end-1 of a chain, if there are any. */
static bool add_part(struct happens_before *before, uint32_t chain, uint32_t first, uint32_t end)
{
	if (first == end)
		return true;
	if (first + 1 == end)
		return add_hop(before, before->data.chains[chain].hops[first]);
	return add_item(before, (struct path_item){chain, first, end - 1});
}

bool ordo_happens_before_note_wait(struct happens_before *before, uint32_t wait)
{
	const uint32_t
		from = before->stream_of[ordo_pairing_notify_of(&before->execution.pairing, wait)],
		to = before->stream_of[wait];
	uint32_t *latest = ordo_map_find(&before->latest, from, to);
	if (!latest)
		return ordo_map_put(&before->latest, from, to, wait)
			       ? true
			       : ordo_fail_memory(before->error);
	/* Of several signals between the two, the one whose Notify stands latest. */
	if (ordo_pairing_notify_of(&before->execution.pairing, *latest) <
		ordo_pairing_notify_of(&before->execution.pairing, wait))
		*latest = wait;
	return true;
}

/* Searching back, exactly. */

struct goal {
	uint32_t stream, after; /* a Notify of this stream after this task; stream ORDO_NONE: */
	uint32_t rank;		/* any Notify of this rank */
};

static bool is_goal(const struct happens_before *before, const struct goal *goal, uint32_t notify)
{
	const uint32_t stream = before->stream_of[notify];
	if (goal->stream == ORDO_NONE)
		return before->schedule->streams[stream].rank == goal->rank;
	return stream == goal->stream && notify > goal->after;
}

static bool come_to(struct happens_before *before, struct step step)
{
	if (before->search.stamps[step.stream] == before->search.stamp &&
		before->search.seen[step.stream] >= step.end)
		return true;
	if (!ordo_array_reserve(&before->search.steps, &before->search.room,
		    (size_t)before->search.nstep + 1, sizeof *before->search.steps))
		return ordo_fail_memory(before->error);
	before->search.steps[before->search.nstep++] = step;
	return true;
}

enum found { FOUND, NOT_THERE, NO_MEMORY };

static enum found search_before(
	struct happens_before *before, uint32_t index, const struct goal *goal, uint32_t *first)
{
	const struct step step = before->search.steps[index];
	const bool again = before->search.stamps[step.stream] == before->search.stamp;
	const uint32_t begin = again ? before->search.seen[step.stream]
				     : before->schedule->streams[step.stream].first;
	if (again && begin >= step.end)
		return NOT_THERE;
	before->search.stamps[step.stream] = before->search.stamp;
	before->search.seen[step.stream] = step.end;
	for (uint32_t t = step.end; t-- > begin;) {
		if (before->schedule->tasks[t].kind != ORDO_WAIT)
			continue;
		const uint32_t notify = ordo_pairing_notify_of(&before->execution.pairing, t);
		if (is_goal(before, goal, notify)) {
			*first = t;
			return FOUND;
		}
		if (!come_to(before, (struct step){before->stream_of[notify], notify, t, index}))
			return NO_MEMORY;
	}
	return NOT_THERE;
}

/* Adds the hops from the goal to where the search began. The steps to begin with are there
 * already. */
static bool search(struct happens_before *before, const struct goal *goal)
{
	enum found found = NOT_THERE;
	uint32_t first = ORDO_NONE, index = 0;
	for (; index < before->search.nstep && found == NOT_THERE; index++)
		found = search_before(before, index, goal, &first);
	if (found == NO_MEMORY)
		return false;
	if (found == NOT_THERE)
		return ordo_fail(before->error, ORDO_REFUTED, 8, "found no path of happens-before");
	bool worked = add_hop(before, first);
	for (index--; worked && before->search.steps[index].wait != ORDO_NONE;
		index = before->search.steps[index].from)
		worked = add_hop(before, before->search.steps[index].wait);
	return worked;
}

static void begin_search(struct happens_before *before)
{
	before->search.stamp++;
	before->search.nstep = 0;
}

static bool search_from(struct happens_before *before, uint32_t b, const struct goal *goal)
{
	begin_search(before);
	return come_to(before, (struct step){before->stream_of[b], b, ORDO_NONE, ORDO_NONE}) &&
	       search(before, goal);
}

/* The last direct hop, if it is late enough. */
static uint32_t direct_hop(const struct happens_before *before, uint32_t a, uint32_t stream)
{
	const uint32_t wait = ordo_map_get(&before->latest, before->stream_of[a], stream);
	return wait != ORDO_NONE && ordo_pairing_notify_of(&before->execution.pairing, wait) > a
		       ? wait
		       : ORDO_NONE;
}

/* Along the way of the data. */

static bool append_hops(struct happens_before *before, struct chain *chain, uint32_t first_item)
{
	for (uint32_t i = first_item; i < before->nitem; i++) {
		if (!ordo_array_reserve(&chain->hops, &chain->room, (size_t)chain->nhop + 1,
			    sizeof *chain->hops))
			return ordo_fail_memory(before->error);
		chain->hops[chain->nhop++] = before->items[i].first;
	}
	return true;
}

/* The hops from the parent, as items at the end of the list: direct or searched, so all of them
 * single. */
static bool find_hops(struct happens_before *before, uint32_t parent, uint32_t move)
{
	const uint32_t stream = before->stream_of[move];
	if (before->stream_of[parent] == stream)
		return true;
	const uint32_t wait = direct_hop(before, parent, stream);
	if (wait != ORDO_NONE)
		return add_hop(before, wait);
	return search_from(
		before, move, &(struct goal){before->stream_of[parent], parent, ORDO_NONE});
}

bool ordo_happens_before_note_move(struct happens_before *before, uint32_t move, uint32_t parent)
{
	const uint32_t first_item = before->nitem;
	uint32_t chain = parent == ORDO_NONE ? ORDO_NONE : before->data.links[parent].chain;
	if (chain == ORDO_NONE || before->data.chains[chain].tail != parent) {
		chain = before->data.nchain;
		if (!ordo_array_reserve(&before->data.chains, &before->data.room, (size_t)chain + 1,
			    sizeof *before->data.chains))
			return ordo_fail_memory(before->error);
		before->data.chains[before->data.nchain++] = (struct chain){.entry = parent};
	}
	if (parent != ORDO_NONE && !find_hops(before, parent, move))
		return false;
	if (!append_hops(before, &before->data.chains[chain], first_item))
		return false;
	before->data.chains[chain].tail = move;
	before->data.links[move] = (struct link){
		chain, before->data.chains[chain].nhop, parent, before->nitem - first_item};
	before->nitem = first_item;
	return true;
}

/* Is a on the way of the data to b? Then adds the path. */
static bool climb(struct happens_before *before, uint32_t a, uint32_t b, bool *worked)
{
	uint32_t chains[MOST_CLIMBS], ends[MOST_CLIMBS];
	for (uint32_t n = 0; n < MOST_CLIMBS && b != ORDO_NONE && before->at[b] >= before->at[a];
		n++) {
		chains[n] = before->data.links[b].chain;
		ends[n] = before->data.links[b].nhop;
		if (chains[n] != before->data.links[a].chain) {
			b = before->data.chains[chains[n]].entry;
			continue;
		}
		*worked = add_part(before, chains[n], before->data.links[a].nhop, ends[n]);
		for (uint32_t i = n; *worked && i-- > 0;)
			*worked = add_part(before, chains[i], 0, ends[i]);
		return true;
	}
	return false;
}

/* Of the signals from a's stream to that of `later`: the last Wait before `later`, if its Notify is
 * late enough. */
static uint32_t hop_before(const struct happens_before *before, uint32_t a, uint32_t later)
{
	const uint32_t wait =
		ordo_map_get(&before->latest, before->stream_of[a], before->stream_of[later]);
	if (wait == ORDO_NONE)
		return ORDO_NONE;
	/* Only that signal of the two streams: others are left to the search. */
	const struct ordo_pairing *pairing = &before->execution.pairing;
	const uint32_t signal = pairing->signal_of[wait],
		       *waits = &pairing->waits[pairing->first_wait[signal]];
	uint32_t low = 0, high = pairing->signals.items[signal].nwait;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (waits[middle] < later)
			low = middle + 1;
		else
			high = middle;
	}
	return low && ordo_pairing_notify_of(&before->execution.pairing, waits[low - 1]) > a
		       ? waits[low - 1]
		       : ORDO_NONE;
}

/* The parent of b has waited for a's stream after a, or comes after a in it; and b follows its
 * parent. */
static bool find_by_parent(struct happens_before *before, uint32_t a, uint32_t b, bool *worked)
{
	const struct link *link = &before->data.links[b];
	if (link->parent == ORDO_NONE)
		return false;
	const bool same = before->stream_of[a] == before->stream_of[link->parent];
	const uint32_t wait = same ? ORDO_NONE : hop_before(before, a, link->parent);
	if (same ? link->parent < a : wait == ORDO_NONE)
		return false;
	*worked = (same || add_hop(before, wait)) &&
		  add_part(before, link->chain, link->nhop - link->nlast, link->nhop);
	return true;
}

bool ordo_happens_before_find(struct happens_before *before, uint32_t a, uint32_t b)
{
	const uint32_t wait = direct_hop(before, a, before->stream_of[b]);
	bool worked;
	if (wait != ORDO_NONE)
		return add_hop(before, wait);
	if (climb(before, a, b, &worked) || find_by_parent(before, a, b, &worked))
		return worked;
	return search_from(before, b, &(struct goal){before->stream_of[a], a, ORDO_NONE});
}

bool ordo_happens_before_find_entering(struct happens_before *before, uint32_t rank, uint32_t b)
{
	const struct ordo_program *program = &before->schedule->programs[rank];
	for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
		const uint32_t wait = ordo_map_get(&before->latest, s, before->stream_of[b]);
		if (wait != ORDO_NONE)
			return add_hop(before, wait);
	}
	return search_from(before, b, &(struct goal){ORDO_NONE, ORDO_NONE, rank});
}

bool ordo_happens_before_find_leaving(struct happens_before *before, uint32_t a, uint32_t rank)
{
	const struct ordo_program *program = &before->schedule->programs[rank];
	begin_search(before);
	for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
		const uint32_t wait = direct_hop(before, a, s);
		if (wait != ORDO_NONE)
			return add_hop(before, wait);
		if (!come_to(before, (struct step){s, before->schedule->streams[s].end, ORDO_NONE,
					     ORDO_NONE}))
			return false;
	}
	return search(before, &(struct goal){before->stream_of[a], a, ORDO_NONE});
}

bool ordo_happens_before_keep(
	struct happens_before *before, struct path_list *list, uint32_t goal, uint32_t first)
{
	if (!ordo_array_reserve(
		    &list->paths, &list->room, (size_t)list->npath + 1, sizeof *list->paths))
		return ordo_fail_memory(before->error);
	list->paths[list->npath++] = (struct path){goal, first, before->nitem};
	return true;
}

uint32_t ordo_happens_before_first_notify(const struct happens_before *before, uint32_t first)
{
	const struct path_item *item = &before->items[first];
	return ordo_pairing_notify_of(&before->execution.pairing,
		item->route == ORDO_NONE ? item->first
					 : before->data.chains[item->route].hops[item->first]);
}
