/* wrapped.c - a program of MPI with which a tool is linked that wraps a reduction. */
#include <stdio.h>
#pragma GCC visibility push(default) /* as in a tool */
#include <mpi.h>
#pragma GCC visibility pop

int MPI_Allreduce(
	const void *send, void *receive, int n, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return PMPI_Allreduce(send, receive, n, datatype, op, comm);
}

int main(int argc, char **argv)
{
	double one = 1, sum;
	MPI_Init(&argc, &argv);
	MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	printf("sum %g\n", sum);
	MPI_Finalize();
	return 0;
}
