/* reduce.c - reductions of a program, by the parts of proved schedules. */
#include "folder.h"
#include "reduction.h"
#include "world/world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* From this size on the few bytes of a schedule matter more than its few messages. */
#define LONG_BYTES (UINT64_C(32) << 10)
/* Elements of one message from rank 0 to another root. */
#define MOST (UINT64_C(1) << 28)
/* Bytes of an element that many of fit a tile. */
#define MOST_WINDOW_EXTENT 256

void ordo_mpi_reduction_lost(const struct mpi_reduction *reduction, int code)
{
	const struct timespec moment = {0, 300000000}; /* launchers drop text if they are quicker */
	char text[MPI_MAX_ERROR_STRING];
	int length = 0;
	if (PMPI_Error_string(code, text, &length) != MPI_SUCCESS)
		length = 0;
	fprintf(stderr,
		"ordo: rank %d of %d could not copy or reduce elements of its type (%.*s), and the "
		"others wait for it: the program ends\n",
		reduction->state->rank, reduction->state->nrank, length, text);
	nanosleep(&moment, NULL);
	ordo_mpi_world_abort(1);
	abort();
}

void ordo_mpi_reduction_copy(
	const struct mpi_reduction *reduction, void *dst, const void *src, uint64_t n)
{
	const int code = ordo_mpi_elements_copy(&reduction->elements, dst, src, n);
	if (code != MPI_SUCCESS)
		ordo_mpi_reduction_lost(reduction, code);
}

int ordo_mpi_reduction_run(const struct mpi_reduction *reduction, const struct mpi_plan *plan,
	const void *input, void *output)
{
	const struct mpi_elements *elements = &reduction->elements;
	const struct mpi_bound wanted = {.plan = plan,
		.type = elements->type,
		.reduction = ORDO_SUM,
		.opaque = elements->is_ours ? (struct ordo_opaque){0}
					    : (struct ordo_opaque){elements->size, elements->extent,
						      elements->reach, elements->margin},
		.count = (uint64_t)reduction->call->count * elements->per_element,
		.alignment = elements->per_element};
	int code;
	struct mpi_bound *bound = ordo_mpi_state_bind(
		reduction->state, &wanted, reduction->call, elements->may_differ, &code);
	if (!bound)
		return code;
	ordo_mpi_messenger_set(&bound->messenger, elements);
	union {
		const void *given;
		void *taken;
	} in = {input};
	if (ordo_bound_part_run(bound->part, in.taken, output, &bound->messenger.calls, NULL))
		return MPI_SUCCESS;
	if (bound->messenger.is_lost)
		ordo_mpi_reduction_lost(reduction, bound->messenger.code);
	return bound->messenger.code != MPI_SUCCESS ? bound->messenger.code : MPI_ERR_OTHER;
}

/* Runs a form of the order. */
static int run(const struct mpi_reduction *reduction, enum ordo_mpi_form form, const void *input,
	void *output)
{
	int code;
	const struct mpi_plan *plan = ordo_mpi_state_plan(reduction->state, form, &code);
	return plan ? ordo_mpi_reduction_run(reduction, plan, input, output) : code;
}

/* In place on all ranks: whether a rank passed MPI_IN_PLACE is its own business. */
static int allreduce(const struct mpi_reduction *reduction)
{
	const struct ordo_mpi_call *call = reduction->call;
	const struct mpi_elements *elements = &reduction->elements;
	const uint64_t n = (uint64_t)call->count;
	if (call->send != MPI_IN_PLACE)
		ordo_mpi_reduction_copy(reduction, call->receive, call->send, n);
	if (reduction->state->nrank == 1)
		return MPI_SUCCESS;
	return run(reduction,
		n * elements->size < LONG_BYTES ? ORDO_MPI_SHORT_ALLREDUCE
						: ORDO_MPI_LONG_ALLREDUCE,
		call->receive, call->receive);
}

