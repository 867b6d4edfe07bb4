/* canonical.c - tasks as sets of items, relabelled to rank 0. */
#include "canonical.h"
#include <ordo/arena.h>
#include <ordo/map.h>
#include <stdlib.h>
#include <string.h>

/* Chunks that rank 0's tasks move, all together. */
#define MOST_FOLLOWED (UINT64_C(1) << 26)

struct view ordo_view_from(
	const struct ordo_programs *programs, const struct ordo_symmetry *symmetry, uint32_t rank)
{
	struct view view = {.programs = programs, .group = &symmetry->group, .rank = rank};
	view.back = ordo_symmetry_negate(&symmetry->group, rank);
	view.shift = ordo_shift_of(&symmetry->group, &symmetry->chunks, view.back);
	return view;
}

static uint32_t place_of(
	const struct ordo_problem *problem, uint32_t rank, unsigned buffer, uint32_t chunk)
{
	if (problem->op == ORDO_ALLREDUCE)
		return chunk;
	return buffer == ORDO_INPUT ? ordo_input_slot(problem, rank, chunk)
				    : ordo_output_slot(problem, rank, chunk);
}

static bool lies_right(const struct ordo_programs *programs, const struct ordo_task *task,
	uint32_t rank, unsigned buffer, uint32_t slot)
{
	const struct ordo_problem *problem = &programs->problem;
	if (buffer == ORDO_SCRATCH)
		return (uint64_t)slot + task->count <= programs->scratch_slots;
	return place_of(problem, rank, buffer, task->chunk) == slot &&
	       (task->count == 1 ||
		       place_of(problem, rank, buffer, task->chunk + task->count - 1) ==
			       slot + task->count - 1);
}

/* A local move between two places of one chunk, other than between input and output out of place,
 * is from a slot to itself; between scratch slots it may be from one to another of its own. */
static bool overlaps_itself(const struct ordo_problem *problem, const struct ordo_task *task)
{
	const uint32_t apart =
		task->src > task->dst ? task->src - task->dst : task->dst - task->src;
	const bool from_scratch = task->src_buffer == ORDO_SCRATCH,
		   to_scratch = task->dst_buffer == ORDO_SCRATCH;
	if (ordo_task_crosses(task) || from_scratch != to_scratch)
		return false;
	return from_scratch ? apart < task->count
			    : problem->in_place || task->src_buffer == task->dst_buffer;
}

bool ordo_fits_view(const struct view *view, const struct ordo_task *task)
{
	const struct ordo_programs *programs = view->programs;
	const struct ordo_problem *problem = &programs->problem;
	if (task->kind >= ORDO_NTASK_KIND ||
		(task->phase != ORDO_NO_PHASE && task->phase >= programs->nphase) ||
		(ordo_task_crosses(task) && task->peer >= problem->nrank))
		return false;
	if (!ordo_task_moves(task))
		return true;
	const uint32_t target = ordo_task_crosses(task) ? task->peer : view->rank;
	return task->src_buffer < ORDO_NBUFFER && task->dst_buffer < ORDO_NBUFFER && task->count &&
	       !(ordo_task_crosses(task) && task->peer == view->rank) &&
	       (uint64_t)task->chunk + task->count <= ordo_nchunk(problem) &&
	       !(task->dst_buffer == ORDO_INPUT && !problem->in_place) &&
	       !(programs->staging && ordo_task_crosses(task) &&
		       (task->src_buffer != ORDO_SCRATCH || task->dst_buffer != ORDO_SCRATCH)) &&
	       lies_right(programs, task, view->rank, task->src_buffer, task->src) &&
	       lies_right(programs, task, target, task->dst_buffer, task->dst) &&
	       !overlaps_itself(problem, task);
}

/* What the items of a task have in common. */
static struct item begin_item(const struct view *view, const struct ordo_task *task)
{
	struct item item = {.what = task->kind, .count = 1};
	if (ordo_task_crosses(task))
		item.peer = group_add(view->group, task->peer, view->back);
	if (ordo_task_moves(task))
		item.what |= (uint32_t)task->src_buffer << 4 | (uint32_t)task->dst_buffer << 8;
	return item;
}

