/* unequal.c - ranks whose calls do not fit each other: unequal WHAT [WAY]. Prints a line for each
 * rank whose call returns an error. With WAY, a nonblocking call, completed by MPI_WAY;
 * or `late`, after calls that agree; or `long`, of a longer vector. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static float in[60000], out[60000];
static int most = 4;

static int complete(MPI_Request *request, const char *way)
{
	int code = MPI_SUCCESS, is_done = 0, index = -1, indices[2];
	MPI_Request two[2] = {MPI_REQUEST_NULL, *request};
	MPI_Status statuses[2];
	if (!strcmp(way, "Wait"))
		return MPI_Wait(request, statuses);
	while (!is_done && code == MPI_SUCCESS) {
		if (!strcmp(way, "Test"))
			code = MPI_Test(request, &is_done, statuses);
		else if (!strcmp(way, "Testall"))
			code = MPI_Testall(2, two, &is_done, statuses);
		else if (!strcmp(way, "Waitany"))
			code = MPI_Waitany(2, two, &index, statuses);
		else if (!strcmp(way, "Waitsome"))
			code = MPI_Waitsome(2, two, &index, indices, statuses);
		else
			code = MPI_Waitall(2, two, statuses);
		is_done = is_done || index >= 0 || !strcmp(way, "Waitall");
	}
	return code;
}

static int call(const char *what, int differs, int counts[], MPI_Request *request)
{
	const int count = differs && !strcmp(what, "count") ? most + 1 : 4;
	const MPI_Datatype datatype = differs && !strcmp(what, "type") ? MPI_INT : MPI_FLOAT;
	const MPI_Op op = differs && !strcmp(what, "operation") ? MPI_MAX : MPI_SUM;
	const MPI_Comm comm = MPI_COMM_WORLD;
	if ((differs && !strcmp(what, "function")) || !strcmp(what, "root")) {
		const int root = differs && !strcmp(what, "root");
		return request ? MPI_Ireduce(in, out, 4, MPI_FLOAT, MPI_SUM, root, comm, request)
			       : MPI_Reduce(in, out, 4, MPI_FLOAT, MPI_SUM, root, comm);
	}
	if (!strcmp(what, "counts"))
		return request ? MPI_Ireduce_scatter(
					 in, out, counts, MPI_FLOAT, MPI_SUM, comm, request)
			       : MPI_Reduce_scatter(in, out, counts, MPI_FLOAT, MPI_SUM, comm);
	return request ? MPI_Iallreduce(in, out, count, datatype, op, comm, request)
		       : MPI_Allreduce(in, out, count, datatype, op, comm);
}

int main(int argc, char **argv)
{
	int rank, nrank, counts[3] = {2, 2, 2};
	MPI_Request request;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	const char *what = argc > 1 ? argv[1] : "nothing", *way = argc > 2 ? argv[2] : NULL;
	const int differs = rank == nrank - 1 && strcmp(what, "nothing");
	counts[1] += differs && !strcmp(what, "counts");
	if (way && (!strcmp(way, "late") || !strcmp(way, "long"))) {
		most = strcmp(way, "long") ? 4 : 50000;
		for (int time = 0; time < 3; time++)
			MPI_Allreduce(in, out, 4, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		way = NULL;
	}
	int code = call(what, differs, counts, way ? &request : NULL);
	if (way && code == MPI_SUCCESS)
		code = complete(&request, way);
	if (code != MPI_SUCCESS) {
		printf("error on rank %d\n", rank);
		fflush(stdout);
	}
	MPI_Finalize();
	return 0;
}
