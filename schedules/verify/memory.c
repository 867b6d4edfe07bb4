/* memory.c - the value and the last accesses of every slot: queries for R8 and R9, checks of R10
 * and R11. */
#include "trees/facts.h"
#include "verifier.h"
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* With more cells the result is undecided: the machine would run out of memory. */
#define MOST_CELLS (UINT64_C(1) << 27)

/* The most chunks that all moves together may move: half a minute. */
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
static struct cell *cell_of(const struct verifier *verifier, struct slot slot)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	uint64_t index = verifier->memory.cells_of[slot.rank];
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
				 : (uint64_t)noutput + verifier->memory.nscratch + slot.number;
		break;
	}
	return &verifier->memory.cells[index];
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

bool ordo_measure_memory(struct verifier *verifier)
{
	const struct ordo_schedule *schedule = verifier->schedule;
	const struct ordo_problem *problem = &schedule->problem;
	verifier->memory.cells_of =
		malloc(((size_t)problem->nrank + 1) * sizeof *verifier->memory.cells_of);
	if (!verifier->memory.cells_of)
		return ordo_fail_memory(verifier->findings.error);
	for (uint32_t id = 0; id < schedule->ntask; id++) {
		const struct ordo_task *task = &schedule->tasks[id];
		if (!ordo_task_moves(task))
			continue;
		const uint32_t end = end_of_scratch(schedule, task);
		verifier->memory.nfollowed += task->count;
		verifier->memory.nscratch =
			end > verifier->memory.nscratch ? end : verifier->memory.nscratch;
	}
	uint64_t ncell = 0;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		verifier->memory.cells_of[rank] = ncell;
		ncell += (uint64_t)ordo_output_slots(problem, rank) + verifier->memory.nscratch;
		if (problem->in_place)
			ncell += ordo_input_slots(problem, rank);
	}
	verifier->memory.cells_of[problem->nrank] = ncell;
	verifier->memory.too_large = ncell > MOST_CELLS || ordo_nchunk(problem) > MOST_CELLS ||
				     verifier->memory.nfollowed > MOST_FOLLOWED;
	return true;
}

static bool give_up(const struct verifier *verifier)
{
	if (verifier->memory.nfollowed > MOST_FOLLOWED)
		return ordo_fail(verifier->findings.error, ORDO_UNDECIDED, 0,
			"the schedule moves %llu chunks in all; at most %llu can be followed",
			(unsigned long long)verifier->memory.nfollowed,
			(unsigned long long)MOST_FOLLOWED);
	return ordo_fail(verifier->findings.error, ORDO_UNDECIDED, 0,
		"the schedule has %llu slots on all ranks together; at most %llu can be followed",
		(unsigned long long)verifier->memory.cells_of[verifier->schedule->problem.nrank],
		(unsigned long long)MOST_CELLS);
}

bool ordo_prepare_memory(struct verifier *verifier)
{
	const struct ordo_problem *problem = &verifier->schedule->problem;
	if (verifier->memory.too_large)
		return give_up(verifier);
	const struct ordo_size size = ordo_schedule_size(verifier->schedule);
	if (!ordo_memory_allows(ordo_bytes_of(&size), "proving it", verifier->findings.error))
		return false;
	uint64_t ncell = verifier->memory.cells_of[problem->nrank];
	verifier->memory.cells = ordo_array_make(ncell + 1, sizeof *verifier->memory.cells, 0);
	if (verifier->options->atomic_reduce)
		verifier->memory.groups =
			ordo_array_make(ncell + 1, sizeof *verifier->memory.groups, 0);
	verifier->memory.items = calloc(1, sizeof *verifier->memory.items);
	if (!verifier->memory.cells || !verifier->memory.items ||
		(verifier->options->atomic_reduce && !verifier->memory.groups))
		return ordo_fail_memory(verifier->findings.error);
	verifier->memory.item_room = verifier->memory.nitem = 1;
	for (uint64_t i = 0; i < ncell; i++)
		verifier->memory.cells[i] =
			(struct cell){.tree = ORDO_NONE, .writer = ORDO_NONE, .reader = ORDO_NONE};
	if (!problem->in_place)
		return true;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++) {
			struct cell *cell =
				cell_of(verifier, (struct slot){rank, slot, ORDO_INPUT});
			cell->tree = ordo_input_shard(problem, rank, slot);
			cell->chunk = ordo_input_chunk(problem, rank, slot) & ORDO_LIMIT;
		}
	return true;
}

