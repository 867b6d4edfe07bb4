/* hierarchy_claims.c - steps and volume of a hierarchy, counted along its stages.
 *
 * Of what lies where in the whole schedule it knows nothing: a stage takes chunks from the members
 * of a group to its members, as the group's own schedule does, and what one stage leaves with a
 * rank is what the next finds there.
 */
#include "hierarchy.h"
#include <stdlib.h>

/* How far the chunks have come. */
struct course {
	const struct ordo_resolved_request *request;
	/* [place] cross-rank moves in a row that made what a rank has of a chunk */
	uint16_t *depth;
	bool *there;	/* [place] has the rank anything of it? */
	uint64_t *sent; /* [nrank] chunks */
	uint64_t longest;
};

/* One group of one stage. */
struct leg {
	struct course *course;
	const struct ordo_sequence *sequence;
	struct ordo_cells cells;
	uint16_t *depth;  /* [cell] */
	uint32_t *chunks; /* [chunks of the group's problem] */
	uint32_t group, stride;
};

/* AllToAll: a chunk is with one rank at a time. */
static size_t place_of(const struct course *course, uint32_t rank, uint32_t chunk)
{
	const struct ordo_problem *problem = &course->request->problem;
	return problem->op == ORDO_ALLTOALL ? chunk : (size_t)rank * ordo_nchunk(problem) + chunk;
}

static bool begin(struct course *course, const struct ordo_resolved_request *request)
{
	const struct ordo_problem *problem = &request->problem;
	const size_t nplace =
		(problem->op == ORDO_ALLTOALL ? 1 : (size_t)problem->nrank) * ordo_nchunk(problem);
	*course = (struct course){.request = request,
		.depth = calloc(nplace + 1, sizeof *course->depth),
		.there = calloc(nplace + 1, sizeof *course->there),
		.sent = calloc(problem->nrank, sizeof *course->sent)};
	if (!course->depth || !course->there || !course->sent)
		return false;
	for (uint32_t rank = 0; problem->op != ORDO_ALLTOALL && rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_input_slots(problem, rank); slot++)
			course->there[place_of(
				course, rank, ordo_input_chunk(problem, rank, slot))] = true;
	return true;
}

static void end(struct course *course)
{
	free(course->depth);
	free(course->there);
	free(course->sent);
}

static uint32_t rank_of(const struct leg *leg, uint32_t member)
{
	return leg->group + member * leg->stride;
}

static void load(const struct leg *leg, uint32_t member)
{
	const struct ordo_problem *problem = &leg->sequence->problem;
	for (uint32_t slot = 0; slot < ordo_input_slots(problem, member); slot++) {
		const uint32_t whole = leg->chunks[ordo_input_chunk(problem, member, slot)];
		if (whole != ORDO_NONE)
			leg->depth[ordo_cell(&leg->cells, member, ORDO_INPUT, slot)] =
				leg->course
					->depth[place_of(leg->course, rank_of(leg, member), whole)];
	}
}

static void store(const struct leg *leg, uint32_t member)
{
	const struct ordo_problem *problem = &leg->sequence->problem;
	for (uint32_t slot = 0; slot < ordo_output_slots(problem, member); slot++) {
		const uint32_t whole = leg->chunks[ordo_output_chunk(problem, member, slot)];
		if (whole == ORDO_NONE)
			continue;
		const size_t place = place_of(leg->course, rank_of(leg, member), whole);
		leg->course->depth[place] =
			leg->depth[ordo_cell(&leg->cells, member, ORDO_OUTPUT, slot)];
		leg->course->there[place] = true;
	}
}

/* Who has scattered what is broadcast has it already when it is gathered again, and is not sent
 * it. */
static bool has_already(const struct leg *leg, uint32_t member, uint32_t buffer, uint32_t whole)
{
	return leg->course->request->problem.op == ORDO_BROADCAST && buffer == ORDO_OUTPUT &&
	       leg->course->there[place_of(leg->course, rank_of(leg, member), whole)];
}