/* The image of the i-th chunk moved is item->chunk. */
static void set_distances(struct item *item, const struct ordo_task *task, uint32_t i)
{
	item->src = task->src_buffer == ORDO_SCRATCH ? task->src + i - item->chunk : 0;
	item->dst = task->dst_buffer == ORDO_SCRATCH ? task->dst + i - item->chunk : 0;
}

struct item ordo_one_item(const struct view *view, const struct ordo_task *task)
{
	struct item item = begin_item(view, task);
	item.chunk = task->signal;
	if (ordo_task_moves(task)) {
		item.chunk = shift_chunk(&view->shift, task->chunk);
		set_distances(&item, task, 0);
	}
	return item;
}

static bool append_item(struct item item, struct item **items, size_t *room, uint32_t *nitem)
{
	if (!ordo_array_reserve(items, room, (size_t)*nitem + 1, sizeof item))
		return false;
	(*items)[(*nitem)++] = item;
	return true;
}

bool ordo_add_items(const struct view *view, const struct ordo_task *task, struct item **items,
	size_t *room, uint32_t *nitem)
{
	struct item item = begin_item(view, task);
	const bool in_order = task->src_buffer == ORDO_SCRATCH || task->dst_buffer == ORDO_SCRATCH;
	if (!ordo_task_moves(task) || task->count == 1)
		return append_item(ordo_one_item(view, task), items, room, nitem);
	for (uint32_t i = 0; i < task->count; i += item.count) {
		item.count = ordo_shift_run(
			&view->shift, task->chunk + i, task->count - i, in_order, &item.chunk);
		set_distances(&item, task, i);
		if (!append_item(item, items, room, nitem))
			return false;
	}
	return true;
}

