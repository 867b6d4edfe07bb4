/* collective.h - a proved schedule, lowered to folds. Private to runtime/. */
#ifndef ORDO_RUNTIME_COLLECTIVE_COLLECTIVE_H
#define ORDO_RUNTIME_COLLECTIVE_COLLECTIVE_H

#include "fold.h"
#include <ordo/communicator.h>

/* A collective is eager if no rank's input is longer than this and there are at most so many ranks:
 * then a rank's part holds its input, and every rank folds its own outputs from all parts. */
#define EAGER_INPUT_BYTES 80
#define EAGER_RANKS 64

struct ordo_collective {
	uint64_t serial; /* unique, even if another collective gets the same address later */
	struct layout layout;
	struct folds folds;
	struct folds staged;  /* the same in two stages where that pays; otherwise without items */
	uint64_t fingerprint; /* equal for collectives that agree */
	bool is_eager;
	/* if eager: the same with one output rank per fold, sorted by it; its items are not used */
	struct folds own;
	uint32_t *first_own; /* [nrank + 1] */
	char digest[33];
};

/* A collective of a schedule with its proof. The caller destroys it. NULL: see error. */
struct ordo_collective *ordo_collective_fold(const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct ordo_plan_options *options,
	struct ordo_error *error);
/* The proof of a schedule; NULL: the error names the first broken rule. */
struct ordo_proof *ordo_prove(const struct ordo_schedule *schedule, struct ordo_error *error);
/* Whether ranks that pass these two can share a call: the same operation, sizes and order. */
bool ordo_collectives_agree(const struct ordo_collective *a, const struct ordo_collective *b);
/* "AllReduce of 100 f32, sum". Returns the length like snprintf. */
int ordo_collective_print(const struct ordo_collective *collective, char *out, size_t size);
/* Checks a rank's buffers; in place, derives the one that is NULL. */
bool ordo_collective_check_buffers(const struct ordo_collective *collective, uint32_t rank,
	struct ends *ends, bool *in_place, struct ordo_error *error);

#endif
