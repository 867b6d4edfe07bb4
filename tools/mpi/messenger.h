/* messenger.h - messages of a part as messages of MPI. Private to tools/mpi/. */
#ifndef ORDO_MPI_MESSENGER_H
#define ORDO_MPI_MESSENGER_H

#include <mpi.h>
#include <ordo/detail/messages.h>

struct messenger {
	struct ordo_messenger calls; /* its closure is this messenger */
	MPI_Comm comm;
	MPI_Datatype datatype, wide; /* of elements, and of an f32 accumulator's */
	MPI_Op op;		     /* of messages that are reduced by MPI; MPI_OP_NULL: by us */
	MPI_Request *requests;	     /* [nrequest] */
	uint32_t nrequest;
	bool synchronous;
	int code; /* of the MPI call that failed; MPI_SUCCESS: none */
};

/* Elements of our types, which our loops reduce, for so many requests. false: no memory. */
bool ordo_mpi_messenger_open(
	struct messenger *messenger, MPI_Comm comm, MPI_Datatype datatype, uint32_t nrequest);
/* The same for a type that only MPI knows: MPI_Reduce_local reduces it. */
bool ordo_mpi_messenger_open_opaque(struct messenger *messenger, MPI_Comm comm,
	MPI_Datatype datatype, MPI_Op op, uint32_t nrequest);
void ordo_mpi_messenger_close(struct messenger *messenger);

#endif
