/* happens_before.c - paths of happens-before: the last direct one, along the way of the data, or
 * looked for. */
#include "happens_before.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Steps up from chain to chain before a search is cheaper. */
enum { MOST_CLIMBS = 64 };

bool paths_open(struct paths *paths, const struct ordo_schedule *schedule, struct ordo_error *error)
{
	const size_t ntask = (size_t)schedule->ntask + 1, nstream = (size_t)schedule->nstream + 1;
	*paths = (struct paths){.schedule = schedule, .error = error};
	if (!ordo_execution_open(&paths->execution, schedule, 1, error))
		return false;
	ordo_execution_begin(&paths->execution, &paths->order);
	ordo_execution_want_all(&paths->execution);
	if (!ordo_execution_run(&paths->execution))
		return false;
	paths->stream_of = malloc(ntask * sizeof *paths->stream_of);
	paths->at = malloc(ntask * sizeof *paths->at);
	paths->links = malloc(ntask * sizeof *paths->links);
	paths->stamps = calloc(nstream, sizeof *paths->stamps);
	paths->seen = malloc(nstream * sizeof *paths->seen);
	if (!paths->stream_of || !paths->at || !paths->links || !paths->stamps || !paths->seen)
		return ordo_fail_memory(error);
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			paths->stream_of[t] = s;
	return true;
}

void paths_close(struct paths *paths)
{
	ordo_execution_close(&paths->execution);
	free(paths->order.runs);
	free(paths->stream_of);
	free(paths->at);
	free(paths->links);
	for (uint32_t i = 0; i < paths->nchain; i++)
		free(paths->chains[i].hops);
	free(paths->chains);
	ordo_map_free(&paths->latest);
	free(paths->paths);
	free(paths->leaving);
	free(paths->items);
	free(paths->steps);
	free(paths->stamps);
	free(paths->seen);
}

static bool add_item(struct paths *paths, struct path_item item)
{
	if (!ordo_array_reserve(&paths->items, &paths->item_room, (size_t)paths->nitem + 1,
		    sizeof *paths->items))
		return ordo_fail_memory(paths->error);
	paths->items[paths->nitem++] = item;
	return true;
}

static bool add_hop(struct paths *paths, uint32_t wait)
{
	return add_item(paths, (struct path_item){ORDO_NONE, wait, wait});
}

/* Hops first..end-1 of a chain, if there are any. */
static bool add_part(struct paths *paths, uint32_t chain, uint32_t first, uint32_t end)
{
	if (first == end)
		return true;
	if (first + 1 == end)
		return add_hop(paths, paths->chains[chain].hops[first]);
	return add_item(paths, (struct path_item){chain, first, end - 1});
}

bool paths_note_wait(struct paths *paths, uint32_t wait)
{
	const uint32_t
		from = paths->stream_of[ordo_pairing_notify_of(&paths->execution.pairing, wait)],
		to = paths->stream_of[wait];
	uint32_t *latest = ordo_map_find(&paths->latest, from, to);
	if (!latest)
		return ordo_map_put(&paths->latest, from, to, wait)
			       ? true
			       : ordo_fail_memory(paths->error);
	/* Of several signals between the two, the one whose Notify stands latest. */
	if (ordo_pairing_notify_of(&paths->execution.pairing, *latest) <
		ordo_pairing_notify_of(&paths->execution.pairing, wait))
		*latest = wait;
	return true;
}

/* Searching back, exactly. */

struct goal {
	uint32_t stream, after; /* a Notify of this stream after this task; stream ORDO_NONE: */
	uint32_t rank;		/* any Notify of this rank */
};

static bool is_goal(const struct paths *paths, const struct goal *goal, uint32_t notify)
{
	const uint32_t stream = paths->stream_of[notify];
	if (goal->stream == ORDO_NONE)
		return paths->schedule->streams[stream].rank == goal->rank;
	return stream == goal->stream && notify > goal->after;
}

static bool come_to(struct paths *paths, struct step step)
{
	if (paths->stamps[step.stream] == paths->stamp && paths->seen[step.stream] >= step.end)
		return true;
	if (!ordo_array_reserve(&paths->steps, &paths->step_room, (size_t)paths->nstep + 1,
		    sizeof *paths->steps))
		return ordo_fail_memory(paths->error);
	paths->steps[paths->nstep++] = step;
	return true;
}

