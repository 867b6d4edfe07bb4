/* choice.c - a schedule for each link that may be down.
 *
 * Links whose loss leaves the same network but for the numbers of its ranks are a class. For a few
 * links of each an algorithm is chosen, as it is for no failure. The fastest of these is tried on
 * all links of the class, because trees depend on the numbers of ranks, and where it is slower than
 * on the best link it is taken from there with its ranks renumbered (map=[...]). A link where that
 * is not as fast gets a choice of its own.
 */
#include "choice.h"
#include "base/with_setting.h"
#include "isomorphism.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Choices for equal networks differ, by what is tried first, by up to a seventh. */
enum { MOST_CHOSEN = 4 };

/* Schedules of more tasks, for large sizes, differ too little to be tried on each link. */
enum { MOST_TRIED_TASKS = 1 << 17 };

/* As fast, but for rounding. */
static const double ROUNDING = 1e-9;

static void refuse_link(struct call *call, const struct failed_link *link)
{
	note(call, "nothing was written: no schedule with the link %" PRIu32 "-%" PRIu32 " down",
		link->a, link->b);
}

static int compare_links(const void *one, const void *other)
{
	const struct failed_link *a = one, *b = other;
	return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* The links that are up, without direction, ascending and once each. */
static bool find_links(const struct ordo_topology *topology, struct failed_links *failed)
{
	struct failed_link *links = calloc((size_t)topology->nlink + 1, sizeof *links);
	uint32_t n = 0;
	for (uint32_t i = 0; links && i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (!link->down)
			links[n++] =
				link->from < link->to
					? (struct failed_link){link->from, link->to, ORDO_NONE, 0}
					: (struct failed_link){link->to, link->from, ORDO_NONE, 0};
	}
	if (links)
		qsort(links, n, sizeof *links, compare_links);
	for (uint32_t i = 0; i < n; i++)
		if (!failed->count || compare_links(&links[i], &links[failed->count - 1]))
			links[failed->count++] = links[i];
	failed->links = links;
	return links;
}

static uint32_t fixed_rank(const struct ordo_problem *problem)
{
	return ordo_operator_facts(problem->op)->rooted ? problem->root : ORDO_NONE;
}

static uint32_t class_of(struct failed_links *failed, uint64_t key)
{
	uint32_t i = 0;
	while (i < failed->nclass && failed->classes[i].key != key)
		i++;
	if (i == failed->nclass)
		failed->classes[failed->nclass++] = (struct link_class){.key = key};
	failed->classes[i].nmember++;
	return i;
}

/* With an order demanded no other numbers of ranks will do: each link is a class. */
static bool classify(
	struct call *call, const struct choosing *choosing, struct failed_links *failed, uint32_t i)
{
	struct failed_link *link = &failed->links[i];
	const struct failures_request *request = choosing->request;
	struct ordo_topology *topology =
		fail_state(call, choosing->whole.topology, link->a, link->b);
	uint64_t key = i;
	bool worked = topology;
	if (worked && !cuts_off_ranks(topology)) {
		if (!request->conditions->order)
			worked =
				find_isomorphism_key(topology, fixed_rank(&request->problem), &key);
		link->class_index = worked ? class_of(failed, key) : ORDO_NONE;
		worked = worked || refuse_memory(call);
	}
	ordo_topology_destroy(topology);
	return worked;
}

bool find_failed_links(
	struct call *call, const struct choosing *choosing, struct failed_links *failed)
{
	*failed = (struct failed_links){0};
	bool worked = find_links(choosing->whole.topology, failed);
	failed->classes = calloc((size_t)failed->count + 1, sizeof *failed->classes);
	worked = worked && failed->classes ? true : refuse_memory(call);
	for (uint32_t i = 0; worked && i < failed->count; i++)
		worked = classify(call, choosing, failed, i);
	return worked;
}

void free_failed_links(struct failed_links *failed)
{
	for (uint32_t i = 0; i < failed->nclass; i++)
		if (!failed->classes[i].taken)
			ordo_schedule_destroy(failed->classes[i].best.schedule);
	free(failed->links);
	free(failed->classes);
	*failed = (struct failed_links){0};
}

/* Takes the schedule out of a tuning that worked. */
static void take_made(struct ordo_tuning *tuning, struct made_schedule *made)
{
	struct ordo_selected *chosen = &tuning->selection.ranges[0];
	made->schedule = chosen->schedule;
	made->seconds = tuning->ranges[0].times.first;
	memcpy(made->digest, chosen->digest, sizeof made->digest);
	chosen->schedule = NULL;
}

/* algorithm: NULL, as requested. chunks: 0, as many as are the fastest; otherwise a refusal is not
 * reported. */
static bool choose(struct call *call, const struct choosing *choosing,
	struct ordo_topology *topology, const char *algorithm, uint32_t chunks,
	struct made_schedule *made)
{
	const struct failures_request *request = choosing->request;
	const struct predicted predicted = {.topology = topology, .type = choosing->whole.type};
	struct ordo_tuning tuning = {0};
	struct tuning_options fastest = {.setting = &choosing->setting,
		.conditions = request->conditions,
		.problem = request->problem,
		.algorithm = algorithm ? algorithm : request->algorithm,
		.from_bytes = request->bytes,
		.to_bytes = request->bytes,
		.max_tokens = request->max_tokens,
		.staging_slots = request->staging_slots,
		.lazily = true,
		.quiet = chunks};
	if (chunks)
		fastest.problem.chunks_per_block = chunks;
	const bool worked = find_fastest(call, &fastest, &predicted, &tuning);
	if (worked)
		take_made(&tuning, made);
	ordo_tuning_free(&tuning);
	return worked;
}

bool choose_freely(struct call *call, const struct choosing *choosing,
	struct ordo_topology *topology, struct made_schedule *made)
{
	return choose(call, choosing, topology, NULL, 0, made);
}

/* Of `like`: its algorithm, with its number of chunks. A refusal is not reported. */
static bool choose_like(struct call *call, const struct choosing *choosing,
	struct ordo_topology *topology, const struct ordo_schedule *like,
	struct made_schedule *made)
{
	return choose(
		call, choosing, topology, like->algorithm, like->problem.chunks_per_block, made);
}

uint32_t count_choices(const struct failed_links *failed)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < failed->nclass; i++)
		count += failed->classes[i].nmember < MOST_CHOSEN ? failed->classes[i].nmember
								  : MOST_CHOSEN;
	return count;
}

