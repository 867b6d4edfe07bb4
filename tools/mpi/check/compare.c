/* compare.c - what all ranks call travels in a collective of its own, which does not wait. */
#include "compare.h"
#include "engine/call.h"
#include "world/world.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct mpi_comparison {
	MPI_Request request;
	int rank, nrank;
	char own[ORDO_MPI_WORDS];
	char all[]; /* [nrank][ORDO_MPI_WORDS] */
};

struct mpi_comparison *ordo_mpi_comparison_begin(MPI_Comm comm, const char *call)
{
	int rank, nrank;
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &nrank);
	struct mpi_comparison *one = calloc(1, sizeof *one + (size_t)nrank * ORDO_MPI_WORDS);
	if (!one)
		return NULL;
	one->rank = rank;
	one->nrank = nrank;
	snprintf(one->own, sizeof one->own, "%s", call);
	if (PMPI_Iallgather(one->own, ORDO_MPI_WORDS, MPI_CHAR, one->all, ORDO_MPI_WORDS, MPI_CHAR,
		    comm, &one->request) == MPI_SUCCESS)
		return one;
	free(one);
	return NULL;
}

static int compare(const struct mpi_comparison *one)
{
	for (int r = 1; r < one->nrank; r++) {
		const char *other = one->all + (size_t)r * ORDO_MPI_WORDS;
		if (!strcmp(other, one->all))
			continue;
		if (!one->rank)
			fprintf(stderr,
				"ordo: check: rank 0 of %d calls %s, and rank %d calls %s\n",
				one->nrank, one->all, r, other);
		return MPI_ERR_ARG;
	}
	return MPI_SUCCESS;
}

bool ordo_mpi_comparison_test(struct mpi_comparison *comparison, bool may_wait, int *code)
{
	int is_done = 1;
	*code = may_wait ? PMPI_Wait(&comparison->request, MPI_STATUS_IGNORE)
			 : PMPI_Test(&comparison->request, &is_done, MPI_STATUS_IGNORE);
	if (*code == MPI_SUCCESS && is_done)
		*code = compare(comparison);
	return is_done || *code != MPI_SUCCESS;
}

void ordo_mpi_comparison_end(struct mpi_comparison *comparison)
{
	free(comparison);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Request never = MPI_REQUEST_NULL;
static unsigned age;

/* When MPI ends. */
static int cancel(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)comm;
	(void)key;
	(void)value;
	(void)extra;
	PMPI_Cancel(&never);
	PMPI_Wait(&never, MPI_STATUS_IGNORE);
	return MPI_SUCCESS;
}

/* A receive of what nobody sends. */
MPI_Request ordo_mpi_never(void)
{
	static char nothing;
	static MPI_Comm own;
	int key;
	pthread_mutex_lock(&lock);
	if (never == MPI_REQUEST_NULL || age != ordo_mpi_world_age()) {
		age = ordo_mpi_world_age();
		ordo_mpi_own_communicator(ordo_mpi_self(), &own);
		PMPI_Irecv(&nothing, 1, MPI_CHAR, 0, 0, own, &never);
		PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, cancel, &key, NULL);
		PMPI_Comm_set_attr(ordo_mpi_self(), key, NULL);
	}
	const MPI_Request found = never;
	pthread_mutex_unlock(&lock);
	return found;
}
