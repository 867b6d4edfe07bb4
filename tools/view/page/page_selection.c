/* page_selection.c - selects the part of a schedule that a page shows: all of it if it fits, else
 * some ranks. */
#include "page_selection.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* A move by a rank that is not shown into the memory of a shown rank. */
static bool comes_in(const struct shown *shown, const struct ordo_schedule *schedule,
	const struct ordo_task *task, uint32_t rank)
{
	return !shown->has_rank[rank] &&
	       (task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE) &&
	       task->peer < schedule->problem.nrank && shown->has_rank[task->peer];
}

static bool is_chosen(const struct shown *shown, const struct ordo_schedule *schedule,
	uint32_t stream, uint32_t task)
{
	const uint32_t rank = schedule->streams[stream].rank;
	return shown->has_rank[rank] || comes_in(shown, schedule, &schedule->tasks[task], rank);
}

static void choose_ranks(struct shown *shown, const struct ordo_schedule *schedule,
	const uint32_t *ranks, uint32_t nrank)
{
	for (uint32_t i = 0; i < schedule->problem.nrank; i++)
		shown->has_rank[i] = !ranks && i < nrank;
	for (uint32_t i = 0; ranks && i < nrank; i++)
		shown->has_rank[ranks[i]] = true;
	shown->nrank = 0;
	for (uint32_t i = 0; i < schedule->problem.nrank; i++)
		if (shown->has_rank[i])
			shown->ranks[shown->nrank++] = i;
}

/* Do the tasks and cells of the selected ranks fit into a page? */
static bool fits(
	const struct shown *shown, const struct ordo_schedule *schedule, uint32_t max_tasks)
{
	uint64_t ntask = 0, nwrite = 0;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++)
			if (is_chosen(shown, schedule, s, i)) {
				ntask++;
				nwrite += ordo_task_moves(&schedule->tasks[i])
						  ? schedule->tasks[i].count
						  : 0;
			}
	return ntask <= max_tasks && nwrite <= MOST_WRITES;
}

/* The earliest tasks; those that never run count as well. */
static void number_tasks(struct shown *shown, const struct ordo_schedule *schedule,
	const struct steps *steps, uint32_t max_tasks)
{
	/* 1 marks selected tasks until they are numbered. */
	uint32_t left = max_tasks, chosen = 0;
	uint64_t writes = MOST_WRITES;
	for (uint32_t i = 0; i < steps->nstep; i++) {
		const uint32_t task = steps->order[i];
		const uint32_t count =
			ordo_task_moves(&schedule->tasks[task]) ? schedule->tasks[task].count : 0;
		if (!is_chosen(shown, schedule, ordo_stream_of(schedule, task), task))
			continue;
		chosen++;
		if (!left || count > writes)
			left = 0;
		else {
			shown->number[task] = 1;
			left--;
			writes -= count;
		}
	}
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t i = steps->stopped[s]; i < schedule->streams[s].end; i++)
			if (is_chosen(shown, schedule, s, i)) {
				chosen++;
				if (left) {
					shown->number[i] = 1;
					left--;
				}
			}
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++)
			if (shown->number[i] != ORDO_NONE) {
				shown->number[i] = shown->ntask++;
				shown->nincoming += !shown->has_rank[schedule->streams[s].rank];
			}
	shown->all_tasks = shown->ntask == chosen;
	shown->all = shown->ntask == schedule->ntask;
}

bool choose_shown(struct shown *shown, const struct ordo_schedule *schedule,
	const struct steps *steps, const uint32_t *ranks, uint32_t nrank, uint32_t max_tasks,
	struct ordo_error *error)
{
	const uint32_t all = schedule->problem.nrank;
	*shown = (struct shown){.ranks = calloc((size_t)all + 1, sizeof *shown->ranks),
		.has_rank = calloc((size_t)all + 1, sizeof *shown->has_rank),
		.number =
			ordo_array_make((size_t)schedule->ntask + 1, sizeof *shown->number, 0xff)};
	if (!shown->ranks || !shown->has_rank || !shown->number)
		return ordo_fail_memory(error);
	uint32_t most = ranks ? nrank : all < MOST_RANKS ? all : MOST_RANKS;
	choose_ranks(shown, schedule, ranks, most);
	while (!ranks && most > 1 && !fits(shown, schedule, max_tasks))
		choose_ranks(shown, schedule, ranks, most = (most + 1) / 2);
	number_tasks(shown, schedule, steps, max_tasks);
	return true;
}

void free_shown(struct shown *shown)
{
	free(shown->ranks);
	free(shown->has_rank);
	free(shown->number);
	*shown = (struct shown){0};
}

/* The memory of all ranks: the facts of one sum for each slot. */
struct memory {
	const struct ordo_schedule *schedule;
	uint64_t *first; /* [N+1] of each rank: input, output, scratch */
	struct sum_facts *cells;
};

