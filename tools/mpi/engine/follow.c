/* follow.c - reductions as a document of `plans=FOLDER` says. */
#include "folder.h"
#include "reduction.h"
#include <stdio.h>
#include <stdlib.h>

struct mpi_range *ordo_mpi_call_range(
	const struct ordo_mpi_call *call, const struct mpi_elements *elements, int nrank)
{
	static const enum ordo_operator operators[] = {
		ORDO_ALLREDUCE, ORDO_REDUCE, ORDO_REDUCESCATTER, ORDO_REDUCESCATTER};
	if (!ordo_mpi_folder_is_used())
		return NULL;
	return ordo_mpi_folder_find(operators[call->operation], (uint32_t)nrank,
		call->operation == ORDO_MPI_REDUCE ? (uint32_t)call->root : 0, (uint32_t)nrank,
		(uint64_t)ordo_mpi_length(call, nrank) * elements->size,
		elements->is_ours ? &elements->type : NULL);
}

/* The plan of this rank; the first time all ranks agree that each has one. */
static const struct mpi_plan *find_plan(struct mpi_state *state, struct mpi_range *range, int *code)
{
	struct ordo_error error = {0};
	*code = MPI_SUCCESS;
	for (const struct mpi_followed *one = state->followed; one; one = one->next)
		if (one->range == range)
			return one->plan;
	struct mpi_plan *own = NULL;
	const bool is_shared = state->nrank > ordo_mpi_most_alone;
	if (is_shared)
		own = ordo_mpi_range_share(range, (uint32_t)state->rank, state->comm, &error);
	const struct mpi_plan *plan =
		is_shared ? own : ordo_mpi_range_plan(range, (uint32_t)state->rank, &error);
	struct mpi_followed *one = malloc(sizeof *one);
	if (!plan)
		fprintf(stderr, "ordo: rank %d: %s\n", state->rank, error.text);
	*code = ordo_mpi_agree(state->comm, plan && one ? MPI_SUCCESS : MPI_ERR_OTHER);
	if (*code != MPI_SUCCESS) {
		ordo_mpi_plan_destroy(own);
		free(one);
		return NULL;
	}
	*one = (struct mpi_followed){range, plan, own, state->followed};
	state->followed = one;
	return plan;
}

struct copies {
	const struct mpi_reduction *reduction;
	const struct mpi_plan *plan;
	uint64_t n; /* elements of a rank's input */
	bool in_place;
	void *copy; /* memory for a copy of the input; NULL: this rank needs none */
};

/* AllReduce, and Reduce: output is NULL but on its root. */
static bool needs_copy(const struct copies *copies, const void *output)
{
	const struct ordo_mpi_call *call = copies->reduction->call;
	const bool is_given_in_place = call->send == MPI_IN_PLACE;
	if (call->operation != ORDO_MPI_ALLREDUCE && call->operation != ORDO_MPI_REDUCE)
		return copies->in_place || is_given_in_place;
	return copies->in_place != is_given_in_place && (!copies->in_place || !output);
}

/* Runs on a copy of the input, in place or not. first: the element where the output begins in
 * place; nout: its elements. */
static int run_on_copy(
	const struct copies *copies, const void *input, uint64_t first, uint64_t nout, void *output)
{
	const struct mpi_reduction *reduction = copies->reduction;
	const struct mpi_elements *elements = &reduction->elements;
	ordo_mpi_reduction_copy(reduction, copies->copy, input, copies->n);
	char *result = copies->in_place ? (char *)copies->copy + first * elements->extent : output;
	const int code = ordo_mpi_reduction_run(reduction, copies->plan, copies->copy, result);
	if (code == MPI_SUCCESS && copies->in_place && output)
		ordo_mpi_reduction_copy(reduction, output, result, nout);
	return code;
}

static int reduce(const struct copies *copies, void *output)
{
	const struct ordo_mpi_call *call = copies->reduction->call;
	const bool is_given_in_place = call->send == MPI_IN_PLACE;
	const void *input = is_given_in_place ? call->receive : call->send;
	if (copies->copy)
		return run_on_copy(copies, input, 0, copies->n, output);
	if (copies->in_place && !is_given_in_place)
		ordo_mpi_reduction_copy(copies->reduction, output, input, copies->n);
	return ordo_mpi_reduction_run(
		copies->reduction, copies->plan, copies->in_place ? output : input, output);
}

static int scatter(const struct copies *copies)
{
	const struct ordo_mpi_call *call = copies->reduction->call;
	const int rank = copies->reduction->state->rank;
	if (copies->copy)
		return run_on_copy(copies, call->send == MPI_IN_PLACE ? call->receive : call->send,
			(uint64_t)ordo_mpi_blocks(call, rank), (uint64_t)ordo_mpi_block(call, rank),
			call->receive);
	return ordo_mpi_reduction_run(copies->reduction, copies->plan, call->send, call->receive);
}

int ordo_mpi_reduction_follow(const struct mpi_reduction *reduction, struct mpi_range *range)
{
	const struct ordo_mpi_call *call = reduction->call;
	struct mpi_state *state = reduction->state;
	const bool is_reduce = call->operation == ORDO_MPI_REDUCE;
	void *output = is_reduce && state->rank != call->root ? NULL : call->receive;
	struct mpi_scratch scratch;
	int code;
	const struct mpi_plan *plan = find_plan(state, range, &code);
	if (!plan)
		return code;
	if (plan->trees.nstep && ordo_mpi_reduction_share(reduction, &plan->trees, &code))
		return code;
	struct copies copies = {.reduction = reduction,
		.plan = plan,
		.n = (uint64_t)ordo_mpi_length(call, state->nrank),
		.in_place = ordo_mpi_range_problem(range)->in_place};
	const bool needs = needs_copy(&copies, output);
	code = ordo_mpi_state_scratch(
		state, &reduction->elements, copies.n, needs ? copies.n : 0, &scratch);
	copies.copy = needs ? scratch.at : NULL;
	if (code == MPI_SUCCESS)
		code = is_reduce || call->operation == ORDO_MPI_ALLREDUCE ? reduce(&copies, output)
									  : scatter(&copies);
	free(scratch.memory);
	return code;
}
