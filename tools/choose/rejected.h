/* rejected.h - what is said of the algorithms that were not taken, and of those that could be. */
#ifndef ORDO_TOOLS_CHOOSE_REJECTED_H
#define ORDO_TOOLS_CHOOSE_REJECTED_H

#include "cli/requirements.h"
#include <ordo/compiler.h>

/* Reports an error of which other algorithms are free: with those that would do as its hint, here
 * or, if there are none, were the links no matter. request->closure: a struct progress. Always
 * false, with call->status. */
bool refuse_with_others(struct call *call, const struct ordo_request *request,
	const struct conditions *wanted, struct ordo_error *error);
/* Reports that none at all will do, and what would. Always false, with call->status. */
bool refuse_all(struct call *call, const struct ordo_request *request,
	const struct conditions *wanted, struct ordo_error *error);
/* What is said of an algorithm, without saying again of which. */
const char *without_name(const struct ordo_refusal *refused);
/* Why those that came before did not do: all of them with --json, else the first few. */
void report_passed_over(struct call *call, const struct ordo_candidates *passed);

#endif
