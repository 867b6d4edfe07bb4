/* collect.c - brings the contributions of all ranks to those that reduce them, by the library's own
 * collectives. These go on while the program is in any call of MPI, as a reduction must: a rank may
 * begin one and then wait for a message of a rank that has not begun it yet. For the same reason
 * nothing is made here that would wait for all ranks, such as a duplicate of the communicator. */
#include "collect.h"
#include "engine/elements.h"
#include "settings.h"
#include "world/world.h"
#include <stdio.h>
#include <stdlib.h>

static const void *input_of(const struct ordo_mpi_call *call)
{
	return call->send == MPI_IN_PLACE ? call->receive : call->send;
}

/* Counts and places of what goes to each rank, and of what comes from it: [4][nrank]. false: no
 * memory. */
static bool set_numbers(struct mpi_pending *pending)
{
	const size_t nrank = (size_t)pending->nrank;
	if (!ordo_mpi_has_counts(&pending->call))
		return true;
	const bool has_block = pending->block.datatype != MPI_DATATYPE_NULL;
	int *numbers = malloc(4 * nrank * sizeof *numbers), sum = 0;
	for (size_t r = 0; numbers && r < nrank; r++) {
		numbers[r] = (int)ordo_mpi_block(&pending->call, (int)r);
		numbers[nrank + r] = sum;
		numbers[2 * nrank + r] = has_block ? 1 : (int)pending->n;
		numbers[3 * nrank + r] = has_block ? (int)r : (int)(pending->n * (MPI_Count)r);
		sum += numbers[r];
	}
	pending->numbers = numbers;
	pending->call.counts = NULL;
	pending->call.narrow_counts = numbers;
	return numbers;
}

/* Elements may reach beyond their extent, between others or over them: the inputs of two ranks are
 * then further apart. Only this rank's type decides that, so what it receives is still n elements.
 * false: no memory. */
static bool set_block(struct mpi_pending *pending, const struct mpi_elements *elements)
{
	MPI_Datatype whole;
	const uint64_t extent = elements->extent, reach = elements->reach;
	pending->block.stride = pending->n;
	if (reach <= extent || !pending->n)
		return true;
	pending->block.stride = pending->n - 1 + (MPI_Count)((reach + extent - 1) / extent);
	if (PMPI_Type_contiguous((int)pending->n, pending->call.datatype, &whole) != MPI_SUCCESS)
		return false;
	int code = PMPI_Type_create_resized(whole, 0,
		(MPI_Aint)((uint64_t)pending->block.stride * extent), &pending->block.datatype);
	if (code == MPI_SUCCESS)
		code = PMPI_Type_commit(&pending->block.datatype);
	PMPI_Type_free(&whole);
	return code == MPI_SUCCESS;
}

/* false: no memory. */
static bool set_inputs(struct mpi_pending *pending)
{
	const struct ordo_mpi_call *call = &pending->call;
	struct mpi_elements elements;
	if (call->operation == ORDO_MPI_REDUCE && pending->rank != call->root)
		return true;
	if (ordo_mpi_elements(&elements, call->datatype, call->op) != MPI_SUCCESS ||
		!set_block(pending, &elements))
		return false;
	pending->inputs = ordo_mpi_elements_allocate(&elements,
		(uint64_t)pending->block.stride * (uint64_t)pending->nrank, &pending->memory);
	pending->block.first = ordo_mpi_elements_given(&elements, pending->inputs);
	return pending->inputs;
}

