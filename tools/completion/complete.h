/* complete.h - the candidates at a place of a command line, for completion by a shell. */
#ifndef ORDO_TOOLS_COMPLETION_COMPLETE_H
#define ORDO_TOOLS_COMPLETION_COMPLETE_H

#include "values.h"

/* A word being typed. The text before the part that is completed ("--topology=", "G1,", "mesh(") is
 * kept. */
struct completion {
	struct call *call;
	const char *word; /* as typed so far */
	size_t kept;	  /* leading letters that stay as they are */
	cJSON *list;	  /* with --json: the candidates */
	bool files, folders;
	/* what complete_values completes */
	const char *argument;
	bool repeats; /* the argument is a list */
	int op;
};

/* Prints the whole word if `value` continues what was typed; `meaning` may be NULL. */
void print_candidate(struct completion *completion, const char *value, const char *meaning);
/* Prints all values of an argument or operand of that name. op: the operator on the command line;
 * ORDO_NOPERATOR: none. */
void complete_values(struct completion *completion, const char *argument, bool list, int op);

#endif
