/* compare.h - with `check`: what all ranks call, compared while their reductions go on. Private to
 * tools/mpi/. */
#ifndef ORDO_MPI_COMPARE_H
#define ORDO_MPI_COMPARE_H

/* As in call.h: whichever comes first. */
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop
#include <stdbool.h>

/* Bytes of a call in words. */
#define ORDO_MPI_WORDS 256

struct mpi_comparison;

/* All ranks of an intra-communicator call, before the reduction begins; none waits. call: in words,
 * the same on ranks whose calls fit. NULL: no memory, or an error of MPI. */
struct mpi_comparison *ordo_mpi_comparison_begin(MPI_Comm comm, const char *call);
/* Whether all ranks have begun; waits for that if it may. *code is MPI_ERR_ARG then if two calls
 * differ, which rank 0 reports; else MPI_SUCCESS, or an error of MPI. */
bool ordo_mpi_comparison_test(struct mpi_comparison *comparison, bool may_wait, int *code);
/* Frees one that is complete; takes NULL. */
void ordo_mpi_comparison_end(struct mpi_comparison *comparison);

/* A request that is never complete, until MPI ends. */
MPI_Request ordo_mpi_never(void);

#endif
