/* collect.c - brings the contributions of all ranks to those that reduce them, by the library's own
 * collectives. These go on while the program is in any call of MPI, as a reduction must: a rank may
 * begin one and then wait for a message of a rank that has not begun it yet. For the same reason
 * nothing is made here that would wait for all ranks, such as a duplicate of the communicator. */
#include "collect.h"
#include "engine/elements.h"
#include <stdlib.h>
#include <string.h>

static const void *input_of(const struct ordo_mpi_call *call)
{
	return call->send == MPI_IN_PLACE ? call->receive : call->send;
}

/* Counts and places of what goes to each rank, and of what comes from it: [4][nrank]. */
static bool set_numbers(struct mpi_pending *pending)
{
	const int nrank = pending->nrank;
	int *numbers = malloc(4 * (size_t)nrank * sizeof *numbers), sum = 0;
	for (int r = 0; numbers && r < nrank; r++) {
		numbers[r] = (int)pending->counts[r];
		numbers[nrank + r] = sum;
		numbers[2 * nrank + r] = (int)pending->n;
		numbers[3 * nrank + r] = (int)pending->n * r;
		sum += numbers[r];
	}
	pending->numbers = numbers;
	return numbers;
}

static bool copy_counts(struct mpi_pending *pending, const MPI_Count *counts)
{
	const size_t size = (size_t)pending->nrank * sizeof *counts;
	if (!counts)
		return true;
	pending->counts = malloc(size);
	if (pending->counts)
		memcpy(pending->counts, counts, size);
	pending->call.counts = pending->counts;
	return pending->counts && set_numbers(pending);
}

static struct mpi_pending *make(const struct ordo_mpi_call *call)
{
	struct mpi_elements elements;
	struct mpi_pending *pending = calloc(1, sizeof *pending);
	if (!pending)
		return NULL;
	PMPI_Comm_rank(call->comm, &pending->rank);
	PMPI_Comm_size(call->comm, &pending->nrank);
	pending->call = *call;
	pending->n = call->counts ? call->counts[pending->rank] : call->count;
	bool worked = copy_counts(pending, call->counts) &&
		      ordo_mpi_elements(&elements, call->datatype, call->op) == MPI_SUCCESS;
	if (worked && (call->operation != ORDO_MPI_REDUCE || pending->rank == call->root)) {
		pending->inputs = ordo_mpi_elements_allocate(&elements,
			(uint64_t)pending->n * (uint64_t)pending->nrank, &pending->memory);
		worked = pending->inputs;
	}
	if (worked)
		return pending;
	ordo_mpi_request_discard(pending);
	return NULL;
}

int ordo_mpi_collect_begin(struct mpi_pending *pending)
{
	const struct ordo_mpi_call *call = &pending->call;
	const MPI_Datatype datatype = call->datatype;
	const void *input = input_of(call);
	const int n = (int)pending->n, *numbers = pending->numbers, nrank = pending->nrank;
	switch (call->operation) {
	case ORDO_MPI_ALLREDUCE:
		return PMPI_Iallgather(input, n, datatype, pending->inputs, n, datatype,
			pending->comm, &pending->active);
	case ORDO_MPI_REDUCE:
		return PMPI_Igather(input, n, datatype, pending->inputs, n, datatype, call->root,
			pending->comm, &pending->active);
	case ORDO_MPI_REDUCE_SCATTER_BLOCK:
		return PMPI_Ialltoall(input, n, datatype, pending->inputs, n, datatype,
			pending->comm, &pending->active);
	case ORDO_MPI_REDUCE_SCATTER:
		break;
	}
	return PMPI_Ialltoallv(input, numbers, numbers + nrank, datatype, pending->inputs,
		numbers + 2 * (size_t)nrank, numbers + 3 * (size_t)nrank, datatype, pending->comm,
		&pending->active);
}

/* What the program holds: see request.h. */
static int make_persistent(struct mpi_pending *pending)
{
	pending->is_persistent = pending->is_folded = true;
	const int code = PMPI_Comm_dup(pending->call.comm, &pending->comm);
	if (code != MPI_SUCCESS) {
		pending->comm = MPI_COMM_NULL;
		return code;
	}
	return PMPI_Send_init(
		NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, pending->comm, &pending->request);
}

bool ordo_mpi_collect(struct ordo_mpi_passed *passed, enum ordo_mpi_function function,
	const struct ordo_mpi_call *call, bool is_persistent, MPI_Request *request, int *code)
{
	if (!request || ordo_mpi_begin(passed, function, call) != ORDO_MPI_TAKEN)
		return false;
	const double began = PMPI_Wtime();
	struct mpi_pending *pending = make(call);
	if (!pending) {
		*code = MPI_ERR_NO_MEM;
		PMPI_Comm_call_errhandler(call->comm, *code);
		return true;
	}
	pending->logged = *passed;
	pending->comm = call->comm;
	pending->active = MPI_REQUEST_NULL;
	*code = is_persistent ? make_persistent(pending) : ordo_mpi_collect_begin(pending);
	if (*code != MPI_SUCCESS) {
		ordo_mpi_request_discard(pending);
		return true;
	}
	if (!is_persistent)
		pending->request = pending->active;
	*request = pending->request;
	ordo_mpi_request_add(pending);
	if (!is_persistent)
		ordo_mpi_count(
			function, ORDO_MPI_TAKEN, ordo_mpi_bytes(call), PMPI_Wtime() - began);
	return true;
}
