/* messenger.h - messages of a part as messages of MPI. Private to tools/mpi/. */
#ifndef ORDO_MPI_MESSENGER_H
#define ORDO_MPI_MESSENGER_H

#include "elements.h"
#include <ordo/detail/messages.h>

struct messenger {
	struct ordo_messenger calls; /* its closure is this messenger */
	MPI_Comm comm;
	MPI_Datatype datatype;	      /* of elements */
	unsigned state_words;	      /* of an accumulator in 64-bit words; 0: it is a float */
	struct mpi_elements elements; /* those that only MPI knows */
	struct mpi_arithmetic arithmetic;
	MPI_Request *requests; /* [nrequest] */
	uint32_t nrequest;
	bool synchronous;
	int code;     /* of the MPI call that failed; MPI_SUCCESS: none */
	bool is_lost; /* it was no message: the other ranks do not know */
};

/* Elements of our types, which our loops reduce, for so many requests. false: no memory. */
bool ordo_mpi_messenger_open(
	struct messenger *messenger, MPI_Comm comm, MPI_Datatype datatype, uint32_t nrequest);
/* For the next run: elements of another type, which our loops reduce, or MPI_Reduce_local. */
void ordo_mpi_messenger_set(struct messenger *messenger, const struct mpi_elements *elements);
/* Wide messages are of that type; of f32 unless set. */
void ordo_mpi_messenger_accumulate(struct messenger *messenger, enum ordo_type accumulator);
void ordo_mpi_messenger_close(struct messenger *messenger);

#endif