/* comm: where data is to move. NULL: no memory. */
static struct mpi_pending *make(
	const struct ordo_mpi_passed *passed, const struct ordo_mpi_call *call, MPI_Comm comm)
{
	struct mpi_pending *pending = malloc(sizeof *pending);
	if (!pending)
		return NULL;
	*pending = (struct mpi_pending){.call = *call,
		.logged = *passed,
		.request = MPI_REQUEST_NULL,
		.active = MPI_REQUEST_NULL,
		.comm = comm,
		.block = {.datatype = MPI_DATATYPE_NULL},
		.handler = MPI_ERRHANDLER_NULL,
		.bytes = ordo_mpi_bytes(call)};
	PMPI_Comm_get_errhandler(call->comm, &pending->handler);
	PMPI_Comm_rank(call->comm, &pending->rank);
	PMPI_Comm_size(call->comm, &pending->nrank);
	pending->n = ordo_mpi_block(call, pending->rank);
	if (set_inputs(pending) && set_numbers(pending))
		return pending;
	ordo_mpi_request_discard(pending);
	return NULL;
}

static int collect(struct mpi_pending *pending)
{
	const struct ordo_mpi_call *call = &pending->call;
	const MPI_Datatype datatype = call->datatype;
	const void *input = input_of(call);
	const bool has_block = pending->block.datatype != MPI_DATATYPE_NULL;
	const MPI_Datatype block = has_block ? pending->block.datatype : datatype;
	const int n = (int)pending->n, nblock = has_block ? 1 : n, nrank = pending->nrank,
		  *numbers = pending->numbers;
	switch (call->operation) {
	case ORDO_MPI_ALLREDUCE:
		return PMPI_Iallgather(input, n, datatype, pending->block.first, nblock, block,
			pending->comm, &pending->active);
	case ORDO_MPI_REDUCE:
		return PMPI_Igather(input, n, datatype, pending->block.first, nblock, block,
			call->root, pending->comm, &pending->active);
	case ORDO_MPI_REDUCE_SCATTER_BLOCK:
		return PMPI_Ialltoall(input, n, datatype, pending->block.first, nblock, block,
			pending->comm, &pending->active);
	case ORDO_MPI_REDUCE_SCATTER:
		break;
	}
	return PMPI_Ialltoallv(input, numbers, numbers + nrank, datatype, pending->block.first,
		numbers + 2 * (size_t)nrank, numbers + 3 * (size_t)nrank, block, pending->comm,
		&pending->active);
}

int ordo_mpi_collect_begin(struct mpi_pending *pending)
{
	bool worked;
	struct ordo_mpi_call call = pending->call;
	call.comm = pending->comm; /* that of the program may be freed */
	pending->comparison = ordo_mpi_begin_comparison(
		pending->logged.function, ORDO_MPI_TAKEN, &call, call.comm, &worked);
	return worked ? collect(pending) : MPI_ERR_NO_MEM;
}

/* What the program holds: see request.h. All ranks have it, or none. */
static struct mpi_pending *make_persistent(
	const struct ordo_mpi_passed *passed, const struct ordo_mpi_call *call, int *code)
{
	MPI_Comm own;
	*code = ordo_mpi_own_communicator(call->comm, &own);
	if (*code != MPI_SUCCESS)
		return NULL;
	struct mpi_pending *pending = make(passed, call, own);
	*code = pending ? PMPI_Send_init(
				  NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, own, &pending->request)
			: MPI_ERR_NO_MEM;
	*code = ordo_mpi_agree(own, *code);
	if (*code == MPI_SUCCESS) {
		pending->is_persistent = pending->is_folded = true;
		return pending;
	}
	if (pending && pending->request != MPI_REQUEST_NULL)
		PMPI_Request_free(&pending->request);
	if (pending)
		ordo_mpi_request_discard(pending);
	PMPI_Comm_free(&own);
	PMPI_Comm_call_errhandler(call->comm, *code);
	return NULL;
}

/* The others have begun, and cannot be told before they wait for this rank. */
static void end_program(enum ordo_mpi_function function)
{
	int rank = 0, nrank;
	ordo_mpi_world_ranks(&rank, &nrank);
	fprintf(stderr,
		"ordo: %s: rank %d has no memory for what all ranks contribute, and the others "
		"would wait for it: the program ends\n",
		ordo_mpi_function_name(function), rank);
	ordo_mpi_abort(1);
	abort();
}

