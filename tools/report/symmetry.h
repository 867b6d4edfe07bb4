/* symmetry.h - proofs from one program, where all ranks' programs are one: of documents, and of
 * programs generated on the fly for more ranks than a document holds. */
#ifndef ORDO_TOOLS_REPORT_SYMMETRY_H
#define ORDO_TOOLS_REPORT_SYMMETRY_H

#include "guarantees.h"
#include <ordo/detail/symmetry.h>

enum symmetry_use { SYMMETRY_AUTO, SYMMETRY_OFF, SYMMETRY_ONLY };

/* NULL is auto. false: call->status. */
bool read_symmetry_use(struct call *call, const char *text, enum symmetry_use *use);

/* What a proof was made from; found is false if it was made from the whole. */
struct symmetry_found {
	bool found;
	struct ordo_symmetry symmetry;
	uint32_t ntask; /* of rank 0's program */
};

/* Proves a schedule from one program, or from the whole: `auto` looks for a symmetry where that
 * pays, and what is refuted is refuted from the whole, which has the witnesses. NULL:
 * call->status. */
struct ordo_proof *prove_schedule(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, enum symmetry_use use,
	struct symmetry_found *found);
void report_symmetry(const struct report *report, const struct symmetry_found *found);

/* `ordo verify --generate`. */
struct generate_wish {
	const char *algorithm, *operator;
	uint32_t ranks;
	bool trust; /* compare only the ranks that generate the group */
	enum symmetry_use use;
	struct ordo_verify_options options;
	struct arithmetic arithmetic; /* which the guarantees are checked for */
};
int verify_generated(struct call *call, const struct generate_wish *wish);

#endif
