/* elements.h - the elements of a call: ours, or those of a type that only MPI knows. Private to
 * tools/mpi/. */
#ifndef ORDO_MPI_ELEMENTS_H
#define ORDO_MPI_ELEMENTS_H

#include "call.h"
#include "tree.h"
#include <ordo/runtime.h>

struct mpi_elements {
	bool is_ours;	      /* sums of floats: by our loops */
	enum ordo_type type;  /* if ours */
	unsigned per_element; /* of ours in one of the datatype: 2 for complex numbers */
	uint64_t extent;      /* bytes from one of the datatype to the next */
	uint64_t size;	      /* bytes without gaps: the same on all ranks, unlike the extent */
	uint64_t margin;      /* see ordo_part_bind */
	int64_t shift;	      /* bytes from the address that MPI takes to ours, which is at most 63
			       * before the data: many where a type has absolute addresses */
	uint64_t reach;	      /* bytes from the first of one to its last: its true extent */
	bool is_packed;	      /* without gaps: bytes can be copied */
	bool may_differ;      /* an operation of the program: types may be laid out otherwise on
			       * another rank */
	MPI_Datatype datatype;
	MPI_Op op;
};

/* Our address of elements of which MPI takes that one. */
static inline void *ordo_mpi_elements_own(const struct mpi_elements *elements, const void *given)
{
	return (void *)((uintptr_t)given + (uintptr_t)elements->shift);
}

/* The address that MPI takes. */
static inline void *ordo_mpi_elements_given(const struct mpi_elements *elements, const void *own)
{
	return (void *)((uintptr_t)own - (uintptr_t)elements->shift);
}

/* MPI_SUM and so on. */
bool ordo_mpi_is_builtin(MPI_Op op);
/* Returns MPI_SUCCESS or an error code. */
int ordo_mpi_elements(struct mpi_elements *elements, MPI_Datatype datatype, MPI_Op op);
/* Copies n of the datatype; the two do not overlap, or are the same. All addresses are ours. */
int ordo_mpi_elements_copy(
	const struct mpi_elements *elements, void *dst, const void *src, uint64_t n);
/* dst = dst op src, of a type that is not ours; they do not overlap. */
int ordo_mpi_elements_reduce(
	const struct mpi_elements *elements, void *dst, const void *src, uint64_t n);
/* Memory for n of the datatype; *base is to be freed. NULL: no memory. */
void *ordo_mpi_elements_allocate(const struct mpi_elements *elements, uint64_t n, void **base);
/* How a tree of them is evaluated; n then counts the datatype's. */
struct mpi_arithmetic ordo_mpi_elements_arithmetic(struct mpi_elements *elements);

#endif
