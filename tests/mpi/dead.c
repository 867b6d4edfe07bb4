/* dead.c WHAT - a rank that does not come to the next reduction: `dead`, killed between two;
 * `late`, after all deadlines. The clock stands still while MPI starts, however long that takes;
 * after that it goes a million seconds further whenever it is read. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#pragma GCC visibility push(default) /* the library is to find our clock */
#include <mpi.h>
#pragma GCC visibility pop

enum { N = 5000 };
static double in[N], out[N];
static double seconds, step;

double PMPI_Wtime(void)
{
	return seconds += step;
}

int main(int argc, char **argv)
{
	int rank, nrank;
	MPI_Init(&argc, &argv);
	step = 1e6;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	for (int i = 0; i < N; i++)
		in[i] = rank + i;
	for (int time = 0; time < 3; time++)
		MPI_Allreduce(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	if (rank == nrank - 1 && !strcmp(argv[1], "dead"))
		raise(SIGKILL);
	if (rank == nrank - 1)
		usleep(300000);
	MPI_Allreduce(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	const double wanted = nrank * (nrank - 1) / 2.0 + 7.0 * nrank;
	printf("%s\n", out[7] == wanted ? "all agree" : "some differ");
	MPI_Finalize();
	return out[7] != wanted;
}
