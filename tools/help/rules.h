/* rules.h - the rules R1..R13 and the guarantees G1..G5 in words, as `ordo explain` tells them. */
#ifndef ORDO_TOOLS_HELP_RULES_H
#define ORDO_TOOLS_HELP_RULES_H

struct rule {
	const char *title; /* a few words */
	const char *text;  /* what it demands */
	const char *why;   /* what goes wrong without it */
	const char *cure;  /* what to do when it is broken */
	const char *story; /* the document rules/Rn.json, which breaks it and nothing else */
	/* what `ordo verify` needs beside that document to see it; "" for nothing */
	const char *ask;
};
enum { NRULE = 13 };
extern const struct rule rules[NRULE + 1]; /* [1..13] */

/* Beside what ordo_guarantee_meaning says. */
struct guarantee {
	const char *text; /* what it is, of trees */
	const char *why;  /* who needs it */
	const char *ask;  /* which command says whether it holds */
	const char *story;
	/* Commands that show it refuted, each with what it prints below it; a line of ... stands
	 * for any lines. */
	const char *transcript;
};
extern const struct guarantee guarantees[]; /* [ORDO_NGUARANTEE] */

#endif
