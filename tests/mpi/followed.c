/* followed.c - a program of MPI whose reductions follow documents: prints a hash of the bits of
 * each, gathered on rank 0. Its inputs and what they sum to are those of test_documents.py. */
#include <complex.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 5000 };

static int rank, nrank;
static float in[MOST], out[MOST], whole[MOST];
static double complex numbers[MOST], sums[MOST];

static double value(int r, int i)
{
	const int a = (i * 7919 + r * 104729) % 1000003;
	return a * (i % 3 == 0 ? 16384.0 : i % 3 == 1 ? 1.0 / 1024 : 1.0) / (r % 2 ? 3 : 7);
}

static void print(const char *name, const void *data, size_t bytes)
{
	const unsigned char *at = data;
	uint64_t h = UINT64_C(1469598103934665603);
	for (size_t i = 0; i < bytes; i++)
		h = (h ^ at[i]) * UINT64_C(1099511628211);
	if (!rank)
		printf("%s %016llx\n", name, (unsigned long long)h);
}

/* Of a rank, which need not be rank 0. */
static void print_of(const char *name, int source, int n)
{
	if (source && rank == source)
		MPI_Send(out, n, MPI_FLOAT, 0, 1, MPI_COMM_WORLD);
	if (source && !rank)
		MPI_Recv(out, n, MPI_FLOAT, source, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	print(name, out, (size_t)n * sizeof *out);
}

static void reduce_all(int n)
{
	MPI_Request request;
	char name[64];
	MPI_Allreduce(in, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	snprintf(name, sizeof name, "allreduce-%d", n);
	print_of(name, nrank - 1, n);
	memcpy(out, in, sizeof out);
	MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	snprintf(name, sizeof name, "in-place-%d", n);
	print_of(name, 0, n);
	memset(out, 0, sizeof out);
	MPI_Iallreduce(in, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	snprintf(name, sizeof name, "iallreduce-%d", n);
	print_of(name, 0, n);
	MPI_Allreduce(in, out, n, MPI_FLOAT, MPI_PROD, MPI_COMM_WORLD);
	snprintf(name, sizeof name, "product-%d", n);
	print_of(name, 0, n);
	MPI_Allreduce(numbers, sums, n, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
	snprintf(name, sizeof name, "complex-%d", n);
	print(name, sums, (size_t)n * sizeof *sums);
}

static void reduce_to(int root, int n)
{
	MPI_Request request;
	char name[64];
	MPI_Reduce(in, out, n, MPI_FLOAT, MPI_SUM, root, MPI_COMM_WORLD);
	snprintf(name, sizeof name, "reduce-%d", root);
	print_of(name, root, n);
	memcpy(out, in, sizeof out);
	MPI_Reduce(rank == root ? MPI_IN_PLACE : in, rank == root ? out : NULL, n, MPI_FLOAT,
		MPI_SUM, root, MPI_COMM_WORLD);
	snprintf(name, sizeof name, "reduce-in-place-%d", root);
	print_of(name, root, n);
	memset(out, 0, sizeof out);
	MPI_Ireduce(in, out, n, MPI_FLOAT, MPI_SUM, root, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	snprintf(name, sizeof name, "ireduce-%d", root);
	print_of(name, root, n);
}

static void gather(const char *name, const int *counts)
{
	int places[64] = {0}, total = 0;
	for (int r = 0; r < nrank; r++) {
		places[r] = total;
		total += counts[r];
	}
	MPI_Gatherv(
		out, counts[rank], MPI_FLOAT, whole, counts, places, MPI_FLOAT, 0, MPI_COMM_WORLD);
	print(name, whole, (size_t)total * sizeof *whole);
}

static void scatter(void)
{
	MPI_Request request;
	int counts[64] = {0};
	for (int r = 0; r < nrank; r++)
		counts[r] = 100 + 37 * r;
	MPI_Reduce_scatter(in, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	gather("scatter", counts);
	memcpy(out, in, sizeof out);
	MPI_Reduce_scatter(MPI_IN_PLACE, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	gather("scatter-in-place", counts);
	MPI_Ireduce_scatter(in, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	gather("iscatter", counts);
	for (int r = 0; r < nrank; r++)
		counts[r] = 100;
	MPI_Reduce_scatter_block(in, out, 100, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	gather("scatter-block", counts);
	MPI_Ireduce_scatter_block(in, out, 100, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	gather("iscatter-block", counts);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	for (int i = 0; i < MOST; i++) {
		const double parts[] = {value(rank, i) / 11, value(rank, i + 1)};
		in[i] = (float)value(rank, i);
		memcpy(&numbers[i], parts, sizeof parts);
	}
	for (int turn = 0; turn < 2; turn++) { /* the second may go another way */
		reduce_all(7);
		reduce_all(600);
		reduce_to(0, 600);
		reduce_to(1, 600);
		scatter();
	}
	MPI_Finalize();
	return 0;
}
