/* complete.h - what may be typed at a place of a command line, for shells that complete it. */
#ifndef ORDO_TOOLS_COMPLETION_COMPLETE_H
#define ORDO_TOOLS_COMPLETION_COMPLETE_H

#include "values.h"

/* A word being typed. What stands before the part that is completed - "--topology=", "G1,", "mesh("
 * - is kept. */
struct offers {
	struct call *call;
	const char *word; /* as typed so far */
	size_t kept;	  /* letters of it that stay as they are */
	cJSON *list;	  /* with --json: where offers go */
	bool files, folders;
	/* what offer_values offers now */
	const char *argument;
	bool repeats; /* the argument is a list */
	int op;
};

/* Offers a word as a whole if it goes on as typed; `meaning` may be NULL. */
void offer(struct offers *offers, const char *value, const char *meaning);
/* Offers all that an argument or operand of that name may be. `op`: the operator that the command
 * line has, ORDO_NOPERATOR for none. */
void offer_values(struct offers *offers, const char *argument, bool list, int op);

#endif
