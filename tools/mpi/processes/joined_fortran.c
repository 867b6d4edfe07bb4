/* joined_fortran.c - the same as Open MPI's bindings for Fortran make it: they call PMPI. MPICH's
 * call C. */
#include "joined.h"
#include <dlfcn.h>
#include <stdlib.h>

#ifdef OPEN_MPI
#define EXPORTED __attribute__((visibility("default")))

/* A logical is that of gfortran. */
static void merge(MPI_Fint *between, MPI_Fint *is_high, MPI_Fint *comm, MPI_Fint *error)
{
	MPI_Comm all;
	const int code = MPI_Intercomm_merge(PMPI_Comm_f2c(*between), *is_high != 0, &all);
	if (code == MPI_SUCCESS)
		*comm = PMPI_Comm_c2f(all);
	if (error)
		*error = (MPI_Fint)code;
}

/* The f08 module calls the last. */
#define MERGE(name)                                                                                \
	EXPORTED void name(MPI_Fint *between, MPI_Fint *is_high, MPI_Fint *comm, MPI_Fint *error); \
	void name(MPI_Fint *between, MPI_Fint *is_high, MPI_Fint *comm, MPI_Fint *error)           \
	{                                                                                          \
		merge(between, is_high, comm, error);                                              \
	}
MERGE(mpi_intercomm_merge_)
MERGE(ompi_intercomm_merge_f)
MERGE(pmpi_intercomm_merge_)

/* The library's own binding converts the texts, whose lengths come last. */
#define SPAWN                                                                                      \
	char *command, char *arguments, MPI_Fint *n, MPI_Fint *info, MPI_Fint *root,               \
		MPI_Fint *comm, MPI_Fint *between, MPI_Fint *codes, MPI_Fint *error,               \
		size_t length, size_t argument_length
#define SPAWN_MULTIPLE                                                                             \
	MPI_Fint *ncommand, char *commands, char *arguments, MPI_Fint *n, MPI_Fint *info,          \
		MPI_Fint *root, MPI_Fint *comm, MPI_Fint *between, MPI_Fint *codes,                \
		MPI_Fint *error, size_t length, size_t argument_length

EXPORTED void mpi_comm_spawn_(SPAWN);
EXPORTED void ompi_comm_spawn_f(SPAWN);
EXPORTED void mpi_comm_spawn_multiple_(SPAWN_MULTIPLE);
EXPORTED void ompi_comm_spawn_multiple_f(SPAWN_MULTIPLE);

static void *find_next(const char *name)
{
	void *object = dlsym(RTLD_NEXT, name);
	if (!object)
		abort(); /* its caller was linked with it */
	return object;
}

void ompi_comm_spawn_f(SPAWN)
{
	union {
		void *object;
		void (*function)(SPAWN);
	} next = {find_next("ompi_comm_spawn_f")};
	MPI_Info added = ordo_mpi_is_root(PMPI_Comm_f2c(*comm), *root)
				 ? ordo_mpi_add_variables(PMPI_Info_f2c(*info))
				 : MPI_INFO_NULL;
	MPI_Fint given = added == MPI_INFO_NULL ? *info : PMPI_Info_c2f(added);
	next.function(command, arguments, n, &given, root, comm, between, codes, error, length,
		argument_length);
	if (added != MPI_INFO_NULL)
		PMPI_Info_free(&added);
}

void mpi_comm_spawn_(SPAWN)
{
	ompi_comm_spawn_f(command, arguments, n, info, root, comm, between, codes, error, length,
		argument_length);
}

void ompi_comm_spawn_multiple_f(SPAWN_MULTIPLE)
{
	union {
		void *object;
		void (*function)(SPAWN_MULTIPLE);
	} next = {find_next("ompi_comm_spawn_multiple_f")};
	MPI_Fint *given = NULL;
	if (ordo_mpi_is_root(PMPI_Comm_f2c(*comm), *root) && *ncommand > 0)
		given = malloc((size_t)*ncommand * sizeof *given);
	for (MPI_Fint i = 0; given && i < *ncommand; i++)
		given[i] = PMPI_Info_c2f(ordo_mpi_add_or_copy(PMPI_Info_f2c(info[i])));
	next.function(ncommand, commands, arguments, n, given ? given : info, root, comm, between,
		codes, error, length, argument_length);
	for (MPI_Fint i = 0; given && i < *ncommand; i++) {
		MPI_Info one = PMPI_Info_f2c(given[i]);
		if (one != MPI_INFO_NULL)
			PMPI_Info_free(&one);
	}
	free(given);
}

void mpi_comm_spawn_multiple_(SPAWN_MULTIPLE)
{
	ompi_comm_spawn_multiple_f(ncommand, commands, arguments, n, info, root, comm, between,
		codes, error, length, argument_length);
}
#else
/* A file of C has at least one declaration. */
extern int ordo_mpi_joins_by_c;
#endif
