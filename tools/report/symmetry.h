/* symmetry.h - proofs from one program, if all ranks' programs are relabelled copies of it: of
 * documents, and of programs generated on demand for more ranks than a document can hold. */
#ifndef ORDO_TOOLS_REPORT_SYMMETRY_H
#define ORDO_TOOLS_REPORT_SYMMETRY_H

#include "guarantees.h"
#include <ordo/detail/symmetry.h>

enum symmetry_use { SYMMETRY_AUTO, SYMMETRY_OFF, SYMMETRY_ONLY };

/* NULL is auto. false: call->status. */
bool read_symmetry_use(struct call *call, const char *text, enum symmetry_use *use);

/* The symmetry used by a proof; found is false if all ranks were proved. */
struct symmetry_found {
	bool found;
	struct ordo_symmetry symmetry;
	uint32_t ntask; /* of rank 0's program */
};

/* Proves a schedule from one program or from all: `auto` looks for a symmetry if that is likely to
 * be faster, and refutes from all programs, which gives witnesses. NULL: call->status. */
struct ordo_proof *prove_schedule(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options, enum symmetry_use use,
	struct symmetry_found *found);
void report_symmetry(const struct report *report, const struct symmetry_found *found);

/* `ordo verify --generate`. */
struct generate_options {
	const char *algorithm, *operator;
	uint32_t ranks;
	bool trust; /* compare only the ranks that generate the group */
	enum symmetry_use use;
	struct ordo_verify_options options;
	struct arithmetic arithmetic; /* for which the guarantees are checked */
};
int verify_generated(struct call *call, const struct generate_options *args);

#endif
