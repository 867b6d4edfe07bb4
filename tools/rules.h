/* rules.h - the rules R1..R13 and the guarantees G1..G5 in words, as `ordo explain` tells them. */
#ifndef ORDO_TOOLS_RULES_H
#define ORDO_TOOLS_RULES_H

struct rule {
	const char *title; /* a few words */
	const char *text;  /* what it demands */
	const char *why;   /* what goes wrong without it */
	const char *cure;  /* what to do when it is broken */
};
enum { NRULE = 13 };
extern const struct rule rules[NRULE + 1]; /* [1..13] */

/* Beside what ordo_guarantee_meaning says. */
struct guarantee {
	const char *text; /* what it is, of trees */
	const char *why;  /* who needs it */
	const char *ask;  /* which command says whether it holds */
};
extern const struct guarantee guarantees[]; /* [ORDO_NGUARANTEE] */

#endif
