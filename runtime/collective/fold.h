/* fold.h - a proved schedule inside one address space: each output is folded directly from its
 * inputs.
 *
 * A fold computes one run of elements of all outputs that hold the same chunks. It is a list of
 * steps over operands; an operand is a location in the input (sources) or output (destinations) of
 * a rank, or a temp: a short buffer of the thread that runs the fold. A fold of one step needs no
 * temps and runs over all its elements at once; the others run block by block.
 *
 * Why this equals the schedule: a proof (verify.h) gives the reduction tree of every output, which
 * is the same in every interleaving. Evaluating that tree gives the same bits as the tasks,
 * whatever copies they make in between. Folds access disjoint elements of every buffer, so they may
 * run in any order, concurrently, and split anywhere; within a fold all reads of an element precede
 * its writes, so input and output may be one memory.
 */
#ifndef ORDO_RUNTIME_COLLECTIVE_FOLD_H
#define ORDO_RUNTIME_COLLECTIVE_FOLD_H

#include "kernels/kernels.h"
#include "tasks/layout.h"
#include <ordo/verify.h>

/* Most sources, and most destinations, of a step: they fit a small array. */
#define MAX_OPERANDS 64
/* Size of all temps of a thread, on its stack; a temp is at least one cache line. */
#define TEMP_BYTES 32768
#define MAX_TEMPS (TEMP_BYTES / CACHE_LINE)

/* Two sides: the lower and the upper half of the ranks. The partial sum of side s goes to two
 * buffers, numbered like further ranks: nrank + s for the other side, and nrank + NSIDE + s for
 * itself, because the other core takes the lines it reads. See two_stage.c. */
#define NSIDE 2
#define NPARTIAL (2 * NSIDE)

struct operand {
	uint64_t begin; /* bytes into the buffer */
	uint32_t rank;	/* ORDO_NONE: a temp; nrank and more: partial sums */
	uint32_t temp;
};

/* Temps hold the accumulator type of the layout until a sum is rounded, and the element type
 * afterwards. */
enum step_kind {
	FOLD,	/* folds the sources into every destination; copies a single source */
	DIVIDE, /* divides the one destination, in place, by the number of contributions */
	WIDEN,	/* converts the one source from the element type to the accumulator */
	NARROW, /* rounds the one source from the accumulator to the element type */
};
struct step {
	enum step_kind kind;
	uint32_t src, dst; /* first operands */
	uint32_t nsrc, ndst;
};

struct fold {
	uint32_t first_step, nstep;
	uint64_t nelement;
	bool takes; /* prefetches its sources for writing (ORDO_TAKE) */
};

/* A unit of work for one thread: folds [fold, fold + nfold); if nfold is 1, its elements [begin,
 * begin + n). */
struct item {
	uint32_t fold, nfold;
	uint64_t begin, n;
};

/* Capacities of the lists. */
struct fold_room {
	size_t operands, steps, folds, items;
};

struct folds {
	const struct layout *layout;
	enum ordo_type type;
	enum ordo_reduction reduction;
	bool widens;	  /* the accumulator is not the type */
	uint64_t element; /* bytes of the larger of the two */
	ordo_fold_kernel *fold;
	ordo_fold_kernel *copy; /* of bytes */
	ordo_divide_kernel *divide;
	uint32_t divisor; /* 1: nothing is divided */

	struct operand *operands;
	struct step *steps;
	struct fold *list;
	struct item *items;
	size_t noperand, nstep, nfold, nitem;
	struct fold_room room;
	/* items of the first stage; the others run after all of these. nitem: one stage */
	size_t nfirst;
	uint32_t ngroup; /* groups of ranks: no fold writes to two groups */
	uint32_t ntemp;
	uint64_t block;	  /* elements of a temp */
	uint64_t traffic; /* bytes read and written in one call */
	bool streaming;	  /* more than the caches hold */
};

/* A rank's memory in one call, or that of partial sums. */
struct ends {
	const unsigned char *input;
	unsigned char *output;
};

/* Sets the fields that do not depend on the proof. */
void ordo_folds_begin(
	struct folds *folds, const struct layout *layout, const struct ordo_plan_options *options);
/* Derives the folds of a proved schedule. The layout must outlive them. ngroup: groups of ranks; 0:
 * chosen by the number of cores. The caller frees the folds, also after a failure. */
bool ordo_folds_derive(struct folds *folds, const struct layout *layout,
	const struct ordo_plan_options *options, const struct ordo_proof *proof, uint32_t ngroup,
	struct ordo_error *error);
/* The same in two stages; without items if the proved trees do not allow it. See two_stage.c. */
bool ordo_folds_derive_two_stage(struct folds *folds, const struct layout *layout,
	const struct ordo_plan_options *options, const struct ordo_proof *proof,
	struct ordo_error *error);
/* Whether two stages pay on this machine for vectors of this size. */
bool ordo_two_stage_pays(const struct layout *layout);
void ordo_folds_free(struct folds *folds);
/* The number of groups of ranks: see partition.c. */
uint32_t ordo_folds_count_groups(const struct folds *folds);
/* The first rank of a group. */
static inline uint32_t group_begin(const struct folds *folds, uint32_t group)
{
	return (uint32_t)((uint64_t)folds->layout->problem.nrank * group / folds->ngroup);
}
/* Partitions the derived folds into items. */
bool ordo_folds_partition(struct folds *folds, struct ordo_error *error);
/* Parts of ordo_folds_partition for another partition: sets the fields that depend on the lengths
 * of folds; appends an item. */
void ordo_folds_measure(struct folds *folds);
bool ordo_folds_append_item(struct folds *folds, struct item item, struct ordo_error *error);
/* The first fold of every rank, [nrank + 1], of folds that are sorted by the one rank they write
 * to. The caller frees it. NULL: no memory. */
uint32_t *ordo_folds_index(const struct folds *folds, struct ordo_error *error);

/* A tree to evaluate, and the rank whose output it is. Steps are appended by lower.c. */
struct root {
	uint32_t tree; /* as ordo_same_tree */
	uint32_t rank; /* whose output holds it; nrank and more: partial sums */
};
struct lowering;
struct lowering *ordo_lowering_create(
	struct folds *folds, const struct ordo_trees *trees, struct ordo_error *error);
void ordo_lowering_destroy(struct lowering *lowering);
/* Appends a fold that computes a chunk for all roots, which are sorted by tree. */
bool ordo_lowering_add(struct lowering *lowering, const struct root *roots, uint32_t nroot,
	uint32_t chunk, struct ordo_error *error);
/* A partial sum computed by the first stage, and the buffer the next folds read it from. */
struct partial {
	uint32_t tree; /* as ordo_same_tree; ORDO_NONE: none */
	uint32_t rank; /* nrank and more */
};
void ordo_lowering_read_partials(struct lowering *lowering, const struct partial partials[NSIDE]);
/* Extends the last fold by a chunk with the same roots, if the chunk is adjacent to it in every
 * operand. */
bool ordo_lowering_extend(struct lowering *lowering, uint32_t chunk);

/* Runs an item of a call on the buffers ends[nrank], or [nrank + NPARTIAL] with two stages.
 * in_place: no non-temporal stores of sums. */
void ordo_fold_item(
	const struct folds *folds, const struct item *item, const struct ends *ends, bool in_place);

#endif
