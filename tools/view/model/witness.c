/* witness.c - the tasks and arrows that demonstrate the findings of a refuted schedule. */
#include "witness.h"
#include "pairing.h"
#include <ordo/arena.h>
#include <ordo/detail/replay.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct search {
	const struct ordo_schedule *schedule;
	struct witness *witness;
	uint32_t *partners;
};

static bool blame(struct witness *witness, uint32_t task)
{
	if (!ordo_array_reserve(&witness->tasks, &witness->task_room, (size_t)witness->ntask + 1,
		    sizeof *witness->tasks))
		return false;
	witness->tasks[witness->ntask++] = task;
	return true;
}

static bool join(struct witness *witness, struct witness_arrow arrow)
{
	if (!arrow.text || !ordo_array_reserve(&witness->arrows, &witness->arrow_room,
				   (size_t)witness->narrow + 1, sizeof *witness->arrows))
		return false;
	witness->arrows[witness->narrow++] = arrow;
	return true;
}

/* R7: every Wait of the cycle waits for a Notify behind the next Wait. */
static bool show_cycle(struct search *search, const struct ordo_finding *finding)
{
	struct witness *witness = search->witness;
	for (uint32_t i = 0; i < finding->ntask; i++) {
		const uint32_t wait = finding->tasks[i],
			       next = finding->tasks[(i + 1) % finding->ntask],
			       notify = search->partners[wait];
		if (notify == ORDO_NONE)
			continue;
		if (!join(witness, (struct witness_arrow){WITNESS_WAITS, wait, notify, ORDO_NONE,
					   2 * i + 1,
					   ordo_arena_format(&witness->arena, "%u", 2 * i + 1)}) ||
			!join(witness,
				(struct witness_arrow){WITNESS_BEHIND, notify, next, ORDO_NONE,
					2 * i + 2,
					ordo_arena_format(&witness->arena, "%u", 2 * i + 2)}))
			return false;
	}
	/* One Notify moved before the Wait ahead of it would open the cycle. */
	return !finding->ntask ||
	       join(witness, (struct witness_arrow){WITNESS_EARLIER,
				     finding->tasks[1 % finding->ntask], finding->tasks[0],
				     ORDO_NONE, 0, "would help: move this Notify first"});
}

/* R8: two accesses to one slot. */
static bool show_race(
	struct search *search, const struct ordo_finding *finding, const struct ordo_replay *replay)
{
	struct witness *witness = search->witness;
	if (finding->ntask < 2)
		return true;
	const uint32_t first = finding->tasks[0], second = finding->tasks[1];
	const bool named = replay && replay->memory_rank != ORDO_NONE;
	const char *text =
		named ? ordo_arena_format(&witness->arena,
				"rank %u, %s slot %u:\nnothing orders these", replay->memory_rank,
				ordo_buffer_name(replay->memory_buffer), replay->memory_slot)
		      : "nothing orders these";
	return join(witness, (struct witness_arrow){WITNESS_RACE, first, second,
				     named ? replay->memory_rank : ORDO_NONE, 0, text}) &&
	       join(witness, (struct witness_arrow){WITNESS_MISSING, first, second, ORDO_NONE, 0,
				     "missing: Notify, Wait"});
}

/* R9: a move that is not ordered within the call of its peer. In the replay it belongs to the
 * second call if the peer may not have entered. */
static bool show_touch(
	struct search *search, const struct ordo_finding *finding, const struct ordo_replay *replay)
{
	struct witness *witness = search->witness;
	const uint32_t task = finding->tasks[0], peer = search->schedule->tasks[task].peer;
	if (!replay)
		return true;
	const bool early = replay->tasks[0].call == 1;
	struct witness_arrow arrow = {
		WITNESS_MISSING, early ? ORDO_NONE : task, early ? task : ORDO_NONE, peer, 0, NULL};
	arrow.text = ordo_arena_format(&witness->arena,
		early ? "missing: rank %u has entered" : "missing: rank %u waits for this", peer);
	return join(witness, arrow);
}

