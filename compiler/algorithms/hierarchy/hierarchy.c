/* hierarchy.c - builds one group's schedule for each stage, and instantiates it for all groups.
 *
 * The group's algorithm is built as any other, over ranks, chunks and slots of its own problem.
 * Playing it means doing each of its moves with the group's ranks, and where these have the chunk:
 * in their input to begin with, from then on at their work places (AllToAll: in one bank of scratch
 * after another), in the output in the end. Blocks of a group may have room for more chunks than
 * the group has in them; moves of those that are not there are left out.
 */
#include "hierarchy.h"
#include "passes.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* One stage, being instantiated. */
struct play {
	struct ordo_builder *b;
	const struct ordo_resolved_request *request;
	const struct ordo_hierarchy *hierarchy;
	const struct ordo_stage *stage;
	struct ordo_sequence sequence;	/* the moves of one group */
	const char **streams, **phases; /* the names of its labels, with the level before */
	uint32_t scratch;		/* where its scratch begins */
	uint32_t from_bank, to_bank;	/* AllToAll: scratch between two stages */
	uint32_t group;			/* the rank of the group's member 0 */
	uint32_t *chunks; /* [chunks of the group's problem] which chunk it is; ORDO_NONE: none */
};

/* AllToAll: where a rank keeps a block between two stages: by the digit of its source in the levels
 * done, of its destination in the others. That is the place in the input before the first, in the
 * output after the last stage. */
static struct ordo_at in_bank(
	const struct play *play, uint32_t rank, uint32_t chunk, ordo_level_set done, uint32_t bank)
{
	const struct ordo_levels *levels = &play->hierarchy->levels;
	const uint32_t K = play->request->problem.chunks_per_block, N = levels->nrank;
	const uint32_t from = chunk / K / N, to = chunk / K % N;
	const ordo_level_set all = ordo_levels_all(levels);
	const uint32_t block =
		ordo_levels_keep(levels, done, from) + ordo_levels_keep(levels, all & ~done, to);
	const enum ordo_buffer buffer = !done	      ? ORDO_INPUT
					: done == all ? ORDO_OUTPUT
						      : ORDO_SCRATCH;
	return ordo_at(rank, buffer, (buffer == ORDO_SCRATCH ? bank : 0) + block * K + chunk % K);
}

/* Where the group's place is: a slot of a member's buffer, with a chunk of the group's problem in
 * it. */
static struct ordo_at place(const struct play *play, uint32_t member, enum ordo_buffer buffer,
	uint32_t slot, uint32_t chunk)
{
	const struct ordo_stage *stage = play->stage;
	const uint32_t rank =
		play->group + member * play->hierarchy->levels.at[stage->level].stride;
	if (buffer == ORDO_SCRATCH)
		return ordo_at(rank, ORDO_SCRATCH, play->scratch + slot);
	const uint32_t whole = play->chunks[chunk];
	if (stage->op == ORDO_ALLTOALL)
		return buffer == ORDO_INPUT
			       ? in_bank(play, rank, whole, stage->done, play->from_bank)
			       : in_bank(play, rank, whole, stage->done | 1u << stage->level,
					 play->to_bank);
	if (buffer == ORDO_INPUT && !play->sequence.problem.in_place)
		return ordo_input_of(play->b, rank, whole);
	return ordo_work(play->b, rank, whole);
}

static bool lies_behind(struct ordo_at at, struct ordo_at first, uint32_t distance)
{
	return at.buffer == first.buffer && at.slot == first.slot + distance;
}

/* In a Broadcast by scatter and gather, the rank that scattered a chunk holds it already. */
static bool has_already(const struct play *play, struct ordo_at at)
{
	return play->request->problem.op == ORDO_BROADCAST && at.buffer == ORDO_OUTPUT &&
	       ordo_written(play->b, at);
}

