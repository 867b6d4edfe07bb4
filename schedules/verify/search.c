/* search.c - a bounded backward search for what certificates left open, before the exact pass
 * (reachability.c).
 *
 * From the place that must come later, the search goes back over the Waits before it to the Notify
 * of each, and so on; it visits no part of a stream twice. What it finds is a path of
 * happens-before; a query not decided within the budget stays open.
 */
#include "verifier.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* Tasks visited for one query: beyond FEW_STEPS the passes are cheaper, unless queries are so few
 * that not even so many steps for each are as many as tasks; and for all. */
enum { FEW_STEPS = 128, MOST_STEPS = 4096 };
static const uint64_t MOST_STEPS_IN_ALL = 50 * 1000 * 1000;

struct place {
	uint32_t stream, end; /* the tasks before `end` of the stream */
};

struct search {
	const struct verifier *verifier;
	/* [nstream] the search that last visited a stream, and up to which task */
	uint32_t *stamps, *seen;
	uint32_t stamp;
	struct place *places;
	size_t room;
	uint32_t nplace;
	uint32_t most_steps; /* for one query */
	uint64_t steps;
	bool no_memory;
};

/* The goal: a Notify of a stream after some task. */
struct goal {
	uint32_t stream, after;
	uint32_t at; /* nothing that ran before this place in the run can be on the way */
};

static void add_place(struct search *search, uint32_t stream, uint32_t end)
{
	if (search->stamps[stream] == search->stamp && search->seen[stream] >= end)
		return;
	if (!ordo_array_reserve(&search->places, &search->room, (size_t)search->nplace + 1,
		    sizeof *search->places)) {
		search->no_memory = true;
		return;
	}
	search->places[search->nplace++] = (struct place){stream, end};
}

static void start(struct search *search)
{
	search->stamp++;
	search->nplace = 0;
}

/* The Notify whose token a Wait took. */
static uint32_t notify_of(const struct verifier *verifier, uint32_t wait)
{
	const struct signal *signal = &verifier->signals.items[verifier->tasks[wait].link];
	uint32_t low = 0, high = signal->taken;
	while (high - low > 1) {
		const uint32_t middle = low + (high - low) / 2;
		if (verifier->signals.waits[signal->first + middle] <= wait)
			low = middle;
		else
			high = middle;
	}
	return verifier->signals.notifies[signal->first + low];
}

static bool is_goal(const struct verifier *verifier, const struct goal *goal, uint32_t notify)
{
	return verifier->tasks[notify].stream == goal->stream && notify > goal->after;
}

/* Follows the Waits of one place. */
static bool search_before(
	struct search *search, struct place place, const struct goal *goal, uint32_t *left)
{
	const struct verifier *verifier = search->verifier;
	const bool again = search->stamps[place.stream] == search->stamp;
	const uint32_t begin = again ? search->seen[place.stream]
				     : verifier->schedule->streams[place.stream].first;
	if (again && search->seen[place.stream] >= place.end)
		return false;
	search->stamps[place.stream] = search->stamp;
	search->seen[place.stream] = place.end;
	for (uint32_t id = place.end; id-- > begin && *left && verifier->tasks[id].at >= goal->at;
		--*left) {
		if (verifier->schedule->tasks[id].kind != ORDO_WAIT)
			continue;
		const uint32_t notify = notify_of(verifier, id);
		if (is_goal(verifier, goal, notify))
			return true;
		add_place(search, verifier->tasks[notify].stream, notify);
	}
	return false;
}

static bool reaches_back(struct search *search, const struct goal *goal)
{
	uint32_t left = search->most_steps;
	bool found = false;
	for (uint32_t i = 0; i < search->nplace && left && !found && !search->no_memory; i++)
		found = search_before(search, search->places[i], goal, &left);
	search->steps += search->most_steps - left;
	return found;
}

static void decide_query(struct search *search, struct query *query)
{
	const struct task_info *tasks = search->verifier->tasks;
	if (query->gate == ORDO_NONE)
		return;
	const struct goal goal = {tasks[query->a].stream, query->a, tasks[query->a].at};
	start(search);
	add_place(search, tasks[query->b].stream, query->gate + 1);
	query->ordered = reaches_back(search, &goal);
}

static void decide_all(struct search *search, struct verifier *verifier)
{
	const uint64_t count = verifier->queries.count;
	search->most_steps =
		count * MOST_STEPS < verifier->schedule->ntask ? MOST_STEPS : FEW_STEPS;
	for (uint32_t i = 0; i < verifier->queries.count && search->steps < MOST_STEPS_IN_ALL; i++)
		decide_query(search, &verifier->queries.items[i]);
}

bool ordo_search_back(struct verifier *verifier)
{
	const size_t nstream = (size_t)verifier->schedule->nstream + 1;
	struct search search = {.verifier = verifier,
		.stamps = calloc(nstream, sizeof *search.stamps),
		.seen = malloc(nstream * sizeof *search.seen)};
	const bool worked = search.stamps && search.seen;
	if (worked)
		decide_all(&search, verifier);
	free(search.stamps);
	free(search.seen);
	free(search.places);
	return worked && !search.no_memory ? true : ordo_fail_memory(verifier->findings.error);
}
