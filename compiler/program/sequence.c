/* sequence.c - keeping the sequential program. */
#include "sequence.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct ordo_move) == 32, "a move is 32 bytes");

/* So many names are compared one by one. */
enum { FEW_NAMES = 8 };

/* Where the index of a name is kept, ORDO_NONE if the name is new; NULL: no memory. */
static uint32_t *name_at(struct ordo_labels *labels, const char *name)
{
	const uint32_t hash = ordo_map_hash(name);
	for (uint32_t before = 0;; before++) {
		uint32_t *id = ordo_map_at(&labels->name_ids, hash, before);
		if (!id || *id == ORDO_NONE || !strcmp(labels->names[*id], name))
			return id;
	}
}

/* Algorithms have a handful of names, nearly always the one asked for last; documents may have
 * many. */
static uint32_t name_id(
	struct ordo_sequence *sequence, struct ordo_labels *labels, const char *name)
{
	const uint32_t few = labels->nname < FEW_NAMES ? labels->nname : FEW_NAMES;
	for (uint32_t i = labels->nname; i-- > labels->nname - few;)
		if (!strcmp(labels->names[i], name))
			return i;
	uint32_t *id = name_at(labels, name);
	if (!id || *id != ORDO_NONE)
		return id ? *id : ORDO_NONE;
	const char *kept = ordo_arena_text(&sequence->arena, name, strlen(name));
	if (!kept || !ordo_array_reserve(&labels->names, &labels->name_room,
			     (size_t)labels->nname + 1, sizeof *labels->names))
		return ORDO_NONE;
	labels->names[labels->nname] = kept;
	return *id = labels->nname++;
}

uint32_t ordo_label_id(struct ordo_sequence *sequence, struct ordo_labels *labels, const char *name,
	uint32_t number)
{
	uint32_t base = name_id(sequence, labels, name);
	uint32_t *id = base == ORDO_NONE ? NULL : ordo_map_at(&labels->ids, base, number);
	if (!id || *id != ORDO_NONE)
		return id ? *id : ORDO_NONE;
	if (!ordo_array_reserve(&labels->items, &labels->room, (size_t)labels->count + 1,
		    sizeof *labels->items))
		return ORDO_NONE;
	labels->items[labels->count] = (struct ordo_label){labels->names[base], number};
	return *id = labels->count++;
}

uint32_t ordo_lane_id(struct ordo_sequence *sequence, uint32_t rank, uint32_t label)
{
	uint32_t *id = ordo_map_at(&sequence->lane_ids, rank, label);
	if (!id || *id != ORDO_NONE)
		return id ? *id : ORDO_NONE;
	if (!ordo_array_reserve(&sequence->lanes, &sequence->lane_room, (size_t)sequence->nlane + 1,
		    sizeof *sequence->lanes))
		return ORDO_NONE;
	sequence->lanes[sequence->nlane] = (struct ordo_lane){.rank = rank, .label = label};
	return *id = sequence->nlane++;
}

bool ordo_sequence_append(struct ordo_sequence *sequence, const struct ordo_move *move)
{
	if (sequence->nmove >= ORDO_LIMIT ||
		!ordo_array_reserve(&sequence->moves, &sequence->move_room,
			(size_t)sequence->nmove + 1, sizeof *sequence->moves))
		return false;
	if (sequence->places) {
		if (!ordo_array_reserve(&sequence->origins, &sequence->origin_room,
			    (size_t)sequence->nmove + 1, sizeof *sequence->origins))
			return false;
		sequence->origins[sequence->nmove] = sequence->origin;
	}
	sequence->moves[sequence->nmove++] = *move;
	return true;
}

void ordo_sequence_exchange(struct ordo_sequence *sequence, struct ordo_sequence *other)
{
	const struct ordo_sequence before = *sequence;
	sequence->moves = other->moves;
	sequence->nmove = other->nmove;
	sequence->move_room = other->move_room;
	sequence->origins = other->origins;
	sequence->origin_room = other->origin_room;
	other->moves = before.moves;
	other->nmove = before.nmove;
	other->move_room = before.move_room;
	other->origins = before.origins;
	other->origin_room = before.origin_room;
}