/* The result goes on from rank 0 to the root. */
static int forward(const struct mpi_reduction *reduction, void *result)
{
	const struct ordo_mpi_call *call = reduction->call;
	const struct mpi_state *state = reduction->state;
	const uint64_t n = (uint64_t)call->count;
	int code = MPI_SUCCESS;
	for (uint64_t done = 0; code == MPI_SUCCESS && done < n; done += MOST) {
		const int part = (int)(n - done < MOST ? n - done : MOST);
		char *at = (char *)ordo_mpi_elements_given(&reduction->elements, result) +
			   done * reduction->elements.extent;
		if (!state->rank)
			code = PMPI_Send(at, part, call->datatype, call->root, 0, state->comm);
		else if (state->rank == call->root)
			code = PMPI_Recv(
				at, part, call->datatype, 0, 0, state->comm, MPI_STATUS_IGNORE);
	}
	return code;
}

/* To rank 0, whose order is the same for every root, and on to the root. */
static int reduce(const struct mpi_reduction *reduction)
{
	const struct ordo_mpi_call *call = reduction->call;
	const struct mpi_elements *elements = &reduction->elements;
	const int rank = reduction->state->rank;
	const bool is_root = rank == call->root, in_place = is_root && call->send == MPI_IN_PLACE;
	const uint64_t n = (uint64_t)call->count;
	const void *input = in_place ? call->receive : call->send;
	void *output = is_root ? call->receive : NULL;
	struct mpi_scratch scratch;
	if (reduction->state->nrank == 1) {
		if (!in_place)
			ordo_mpi_reduction_copy(reduction, output, call->send, n);
		return MPI_SUCCESS;
	}
	const bool needs_other = !rank && (!is_root || in_place);
	int code = ordo_mpi_state_scratch(
		reduction->state, elements, n, needs_other ? n : 0, &scratch);
	if (code == MPI_SUCCESS && needs_other) {
		if (is_root)
			ordo_mpi_reduction_copy(reduction, scratch.at, call->receive, n);
		input = is_root ? scratch.at : input;
		output = is_root ? output : scratch.at;
	}
	if (code == MPI_SUCCESS)
		code = run(reduction, ORDO_MPI_TO_ZERO, input, rank ? NULL : output);
	if (code == MPI_SUCCESS && call->root && (!rank || is_root))
		code = forward(reduction, output);
	free(scratch.memory);
	return code;
}

static int reduce_scatter(const struct mpi_reduction *reduction)
{
	const struct ordo_mpi_call *call = reduction->call;
	const struct mpi_elements *elements = &reduction->elements;
	struct mpi_state *state = reduction->state;
	const uint64_t own = (uint64_t)ordo_mpi_block(call, state->rank);
	const bool in_place = call->send == MPI_IN_PLACE;
	struct mpi_scratch scratch;
	if (state->nrank == 1) {
		if (!in_place)
			ordo_mpi_reduction_copy(reduction, call->receive, call->send, own);
		return MPI_SUCCESS;
	}
	int code = ordo_mpi_state_scratch(state, elements,
		(uint64_t)ordo_mpi_length(call, state->nrank), in_place ? own : 0, &scratch);
	void *output = in_place && own ? scratch.at : call->receive;
	if (code == MPI_SUCCESS)
		code = run(reduction, ORDO_MPI_SCATTERED, in_place ? call->receive : call->send,
			output);
	if (code == MPI_SUCCESS && in_place)
		ordo_mpi_reduction_copy(reduction, call->receive, output, own);
	free(scratch.memory);
	return code;
}

static bool fits_window(const struct mpi_elements *elements)
{
	return elements->is_packed && elements->extent <= MOST_WINDOW_EXTENT;
}

/* What the elements are like. Those of the program's operations may be others on each rank, which
 * agree. Returns an MPI error code. */
