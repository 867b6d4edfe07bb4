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
	MPI_Count count; /* elements; of one block for REDUCE_SCATTER_BLOCK */
	/* Of REDUCE_SCATTER, [ranks], one of them; else NULL. */
	const MPI_Count *counts;
	const int *narrow_counts;
	MPI_Datatype datatype;
	MPI_Op op;
	int root;   /* REDUCE; else 0 */
	int nshard; /* of ordo_mpi_allreduce_shards; else 0: one a rank */
	MPI_Comm comm;
};

static inline bool ordo_mpi_has_counts(const struct ordo_mpi_call *call)
{
	return call->counts || call->narrow_counts;
}

/* Elements of the block of a rank. */
static inline MPI_Count ordo_mpi_block(const struct ordo_mpi_call *call, int rank)
{
	return call->counts	     ? call->counts[rank]
	       : call->narrow_counts ? call->narrow_counts[rank]
				     : call->count;
}

/* Elements of all blocks before that of a rank, in a vector of blocks. */
static inline MPI_Count ordo_mpi_blocks(const struct ordo_mpi_call *call, int rank)
{
	MPI_Count sum = 0;
	for (int r = 0; ordo_mpi_has_counts(call) && r < rank; r++)
		sum += ordo_mpi_block(call, r);
	return ordo_mpi_has_counts(call) ? sum : call->count * rank;
}

/* Elements of the vector that a rank contributes. */
static inline MPI_Count ordo_mpi_length(const struct ordo_mpi_call *call, int nrank)
{
	return call->operation == ORDO_MPI_ALLREDUCE || call->operation == ORDO_MPI_REDUCE
		       ? call->count
		       : ordo_mpi_blocks(call, nrank);
}

/* Vectors that this rank contributes, one after another. */
static inline int ordo_mpi_own_shards(const struct ordo_mpi_call *call, int rank, int nrank)
{
	return call->nshard ? (int)((rank + 1LL) * call->nshard / nrank -
				      (long long)rank * call->nshard / nrank)
			    : 1;
}

/* No error code of MPI: another rank passes the call on, and nothing was written. */
#define ORDO_MPI_PASS_ON (-1)

/* Makes the call in the proved order. Returns MPI_SUCCESS, or an error code that the caller passes
 * to the communicator's error handler, or ORDO_MPI_PASS_ON. All ranks call. Calls PMPI functions
 * only. */
int ordo_mpi_reduce(const struct ordo_mpi_call *call);
/* In place of it, on a rank that passes the call on because its memory is a device's: tells the
 * others, who then pass it on, too. They cannot be told if at the last call whose number was a
 * power of two no rank had loaded what knows such memory, and the ranks do not share any. Returns
 * ORDO_MPI_PASS_ON, or an error code. */
int ordo_mpi_pass_on(const struct ordo_mpi_call *call);
/* Of a persistent one, when its request is made: ORDO_MPI_PASS_ON on all ranks if one `passes` it
 * on because of its memory, as above; or MPI_SUCCESS; or an error code. All ranks call. */
int ordo_mpi_prepare(const struct ordo_mpi_call *call, bool passes);

/* A communicator of the same ranks that returns errors. A duplicate would call the program's
 * functions that copy attributes, and take over its hints. All ranks call. Returns an MPI error
 * code. */
int ordo_mpi_own_communicator(MPI_Comm comm, MPI_Comm *own);
/* One agreement: MPI_SUCCESS if `code` is on all ranks of an intra-communicator; else this rank's
 * error, or MPI_ERR_OTHER where another has one. All ranks call. */
int ordo_mpi_agree(MPI_Comm comm, int code);
/* Compares what the ranks of an intra-communicator call, in words: function, operation, type and
 * counts. All ranks call. MPI_ERR_ARG on all of them if two differ, which rank 0 reports. *reason:
 * above 0 if this rank passes the call on; then the highest of any. */
int ordo_mpi_compare_calls(MPI_Comm comm, const char *call, int *reason);

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
