/* world.c - MPI_COMM_SELF, and the rank among all processes, also without MPI_Init. */
#include "world.h"
#include <pthread.h>
#include <stdatomic.h>

bool ordo_mpi_has_world(void)
{
	int is_on = 0, is_over = 0;
	PMPI_Initialized(&is_on);
	PMPI_Finalized(&is_over);
	return is_on && !is_over;
}

static _Atomic unsigned age;

unsigned ordo_mpi_world_age(void)
{
	return atomic_load_explicit(&age, memory_order_relaxed);
}

#if MPI_VERSION >= 4
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool is_open;
static MPI_Session session; /* ours: it keeps nothing of the program's alive */
static MPI_Comm self;
static int own_rank, all_ranks;

static MPI_Group find_group(const char *set)
{
	MPI_Group group = MPI_GROUP_NULL;
	PMPI_Group_from_session_pset(session, set, &group);
	return group;
}

void ordo_mpi_world_open(void)
{
	pthread_mutex_lock(&lock);
	if (!is_open &&
		PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) == MPI_SUCCESS) {
		MPI_Group world = find_group("mpi://WORLD"), alone = find_group("mpi://SELF");
		PMPI_Group_rank(world, &own_rank);
		PMPI_Group_size(world, &all_ranks);
		PMPI_Comm_create_from_group(
			alone, "ordo", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &self);
		PMPI_Group_free(&world);
		PMPI_Group_free(&alone);
		is_open = true;
	}
	pthread_mutex_unlock(&lock);
}

void ordo_mpi_world_close(void)
{
	pthread_mutex_lock(&lock);
	if (is_open) {
		is_open = false;
		PMPI_Comm_free(&self);
		PMPI_Session_finalize(&session);
		age++;
	}
	pthread_mutex_unlock(&lock);
}

MPI_Comm ordo_mpi_self(void)
{
	return is_open ? self : MPI_COMM_SELF;
}

static bool find_ranks(int *rank, int *nrank)
{
	if (!is_open)
		return false;
	*rank = own_rank;
	*nrank = all_ranks;
	return true;
}
#else
void ordo_mpi_world_open(void)
{
}

void ordo_mpi_world_close(void)
{
}

MPI_Comm ordo_mpi_self(void)
{
	return MPI_COMM_SELF;
}

static bool find_ranks(int *rank, int *nrank)
{
	(void)rank;
	(void)nrank;
	return false;
}
#endif

void ordo_mpi_world_ranks(int *rank, int *nrank)
{
	if (find_ranks(rank, nrank))
		return;
	PMPI_Comm_rank(MPI_COMM_WORLD, rank);
	PMPI_Comm_size(MPI_COMM_WORLD, nrank);
}

void ordo_mpi_world_abort(int status)
{
	PMPI_Abort(ordo_mpi_has_world() ? MPI_COMM_WORLD : ordo_mpi_self(), status);
}