/* Lists of tasks. */

static bool push(struct verifier *verifier, uint32_t *list, uint32_t task)
{
	uint32_t index = verifier->memory.free_item;
	if (index) {
		verifier->memory.free_item = verifier->memory.items[index].next;
	} else {
		if (!ordo_array_reserve(&verifier->memory.items, &verifier->memory.item_room,
			    (size_t)verifier->memory.nitem + 1, sizeof *verifier->memory.items))
			return ordo_fail_memory(verifier->findings.error);
		index = verifier->memory.nitem++;
	}
	verifier->memory.items[index] = (struct item){task, *list};
	*list = index;
	return true;
}

static void clear(struct verifier *verifier, uint32_t *list)
{
	while (*list) {
		uint32_t next = verifier->memory.items[*list].next;
		verifier->memory.items[*list].next = verifier->memory.free_item;
		verifier->memory.free_item = *list;
		*list = next;
	}
}

/* The current access. */
struct access {
	uint32_t task, stream;
	struct slot slot;
};

/* Whether the query before asks for this order too: of the same stream, for a task not before a,
 * and at the same gate. A task that moves many cells asks for each, between other questions. */
static bool is_queried(const struct verifier *verifier, const struct access *access, uint32_t a)
{
	const uint32_t gate = verifier->recent[access->stream].gate;
	if (!verifier->queries.count || gate == ORDO_NONE)
		return false;
	const struct query *last = &verifier->queries.items[verifier->queries.count - 1];
	return !last->only_order && last->gate == gate && a <= last->a &&
	       verifier->tasks[a].stream == verifier->tasks[last->a].stream;
}

static bool follow_or_query(
	struct verifier *verifier, const struct access *access, uint32_t a, bool only_order)
{
	if (a == verifier->chains.followed || is_queried(verifier, access, a) ||
		ordo_is_ordered(verifier, a, access->stream)) {
		verifier->chains.followed = a;
		return true;
	}
	if (!ordo_array_reserve(&verifier->queries.items, &verifier->queries.room,
		    (size_t)verifier->queries.count + 1, sizeof *verifier->queries.items))
		return ordo_fail_memory(verifier->findings.error);
	verifier->queries.items[verifier->queries.count++] = (struct query){.a = a,
		.b = access->task,
		.gate = verifier->recent[access->stream].gate,
		.owner = access->slot.rank,
		.slot = access->slot.number,
		.buffer = (uint8_t)access->slot.buffer,
		.only_order = only_order};
	if (!only_order)
		verifier->chains.followed = a;
	return true;
}

static bool follow(struct verifier *verifier, const struct access *access, uint32_t a)
{
	verifier->findings.proof->order_questions++;
	return follow_or_query(verifier, access, a, false);
}

static bool follow_list(struct verifier *verifier, const struct access *access, uint32_t list)
{
	for (; list; list = verifier->memory.items[list].next)
		if (!follow(verifier, access, verifier->memory.items[list].task))
			return false;
	return true;
}

static bool overlaps(struct verifier *verifier, const struct access *access)
{
	return ordo_add_finding(&verifier->findings, 8, &access->task, 1,
		"move the chunks by several tasks, in a safe order",
		"%s: reads and writes the same memory (%s), in no fixed order",
		ordo_where_is(verifier, access->task).text, name_slot(access->slot).text);
}

