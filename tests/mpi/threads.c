/* threads.c - a program of MPI whose threads reduce at the same time, each on communicators of its
 * own. It compares with the dyadic tree. */
#include "dyadic.h"
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { NTHREAD = 4, NROUND = 60, N = 500 };

static int rank, nrank;
static MPI_Comm comms[NTHREAD];

static int differs(const float *out, int salt)
{
	for (int i = 0; i < N; i++)
		if (out[i] != tree(0, nrank, i, salt))
			return 1;
	return 0;
}

static void *reduce(void *closure)
{
	const int t = *(const int *)closure;
	float in[N], out[N], later[N];
	long nfailed = 0;
	for (int round = 0; round < NROUND; round++) {
		const int salt = t * 1000 + round;
		MPI_Request request;
		MPI_Comm other;
		for (int i = 0; i < N; i++)
			in[i] = value(rank, i, salt);
		MPI_Iallreduce(in, later, N, MPI_FLOAT, MPI_SUM, comms[t], &request);
		MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_SUM, comms[t]);
		nfailed += differs(out, salt);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		nfailed += differs(later, salt);
		if (round % 20)
			continue;
		MPI_Comm_dup(comms[t], &other); /* its first call, while other threads reduce */
		MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_SUM, other);
		nfailed += differs(out, salt);
		MPI_Comm_free(&other);
	}
	return nfailed ? closure : NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[NTHREAD];
	int ids[NTHREAD], provided, nfailed = 0;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	if (provided != MPI_THREAD_MULTIPLE) {
		if (!rank)
			printf("no threads\n");
		MPI_Finalize();
		return 77;
	}
	for (int t = 0; t < NTHREAD; t++)
		MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
	for (int t = 0; t < NTHREAD; t++) {
		ids[t] = t;
		pthread_create(&threads[t], NULL, reduce, &ids[t]);
	}
	for (int t = 0; t < NTHREAD; t++) {
		void *failed;
		pthread_join(threads[t], &failed);
		nfailed += failed != NULL;
		MPI_Comm_free(&comms[t]);
	}
	printf("%s\n", nfailed ? "some differ" : "all agree");
	MPI_Finalize();
	return nfailed != 0;
}
