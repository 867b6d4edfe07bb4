/* fortran.c - the same calls as Fortran makes them: mpif.h, `use mpi` and `use mpi_f08`.
 *
 * MPICH's bindings call MPI_Allreduce and so on, which intercept.c takes. Those of Open MPI call
 * PMPI_Allreduce, so their own symbols are taken here: mpi_allreduce_ is what programs call, and
 * ompi_allreduce_f what the f08 module calls. */
#include "intercept.h"
#include "settings.h"
#include <dlfcn.h>
#include <stdatomic.h>

#ifdef OPEN_MPI
#define EXPORTED __attribute__((visibility("default")))

/* The address by which Fortran programs pass a constant; NULL: none is loaded. */
static void *find_constant(const char *name)
{
	return dlsym(RTLD_DEFAULT, name);
}

void *ordo_mpi_fortran_buffer(void *given)
{
	static _Atomic(void *) in_place, bottom;
	static _Atomic bool has_looked;
	if (!has_looked) { /* threads that look at the same time find the same */
		in_place = find_constant("mpi_fortran_in_place_");
		bottom = find_constant("mpi_fortran_bottom_");
		has_looked = true;
	}
	if (given && given == in_place)
		return MPI_IN_PLACE;
	return given && given == bottom ? MPI_BOTTOM : given;
}

/* Defines a binding under both of its names. */
#define BINDING(name, parameters, arguments)                                                       \
	EXPORTED void mpi_##name##_ parameters;                                                    \
	EXPORTED void ompi_##name##_f parameters;                                                  \
	void mpi_##name##_ parameters                                                              \
	{                                                                                          \
		take_##name arguments;                                                             \
	}                                                                                          \
	void ompi_##name##_f parameters                                                            \
	{                                                                                          \
		take_##name arguments;                                                             \
	}

static void give(MPI_Fint *error, int code)
{
	if (error)
		*error = (MPI_Fint)code;
}

static void take_allreduce(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *comm, MPI_Fint *error)
{
	give(error,
		MPI_Allreduce(ordo_mpi_fortran_buffer(send), ordo_mpi_fortran_buffer(receive),
			*count, PMPI_Type_f2c(*datatype), PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}
BINDING(allreduce,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, error))

static void take_reduce(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error)
{
	give(error,
		MPI_Reduce(ordo_mpi_fortran_buffer(send), ordo_mpi_fortran_buffer(receive), *count,
			PMPI_Type_f2c(*datatype), PMPI_Op_f2c(*op), *root, PMPI_Comm_f2c(*comm)));
}
BINDING(reduce,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *root, MPI_Fint *comm, MPI_Fint *error),
	(send, receive, count, datatype, op, root, comm, error))

/* MPI_Fint is int in Open MPI as Debian builds it. */
static void take_reduce_scatter(void *send, void *receive, MPI_Fint *counts, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *comm, MPI_Fint *error)
{
	give(error,
		MPI_Reduce_scatter(ordo_mpi_fortran_buffer(send), ordo_mpi_fortran_buffer(receive),
			counts, PMPI_Type_f2c(*datatype), PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}
BINDING(reduce_scatter,
	(void *send, void *receive, MPI_Fint *counts, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *error),
	(send, receive, counts, datatype, op, comm, error))

static void take_reduce_scatter_block(void *send, void *receive, MPI_Fint *count,
	MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *error)
{
	give(error, MPI_Reduce_scatter_block(ordo_mpi_fortran_buffer(send),
			    ordo_mpi_fortran_buffer(receive), *count, PMPI_Type_f2c(*datatype),
			    PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}
BINDING(reduce_scatter_block,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, error))

static void take_scan(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
	MPI_Fint *comm, MPI_Fint *error)
{
	give(error,
		MPI_Scan(ordo_mpi_fortran_buffer(send), ordo_mpi_fortran_buffer(receive), *count,
			PMPI_Type_f2c(*datatype), PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}
BINDING(scan,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, error))

static void take_exscan(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *comm, MPI_Fint *error)
{
	give(error,
		MPI_Exscan(ordo_mpi_fortran_buffer(send), ordo_mpi_fortran_buffer(receive), *count,
			PMPI_Type_f2c(*datatype), PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm)));
}
BINDING(exscan,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, error))

/* MPI_Init is the library's own binding, which makes its constants known, and then ours. */
static void init(const char *own, MPI_Fint *error)
{
	union {
		void *object;
		void (*function)(MPI_Fint *error);
	} next = {dlsym(RTLD_NEXT, own)};
	MPI_Fint code = MPI_ERR_OTHER;
	if (next.object)
		next.function(&code);
	else
		code = PMPI_Init(NULL, NULL);
	if (code == MPI_SUCCESS)
		ordo_mpi_meet(MPI_COMM_WORLD);
	give(error, code);
}

static void init_thread(const char *own, MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error)
{
	union {
		void *object;
		void (*function)(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error);
	} next = {dlsym(RTLD_NEXT, own)};
	MPI_Fint code = MPI_ERR_OTHER;
	if (next.object)
		next.function(required, provided, &code);
	else
		code = PMPI_Init_thread(NULL, NULL, *required, provided);
	if (code == MPI_SUCCESS)
		ordo_mpi_meet(MPI_COMM_WORLD);
	give(error, code);
}

EXPORTED void mpi_init_(MPI_Fint *error);
EXPORTED void ompi_init_f(MPI_Fint *error);
EXPORTED void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error);
EXPORTED void ompi_init_thread_f(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error);

void mpi_init_(MPI_Fint *error)
{
	init("mpi_init_", error);
}

void ompi_init_f(MPI_Fint *error)
{
	init("ompi_init_f", error);
}

void mpi_init_thread_(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error)
{
	init_thread("mpi_init_thread_", required, provided, error);
}

void ompi_init_thread_f(MPI_Fint *required, MPI_Fint *provided, MPI_Fint *error)
{
	init_thread("ompi_init_thread_f", required, provided, error);
}
#else
/* A file of C has at least one declaration. */
extern int ordo_mpi_has_no_fortran;
#endif