/* A read follows the last write, or every reduce of the open group. */
static bool read_cell(struct verifier *verifier, const struct access *access, struct cell *cell)
{
	struct group *group = verifier->memory.groups
				      ? &verifier->memory.groups[cell - verifier->memory.cells]
				      : NULL;
	if (cell->writer == access->task)
		return overlaps(verifier, access);
	if (group && group->reduces) {
		if (!follow_list(verifier, access, group->reduces))
			return false;
	} else if (cell->writer != ORDO_NONE && !follow(verifier, access, cell->writer)) {
		return false;
	}
	if (verifier->chains.parent == ORDO_NONE)
		verifier->chains.parent = cell->writer;
	if (cell->reader != ORDO_NONE && verifier->tasks[cell->reader].stream != access->stream &&
		!push(verifier, &cell->more, cell->reader))
		return false;
	cell->reader = access->task;
	return true;
}

static void note_write(struct verifier *verifier, const struct access *access, struct cell *cell)
{
	cell->writer = access->task;
	cell->reader = ORDO_NONE;
	clear(verifier, &cell->more);
}

/* A write follows all reads since the last write; if there were none, that write. */
static bool write_cell(struct verifier *verifier, const struct access *access, struct cell *cell)
{
	struct group *group = verifier->memory.groups
				      ? &verifier->memory.groups[cell - verifier->memory.cells]
				      : NULL;
	if (cell->writer == access->task || cell->reader == access->task)
		return overlaps(verifier, access);
	if (cell->reader != ORDO_NONE) {
		if (!follow(verifier, access, cell->reader) ||
			!follow_list(verifier, access, cell->more))
			return false;
	} else if (group && group->reduces) {
		if (!follow_list(verifier, access, group->reduces))
			return false;
	} else if (cell->writer != ORDO_NONE && !follow(verifier, access, cell->writer)) {
		return false;
	}
	if (group) {
		clear(verifier, &group->reduces);
		clear(verifier, &group->base);
	}
	note_write(verifier, access, cell);
	return true;
}

/* With --atomic-reduce: a reduce follows what the whole group follows (the reads before it, or the
 * last write); against the reduces of its group it need not be ordered, but if it is not, G2 does
 * not hold. */
static bool reduce_atomically(
	struct verifier *verifier, const struct access *access, struct cell *cell)
{
	struct group *group = &verifier->memory.groups[cell - verifier->memory.cells];
	if (cell->writer == access->task || cell->reader == access->task)
		return overlaps(verifier, access);
	if (cell->reader != ORDO_NONE || !group->reduces) {
		/* A new group, whose base is the reads so far or, without reads, the last write. */
		uint32_t base = 0;
		bool worked = true;
		if (cell->reader != ORDO_NONE) {
			worked = push(verifier, &base, cell->reader);
			for (uint32_t i = cell->more; worked && i;
				i = verifier->memory.items[i].next)
				worked = push(verifier, &base, verifier->memory.items[i].task);
		} else if (cell->writer != ORDO_NONE) {
			worked = push(verifier, &base, cell->writer);
		}
		clear(verifier, &group->reduces);
		clear(verifier, &group->base);
		group->base = base;
		if (!worked)
			return false;
	} else if (!follow_or_query(verifier, access, group->latest, true)) {
		return false;
	}
	if (!follow_list(verifier, access, group->base) ||
		!push(verifier, &group->reduces, access->task))
		return false;
	group->latest = access->task;
	note_write(verifier, access, cell);
	return true;
}

static bool report_undefined(
	struct verifier *verifier, const struct access *access, const char *what)
{
	return ordo_add_finding(&verifier->findings, 10, &access->task, 1, NULL,
		"%s: %s %s, which nothing has written", ordo_where_is(verifier, access->task).text,
		what, name_slot(access->slot).text);
}

static bool report_chunk(
	struct verifier *verifier, const struct access *access, uint32_t holds, uint32_t wanted)
{
	return ordo_add_finding(&verifier->findings, 10, &access->task, 1, NULL,
		"%s: %s holds chunk %u, the task moves chunk %u",
		ordo_where_is(verifier, access->task).text, name_slot(access->slot).text, holds,
		wanted);
}

