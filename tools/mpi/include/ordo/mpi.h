/* mpi.h - for programs of MPI: sums over virtual shards, whose bits are the same on any number
 * of ranks.
 *
 * A program divides its work into V shards, numbered from 0, of which rank r of N has floor(r V
 * / N) up to floor((r + 1) V / N) - 1, and computes one vector for each: its contribution. How
 * it computes them must not depend on the number of ranks. ordo_mpi_allreduce_shards adds the V
 * vectors in one order, dyadic over the shards, which is proved.
 *
 * The functions are in libordo_openmpi.so and libordo_mpich.so, which usually come into a
 * program by `mpirun -n 8 ordo mpi ./program`. So a program includes this header and links
 * nothing of ours: the functions are found when it runs (with a libc before glibc 2.34: link
 * -ldl). Without the library the sums are made by MPI itself, and their bits depend on the
 * number of ranks; ordo_mpi_is_loaded() is then 0.
 *
 * A program that is linked with the library, `pkg-config --cflags --libs libordo-openmpi` (or
 * libordo-mpich), defines ORDO_MPI_LINKED and calls the functions directly: then it needs
 * neither `ordo mpi` nor LD_PRELOAD, and all its other reductions have the proved order as well.
 *
 * C99, or C++. All functions: any thread that MPI allows. */
#ifndef ORDO_MPI_H
#define ORDO_MPI_H

#include <mpi.h>
#include <stddef.h>
#ifndef ORDO_MPI_LINKED
#include <dlfcn.h>
#include <string.h>
#endif

/* How this header calls MPI. */
#ifndef ORDO_MPI_CALL
#define ORDO_MPI_CALL(name) MPI_##name
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The first shard of a rank.
 *
 *   nshard   V, from 1
 *   nrank    N, from 1 to V
 *   rank     0..N; of N it is V
 *
 * Returns its number. A rank has the shards ordo_mpi_first_shard(V, N, r) up to, but not including,
 * ordo_mpi_first_shard(V, N, r + 1): one at least. */
static inline int ordo_mpi_first_shard(int nshard, int nrank, int rank)
{
	return (int)((long long)rank * nshard / nrank);
}

/* Sums one vector of each shard, by MPI itself: what ordo_mpi_allreduce_shards is without the
 * library. The bits may vary. Arguments and result as there: contributions, sum, count, datatype,
 * op, nshard, comm. */
static inline int ordo_mpi_allreduce_shards_without(const void *contributions, void *sum, int count,
	MPI_Datatype datatype, MPI_Op op, int nshard, MPI_Comm comm)
{
	MPI_Aint low, extent = 0;
	int rank = 0, nrank = 0, shard, code = ORDO_MPI_CALL(Comm_size)(comm, &nrank);
	if (code == MPI_SUCCESS)
		code = ORDO_MPI_CALL(Comm_rank)(comm, &rank);
	if (code == MPI_SUCCESS)
		code = ORDO_MPI_CALL(Type_get_extent)(datatype, &low, &extent);
	if (code != MPI_SUCCESS)
		return code;
	if (nshard < nrank || count < 0 || contributions == MPI_IN_PLACE ||
		(count && contributions == sum)) {
		ORDO_MPI_CALL(Comm_call_errhandler)(comm, MPI_ERR_ARG);
		return MPI_ERR_ARG;
	}
	shard = ordo_mpi_first_shard(nshard, nrank, rank + 1) -
		ordo_mpi_first_shard(nshard, nrank, rank) - 1;
	code = ORDO_MPI_CALL(Sendrecv)((const char *)contributions + extent * count * shard, count,
		datatype, 0, 0, sum, count, datatype, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	while (code == MPI_SUCCESS && shard--)
		code = ORDO_MPI_CALL(Reduce_local)(
			(const char *)contributions + extent * count * shard, sum, count, datatype,
			op);
	return code == MPI_SUCCESS
		       ? ORDO_MPI_CALL(Allreduce)(MPI_IN_PLACE, sum, count, datatype, op, comm)
		       : code;
}

#ifdef ORDO_MPI_LINKED

/* Sums one vector of each shard, and gives the sum to all ranks. The order is dyadic over the
 * shards, whatever ORDO_MPI says of other reductions: for one V, all numbers of ranks up to V give
 * the same bits, with either MPI, on any placement.
 *
 *   contributions   [own shards][count] elements: the vectors of this rank's shards, one after
 *                   another, each `count` times the extent of the datatype after the one before.
 *                   Not MPI_IN_PLACE; not changed
 *   sum             [count] receives the sum, on every rank; does not overlap the contributions
 *   count           elements of one vector, from 0; the same on all ranks
 *   datatype, op    as of MPI_Allreduce; of operations of the program those that commute have the
 *                   order that is proved, and others are made by MPI
 *   nshard          V, at least the number of ranks; the same on all ranks
 *   comm            an intra-communicator; all its ranks call
 *
 * The caller owns both vectors. Blocks until this rank has the sum. Returns MPI_SUCCESS, or an
 * error code that was passed to the communicator's error handler before: MPI_ERR_ARG if there are
 * fewer shards than ranks, if ranks pass different numbers of shards, or if an argument cannot be.
 */
int ordo_mpi_allreduce_shards(const void *contributions, void *sum, int count,
	MPI_Datatype datatype, MPI_Op op, int nshard, MPI_Comm comm);

/* How many shards to divide into: `shards=V` of ORDO_MPI on rank 0, the same on all ranks once MPI
 * is started.
 *
 *   otherwise   the result without that setting
 *
 * A program that uses it lets whoever starts it choose V. */
int ordo_mpi_shards(int otherwise);

/* Whether the library is there, so that sums over shards are made in the proved order: 1. */
static inline int ordo_mpi_is_loaded(void)
{
	return 1;
}

#else

/* A function of the library, if it was loaded into this program: name. Copies its address to
 * `function`, a pointer of `size` bytes; leaves it as it is if there is none. */
static inline void ordo_mpi_find(const char *name, void *function, size_t size)
{
	void *program = dlopen(NULL, RTLD_LAZY), *found = program ? dlsym(program, name) : NULL;
	if (found)
		memcpy(function, &found, size);
	if (program)
		dlclose(program);
}

/* As with ORDO_MPI_LINKED, above: contributions [own shards][count], sum [count], count, datatype,
 * op, nshard, comm. Without the library: ordo_mpi_allreduce_shards_without. */
static inline int ordo_mpi_allreduce_shards(const void *contributions, void *sum, int count,
	MPI_Datatype datatype, MPI_Op op, int nshard, MPI_Comm comm)
{
	int (*function)(const void *, void *, int, MPI_Datatype, MPI_Op, int, MPI_Comm) =
		ordo_mpi_allreduce_shards_without;
	ordo_mpi_find("ordo_mpi_allreduce_shards", (void *)&function, sizeof function);
	return function(contributions, sum, count, datatype, op, nshard, comm);
}

/* As with ORDO_MPI_LINKED, above; without the library it returns `otherwise`. */
static inline int ordo_mpi_shards(int otherwise)
{
	int (*function)(int) = NULL;
	ordo_mpi_find("ordo_mpi_shards", (void *)&function, sizeof function);
	return function ? function(otherwise) : otherwise;
}

/* Whether the library is there, so that sums over shards are made in the proved order: 1, else
 * 0. */
static inline int ordo_mpi_is_loaded(void)
{
	int (*function)(int) = NULL;
	ordo_mpi_find("ordo_mpi_shards", (void *)&function, sizeof function);
	return function != NULL;
}

#endif

#ifdef __cplusplus
}
#endif
#endif