/* Adds a move, split only where places are not consecutive. */
static void play_move(const struct play *play, const struct ordo_move *move)
{
	struct ordo_at dst = {0, ORDO_INPUT, 0}, src = dst;
	uint32_t count = 0;
	for (uint32_t i = 0; i <= move->count; i++) {
		bool there = i < move->count && play->chunks[move->chunk + i] != ORDO_NONE;
		struct ordo_at to = dst, from = src;
		if (there) {
			to = place(
				play, move->peer, move->dst_buffer, move->dst + i, move->chunk + i);
			from = place(
				play, move->rank, move->src_buffer, move->src + i, move->chunk + i);
			there = !has_already(play, to);
			if (there && count && lies_behind(to, dst, count) &&
				lies_behind(from, src, count)) {
				count++;
				continue;
			}
		}
		if (move->reduces)
			ordo_reduce(play->b, dst, src, count);
		else
			ordo_copy(play->b, dst, src, count);
		dst = to;
		src = from;
		count = there;
	}
}

static void play_group(const struct play *play)
{
	const struct ordo_sequence *sequence = &play->sequence;
	for (uint32_t i = 0; i < sequence->nmove && !ordo_builder_failed(play->b); i++) {
		const struct ordo_move *move = &sequence->moves[i];
		const uint32_t stream = sequence->lanes[move->stream].label;
		ordo_stream(play->b, play->streams[stream],
			sequence->stream_labels.items[stream].number);
		if (move->phase != ORDO_NO_PHASE)
			ordo_phase(play->b, play->phases[move->phase],
				sequence->phases.items[move->phase].number);
		play_move(play, move);
	}
}

/* One group of a stage. */
struct group {
	const struct ordo_levels *levels;
	const struct ordo_stage *stage;
	const struct ordo_problem *whole, *own;
	uint32_t first; /* the rank of its member 0 */
};

/* The part of the one block that a group of this level has. */
static struct ordo_slice part_of_group(const struct group *group)
{
	struct ordo_slice part = {0, group->whole->chunks_per_block};
	for (uint32_t l = 0; l < group->stage->level; l++) {
		const struct ordo_slice of = ordo_slice_of(part.count, group->levels->at[l].size,
			ordo_level_digit(group->levels, l, group->first));
		part = (struct ordo_slice){part.first + of.first, of.count};
	}
	return part;
}

static uint32_t cut_chunk(const struct group *group, uint32_t block, uint32_t i)
{
	const struct ordo_slice whole = part_of_group(group);
	struct ordo_slice part = {0, whole.count};
	if (ordo_nblock(group->own) > 1)
		part = ordo_slice_of(whole.count, group->own->nrank, block);
	return i < part.count ? whole.first + part.first + i : ORDO_NONE;
}

/* The i-th chunk of a member's block, where ranks have blocks. */
static uint32_t block_chunk(const struct group *group, uint32_t member, uint32_t i)
{
	const struct ordo_levels *levels = group->levels;
	const struct ordo_stage *stage = group->stage;
	const uint32_t K = group->whole->chunks_per_block;
	const ordo_level_set fixed = ordo_levels_all(levels) & ~stage->free & ~(1u << stage->level);
	const uint32_t block = ordo_levels_keep(levels, fixed, group->first) +
			       member * levels->at[stage->level].stride +
			       ordo_levels_nth(levels, stage->free, i / K);
	return block * K + i % K;
}

/* The i-th chunk from one member to another in AllToAll: in the levels done sources are free, in
 * the others destinations. */
static uint32_t pair_chunk(const struct group *group, uint32_t pair, uint32_t i)
{
	const struct ordo_levels *levels = group->levels;
	const struct ordo_level *level = &levels->at[group->stage->level];
	const uint32_t K = group->whole->chunks_per_block;
	const ordo_level_set others = ordo_levels_all(levels) & ~(1u << group->stage->level),
			     done = group->stage->done;
	const uint32_t free = ordo_levels_nth(levels, others, i / K);
	const uint32_t from = ordo_levels_keep(levels, done, free) +
			      ordo_levels_keep(levels, others & ~done, group->first) +
			      pair / level->size * level->stride;
	const uint32_t to = ordo_levels_keep(levels, others & ~done, free) +
			    ordo_levels_keep(levels, done, group->first) +
			    pair % level->size * level->stride;
	return (from * levels->nrank + to) * K + i % K;
}

