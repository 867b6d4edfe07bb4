/* moves_of.c - what an algorithm tells the builder, as a document of moves. */
#include "passes.h"
#include "pipeline/pipeline.h"
#include <ordo/arena.h>
#include <ordo/detail/program_moves.h>
#include <ordo/detail/schedules.h>
#include <ordo/read_moves.h>
#include <string.h>

/* The names of labels, in the arena of the moves. NULL: no memory. */
static const char **names_of(struct ordo_moves *moves, const struct ordo_labels *labels)
{
	struct ordo_arena *arena = &moves->arena;
	const char **names = ordo_arena_alloc(arena, ((size_t)labels->count + 1) * sizeof *names);
	for (uint32_t i = 0; names && i < labels->count; i++) {
		const struct ordo_label label = labels->items[i];
		names[i] = label.number == ORDO_NONE
				   ? ordo_arena_text(arena, label.name, strlen(label.name))
				   : ordo_arena_format(arena, "%s %u", label.name, label.number);
		if (!names[i])
			return NULL;
	}
	return names;
}

/* Labels that moves use get their numbers in the order of the labels, the others ORDO_NONE;
 * numbers[i] is not 0 for those used. Returns how many there are. */
static uint32_t number_used(uint32_t *numbers, const char **names, uint32_t count)
{
	uint32_t used = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (!numbers[i])
			continue;
		names[used] = names[i];
		numbers[i] = used++;
	}
	return used;
}

/* Only phases and streams in which something moves are listed. */
static bool set_names(struct ordo_moves *moves, const struct ordo_sequence *sequence,
	uint32_t *phases, uint32_t *streams)
{
	for (uint32_t i = 0; i < sequence->nmove; i++) {
		const struct ordo_move *move = &sequence->moves[i];
		streams[sequence->lanes[move->stream].label] = 1;
		if (move->phase != ORDO_NO_PHASE)
			phases[move->phase] = 1;
	}
	moves->phases = names_of(moves, &sequence->phases);
	moves->streams = names_of(moves, &sequence->stream_labels);
	if (!moves->phases || !moves->streams)
		return false;
	moves->nphase = number_used(phases, moves->phases, sequence->phases.count);
	moves->nstream = number_used(streams, moves->streams, sequence->stream_labels.count);
	return true;
}

static bool add_moves(
	struct ordo_moves *moves, const struct ordo_sequence *sequence, struct ordo_error *error)
{
	struct ordo_arena arena = {0};
	const size_t nphase = sequence->phases.count, nstream = sequence->stream_labels.count;
	uint32_t *phases = ordo_arena_alloc(&arena, (nphase + nstream + 1) * sizeof *phases);
	bool worked = phases;
	if (worked) {
		memset(phases, 0, (nphase + nstream + 1) * sizeof *phases);
		worked = set_names(moves, sequence, phases, phases + nphase);
	}
	if (!worked)
		ordo_fail_memory(error);
	for (uint32_t i = 0; worked && i < sequence->nmove; i++) {
		const struct ordo_move *move = &sequence->moves[i];
		const uint32_t label = sequence->lanes[move->stream].label;
		const struct ordo_moves_item item = {.reduces = move->reduces,
			.src_buffer = move->src_buffer,
			.dst_buffer = move->dst_buffer,
			.phase = (move->phase == ORDO_NO_PHASE ? ORDO_NO_PHASE
							       : phases[move->phase]) &
				 ORDO_NO_PHASE,
			.stream = phases[nphase + label],
			.src_rank = move->rank,
			.src = move->src,
			.dst_rank = move->peer,
			.dst = move->dst,
			.count = move->count};
		worked = ordo_moves_append(moves, &item, error);
	}
	ordo_arena_free(&arena);
	return worked;
}

/* The ways of the schedule's streams, by their names. */
static bool add_ways(
	struct ordo_moves *moves, const struct ordo_schedule *schedule, struct ordo_error *error)
{
	uint32_t stream = 0;
	for (uint32_t i = 0; schedule->vias && i < schedule->nstream; i++) {
		const struct ordo_stream *one = &schedule->streams[i];
		if (!schedule->vias[i])
			continue;
		/* Ranks have their streams mostly in the same order. */
		for (uint32_t tries = 0; tries < moves->nstream; tries++) {
			if (!strcmp(moves->streams[stream], one->name))
				break;
			stream = stream + 1 == moves->nstream ? 0 : stream + 1;
		}
		const struct ordo_moves_way way = {one->rank, stream, schedule->vias[i]};
		if (!ordo_moves_add_way(moves, &way, error))
			return false;
	}
	return true;
}

static bool copy_topology(
	struct ordo_moves *moves, const struct ordo_schedule *schedule, struct ordo_error *error)
{
	if (!schedule->topology_name)
		return true;
	moves->topology_name = ordo_arena_text(
		&moves->arena, schedule->topology_name, strlen(schedule->topology_name));
	moves->topology_digest = ordo_arena_text(
		&moves->arena, schedule->topology_digest, strlen(schedule->topology_digest));
	return moves->topology_name && moves->topology_digest ? true : ordo_fail_memory(error);
}

struct ordo_moves *ordo_moves_of(const struct ordo_request *request,
	const struct ordo_schedule *schedule, struct ordo_error *error)
{
	struct ordo_request same = *request;
	struct ordo_resolved_request resolved = {0};
	struct ordo_sequence sequence = {0};
	struct ordo_moves *moves = NULL;
	same.algorithm = schedule->algorithm;
	same.problem = schedule->problem;
	bool worked = ordo_request_resolve(&resolved, &same, error) &&
		      ordo_build(&resolved, &sequence, error);
	if (worked) {
		moves = ordo_moves_create(&sequence.problem, schedule->algorithm, error);
		worked = moves && add_moves(moves, &sequence, error) &&
			 add_ways(moves, schedule, error) && copy_topology(moves, schedule, error);
		if (worked)
			moves->scratch_slots = sequence.scratch_slots;
	}
	ordo_sequence_free(&sequence);
	ordo_resolved_request_destroy(&resolved);
	if (worked)
		return moves;
	ordo_moves_destroy(moves);
	return NULL;
}
