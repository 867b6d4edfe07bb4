/* memory.c - what every slot holds, and who touched it last: R8 and R9 are asked here, R10 and R11
 * judged. */
#include "judge.h"
#include "order/facts.h"
#include <ordo/arena.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond this many cells the query is given up as undecided rather than the machine brought
 * down. */
#define MOST_CELLS (UINT64_C(1) << 27)

/* Nor are more chunks followed than this, all moves together: half a minute. */
#define MOST_FOLLOWED (UINT64_C(1) << 31)

/* A slot on some rank, for messages and for finding its cell. */
struct slot {
	uint32_t rank, number;
	unsigned buffer;
};

struct slot_name {
	char text[64];
};

static struct slot_name name_slot(struct slot slot)
{
	struct slot_name name;
	snprintf(name.text, sizeof name.text, "rank %u, %s slot %u", slot.rank,
		ordo_buffer_name((enum ordo_buffer)slot.buffer), slot.number);
	return name;
}

/* A rank's cells: output slots, scratch slots, then (in place) input slots; an input slot that is
 * the memory of an output slot is that slot's cell. Out of place, input is never written (R4) and
 * needs no cells. */
static struct cell *cell_of(const struct judge *judge, struct slot slot)
{
	const struct ordo_schedule *schedule = judge->schedule;
	uint64_t index = judge->memory.cells_of[slot.rank];
	uint32_t noutput = ordo_output_slots(&schedule->problem, slot.rank), same;
	switch ((enum ordo_buffer)slot.buffer) {
	case ORDO_OUTPUT:
		index += slot.number;
		break;
	case ORDO_SCRATCH:
		index += (uint64_t)noutput + slot.number;
		break;
	case ORDO_INPUT:
		same = ordo_in_place_output_slot(&schedule->problem, slot.rank, slot.number);
		index += same != ORDO_NONE
				 ? same
				 : (uint64_t)noutput + judge->memory.nscratch + slot.number;
		break;
	}
	return &judge->memory.cells[index];
}

/* One past the highest scratch slot a task names, as far as there are slots. */
static uint32_t end_of_scratch(const struct ordo_schedule *schedule, const struct ordo_task *task)
{
	uint64_t end = 0;
	if (task->src_buffer == ORDO_SCRATCH)
		end = (uint64_t)task->src + task->count;
	if (task->dst_buffer == ORDO_SCRATCH && (uint64_t)task->dst + task->count > end)
		end = (uint64_t)task->dst + task->count;
	return end < schedule->scratch_slots ? (uint32_t)end : schedule->scratch_slots;
}

bool measure_memory(struct judge *judge)
{
	const struct ordo_schedule *schedule = judge->schedule;
	const struct ordo_problem *problem = &schedule->problem;
	judge->memory.cells_of =
		malloc(((size_t)problem->nrank + 1) * sizeof *judge->memory.cells_of);
	if (!judge->memory.cells_of)
		return ordo_fail_memory(judge->findings.error);
	for (uint32_t id = 0; id < schedule->ntask; id++) {
		const struct ordo_task *task = &schedule->tasks[id];
		if (!ordo_task_moves(task))
			continue;
		const uint32_t end = end_of_scratch(schedule, task);
		judge->memory.nfollowed += task->count;
		judge->memory.nscratch =
			end > judge->memory.nscratch ? end : judge->memory.nscratch;
	}
	uint64_t ncell = 0;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		judge->memory.cells_of[rank] = ncell;
		ncell += (uint64_t)ordo_output_slots(problem, rank) + judge->memory.nscratch;
		if (problem->in_place)
			ncell += ordo_input_slots(problem, rank);
	}
	judge->memory.cells_of[problem->nrank] = ncell;
	judge->memory.too_large = ncell > MOST_CELLS || ordo_nchunk(problem) > MOST_CELLS ||
				  judge->memory.nfollowed > MOST_FOLLOWED;
	return true;
}

static bool give_up(const struct judge *judge)
{
	if (judge->memory.nfollowed > MOST_FOLLOWED)
		return ordo_fail(judge->findings.error, ORDO_UNDECIDED, 0,
			"the schedule moves %llu chunks in all; at most %llu can be followed",
			(unsigned long long)judge->memory.nfollowed,
			(unsigned long long)MOST_FOLLOWED);
	return ordo_fail(judge->findings.error, ORDO_UNDECIDED, 0,
		"the schedule has %llu slots on all ranks together; at most %llu can be followed",
		(unsigned long long)judge->memory.cells_of[judge->schedule->problem.nrank],
		(unsigned long long)MOST_CELLS);
}