enum found { FOUND, NOT_THERE, NO_MEMORY };

static enum found look_before(
	struct paths *paths, uint32_t index, const struct goal *goal, uint32_t *first)
{
	const struct step step = paths->steps[index];
	const bool again = paths->stamps[step.stream] == paths->stamp;
	const uint32_t begin =
		again ? paths->seen[step.stream] : paths->schedule->streams[step.stream].first;
	if (again && begin >= step.end)
		return NOT_THERE;
	paths->stamps[step.stream] = paths->stamp;
	paths->seen[step.stream] = step.end;
	for (uint32_t t = step.end; t-- > begin;) {
		if (paths->schedule->tasks[t].kind != ORDO_WAIT)
			continue;
		const uint32_t notify = ordo_pairing_notify_of(&paths->execution.pairing, t);
		if (is_goal(paths, goal, notify)) {
			*first = t;
			return FOUND;
		}
		if (!come_to(paths, (struct step){paths->stream_of[notify], notify, t, index}))
			return NO_MEMORY;
	}
	return NOT_THERE;
}

/* Adds the hops from the goal to where the search began. The steps to begin with are there
 * already. */
static bool search(struct paths *paths, const struct goal *goal)
{
	enum found found = NOT_THERE;
	uint32_t first = ORDO_NONE, index = 0;
	for (; index < paths->nstep && found == NOT_THERE; index++)
		found = look_before(paths, index, goal, &first);
	if (found == NO_MEMORY)
		return false;
	if (found == NOT_THERE)
		return ordo_fail(
			paths->error, ORDO_REFUTED, 8, "no path of happens-before is found");
	bool worked = add_hop(paths, first);
	for (index--; worked && paths->steps[index].wait != ORDO_NONE;
		index = paths->steps[index].from)
		worked = add_hop(paths, paths->steps[index].wait);
	return worked;
}

static void begin_search(struct paths *paths)
{
	paths->stamp++;
	paths->nstep = 0;
}

static bool search_from(struct paths *paths, uint32_t b, const struct goal *goal)
{
	begin_search(paths);
	return come_to(paths, (struct step){paths->stream_of[b], b, ORDO_NONE, ORDO_NONE}) &&
	       search(paths, goal);
}

/* The last direct hop, if it is late enough. */
static uint32_t direct_hop(const struct paths *paths, uint32_t a, uint32_t stream)
{
	const uint32_t wait = ordo_map_get(&paths->latest, paths->stream_of[a], stream);
	return wait != ORDO_NONE && ordo_pairing_notify_of(&paths->execution.pairing, wait) > a
		       ? wait
		       : ORDO_NONE;
}

/* Along the way of the data. */

static bool append_hops(struct paths *paths, struct chain *chain, uint32_t first_item)
{
	for (uint32_t i = first_item; i < paths->nitem; i++) {
		if (!ordo_array_reserve(&chain->hops, &chain->room, (size_t)chain->nhop + 1,
			    sizeof *chain->hops))
			return ordo_fail_memory(paths->error);
		chain->hops[chain->nhop++] = paths->items[i].first;
	}
	return true;
}

/* The hops from the parent, as items at the end of the list: direct or searched, so all of them
 * single. */
static bool find_hops(struct paths *paths, uint32_t parent, uint32_t move)
{
	const uint32_t stream = paths->stream_of[move];
	if (paths->stream_of[parent] == stream)
		return true;
	const uint32_t wait = direct_hop(paths, parent, stream);
	if (wait != ORDO_NONE)
		return add_hop(paths, wait);
	return search_from(
		paths, move, &(struct goal){paths->stream_of[parent], parent, ORDO_NONE});
}

bool paths_note_move(struct paths *paths, uint32_t move, uint32_t parent)
{
	const uint32_t first_item = paths->nitem;
	uint32_t chain = parent == ORDO_NONE ? ORDO_NONE : paths->links[parent].chain;
	if (chain == ORDO_NONE || paths->chains[chain].tail != parent) {
		chain = paths->nchain;
		if (!ordo_array_reserve(&paths->chains, &paths->chain_room, (size_t)chain + 1,
			    sizeof *paths->chains))
			return ordo_fail_memory(paths->error);
		paths->chains[paths->nchain++] = (struct chain){.entry = parent};
	}
	if (parent != ORDO_NONE && !find_hops(paths, parent, move))
		return false;
	if (!append_hops(paths, &paths->chains[chain], first_item))
		return false;
	paths->chains[chain].tail = move;
	paths->links[move] =
		(struct link){chain, paths->chains[chain].nhop, parent, paths->nitem - first_item};
	paths->nitem = first_item;
	return true;
}

