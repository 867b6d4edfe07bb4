/* fast.c - a program of MPI that sums numbers near the smallest, and prints the bits on rank 0. It
 * is built twice, of which -Ofast once: the processor then flushes them to zero. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { N = 40 };

int main(int argc, char **argv)
{
	int rank;
	uint32_t bits[N];
	float in[N], out[3][N];
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < N; i++) /* not by arithmetic, which would flush them here */
		bits[i] = (uint32_t)((i * 7919 + rank * 104729) % (1 << 23)) | (uint32_t)(i % 2)
										       << 23;
	memcpy(in, bits, sizeof in);
	MPI_Allreduce(in, out[0], N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Allreduce(in, out[1], N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD); /* in the window */
	MPI_Iallreduce(in, out[2], N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	for (int k = 0; !rank && k < 3; k++) {
		memcpy(bits, out[k], sizeof bits);
		for (int i = 0; i < N; i++)
			printf("%08x%s", (unsigned)bits[i], i + 1 < N ? " " : "\n");
	}
	MPI_Finalize();
	return 0;
}