bool prepare_memory(struct judge *judge)
{
	const struct ordo_problem *problem = &judge->schedule->problem;
	if (judge->memory.too_large)
		return give_up(judge);
	const struct ordo_size size = ordo_schedule_size(judge->schedule);
	if (!ordo_memory_allows(ordo_bytes_of(&size), "proving it", judge->findings.error))
		return false;
	uint64_t ncell = judge->memory.cells_of[problem->nrank];
	judge->memory.cells = ordo_array_make(ncell + 1, sizeof *judge->memory.cells, 0);
	if (judge->options->atomic_reduce)
		judge->memory.groups = ordo_array_make(ncell + 1, sizeof *judge->memory.groups, 0);
	judge->memory.items = calloc(1, sizeof *judge->memory.items);
	if (!judge->memory.cells || !judge->memory.items ||
		(judge->options->atomic_reduce && !judge->memory.groups))
		return ordo_fail_memory(judge->findings.error);
	judge->memory.item_room = judge->memory.nitem = 1;
	for (uint64_t i = 0; i < ncell; i++)
		judge->memory.cells[i] =
			(struct cell){.tree = ORDO_NONE, .writer = ORDO_NONE, .reader = ORDO_NONE};
	if (!problem->in_place)
		return true;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++) {
			struct cell *cell = cell_of(judge, (struct slot){rank, slot, ORDO_INPUT});
			cell->tree = ordo_input_shard(problem, rank, slot);
			cell->chunk = ordo_input_chunk(problem, rank, slot) & ORDO_LIMIT;
		}
	return true;
}

/* Lists of tasks. */

static bool push(struct judge *judge, uint32_t *list, uint32_t task)
{
	uint32_t index = judge->memory.free_item;
	if (index) {
		judge->memory.free_item = judge->memory.items[index].next;
	} else {
		if (!ordo_array_reserve(&judge->memory.items, &judge->memory.item_room,
			    (size_t)judge->memory.nitem + 1, sizeof *judge->memory.items))
			return ordo_fail_memory(judge->findings.error);
		index = judge->memory.nitem++;
	}
	judge->memory.items[index] = (struct item){task, *list};
	*list = index;
	return true;
}

static void clear(struct judge *judge, uint32_t *list)
{
	while (*list) {
		uint32_t next = judge->memory.items[*list].next;
		judge->memory.items[*list].next = judge->memory.free_item;
		judge->memory.free_item = *list;
		*list = next;
	}
}

/* The access under way. */
struct access {
	uint32_t task, stream;
	struct slot slot;
};

static bool follow_or_ask(
	struct judge *judge, const struct access *access, uint32_t a, bool only_order)
{
	if (a == judge->chains.followed || is_ordered(judge, a, access->stream)) {
		judge->chains.followed = a;
		return true;
	}
	if (!ordo_array_reserve(&judge->queries.items, &judge->queries.room,
		    (size_t)judge->queries.count + 1, sizeof *judge->queries.items))
		return ordo_fail_memory(judge->findings.error);
	judge->queries.items[judge->queries.count++] = (struct query){.a = a,
		.b = access->task,
		.gate = judge->recent[access->stream].gate,
		.owner = access->slot.rank,
		.slot = access->slot.number,
		.buffer = (uint8_t)access->slot.buffer,
		.only_order = only_order};
	if (!only_order)
		judge->chains.followed = a;
	return true;
}

static bool follow(struct judge *judge, const struct access *access, uint32_t a)
{
	judge->findings.proof->order_questions++;
	return follow_or_ask(judge, access, a, false);
}

static bool follow_list(struct judge *judge, const struct access *access, uint32_t list)
{
	for (; list; list = judge->memory.items[list].next)
		if (!follow(judge, access, judge->memory.items[list].task))
			return false;
	return true;
}

static bool overlaps(struct judge *judge, const struct access *access)
{
	return ordo_add_finding(&judge->findings, 8, &access->task, 1,
		"move the chunks by several tasks, in a safe order",
		"%s: reads and writes the same memory (%s), in no fixed order",
		where_is(judge, access->task).text, name_slot(access->slot).text);
}

