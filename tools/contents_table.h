/* contents_table.h - `ordo draw --as table`: what is in every slot after each step. */
#ifndef ORDO_TOOLS_CONTENTS_TABLE_H
#define ORDO_TOOLS_CONTENTS_TABLE_H

#include "options.h"
#include <ordo/verify.h>

struct contents_wish {
	struct texts ranks, chunks, steps;
	bool trees;
};

/* Prints it for the ranks that were chosen, or a few. The proof (NULL: undecided) says what is wrong with the schedule: slices outside of
 * their buffers have no contents. false: call->status. */
bool draw_contents(struct call *call, const struct contents_wish *wish, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, bool markdown, FILE *out);

#endif
