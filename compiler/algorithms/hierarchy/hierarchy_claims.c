/* hierarchy_claims.c - counts the steps and the volume of a hierarchy, stage by stage.
 *
 * It does not track slots of the whole schedule: a stage moves chunks between the members of a
 * group, as the group's own schedule does, and the next stage continues with what each rank holds.
 */
#include "hierarchy.h"
#include <stdlib.h>

/* The counts so far. */
struct tally {
	const struct ordo_resolved_request *request;
	/* [place] length of the chain of cross-rank moves that made a rank's value of a chunk */
	uint16_t *depth;
	bool *there;	/* [place] the rank holds a value of the chunk */
	uint64_t *sent; /* [nrank] chunks sent */
	uint64_t longest;
};

/* The counts of one group in one stage. */
struct group_tally {
	struct tally *tally;
	const struct ordo_sequence *sequence;
	struct ordo_cells cells;
	uint16_t *depth;  /* [cell] */
	uint32_t *chunks; /* [chunks of the group's problem] */
	uint32_t first, stride;
};

/* The index of a rank's value of a chunk. In an AllToAll only one rank at a time holds a chunk. */
static size_t place_of(const struct tally *tally, uint32_t rank, uint32_t chunk)
{
	const struct ordo_problem *problem = &tally->request->problem;
	return problem->op == ORDO_ALLTOALL ? chunk : (size_t)rank * ordo_nchunk(problem) + chunk;
}

static bool begin(struct tally *tally, const struct ordo_resolved_request *request)
{
	const struct ordo_problem *problem = &request->problem;
	const size_t nplace =
		(problem->op == ORDO_ALLTOALL ? 1 : (size_t)problem->nrank) * ordo_nchunk(problem);
	*tally = (struct tally){.request = request,
		.depth = calloc(nplace + 1, sizeof *tally->depth),
		.there = calloc(nplace + 1, sizeof *tally->there),
		.sent = calloc(problem->nrank, sizeof *tally->sent)};
	if (!tally->depth || !tally->there || !tally->sent)
		return false;
	for (uint32_t rank = 0; problem->op != ORDO_ALLTOALL && rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++)
			tally->there[place_of(tally, rank, ordo_input_chunk(problem, rank, slot))] =
				true;
	return true;
}

static void end(struct tally *tally)
{
	free(tally->depth);
	free(tally->there);
	free(tally->sent);
}

static uint32_t rank_of(const struct group_tally *group, uint32_t member)
{
	return group->first + member * group->stride;
}

static void load(const struct group_tally *group, uint32_t member)
{
	const struct ordo_problem *problem = &group->sequence->problem;
	for (uint32_t slot = 0; slot < ordo_input_slots(problem, member); slot++) {
		const uint32_t whole = group->chunks[ordo_input_chunk(problem, member, slot)];
		if (whole != ORDO_NONE)
			group->depth[ordo_cell(&group->cells, member, ORDO_INPUT, slot)] =
				group->tally->depth[place_of(
					group->tally, rank_of(group, member), whole)];
	}
}

static void store(const struct group_tally *group, uint32_t member)
{
	const struct ordo_problem *problem = &group->sequence->problem;
	for (uint32_t slot = 0; slot < ordo_output_slots(problem, member); slot++) {
		const uint32_t whole = group->chunks[ordo_output_chunk(problem, member, slot)];
		if (whole == ORDO_NONE)
			continue;
		const size_t place = place_of(group->tally, rank_of(group, member), whole);
		group->tally->depth[place] =
			group->depth[ordo_cell(&group->cells, member, ORDO_OUTPUT, slot)];
		group->tally->there[place] = true;
	}
}

/* In a Broadcast by scatter and gather, the rank that scattered a chunk holds it already, and is
 * not sent it again. */
static bool has_already(
	const struct group_tally *group, uint32_t member, uint32_t buffer, uint32_t whole)
{
	return group->tally->request->problem.op == ORDO_BROADCAST && buffer == ORDO_OUTPUT &&
	       group->tally->there[place_of(group->tally, rank_of(group, member), whole)];
}

