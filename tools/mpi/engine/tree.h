/* tree.h - reduction trees, evaluated on contributions that are all here. Private to tools/mpi/. */
#ifndef ORDO_MPI_TREE_H
#define ORDO_MPI_TREE_H

#include <ordo/detail/order.h>
#include <ordo/runtime.h>
#include <ordo/verify.h>

/* One tree for every element, in postfix order: a rank is pushed, ORDO_NONE combines the two on
 * top. */
struct mpi_trees {
	uint32_t *steps;
	uint32_t nstep;
	uint32_t depth; /* of the stack */
	/* Of a document whose sums have no order: in which form they are held. The tree then only
	 * names the ranks. */
	enum ordo_accumulation accumulate;
};

/* Of a proof whose chunks all have one tree (G3). false: they have not, or no memory. */
bool ordo_mpi_trees_open(
	struct mpi_trees *trees, const struct ordo_proof *proof, struct ordo_error *error);
/* Of the tree of that name over ranks 0..nrank-1 (detail/order.h). false: no memory. */
bool ordo_mpi_trees_named(struct mpi_trees *trees, enum ordo_tree_kind kind, uint32_t nrank,
	struct ordo_error *error);
/* Of one node of a proof's trees. false: no memory. */
bool ordo_mpi_tree_open(struct mpi_trees *trees, const struct ordo_trees *from, uint32_t root,
	struct ordo_error *error);
/* false: no memory. */
bool ordo_mpi_trees_copy(
	struct mpi_trees *trees, const struct mpi_trees *from, struct ordo_error *error);
void ordo_mpi_trees_close(struct mpi_trees *trees);

/* How elements are combined and copied; they do not overlap. Return an MPI error code. */
struct mpi_arithmetic {
	void *closure;
	uint64_t extent, margin; /* bytes: see ordo_part_bind */
	enum ordo_type type;	 /* of sums by our loops; others are in no form of their own */
	unsigned per_element;	 /* numbers of that type in one of the elements */
	/* dst = left op right; dst may be either of them */
	int (*combine)(void *closure, void *dst, const void *left, const void *right, uint64_t n);
	int (*copy)(void *closure, void *dst, const void *src, uint64_t n);
};

/* In which type sums of that type are held. */
enum ordo_type ordo_mpi_trees_accumulator(const struct mpi_trees *trees, enum ordo_type type);
/* out = the tree of n elements, where rank r's begin at inputs[r]. out may be one of the inputs.
 * Returns an MPI error code. */
int ordo_mpi_trees_fold(const struct mpi_trees *trees, const struct mpi_arithmetic *arithmetic,
	const void *const *inputs, uint64_t n, void *out);

#endif
