/* prefix.c - a program of MPI that makes every kind of prefix sum, and compares what it gets. */
#include <mpi.h>
#include <stdio.h>
#if MPI_VERSION < 4 && defined OPEN_MPI
#include <mpi-ext.h>
#define MPI_Scan_init MPIX_Scan_init
#define MPI_Exscan_init MPIX_Exscan_init
#endif

enum { N = 3 };

static int rank, nfailed;
static double in[N], out[N];

/* Sums of the ranks below `end`; the first rank's output of Exscan is undefined. */
static void expect(const char *what, int end)
{
	for (int i = 0; end && i < N; i++) {
		if (out[i] != (i + 1) * (double)(end * (end + 1) / 2)) {
			fprintf(stderr, "%s: element %d of rank %d differs\n", what, i, rank);
			nfailed++;
		}
		out[i] = 0;
	}
}

int main(int argc, char **argv)
{
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < N; i++)
		in[i] = (rank + 1) * (i + 1);
	MPI_Scan(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	expect("Scan", rank + 1);
	MPI_Exscan(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	expect("Exscan", rank);
	MPI_Iscan(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Iscan", rank + 1);
	MPI_Iexscan(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Iexscan", rank);
	for (int time = 0; time < 2; time++) {
		(time ? MPI_Exscan_init : MPI_Scan_init)(
			in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
		expect("persistent", rank + 1 - time);
	}
	MPI_Finalize();
	return nfailed != 0;
}
