/* joined.c [KIND] - a program of MPI that starts itself again, joins the processes to its own, and
 * reduces on communicators of all of them and of some, which it compares with the dyadic tree.
 * KIND: `strangers` have no library, `others` have another setting. Prints "not supported" where
 * the library starts no processes. */
#include "dyadic.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 200, NCHILD = 2 };

static int nfailed;

static void reduce(const char *what, MPI_Comm comm)
{
	float in[N], out[N], later[N];
	MPI_Request request;
	int rank, nrank;
	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &nrank);
	for (int i = 0; i < N; i++)
		in[i] = value(rank, i, 0);
	for (int time = 0; time < 3; time++) {
		MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_SUM, comm);
		MPI_Iallreduce(in, later, N, MPI_FLOAT, MPI_SUM, comm, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		for (int i = 0; i < N; i++)
			if (out[i] != tree(0, nrank, i, 0) || out[i] != later[i]) {
				printf("%s: element %d of rank %d of %d differs\n", what, i, rank,
					nrank);
				nfailed++;
				return;
			}
	}
}

static MPI_Comm start_others(char **argv)
{
	MPI_Comm between = MPI_COMM_NULL;
	MPI_Info info;
	const char *kind = argv[1] ? argv[1] : "";
	MPI_Info_create(&info);
	if (!strcmp(kind, "strangers"))
		MPI_Info_set(info, "env", "LD_PRELOAD=");
	if (!strcmp(kind, "others"))
		MPI_Info_set(info, "env", getenv("OTHERS"));
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	const int code = MPI_Comm_spawn(
		argv[0], argv + 1, NCHILD, info, 0, MPI_COMM_WORLD, &between, MPI_ERRCODES_IGNORE);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Info_free(&info);
	return code == MPI_SUCCESS ? between : MPI_COMM_NULL;
}

int main(int argc, char **argv)
{
	MPI_Comm parent, between, all, other;
	int rank, one = 1, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	between = parent == MPI_COMM_NULL ? start_others(argv) : parent;
	if (between == MPI_COMM_NULL) {
		printf("not supported\n");
		MPI_Finalize();
		return 0;
	}
	MPI_Intercomm_merge(between, parent != MPI_COMM_NULL, &all);
	MPI_Comm_rank(all, &rank);
	reduce("all", all);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all);
	MPI_Comm_dup(all, &other);
	reduce("duplicate", other);
	MPI_Comm_free(&other);
	MPI_Comm_split(all, rank % 2, 0, &other); /* one of each kind */
	reduce("half", other);
	MPI_Comm_free(&other);
	reduce("own", MPI_COMM_WORLD);
	MPI_Allreduce(MPI_IN_PLACE, &nfailed, 1, MPI_INT, MPI_SUM, all);
	if (!rank)
		printf("%s of %d\n", nfailed ? "some differ" : "all agree", sum);
	fflush(stdout);
	MPI_Comm_free(&all);
	MPI_Comm_disconnect(&between);
	MPI_Finalize();
	return 0;
}
