/* canonical.h - a program seen from its own rank, in a form that equal programs share. Private to
 * schedules/symmetry/.
 *
 * Relabelled to rank 0, every stream is a list of segments: neighbouring Waits, neighbouring
 * Notifies, or neighbouring moves that do not touch what another of them writes. Within a segment
 * order means nothing, so it is a set, and the set is written down in one way only: chunks that
 * continue each other are one item, items are sorted.
 */
#ifndef ORDO_SCHEDULES_SYMMETRY_CANONICAL_H
#define ORDO_SCHEDULES_SYMMETRY_CANONICAL_H

#include "group.h"

enum segment_class { MOVES, NOTIFIES, WAITS };

/* Compared as a whole: every field counts. An input or output slot is the place of its chunk, a
 * scratch slot is given as the distance from its chunk, which is the same for all chunks of an
 * item. */
struct item {
	uint32_t what; /* kind and buffers; of Notify and Wait the kind alone */
	uint32_t peer;
	uint32_t src, dst; /* scratch slot - chunk; 0 for other buffers */
	uint32_t chunk;	   /* or signal */
	uint32_t count;
};

struct segment {
	enum segment_class what;
	uint32_t end;	/* its items: from the end of the one before */
	uint32_t count; /* chunks moved, or tasks */
};

struct canonical_stream {
	uint32_t end; /* its segments */
	uint32_t key; /* the peer of its first remote task; the number of ranks if there is none */
};

/* Rank 0's program. */
struct canonical {
	struct item *items;
	size_t item_room;
	uint32_t nitem;
	struct segment *segments;
	size_t segment_room;
	uint32_t nsegment;
	struct canonical_stream *streams;
	uint32_t nstream;
};

/* Relabels the tasks of one rank to rank 0. */
struct view {
	const struct ordo_programs *programs;
	const struct ordo_symmetry_group *group;
	struct shift shift; /* back to rank 0 */
	uint32_t rank, back;
};

struct view ordo_view_from(
	const struct ordo_programs *programs, const struct ordo_symmetry *symmetry, uint32_t rank);

static inline enum segment_class class_of(const struct ordo_task *task)
{
	return task->kind == ORDO_NOTIFY ? NOTIFIES : task->kind == ORDO_WAIT ? WAITS : MOVES;
}

/* Can an item represent the task? It is if R1 to R4 hold and it reads and writes input and output
 * where the chunks it names belong; anything else is refuted anyway, or a task's race with
 * itself. */
bool ordo_fits_view(const struct view *view, const struct ordo_task *task);
/* The one item of a Notify, a Wait, or a move of one chunk. */
struct item ordo_one_item(const struct view *view, const struct ordo_task *task);
static inline bool is_same_item(const struct item *a, const struct item *b)
{
	return a->what == b->what && a->peer == b->peer && a->chunk == b->chunk &&
	       a->src == b->src && a->dst == b->dst && a->count == b->count;
}
/* Appends the task's items to items[*nitem]. false: no memory. */
bool ordo_add_items(const struct view *view, const struct ordo_task *task, struct item **items,
	size_t *room, uint32_t *nitem);
/* Sorts items[0..n) and joins them; returns how many are left. */
uint32_t ordo_join_items(struct item *items, uint32_t n);
/* The peer of the first remote task of a stream, relabelled to rank 0. */
uint32_t ordo_stream_key(
	const struct view *view, const struct ordo_task *tasks, uint32_t first, uint32_t end);

/* 1: done; 0: a task does not fit, or there is too much; -1: no memory. */
int ordo_canonicalise(struct canonical *canonical, const struct view *view,
	const struct ordo_rank_program *program);
void ordo_canonical_free(struct canonical *canonical);

#endif
