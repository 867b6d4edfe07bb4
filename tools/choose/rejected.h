/* rejected.h - reports the rejected algorithms, and those that could replace a failed one. */
#ifndef ORDO_TOOLS_CHOOSE_REJECTED_H
#define ORDO_TOOLS_CHOOSE_REJECTED_H

#include "cli/requirements.h"
#include <ordo/compiler.h>

/* Reports an error of one algorithm; its hint lists the algorithms that would succeed, on this
 * topology or else on a full mesh. request->closure: a struct progress. Always false, with
 * call->status. */
bool refuse_with_others(struct call *call, const struct ordo_request *request,
	const struct conditions *wanted, struct ordo_error *error);
/* Does the topology lack a way that the operator, or the signals of any schedule, must take? Then
 * the error names it: a set of ranks that nothing leads into or out of. */
bool lacks_a_way(const struct ordo_request *request, struct ordo_error *error);
/* The same, or are some ranks joined only by links that lead one way? Then few schedules are
 * possible, and the error names two such ranks. */
bool lacks_answers(const struct ordo_request *request, struct ordo_error *error);
/* Reports that no algorithm succeeds, and what would help. Always false, with call->status. */
bool refuse_all(struct call *call, const struct ordo_request *request,
	const struct conditions *wanted, struct ordo_error *error);
/* The reason for an algorithm, without its name. */
const char *without_name(const struct ordo_refusal *refused);
/* The reasons why earlier candidates were rejected: all with --json, else the first few. */
void report_passed_over(struct call *call, const struct ordo_candidates *passed);

#endif
