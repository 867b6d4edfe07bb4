/* world.h - what a program that starts MPI by sessions alone does not have: MPI_COMM_SELF, and the
 * rank of a process among all. Private to tools/mpi/. */
#ifndef ORDO_MPI_WORLD_H
#define ORDO_MPI_WORLD_H

/* As in call.h: whichever comes first. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
#include <stdbool.h>

/* MPI_Init was called, and MPI_Finalize was not. */
bool ordo_mpi_has_world(void);
/* Before the functions below where MPI_Init was not called; any thread; nothing if it is open. No
 * other process is needed. */
void ordo_mpi_world_open(void);
/* Before the program ends its last session. */
void ordo_mpi_world_close(void);
/* Changes when MPI ended, and keys of attributes with it. */
unsigned ordo_mpi_world_age(void);
/* MPI_COMM_SELF, or a communicator like it. */
MPI_Comm ordo_mpi_self(void);
/* This process among all. */
void ordo_mpi_world_ranks(int *rank, int *nrank);
/* MPI_Abort of all processes. */
void ordo_mpi_world_abort(int status);

#endif
