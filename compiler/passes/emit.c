/* emit.c - writes moves and pairs down as the streams and tasks of a schedule. */
#include "passes.h"
#include <stdlib.h>
#include <string.h>

/* Lists of ids by what they belong to: of key k, items[first[k]] .. items[first[k + 1] - 1], in the order
 * they were counted in. */
struct index {
	uint32_t *first, *items;
};

/* Pairs and moves by where they stand. */
struct layout {
	struct index lane_moves;      /* by stream */
	struct index rank_lanes;      /* by rank */
	struct index begin_notifies;  /* by stream */
	struct index end_waits;	      /* by stream */
	struct index waits, notifies; /* by move */
};

/* The key of an id, or ORDO_NONE to leave it out. */
typedef uint32_t key_of(const struct ordo_sequence *sequence, const struct ordo_pairs *pairs, uint32_t id);

static bool make_index(struct index *index, uint32_t nkey, uint32_t count, key_of *key,
	const struct ordo_sequence *sequence, const struct ordo_pairs *pairs)
{
	index->first = calloc((size_t)nkey + 2, sizeof *index->first);
	if (!index->first)
		return false;
	uint32_t total = 0;
	for (uint32_t id = 0; id < count; id++) {
		const uint32_t k = key(sequence, pairs, id);
		if (k != ORDO_NONE) {
			index->first[k + 2]++;
			total++;
		}
	}
	index->items = malloc(((size_t)total + 1) * sizeof *index->items);
	if (!index->items)
		return false;
	for (size_t k = 2; k < (size_t)nkey + 2; k++)
		index->first[k] += index->first[k - 1];
	for (uint32_t id = 0; id < count; id++) {
		const uint32_t k = key(sequence, pairs, id);
		if (k != ORDO_NONE)
			index->items[index->first[k + 1]++] = id;
	}
	return true;
}

static uint32_t lane_of_move(
	const struct ordo_sequence *sequence, const struct ordo_pairs *pairs, uint32_t id)
{
	(void)pairs;
	return sequence->moves[id].stream;
}

static uint32_t rank_of_lane(
	const struct ordo_sequence *sequence, const struct ordo_pairs *pairs, uint32_t id)
{
	(void)pairs;
	return sequence->lanes[id].rank;
}

static uint32_t lane_notified_at_begin(
	const struct ordo_sequence *sequence, const struct ordo_pairs *pairs, uint32_t id)
{
	(void)sequence;
	return pairs->items[id].from == ORDO_NONE ? pairs->items[id].from_lane : ORDO_NONE;
}

static uint32_t lane_waiting_at_end(
	const struct ordo_sequence *sequence, const struct ordo_pairs *pairs, uint32_t id)
{
	(void)sequence;
	return pairs->items[id].to == ORDO_NONE ? pairs->items[id].to_lane : ORDO_NONE;
}

static uint32_t move_waiting(
	const struct ordo_sequence *sequence, const struct ordo_pairs *pairs, uint32_t id)
{
	(void)sequence;
	return pairs->items[id].to;
}

static uint32_t move_notifying(
	const struct ordo_sequence *sequence, const struct ordo_pairs *pairs, uint32_t id)
{
	(void)sequence;
	return pairs->items[id].from;
}

static bool lay_out(
	struct layout *layout, const struct ordo_sequence *sequence, const struct ordo_pairs *pairs)
{
	const uint32_t nmove = sequence->nmove, nlane = sequence->nlane, npair = pairs->count;
	return make_index(&layout->lane_moves, nlane, nmove, lane_of_move, sequence, pairs) &&
	       make_index(
		       &layout->rank_lanes, sequence->problem.nrank, nlane, rank_of_lane, sequence, pairs) &&
	       make_index(&layout->begin_notifies, nlane, npair, lane_notified_at_begin, sequence, pairs) &&
	       make_index(&layout->end_waits, nlane, npair, lane_waiting_at_end, sequence, pairs) &&
	       make_index(&layout->waits, nmove, npair, move_waiting, sequence, pairs) &&
	       make_index(&layout->notifies, nmove, npair, move_notifying, sequence, pairs);
}

static void free_index(struct index *index)
{
	free(index->first);
	free(index->items);
}

static void free_layout(struct layout *layout)
{
	free_index(&layout->lane_moves);
	free_index(&layout->rank_lanes);
	free_index(&layout->begin_notifies);
	free_index(&layout->end_waits);
	free_index(&layout->waits);
	free_index(&layout->notifies);
}

struct emission {
	const struct ordo_sequence *sequence;
	const struct ordo_pairs *pairs;
	struct ordo_schedule *schedule;
	struct ordo_error *error;
};

static bool emit_move(struct emission *e, uint32_t id)
{
	const struct ordo_move *move = &e->sequence->moves[id];
	if (move->relays)
		return true;
	const bool crosses = move->peer != move->rank;
	enum ordo_task_kind kind = crosses ? ORDO_SEND : ORDO_LOCAL_COPY;
	if (move->reduces)
		kind = crosses ? ORDO_SEND_REDUCE : ORDO_LOCAL_REDUCE;
	const struct ordo_task task = {
		.kind = kind & 7,
		.src_buffer = move->src_buffer,
		.dst_buffer = move->dst_buffer,
		.phase = move->phase,
		.peer = crosses ? move->peer : 0,
		.chunk = move->chunk,
		.count = move->count,
		.src = move->src,
		.dst = move->dst,
	};
	return ordo_schedule_append(e->schedule, &task, e->error);
}

