/* type_op.c - element types and reductions, one or several: --type and --op with lists. */
#include "type_op.h"
#include <ordo/detail/accumulate.h>
#include <string.h>

static void add_type(struct arithmetics *arithmetics, enum ordo_type type)
{
	for (uint32_t i = 0; i < arithmetics->ntype; i++)
		if (arithmetics->types[i] == type)
			return;
	arithmetics->types[arithmetics->ntype++] = type;
}

static void add_reduction(struct arithmetics *arithmetics, enum ordo_reduction reduction)
{
	for (uint32_t i = 0; i < arithmetics->nreduction; i++)
		if (arithmetics->reductions[i] == reduction)
			return;
	arithmetics->reductions[arithmetics->nreduction++] = reduction;
}

static bool read_type(struct call *call, struct arithmetics *arithmetics, const char *name)
{
	enum ordo_type type;
	if (!strcmp(name, "all")) {
		arithmetics->all_types = true;
		for (int i = 0; i < ORDO_NTYPE; i++)
			add_type(arithmetics, (enum ordo_type)i);
		return true;
	}
	if (!ordo_type_from_name(name, &type)) {
		call->status = fail_usage(
			call, NULL, "--type: found %s, wanted " ORDO_TYPE_NAMES ", or all", name);
		return false;
	}
	add_type(arithmetics, type);
	return true;
}

static bool read_reduction(struct call *call, struct arithmetics *arithmetics, const char *name)
{
	enum ordo_reduction reduction;
	if (!strcmp(name, "all")) {
		arithmetics->all_reductions = true;
		for (int i = 0; i < ORDO_NREDUCTION; i++)
			add_reduction(arithmetics, (enum ordo_reduction)i);
		return true;
	}
	if (!ordo_reduction_from_name(name, &reduction))
		return refuse_usage(call, NULL,
			"--op: found %s, wanted " ORDO_REDUCTION_NAMES ", or all", name);
	add_reduction(arithmetics, reduction);
	return true;
}

bool read_arithmetics(struct call *call, struct arithmetics *arithmetics)
{
	for (size_t i = 0; i < arithmetics->type_names.count; i++)
		if (!read_type(call, arithmetics, arithmetics->type_names.items[i]))
			return false;
	for (size_t i = 0; i < arithmetics->reduction_names.count; i++)
		if (!read_reduction(call, arithmetics, arithmetics->reduction_names.items[i]))
			return false;
	if (!arithmetics->nreduction)
		add_reduction(arithmetics, ORDO_SUM);
	return true;
}

bool is_row(const struct ordo_problem *problem, enum ordo_type type, enum ordo_reduction reduction)
{
	return !ordo_operator_facts(problem->op)->reduces ||
	       ordo_can_reduce(problem, type, reduction, NULL);
}

/* Of what was named, all have to go with all. */
static bool fit_reductions(struct call *call, const struct arithmetics *arithmetics,
	const struct ordo_problem *problem)
{
	struct ordo_error error = {0};
	uint32_t nrow = 0;
	for (uint32_t i = 0; i < arithmetics->ntype; i++)
		for (uint32_t k = 0; k < arithmetics->nreduction; k++) {
			const enum ordo_type type = arithmetics->types[i];
			const enum ordo_reduction reduction = arithmetics->reductions[k];
			if (is_row(problem, type, reduction))
				nrow++;
			else if (!ordo_can_reduce(problem, type, reduction, &error) &&
				 !arithmetics->all_types && !arithmetics->all_reductions)
				return refuse_error(call, &error);
		}
	return nrow || refuse_error(call, &error);
}

bool fit_types(
	struct call *call, struct arithmetics *arithmetics, const struct ordo_problem *problem)
{
	uint32_t nkept = 0;
	if (!arithmetics->ntype)
		add_type(arithmetics, ordo_usual_type(problem));
	for (uint32_t i = 0; i < arithmetics->ntype; i++) {
		struct ordo_error error;
		const enum ordo_type type = arithmetics->types[i];
		if (ordo_accumulates(problem, type, &error))
			arithmetics->types[nkept++] = type;
		else if (!arithmetics->all_types)
			return refuse_error(call, &error);
	}
	arithmetics->ntype = nkept;
	return fit_reductions(call, arithmetics, problem);
}

void free_arithmetics(struct arithmetics *arithmetics)
{
	free_texts(&arithmetics->type_names);
	free_texts(&arithmetics->reduction_names);
}
