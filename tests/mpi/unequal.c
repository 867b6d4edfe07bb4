/* unequal.c - ranks whose calls do not fit each other: unequal WHAT. Prints a line for each rank
 * whose call returns an error. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	float in[16] = {0}, out[16];
	int rank, counts[3] = {2, 2, 2}, code;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	const char *what = argc > 1 ? argv[1] : "nothing";
	const int last = rank == 2;
	const int differs = last && strcmp(what, "nothing");
	counts[1] += differs && !strcmp(what, "counts");
	if (differs && !strcmp(what, "function"))
		code = MPI_Reduce(in, out, 4, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
	else if (!strcmp(what, "counts"))
		code = MPI_Reduce_scatter(in, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	else if (!strcmp(what, "root"))
		code = MPI_Reduce(in, out, 4, MPI_FLOAT, MPI_SUM, last, MPI_COMM_WORLD);
	else
		code = MPI_Allreduce(in, out, differs && !strcmp(what, "count") ? 5 : 4,
			differs && !strcmp(what, "type") ? MPI_INT : MPI_FLOAT,
			differs && !strcmp(what, "operation") ? MPI_MAX : MPI_SUM, MPI_COMM_WORLD);
	if (code != MPI_SUCCESS)
		printf("error on rank %d\n", rank);
	MPI_Finalize();
	return 0;
}
