/* explain.h - the longer explanations. Each returns an exit code. */
#ifndef ORDO_TOOLS_EXPLAIN_EXPLAIN_H
#define ORDO_TOOLS_EXPLAIN_EXPLAIN_H

#include "base/report.h"
#include <ordo/compiler.h>
#include <ordo/detail/order.h>

/* NULL: there is none of that name. */
const struct ordo_topology_facts *find_topology(const char *name);

/* `demands   ...`: a label and its text, in lines of at most 100 columns. */
void say_field(struct call *call, const char *name, const char *text);
/* The same, and a member of the answer. */
void explain_field(struct call *call, const char *member, const char *label, const char *text);
/* `name: text`, and both as members. */
void explain_head(struct call *call, const char *kind, const char *name, const char *member,
	const char *text);

/* With `output`, only writes the example to that file. */
int explain_rule(struct call *call, int number, const char *output);
int explain_guarantee(struct call *call, enum ordo_guarantee guarantee, const char *output);
/* The facts of the algorithm of that name or alias, which exists. `taught` adds an explanation in
 * plain words and an example with four ranks, written to `output` if not NULL. */
int explain_algorithm(struct call *call, const char *name, bool taught, const char *output);
int explain_operator(struct call *call, enum ordo_operator op);
/* In one line. */
const char *task_kind_meaning(enum ordo_task_kind kind);
int explain_kind(struct call *call, enum ordo_task_kind kind);
int explain_topology(struct call *call, const struct ordo_topology_facts *facts);
/* A term of that name exists. */
int explain_term(struct call *call, const char *name);
/* A schedule in words: the moves of each phase, at most `trees` reduction trees, and why it is
 * correct. */
int explain_schedule(struct call *call, const char *path, uint32_t trees);

#endif
