/* joined.h - processes that a program starts. Private to tools/mpi/. */
#ifndef ORDO_MPI_JOINED_H
#define ORDO_MPI_JOINED_H

/* As in call.h: whichever comes first. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
#include <stdbool.h>

/* Whether this process is the root of MPI_Comm_spawn, whose arguments are those that count. */
bool ordo_mpi_is_root(MPI_Comm comm, int root);
/* What the program passes, and our variables, to be freed. MPI_INFO_NULL: what the program passes
 * has to do. */
MPI_Info ordo_mpi_add_variables(MPI_Info given);
/* The same, or a copy of what the program passes. MPI_INFO_NULL: it passes that. */
MPI_Info ordo_mpi_add_or_copy(MPI_Info given);

#endif