void ordo_stage_chunks(const struct ordo_resolved_request *request, const struct ordo_stage *stage,
	const struct ordo_problem *problem, uint32_t group, uint32_t *chunks)
{
	const struct ordo_hierarchy *hierarchy = request->prepared;
	const struct group of = {&hierarchy->levels, stage, &request->problem, problem, group};
	const uint32_t K = problem->chunks_per_block;
	for (uint32_t chunk = 0, end = ordo_nchunk(problem); chunk < end; chunk++)
		chunks[chunk] = hierarchy->cut ? cut_chunk(&of, chunk / K, chunk % K)
				: stage->op == ORDO_ALLTOALL
					? pair_chunk(&of, chunk / K, chunk % K)
					: block_chunk(&of, chunk / K, chunk % K);
}

uint32_t ordo_stage_groups(
	const struct ordo_resolved_request *request, const struct ordo_stage *stage)
{
	const struct ordo_hierarchy *hierarchy = request->prepared;
	return hierarchy->levels.nrank / hierarchy->levels.at[stage->level].size;
}

uint32_t ordo_stage_group(
	const struct ordo_resolved_request *request, const struct ordo_stage *stage, uint32_t g)
{
	const struct ordo_hierarchy *hierarchy = request->prepared;
	const struct ordo_levels *levels = &hierarchy->levels;
	const uint32_t group =
		ordo_levels_nth(levels, ordo_levels_all(levels) & ~(1u << stage->level), g);
	const bool takes_part = ordo_levels_keep(levels, stage->at_root, group) ==
				ordo_levels_keep(levels, stage->at_root, request->problem.root);
	return takes_part ? group : ORDO_NONE;
}

struct ordo_problem ordo_stage_problem(
	const struct ordo_resolved_request *request, const struct ordo_stage *stage)
{
	const struct ordo_hierarchy *hierarchy = request->prepared;
	const struct ordo_levels *levels = &hierarchy->levels;
	struct ordo_problem problem = stage->request.problem;
	uint32_t K = request->problem.chunks_per_block;
	if (!hierarchy->cut)
		K *= ordo_levels_count(levels, stage->free);
	for (uint32_t l = 0; hierarchy->cut && l + 1 < levels->count && l <= stage->level; l++)
		K = K / levels->at[l].size + (K % levels->at[l].size > 0);
	problem.chunks_per_block = K;
	return problem;
}

/* The outer builder checks its places and links. */
bool ordo_stage_sequence(const struct ordo_resolved_request *request,
	const struct ordo_stage *stage, struct ordo_sequence *sequence, struct ordo_error *error)
{
	struct ordo_resolved_request group = stage->request;
	group.problem = ordo_stage_problem(request, stage);
	group.topology = NULL;
	return ordo_problem_check(&group.problem, error) && ordo_build(&group, sequence, error) &&
	       ordo_merge(sequence, error);
}

static const char *level_name(const struct play *play, struct ordo_arena *arena)
{
	static const char *const names[] = {"intra-server", "inter-server", "inter-pod"};
	const uint32_t number = play->hierarchy->levels.at[play->stage->level].number;
	return number < sizeof names / sizeof *names ? names[number]
						     : ordo_arena_format(arena, "level %u", number);
}

/* `intra-server to` for `to`. */
static const char **name_streams(const struct play *play, struct ordo_arena *arena)
{
	const struct ordo_labels *labels = &play->sequence.stream_labels;
	const char **names = ordo_arena_alloc(arena, ((size_t)labels->count + 1) * sizeof *names);
	const char *level = level_name(play, arena);
	for (uint32_t i = 0; names && i < labels->count; i++)
		if (!level || !(names[i] = ordo_arena_format(
					arena, "%s %s", level, labels->items[i].name)))
			return NULL;
	return names;
}

