/* problem.c - the problem named on the command line. */
#include "problem.h"
#include <ordo/detail/accumulate.h>
#include <string.h>

static void operators_hint(char *hint, size_t size)
{
	size_t length = 0;
	hint[0] = 0;
	for (int i = 0; i < ORDO_NOPERATOR && length < size; i++)
		length += (size_t)snprintf(hint + length, size - length, "%s%s",
			i ? ", " : "one of ", ordo_operator_facts((enum ordo_operator)i)->name);
}

bool read_operator(struct call *call, enum ordo_operator *op)
{
	char hint[256];
	const char *names[ORDO_NOPERATOR];
	operators_hint(hint, sizeof hint);
	if (!call->noperand)
		return refuse_usage(call, hint, "which operator?");
	if (call->noperand > 1)
		return refuse_usage(call, NULL, "one operator at a time: found %s and %s",
			call->operands[0], call->operands[1]);
	if (ordo_operator_from_typed(call->operands[0], op) && *op != ORDO_CUSTOM)
		return true;
	if (*op == ORDO_CUSTOM && ordo_operator_from_typed(call->operands[0], op))
		return refuse_usage(call, hint,
			"Custom: nothing says what it should compute, so no algorithm is for it; "
			"its schedules come from `ordo import` or are written by hand");
	for (int i = 0; i < ORDO_NOPERATOR; i++)
		names[i] = ordo_operator_facts((enum ordo_operator)i)->name;
	const char *like = ordo_suggest(call->operands[0], names, ORDO_NOPERATOR);
	if (like)
		snprintf(hint, sizeof hint, "did you mean %s?", like);
	return refuse_usage(call, hint, "unknown operator %s", call->operands[0]);
}

static bool read_accumulate(struct call *call, struct problem_options *args)
{
	if (!args->accumulate ||
		ordo_accumulation_from_name(args->accumulate, &args->problem.accumulate))
		return true;
	return refuse_usage(call, NULL,
		"--accumulate: found %s, wanted f32, exact, binned(bins=2) or binned(bins=3)",
		args->accumulate);
}

bool read_problem(
	struct call *call, const struct topology_choice *topology, struct problem_options *args)
{
	return read_operator(call, &args->problem.op) &&
	       find_ranks(call, topology, &args->problem.nrank) && read_accumulate(call, args) &&
	       renumber_problem(call, topology, &args->problem);
}
