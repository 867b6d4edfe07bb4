/* collective.h - a schedule that was proved and folded. Private to runtime/. */
#ifndef ORDO_RUNTIME_COLLECTIVE_COLLECTIVE_H
#define ORDO_RUNTIME_COLLECTIVE_COLLECTIVE_H

#include "fold.h"
#include <ordo/communicator.h>

/* A collective is eager if no rank's input is longer than that and there are no more ranks: then a
 * rank's part holds its input, and every rank folds its own outputs from the parts of all. */
#define EAGER_INPUT_BYTES 80
#define EAGER_RANKS 64

struct ordo_collective {
	uint64_t serial; /* no other has it, also none that later lies at the same address */
	struct layout layout;
	struct folds folds;
	struct folds staged;  /* the same in two stages, where that pays; else no items */
	uint64_t fingerprint; /* of what agreeing collectives have in common */
	bool is_eager;
	/* if it is: the same, each fold writing to one rank, sorted by that; its items are not
	 * used */
	struct folds own;
	uint32_t *first_own; /* [nrank + 1] */
	char digest[33];
};

/* Of a schedule whose proof is at hand. */
struct ordo_collective *ordo_collective_fold(const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct ordo_plan_options *options,
	struct ordo_error *error);
/* A proof, or NULL and the first rule that is broken. */
struct ordo_proof *ordo_prove(const struct ordo_schedule *schedule, struct ordo_error *error);
/* Do they do the same to the same buffers? */
bool ordo_collectives_agree(const struct ordo_collective *a, const struct ordo_collective *b);
/* "AllReduce of 100 f32, sum". Returns the length like snprintf. */
int ordo_collective_print(const struct ordo_collective *collective, char *out, size_t size);
/* Checks a rank's buffers; what was left out in place is filled in. */
bool ordo_collective_settle(const struct ordo_collective *collective, uint32_t rank,
	struct ends *ends, bool *in_place, struct ordo_error *error);

#endif
