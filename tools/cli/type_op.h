/* type_op.h - element types and reductions, one or several: --type and --op with lists. */
#ifndef ORDO_TOOLS_CLI_TYPE_OP_H
#define ORDO_TOOLS_CLI_TYPE_OP_H

#include "options.h"
#include <ordo/element.h>
#include <ordo/operator.h>

struct arithmetics {
	struct texts type_names, reduction_names; /* as on the command line; none: f32, sum */
	enum ordo_type types[ORDO_NTYPE];
	enum ordo_reduction reductions[ORDO_NREDUCTION];
	uint32_t ntype, nreduction; /* each once, in the order of the command line */
	bool all_types, all_reductions;
};
#define ARITHMETICS_OPTIONS(arithmetics)                                                           \
	{"type", 'd', TEXTS, &(arithmetics).type_names, "TYPE,...",                                \
		"f32 (the default), bf16, f8e4m3, i32, c64, ...: `ordo list`; several, or all"},   \
	{                                                                                          \
		"op", 'o', TEXTS, &(arithmetics).reduction_names, "OP,...",                        \
			"sum (the default), min, avg, band, minloc, ...: `ordo list`; several, "   \
			"or all"                                                                   \
	}

/* Reads the two options. false: call->status. */
bool read_arithmetics(struct call *call, struct arithmetics *arithmetics);
/* With `all`, keeps the types that a schedule of the problem supports; a type given by name must be
 * supported. So with types and reductions: what `all` adds may lack the other, names may not
 * (is_row). false: call->status. */
bool fit_types(
	struct call *call, struct arithmetics *arithmetics, const struct ordo_problem *problem);
/* Whether the type has that reduction, where one is used: what `all` adds to a table may not. */
bool is_row(const struct ordo_problem *problem, enum ordo_type type, enum ordo_reduction reduction);
void free_arithmetics(struct arithmetics *arithmetics);

#endif
