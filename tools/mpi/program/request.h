/* request.h - reductions whose requests the program holds: the library collects the contributions
 * of all ranks, and we reduce them when the request is found complete. Private to tools/mpi/. */
#ifndef ORDO_MPI_REQUEST_H
#define ORDO_MPI_REQUEST_H

#include "intercept.h"

/* n elements, and how far from their begin those of the next rank begin. */
struct mpi_block {
	MPI_Count stride;      /* in elements: n, or more */
	MPI_Datatype datatype; /* of the block with that extent; MPI_DATATYPE_NULL: stride is n */
	void *first;	       /* where MPI is to put that of rank 0 */
};

/* In the list of all. */
struct mpi_link {
	struct mpi_pending *next, **at; /* at: where the pointer to this one is */
};

/* A nonblocking or persistent reduction. `active` is the library's own request, of a collective
 * that only moves data, so it works with every function of MPI. For a nonblocking reduction it is
 * the request that the program holds. For a persistent one the program holds a message to
 * MPI_PROC_NULL that is never started: whenever a function waits for it, `active` takes its place.
 * (Persistent collectives of MPICH 4.0 end too early when they are started again.) */
struct mpi_pending {
	struct ordo_mpi_call call; /* its communicator may be freed; counts: in `numbers` */
	struct ordo_mpi_passed logged;
	MPI_Request request;	/* the program's */
	MPI_Request active;	/* MPI_REQUEST_NULL: not started, or complete */
	MPI_Comm comm;		/* on which data moves: a persistent reduction has its own, for they
			      * may be started in any order */
	MPI_Errhandler handler; /* of the program's communicator */
	uint64_t bytes;		/* for the report */
	int rank, nrank;
	void *inputs, *memory;	/* [nrank][n] elements, and what is to be freed; NULL: not root */
	MPI_Count n;		/* elements that this rank reduces */
	struct mpi_block block; /* of one rank, in inputs */
	int *numbers;		/* counts and displacements of MPI_Ialltoallv; or NULL */
	bool is_persistent;
	struct mpi_comparison *comparison; /* with `check`, until it is complete; or NULL */
	int code;			   /* of the comparison */
	bool is_hidden;			   /* from the call that waits: not compared yet */
	bool is_folded;			   /* or not started, or passed on */
	bool frees_op, frees_datatype;	   /* which the program freed meanwhile */
	/* of request.c */
	struct mpi_pending *next, *next_waited;
	struct mpi_link of_all;
	int place; /* in the array of the call that waits for it */
};

/* From now on the completion of pending->request is noticed. It is freed when it is complete. */
void ordo_mpi_request_add(struct mpi_pending *pending);
/* Begins to collect; of collect.c. */
int ordo_mpi_collect_begin(struct mpi_pending *pending);
/* Frees one that was not added. */
void ordo_mpi_request_discard(struct mpi_pending *pending);

/* The requests of one call of MPI, as C or Fortran pass them; those of ours among them. */
struct mpi_waited {
	MPI_Request *requests;
	MPI_Fint *fortran; /* instead; or NULL */
	struct mpi_pending *first;
	int failed; /* the place of one whose ranks call different things; or -1 */
	bool hides; /* one whose ranks' calls are not compared yet: it counts as incomplete */
};
/* What the function waits for. */
enum mpi_wait {
	MPI_WAIT_ALL,  /* until all are complete */
	MPI_WAIT_TEST, /* for nothing */
	MPI_WAIT_ANY   /* until one is complete, in Fortran */
};
void ordo_mpi_wait_begin(
	struct mpi_waited *waited, enum mpi_wait wait, int n, MPI_Request *requests);
void ordo_mpi_wait_begin_fortran(
	struct mpi_waited *waited, enum mpi_wait wait, int n, MPI_Fint *requests);
/* Reduces what is complete: its request has become null. Returns `code`, what the function
 * returned, or the error of a reduction. */
int ordo_mpi_wait_end(struct mpi_waited *waited, int code);
/* The same after MPI_Request_get_status, which leaves complete requests as they are. */
int ordo_mpi_wait_end_status(struct mpi_waited *waited, bool is_done, int code);
/* For MPI_Start: true, if the request is a persistent one of ours. It was started; or it is active,
 * which is an error. */
bool ordo_mpi_start(MPI_Request request, int *code);
/* For MPI_Request_free: true, if the request is ours. It was freed, or may not be. */
bool ordo_mpi_free(MPI_Request *request, int *code);
/* For MPI_Cancel: true, if the request is a persistent one of ours, which is an error. */
bool ordo_mpi_cancel(MPI_Request request, int *code);

/* true: a pending reduction needs what the program frees, and frees it later. */
bool ordo_mpi_keep_op(MPI_Op op);
bool ordo_mpi_keep_datatype(MPI_Datatype datatype);

#endif
