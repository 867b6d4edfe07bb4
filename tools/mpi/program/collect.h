/* collect.h - reductions that begin now and end when their request is complete. Private to
 * tools/mpi/. */
#ifndef ORDO_MPI_COLLECT_H
#define ORDO_MPI_COLLECT_H

#include "request.h"

/* Persistent reductions are part of MPI 4; Open MPI 4 has them under names of its own. */
#if MPI_VERSION >= 4
#define PERSISTENT(name) MPI_##name##_init
#define LIBRARY_PERSISTENT(name) PMPI_##name##_init
#else
#define PERSISTENT(name) MPIX_##name##_init
#define LIBRARY_PERSISTENT(name) PMPIX_##name##_init
/* Declared in mpi-ext.h, if Open MPI was built with them. */
#pragma GCC visibility push(default)
int PERSISTENT(Allreduce)(const void *send, void *receive, int count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int PERSISTENT(Reduce)(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	int root, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int PERSISTENT(Reduce_scatter)(const void *send, void *receive, const int counts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int PERSISTENT(Reduce_scatter_block)(const void *send, void *receive, int count,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
int PERSISTENT(Scan)(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Info info, MPI_Request *request);
int PERSISTENT(Exscan)(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Info info, MPI_Request *request);
#pragma GCC visibility pop
#endif

/* After the library's own nonblocking call, which returned `code`. Returns it. */
int ordo_mpi_end_passed(struct ordo_mpi_passed *passed, const struct ordo_mpi_call *call,
	MPI_Request *request, int code);
/* Begins a reduction, or makes a persistent request for it. false: it is to be passed on. *code is
 * what the function returns. */
bool ordo_mpi_collect(struct ordo_mpi_passed *passed, enum ordo_mpi_function function,
	const struct ordo_mpi_call *call, bool is_persistent, MPI_Request *request, int *code);

#endif
