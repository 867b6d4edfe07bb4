/* explain.h - the longer explanations. Each returns an exit code. */
#ifndef ORDO_TOOLS_EXPLAIN_EXPLAIN_H
#define ORDO_TOOLS_EXPLAIN_EXPLAIN_H

#include "base/report.h"
#include <ordo/compiler.h>
#include <ordo/detail/order.h>

/* NULL if there is none of that name. */
const struct ordo_topology_facts *find_topology(const char *name);

/* `demands   ...`: a name and what is said of it, in lines of at most 100 letters. */
void say_field(struct call *call, const char *name, const char *text);
/* The same, and a member of the answer. */
void explain_field(struct call *call, const char *member, const char *label, const char *text);
/* `name: text`, and both as members. */
void explain_head(struct call *call, const char *kind, const char *name, const char *member,
	const char *text);

/* With `output`, nothing but writing the example there. */
int explain_rule(struct call *call, int number, const char *output);
int explain_guarantee(struct call *call, enum ordo_guarantee guarantee, const char *output);
/* All that is known of an algorithm by its own name or an alias; there is one. With `taught` also
 * in plain words with an example of four ranks, which `output` gets. */
int explain_algorithm(struct call *call, const char *name, bool taught, const char *output);
int explain_operator(struct call *call, enum ordo_operator op);
/* One line. */
const char *task_kind_meaning(enum ordo_task_kind kind);
int explain_kind(struct call *call, enum ordo_task_kind kind);
int explain_topology(struct call *call, const struct ordo_topology_facts *facts);
/* There is one of that name. */
int explain_term(struct call *call, const char *name);
/* A schedule in words: what moves phase by phase, at most `trees` reduction trees, and why it is
 * sound. */
int explain_schedule(struct call *call, const char *path, uint32_t trees);

#endif