static void add_move(const struct group_tally *group, const struct ordo_move *move, uint32_t i)
{
	struct tally *tally = group->tally;
	const uint32_t whole = group->chunks[move->chunk + i];
	const bool crosses = move->rank != move->peer;
	if (whole == ORDO_NONE)
		return;
	uint16_t *to = &group->depth[ordo_cell(
		&group->cells, move->peer, move->dst_buffer, move->dst + i)];
	if (has_already(group, move->peer, move->dst_buffer, whole)) {
		*to = tally->depth[place_of(tally, rank_of(group, move->peer), whole)];
		return;
	}
	const uint16_t brought = (uint16_t)(group->depth[ordo_cell(&group->cells, move->rank,
						    move->src_buffer, move->src + i)] +
					    crosses);
	*to = move->reduces && *to > brought ? *to : brought;
	tally->longest = *to > tally->longest ? *to : tally->longest;
	tally->sent[rank_of(group, move->rank)] += crosses;
}

static void count_group(const struct group_tally *group)
{
	const uint32_t nmember = group->sequence->problem.nrank;
	for (uint32_t member = 0; member < nmember; member++)
		load(group, member);
	for (uint32_t id = 0; id < group->sequence->nmove; id++)
		for (uint32_t i = 0; i < group->sequence->moves[id].count; i++)
			add_move(group, &group->sequence->moves[id], i);
	for (uint32_t member = 0; member < nmember; member++)
		store(group, member);
}

static bool count_stage(struct tally *tally, const struct ordo_stage *stage)
{
	const struct ordo_hierarchy *hierarchy = tally->request->prepared;
	struct ordo_sequence sequence = {0};
	struct group_tally group = {.tally = tally,
		.sequence = &sequence,
		.stride = hierarchy->levels.at[stage->level].stride};
	bool worked =
		ordo_stage_sequence(tally->request, stage, &sequence, NULL) &&
		ordo_cells_make(&group.cells, &sequence.problem, sequence.scratch_slots, NULL);
	group.depth = worked ? calloc((size_t)group.cells.count + 1, sizeof *group.depth) : NULL;
	group.chunks =
		worked ? malloc(((size_t)ordo_nchunk(&sequence.problem) + 1) * sizeof *group.chunks)
		       : NULL;
	worked = group.depth && group.chunks;
	for (uint32_t g = 0; worked && g < ordo_stage_groups(tally->request, stage); g++) {
		group.first = ordo_stage_group(tally->request, stage, g);
		if (group.first == ORDO_NONE)
			continue;
		ordo_stage_chunks(
			tally->request, stage, &sequence.problem, group.first, group.chunks);
		count_group(&group);
	}
	free(group.depth);
	free(group.chunks);
	ordo_cells_free(&group.cells);
	ordo_sequence_free(&sequence);
	return worked;
}

static bool count_all(struct tally *tally, const struct ordo_resolved_request *request)
{
	const struct ordo_hierarchy *hierarchy = request->prepared;
	bool worked = begin(tally, request);
	for (uint32_t i = 0; worked && i < hierarchy->nstage; i++)
		worked = count_stage(tally, &hierarchy->stages[i]);
	return worked;
}

uint64_t ordo_hierarchy_steps(const struct ordo_resolved_request *request)
{
	struct tally tally;
	const uint64_t steps = count_all(&tally, request) ? tally.longest : ORDO_UNCOUNTED;
	end(&tally);
	return steps;
}

uint64_t ordo_hierarchy_volume(const struct ordo_resolved_request *request)
{
	struct tally tally;
	uint64_t most = 0;
	const bool worked = count_all(&tally, request);
	for (uint32_t rank = 0; worked && rank < request->problem.nrank; rank++)
		most = tally.sent[rank] > most ? tally.sent[rank] : most;
	end(&tally);
	return worked ? most : ORDO_UNCOUNTED;
}
