/* communicator.h - what is kept with a communicator: a private duplicate, its plans, and what was
 * bound lately. Private to tools/mpi/. */
#ifndef ORDO_MPI_COMMUNICATOR_H
#define ORDO_MPI_COMMUNICATOR_H

#include "call.h"
#include "messenger.h"
#include "plan.h"
#include "window.h"

/* A plan bound to a type and counts. */
struct mpi_bound {
	const struct mpi_plan *plan; /* NULL: free */
	struct ordo_bound_part *part;
	struct messenger messenger;
	enum ordo_type type;
	enum ordo_reduction reduction;
	struct ordo_opaque opaque; /* extent 0: our type */
	uint64_t count, alignment; /* see struct ordo_plan_options */
	uint64_t *counts;	   /* [nrank] of ReduceScatter with unequal counts; or NULL */
	uint64_t used;		   /* the call that used it last */
};
enum { MPI_NBOUND = 8 };

/* A document that ranks of a communicator follow, or (range NULL) a plan over shards: all of them
 * have their plans. */
struct mpi_followed {
	const struct mpi_range *range;
	const struct mpi_plan *plan;
	struct mpi_plan *own; /* which goes with the communicator; or NULL */
	struct mpi_followed *next;
};

struct mpi_state {
	MPI_Comm comm; /* a duplicate that nobody else knows */
	int rank, nrank;
	enum ordo_mpi_order order;
	const struct mpi_plan *plans[ORDO_MPI_NFORM];
	struct mpi_plan *own[ORDO_MPI_NFORM]; /* those of plans that go with the communicator */
	struct mpi_followed *followed;
	struct mpi_bound bound[MPI_NBOUND];
	uint64_t ncall;
	uint64_t nreduction;		/* of all kinds */
	uint64_t nmemory;		/* see ordo_mpi_state_devices */
	bool has_devices;		/* likewise */
	struct mpi_window *window;	/* NULL: none */
	const struct mpi_trees *trees;	/* of the window */
	const struct mpi_trees *dyadic; /* of its sums over shards */
	uint64_t *counts;		/* [nrank] for a call through the window */
	unsigned char *scratch;		/* see ordo_mpi_state_scratch; or NULL */
};

/* The state of an intra-communicator; made at its first call, by all its ranks. NULL: *code is an
 * MPI error code. */
struct mpi_state *ordo_mpi_state(MPI_Comm comm, int *code);
/* With more ranks, AllReduce is generated, and other plans are made by rank 0: set by tests. */
extern int ordo_mpi_most_compiled, ordo_mpi_most_alone;

/* Before every blocking reduction, on all ranks, also on those that pass it on because of their
 * memory: sets `has_devices` if a process has loaded what knows memory of devices. The ranks ask
 * each other at the first call, and at every call whose number is a power of two, for it may be
 * loaded later. Returns an MPI error code. */
int ordo_mpi_state_devices(struct mpi_state *state);
/* The window of a communicator that is used again; NULL: none. All ranks call, at every call. */
struct mpi_window *ordo_mpi_state_window(struct mpi_state *state);
/* A plan of it, made at first use by all ranks, which compare its digest. NULL likewise. */
const struct mpi_plan *ordo_mpi_state_plan(
	struct mpi_state *state, enum ordo_mpi_form form, int *code);
/* Binds a plan as `wanted` says, with the counts of the call, or finds it bound. All ranks call,
 * and all fail if one does. NULL likewise. */
struct mpi_bound *ordo_mpi_state_bind(struct mpi_state *state, const struct mpi_bound *wanted,
	const struct ordo_mpi_call *call, bool may_differ, int *code);

struct mpi_scratch {
	void *at;
	void *memory; /* to be freed after the call */
};
/* Memory for n elements of a call in which no rank needs more than `most`, which is the same on all
 * of them. n is 0 on those that need none. All ranks call, and all fail if one does. Returns an MPI
 * error code. */
int ordo_mpi_state_scratch(struct mpi_state *state, const struct mpi_elements *elements,
	uint64_t most, uint64_t n, struct mpi_scratch *scratch);

#endif