/* What a slot holds. */
struct value {
	uint32_t tree;
	bool rounded;
};

/* The value read; POISON if it is not the chunk of the task. false: no memory. */
static bool verify_value(struct verifier *verifier, const struct access *access,
	const struct cell *cell, uint32_t chunk, struct value *value)
{
	*value = (struct value){cell->tree, cell->rounded};
	if (cell->tree == POISON)
		return true;
	if (cell->tree == ORDO_NONE) {
		value->tree = POISON;
		return report_undefined(verifier, access, "uses");
	}
	if (cell->chunk != chunk) {
		value->tree = POISON;
		return report_chunk(verifier, access, cell->chunk, chunk);
	}
	return true;
}

static bool read_value(
	struct verifier *verifier, const struct access *access, uint32_t chunk, struct value *value)
{
	const struct ordo_problem *problem = &verifier->schedule->problem;
	if (access->slot.buffer == ORDO_INPUT && !problem->in_place) {
		const struct cell input = {
			.tree = ordo_input_shard(problem, access->slot.rank, access->slot.number),
			.chunk = ordo_input_chunk(problem, access->slot.rank, access->slot.number) &
				 ORDO_LIMIT};
		return verify_value(verifier, access, &input, chunk, value);
	}
	struct cell *cell = cell_of(verifier, access->slot);
	return read_cell(verifier, access, cell) &&
	       verify_value(verifier, access, cell, chunk, value);
}

/* A sum that has been rounded is rounded again if more is added to it. */
static bool report_rounded(struct verifier *verifier, const struct access *access, uint32_t tree)
{
	const char *text = ordo_print_broken_tree(
		&verifier->findings.proof->arena, &verifier->findings.proof->trees, tree, 32);
	if (!text)
		return ordo_fail_memory(verifier->findings.error);
	return ordo_add_finding(&verifier->findings, 4, &access->task, 1,
		"keep partial sums in scratch; only a complete one is rounded, into the output",
		"%s: adds %s, which was rounded when it was written to input or output; sums "
		"accumulated in %s are rounded once",
		ordo_where_is(verifier, access->task).text, text,
		ordo_accumulation_name(verifier->schedule->problem.accumulate));
}

/* `value` becomes the old value of the cell `op` value. */
static bool add_up(struct verifier *verifier, const struct access *access, const struct cell *cell,
	uint32_t chunk, struct value *value)
{
	struct value before;
	/* In Custom a chunk may be added to any other. */
	const bool any = verifier->schedule->problem.op == ORDO_CUSTOM;
	if (!verify_value(verifier, access, cell, any ? cell->chunk : chunk, &before))
		return false;
	const struct value after = *value;
	*value = (struct value){POISON, false};
	if (before.tree == POISON || after.tree == POISON)
		return true;
	if (before.rounded || after.rounded)
		return report_rounded(verifier, access, before.rounded ? before.tree : after.tree);
	value->tree = ordo_build_tree(
		&verifier->findings.proof->trees, &verifier->tree_builder, before.tree, after.tree);
	return value->tree != ORDO_NONE ? true : ordo_fail_memory(verifier->findings.error);
}

/* A single contribution is exact in either form. A NaN loses its payload on the way back, which
 * shows in no result: a sum with it is a NaN without payload in any case, and where nothing is
 * added, scratch is no other form (accumulate.h). */
static bool is_sum(const struct verifier *verifier, uint32_t tree)
{
	return tree != POISON && verifier->findings.proof->trees.nodes[tree][0] != ORDO_NONE;
}