static uint64_t slots_of(const struct ordo_schedule *schedule, uint32_t rank, uint32_t buffer)
{
	const struct ordo_problem *problem = &schedule->problem;
	return buffer == ORDO_INPUT    ? ordo_input_slots(problem, rank)
	       : buffer == ORDO_OUTPUT ? ordo_output_slots(problem, rank)
				       : schedule->scratch_slots;
}

/* NULL: the slot does not exist. */
static struct sum_facts *find_cell(
	const struct memory *memory, uint32_t rank, uint32_t buffer, uint32_t slot)
{
	const struct ordo_schedule *schedule = memory->schedule;
	if (rank >= schedule->problem.nrank || slot >= slots_of(schedule, rank, buffer))
		return NULL;
	if (buffer == ORDO_INPUT) {
		const uint32_t same = ordo_in_place_output_slot(&schedule->problem, rank, slot);
		if (same != ORDO_NONE) {
			buffer = ORDO_OUTPUT;
			slot = same;
		}
	}
	uint64_t at = memory->first[rank] + slot;
	for (uint32_t before = 0; before < buffer; before++)
		at += slots_of(schedule, rank, before);
	return &memory->cells[at];
}

static void write_cell(struct sum_facts *to, const struct sum_facts *from, bool adds)
{
	if (!to)
		return;
	if (!adds || !from || !from->leaves || !to->leaves) {
		*to = from && (!adds || to->leaves) ? *from : (struct sum_facts){0};
		return;
	}
	to->leaves += from->leaves;
	to->smallest = from->smallest < to->smallest ? from->smallest : to->smallest;
	to->largest = from->largest > to->largest ? from->largest : to->largest;
}

static bool make_memory(struct memory *memory, const struct ordo_schedule *schedule)
{
	const uint32_t nrank = schedule->problem.nrank;
	*memory = (struct memory){
		.schedule = schedule, .first = calloc((size_t)nrank + 1, sizeof *memory->first)};
	if (!memory->first)
		return false;
	for (uint32_t rank = 0; rank < nrank; rank++)
		memory->first[rank + 1] = memory->first[rank] +
					  slots_of(schedule, rank, ORDO_INPUT) +
					  slots_of(schedule, rank, ORDO_OUTPUT) +
					  slots_of(schedule, rank, ORDO_SCRATCH);
	memory->cells = calloc((size_t)memory->first[nrank] + 1, sizeof *memory->cells);
	if (!memory->cells)
		return false;
	for (uint32_t rank = 0; rank < nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_input_slots(&schedule->problem, rank); slot++) {
			const uint32_t shard = ordo_input_shard(&schedule->problem, rank, slot);
			const struct sum_facts leaf = {1, shard, shard};
			write_cell(find_cell(memory, rank, ORDO_INPUT, slot), &leaf, false);
		}
	return true;
}

bool find_incoming(struct incoming *incoming, const struct ordo_schedule *schedule,
	const struct steps *steps, const struct shown *shown, struct ordo_error *error)
{
	struct memory memory = {0};
	size_t *place = NULL;
	*incoming = (struct incoming){0};
	if (!shown->nincoming)
		return true;
	/* The offset of the facts of each incoming task. */
	place = calloc((size_t)schedule->ntask + 1, sizeof *place);
	for (uint32_t s = 0; place && s < schedule->nstream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++)
			if (shown->number[i] != ORDO_NONE &&
				!shown->has_rank[schedule->streams[s].rank]) {
				place[i] = incoming->count;
				incoming->count += schedule->tasks[i].count;
			}
	incoming->facts = calloc(incoming->count + 1, sizeof *incoming->facts);
	const bool worked = place && incoming->facts && make_memory(&memory, schedule);
	for (uint32_t i = 0; worked && i < steps->nstep; i++) {
		const uint32_t id = steps->order[i];
		const struct ordo_task *task = &schedule->tasks[id];
		if (!ordo_task_moves(task))
			continue;
		const uint32_t rank = schedule->streams[ordo_stream_of(schedule, id)].rank,
			       target = ordo_task_crosses(task) ? task->peer : rank;
		const bool comes = shown->number[id] != ORDO_NONE && !shown->has_rank[rank];
		for (uint32_t k = 0; k < task->count; k++) {
			const struct sum_facts *from =
				find_cell(&memory, rank, task->src_buffer, task->src + k);
			if (comes && from)
				incoming->facts[place[id] + k] = *from;
			write_cell(find_cell(&memory, target, task->dst_buffer, task->dst + k),
				from, ordo_task_reduces(task));
		}
	}
	free(place);
	free(memory.first);
	free(memory.cells);
	return worked || ordo_fail_memory(error);
}

void free_incoming(struct incoming *incoming)
{
	free(incoming->facts);
	*incoming = (struct incoming){0};
}