/* A read follows the last write, or every reduce of the open group. */
static bool read_cell(struct judge *judge, const struct access *access, struct cell *cell)
{
	struct group *group =
		judge->memory.groups ? &judge->memory.groups[cell - judge->memory.cells] : NULL;
	if (cell->writer == access->task)
		return overlaps(judge, access);
	if (group && group->reduces) {
		if (!follow_list(judge, access, group->reduces))
			return false;
	} else if (cell->writer != ORDO_NONE && !follow(judge, access, cell->writer)) {
		return false;
	}
	if (judge->chains.parent == ORDO_NONE)
		judge->chains.parent = cell->writer;
	if (cell->reader != ORDO_NONE && judge->tasks[cell->reader].stream != access->stream &&
		!push(judge, &cell->more, cell->reader))
		return false;
	cell->reader = access->task;
	return true;
}

static void note_write(struct judge *judge, const struct access *access, struct cell *cell)
{
	cell->writer = access->task;
	cell->reader = ORDO_NONE;
	clear(judge, &cell->more);
}

/* A write follows all reads since the last write; if there were none, that write. */
static bool write_cell(struct judge *judge, const struct access *access, struct cell *cell)
{
	struct group *group =
		judge->memory.groups ? &judge->memory.groups[cell - judge->memory.cells] : NULL;
	if (cell->writer == access->task || cell->reader == access->task)
		return overlaps(judge, access);
	if (cell->reader != ORDO_NONE) {
		if (!follow(judge, access, cell->reader) || !follow_list(judge, access, cell->more))
			return false;
	} else if (group && group->reduces) {
		if (!follow_list(judge, access, group->reduces))
			return false;
	} else if (cell->writer != ORDO_NONE && !follow(judge, access, cell->writer)) {
		return false;
	}
	if (group) {
		clear(judge, &group->reduces);
		clear(judge, &group->base);
	}
	note_write(judge, access, cell);
	return true;
}

/* With --atomic-reduce: a reduce follows what the whole group follows (the reads before it, or the
 * last write); against the reduces of its group it need not be ordered, but if it is not, G2 does
 * not hold. */
static bool reduce_atomically(struct judge *judge, const struct access *access, struct cell *cell)
{
	struct group *group = &judge->memory.groups[cell - judge->memory.cells];
	if (cell->writer == access->task || cell->reader == access->task)
		return overlaps(judge, access);
	if (cell->reader != ORDO_NONE || !group->reduces) {
		/* A new group, whose base is what was there: the reads; or else the last write. */
		uint32_t base = 0;
		bool worked = true;
		if (cell->reader != ORDO_NONE) {
			worked = push(judge, &base, cell->reader);
			for (uint32_t i = cell->more; worked && i; i = judge->memory.items[i].next)
				worked = push(judge, &base, judge->memory.items[i].task);
		} else if (cell->writer != ORDO_NONE) {
			worked = push(judge, &base, cell->writer);
		}
		clear(judge, &group->reduces);
		clear(judge, &group->base);
		group->base = base;
		if (!worked)
			return false;
	} else if (!follow_or_ask(judge, access, group->latest, true)) {
		return false;
	}
	if (!follow_list(judge, access, group->base) || !push(judge, &group->reduces, access->task))
		return false;
	group->latest = access->task;
	note_write(judge, access, cell);
	return true;
}

static bool complain_undefined(struct judge *judge, const struct access *access, const char *what)
{
	return ordo_add_finding(&judge->findings, 10, &access->task, 1, NULL,
		"%s: %s %s, which nothing has written", where_is(judge, access->task).text, what,
		name_slot(access->slot).text);
}

static bool complain_chunk(
	struct judge *judge, const struct access *access, uint32_t holds, uint32_t wanted)
{
	return ordo_add_finding(&judge->findings, 10, &access->task, 1, NULL,
		"%s: %s holds chunk %u, the task moves chunk %u",
		where_is(judge, access->task).text, name_slot(access->slot).text, holds, wanted);
}

/* What a slot holds. */
struct value {
	uint32_t tree;
	bool rounded;
};

/* The value read; POISON if it is not what the task names. false: no memory. */
static bool judge_value(struct judge *judge, const struct access *access, const struct cell *cell,
	uint32_t chunk, struct value *value)
{
	*value = (struct value){cell->tree, cell->rounded};
	if (cell->tree == POISON)
		return true;
	if (cell->tree == ORDO_NONE) {
		value->tree = POISON;
		return complain_undefined(judge, access, "uses");
	}
	if (cell->chunk != chunk) {
		value->tree = POISON;
		return complain_chunk(judge, access, cell->chunk, chunk);
	}
	return true;
}