static bool store(struct verifier *verifier, const struct access *access, bool reduces,
	uint32_t chunk, struct value value)
{
	struct cell *cell = cell_of(verifier, access->slot);
	if (!(reduces && verifier->memory.groups ? reduce_atomically : write_cell)(
		    verifier, access, cell))
		return false;
	if (reduces && !add_up(verifier, access, cell, chunk, &value))
		return false;
	/* In Custom a sum has the name of its first chunk. */
	if (reduces && verifier->schedule->problem.op == ORDO_CUSTOM && cell->tree != ORDO_NONE &&
		cell->chunk < chunk)
		chunk = cell->chunk;
	if (verifier->schedule->problem.accumulate && access->slot.buffer != ORDO_SCRATCH)
		value.rounded |= is_sum(verifier, value.tree);
	cell->tree = value.tree;
	cell->chunk = chunk & ORDO_LIMIT;
	cell->rounded = value.rounded;
	return true;
}

/* R9: the first access of a stream to another rank's memory must follow that rank's entering, the
 * last one precede its leaving. */
static bool note_touch(struct verifier *verifier, uint32_t task, uint32_t stream, uint32_t rank)
{
	struct recent *recent = &verifier->recent[stream];
	uint32_t index = recent->touch;
	if (index == ORDO_NONE || verifier->touches.items[index].rank != rank)
		index = recent->touch = ordo_near_get(&verifier->touches.of, stream, rank);
	if (index == ORDO_NONE) {
		index = recent->touch = verifier->touches.count++;
		if (!ordo_array_reserve(&verifier->touches.items, &verifier->touches.room,
			    verifier->touches.count, sizeof *verifier->touches.items) ||
			!ordo_near_put(&verifier->touches.of, stream, rank, index))
			return ordo_fail_memory(verifier->findings.error);
		verifier->touches.items[index] =
			(struct touch){.stream = stream, .rank = rank, .first = ORDO_NONE};
	}
	struct touch *touch = &verifier->touches.items[index];
	touch->last = task;
	if (touch->first == ORDO_NONE) {
		touch->first = task;
		touch->entered_first = touch->entered;
	}
	return true;
}

bool ordo_access_memory(struct verifier *verifier, uint32_t id, uint32_t stream)
{
	const struct ordo_task *task = &verifier->schedule->tasks[id];
	uint32_t rank = verifier->schedule->streams[stream].rank,
		 target = ordo_task_crosses(task) ? task->peer : rank;
	verifier->findings.proof->nmove++;
	verifier->chains.parent = verifier->chains.followed = ORDO_NONE;
	if (target != rank && !note_touch(verifier, id, stream, target))
		return false;
	for (uint32_t i = 0; i < task->count; i++) {
		const struct access source = {id, stream, {rank, task->src + i, task->src_buffer}};
		const struct access goal = {id, stream, {target, task->dst + i, task->dst_buffer}};
		struct value value;
		if (!read_value(verifier, &source, task->chunk + i, &value) ||
			!store(verifier, &goal, ordo_task_reduces(task), task->chunk + i, value))
			return false;
		if (ordo_findings_full(&verifier->findings))
			break;
	}
	return ordo_extend_chain(verifier, id);
}

/* R11. */

enum { UNCHECKED, GOOD, BAD };

/* The shards that a tree adds, as far as known without walking it. Most sums, all of a ring, add
 * consecutive shards (0 after the last): an arc. */
struct leaf_set {
	uint32_t count; /* with repetitions; at most ORDO_LIMIT + 1 */
	uint32_t first; /* of its arc; ORDO_NONE: no arc, or not known to be one */
};

/* Does the tree add every shard once? */
struct leaf_check {
	struct leaf_set *leaf_sets; /* [nnode] */
	uint8_t *verdicts;	    /* [nnode] */
	uint32_t *stack, *seen, stamp;
};