static void take(const struct leg *leg, const struct ordo_move *move, uint32_t i)
{
	struct course *course = leg->course;
	const uint32_t whole = leg->chunks[move->chunk + i];
	const bool crosses = move->rank != move->peer;
	if (whole == ORDO_NONE)
		return;
	uint16_t *to =
		&leg->depth[ordo_cell(&leg->cells, move->peer, move->dst_buffer, move->dst + i)];
	if (has_already(leg, move->peer, move->dst_buffer, whole)) {
		*to = course->depth[place_of(course, rank_of(leg, move->peer), whole)];
		return;
	}
	const uint16_t brought = (uint16_t)(leg->depth[ordo_cell(&leg->cells, move->rank,
						    move->src_buffer, move->src + i)] +
					    crosses);
	*to = move->reduces && *to > brought ? *to : brought;
	course->longest = *to > course->longest ? *to : course->longest;
	course->sent[rank_of(leg, move->rank)] += crosses;
}

static void go_through_group(const struct leg *leg)
{
	const uint32_t nmember = leg->sequence->problem.nrank;
	for (uint32_t member = 0; member < nmember; member++)
		load(leg, member);
	for (uint32_t id = 0; id < leg->sequence->nmove; id++)
		for (uint32_t i = 0; i < leg->sequence->moves[id].count; i++)
			take(leg, &leg->sequence->moves[id], i);
	for (uint32_t member = 0; member < nmember; member++)
		store(leg, member);
}

static bool go_through_stage(struct course *course, const struct ordo_stage *stage)
{
	const struct ordo_hierarchy *hierarchy = course->request->prepared;
	struct ordo_sequence sequence = {0};
	struct leg leg = {.course = course,
		.sequence = &sequence,
		.stride = hierarchy->levels.at[stage->level].stride};
	bool worked = ordo_stage_sequence(course->request, stage, &sequence, NULL) &&
		      ordo_cells_make(&leg.cells, &sequence.problem, sequence.scratch_slots, NULL);
	leg.depth = worked ? calloc((size_t)leg.cells.count + 1, sizeof *leg.depth) : NULL;
	leg.chunks =
		worked ? malloc(((size_t)ordo_nchunk(&sequence.problem) + 1) * sizeof *leg.chunks)
		       : NULL;
	worked = leg.depth && leg.chunks;
	for (uint32_t g = 0; worked && g < ordo_stage_groups(course->request, stage); g++) {
		leg.group = ordo_stage_group(course->request, stage, g);
		if (leg.group == ORDO_NONE)
			continue;
		ordo_stage_chunks(course->request, stage, &sequence.problem, leg.group, leg.chunks);
		go_through_group(&leg);
	}
	free(leg.depth);
	free(leg.chunks);
	ordo_cells_free(&leg.cells);
	ordo_sequence_free(&sequence);
	return worked;
}

static bool go(struct course *course, const struct ordo_resolved_request *request)
{
	const struct ordo_hierarchy *hierarchy = request->prepared;
	bool worked = begin(course, request);
	for (uint32_t i = 0; worked && i < hierarchy->nstage; i++)
		worked = go_through_stage(course, &hierarchy->stages[i]);
	return worked;
}

uint64_t ordo_hierarchy_steps(const struct ordo_resolved_request *request)
{
	struct course course;
	const uint64_t steps = go(&course, request) ? course.longest : ORDO_UNCOUNTED;
	end(&course);
	return steps;
}

uint64_t ordo_hierarchy_volume(const struct ordo_resolved_request *request)
{
	struct course course;
	uint64_t most = 0;
	const bool worked = go(&course, request);
	for (uint32_t rank = 0; worked && rank < request->problem.nrank; rank++)
		most = course.sent[rank] > most ? course.sent[rank] : most;
	end(&course);
	return worked ? most : ORDO_UNCOUNTED;
}
