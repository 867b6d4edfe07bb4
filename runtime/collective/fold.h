/* fold.h - what a proved schedule does inside one address space: each output is folded straight
 * from the inputs it is made of.
 *
 * A fold computes one run of elements of all outputs that hold the same chunks. It is a list of
 * steps over operands; an operand is a place in the input (sources) or output (destinations) of a
 * rank, or a temp: a short block of the worker that runs the fold. A fold of one step needs no
 * temps and runs over its elements at once; the others run block by block.
 *
 * Why this is what the schedule does: a proof (verify.h) says of every output which tree of which
 * inputs it is, in every interleaving. Evaluating that tree gives the same bits, wherever copies
 * would have lain on the way. Folds touch different elements of every buffer, so they may run in
 * any order, at the same time, and cut anywhere; in one fold all reads of an element come before
 * its writes, so that input and output may be one memory.
 */
#ifndef ORDO_RUNTIME_COLLECTIVE_FOLD_H
#define ORDO_RUNTIME_COLLECTIVE_FOLD_H

#include "kernels/kernels.h"
#include "tasks/layout.h"
#include <ordo/verify.h>

/* Operands of a step on either side, at most: they fit a small array. */
#define MOST_OPERANDS 64
/* Of all temps of a worker, on its stack; a temp is at least one cache line. */
#define TEMP_BYTES 32768
#define MOST_TEMPS (TEMP_BYTES / CACHE_LINE)

/* Two sides: the lower and the upper half of the ranks. What a side s sums of its own inputs goes
 * to buffers beside those of the ranks, as if there were more of them: nrank + s for the other
 * side, and nrank + NSIDE + s for itself, since a line that another core takes is gone. See
 * two_stage.c. */
#define NSIDE 2
#define NPARTIAL (2 * NSIDE)

struct operand {
	uint64_t begin; /* bytes into the buffer */
	uint32_t rank;	/* ORDO_NONE: a temp; nrank and more: partial sums */
	uint32_t temp;
};

/* Temps hold the accumulator of the layout until a sum is rounded, and the type afterwards. */
enum step_kind {
	FOLD,	/* the sources, folded, to every destination; a single one is copied */
	DIVIDE, /* the one destination, in place, by the number of contributions */
	WIDEN,	/* the one source, of the type, to the accumulator */
	NARROW, /* the one source, an accumulator, to the type */
};
struct step {
	enum step_kind kind;
	uint32_t src, dst; /* first operands */
	uint32_t nsrc, ndst;
};

struct fold {
	uint32_t first_step, nstep;
	uint64_t nelement;
	bool takes; /* lines of its sources from other cores: this one will write to them */
};

/* What one thread does at a time: folds [fold, fold + nfold), of a single one elements [begin,
 * begin + n). */
struct item {
	uint32_t fold, nfold;
	uint64_t begin, n;
};

/* How many the lists have room for. */
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
	/* items that come first, and the others when all of them are done; nitem: all at once */
	size_t nfirst;
	uint32_t ngroup; /* of ranks: no fold writes to two of them */
	uint32_t ntemp;
	uint64_t block;	  /* elements of a temp */
	uint64_t traffic; /* bytes read and written in one call */
	bool streaming;	  /* more than caches hold */
};

/* A rank's memory in one call, or that of partial sums. */
struct ends {
	const unsigned char *input;
	unsigned char *output;
};

/* Sets what does not depend on the proof. */
void ordo_folds_begin(
	struct folds *folds, const struct layout *layout, const struct ordo_plan_options *options);
/* Fills the folds from a proof of a schedule that lies as the layout says, which must stay. ngroup:
 * of ranks, 0: as suits the cores. On failure, too, they are to be freed. */
bool ordo_folds_derive(struct folds *folds, const struct layout *layout,
	const struct ordo_plan_options *options, const struct ordo_proof *proof, uint32_t ngroup,
	struct ordo_error *error);
/* The same in two stages; no items where the proved trees cannot be cut so. See two_stage.c. */
bool ordo_folds_derive_two_stage(struct folds *folds, const struct layout *layout,
	const struct ordo_plan_options *options, const struct ordo_proof *proof,
	struct ordo_error *error);
/* Is this machine, and are the vectors, such that this pays? */
bool ordo_two_stage_pays(const struct layout *layout);
void ordo_folds_free(struct folds *folds);
/* Into how many groups its ranks fall: see partition.c. */
uint32_t ordo_folds_count_groups(const struct folds *folds);
/* The first rank of a group. */
static inline uint32_t group_begin(const struct folds *folds, uint32_t group)
{
	return (uint32_t)((uint64_t)folds->layout->problem.nrank * group / folds->ngroup);
}
/* Partitions what was derived into items. */
bool ordo_folds_partition(struct folds *folds, struct ordo_error *error);
/* What of that another partition needs, too: sets what depends on the length of folds, and appends
 * an item. */
void ordo_folds_measure(struct folds *folds);
bool ordo_folds_append_item(struct folds *folds, struct item item, struct ordo_error *error);
/* Of folds each of which writes to one rank: where those of every rank begin, [nrank + 1]. The
 * caller frees it. NULL: no memory. */
uint32_t *ordo_folds_index(const struct folds *folds, struct ordo_error *error);

/* Appends the steps that evaluate trees: see lower.c. */
struct root {
	uint32_t tree; /* as ordo_same_tree */
	uint32_t rank; /* that holds it; nrank and more: partial sums */
};
struct lowering;
struct lowering *ordo_lowering_create(
	struct folds *folds, const struct ordo_trees *trees, struct ordo_error *error);
void ordo_lowering_destroy(struct lowering *lowering);
/* A fold that makes chunk `chunk` for all roots, sorted by tree. */
bool ordo_lowering_add(struct lowering *lowering, const struct root *roots, uint32_t nroot,
	uint32_t chunk, struct ordo_error *error);
/* Partial sums that were made, and where they are read from here on. */
struct partial {
	uint32_t tree; /* as ordo_same_tree; ORDO_NONE: none */
	uint32_t rank; /* nrank and more */
};
void ordo_lowering_read_partials(struct lowering *lowering, const struct partial partials[NSIDE]);
/* Adds the chunk to the last fold, if it lies right behind that everywhere. The roots are those of
 * that fold. */
bool ordo_lowering_extend(struct lowering *lowering, uint32_t chunk);

/* Runs an item of a call with these buffers, ends[nrank], and with two stages [nrank + NPARTIAL].
 * In place: sums are not stored past the caches. */
void ordo_fold_item(
	const struct folds *folds, const struct item *item, const struct ends *ends, bool in_place);

#endif
