/* classify.h - which calls are made in the proved order, and why others are passed on. Private to
 * tools/mpi/. */
#ifndef ORDO_MPI_CLASSIFY_H
#define ORDO_MPI_CLASSIFY_H

#include "engine/call.h"
#include <stdbool.h>

enum ordo_mpi_class {
	ORDO_MPI_TAKEN,
	/* The bits of these do not depend on the order. */
	ORDO_MPI_INTEGERS,
	ORDO_MPI_ONE_RANK,
	ORDO_MPI_INVALID, /* the library reports what is wrong */
	/* These may vary. */
	ORDO_MPI_NOT_COMMUTATIVE,
	ORDO_MPI_INTERCOMMUNICATOR,
	ORDO_MPI_STRANGERS,   /* processes without the library */
	ORDO_MPI_BEING_FREED, /* a communicator whose attributes are deleted: ours may be, too */
	ORDO_MPI_DEVICE_MEMORY,
	ORDO_MPI_BACKWARDS, /* a type of negative extent */
	ORDO_MPI_PREFIX,    /* Scan, Exscan */
	ORDO_MPI_TOO_LARGE, /* a nonblocking call whose inputs do not fit the bound on memory */
	ORDO_MPI_AS_IT_IS   /* order=library */
};
#define ORDO_MPI_NCLASS 13

/* What a class is called in reports. */
const char *ordo_mpi_class_name(enum ordo_mpi_class class);
static inline bool ordo_mpi_may_vary(enum ordo_mpi_class class)
{
	return class >= ORDO_MPI_NOT_COMMUTATIVE;
}

/* Whether this rank decides by its own arguments alone to pass a call on that others may take. */
static inline bool ordo_mpi_is_own_reason(enum ordo_mpi_class class)
{
	return class == ORDO_MPI_DEVICE_MEMORY || class == ORDO_MPI_BACKWARDS;
}

/* Whether this thread is freeing the communicator. */
bool ordo_mpi_is_being_freed(MPI_Comm comm);
/* A type that is made of others. */
bool ordo_mpi_is_derived(MPI_Datatype datatype);
/* Takes about 100 ns. MPI is started. */
enum ordo_mpi_class ordo_mpi_classify(const struct ordo_mpi_call *call);

#endif