/* Adjacent arcs with at most nshard shards together are disjoint. */
static struct leaf_set join_leaf_sets(struct leaf_set left, struct leaf_set right, uint32_t nshard)
{
	const uint64_t count = (uint64_t)left.count + right.count;
	struct leaf_set both = {count > ORDO_LIMIT ? ORDO_LIMIT + 1 : (uint32_t)count, ORDO_NONE};
	if (left.first == ORDO_NONE || right.first == ORDO_NONE || count > nshard)
		return both;
	if (((uint64_t)left.first + left.count) % nshard == right.first)
		both.first = left.first;
	else if (((uint64_t)right.first + right.count) % nshard == left.first)
		both.first = right.first;
	return both;
}

/* Walks the tree only if its leaf set does not decide. */
static bool adds_each_once(struct verifier *verifier, struct leaf_check *leaf_check, uint32_t tree)
{
	const struct ordo_trees *trees = &verifier->findings.proof->trees;
	uint32_t nshard = verifier->schedule->problem.nshard, depth = 0;
	if (leaf_check->leaf_sets[tree].count != nshard)
		return false;
	if (leaf_check->leaf_sets[tree].first != ORDO_NONE)
		return true;
	leaf_check->stamp++;
	leaf_check->stack[depth++] = tree;
	while (depth) {
		const uint32_t *node = trees->nodes[leaf_check->stack[--depth]];
		if (node[0] != ORDO_NONE) {
			leaf_check->stack[depth++] = node[0];
			leaf_check->stack[depth++] = node[1];
		} else if (leaf_check->seen[node[1]] == leaf_check->stamp) {
			return false;
		} else {
			leaf_check->seen[node[1]] = leaf_check->stamp;
		}
	}
	return true;
}

static bool open_leaf_check(struct verifier *verifier, struct leaf_check *leaf_check)
{
	const struct ordo_trees *trees = &verifier->findings.proof->trees;
	const uint32_t nshard = verifier->schedule->problem.nshard;
	leaf_check->leaf_sets = ordo_array_make(trees->nnode, sizeof *leaf_check->leaf_sets, 0);
	leaf_check->verdicts = ordo_array_make(trees->nnode, 1, 0);
	/* A tree of V leaves is never deeper than V, and a walk holds at most one node a level
	 * beside the current. */
	leaf_check->stack = malloc(((size_t)nshard + 2) * sizeof *leaf_check->stack);
	leaf_check->seen = calloc((size_t)nshard + 1, sizeof *leaf_check->seen);
	if (!leaf_check->leaf_sets || !leaf_check->verdicts || !leaf_check->stack ||
		!leaf_check->seen)
		return ordo_fail_memory(verifier->findings.error);
	for (uint32_t i = 0; i < trees->nnode; i++) {
		const uint32_t *node = trees->nodes[i];
		leaf_check->leaf_sets[i] =
			node[0] == ORDO_NONE ? (struct leaf_set){1, node[1]}
					     : join_leaf_sets(leaf_check->leaf_sets[node[0]],
						       leaf_check->leaf_sets[node[1]], nshard);
	}
	return true;
}

static void close_leaf_check(struct leaf_check *leaf_check)
{
	free(leaf_check->leaf_sets);
	free(leaf_check->verdicts);
	free(leaf_check->stack);
	free(leaf_check->seen);
}

static bool report_output(
	struct verifier *verifier, struct slot slot, const struct cell *cell, uint32_t chunk)
{
	const struct ordo_problem *problem = &verifier->schedule->problem;
	struct ordo_arena *arena = &verifier->findings.proof->arena;
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
		return ordo_add_finding(&verifier->findings, 11, NULL, 0, NULL,
			"%s is never written, wanted %s", name_slot(slot).text, wanted);
	const char *tree =
		ordo_print_broken_tree(arena, &verifier->findings.proof->trees, cell->tree, 32);
	if (!tree)
		return ordo_fail_memory(verifier->findings.error);
	return ordo_add_finding(&verifier->findings, 11, &cell->writer, written, NULL,
		"%s holds chunk %u = %s at the end, wanted %s%s%s", name_slot(slot).text,
		cell->chunk, tree, wanted, written ? "; last written by " : "",
		written ? ordo_where_is(verifier, cell->writer).text : "");
}

