/* joined.c [KIND] - a program of MPI that starts itself again, joins the processes to its own, and
 * reduces on communicators of all of them and of some, which it compares with the dyadic tree.
 * KIND: `strangers`, two groups of them, have no library, `others` have another setting. Prints
 * "not supported" where the library starts no processes. */
#include "dyadic.h"
#include <mpi.h>
#include <stdbool.h>
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

/* Joins the other processes; returns the communicator of all. */
static MPI_Comm join(MPI_Comm between, bool is_high)
{
	MPI_Comm all, other;
	int rank;
	MPI_Intercomm_merge(between, is_high, &all);
	MPI_Comm_rank(all, &rank);
	reduce("all", all);
	MPI_Comm_dup(all, &other);
	reduce("duplicate", other);
	MPI_Comm_free(&other);
	MPI_Comm_split(all, rank % 2, 0, &other); /* one of each kind */
	reduce("half", other);
	MPI_Comm_free(&other);
	return all;
}

int main(int argc, char **argv)
{
	MPI_Comm parent, between[2], all[2];
	int rank, one = 1, sum = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_get_parent(&parent);
	const bool is_first = parent == MPI_COMM_NULL;
	/* the strangers of one group stay known when another joins */
	const int ngroup = is_first && argc > 1 && !strcmp(argv[1], "strangers") ? 2 : 1;
	for (int i = 0; i < ngroup; i++) {
		between[i] = is_first ? start_others(argv) : parent;
		if (between[i] == MPI_COMM_NULL) {
			printf("not supported\n");
			MPI_Finalize();
			return 0;
		}
		all[i] = join(between[i], !is_first);
	}
	for (int i = 0; i < ngroup; i++)
		reduce("all again", all[i]);
	reduce("own", MPI_COMM_WORLD);
	MPI_Comm_rank(all[0], &rank);
	for (int i = 0; i < ngroup; i++) {
		MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, all[i]);
		MPI_Allreduce(MPI_IN_PLACE, &nfailed, 1, MPI_INT, MPI_SUM, all[i]);
	}
	if (!rank)
		printf("%s of %d\n", nfailed ? "some differ" : "all agree", sum);
	fflush(stdout);
	for (int i = 0; i < ngroup; i++) {
		MPI_Comm_free(&all[i]);
		MPI_Comm_disconnect(&between[i]);
	}
	MPI_Finalize();
	return 0;
}
