/* contents_table.h - `ordo draw --as table`: the contents of every slot after each step. */
#ifndef ORDO_TOOLS_VIEW_TEXT_CONTENTS_TABLE_H
#define ORDO_TOOLS_VIEW_TEXT_CONTENTS_TABLE_H

#include "cli/options.h"
#include <ordo/verify.h>

struct contents_wish {
	struct texts ranks, chunks, steps;
	bool trees;
};

/* What a picture shows of what is wrong. */
enum { MOST_FINDINGS = 16 };

/* Are all ranks, chunks and slots there that tasks name? The proof (NULL: undecided) was given up
 * after MOST_FINDINGS. false: call->status. */
bool can_be_followed(
	struct call *call, const struct ordo_schedule *schedule, const struct ordo_proof *proof);

/* Prints it for the ranks that were chosen, or a few. The proof is as for can_be_followed. false:
 * call->status. */
bool draw_contents(struct call *call, const struct contents_wish *wish,
	const struct ordo_schedule *schedule, const struct ordo_proof *proof, bool markdown,
	FILE *out);

#endif
