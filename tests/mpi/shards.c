/* shards.c - a program that sums over virtual shards: prints a hash of the bits of each sum. Its
 * inputs are those of test_shards.py.
 *
 * usage: shards V [different]: with `different` the last rank passes another V. */
#include <math.h>
#include <ordo/mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, nrank, nshard, first, own, failed;

static double value(int shard, int i)
{
	const int a = (i * 7919 + shard * 104729) % 1000003;
	return a * (i % 3 == 0 ? 16384.0 : i % 3 == 1 ? 1.0 / 1024 : 1.0) / (shard % 2 ? 3 : 7);
}

static void print(const char *name, int n, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	uint64_t h = UINT64_C(1469598103934665603);
	for (size_t i = 0; i < bytes; i++)
		h = (h ^ at[i]) * UINT64_C(1099511628211);
	if (rank == nrank - 1 && !failed)
		printf("%s-%d %016llx\n", name, n, (unsigned long long)h);
}

static void sum_floats(int n)
{
	float *in = malloc((size_t)(own * n) * sizeof *in), *out = malloc((size_t)n * sizeof *out);
	for (int s = 0; s < own; s++)
		for (int i = 0; i < n; i++)
			in[s * n + i] = (float)value(first + s, i);
	if (ordo_mpi_allreduce_shards(in, out, n, MPI_FLOAT, MPI_SUM, nshard, MPI_COMM_WORLD))
		failed = 1;
	print("float", n, out, (size_t)n * sizeof *out);
	free(in);
	free(out);
}

static void sum_complex(int n)
{
	double *in = malloc((size_t)(own * n) * 2 * sizeof *in),
	       *out = malloc((size_t)n * 2 * sizeof *out);
	for (int s = 0; s < own; s++)
		for (int i = 0; i < n; i++) {
			in[(s * n + i) * 2] = value(first + s, i) / 11;
			in[(s * n + i) * 2 + 1] = value(first + s, i + 1);
		}
	if (ordo_mpi_allreduce_shards(
		    in, out, n, MPI_C_DOUBLE_COMPLEX, MPI_SUM, nshard, MPI_COMM_WORLD))
		failed = 1;
	print("complex", n, out, (size_t)n * 2 * sizeof *out);
	free(in);
	free(out);
}

/* The product is not ours: MPI multiplies, in the same order. */
static void multiply(int n)
{
	double *in = malloc((size_t)(own * n) * sizeof *in), *out = malloc((size_t)n * sizeof *out);
	for (int s = 0; s < own; s++)
		for (int i = 0; i < n; i++)
			in[s * n + i] = 1 + value(first + s, i + 1) / 3e9;
	if (ordo_mpi_allreduce_shards(in, out, n, MPI_DOUBLE, MPI_PROD, nshard, MPI_COMM_WORLD))
		failed = 1;
	print("product", n, out, (size_t)n * sizeof *out);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	nshard = ordo_mpi_shards(argc > 1 ? atoi(argv[1]) : 16);
	if (argc > 2 && rank == nrank - 1)
		nshard++;
	first = ordo_mpi_first_shard(nshard, nrank, rank);
	own = ordo_mpi_first_shard(nshard, nrank, rank + 1) - first;
	if (rank == nrank - 1)
		printf("loaded %d\nshards %d\n", ordo_mpi_is_loaded(), nshard);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int turn = 0; turn < 2; turn++) {
		sum_floats(1);
		sum_floats(600);
		sum_floats(9000);
		sum_complex(100);
		multiply(100);
	}
	MPI_Finalize();
	return failed ? 3 : 0;
}
