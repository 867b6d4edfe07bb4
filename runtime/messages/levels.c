/* levels.c - one linear extension of a schedule, the same on all ranks, and a rank's steps in it.
 *
 * The level of a move is the number of moves on the longest path of the happens-before relation
 * that ends before it, where sends of a stream that follow each other, to one peer and to different
 * slots, count as one. So levels do not decrease in a stream, and increase from the moves before a
 * Notify to those after its Wait: of two accesses to one memory of which one writes, the one that
 * happens before has the lower level. Any order inside a level computes the same values. A rank
 * takes the steps of a level in this order: first its own tasks, then what it receives; so two
 * ranks that exchange data both send before either waits. */
#include "part.h"
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <ordo/greedy.h>
#include <ordo/signals.h>
#include <stdlib.h>
#include <string.h>

struct ordo_levels {
	const struct ordo_schedule *schedule;
	uint32_t *level;	  /* [ntask] */
	uint32_t *first_incoming; /* [nrank + 1] into incoming */
	uint32_t *incoming;	  /* tasks of other ranks that write to a rank */
	uint32_t *rank_of;	  /* of each of incoming: the sender */
	uint32_t most_chunks;	  /* of one message */
};

/* Where a stream is. */
struct position {
	uint32_t next;	/* the level of its next move, if that does not share a level */
	uint32_t least; /* what it waited for has lower levels */
	/* The sends that share the level before: one of them, and of each buffer of the peer the
	 * slots from the first that they write to the last. */
	const struct ordo_task *send; /* NULL: the last move sends nothing */
	struct {
		uint32_t begin, end;
	} written[ORDO_NBUFFER];
};

struct walk {
	struct ordo_levels *levels;
	const struct ordo_pairing *pairing;
	struct position *at; /* [nstream] */
	uint32_t nvisited;
};

static bool is_move(const struct ordo_task *task)
{
	return task->kind != ORDO_NOTIFY && task->kind != ORDO_WAIT;
}

static bool is_send(const struct ordo_task *task)
{
	return task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE;
}

/* Takes the slots that a send writes, if they are before or behind all that are taken. */
static bool take_slots(struct position *at, const struct ordo_task *task)
{
	const uint32_t begin = task->dst, end = task->dst + task->count;
	uint32_t *first = &at->written[task->dst_buffer].begin,
		 *last = &at->written[task->dst_buffer].end;
	if (*first < *last && end > *first && begin < *last)
		return false;
	*first = *first < *last && *first < begin ? *first : begin;
	*last = *last > end ? *last : end;
	return true;
}

/* Whether a move has the level of the sends before it. A peer's input may be its output. */
static bool shares_level(struct position *at, const struct ordo_task *task)
{
	return at->send && at->least < at->next && at->send->kind == task->kind &&
	       at->send->peer == task->peer && at->send->dst_buffer != ORDO_INPUT &&
	       task->dst_buffer != ORDO_INPUT && take_slots(at, task);
}

static uint32_t level_of_move(struct position *at, const struct ordo_task *task)
{
	if (shares_level(at, task))
		return at->next - 1;
	memset(at->written, 0, sizeof at->written);
	at->send = is_send(task) ? task : NULL;
	if (at->send)
		take_slots(at, task);
	return at->next++;
}

static enum ordo_visit visit(void *closure, uint32_t stream, uint32_t task)
{
	struct walk *walk = closure;
	const struct ordo_task *tasks = walk->levels->schedule->tasks;
	struct position *at = &walk->at[stream];
	if (tasks[task].kind == ORDO_WAIT) {
		const uint32_t notify = ordo_pairing_notify_of(walk->pairing, task),
			       from = walk->levels->level[notify];
		at->least = from > at->least ? from : at->least;
		at->next = from > at->next ? from : at->next;
	}
	walk->levels->level[task] =
		is_move(&tasks[task]) ? level_of_move(at, &tasks[task]) : at->next;
	walk->nvisited++;
	return ORDO_VISIT_ON;
}

static bool find_levels(struct ordo_levels *levels, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = levels->schedule;
	struct ordo_pairing pairing;
	struct ordo_greedy greedy = {0};
	struct walk walk = {.levels = levels, .pairing = &pairing};
	walk.at = calloc((size_t)schedule->nstream + 1, sizeof *walk.at);
	bool worked = ordo_pairing_open(&pairing, schedule) && walk.at;
	worked = worked &&
		 ordo_greedy_open(&greedy, schedule, pairing.signal_of, 1, pairing.signals.count);
	if (worked) {
		ordo_greedy_run(&greedy, visit, &walk);
		if (walk.nvisited != schedule->ntask)
			ordo_fail(error, ORDO_REFUTED, 7, "the schedule deadlocks");
		worked = walk.nvisited == schedule->ntask;
	} else {
		ordo_fail_memory(error);
	}
	ordo_greedy_close(&greedy);
	ordo_pairing_close(&pairing);
	free(walk.at);
	return worked;
}

/* Calls with every Send and SendReduce, and the rank of its stream. */
static void for_each_message(const struct ordo_schedule *schedule,
	void (*take)(struct ordo_levels *levels, uint32_t task, uint32_t rank),
	struct ordo_levels *levels)
{
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
			if (is_send(&schedule->tasks[t]))
				take(levels, t, schedule->streams[s].rank);
		}
}

