/* model.h - what NCCL does with rings and trees, as schedules.
 *
 * A schedule has the orders of a call, and its ranks in every place of a ring; it does not have the
 * places where the parts of channels end, which depend on size and version: README.md.
 */
#ifndef ORDO_TOOLS_NCCL_MODEL_H
#define ORDO_TOOLS_NCCL_MODEL_H

#include "log.h"

enum nccl_algorithm { NCCL_RING, NCCL_TREE };

/* What a call uses. */
struct nccl_choice {
	enum nccl_algorithm algorithm;
	const char *protocol; /* "LL"; it changes no order */
	uint32_t first, last; /* channels */
};

struct nccl_subject {
	const struct nccl_graph *graph;
	const struct nccl_version *version;
	enum ordo_operator op; /* AllReduce, ReduceScatter or Reduce */
	uint32_t root;	       /* Reduce */
};

/* Why a choice has no schedule; NULL: it has one. */
const char *nccl_not_modelled(enum ordo_operator op, const struct nccl_choice *choice);

/* The schedule of a choice, proved. NULL: an error; ORDO_UNDECIDED: not modelled, or too large. The
 * caller destroys it. */
struct ordo_schedule *nccl_schedule(const struct nccl_subject *subject,
	const struct nccl_choice *choice, struct ordo_error *error);

/* "Ring, LL128, channels 0..7" */
void nccl_print_choice(const struct nccl_choice *choice, char *out, size_t size);

#endif
