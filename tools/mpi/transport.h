/* transport.h - what the command needs from MPI: a table of functions in libordo_openmpi.so and
 * libordo_mpich.so, found by dlsym("ordo_mpi_transport"). The command itself never links MPI. */
#ifndef ORDO_MPI_TRANSPORT_H
#define ORDO_MPI_TRANSPORT_H

#include <ordo/detail/messages.h>

#define ORDO_MPI_TRANSPORT_VERSION 2

struct ordo_mpi_transport {
	uint32_t version; /* ORDO_MPI_TRANSPORT_VERSION of the library */
	/* Starts MPI. Errors of MPI end the program: its launcher ends the other ranks. */
	bool (*begin)(uint32_t *rank, uint32_t *nrank, struct ordo_error *error);
	void (*end)(void);
	/* Ends all ranks at once: one of them cannot go on. Does not return. */
	void (*abort)(int status);
	/* "Open MPI v4.1.4". */
	const char *(*library)(void);
	/* Whether a number is the same on all ranks, and data of one rank to all others. */
	bool (*agree)(uint64_t number);
	void (*broadcast)(void *data, size_t size, uint32_t root);
	/* Collects `size` bytes of every rank on rank 0, where `all` is [nrank][size]. */
	void (*gather)(const void *own, size_t size, void *all);
	void (*barrier)(void);
	double (*seconds)(void);
	/* A messenger for elements of a type and of its accumulator (accumulate.h), for so many
	 * requests. synchronous: a send is complete when it is received (MPI_Issend). NULL: no
	 * memory. Freed by free_messenger. */
	struct ordo_messenger *(*make_messenger)(uint32_t nrequest, enum ordo_type type,
		enum ordo_type accumulator, bool synchronous);
	void (*free_messenger)(struct ordo_messenger *messenger);
};

#endif