static void free_labels(struct ordo_labels *labels)
{
	free(labels->items);
	free(labels->names);
	ordo_map_free(&labels->ids);
	ordo_map_free(&labels->name_ids);
}

void ordo_sequence_free(struct ordo_sequence *sequence)
{
	free(sequence->moves);
	free(sequence->origins);
	free(sequence->lanes);
	ordo_map_free(&sequence->lane_ids);
	free_labels(&sequence->stream_labels);
	free_labels(&sequence->phases);
	ordo_arena_free(&sequence->arena);
	*sequence = (struct ordo_sequence){0};
}

/* How far output slot 0 lies behind input slot 0 in memory, in slots: negative if before. *shared:
 * whether they share any. In place, aliased slots always lie at one distance: the operator table
 * numbers both by ascending chunk. */
static int64_t distance(const struct ordo_problem *problem, uint32_t rank, bool *shared)
{
	const uint32_t ninput = ordo_input_slots(problem, rank),
		       noutput = ordo_output_slots(problem, rank);
	*shared = problem->in_place && ninput && noutput;
	if (!*shared)
		return 0;
	uint32_t output = ordo_in_place_output_slot(problem, rank, 0);
	if (output != ORDO_NONE)
		return -(int64_t)output;
	uint32_t input = ordo_input_slot(problem, rank, ordo_output_chunk(problem, rank, 0));
	*shared = input != ORDO_NONE;
	return *shared ? input : 0;
}

static bool fail_cells(uint32_t scratch_slots, struct ordo_error *error)
{
	return ordo_fail(error, ORDO_USAGE, 0,
		"too large: more than %u slots over all ranks, with %u scratch slots each",
		UINT32_MAX - 1, scratch_slots);
}

bool ordo_cells_make(struct ordo_cells *cells, const struct ordo_problem *problem,
	uint32_t scratch_slots, struct ordo_error *error)
{
	*cells = (struct ordo_cells){
		.input = calloc(problem->nrank, sizeof *cells->input),
		.output = calloc(problem->nrank, sizeof *cells->output),
		.scratch = calloc(problem->nrank, sizeof *cells->scratch),
	};
	if (!cells->input || !cells->output || !cells->scratch)
		return ordo_fail_memory(error);
	uint64_t count = 0;
	for (uint32_t rank = 0; rank < problem->nrank; rank++) {
		bool shared;
		const int64_t behind = distance(problem, rank, &shared);
		const uint64_t ninput = problem->in_place ? ordo_input_slots(problem, rank) : 0,
			       noutput = ordo_output_slots(problem, rank);
		const uint64_t input = count + (behind < 0 ? (uint64_t)-behind : 0);
		const uint64_t output =
			shared ? count + (behind > 0 ? (uint64_t)behind : 0) : count + ninput;
		const uint64_t input_end = input + ninput, output_end = output + noutput;
		const uint64_t scratch = input_end > output_end ? input_end : output_end;
		count = scratch + scratch_slots;
		if (count >= UINT32_MAX)
			return fail_cells(scratch_slots, error);
		cells->input[rank] = (uint32_t)input;
		cells->output[rank] = (uint32_t)output;
		cells->scratch[rank] = (uint32_t)scratch;
	}
	cells->nwritable = (uint32_t)count;
	for (uint32_t rank = 0; !problem->in_place && rank < problem->nrank; rank++) {
		cells->input[rank] = (uint32_t)count;
		count += ordo_input_slots(problem, rank);
		if (count >= UINT32_MAX)
			return fail_cells(scratch_slots, error);
	}
	cells->count = (uint32_t)count;
	return true;
}

void ordo_cells_free(struct ordo_cells *cells)
{
	free(cells->input);
	free(cells->output);
	free(cells->scratch);
	*cells = (struct ordo_cells){0};
}
