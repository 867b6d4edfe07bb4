/* contents_text.h - a table of what every slot holds after each step, for people, documents and
 * diff. */
#ifndef ORDO_TOOLS_VIEW_TEXT_CONTENTS_TEXT_H
#define ORDO_TOOLS_VIEW_TEXT_CONTENTS_TEXT_H

#include "view/model/contents.h"
#include <stdio.h>

struct contents_form {
	bool markdown;
	bool trees;	       /* how sums are added, not only what is in them */
	const uint32_t *ranks; /* [nrank] for which the contents were found: the rows */
	uint32_t nrank;
	/* [nchunk] slots that hold these at some time; NULL: the first few slots of each buffer */
	const bool *chunks;
	const bool *steps;  /* [contents->nstep + 1]; NULL: all, or of many the first and last */
	const char *remark; /* a line at the top; NULL: none */
};

/* What was left out of the table, because nobody chose. */
struct contents_omission {
	uint32_t slots, all_slots; /* the columns, of how many */
	uint32_t steps, all_steps;
};

/* At most 100 letters a line, unless one slot's text is longer; the same bytes everywhere. false:
 * no memory; whether the stream took it all the caller asks. */
bool print_contents(FILE *out, const struct ordo_schedule *schedule,
	const struct contents *contents, const struct contents_form *form,
	struct contents_omission *omission);

#endif