static bool read_value(
	struct judge *judge, const struct access *access, uint32_t chunk, struct value *value)
{
	const struct ordo_problem *problem = &judge->schedule->problem;
	if (access->slot.buffer == ORDO_INPUT && !problem->in_place) {
		const struct cell input = {
			.tree = ordo_input_shard(problem, access->slot.rank, access->slot.number),
			.chunk = ordo_input_chunk(problem, access->slot.rank, access->slot.number) &
				 ORDO_LIMIT};
		return judge_value(judge, access, &input, chunk, value);
	}
	struct cell *cell = cell_of(judge, access->slot);
	return read_cell(judge, access, cell) && judge_value(judge, access, cell, chunk, value);
}

/* A sum that has been rounded is rounded again if more is added to it. */
static bool complain_rounded(struct judge *judge, const struct access *access, uint32_t tree)
{
	const char *text = print_broken_tree(
		&judge->findings.proof->arena, &judge->findings.proof->trees, tree, 32);
	if (!text)
		return ordo_fail_memory(judge->findings.error);
	return ordo_add_finding(&judge->findings, 4, &access->task, 1,
		"keep partial sums in scratch; only a complete one is rounded, into the output",
		"%s: adds with %s, which was rounded when it was written to input or output, and "
		"sums are accumulated in f32 and rounded once",
		where_is(judge, access->task).text, text);
}

/* `value` becomes what lies there `op` itself. */
static bool add_up(struct judge *judge, const struct access *access, const struct cell *cell,
	uint32_t chunk, struct value *value)
{
	struct value before;
	if (!judge_value(judge, access, cell, chunk, &before))
		return false;
	const struct value after = *value;
	*value = (struct value){POISON, false};
	if (before.tree == POISON || after.tree == POISON)
		return true;
	if (before.rounded || after.rounded)
		return complain_rounded(judge, access, before.rounded ? before.tree : after.tree);
	value->tree =
		grow_tree(&judge->findings.proof->trees, &judge->growth, before.tree, after.tree);
	return value->tree != ORDO_NONE ? true : ordo_fail_memory(judge->findings.error);
}

/* What one contributor gave is exact in either form. A NaN loses its payload on the way back, which
 * shows in no result: a sum with it is a NaN without payload in any case, and where nothing is
 * added, scratch is no other form (accumulate.h). */
static bool is_sum(const struct judge *judge, uint32_t tree)
{
	return tree != POISON && judge->findings.proof->trees.nodes[tree][0] != ORDO_NONE;
}

static bool store(struct judge *judge, const struct access *access, bool reduces, uint32_t chunk,
	struct value value)
{
	struct cell *cell = cell_of(judge, access->slot);
	if (!(reduces && judge->memory.groups ? reduce_atomically : write_cell)(
		    judge, access, cell))
		return false;
	if (reduces && !add_up(judge, access, cell, chunk, &value))
		return false;
	if (judge->schedule->problem.accumulate_f32 && access->slot.buffer != ORDO_SCRATCH)
		value.rounded |= is_sum(judge, value.tree);
	cell->tree = value.tree;
	cell->chunk = chunk & ORDO_LIMIT;
	cell->rounded = value.rounded;
	return true;
}

/* R9: the first access of a stream to another rank's memory must follow that rank's entering, the
 * last one precede its leaving. */
static bool note_touch(struct judge *judge, uint32_t task, uint32_t stream, uint32_t rank)
{
	struct recent *recent = &judge->recent[stream];
	uint32_t index = recent->touch;
	if (index == ORDO_NONE || judge->touches.items[index].rank != rank)
		index = recent->touch = near_get(&judge->touches.of, stream, rank);
	if (index == ORDO_NONE) {
		index = recent->touch = judge->touches.count++;
		if (!ordo_array_reserve(&judge->touches.items, &judge->touches.room,
			    judge->touches.count, sizeof *judge->touches.items) ||
			!near_put(&judge->touches.of, stream, rank, index))
			return ordo_fail_memory(judge->findings.error);
		judge->touches.items[index] =
			(struct touch){.stream = stream, .rank = rank, .first = ORDO_NONE};
	}
	struct touch *touch = &judge->touches.items[index];
	touch->last = task;
	if (touch->first == ORDO_NONE) {
		touch->first = task;
		touch->entered_first = touch->entered;
	}
	return true;
}

