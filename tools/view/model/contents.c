/* contents.c - the contents of every slot of some ranks after each step of a schedule. */
#include "contents.h"
#include "cells.h"
#include "pairing.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* A schedule being evaluated. Every rank has cells for its output slots, its scratch slots and, in
 * place, its input slots. */
struct evaluation {
	const struct ordo_schedule *schedule;
	struct contents *contents;
	uint32_t *partners;
	uint32_t *step_of; /* [ntask] of moves */
	struct paired_run run;
	uint32_t step;	/* the current step */
	uint32_t *held; /* [nstep + 1] the first stream whose next move belongs to that step; */
	uint32_t *held_after; /* [nstream] the next such stream; ORDO_NONE */
	struct cells cells;
	struct content *now; /* [cells] */
	/* [cells] index into contents->cells; ORDO_NONE: of a rank that is not shown */
	uint32_t *shown_as;
	uint32_t *last_change; /* [contents->ncell] index into changes, + 1; 0: none */
	uint32_t *leaves;      /* [contributors] trees */
	size_t change_room;
	bool out_of_memory;
};

static struct content input_content(
	const struct evaluation *evaluation, uint32_t rank, uint32_t slot)
{
	const struct ordo_problem *problem = &evaluation->schedule->problem;
	return (struct content){evaluation->leaves[ordo_input_shard(problem, rank, slot)],
		ordo_input_chunk(problem, rank, slot)};
}

static struct content read_slot(
	const struct evaluation *evaluation, uint32_t rank, enum ordo_buffer buffer, uint32_t slot)
{
	if (!has_cell(&evaluation->cells, buffer))
		return input_content(evaluation, rank, slot);
	return evaluation->now[cell_of(&evaluation->cells, rank, buffer, slot)];
}

/* Several writes in one step are one change, or none if they restore the old contents. */
static void note_change(struct evaluation *evaluation, size_t cell)
{
	struct contents *contents = evaluation->contents;
	const uint32_t shown = evaluation->shown_as[cell];
	const struct content now = evaluation->now[cell];
	if (shown == ORDO_NONE)
		return;
	uint32_t *last = &evaluation->last_change[shown];
	if (*last && contents->changes[*last - 1].step == evaluation->step) {
		contents->changes[*last - 1].content = now;
		return;
	}
	if (!ordo_array_reserve(&contents->changes, &evaluation->change_room, contents->nchange + 1,
		    sizeof *contents->changes)) {
		evaluation->out_of_memory = true;
		return;
	}
	contents->changes[contents->nchange++] = (struct slot_change){evaluation->step, shown, now};
	*last = (uint32_t)contents->nchange;
}

static void write_cell(struct evaluation *evaluation, size_t cell, struct content content)
{
	struct content *now = &evaluation->now[cell];
	if (now->tree == content.tree && now->chunk == content.chunk)
		return;
	*now = content;
	note_change(evaluation, cell);
}

static struct content add_contents_up(
	struct evaluation *evaluation, struct content before, struct content added)
{
	/* In Custom any chunks may be added; the sum has the name of the first. */
	const bool any = evaluation->schedule->problem.op == ORDO_CUSTOM,
		   defined = before.tree < CONTENT_UNDEFINED && added.tree < CONTENT_UNDEFINED &&
			     (any || before.chunk == added.chunk);
	struct content sum = {CONTENT_UNDEFINED, added.chunk};
	if (any && defined && before.chunk < added.chunk)
		sum.chunk = before.chunk;
	if (!defined)
		return sum;
	sum.tree = ordo_forest_add(evaluation->contents->forest, before.tree, added.tree);
	evaluation->out_of_memory |= sum.tree == ORDO_NONE;
	return sum;
}

static void move_chunks(struct evaluation *evaluation, uint32_t rank, const struct ordo_task *task)
{
	const uint32_t target = ordo_task_crosses(task) ? task->peer : rank;
	for (uint32_t i = 0; i < task->count; i++) {
		struct content content = read_slot(
			evaluation, rank, (enum ordo_buffer)task->src_buffer, task->src + i);
		const size_t cell = cell_of(&evaluation->cells, target,
			(enum ordo_buffer)task->dst_buffer, task->dst + i);
		if (content.tree == ORDO_NONE || content.chunk != task->chunk + i)
			content.tree = CONTENT_UNDEFINED;
		content.chunk = task->chunk + i;
		if (ordo_task_reduces(task))
			content = add_contents_up(evaluation, evaluation->now[cell], content);
		write_cell(evaluation, cell, content);
	}
}

