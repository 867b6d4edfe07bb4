/* requirements.c - the required order of a schedule: read from the command line, checked on a
 * proof. */
#include "requirements.h"
#include <ordo/detail/accumulate.h>
#include <string.h>

static bool read_guarantee(struct call *call, struct conditions *conditions, const char *text)
{
	enum ordo_guarantee guarantee;
	if (!strcmp(text, "constant"))
		return conditions->constant = true;
	if (!ordo_guarantee_read(text, &guarantee))
		return refuse_usage(call, "`ordo explain G3` explains G3",
			"--require: found %s, wanted G1, G2, G3 or constant", text);
	if (guarantee == ORDO_G4 || guarantee == ORDO_G5)
		return refuse_usage(call, "`ordo diff A B` compares schedules",
			"--require: %s is about two schedules, wanted G1, G2 or G3",
			ordo_guarantee_name(guarantee));
	conditions->guarantees |= 1u << guarantee;
	return true;
}

bool read_guarantees(struct call *call, struct conditions *conditions)
{
	for (size_t i = 0; i < conditions->required.count; i++)
		if (!read_guarantee(call, conditions, conditions->required.items[i]))
			return false;
	return true;
}

/* Whether the text is an order of the problem's shards. */
static bool read_order(struct call *call, const char *order, const struct ordo_problem *problem)
{
	struct ordo_error error = {0};
	const uint32_t nleaf = problem->nshard ? problem->nshard : problem->nrank;
	struct ordo_forest *forest = ordo_forest_create(&error);
	const bool worked =
		forest && ordo_forest_read(forest, order, nleaf ? nleaf : 1, &error) != ORDO_NONE;
	ordo_forest_destroy(forest);
	if (worked)
		return true;
	if (error.code != ORDO_USAGE)
		return refuse_error(call, &error);
	const char *text = strncmp(error.text, "order: ", 7) ? error.text : error.text + 7;
	return refuse_usage(call, NULL, "--order: %s", text);
}

bool read_conditions(
	struct call *call, struct conditions *conditions, const struct ordo_problem *problem)
{
	if (!read_guarantees(call, conditions))
		return false;
	if (!conditions->order)
		return true;
	if (ordo_is_order_free(problem))
		return refuse_usage(call, NULL, "--order: sums in %s have no order",
			ordo_accumulation_name(problem->accumulate));
	if (!ordo_operator_facts(problem->op)->reduces)
		return refuse_usage(call, NULL, "--order: %s adds nothing, so it has no order",
			ordo_operator_facts(problem->op)->name);
	return read_order(call, conditions->order, problem);
}

bool has_conditions(const struct conditions *conditions)
{
	return conditions->guarantees || conditions->order;
}

bool requires_g3(const struct conditions *conditions)
{
	return conditions->guarantees >> ORDO_G3 & 1;
}

static bool meets_guarantees(const struct ordo_order *order, const struct conditions *conditions,
	struct ordo_arena *arena, struct ordo_error *error)
{
	for (int i = 0; i < ORDO_NGUARANTEE; i++) {
		const enum ordo_guarantee guarantee = (enum ordo_guarantee)i;
		struct ordo_judgement judgement;
		if (!(conditions->guarantees >> i & 1))
			continue;
		if (!ordo_judge_guarantee(order, guarantee, ordo_usual_type(&order->problem),
			    ORDO_SUM, arena, &judgement, error))
			return false;
		if (judgement.verdict != ORDO_HOLDS && judgement.verdict != ORDO_NOT_APPLICABLE)
			return ordo_fail(error, ORDO_REFUTED, 0, "%s %s does not hold: %s",
				ordo_guarantee_name(guarantee), ordo_guarantee_title(guarantee),
				judgement.why ? judgement.why : "");
	}
	return true;
}

static bool refuse_tree(struct ordo_forest *forest, const struct ordo_order *order, uint32_t tree,
	const struct conditions *conditions, struct ordo_arena *arena, struct ordo_error *error)
{
	struct ordo_tree_name name;
	char found[64];
	const char *text = ordo_forest_print(forest, arena, tree, 32);
	if (!text || !ordo_forest_name(forest, tree, &name))
		return ordo_fail_memory(error);
	ordo_tree_name_print(name, found, sizeof found);
	if (order->nclass > 1)
		return ordo_fail(error, ORDO_REFUTED, 0, "%u different orders, one of them %s: %s",
			order->nclass, found, text);
	return ordo_fail(error, ORDO_REFUTED, 0, "its order is not %s but %s: %s",
		conditions->order, found, text);
}

static bool meets_order(struct ordo_forest *forest, const struct ordo_order *order,
	const struct conditions *conditions, struct ordo_arena *arena, struct ordo_error *error)
{
	if (!conditions->order)
		return true;
	const uint32_t wanted =
		ordo_forest_read(forest, conditions->order, order->problem.nshard, error);
	if (wanted == ORDO_NONE)
		return false;
	for (uint32_t i = 0; i < order->nclass; i++)
		if (ordo_same_tree(&forest->trees, order->classes[i].tree) !=
			ordo_same_tree(&forest->trees, wanted))
			return refuse_tree(
				forest, order, order->classes[i].tree, conditions, arena, error);
	return true;
}

bool meets_conditions(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	void *closure, struct ordo_error *error)
{
	const struct conditions *conditions = closure;
	struct ordo_arena arena = {0};
	struct ordo_forest *forest = ordo_forest_create(error);
	struct ordo_order *order =
		forest ? ordo_order_create(forest, schedule, proof, error) : NULL;
	const bool met = order && meets_guarantees(order, conditions, &arena, error) &&
			 meets_order(forest, order, conditions, &arena, error);
	ordo_order_destroy(order);
	ordo_forest_destroy(forest);
	ordo_arena_free(&arena);
	return met;
}

void print_conditions(const struct conditions *conditions, char *out, size_t size)
{
	size_t length = 0;
	out[0] = 0;
	for (int i = 0; i < ORDO_NGUARANTEE && length < size; i++)
		if (conditions->guarantees >> i & 1)
			length += (size_t)snprintf(out + length, size - length, "%s%s",
				length ? ", " : "", ordo_guarantee_name((enum ordo_guarantee)i));
	if (conditions->order && length < size)
		snprintf(out + length, size - length, "%sthe order %s", length ? " and " : "",
			conditions->order);
}