bool access_memory(struct judge *judge, uint32_t id, uint32_t stream)
{
	const struct ordo_task *task = &judge->schedule->tasks[id];
	uint32_t rank = judge->schedule->streams[stream].rank,
		 target = ordo_task_crosses(task) ? task->peer : rank;
	judge->findings.proof->nmove++;
	judge->chains.parent = judge->chains.followed = ORDO_NONE;
	if (target != rank && !note_touch(judge, id, stream, target))
		return false;
	for (uint32_t i = 0; i < task->count; i++) {
		const struct access source = {id, stream, {rank, task->src + i, task->src_buffer}};
		const struct access goal = {id, stream, {target, task->dst + i, task->dst_buffer}};
		struct value value;
		if (!read_value(judge, &source, task->chunk + i, &value) ||
			!store(judge, &goal, ordo_task_reduces(task), task->chunk + i, value))
			return false;
		if (ordo_findings_full(&judge->findings))
			break;
	}
	return extend_chain(judge, id);
}

/* R11. */

enum { NOT_JUDGED, GOOD, BAD };

/* Which shards a tree adds, as far as it is known without walking it. Most sums, all of a ring, add
 * consecutive shards (0 after the last): an arc. */
struct crop {
	uint32_t count; /* with repetitions; at most ORDO_LIMIT + 1 */
	uint32_t first; /* of its arc; ORDO_NONE: no arc, or not known to be one */
};

/* Does the tree add every shard once? */
struct census {
	struct crop *crops; /* [nnode] */
	uint8_t *verdicts;  /* [nnode] */
	uint32_t *stack, *seen, stamp;
};

/* Two arcs that follow each other, and are not longer than all together, have nothing in common. */
static struct crop join_crops(struct crop left, struct crop right, uint32_t nshard)
{
	const uint64_t count = (uint64_t)left.count + right.count;
	struct crop both = {count > ORDO_LIMIT ? ORDO_LIMIT + 1 : (uint32_t)count, ORDO_NONE};
	if (left.first == ORDO_NONE || right.first == ORDO_NONE || count > nshard)
		return both;
	if (((uint64_t)left.first + left.count) % nshard == right.first)
		both.first = left.first;
	else if (((uint64_t)right.first + right.count) % nshard == left.first)
		both.first = right.first;
	return both;
}

/* Walks the tree, unless its crop says yes or no. */
static bool adds_each_once(struct judge *judge, struct census *census, uint32_t tree)
{
	const struct ordo_trees *trees = &judge->findings.proof->trees;
	uint32_t nshard = judge->schedule->problem.nshard, depth = 0;
	if (census->crops[tree].count != nshard)
		return false;
	if (census->crops[tree].first != ORDO_NONE)
		return true;
	census->stamp++;
	census->stack[depth++] = tree;
	while (depth) {
		const uint32_t *node = trees->nodes[census->stack[--depth]];
		if (node[0] != ORDO_NONE) {
			census->stack[depth++] = node[0];
			census->stack[depth++] = node[1];
		} else if (census->seen[node[1]] == census->stamp) {
			return false;
		} else {
			census->seen[node[1]] = census->stamp;
		}
	}
	return true;
}

static bool open_census(struct judge *judge, struct census *census)
{
	const struct ordo_trees *trees = &judge->findings.proof->trees;
	const uint32_t nshard = judge->schedule->problem.nshard;
	census->crops = ordo_array_make(trees->nnode, sizeof *census->crops, 0);
	census->verdicts = ordo_array_make(trees->nnode, 1, 0);
	/* A tree of V leaves is never deeper than V, and a walk holds at most one node a level
	 * beside the current. */
	census->stack = malloc(((size_t)nshard + 2) * sizeof *census->stack);
	census->seen = calloc((size_t)nshard + 1, sizeof *census->seen);
	if (!census->crops || !census->verdicts || !census->stack || !census->seen)
		return ordo_fail_memory(judge->findings.error);
	for (uint32_t i = 0; i < trees->nnode; i++) {
		const uint32_t *node = trees->nodes[i];
		census->crops[i] = node[0] == ORDO_NONE ? (struct crop){1, node[1]}
							: join_crops(census->crops[node[0]],
								  census->crops[node[1]], nshard);
	}
	return true;
}

static void close_census(struct census *census)
{
	free(census->crops);
	free(census->verdicts);
	free(census->stack);
	free(census->seen);
}

