/* contents_table.h - `ordo draw --as table`: the contents of every slot after each step. */
#ifndef ORDO_TOOLS_VIEW_TEXT_CONTENTS_TABLE_H
#define ORDO_TOOLS_VIEW_TEXT_CONTENTS_TABLE_H

#include "cli/options.h"
#include <ordo/verify.h>

struct contents_options {
	struct texts ranks, chunks, steps;
	bool trees;
};

/* The findings of a proof that a picture shows. */
enum { MOST_FINDINGS = 16 };

/* Do all ranks, chunks and slots that tasks name exist? The proof (NULL: undecided) stopped after
 * MOST_FINDINGS. false: call->status. */
bool can_be_followed(
	struct call *call, const struct ordo_schedule *schedule, const struct ordo_proof *proof);

/* Prints the table for the selected ranks, or a few. The proof is as for can_be_followed. false:
 * call->status. */
bool draw_contents(struct call *call, const struct contents_options *args,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof, bool markdown,
	FILE *out);

#endif