/* `intra-server reduce-scatter: local reduce` for `local reduce`: with the operator, as a level may
 * have two. A phase called as the operator needs no second name. */
static const char **name_phases(const struct play *play, struct ordo_arena *arena)
{
	static const char *const operators[ORDO_NOPERATOR] = {
		[ORDO_ALLREDUCE] = "all-reduce",
		[ORDO_REDUCE] = "reduce",
		[ORDO_BROADCAST] = "broadcast",
		[ORDO_REDUCESCATTER] = "reduce-scatter",
		[ORDO_ALLGATHER] = "all-gather",
		[ORDO_SCATTER] = "scatter",
		[ORDO_GATHER] = "gather",
		[ORDO_ALLTOALL] = "all-to-all",
	};
	const struct ordo_labels *labels = &play->sequence.phases;
	const char **names = ordo_arena_alloc(arena, ((size_t)labels->count + 1) * sizeof *names);
	const char *level = level_name(play, arena), *op = operators[play->stage->op];
	for (uint32_t i = 0; names && i < labels->count; i++) {
		const char *name = labels->items[i].name;
		const bool same = !strcmp(name, op);
		if (!level || !(names[i] = ordo_arena_format(arena, "%s %s%s%s", level, op,
					same ? "" : ": ", same ? "" : name)))
			return NULL;
	}
	return names;
}

static void play_groups(struct play *play)
{
	const uint32_t ngroup = ordo_stage_groups(play->request, play->stage);
	play->scratch = ordo_scratch(play->b, play->sequence.scratch_slots);
	for (uint32_t g = 0; g < ngroup && !ordo_builder_failed(play->b); g++) {
		play->group = ordo_stage_group(play->request, play->stage, g);
		if (play->group == ORDO_NONE)
			continue;
		ordo_stage_chunks(play->request, play->stage, &play->sequence.problem, play->group,
			play->chunks);
		play_group(play);
	}
}

static void play_stage(struct play *play)
{
	struct ordo_arena arena = {0};
	struct ordo_error error = {0};
	if (ordo_stage_sequence(play->request, play->stage, &play->sequence, &error)) {
		play->chunks = malloc(
			((size_t)ordo_nchunk(&play->sequence.problem) + 1) * sizeof *play->chunks);
		play->streams = name_streams(play, &arena);
		play->phases = name_phases(play, &arena);
		if (play->chunks && play->streams && play->phases)
			play_groups(play);
		else
			ordo_builder_fail_memory(play->b);
		free(play->chunks);
	} else if (error.code == ORDO_ENVIRONMENT) {
		ordo_builder_fail_memory(play->b);
	} else {
		ordo_builder_fail(play->b, "level %u: %s",
			play->hierarchy->levels.at[play->stage->level].number, error.text);
	}
	ordo_sequence_free(&play->sequence);
	ordo_arena_free(&arena);
}

void ordo_hierarchy_build(struct ordo_builder *b, const struct ordo_resolved_request *request)
{
	const struct ordo_hierarchy *hierarchy = request->prepared;
	const struct ordo_problem *problem = &request->problem;
	uint32_t bank = 0;
	if (problem->op == ORDO_BROADCAST) {
		ordo_stream(b, "copy", ORDO_NONE);
		ordo_phase(b, "copy in", ORDO_NONE);
		ordo_contribute(b, problem->root, 0, problem->chunks_per_block);
	}
	for (uint32_t t = 0; t < hierarchy->nstage && !ordo_builder_failed(b); t++) {
		struct play play = {
			.b = b,
			.request = request,
			.hierarchy = hierarchy,
			.stage = &hierarchy->stages[t],
			.from_bank = bank,
		};
		if (problem->op == ORDO_ALLTOALL && t + 1 < hierarchy->nstage)
			bank = ordo_scratch(b, problem->nrank * problem->chunks_per_block);
		play.to_bank = bank;
		play_stage(&play);
	}
}
