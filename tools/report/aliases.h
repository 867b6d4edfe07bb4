/* aliases.h - reports the established names of algorithms. */
#ifndef ORDO_TOOLS_REPORT_ALIASES_H
#define ORDO_TOOLS_REPORT_ALIASES_H

#include "base/report.h"
#include <ordo/compiler.h>

/* The meaning of an alias for an operator; ORDO_NOPERATOR: for any. false: there is none. */
bool find_named(const char *name, int op, struct ordo_named *named);

/* "mesh(streams=one)". Returns text. */
char *write_notation(const struct ordo_named *named, char *text, size_t size);
/* "ReduceScatter", "AllReduce, Reduce"; returns text. */
char *write_operators(uint32_t operators, char *text, size_t size);

/* The names of operators[op] as items; nothing if list is NULL. */
void add_operators(cJSON *list, uint32_t operators);
/* For `ordo list`: the aliases of an algorithm, each once, in one line. */
void list_aliases(const struct report *algorithm, const struct ordo_algorithm_facts *facts);
/* For one algorithm: the meaning of each alias. */
void explain_aliases(struct call *call, const struct ordo_algorithm_facts *facts);
/* For a name that is an alias: its meaning. */
void explain_alias(
	struct call *call, const char *name, const struct ordo_named *named, uint32_t count);

#endif