/* Is a on the way of the data to b? Then adds the path. */
static bool climb(struct paths *paths, uint32_t a, uint32_t b, bool *worked)
{
	uint32_t chains[MOST_CLIMBS], ends[MOST_CLIMBS];
	for (uint32_t n = 0; n < MOST_CLIMBS && b != ORDO_NONE && paths->at[b] >= paths->at[a];
		n++) {
		chains[n] = paths->links[b].chain;
		ends[n] = paths->links[b].nhop;
		if (chains[n] != paths->links[a].chain) {
			b = paths->chains[chains[n]].entry;
			continue;
		}
		*worked = add_part(paths, chains[n], paths->links[a].nhop, ends[n]);
		for (uint32_t i = n; *worked && i-- > 0;)
			*worked = add_part(paths, chains[i], 0, ends[i]);
		return true;
	}
	return false;
}

/* Of the signals from a's stream to that of `later`: the last Wait before `later`, if its Notify is
 * late enough. */
static uint32_t hop_before(const struct paths *paths, uint32_t a, uint32_t later)
{
	const uint32_t wait =
		ordo_map_get(&paths->latest, paths->stream_of[a], paths->stream_of[later]);
	if (wait == ORDO_NONE)
		return ORDO_NONE;
	/* Only that signal of the two streams: others are left to the search. */
	const struct ordo_pairing *pairing = &paths->execution.pairing;
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
	return low && ordo_pairing_notify_of(&paths->execution.pairing, waits[low - 1]) > a
		       ? waits[low - 1]
		       : ORDO_NONE;
}

/* The parent of b has waited for a's stream after a, or comes after a in it; and b follows its
 * parent. */
static bool find_by_parent(struct paths *paths, uint32_t a, uint32_t b, bool *worked)
{
	const struct link *link = &paths->links[b];
	if (link->parent == ORDO_NONE)
		return false;
	const bool same = paths->stream_of[a] == paths->stream_of[link->parent];
	const uint32_t wait = same ? ORDO_NONE : hop_before(paths, a, link->parent);
	if (same ? link->parent < a : wait == ORDO_NONE)
		return false;
	*worked = (same || add_hop(paths, wait)) &&
		  add_part(paths, link->chain, link->nhop - link->nlast, link->nhop);
	return true;
}

bool paths_find(struct paths *paths, uint32_t a, uint32_t b)
{
	const uint32_t wait = direct_hop(paths, a, paths->stream_of[b]);
	bool worked;
	if (wait != ORDO_NONE)
		return add_hop(paths, wait);
	if (climb(paths, a, b, &worked) || find_by_parent(paths, a, b, &worked))
		return worked;
	return search_from(paths, b, &(struct goal){paths->stream_of[a], a, ORDO_NONE});
}

bool paths_find_entering(struct paths *paths, uint32_t rank, uint32_t b)
{
	const struct ordo_program *program = &paths->schedule->programs[rank];
	for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
		const uint32_t wait = ordo_map_get(&paths->latest, s, paths->stream_of[b]);
		if (wait != ORDO_NONE)
			return add_hop(paths, wait);
	}
	return search_from(paths, b, &(struct goal){ORDO_NONE, ORDO_NONE, rank});
}

bool paths_find_leaving(struct paths *paths, uint32_t a, uint32_t rank)
{
	const struct ordo_program *program = &paths->schedule->programs[rank];
	begin_search(paths);
	for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
		const uint32_t wait = direct_hop(paths, a, s);
		if (wait != ORDO_NONE)
			return add_hop(paths, wait);
		if (!come_to(paths, (struct step){s, paths->schedule->streams[s].end, ORDO_NONE,
					    ORDO_NONE}))
			return false;
	}
	return search(paths, &(struct goal){paths->stream_of[a], a, ORDO_NONE});
}

uint32_t paths_first_notify(const struct paths *paths, uint32_t first)
{
	const struct path_item *item = &paths->items[first];
	return ordo_pairing_notify_of(&paths->execution.pairing,
		item->route == ORDO_NONE ? item->first
					 : paths->chains[item->route].hops[item->first]);
}
