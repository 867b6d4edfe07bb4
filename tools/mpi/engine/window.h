/* window.h - memory that the ranks of a communicator share, and reductions through it: each rank
 * copies its input there, and folds its part from there. Private to tools/mpi/. */
#ifndef ORDO_MPI_WINDOW_H
#define ORDO_MPI_WINDOW_H

#include "elements.h"

struct mpi_window;

/* Whether windows are made at all: `messages` of ORDO_MPI. */
extern bool ordo_mpi_wants_window;

/* Makes the window of a communicator whose ranks all share memory. All ranks call. is_ready: this
 * rank has what it needs beside it. NULL, on all of them: one is not, they do not share memory, or
 * it is not to be had. */
struct mpi_window *ordo_mpi_window_open(MPI_Comm comm, bool is_ready);
/* Whether it takes vectors of so many bytes a rank. All ranks call, with the same number; the first
 * long vector makes the memory for them. call: see struct mpi_window_call. true with an error in
 * *code: their calls differ. */
bool ordo_mpi_window_takes(struct mpi_window *window, uint64_t call, uint64_t bytes, int *code);
/* Whether ranks come to the window with so many bytes: the same on all of them. */
bool ordo_mpi_window_is_used(const struct mpi_window *window, uint64_t bytes);
/* In place of a call that others may make through the window: this rank passes it on, which they
 * find out before they write anything. */
void ordo_mpi_window_pass_on(struct mpi_window *window);
/* Only this rank; the others may still use theirs. Takes NULL. */
void ordo_mpi_window_close(struct mpi_window *window);

/* One reduction through a window. */
struct mpi_window_call {
	struct mpi_window *window;
	const struct mpi_trees *trees;
	const struct mpi_elements *elements; /* without gaps */
	/* hash of the arguments that all ranks must share: if they do not, all get an error; or
	 * ORDO_MPI_PASS_ON, if one passes the call on */
	uint64_t call;
	const void *input;
	void *output; /* NULL: not wanted on this rank */
};

/* n elements to every rank with an output. All ranks call, with the same n, of which one at least
 * wants the result. output may be input. Return MPI error codes. */
int ordo_mpi_window_reduce(const struct mpi_window_call *call, uint64_t n);
/* Rank r gets the r-th block: counts[nrank] elements each. output may be the begin of input. */
int ordo_mpi_window_scatter(const struct mpi_window_call *call, const uint64_t *counts);

#endif
