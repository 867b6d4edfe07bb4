/* strangers.h - processes that joined later and are known not to have the library. Private to
 * tools/mpi/. */
#ifndef ORDO_MPI_STRANGERS_H
#define ORDO_MPI_STRANGERS_H

/* As in call.h: whichever comes first. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
#include <stdbool.h>

/* These ranks of a communicator are strangers: [nmissing], at least one. */
void ordo_mpi_remember_strangers(MPI_Comm comm, const int *missing, int nmissing);
/* Whether one of its processes is known not to have the library: the same on all that have it. */
bool ordo_mpi_has_strangers(MPI_Comm comm);
/* All processes of an intra-communicator have the library, or none of them is known not to. */
bool ordo_mpi_all_meet(MPI_Comm comm);

#endif
