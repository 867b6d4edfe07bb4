/* joined.h - processes that other processes start or connect to while MPI is on. Private to
 * tools/mpi/. */
#ifndef ORDO_MPI_JOINED_H
#define ORDO_MPI_JOINED_H

/* As in call.h: whichever comes first. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
#include <stdbool.h>

/* After MPI_Intercomm_merge, on all ranks of the result: if some are of another MPI_COMM_WORLD,
 * they meet. */
void ordo_mpi_join(MPI_Comm comm);
/* Whether one of its processes is known not to have the library: the same on all that have it. */
bool ordo_mpi_has_strangers(MPI_Comm comm);
/* All processes of an intra-communicator have the library, or none of them is known not to. */
bool ordo_mpi_all_meet(MPI_Comm comm);

#endif
