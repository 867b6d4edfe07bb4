/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* operators.h - facts and names of operators, and whether a problem is one. */
#ifndef ORDO_OPERATORS_H
#define ORDO_OPERATORS_H

#include <ordo/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_operator_facts {
	const char *name; /* "AllReduce", as in documents */
	bool reduces;	  /* outputs are sums over shards */
	bool rooted;
	bool has_in_place;
	const char *meaning; /* one line */
};

ORDO_API const struct ordo_operator_facts *ordo_operator_facts(enum ordo_operator op);
/* Exact document name ("AllReduce") -> operator. */
ORDO_API bool ordo_operator_from_name(const char *name, enum ordo_operator *op);
/* As people type it: case, hyphens and underscores do not count ("all-reduce", "ALLREDUCE"), and
 * the V operators are those they are named after ("alltoallv"): a document is free of counts. */
ORDO_API bool ordo_operator_from_typed(const char *name, enum ordo_operator *op);
/* Does it have several blocks, each with a count of its own (detail/slots.h)? */
ORDO_API bool ordo_has_counts(enum ordo_operator op);
/* "input", "output", "scratch". */
ORDO_API const char *ordo_buffer_name(enum ordo_buffer buffer);

/* Checks ranges: nrank, K, V >= 1, root < nrank, everything within ORDO_LIMIT, in_place only where
 * it exists, V != N and accumulate only for reducing operators. Fails with R1. */
ORDO_API bool ordo_problem_check(const struct ordo_problem *problem, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