static int by_all(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	const uint32_t keys[][2] = {{a->what, b->what}, {a->peer, b->peer}, {a->src, b->src},
		{a->dst, b->dst}, {a->chunk, b->chunk}, {a->count, b->count}};
	for (int i = 0; i < 6; i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

uint32_t ordo_join_items(struct item *items, uint32_t n)
{
	uint32_t kept = 0;
	if (n > 1)
		qsort(items, n, sizeof *items, by_all);
	for (uint32_t i = 0; i < n; i++) {
		struct item *last = kept ? &items[kept - 1] : NULL;
		if (last && last->what == items[i].what && last->peer == items[i].peer &&
			last->src == items[i].src && last->dst == items[i].dst &&
			last->chunk + last->count == items[i].chunk &&
			last->what % 8 <= ORDO_SEND_REDUCE)
			last->count += items[i].count;
		else
			items[kept++] = items[i];
	}
	return kept;
}

uint32_t ordo_stream_key(
	const struct view *view, const struct ordo_task *tasks, uint32_t first, uint32_t end)
{
	for (uint32_t i = first; i < end; i++)
		if (tasks[i].kind < ORDO_NTASK_KIND && ordo_task_crosses(&tasks[i]) &&
			tasks[i].peer < view->group->order)
			return group_add(view->group, tasks[i].peer, view->back);
	return view->group->order;
}

/* Where the moves of one segment have been: (rank and buffer, slot) -> a segment number, twice, for
 * reads and writes. */
struct footprints {
	struct ordo_map of; /* -> index into marks */
	struct {
		uint32_t read, written;
	} * marks;
	size_t room;
	uint32_t nmark;
};

static bool mark_cell(struct footprints *prints, const struct view *view, uint32_t rank,
	unsigned buffer, uint32_t slot, bool writes, uint32_t segment, bool *conflicts)
{
	const struct ordo_problem *problem = &view->programs->problem;
	const uint32_t same =
		buffer == ORDO_INPUT ? ordo_in_place_output_slot(problem, rank, slot) : ORDO_NONE;
	const uint32_t memory = rank * 4 + (same == ORDO_NONE ? buffer : ORDO_OUTPUT);
	slot = same == ORDO_NONE ? slot : same;
	uint32_t index = ordo_map_get(&prints->of, memory, slot);
	if (index == ORDO_NONE) {
		index = prints->nmark++;
		if (!ordo_array_reserve(
			    &prints->marks, &prints->room, prints->nmark, sizeof *prints->marks) ||
			!ordo_map_put(&prints->of, memory, slot, index))
			return false;
		prints->marks[index].read = prints->marks[index].written = ORDO_NONE;
	}
	if (prints->marks[index].written == segment ||
		(writes && prints->marks[index].read == segment))
		*conflicts = true;
	*(writes ? &prints->marks[index].written : &prints->marks[index].read) = segment;
	return true;
}

/* Marks the accesses of a task in that segment; *conflicts: another task of the segment conflicts
 * with them. */
static bool mark_task(struct footprints *prints, const struct view *view,
	const struct ordo_task *task, uint32_t segment, bool *conflicts)
{
	const uint32_t target = ordo_task_crosses(task) ? task->peer : view->rank;
	*conflicts = false;
	for (uint32_t i = 0; i < task->count; i++)
		if (!mark_cell(prints, view, view->rank, task->src_buffer, task->src + i, false,
			    segment, conflicts) ||
			!mark_cell(prints, view, target, task->dst_buffer, task->dst + i, true,
				segment, conflicts))
			return false;
	return true;
}

static bool end_segment(
	struct canonical *canonical, enum segment_class what, uint32_t first, uint32_t count)
{
	canonical->nitem =
		first + ordo_join_items(canonical->items + first, canonical->nitem - first);
	if (!ordo_array_reserve(&canonical->segments, &canonical->segment_room,
		    (size_t)canonical->nsegment + 1, sizeof *canonical->segments))
		return false;
	canonical->segments[canonical->nsegment++] =
		(struct segment){what, canonical->nitem, count};
	return true;
}

static int canonicalise_stream(struct canonical *canonical, const struct view *view,
	struct footprints *prints, const struct ordo_task *tasks, uint32_t begin, uint32_t end)
{
	uint32_t count = 0, first = canonical->nitem;
	for (uint32_t i = begin; i < end; i++) {
		bool cut = i > begin && class_of(&tasks[i]) != class_of(&tasks[i - 1]),
		     conflicts = false;
		if (!ordo_fits_view(view, &tasks[i]))
			return 0;
		if (ordo_task_moves(&tasks[i]) &&
			!mark_task(prints, view, &tasks[i], canonical->nsegment + cut, &conflicts))
			return -1;
		if (conflicts && !cut) {
			cut = true;
			if (!mark_task(
				    prints, view, &tasks[i], canonical->nsegment + 1, &conflicts))
				return -1;
		}
		if (cut) {
			if (!end_segment(canonical, class_of(&tasks[i - 1]), first, count))
				return -1;
			first = canonical->nitem;
			count = 0;
		}
		if (!ordo_add_items(view, &tasks[i], &canonical->items, &canonical->item_room,
			    &canonical->nitem))
			return -1;
		count += ordo_task_moves(&tasks[i]) ? tasks[i].count : 1;
	}
	return begin == end || end_segment(canonical, class_of(&tasks[end - 1]), first, count) ? 1
											       : -1;
}

/* A malformed document may move more chunks than a rank has memory for. */
static bool is_too_large(const struct ordo_rank_program *program)
{
	uint64_t nfollowed = 0;
	for (uint32_t id = 0; id < program->ntask; id++)
		nfollowed += ordo_task_moves(&program->tasks[id]) ? program->tasks[id].count : 1;
	return nfollowed > MOST_FOLLOWED;
}

int ordo_canonicalise(struct canonical *canonical, const struct view *view,
	const struct ordo_rank_program *program)
{
	struct footprints prints = {0};
	int worked = 1;
	if (is_too_large(program))
		return 0;
	canonical->nitem = canonical->nsegment = 0;
	canonical->nstream = program->nstream;
	free(canonical->streams);
	canonical->streams = malloc(((size_t)program->nstream + 1) * sizeof *canonical->streams);
	if (!canonical->streams)
		return -1;
	for (uint32_t s = 0, begin = 0; worked > 0 && s < program->nstream;
		begin = program->ends[s++]) {
		worked = canonicalise_stream(
			canonical, view, &prints, program->tasks, begin, program->ends[s]);
		canonical->streams[s] = (struct canonical_stream){canonical->nsegment,
			ordo_stream_key(view, program->tasks, begin, program->ends[s])};
	}
	ordo_map_free(&prints.of);
	free(prints.marks);
	return worked;
}

void ordo_canonical_free(struct canonical *canonical)
{
	free(canonical->items);
	free(canonical->segments);
	free(canonical->streams);
	*canonical = (struct canonical){0};
}
