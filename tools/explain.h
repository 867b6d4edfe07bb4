/* explain.h - the longer explanations. */
#ifndef ORDO_TOOLS_EXPLAIN_H
#define ORDO_TOOLS_EXPLAIN_H

#include "command.h"
#include <ordo/compiler.h>

/* NULL if there is none of that name. */
const struct ordo_algorithm_facts *find_algorithm(const char *name);
/* All that is known of one algorithm. Returns an exit code, as does the next. */
int explain_algorithm(struct call *call, const struct ordo_algorithm_facts *facts);
/* A schedule in words: what moves phase by phase, at most `trees` reduction trees, and why it is sound. */
int explain_schedule(struct call *call, const char *path, uint32_t trees);

#endif