static int examine(struct mpi_reduction *reduction)
{
	struct mpi_elements *elements = &reduction->elements;
	const struct ordo_mpi_call *call = reduction->call;
	const int code = ordo_mpi_elements(elements, call->datatype, call->op);
	const bool fits = code == MPI_SUCCESS && fits_window(elements);
	const int bytes = fits ? (int)elements->extent : 0,
		  own[3] = {bytes, -bytes, code == MPI_SUCCESS};
	int all[3] = {0};
	reduction->fits = fits;
	if (!elements->may_differ)
		return code;
	const int found = PMPI_Allreduce(own, all, 3, MPI_INT, MPI_MIN, reduction->state->comm);
	reduction->fits = all[0] > 0 && all[0] == -all[1];
	if (code != MPI_SUCCESS || found != MPI_SUCCESS)
		return code != MPI_SUCCESS ? code : found;
	return all[2] ? MPI_SUCCESS : MPI_ERR_OTHER;
}

/* What ranks must pass alike: function, root, counts and the size of elements. */
static uint64_t hash_call(const struct mpi_reduction *reduction)
{
	const struct ordo_mpi_call *call = reduction->call;
	const uint64_t factor = UINT64_C(0x9E3779B97F4A7C15);
	uint64_t hash = ((uint64_t)call->count << 3 | (uint64_t)call->operation) * factor +
			((uint64_t)call->root << 32 | reduction->elements.extent);
	for (int r = 0; ordo_mpi_has_counts(call) && r < reduction->state->nrank; r++)
		hash = (hash ^ (uint64_t)ordo_mpi_block(call, r)) * factor;
	return hash;
}

bool ordo_mpi_reduction_share(
	const struct mpi_reduction *reduction, const struct mpi_trees *trees, int *code)
{
	const struct ordo_mpi_call *call = reduction->call;
	struct mpi_state *state = reduction->state;
	const bool in_place = call->send == MPI_IN_PLACE,
		   receives = call->operation != ORDO_MPI_REDUCE || state->rank == call->root;
	const struct mpi_window_call through = {.window = ordo_mpi_state_window(state),
		.trees = trees ? trees : state->trees,
		.elements = &reduction->elements,
		.call = hash_call(reduction),
		.input = in_place ? call->receive : call->send,
		.output = receives ? call->receive : NULL};
	if (!through.window || !reduction->fits ||
		!ordo_mpi_window_takes(through.window, through.call,
			(uint64_t)ordo_mpi_length(call, state->nrank) * reduction->elements.extent,
			code))
		return false;
	if (*code != MPI_SUCCESS)
		return true;
	if (call->operation == ORDO_MPI_ALLREDUCE || call->operation == ORDO_MPI_REDUCE) {
		*code = ordo_mpi_window_reduce(&through, (uint64_t)call->count);
		return true;
	}
	for (int r = 0; r < state->nrank; r++)
		state->counts[r] = (uint64_t)ordo_mpi_block(call, r);
	*code = ordo_mpi_window_scatter(&through, state->counts);
	return true;
}

/* Whether all ranks of a blocking call meet in the window, by what they all know. */
static bool meets_in_window(const struct mpi_state *state, const struct ordo_mpi_call *call)
{
	struct mpi_elements elements;
	return state->window && !call->nshard &&
	       ordo_mpi_elements(&elements, call->datatype, call->op) == MPI_SUCCESS &&
	       !elements.may_differ && fits_window(&elements) &&
	       !ordo_mpi_call_range(call, &elements, state->nrank) &&
	       ordo_mpi_window_is_used(state->window,
		       (uint64_t)ordo_mpi_length(call, state->nrank) * elements.extent);
}

/* ORDO_MPI_PASS_ON, on all ranks, if one `passes` because of its memory; they agree where that is
 * possible and the window does not show it. call: NULL: the window is not used. MPI_SUCCESS: go on.
 * Else an error. */
static int agree_on_memory(struct mpi_state *state, const struct ordo_mpi_call *call, bool passes)
{
	int code = ordo_mpi_state_devices(state);
	const int own = passes;
	int any = 0;
	if (code != MPI_SUCCESS || !state->has_devices || (call && meets_in_window(state, call)))
		return code;
	code = PMPI_Allreduce(&own, &any, 1, MPI_INT, MPI_MAX, state->comm);
	return code == MPI_SUCCESS && any ? ORDO_MPI_PASS_ON : code;
}

