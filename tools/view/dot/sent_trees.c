/* sent_trees.c - the trees by which the results of one rank reach the others. */
#include "sent_trees.h"
#include "view/model/cells.h"
#include "view/model/pairing.h"
#include <ordo/arena.h>
#include <ordo/detail/slots.h>
#include <stdlib.h>
#include <string.h>

/* A run of the schedule that keeps, of each cell, the rank that sent what is in it. */
struct tracing {
	const struct ordo_schedule *schedule;
	struct cells cells;
	uint32_t *senders; /* [cells] ORDO_NONE: nobody, it is of the rank itself */
};

static enum ordo_visit trace(void *closure, uint32_t stream, uint32_t number)
{
	struct tracing *tracing = closure;
	const struct ordo_task *task = &tracing->schedule->tasks[number];
	const uint32_t rank = tracing->schedule->streams[stream].rank;
	if (!ordo_task_moves(task))
		return ORDO_VISIT_ON;
	const bool crosses = ordo_task_crosses(task);
	const enum ordo_buffer from = (enum ordo_buffer)task->src_buffer;
	for (uint32_t i = 0; i < task->count; i++) {
		uint32_t *to =
			&tracing->senders[cell_of(&tracing->cells, crosses ? task->peer : rank,
				(enum ordo_buffer)task->dst_buffer, task->dst + i)];
		if (ordo_task_reduces(task))
			*to = ORDO_NONE;
		else if (crosses)
			*to = rank;
		else
			*to = has_cell(&tracing->cells, from)
				      ? tracing->senders[cell_of(
						&tracing->cells, rank, from, task->src + i)]
				      : ORDO_NONE;
	}
	return ORDO_VISIT_ON;
}

static bool run_schedule(struct tracing *tracing)
{
	struct paired_run run = {.signals = NULL};
	uint32_t *partners = pair_tasks(tracing->schedule);
	const bool worked = partners && open_paired_run(&run, tracing->schedule, partners);
	if (worked)
		ordo_greedy_run(&run.greedy, trace, tracing);
	close_paired_run(&run);
	free(partners);
	return worked;
}

/* Who sent each rank its copy of a chunk. false: a rank has none, or the root is not `root`. */
static bool take_parents(
	const struct tracing *tracing, uint32_t chunk, uint32_t root, uint32_t *parents)
{
	const struct ordo_problem *problem = &tracing->schedule->problem;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		const uint32_t slot = ordo_output_slot(problem, rank, chunk);
		if (slot == ORDO_NONE)
			return false;
		const uint32_t sender =
			tracing->senders[cell_of(&tracing->cells, rank, ORDO_OUTPUT, slot)];
		if ((sender == ORDO_NONE) != (rank == root))
			return false;
		parents[rank] = rank == root ? rank : sender;
	}
	return true;
}

static uint32_t height_of(const uint32_t *parents, uint32_t nrank)
{
	uint32_t height = 0;
	for (uint32_t rank = 0; rank < nrank; rank++) {
		uint32_t hops = 0;
		for (uint32_t at = rank; parents[at] != at && hops < nrank; at = parents[at])
			hops++;
		height = hops > height ? hops : height;
	}
	return height;
}

/* One list of parents, to be sorted with its like. */
struct row {
	const uint32_t *parents;
	uint32_t nrank;
};

static int compare_rows(const void *left, const void *right)
{
	const struct row *a = left, *b = right;
	for (uint32_t i = 0; i < a->nrank; i++)
		if (a->parents[i] != b->parents[i])
			return a->parents[i] < b->parents[i] ? -1 : 1;
	return 0;
}

/* The most chunks first, then the lower. */
static int compare_trees(const void *left, const void *right)
{
	const struct sent_tree *a = left, *b = right;
	if (a->nchunk != b->nchunk)
		return a->nchunk > b->nchunk ? -1 : 1;
	if (a->height != b->height)
		return a->height < b->height ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

static void add_tree(struct sent_trees *trees, const uint32_t *parents)
{
	trees->trees[trees->ntree] = (struct sent_tree){.parents = parents,
		.height = height_of(parents, trees->nrank),
		.number = trees->ntree};
	trees->ntree++;
}

/* Equal rows are one tree. */
static bool group_rows(struct sent_trees *trees, uint32_t nrow)
{
	const uint32_t nrank = trees->nrank;
	struct row *rows = ordo_array_make(nrow, sizeof *rows, 0);
	trees->trees = ordo_array_make(nrow, sizeof *trees->trees, 0);
	if (!rows || !trees->trees) {
		free(rows);
		return false;
	}
	for (uint32_t i = 0; i < nrow; i++)
		rows[i] = (struct row){trees->parents + (size_t)i * nrank, nrank};
	qsort(rows, nrow, sizeof *rows, compare_rows);
	for (uint32_t i = 0; i < nrow; i++) {
		if (!i || compare_rows(&rows[i - 1], &rows[i]))
			add_tree(trees, rows[i].parents);
		trees->trees[trees->ntree - 1].nchunk++;
	}
	qsort(trees->trees, trees->ntree, sizeof *trees->trees, compare_trees);
	free(rows);
	return true;
}

static bool collect(struct sent_trees *trees, const struct tracing *tracing)
{
	const struct ordo_problem *problem = &tracing->schedule->problem;
	const uint32_t nslot = ordo_output_slots(problem, trees->root);
	uint32_t nrow = 0;
	trees->parents = ordo_array_make((size_t)nslot * trees->nrank, sizeof *trees->parents, 0);
	if (!trees->parents)
		return false;
	for (uint32_t slot = 0; slot < nslot; slot++)
		nrow += take_parents(tracing, ordo_output_chunk(problem, trees->root, slot),
			trees->root, trees->parents + (size_t)nrow * trees->nrank);
	trees->nchunk = nrow;
	return group_rows(trees, nrow);
}

bool find_sent_trees(struct sent_trees *trees, const struct ordo_schedule *schedule, uint32_t root,
	struct ordo_error *error)
{
	struct tracing tracing = {.schedule = schedule};
	*trees = (struct sent_trees){.root = root, .nrank = schedule->problem.nrank};
	bool worked = number_cells(&tracing.cells, schedule);
	if (worked) {
		tracing.senders =
			ordo_array_make(tracing.cells.count, sizeof *tracing.senders, 0xff);
		worked = tracing.senders && run_schedule(&tracing) && collect(trees, &tracing);
	}
	free(tracing.senders);
	free_cells(&tracing.cells);
	return worked || ordo_fail_memory(error);
}

void free_sent_trees(struct sent_trees *trees)
{
	free(trees->trees);
	free(trees->parents);
}
