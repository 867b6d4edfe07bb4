/* follow.c - reductions as a document of `plans=FOLDER` says. */
#include "folder.h"
#include "reduction.h"
#include <stdio.h>
#include <stdlib.h>

static uint64_t all_elements(const struct ordo_mpi_call *call, int nrank)
{
	MPI_Count sum = call->counts ? 0 : call->count;
	for (int r = 0; call->counts && r < nrank; r++)
		sum += call->counts[r];
	if (call->operation == ORDO_MPI_REDUCE_SCATTER_BLOCK)
		sum *= nrank;
	return (uint64_t)sum;
}

struct mpi_range *ordo_mpi_call_range(
	const struct ordo_mpi_call *call, const struct mpi_elements *elements, int nrank)
{
	static const enum ordo_operator operators[] = {
		ORDO_ALLREDUCE, ORDO_REDUCE, ORDO_REDUCESCATTER, ORDO_REDUCESCATTER};
	if (!ordo_mpi_folder_is_used())
		return NULL;
	return ordo_mpi_folder_find(operators[call->operation], (uint32_t)nrank,
		call->operation == ORDO_MPI_REDUCE ? (uint32_t)call->root : 0, (uint32_t)nrank,
		all_elements(call, nrank) * elements->extent);
}

/* The plan of this rank; the first time all ranks agree that each has one. */
static const struct mpi_plan *find_plan(struct mpi_state *state, struct mpi_range *range, int *code)
{
	struct ordo_error error = {0};
	*code = MPI_SUCCESS;
	for (const struct mpi_followed *one = state->followed; one; one = one->next)
		if (one->range == range)
			return one->plan;
	const struct mpi_plan *plan = ordo_mpi_range_plan(range, (uint32_t)state->rank, &error);
	struct mpi_followed *one = malloc(sizeof *one);
	int has = plan && one, all = 0;
	if (!plan)
		fprintf(stderr, "ordo: rank %d: %s\n", state->rank, error.text);
	*code = PMPI_Allreduce(&has, &all, 1, MPI_INT, MPI_MIN, state->comm);
	if (*code == MPI_SUCCESS && !all)
		*code = MPI_ERR_OTHER;
	if (*code != MPI_SUCCESS) {
		free(one);
		return NULL;
	}
	*one = (struct mpi_followed){range, plan, state->followed};
	state->followed = one;
	return plan;
}

struct copies {
	const struct mpi_reduction *reduction;
	const struct mpi_plan *plan;
	uint64_t n; /* elements of a rank's input */
	bool in_place;
};

/* Runs on a copy of the input, in place or not. first: the element where the output begins in
 * place; nout: its elements. */
static int run_on_copy(
	const struct copies *copies, const void *input, uint64_t first, uint64_t nout, void *output)
{
	const struct mpi_reduction *reduction = copies->reduction;
	const struct mpi_elements *elements = &reduction->elements;
	const MPI_Count *counts = reduction->call->counts;
	void *memory, *copy = ordo_mpi_elements_allocate(elements, copies->n, &memory);
	if (!copy)
		return MPI_ERR_NO_MEM;
	int code = ordo_mpi_elements_copy(elements, copy, input, copies->n);
	char *result = copies->in_place ? (char *)copy + first * elements->extent : output;
	if (code == MPI_SUCCESS)
		code = ordo_mpi_reduction_run(reduction, copies->plan, counts, copy, result);
	if (code == MPI_SUCCESS && copies->in_place && output)
		code = ordo_mpi_elements_copy(elements, output, result, nout);
	free(memory);
	return code;
}

/* AllReduce, and Reduce: output is NULL but on its root. */
static int reduce(const struct copies *copies, void *output)
{
	const struct ordo_mpi_call *call = copies->reduction->call;
	const struct mpi_elements *elements = &copies->reduction->elements;
	const bool is_given_in_place = call->send == MPI_IN_PLACE;
	const void *input = is_given_in_place ? call->receive : call->send;
	int code = MPI_SUCCESS;
	if (copies->in_place != is_given_in_place && (!copies->in_place || !output))
		return run_on_copy(copies, input, 0, copies->n, output);
	if (copies->in_place && !is_given_in_place)
		code = ordo_mpi_elements_copy(elements, output, input, copies->n);
	return code == MPI_SUCCESS ? ordo_mpi_reduction_run(copies->reduction, copies->plan, NULL,
					     copies->in_place ? output : input, output)
				   : code;
}

static int scatter(const struct copies *copies)
{
	const struct ordo_mpi_call *call = copies->reduction->call;
	const int rank = copies->reduction->state->rank;
	MPI_Count first = call->counts ? 0 : call->count * rank;
	const MPI_Count own = call->counts ? call->counts[rank] : call->count;
	for (int r = 0; call->counts && r < rank; r++)
		first += call->counts[r];
	if (copies->in_place || call->send == MPI_IN_PLACE)
		return run_on_copy(copies, call->send == MPI_IN_PLACE ? call->receive : call->send,
			(uint64_t)first, (uint64_t)own, call->receive);
	return ordo_mpi_reduction_run(
		copies->reduction, copies->plan, call->counts, call->send, call->receive);
}

int ordo_mpi_reduction_follow(const struct mpi_reduction *reduction, struct mpi_range *range)
{
	const struct ordo_mpi_call *call = reduction->call;
	struct mpi_state *state = reduction->state;
	int code;
	const struct mpi_plan *plan = find_plan(state, range, &code);
	if (!plan)
		return code;
	if (plan->trees.nstep && ordo_mpi_reduction_share(reduction, &plan->trees, &code))
		return code;
	const struct copies copies = {.reduction = reduction,
		.plan = plan,
		.n = all_elements(call, state->nrank),
		.in_place = ordo_mpi_range_problem(range)->in_place};
	if (call->operation == ORDO_MPI_ALLREDUCE)
		return reduce(&copies, call->receive);
	if (call->operation == ORDO_MPI_REDUCE)
		return reduce(&copies, state->rank == call->root ? call->receive : NULL);
	return scatter(&copies);
}
