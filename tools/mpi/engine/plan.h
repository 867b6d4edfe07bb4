/* plan.h - a schedule that reductions follow: compiled and proved, of which one rank's part is
 * kept, and the reduction trees. Private to tools/mpi/. */
#ifndef ORDO_MPI_PLAN_H
#define ORDO_MPI_PLAN_H

#include "call.h"
#include "tree.h"
#include <ordo/detail/messages.h>
#include <stdio.h>

/* The orders of sums that can be asked for: `order=` of ORDO_MPI. */
enum ordo_mpi_order { ORDO_MPI_DYADIC, ORDO_MPI_LINEAR, ORDO_MPI_FOLDED };

/* What is compiled for a communicator's size. All plans of one order have the same trees. */
enum ordo_mpi_form {
	ORDO_MPI_SHORT_ALLREDUCE, /* few messages */
	ORDO_MPI_LONG_ALLREDUCE,  /* few bytes */
	ORDO_MPI_TO_ZERO,	  /* Reduce, root 0 */
	ORDO_MPI_SCATTERED	  /* ReduceScatter */
};
#define ORDO_MPI_NFORM 4

struct mpi_plan {
	enum ordo_mpi_form form;
	enum ordo_mpi_order order;
	uint32_t nrank, rank;
	uint32_t nshard;       /* of shards.c; else 0: one a rank */
	const char *algorithm; /* as given to the compiler */
	char digest[33];       /* the order's; "": generated, not proved at this size */
	char schedule[33];     /* of all that it does; "": generated, or of a document */
	struct ordo_part *part;
	struct mpi_trees trees;
};

/* The order that was asked for; set before the first plan is made. */
extern enum ordo_mpi_order ordo_mpi_wanted_order;

/* The tree of an order over so many ranks: that of all its plans. Made once; any thread, and no
 * other rank is needed. NULL: see error. */
const struct mpi_trees *ordo_mpi_tree(
	enum ordo_mpi_order order, uint32_t nrank, struct ordo_error *error);

/* The plan of a rank, shared by all communicators of that size and never freed before the end. Any
 * thread. NULL: see error. */
const struct mpi_plan *ordo_mpi_plan(enum ordo_mpi_order order, enum ordo_mpi_form form,
	uint32_t nrank, uint32_t rank, struct ordo_error *error);
/* How rank 0 makes a schedule for all ranks. */
struct mpi_maker {
	void *closure;
	/* the schedule, which the caller destroys; NULL: see error */
	struct ordo_schedule *(*compile)(
		void *closure, const struct mpi_plan *wanted, struct ordo_error *error);
	/* proves it, and sets digests and trees of the plan */
	bool (*prove)(void *closure, const struct ordo_schedule *schedule, struct mpi_plan *plan,
		struct ordo_error *error);
};
/* The plan of each rank of a communicator, all of which call: rank 0 makes the schedule, and the
 * others get their parts. wanted: what is known of it beforehand, the same on all, but for its
 * rank. The caller frees it with ordo_mpi_plan_destroy. NULL: see error; the others may have
 * theirs. */
struct mpi_plan *ordo_mpi_plan_share(const struct mpi_plan *wanted, const struct mpi_maker *maker,
	MPI_Comm comm, struct ordo_error *error);
/* ordo_mpi_plan by that way, for many ranks. */
struct mpi_plan *ordo_mpi_plan_received(enum ordo_mpi_order order, enum ordo_mpi_form form,
	MPI_Comm comm, struct ordo_error *error);
/* A communicator uses it. Any thread. */
void ordo_mpi_plan_record(const struct mpi_plan *plan);
/* What communicators used so far: a line for each plan. */
void ordo_mpi_plans_print(FILE *out);
/* The same as objects, added to `report`. */
struct cJSON;
void ordo_mpi_plans_json(struct cJSON *report);
/* The same in closed form, for AllReduce in the dyadic order, without any other rank: more ranks
 * than can be compiled. The generator's schedules are proved at smaller sizes (its tests). */
struct mpi_plan *ordo_mpi_plan_generated(
	enum ordo_mpi_form form, uint32_t nrank, uint32_t rank, struct ordo_error *error);
void ordo_mpi_plan_destroy(struct mpi_plan *plan);

#endif
