/* reduction.h - one reduction while it runs. Private to tools/mpi/. */
#ifndef ORDO_MPI_REDUCTION_H
#define ORDO_MPI_REDUCTION_H

#include "communicator.h"
#include "elements.h"

struct mpi_range;

struct mpi_reduction {
	const struct ordo_mpi_call *call;
	struct mpi_state *state;
	struct mpi_elements elements;
	bool fits; /* on all ranks: a window takes the elements */
};

/* Runs a plan on these buffers, by messages. All ranks call, with plans of one schedule. Returns an
 * MPI error code, as all here. */
int ordo_mpi_reduction_run(const struct mpi_reduction *reduction, const struct mpi_plan *plan,
	const void *input, void *output);
/* Ends the program because of an error of this rank alone, of which the others cannot be told: they
 * wait for it. */
void ordo_mpi_reduction_lost(const struct mpi_reduction *reduction, int code);
/* Copies n elements. If MPI fails there, it ends the program. */
void ordo_mpi_reduction_copy(
	const struct mpi_reduction *reduction, void *dst, const void *src, uint64_t n);
/* Through the window, if there is one for these elements; false: there is none. trees: all
 * elements'. */
bool ordo_mpi_reduction_share(
	const struct mpi_reduction *reduction, const struct mpi_trees *trees, int *code);

/* The document that a call on so many ranks follows, which is counted; NULL: none. */
struct mpi_range *ordo_mpi_call_range(
	const struct ordo_mpi_call *call, const struct mpi_elements *elements, int nrank);
/* Makes an AllReduce over virtual shards, in the dyadic order. */
int ordo_mpi_reduction_shards(const struct mpi_reduction *reduction);
/* Makes the reduction as a document says. */
int ordo_mpi_reduction_follow(const struct mpi_reduction *reduction, struct mpi_range *range);

#endif
