/* bench_reductions.c [ALLREDUCE|REDUCE|SCATTER [MESSAGES]] - the library's own call and the same in
 * the proved order, in turns; prints the ratio of the medians for each size. Every rank writes its
 * input anew before each call and reads its output after it, as programs do. */
#include "engine/call.h"
#include "engine/window.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 401 };

static int rank, nrank;
static volatile float seen; /* results are read */
static double times[2][MOST_ROUNDS];

static int compare_doubles(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static int call_once(int ours, int operation, const float *in, float *out, int n)
{
	const struct ordo_mpi_call call = {.operation = (enum ordo_mpi_operation)operation,
		.send = in,
		.receive = out,
		.count = operation == ORDO_MPI_REDUCE_SCATTER_BLOCK ? n / nrank : n,
		.datatype = MPI_FLOAT,
		.op = MPI_SUM,
		.comm = MPI_COMM_WORLD};
	if (ours)
		return ordo_mpi_reduce(&call);
	if (operation == ORDO_MPI_REDUCE)
		return PMPI_Reduce(in, out, n, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (operation == ORDO_MPI_REDUCE_SCATTER_BLOCK)
		return PMPI_Reduce_scatter_block(
			in, out, n / nrank, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	return PMPI_Allreduce(in, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
}

/* Seconds of the slowest rank. */
static double time_once(int ours, int operation, float *in, float *out, int n, int turn)
{
	for (int i = 0; i < n; i++)
		in[i] = (float)(i + turn + rank);
	PMPI_Barrier(MPI_COMM_WORLD);
	double elapsed = -PMPI_Wtime(), slowest;
	if (call_once(ours, operation, in, out, n) != MPI_SUCCESS)
		PMPI_Abort(MPI_COMM_WORLD, 1);
	elapsed += PMPI_Wtime();
	for (int i = 0; i < n; i += 16)
		seen += out[i % (n / nrank + 1)];
	PMPI_Allreduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return slowest;
}

static void time_size(int operation, size_t bytes)
{
	const int n = (int)(bytes / sizeof(float));
	const int rounds = bytes <= 65536 ? MOST_ROUNDS : bytes <= 1 << 20 ? 61 : 11;
	float *in = malloc(bytes), *out = malloc(bytes);
	memset(out, 0, bytes);
	for (int round = -2; round < rounds; round++)
		for (int i = 0; i < 2; i++) {
			const int ours = round % 2 ? i : 1 - i;
			const double t = time_once(ours, operation, in, out, n, round);
			if (round >= 0)
				times[ours][round] = t;
		}
	for (int ours = 0; ours < 2; ours++)
		qsort(times[ours], (size_t)rounds, sizeof(double), compare_doubles);
	const double own = times[0][rounds / 2], proved = times[1][rounds / 2];
	if (!rank)
		printf("%10zu B  %10.2f us  %10.2f us  %6.2f\n", bytes, own * 1e6, proved * 1e6,
			proved / own);
	fflush(stdout);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	int length, operation = ORDO_MPI_ALLREDUCE;
	char version[MPI_MAX_LIBRARY_VERSION_STRING];
	PMPI_Init(&argc, &argv);
	ordo_mpi_wants_window = argc < 3;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &nrank);
	PMPI_Get_library_version(version, &length);
	version[strcspn(version, ",\n")] = 0;
	if (argc > 1 && !strcmp(argv[1], "REDUCE"))
		operation = ORDO_MPI_REDUCE;
	if (argc > 1 && !strcmp(argv[1], "SCATTER"))
		operation = ORDO_MPI_REDUCE_SCATTER_BLOCK;
	if (!rank)
		printf("%s on %d ranks, %s%s: its own, ours, ours / its own\n",
			argc > 1 ? argv[1] : "ALLREDUCE", nrank, version,
			argc > 2 ? ", by messages" : "");
	for (size_t bytes = 8 * (size_t)(nrank > 2 ? nrank / 2 : 1); bytes <= 64 << 20; bytes *= 8)
		time_size(operation, bytes);
	PMPI_Finalize();
	return 0;
}
