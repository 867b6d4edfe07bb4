/* requirements.h - the order that the command line requires of a schedule. */
#ifndef ORDO_TOOLS_CLI_REQUIREMENTS_H
#define ORDO_TOOLS_CLI_REQUIREMENTS_H

#include "options.h"
#include <ordo/detail/order.h>

/* --require and --order. */
struct conditions {
	struct texts required; /* as on the command line */
	const char *order;     /* as ordo_forest_read reads it; NULL: any */
	uint32_t guarantees;   /* bit (1 << enum ordo_guarantee), after reading */
	bool constant;	       /* of a plan set: one order over all sizes */
};
#define CONDITION_OPTIONS(conditions)                                                              \
	{"require", 0, TEXTS, &(conditions).required, "G,G",                                       \
		"accept only a schedule with these guarantees: G1, G2, G3; for sizes also: "       \
		"constant"},                                                                       \
	{                                                                                          \
		"order", 0, TEXT, &(conditions).order, "dyadic|folded|linear|TREE",                \
			"accept only a schedule in which every sum is this tree: (0+1)+(2+3), ..." \
	}

/* Reads --require alone. false: call->status. */
bool read_guarantees(struct call *call, struct conditions *conditions);
/* Reads both options for a problem. false: call->status. The caller frees `required`. */
bool read_conditions(
	struct call *call, struct conditions *conditions, const struct ordo_problem *problem);
bool has_conditions(const struct conditions *conditions);
/* Whether every element must be added by one tree, whichever. */
bool requires_g3(const struct conditions *conditions);

/* An ordo_suits (compiler.h); closure: const struct conditions *. Checks sums of floats: without
 * rounding every order meets the conditions. */
bool meets_conditions(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	void *closure, struct ordo_error *error);

/* "G1, G3 and the order dyadic", for messages. */
void print_conditions(const struct conditions *conditions, char *out, size_t size);

#endif