/* Keeps the faster of two schedules in `best`; true: that is the other one. */
static bool keep_faster(struct made_schedule *best, struct made_schedule *other)
{
	const bool faster = other->schedule &&
			    (!best->schedule || other->seconds < best->seconds * (1 - ROUNDING));
	ordo_schedule_destroy(faster ? best->schedule : other->schedule);
	if (faster)
		*best = *other;
	other->schedule = NULL;
	return faster;
}

/* A choice of its own. */
static bool choose_for_link(struct call *call, const struct choosing *choosing,
	struct failed_links *failed, uint32_t i, struct ordo_topology *topology)
{
	const struct failed_link *link = &failed->links[i];
	struct link_class *of = &failed->classes[link->class_index];
	struct made_schedule made = {.schedule = NULL};
	const bool worked = choose_freely(call, choosing, topology, &made);
	if (!worked)
		refuse_link(call, link);
	else if (keep_faster(&of->best, &made))
		of->base = i;
	return worked;
}

/* What was chosen for other links of its class; true, if it is refused too. */
static bool try_on_link(struct call *call, const struct choosing *choosing,
	struct failed_links *failed, uint32_t i, struct ordo_topology *topology)
{
	struct failed_link *link = &failed->links[i];
	struct link_class *of = &failed->classes[link->class_index];
	struct made_schedule made = {.schedule = NULL};
	if (i == of->base || of->best.schedule->ntask > MOST_TRIED_TASKS ||
		!choose_like(call, choosing, topology, of->best.schedule, &made))
		return true;
	link->seconds = made.seconds;
	if (keep_faster(&of->best, &made))
		of->base = i;
	return true;
}

