/* contents_text.h - a table of the contents of every slot after each step, for people, documents
 * and diff. */
#ifndef ORDO_TOOLS_VIEW_TEXT_CONTENTS_TEXT_H
#define ORDO_TOOLS_VIEW_TEXT_CONTENTS_TEXT_H

#include "view/model/contents.h"
#include <stdio.h>

struct contents_form {
	bool markdown;
	bool trees;	       /* print trees of sums, not only their contributors */
	const uint32_t *ranks; /* [nrank] ranks of the contents: the rows */
	uint32_t nrank;
	/* [nchunk] show slots that hold these at some step; NULL: the first few slots of each
	 * buffer */
	const bool *chunks;
	const bool *steps;  /* [contents->nstep + 1]; NULL: all, or of many the first and last */
	const char *remark; /* the first line; NULL: none */
};

/* The parts that were left out by default. */
struct contents_omission {
	uint32_t slots, all_slots; /* the columns, and their number without omission */
	uint32_t steps, all_steps;
};

/* At most 100 letters a line, unless the text of one slot is longer; the same bytes on every
 * machine. false: no memory. The caller checks the stream for errors. */
bool print_contents(FILE *out, const struct ordo_schedule *schedule,
	const struct contents *contents, const struct contents_form *form,
	struct contents_omission *omission);

#endif
