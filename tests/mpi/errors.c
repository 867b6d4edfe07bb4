/* errors.c - a program of MPI that makes calls with invalid arguments, and prints the class of the
 * error that each returns: the library's own, with us and without. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 8 };

static int rank;
static MPI_Status ignored[2];

static char **left; /* numbers of cases that are left out: a library may not check the argument */
static int nleft, number;

/* Should the next case end the program, all before it are printed. */
static int is_next(void)
{
	number++;
	for (int i = 0; i < nleft; i++)
		if (!strcmp(left[i], "all") || atoi(left[i]) == number - 1)
			return 0;
	MPI_Barrier(MPI_COMM_WORLD);
	return 1;
}

static void print(const char *what, int code)
{
	int class = code;
	if (code != MPI_SUCCESS)
		MPI_Error_class(code, &class);
	if (!rank)
		printf("%d %s: %d\n", number - 1, what, class);
	fflush(stdout);
}

static void blocking(float *in, float *out)
{
	int counts[64] = {1, -1};
	if (is_next())
		print("count", MPI_Allreduce(in, out, -1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
	if (is_next())
		print("datatype",
			MPI_Allreduce(in, out, N, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD));
	if (is_next())
		print("op", MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_OP_NULL, MPI_COMM_WORLD));
	if (is_next())
		print("communicator", MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_NULL));
	if (is_next())
		print("bits of floats",
			MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD));
	if (is_next())
		print("places of floats",
			MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_MINLOC, MPI_COMM_WORLD));
	if (is_next())
		print("pairs",
			MPI_Allreduce(in, out, N / 2, MPI_FLOAT_INT, MPI_SUM, MPI_COMM_WORLD));
	if (is_next())
		print("least complex number", MPI_Allreduce(in, out, N / 2, MPI_C_FLOAT_COMPLEX,
						      MPI_MIN, MPI_COMM_WORLD));
	if (is_next())
		print("in place where it is written",
			MPI_Allreduce(in, MPI_IN_PLACE, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
	if (is_next())
		print("negative root",
			MPI_Reduce(in, out, N, MPI_FLOAT, MPI_SUM, -7, MPI_COMM_WORLD));
	if (is_next())
		print("root", MPI_Reduce(in, out, N, MPI_FLOAT, MPI_SUM, 1000, MPI_COMM_WORLD));
	if (is_next())
		print("count of Reduce",
			MPI_Reduce(in, out, -3, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD));
	if (is_next())
		print("counts",
			MPI_Reduce_scatter(in, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
	if (is_next())
		print("block",
			MPI_Reduce_scatter_block(in, out, -1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
	if (is_next())
		print("derived", MPI_Reduce_scatter_block(
					 in, out, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD));
}

static void others(float *in, float *out)
{
	MPI_Request request = MPI_REQUEST_NULL;
	if (is_next())
		print("count of a nonblocking call",
			MPI_Iallreduce(in, out, -1, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request));
	if (is_next())
		print("operation of a nonblocking call",
			MPI_Ireduce(in, out, 1, MPI_FLOAT, MPI_BOR, 0, MPI_COMM_WORLD, &request));
	if (is_next())
		print("root of a nonblocking call",
			MPI_Ireduce(in, out, 1, MPI_FLOAT, MPI_SUM, 99, MPI_COMM_WORLD, &request));
	if (is_next())
		print("null request", MPI_Start(&request));
	if (is_next())
		print("freed null request", MPI_Request_free(&request));
	if (is_next())
		print("number of requests", MPI_Waitall(-1, &request, ignored));
	if (is_next())
		print("null request waited for", MPI_Wait(&request, &ignored[0]));
}

int main(int argc, char **argv)
{
	float in[N] = {1, 2, 3, 4, 5, 6, 7, 8}, out[N] = {0};
	int size;
	MPI_Init(&argc, &argv);
	left = argv + 1;
	nleft = argc - 1;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	blocking(in, out);
	others(in, out);
	for (int i = 0; i < N; i++)
		if (out[i] != 0)
			printf("rank %d: element %d was written\n", rank, i);
	print("valid", MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD));
	if (!rank)
		printf("sum: %g\n", (double)out[1] / size);
	MPI_Finalize();
	return 0;
}
