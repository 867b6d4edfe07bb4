/* guides.h - algorithms, topologies, kinds of tasks and terms in plain words, as `ordo explain`
 * tells them. */
#ifndef ORDO_TOOLS_HELP_GUIDES_H
#define ORDO_TOOLS_HELP_GUIDES_H

#include <stddef.h>

/* An algorithm or a topology. */
struct guide {
	const char *name;
	const char *how;    /* how it works, or what it looks like */
	const char *when;   /* when to choose it, or what has it */
	const char *sample; /* a topology: one of it, to be counted; NULL for algorithms */
};
/* NULL: there is none of that name. Names are compared without regard to case. */
const struct guide *find_algorithm_guide(const char *name);
const struct guide *find_topology_guide(const char *name);

struct term {
	const char *name;
	const char *title; /* a few words */
	const char *text;
	const char *example;
};
const struct term *find_term(const char *name);
/* The terms there are, in order. */
const struct term *terms(size_t *count);

#endif
