/* strangers.c - processes that joined later and are known not to have the library. */
#include "strangers.h"
#include "world.h"
#include <pthread.h>
#include <stdatomic.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static MPI_Group strangers = MPI_GROUP_NULL;
static _Atomic bool has_any;

void ordo_mpi_remember_strangers(MPI_Comm comm, const int *missing, int nmissing)
{
	MPI_Group group, these, all;
	PMPI_Comm_group(comm, &group);
	PMPI_Group_incl(group, nmissing, missing, &these);
	pthread_mutex_lock(&lock);
	if (has_any) {
		PMPI_Group_union(strangers, these, &all);
		PMPI_Group_free(&strangers);
		PMPI_Group_free(&these);
		strangers = all;
	} else {
		strangers = these;
	}
	has_any = true;
	pthread_mutex_unlock(&lock);
	PMPI_Group_free(&group);
}

bool ordo_mpi_has_strangers(MPI_Comm comm)
{
	MPI_Group group, both;
	int n = 0;
	if (!atomic_load_explicit(&has_any, memory_order_acquire) || !ordo_mpi_has_world())
		return false;
	PMPI_Comm_group(comm, &group);
	pthread_mutex_lock(&lock);
	PMPI_Group_intersection(group, strangers, &both);
	pthread_mutex_unlock(&lock);
	PMPI_Group_size(both, &n);
	PMPI_Group_free(&group);
	PMPI_Group_free(&both);
	return n;
}

bool ordo_mpi_all_meet(MPI_Comm comm)
{
	int is_inter = 0;
	return PMPI_Comm_test_inter(comm, &is_inter) == MPI_SUCCESS && !is_inter &&
	       !ordo_mpi_has_strangers(comm);
}
