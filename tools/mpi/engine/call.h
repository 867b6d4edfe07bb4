/* call.h - one reduction that the library makes in a proved order. Private to tools/mpi/. */
#ifndef ORDO_MPI_CALL_H
#define ORDO_MPI_CALL_H

/* The functions of MPI that are defined here are to be found by the program. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
#include <stdbool.h>

enum ordo_mpi_operation {
	ORDO_MPI_ALLREDUCE,
	ORDO_MPI_REDUCE,
	ORDO_MPI_REDUCE_SCATTER,
	ORDO_MPI_REDUCE_SCATTER_BLOCK
};

/* Its arguments are valid, and the operation is one that is taken. */
struct ordo_mpi_call {
	enum ordo_mpi_operation operation;
	const void *send; /* or MPI_IN_PLACE */
	void *receive;
	MPI_Count count;	 /* elements; of one block for REDUCE_SCATTER_BLOCK */
	const MPI_Count *counts; /* [ranks] REDUCE_SCATTER; else NULL */
	MPI_Datatype datatype;
	MPI_Op op;
	int root;   /* REDUCE; else 0 */
	int nshard; /* of ordo_mpi_allreduce_shards; else 0: one a rank */
	MPI_Comm comm;
};

/* Vectors that this rank contributes, one after another. */
static inline int ordo_mpi_own_shards(const struct ordo_mpi_call *call, int rank, int nrank)
{
	return call->nshard ? (int)((rank + 1LL) * call->nshard / nrank -
				      (long long)rank * call->nshard / nrank)
			    : 1;
}

/* Makes the call in the proved order. Returns MPI_SUCCESS, or an error code that the caller passes
 * to the communicator's error handler. All ranks call. Calls PMPI functions only. */
int ordo_mpi_reduce(const struct ordo_mpi_call *call);

/* Compares what the ranks of an intra-communicator call, in words: function, operation, type and
 * counts. All ranks call. MPI_ERR_ARG on all of them if two differ, which rank 0 reports. */
int ordo_mpi_compare_calls(MPI_Comm comm, const char *call);

/* The ranks of an intra-communicator that this thread used for its last reduction: a few
 * nanoseconds. false: not known without asking MPI. */
bool ordo_mpi_last(MPI_Comm comm, int *rank, int *nrank);
/* The fold alone, of data that is here: `inputs` holds the contributions of all ranks, rank r's n
 * elements `stride` elements after those of rank r - 1. Writes n elements to out, in the order of
 * ordo_mpi_reduce. Only this rank calls, and sends nothing; the communicator may be gone. Returns
 * likewise. */
int ordo_mpi_fold(const struct ordo_mpi_call *call, int rank, int nrank, const void *inputs,
	MPI_Count stride, MPI_Count n, void *out);

#endif