/* A Notify belongs to the phase of the move it follows, a Wait to that of the move it precedes; where there
 * is none, to that of the other end. */
static bool emit_half(struct emission *e, uint32_t id, enum ordo_task_kind kind)
{
	const struct ordo_pair *pair = &e->pairs->items[id];
	const bool notifies = kind == ORDO_NOTIFY;
	uint32_t move = notifies ? pair->from : pair->to;
	if (move == ORDO_NONE)
		move = notifies ? pair->to : pair->from;
	const struct ordo_task task = {
		.kind = kind & 7,
		.phase = e->sequence->moves[move].phase,
		.peer = e->sequence->lanes[notifies ? pair->to_lane : pair->from_lane].rank,
		.signal = pair->signal,
	};
	return ordo_schedule_append(e->schedule, &task, e->error);
}

static bool emit_halves(struct emission *e, const struct index *index, uint32_t key, enum ordo_task_kind kind)
{
	for (uint32_t i = index->first[key]; i < index->first[key + 1]; i++)
		if (!emit_half(e, index->items[i], kind))
			return false;
	return true;
}

static bool emit_lane(struct emission *e, const struct layout *layout, uint32_t lane)
{
	if (!emit_halves(e, &layout->begin_notifies, lane, ORDO_NOTIFY))
		return false;
	for (uint32_t i = layout->lane_moves.first[lane]; i < layout->lane_moves.first[lane + 1]; i++) {
		const uint32_t move = layout->lane_moves.items[i];
		if (!emit_halves(e, &layout->waits, move, ORDO_WAIT) || !emit_move(e, move) ||
			!emit_halves(e, &layout->notifies, move, ORDO_NOTIFY))
			return false;
	}
	return emit_halves(e, &layout->end_waits, lane, ORDO_WAIT);
}

static const char *label_text(struct ordo_arena *arena, struct ordo_label label)
{
	return label.number == ORDO_NONE ? label.name
					 : ordo_arena_format(arena, "%s %u", label.name, label.number);
}

/* texts[labels->count], or NULL: no memory. */
static const char **label_texts(struct ordo_arena *arena, const struct ordo_labels *labels)
{
	const char **texts = ordo_arena_alloc(arena, ((size_t)labels->count + 1) * sizeof *texts);
	for (uint32_t i = 0; texts && i < labels->count; i++)
		if (!(texts[i] = label_text(arena, labels->items[i])))
			return NULL;
	return texts;
}

static bool set_names(struct ordo_schedule *schedule, const struct ordo_recipe *recipe,
	const struct ordo_sequence *sequence, struct ordo_arena *arena, struct ordo_error *error)
{
	const char **phases = label_texts(arena, &sequence->phases);
	if (!phases || !ordo_schedule_set_phases(schedule, phases, sequence->phases.count, error))
		return ordo_fail_memory(error);
	if (!recipe->topology)
		return true;
	char digest[33];
	ordo_topology_digest(recipe->topology, digest);
	schedule->topology_digest = ordo_arena_text(&schedule->arena, digest, strlen(digest));
	schedule->topology_name =
		ordo_arena_text(&schedule->arena, recipe->topology->name, strlen(recipe->topology->name));
	return schedule->topology_digest && schedule->topology_name ? true : ordo_fail_memory(error);
}

static bool emit_all(struct emission *e, const struct layout *layout, const char *const *names)
{
	const struct ordo_sequence *sequence = e->sequence;
	const uint64_t ntask = sequence->nmove + 2 * (uint64_t)e->pairs->count;
	if (ntask >= UINT32_MAX - 1)
		return ordo_fail(e->error, ORDO_USAGE, 0, "too large: more than %u tasks", UINT32_MAX - 2);
	if (!ordo_schedule_reserve(e->schedule, sequence->nlane, (uint32_t)ntask, e->error))
		return false;
	const struct index *lanes = &layout->rank_lanes;
	for (uint32_t rank = 0; rank < sequence->problem.nrank; rank++)
		for (uint32_t i = lanes->first[rank]; i < lanes->first[rank + 1]; i++) {
			const uint32_t lane = lanes->items[i];
			if (!ordo_schedule_begin_stream(
				    e->schedule, rank, names[sequence->lanes[lane].label], e->error) ||
				!emit_lane(e, layout, lane))
				return false;
		}
	return true;
}

struct ordo_schedule *ordo_emit(const struct ordo_recipe *recipe, const struct ordo_sequence *sequence,
	const struct ordo_pairs *pairs, struct ordo_error *error)
{
	struct ordo_schedule *schedule = ordo_schedule_create(&sequence->problem, recipe->notation, error);
	if (!schedule)
		return NULL;
	schedule->scratch_slots = sequence->scratch_slots;
	struct ordo_arena arena = {0};
	struct layout layout = {0};
	struct emission emission = {sequence, pairs, schedule, error};
	const char **names = label_texts(&arena, &sequence->stream_labels);
	bool worked = names && lay_out(&layout, sequence, pairs);
	if (!worked)
		ordo_fail_memory(error);
	worked = worked && set_names(schedule, recipe, sequence, &arena, error) &&
		 emit_all(&emission, &layout, names);
	free_layout(&layout);
	ordo_arena_free(&arena);
	if (!worked) {
		ordo_schedule_destroy(schedule);
		return NULL;
	}
	return schedule;
}