/* R6: the Notify or Wait tasks of the signal that have no partner. */
static bool show_surplus(struct search *search, const struct ordo_finding *finding)
{
	const struct ordo_schedule *schedule = search->schedule;
	const struct ordo_task *first = &schedule->tasks[finding->tasks[0]];
	const struct ordo_stream *stream =
		&schedule->streams[ordo_stream_of(schedule, finding->tasks[0])];
	const bool wait = first->kind == ORDO_WAIT;
	for (uint32_t task = finding->tasks[0]; task < stream->end; task++) {
		const struct ordo_task *what = &schedule->tasks[task];
		if (what->kind != first->kind || what->peer != first->peer ||
			what->signal != first->signal || search->partners[task] != ORDO_NONE)
			continue;
		struct witness_arrow arrow = {WITNESS_MISSING, wait ? ORDO_NONE : task,
			wait ? task : ORDO_NONE, what->peer, 0,
			wait ? "missing: a Notify" : "missing: a Wait"};
		if (!blame(search->witness, task) || !join(search->witness, arrow))
			return false;
	}
	return true;
}

static bool show_finding(struct search *search, const struct ordo_finding *finding)
{
	for (uint32_t i = 0; i < finding->ntask; i++)
		if (finding->rule != 6 && !blame(search->witness, finding->tasks[i]))
			return false;
	if (!finding->ntask || finding->rule < 6 || finding->rule > 9)
		return true;
	if (finding->rule == 6)
		return show_surplus(search, finding);
	if (finding->rule == 7)
		return show_cycle(search, finding);
	struct ordo_replay *replay = ordo_replay_of_finding(search->schedule, finding, NULL);
	const bool worked = finding->rule == 8 ? show_race(search, finding, replay)
					       : show_touch(search, finding, replay);
	ordo_replay_destroy(replay);
	return worked;
}

static bool caption(struct witness *witness, const struct ordo_proof *proof)
{
	size_t length = 0;
	witness->captions = ordo_arena_alloc(
		&witness->arena, (proof->nfinding + 1) * sizeof *witness->captions);
	if (!witness->captions)
		return false;
	for (uint32_t i = 0; i < proof->nfinding; i++) {
		const struct ordo_finding *finding = &proof->findings[i];
		witness->captions[i] = ordo_arena_format(&witness->arena,
			finding->hint ? "R%d: %s\nhint: %s" : "R%d: %s", finding->rule,
			finding->text, finding->hint);
		if (!witness->captions[i])
			return false;
		witness->nfinding++;
		if ((!i || proof->findings[i - 1].rule != finding->rule) &&
			length < sizeof witness->rules)
			length += (size_t)snprintf(witness->rules + length,
				sizeof witness->rules - length, "%sR%d", i ? ", " : "",
				finding->rule);
	}
	return true;
}

/* Where streams block forever, if some do. */
static bool find_deadlock(struct search *search)
{
	struct witness *witness = search->witness;
	struct paired_run run;
	const bool opened = open_paired_run(&run, search->schedule, search->partners);
	bool stops = false;
	if (opened)
		ordo_greedy_run(&run.greedy, NULL, NULL);
	for (uint32_t s = 0; opened && s < search->schedule->nstream; s++)
		stops |= run.greedy.next[s] < search->schedule->streams[s].end;
	if (stops) {
		witness->stopped = run.greedy.next;
		run.greedy.next = NULL;
	}
	close_paired_run(&run);
	return opened;
}

static int compare_tasks(const void *left, const void *right)
{
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	return a < b ? -1 : a > b;
}

static void sort_tasks(struct witness *witness)
{
	uint32_t kept = 0;
	if (witness->ntask)
		qsort(witness->tasks, witness->ntask, sizeof *witness->tasks, compare_tasks);
	for (uint32_t i = 0; i < witness->ntask; i++)
		if (!kept || witness->tasks[kept - 1] != witness->tasks[i])
			witness->tasks[kept++] = witness->tasks[i];
	witness->ntask = kept;
}

struct witness *find_witness(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	struct ordo_error *error)
{
	struct witness *witness = calloc(1, sizeof *witness);
	struct search search = {schedule, witness, witness ? pair_tasks(schedule) : NULL};
	bool worked = search.partners && caption(witness, proof) && find_deadlock(&search);
	for (uint32_t i = 0; worked && i < proof->nfinding; i++)
		worked = show_finding(&search, &proof->findings[i]);
	free(search.partners);
	if (worked) {
		sort_tasks(witness);
		return witness;
	}
	free_witness(witness);
	ordo_fail_memory(error);
	return NULL;
}

void free_witness(struct witness *witness)
{
	if (!witness)
		return;
	free(witness->tasks);
	free(witness->arrows);
	free(witness->stopped);
	ordo_arena_free(&witness->arena);
	free(witness);
}

bool is_at_fault(const struct witness *witness, uint32_t task)
{
	return witness && witness->ntask &&
	       bsearch(&task, witness->tasks, witness->ntask, sizeof task, compare_tasks);
}