/* A copy that is not identical with the first rank's; G1 does not hold if it is not even the
 * same. */
static bool note_copy(struct verifier *verifier, struct ordo_copy copy)
{
	struct ordo_proof *proof = verifier->findings.proof;
	const uint32_t first = proof->chunk_tree[copy.chunk];
	if (!ordo_array_reserve(&proof->copies, &verifier->copy_room, (size_t)proof->ncopy + 1,
		    sizeof *proof->copies))
		return ordo_fail_memory(verifier->findings.error);
	proof->copies[proof->ncopy++] = copy;
	if (verifier->unequal.chunk != ORDO_NONE ||
		ordo_same_tree(&proof->trees, first) == ordo_same_tree(&proof->trees, copy.tree))
		return true;
	verifier->unequal.chunk = copy.chunk;
	verifier->unequal.ranks[0] = verifier->chunk_rank[copy.chunk];
	verifier->unequal.ranks[1] = copy.rank;
	verifier->unequal.trees[0] = first;
	verifier->unequal.trees[1] = copy.tree;
	return true;
}

static bool verify_output(
	struct verifier *verifier, struct leaf_check *leaf_check, struct slot slot)
{
	const struct ordo_problem *problem = &verifier->schedule->problem;
	const struct cell *cell = cell_of(verifier, slot);
	uint32_t chunk = ordo_output_chunk(problem, slot.rank, slot.number);
	if (cell->tree == POISON)
		return true;
	bool good = cell->tree != ORDO_NONE && cell->chunk == chunk;
	if (good && !ordo_operator_facts(problem->op)->reduces)
		good = cell->tree == ordo_chunk_source(problem, chunk);
	if (good && ordo_operator_facts(problem->op)->reduces) {
		uint8_t *verdict = &leaf_check->verdicts[cell->tree];
		if (*verdict == UNCHECKED)
			*verdict = adds_each_once(verifier, leaf_check, cell->tree) ? GOOD : BAD;
		good = *verdict == GOOD;
	}
	if (!good)
		return report_output(verifier, slot, cell, chunk);
	uint32_t *first = &verifier->findings.proof->chunk_tree[chunk];
	if (*first == ORDO_NONE) {
		*first = cell->tree;
		verifier->chunk_rank[chunk] = slot.rank;
	}
	return *first == cell->tree ||
	       note_copy(verifier, (struct ordo_copy){chunk, slot.rank, cell->tree});
}

uint32_t ordo_output_tree(const struct verifier *verifier, uint32_t rank, uint32_t slot)
{
	return cell_of(verifier, (struct slot){rank, slot, ORDO_OUTPUT})->tree;
}

bool ordo_verify_outputs(struct verifier *verifier)
{
	const struct ordo_problem *problem = &verifier->schedule->problem;
	size_t nchunk = ordo_nchunk(problem);
	if (problem->op == ORDO_CUSTOM)
		return true;
	verifier->findings.proof->chunk_tree =
		malloc((nchunk + 1) * sizeof *verifier->findings.proof->chunk_tree);
	verifier->chunk_rank = malloc((nchunk + 1) * sizeof *verifier->chunk_rank);
	if (!verifier->findings.proof->chunk_tree || !verifier->chunk_rank)
		return ordo_fail_memory(verifier->findings.error);
	memset(verifier->findings.proof->chunk_tree, 0xff,
		nchunk * sizeof *verifier->findings.proof->chunk_tree);
	struct leaf_check leaf_check = {0};
	bool worked = open_leaf_check(verifier, &leaf_check);
	for (uint32_t rank = 0; worked && rank < problem->nrank; rank++)
		for (uint32_t slot = 0; worked && !ordo_findings_full(&verifier->findings) &&
					slot < ordo_output_slots(problem, rank);
			slot++)
			worked = verify_output(
				verifier, &leaf_check, (struct slot){rank, slot, ORDO_OUTPUT});
	close_leaf_check(&leaf_check);
	return worked;
}