static bool complain_output(
	struct judge *judge, struct slot slot, const struct cell *cell, uint32_t chunk)
{
	const struct ordo_problem *problem = &judge->schedule->problem;
	struct ordo_arena *arena = &judge->findings.proof->arena;
	bool written = cell->writer != ORDO_NONE;
	char wanted[96];
	if (!ordo_operator_facts(problem->op)->reduces)
		snprintf(wanted, sizeof wanted, "rank %u's chunk %u",
			ordo_chunk_source(problem, chunk), chunk);
	else if (problem->nshard == 1)
		snprintf(wanted, sizeof wanted, "chunk %u of shard 0", chunk);
	else
		snprintf(wanted, sizeof wanted, "chunk %u, each of 0..%u added once", chunk,
			problem->nshard - 1);
	if (cell->tree == ORDO_NONE)
		return ordo_add_finding(&judge->findings, 11, NULL, 0, NULL,
			"%s is never written, wanted %s", name_slot(slot).text, wanted);
	const char *tree = print_broken_tree(arena, &judge->findings.proof->trees, cell->tree, 32);
	if (!tree)
		return ordo_fail_memory(judge->findings.error);
	return ordo_add_finding(&judge->findings, 11, &cell->writer, written, NULL,
		"%s holds chunk %u = %s at the end, wanted %s%s%s", name_slot(slot).text,
		cell->chunk, tree, wanted, written ? "; last written by " : "",
		written ? where_is(judge, cell->writer).text : "");
}

/* A copy that is not identical with the first rank's; G1 does not hold if it is not even the
 * same. */
static bool note_copy(struct judge *judge, struct ordo_copy copy)
{
	struct ordo_proof *proof = judge->findings.proof;
	const uint32_t first = proof->chunk_tree[copy.chunk];
	if (!ordo_array_reserve(&proof->copies, &judge->copy_room, (size_t)proof->ncopy + 1,
		    sizeof *proof->copies))
		return ordo_fail_memory(judge->findings.error);
	proof->copies[proof->ncopy++] = copy;
	if (judge->unequal.chunk != ORDO_NONE ||
		ordo_same_tree(&proof->trees, first) == ordo_same_tree(&proof->trees, copy.tree))
		return true;
	judge->unequal.chunk = copy.chunk;
	judge->unequal.ranks[0] = judge->chunk_rank[copy.chunk];
	judge->unequal.ranks[1] = copy.rank;
	judge->unequal.trees[0] = first;
	judge->unequal.trees[1] = copy.tree;
	return true;
}

static bool judge_output(struct judge *judge, struct census *census, struct slot slot)
{
	const struct ordo_problem *problem = &judge->schedule->problem;
	const struct cell *cell = cell_of(judge, slot);
	uint32_t chunk = ordo_output_chunk(problem, slot.rank, slot.number);
	if (cell->tree == POISON)
		return true;
	bool good = cell->tree != ORDO_NONE && cell->chunk == chunk;
	if (good && !ordo_operator_facts(problem->op)->reduces)
		good = cell->tree == ordo_chunk_source(problem, chunk);
	if (good && ordo_operator_facts(problem->op)->reduces) {
		uint8_t *verdict = &census->verdicts[cell->tree];
		if (*verdict == NOT_JUDGED)
			*verdict = adds_each_once(judge, census, cell->tree) ? GOOD : BAD;
		good = *verdict == GOOD;
	}
	if (!good)
		return complain_output(judge, slot, cell, chunk);
	uint32_t *first = &judge->findings.proof->chunk_tree[chunk];
	if (*first == ORDO_NONE) {
		*first = cell->tree;
		judge->chunk_rank[chunk] = slot.rank;
	}
	return *first == cell->tree ||
	       note_copy(judge, (struct ordo_copy){chunk, slot.rank, cell->tree});
}

bool judge_outputs(struct judge *judge)
{
	const struct ordo_problem *problem = &judge->schedule->problem;
	size_t nchunk = ordo_nchunk(problem);
	judge->findings.proof->chunk_tree =
		malloc((nchunk + 1) * sizeof *judge->findings.proof->chunk_tree);
	judge->chunk_rank = malloc((nchunk + 1) * sizeof *judge->chunk_rank);
	if (!judge->findings.proof->chunk_tree || !judge->chunk_rank)
		return ordo_fail_memory(judge->findings.error);
	memset(judge->findings.proof->chunk_tree, 0xff,
		nchunk * sizeof *judge->findings.proof->chunk_tree);
	struct census census = {0};
	bool worked = open_census(judge, &census);
	for (uint32_t rank = 0; worked && rank < problem->nrank; rank++)
		for (uint32_t slot = 0; worked && !ordo_findings_full(&judge->findings) &&
					slot < ordo_output_slots(problem, rank);
			slot++)
			worked = judge_output(
				judge, &census, (struct slot){rank, slot, ORDO_OUTPUT});
	close_census(&census);
	return worked;
}