int ordo_mpi_pass_on(const struct ordo_mpi_call *call)
{
	int code;
	struct mpi_state *state = ordo_mpi_state(call->comm, &code);
	if (!state || !ordo_mpi_length(call, state->nrank))
		return state ? ORDO_MPI_PASS_ON : code;
	code = agree_on_memory(state, call, true);
	if (code != MPI_SUCCESS)
		return code;
	if (meets_in_window(state, call))
		ordo_mpi_window_pass_on(state->window);
	return ORDO_MPI_PASS_ON;
}

int ordo_mpi_prepare(const struct ordo_mpi_call *call, bool passes)
{
	int code;
	struct mpi_state *state = ordo_mpi_state(call->comm, &code);
	if (state)
		code = agree_on_memory(state, NULL, passes);
	return code == MPI_SUCCESS && passes ? ORDO_MPI_PASS_ON : code;
}

/* The call with our addresses. */
static struct ordo_mpi_call shift(
	const struct mpi_elements *elements, const struct ordo_mpi_call *call)
{
	struct ordo_mpi_call own = *call;
	if (call->send != MPI_IN_PLACE)
		own.send = ordo_mpi_elements_own(elements, call->send);
	own.receive = ordo_mpi_elements_own(elements, call->receive);
	return own;
}

int ordo_mpi_reduce(const struct ordo_mpi_call *call)
{
	struct mpi_reduction reduction = {.call = call};
	int code;
	if (!(reduction.state = ordo_mpi_state(call->comm, &code)))
		return code;
	if (!ordo_mpi_length(call, reduction.state->nrank))
		return MPI_SUCCESS;
	code = agree_on_memory(reduction.state, call, false);
	if (code == MPI_SUCCESS)
		code = examine(&reduction);
	if (code != MPI_SUCCESS)
		return code;
	const struct ordo_mpi_call shifted = shift(&reduction.elements, call);
	reduction.call = call = &shifted;
	if (call->nshard)
		return ordo_mpi_reduction_shards(&reduction);
	struct mpi_range *range =
		ordo_mpi_call_range(call, &reduction.elements, reduction.state->nrank);
	if (range)
		return ordo_mpi_reduction_follow(&reduction, range);
	if (ordo_mpi_reduction_share(&reduction, NULL, &code))
		return code;
	switch (call->operation) {
	case ORDO_MPI_ALLREDUCE:
		return allreduce(&reduction);
	case ORDO_MPI_REDUCE:
		return reduce(&reduction);
	case ORDO_MPI_REDUCE_SCATTER:
	case ORDO_MPI_REDUCE_SCATTER_BLOCK:
		break;
	}
	return reduce_scatter(&reduction);
}

int ordo_mpi_fold(const struct ordo_mpi_call *call, int rank, int nrank, const void *inputs,
	MPI_Count stride, MPI_Count n, void *out)
{
	struct mpi_elements elements;
	int code = ordo_mpi_elements(&elements, call->datatype, call->op);
	if (code != MPI_SUCCESS)
		return code;
	out = ordo_mpi_elements_own(&elements, out);
	const struct mpi_trees *trees = ordo_mpi_tree(ordo_mpi_wanted_order, (uint32_t)nrank, NULL);
	const void **at = malloc((size_t)nrank * sizeof *at);
	const struct mpi_arithmetic arithmetic = ordo_mpi_elements_arithmetic(&elements);
	for (int r = 0; at && r < nrank; r++)
		at[r] = (const char *)inputs + (uint64_t)r * (uint64_t)stride * elements.extent;
	struct mpi_range *range = ordo_mpi_call_range(call, &elements, nrank);
	const bool scatters = call->operation == ORDO_MPI_REDUCE_SCATTER ||
			      call->operation == ORDO_MPI_REDUCE_SCATTER_BLOCK;
	if (!at || !trees)
		code = MPI_ERR_NO_MEM;
	else if (range)
		code = ordo_mpi_range_fold(
			range, &arithmetic, scatters ? (uint32_t)rank : 0, at, (uint64_t)n, out);
	else
		code = ordo_mpi_trees_fold(trees, &arithmetic, at, (uint64_t)n, out);
	free(at);
	return code;
}