static struct mpi_pending *begin(
	const struct ordo_mpi_passed *passed, const struct ordo_mpi_call *call, int *code)
{
	struct mpi_pending *pending = make(passed, call, call->comm);
	if (!pending)
		end_program(passed->function);
	*code = ordo_mpi_collect_begin(pending);
	pending->request = pending->active;
	if (*code == MPI_SUCCESS)
		return pending;
	ordo_mpi_request_discard(pending);
	return NULL;
}

/* Only compared: no rank can tell before what the others pass on. */
static void begin_passed(struct ordo_mpi_passed *passed, enum ordo_mpi_class class,
	const struct ordo_mpi_call *call, MPI_Request *request)
{
	bool worked = true;
	if (request)
		passed->comparison = ordo_mpi_begin_comparison(
			passed->function, class, call, call->comm, &worked);
	if (!worked)
		end_program(passed->function);
}

int ordo_mpi_end_passed(struct ordo_mpi_passed *passed, const struct ordo_mpi_call *call,
	MPI_Request *request, int code)
{
	code = ordo_mpi_end_begun(passed, call, code);
	if (!passed->comparison)
		return code;
	struct mpi_pending *pending = code == MPI_SUCCESS ? malloc(sizeof *pending) : NULL;
	if (!pending) /* the others are told by the library, if at all */
		return code;
	*pending = (struct mpi_pending){.call = *call,
		.logged = *passed,
		.request = *request,
		.active = *request,
		.comm = call->comm,
		.block = {.datatype = MPI_DATATYPE_NULL},
		.handler = MPI_ERRHANDLER_NULL,
		.comparison = passed->comparison,
		.is_folded = true};
	PMPI_Comm_get_errhandler(call->comm, &pending->handler);
	ordo_mpi_request_add(pending);
	return code;
}

/* Whether a persistent reduction is ours: it waits for all ranks, so they can agree. An error in
 * *code went to the communicator's handler. */
static bool is_prepared(struct ordo_mpi_passed *passed, enum ordo_mpi_class class,
	const struct ordo_mpi_call *call, int *code)
{
	*code = MPI_SUCCESS;
	if (ordo_mpi_settings.is_library ||
		(class != ORDO_MPI_TAKEN && class != ORDO_MPI_DEVICE_MEMORY))
		return class == ORDO_MPI_TAKEN;
	*code = ordo_mpi_prepare(call, class == ORDO_MPI_DEVICE_MEMORY);
	if (*code == ORDO_MPI_PASS_ON && class == ORDO_MPI_TAKEN)
		ordo_mpi_pass_too(passed, ORDO_MPI_DEVICE_MEMORY);
	if (*code != MPI_SUCCESS && *code != ORDO_MPI_PASS_ON)
		PMPI_Comm_call_errhandler(call->comm, *code);
	return *code != ORDO_MPI_PASS_ON;
}

bool ordo_mpi_collect(struct ordo_mpi_passed *passed, enum ordo_mpi_function function,
	const struct ordo_mpi_call *call, bool is_persistent, MPI_Request *request, int *code)
{
	const enum ordo_mpi_class class = ordo_mpi_begin(passed, function, call);
	*code = MPI_SUCCESS;
	if (!request || !(is_persistent ? is_prepared(passed, class, call, code)
					: class == ORDO_MPI_TAKEN)) {
		if (!is_persistent)
			begin_passed(passed, class, call, request);
		return false;
	}
	if (*code != MPI_SUCCESS)
		return true;
	const double began = PMPI_Wtime();
	struct mpi_pending *pending = (is_persistent ? make_persistent : begin)(passed, call, code);
	if (!pending)
		return true;
	*request = pending->request;
	if (!is_persistent)
		ordo_mpi_count(function, ORDO_MPI_TAKEN, pending->bytes, PMPI_Wtime() - began);
	ordo_mpi_request_add(pending);
	return true;
}