/* Is there a choice for this one of the members of a class? They are spread over all of them. */
static bool is_chosen(uint32_t member, uint32_t nmember)
{
	bool chosen = nmember <= MOST_CHOSEN;
	for (uint64_t i = 0; i < MOST_CHOSEN; i++)
		chosen |= member == i * (nmember - 1) / (MOST_CHOSEN - 1);
	return chosen;
}

/* Goes through the links of classes: those that are to get a choice, or all, to be tried. */
static bool go_through(struct call *call, const struct choosing *choosing,
	struct failed_links *failed, bool choices)
{
	bool worked = true;
	for (uint32_t i = 0; worked && i < failed->count; i++) {
		const struct failed_link *link = &failed->links[i];
		struct link_class *of =
			link->class_index == ORDO_NONE ? NULL : &failed->classes[link->class_index];
		if (!of || (choices && !is_chosen(of->nseen++, of->nmember)))
			continue;
		struct ordo_topology *topology =
			fail_state(call, choosing->whole.topology, link->a, link->b);
		worked = topology && (choices ? choose_for_link : try_on_link)(
					     call, choosing, failed, i, topology);
		ordo_topology_destroy(topology);
	}
	return worked;
}

bool choose_for_classes(
	struct call *call, const struct choosing *choosing, struct failed_links *failed)
{
	return go_through(call, choosing, failed, true) &&
	       go_through(call, choosing, failed, false);
}

/* The algorithm with its ranks renumbered, in the arena; NULL: it already is, or no memory. */
static const char *with_map(
	struct ordo_arena *arena, const char *algorithm, const uint32_t *map, uint32_t nrank)
{
	const char *text = NULL;
	char *setting = NULL;
	size_t size;
	FILE *out = strstr(algorithm, "map=") ? NULL : open_memstream(&setting, &size);
	if (!out)
		return NULL;
	for (uint32_t i = 0; i < nrank; i++)
		fprintf(out, "%s%" PRIu32, i ? "," : "map=[", map[i]);
	fprintf(out, "]");
	if (!fclose(out))
		text = with_setting(arena, algorithm, setting);
	free(setting);
	return text;
}

/* The best schedule of the class with its ranks renumbered; leaves `made` where that cannot be. */
static void renumber_best(struct call *call, const struct choosing *choosing,
	const struct failed_links *failed, const struct link_class *of,
	struct ordo_topology *topology, struct made_schedule *made)
{
	const struct failed_link *base = &failed->links[of->base];
	const struct ordo_schedule *best = of->best.schedule;
	const uint32_t nrank = topology->nrank;
	uint32_t *map = calloc(nrank, sizeof *map);
	struct ordo_topology *there = fail_state(call, choosing->whole.topology, base->a, base->b);
	struct ordo_arena arena = {0};
	const char *algorithm = NULL;
	if (map && there &&
		find_isomorphism(there, topology, fixed_rank(&choosing->request->problem), map))
		algorithm = with_map(&arena, best->algorithm, map, nrank);
	if (algorithm)
		choose(call, choosing, topology, algorithm, best->problem.chunks_per_block, made);
	ordo_arena_free(&arena);
	free(map);
	ordo_topology_destroy(there);
}

bool make_for_link(struct call *call, const struct choosing *choosing, struct failed_links *failed,
	uint32_t link, struct ordo_topology *topology, struct made_schedule *made)
{
	struct link_class *of = &failed->classes[failed->links[link].class_index];
	const struct ordo_schedule *best = of->best.schedule;
	const double most = of->best.seconds * (1 + ROUNDING);
	const double here = failed->links[link].seconds;
	struct made_schedule other = {.schedule = NULL};
	*made = of->best;
	if (link == of->base)
		return of->taken = true;
	*made = other;
	if (here > 0 && here <= most)
		choose_like(call, choosing, topology, best, made);
	else
		renumber_best(call, choosing, failed, of, topology, made);
	if (made->schedule && made->seconds <= most)
		return true;
	if (choose_freely(call, choosing, topology, &other)) {
		keep_faster(made, &other);
		return true;
	}
	refuse_link(call, &failed->links[link]);
	ordo_schedule_destroy(made->schedule);
	made->schedule = NULL;
	return false;
}