static void count_incoming(struct ordo_levels *levels, uint32_t task, uint32_t rank)
{
	const uint32_t count = levels->schedule->tasks[task].count;
	(void)rank;
	levels->most_chunks = count > levels->most_chunks ? count : levels->most_chunks;
	levels->first_incoming[levels->schedule->tasks[task].peer + 1]++;
}

/* first_incoming[r] moves on to first_incoming[r + 1]. */
static void place_incoming(struct ordo_levels *levels, uint32_t task, uint32_t rank)
{
	const uint32_t place = levels->first_incoming[levels->schedule->tasks[task].peer]++;
	levels->incoming[place] = task;
	levels->rank_of[place] = rank;
}

static bool find_incoming(struct ordo_levels *levels, struct ordo_error *error)
{
	const uint32_t nrank = levels->schedule->problem.nrank;
	levels->first_incoming = calloc((size_t)nrank + 1, sizeof *levels->first_incoming);
	if (!levels->first_incoming)
		return ordo_fail_memory(error);
	for_each_message(levels->schedule, count_incoming, levels);
	for (uint32_t r = 0; r < nrank; r++)
		levels->first_incoming[r + 1] += levels->first_incoming[r];
	const size_t nmessage = levels->first_incoming[nrank];
	levels->incoming = malloc((nmessage + 1) * sizeof *levels->incoming);
	levels->rank_of = malloc((nmessage + 1) * sizeof *levels->rank_of);
	if (!levels->incoming || !levels->rank_of)
		return ordo_fail_memory(error);
	for_each_message(levels->schedule, place_incoming, levels);
	for (uint32_t r = nrank; r > 0; r--)
		levels->first_incoming[r] = levels->first_incoming[r - 1];
	levels->first_incoming[0] = 0;
	return true;
}

struct ordo_levels *ordo_levels_create(
	const struct ordo_schedule *schedule, struct ordo_error *error)
{
	struct ordo_levels *levels = calloc(1, sizeof *levels);
	if (!levels ||
		!(levels->level = malloc(((size_t)schedule->ntask + 1) * sizeof(uint32_t)))) {
		free(levels);
		ordo_fail_memory(error);
		return NULL;
	}
	levels->schedule = schedule;
	if (!find_levels(levels, error) || !find_incoming(levels, error)) {
		ordo_levels_destroy(levels);
		return NULL;
	}
	return levels;
}

void ordo_levels_destroy(struct ordo_levels *levels)
{
	if (!levels)
		return;
	free(levels->level);
	free(levels->first_incoming);
	free(levels->incoming);
	free(levels->rank_of);
	free(levels);
}

/* A step before it is in order: the receives of a level come after the rank's own tasks. */
struct placed {
	uint64_t key; /* (level, is a receive, task) */
	uint32_t task, sender;
};

static int compare_placed(const void *left, const void *right)
{
	const struct placed *a = left, *b = right;
	const uint64_t x = a->key, y = b->key;
	return x != y ? (x > y) - (x < y) : (a->task > b->task) - (a->task < b->task);
}

static struct placed placed(
	const struct ordo_levels *levels, uint32_t task, uint32_t sender, bool receives)
{
	return (struct placed){(uint64_t)levels->level[task] << 1 | receives, task, sender};
}

/* The rank's own moves and what it receives, in order. NULL: no memory. */
static struct placed *place_steps(const struct ordo_levels *levels, uint32_t rank, uint32_t *count)
{
	const struct ordo_schedule *schedule = levels->schedule;
	const struct ordo_program *program = &schedule->programs[rank];
	const uint32_t begin = levels->first_incoming[rank], end = levels->first_incoming[rank + 1];
	size_t room = end - begin;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		room += schedule->streams[s].end - schedule->streams[s].first;
	struct placed *list = malloc((room + 1) * sizeof *list);
	uint32_t n = 0;
	if (!list)
		return NULL;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			if (is_move(&schedule->tasks[t]))
				list[n++] = placed(levels, t, rank, false);
	for (uint32_t i = begin; i < end; i++)
		list[n++] = placed(levels, levels->incoming[i], levels->rank_of[i], true);
	qsort(list, n, sizeof *list, compare_placed);
	*count = n;
	return list;
}

struct ordo_part *ordo_part_create(
	const struct ordo_levels *levels, uint32_t rank, struct ordo_error *error)
{
	const struct ordo_schedule *schedule = levels->schedule;
	struct steps steps = {.problem = &schedule->problem,
		.rank = rank,
		.scratch_slots = schedule->scratch_slots,
		.most_chunks = levels->most_chunks};
	struct placed *list = place_steps(levels, rank, &steps.count);
	struct ordo_part *part = NULL;
	if (list && ordo_steps_open(&steps)) {
		for (uint32_t i = 0; i < steps.count; i++)
			ordo_steps_set(&steps, i, &schedule->tasks[list[i].task],
				levels->level[list[i].task], list[i].key & 1, list[i].sender);
		part = ordo_part_of_steps(&steps, error);
	} else {
		ordo_fail_memory(error);
	}
	free(list);
	ordo_steps_free(&steps);
	return part;
}