/* Takes a task of the run, or holds the stream until the step of its move. */
static enum ordo_visit take(void *closure, uint32_t stream, uint32_t task)
{
	struct evaluation *evaluation = closure;
	const struct ordo_task *what = &evaluation->schedule->tasks[task];
	if (!ordo_task_moves(what))
		return ORDO_VISIT_ON;
	const uint32_t step = evaluation->step_of[task];
	if (step > evaluation->step) {
		evaluation->held_after[stream] = evaluation->held[step];
		evaluation->held[step] = stream;
		return ORDO_VISIT_HOLD;
	}
	evaluation->contents->moves[evaluation->step]++;
	move_chunks(evaluation, evaluation->schedule->streams[stream].rank, what);
	return ORDO_VISIT_ON;
}

/* Moves without a phase run in the first step in which they can. */
static bool find_steps(struct evaluation *evaluation)
{
	const struct ordo_schedule *schedule = evaluation->schedule;
	struct contents *contents = evaluation->contents;
	for (uint32_t t = 0; t < schedule->ntask; t++)
		contents->by_phase |= ordo_task_moves(&schedule->tasks[t]) &&
				      schedule->tasks[t].phase != ORDO_NO_PHASE;
	evaluation->step_of = find_depths(schedule, evaluation->partners, true);
	if (!evaluation->step_of)
		return false;
	for (uint32_t t = 0; t < schedule->ntask; t++) {
		uint32_t *step = &evaluation->step_of[t];
		if (contents->by_phase)
			*step = schedule->tasks[t].phase == ORDO_NO_PHASE
					? 1
					: schedule->tasks[t].phase + 1;
		if (ordo_task_moves(&schedule->tasks[t]) && *step > contents->nstep)
			contents->nstep = *step;
	}
	contents->moves = calloc((size_t)contents->nstep + 1, sizeof *contents->moves);
	evaluation->held =
		ordo_array_make((size_t)contents->nstep + 1, sizeof *evaluation->held, 0xff);
	evaluation->held_after =
		calloc((size_t)schedule->nstream + 1, sizeof *evaluation->held_after);
	return contents->moves && evaluation->held && evaluation->held_after;
}

static bool make_cells(struct evaluation *evaluation)
{
	if (!number_cells(&evaluation->cells, evaluation->schedule))
		return false;
	const size_t count = evaluation->cells.count;
	evaluation->now = ordo_array_make(count + 1, sizeof *evaluation->now, 0xff);
	evaluation->shown_as = ordo_array_make(count + 1, sizeof *evaluation->shown_as, 0xff);
	return evaluation->now && evaluation->shown_as;
}

/* Adds the cells of one rank to the result. false: no memory. */
static bool show_cells(struct evaluation *evaluation, uint32_t rank, size_t *room)
{
	const struct ordo_problem *problem = &evaluation->schedule->problem;
	struct contents *contents = evaluation->contents;
	const uint32_t counts[ORDO_NBUFFER] = {[ORDO_OUTPUT] = ordo_output_slots(problem, rank),
		[ORDO_SCRATCH] = evaluation->cells.nscratch,
		[ORDO_INPUT] = problem->in_place ? ordo_input_slots(problem, rank) : 0};
	static const enum ordo_buffer order[] = {ORDO_OUTPUT, ORDO_SCRATCH, ORDO_INPUT};
	for (int i = 0; i < ORDO_NBUFFER; i++)
		for (uint32_t slot = 0; slot < counts[order[i]]; slot++) {
			const size_t cell = cell_of(&evaluation->cells, rank, order[i], slot);
			if (evaluation->shown_as[cell] != ORDO_NONE)
				continue;
			if (!ordo_array_reserve(&contents->cells, room, (size_t)contents->ncell + 1,
				    sizeof *contents->cells))
				return false;
			evaluation->shown_as[cell] = contents->ncell;
			contents->cells[contents->ncell++] =
				(struct slot_name){rank, slot, order[i]};
		}
	return true;
}

