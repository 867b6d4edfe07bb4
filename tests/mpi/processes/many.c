/* many.c - a program of MPI on so many ranks that one of them makes the schedules for all: it
 * compares blocking and nonblocking reductions with the dyadic tree, which it evaluates by itself.
 * Its exit status is 1 if they differ. */
#include "dyadic.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 5, BLOCK = 2 };

static int rank, nrank, nfailed;

/* Elements [0, n) of out are those of the sum from `first` on. */
static void expect(const char *what, const float *out, int first, int n)
{
	for (int i = 0; i < n; i++)
		if (out[i] != tree(0, nrank, first + i, 0)) {
			printf("%s: element %d of rank %d is %a\n", what, first + i, rank,
				(double)out[i]);
			nfailed++;
			return;
		}
}

static void reduce(float *in, float *out)
{
	MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	expect("Allreduce", out, 0, N);
	MPI_Reduce(in, out, N, MPI_FLOAT, MPI_SUM, nrank - 1, MPI_COMM_WORLD);
	expect("Reduce", out, 0, rank == nrank - 1 ? N : 0);
	MPI_Reduce_scatter_block(in, out, BLOCK, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	expect("Reduce_scatter_block", out, BLOCK * rank, BLOCK);
}

static void reduce_later(float *in, float *out)
{
	enum { NREQUEST = 4 };
	MPI_Request requests[NREQUEST];
	MPI_Status statuses[NREQUEST];
	int *counts = malloc((size_t)nrank * sizeof *counts), first = 0;
	if (!counts)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int r = 0; r < nrank; r++)
		counts[r] = r % 3;
	for (int r = 0; r < rank; r++)
		first += counts[r];
	float *sum = out + N, *block = sum + N, *part = block + BLOCK;
	MPI_Iallreduce(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &requests[0]);
	MPI_Ireduce(in, sum, N, MPI_FLOAT, MPI_SUM, 1, MPI_COMM_WORLD, &requests[1]);
	MPI_Ireduce_scatter_block(
		in, block, BLOCK, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &requests[2]);
	MPI_Ireduce_scatter(in, part, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &requests[3]);
	MPI_Waitall(NREQUEST, requests, statuses);
	expect("Iallreduce", out, 0, N);
	expect("Ireduce", sum, 0, rank == 1 ? N : 0);
	expect("Ireduce_scatter_block", block, BLOCK * rank, BLOCK);
	expect("Ireduce_scatter", part, first, counts[rank]);
	free(counts);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	const int n = BLOCK * nrank;
	float *in = malloc((size_t)n * sizeof *in), *out = calloc(2 * N + 2 * BLOCK, sizeof *out);
	if (!in || !out)
		MPI_Abort(MPI_COMM_WORLD, 1);
	for (int i = 0; i < n; i++)
		in[i] = value(rank, i, 0);
	reduce(in, out);
	reduce_later(in, out);
	MPI_Allreduce(MPI_IN_PLACE, &nfailed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("%s\n", nfailed ? "some differ" : "all agree");
	free(in);
	free(out);
	MPI_Finalize();
	return nfailed != 0;
}
