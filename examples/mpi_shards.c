/* mpi_shards.c - the same sum, to the last bit, on any number of ranks.
 *
 *   mpicc mpi_shards.c -o mpi_shards && mpirun -n 3 ordo mpi ./mpi_shards
 *
 * The work is divided into shards, not among ranks: each shard's part of the integral is computed
 * in the same way wherever it is computed, and the library adds the parts in one order. */
#include <ordo/mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* A shard's part of the integral of 4 / (1 + x^2) from 0 to 1, which is pi. */
static double integrate(int shard, int nshard)
{
	const int steps = 100000;
	const double width = 1.0 / nshard / steps;
	double sum = 0;
	for (int i = 0; i < steps; i++) {
		const double x = (double)shard / nshard + (i + 0.5) * width;
		sum += 4 / (1 + x * x);
	}
	return sum * width;
}

int main(int argc, char **argv)
{
	double pi = 0;
	int rank, nrank, code = EXIT_SUCCESS;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	const int nshard = ordo_mpi_shards(64), first = ordo_mpi_first_shard(nshard, nrank, rank),
		  own = ordo_mpi_first_shard(nshard, nrank, rank + 1) - first;
	double *parts = malloc((size_t)(own > 0 ? own : 1) * sizeof *parts);
	for (int s = 0; parts && s < own; s++)
		parts[s] = integrate(first + s, nshard);
	if (!parts || ordo_mpi_allreduce_shards(
			      parts, &pi, 1, MPI_DOUBLE, MPI_SUM, nshard, MPI_COMM_WORLD))
		code = EXIT_FAILURE;
	else if (!rank)
		printf("%.17g = %a%s\n", pi, pi,
			ordo_mpi_is_loaded() ? "" : " (without the library)");
	free(parts);
	MPI_Finalize();
	return code;
}