static bool choose_cells(struct evaluation *evaluation, const uint32_t *ranks, uint32_t nrank)
{
	struct contents *contents = evaluation->contents;
	size_t room = 0;
	contents->first_cell = calloc((size_t)nrank + 1, sizeof *contents->first_cell);
	bool worked = contents->first_cell;
	for (uint32_t i = 0; worked && i < nrank; i++) {
		contents->first_cell[i] = contents->ncell;
		worked = show_cells(evaluation, ranks[i], &room);
	}
	if (worked)
		contents->first_cell[nrank] = contents->ncell;
	evaluation->last_change =
		calloc((size_t)contents->ncell + 1, sizeof *evaluation->last_change);
	return worked && evaluation->last_change;
}

static bool make_leaves(struct evaluation *evaluation)
{
	const uint32_t count = ordo_ncontribution(&evaluation->schedule->problem);
	evaluation->leaves = calloc((size_t)count + 1, sizeof *evaluation->leaves);
	for (uint32_t leaf = 0; evaluation->leaves && leaf < count; leaf++)
		if ((evaluation->leaves[leaf] = ordo_forest_leaf(
			     evaluation->contents->forest, leaf)) == ORDO_NONE)
			return false;
	return evaluation->leaves;
}

/* In place, the contents before the first task. */
static void fill_inputs(struct evaluation *evaluation)
{
	const struct ordo_problem *problem = &evaluation->schedule->problem;
	for (uint32_t rank = 0; problem->in_place && rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++)
			write_cell(evaluation, cell_of(&evaluation->cells, rank, ORDO_INPUT, slot),
				input_content(evaluation, rank, slot));
}

static void run_steps(struct evaluation *evaluation)
{
	const struct ordo_schedule *schedule = evaluation->schedule;
	struct contents *contents = evaluation->contents;
	fill_inputs(evaluation);
	for (evaluation->step = 1; evaluation->step <= contents->nstep; evaluation->step++) {
		for (uint32_t s = evaluation->held[evaluation->step]; s != ORDO_NONE;
			s = evaluation->held_after[s])
			ordo_greedy_resume(&evaluation->run.greedy, s);
		ordo_greedy_run(&evaluation->run.greedy, take, evaluation);
	}
	/* Without moves there is no step, but tasks to run. */
	ordo_greedy_run(&evaluation->run.greedy, take, evaluation);
	for (uint32_t s = schedule->nstream; s-- > 0;)
		if (evaluation->run.greedy.next[s] < schedule->streams[s].end) {
			contents->nblocked++;
			contents->first_blocked = evaluation->run.greedy.next[s];
		}
}

struct contents *find_contents(const struct ordo_schedule *schedule, const uint32_t *ranks,
	uint32_t nrank, struct ordo_error *error)
{
	struct contents *contents = calloc(1, sizeof *contents);
	struct evaluation evaluation = {.schedule = schedule, .contents = contents};
	bool worked = contents && (contents->forest = ordo_forest_create(error)) &&
		      (evaluation.partners = pair_tasks(schedule)) && find_steps(&evaluation) &&
		      make_cells(&evaluation) && choose_cells(&evaluation, ranks, nrank) &&
		      make_leaves(&evaluation) &&
		      open_paired_run(&evaluation.run, schedule, evaluation.partners);
	if (worked) {
		run_steps(&evaluation);
		worked = !evaluation.out_of_memory;
	}
	close_paired_run(&evaluation.run);
	free(evaluation.partners);
	free(evaluation.step_of);
	free(evaluation.held);
	free(evaluation.held_after);
	free_cells(&evaluation.cells);
	free(evaluation.now);
	free(evaluation.shown_as);
	free(evaluation.last_change);
	free(evaluation.leaves);
	if (worked)
		return contents;
	free_contents(contents);
	ordo_fail_memory(error);
	return NULL;
}

void free_contents(struct contents *contents)
{
	if (!contents)
		return;
	ordo_forest_destroy(contents->forest);
	free(contents->cells);
	free(contents->first_cell);
	free(contents->changes);
	free(contents->moves);
	free(contents);
}
