/* guarantees.c - what an order promises, for an element type and a reduction. */
#include <math.h>
#include <ordo/order.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name, *title, *meaning;
} guarantees[ORDO_NGUARANTEE] = {
	[ORDO_G1] = {"G1", "rank-equal", "every rank's copy of a chunk has the same bits"},
	[ORDO_G2] = {"G2", "run-to-run", "no timing changes a bit"},
	[ORDO_G3] = {"G3", "position-invariant", "all chunks are summed in one order"},
	[ORDO_G4] = {"G4", "placement-invariant", "other topologies and failed links change no bit"},
	[ORDO_G5] = {"G5", "rank-count-invariant", "other numbers of ranks change no bit"},
};

const char *ordo_guarantee_name(enum ordo_guarantee guarantee)
{
	return guarantees[guarantee].name;
}

const char *ordo_guarantee_title(enum ordo_guarantee guarantee)
{
	return guarantees[guarantee].title;
}

const char *ordo_guarantee_meaning(enum ordo_guarantee guarantee)
{
	return guarantees[guarantee].meaning;
}

bool ordo_guarantee_read(const char *text, enum ordo_guarantee *guarantee)
{
	for (int i = 0; i < ORDO_NGUARANTEE; i++)
		if (!strcasecmp(text, guarantees[i].name) || !strcmp(text, guarantees[i].title)) {
			*guarantee = (enum ordo_guarantee)i;
			return true;
		}
	return false;
}

double ordo_error_bound(
	enum ordo_type type, enum ordo_reduction reduction, const struct ordo_tree_facts *facts)
{
	if (ordo_is_associative(type, reduction))
		return 0;
	const double u = ldexp(1, -(int)ordo_type_facts(type)->precision);
	const uint32_t roundings = reduction == ORDO_SUM ? facts->depth : facts->leaves - 1;
	return expm1((double)roundings * log1p(u));
}

/* One judgement under way. */
struct judging {
	const struct ordo_order *order;
	struct ordo_arena *arena;
	struct ordo_judgement *judgement;
	struct ordo_error *error;
};

static bool settle(const struct judging *judging, enum ordo_verdict verdict, const char *why)
{
	judging->judgement->verdict = verdict;
	judging->judgement->why = why;
	return why ? true : ordo_fail_memory(judging->error);
}

/* Two elements whose trees are not the same: what differs first, and an input on which the bits do. */
static bool contradict(const struct judging *judging, enum ordo_type type, enum ordo_reduction reduction,
	const struct ordo_element element[2], const uint32_t tree[2])
{
	const struct ordo_forest *forest = judging->order->forest;
	struct ordo_contradiction *found = &judging->judgement->contradiction;
	if (!ordo_contradict(forest, type, reduction, element, tree, found, judging->error))
		return false;
	judging->judgement->contradicted = true;
	const char *text[3];
	for (int i = 0; i < 2; i++)
		text[i] = ordo_forest_print(forest, judging->arena, tree[i], 32);
	text[2] = ordo_forest_print(forest, judging->arena, found->witness.node[0], 16);
	if (!text[0] || !text[1] || !text[2])
		return ordo_fail_memory(judging->error);
	const char *why =
		element[0].chunk == element[1].chunk
			? ordo_arena_format(judging->arena, "chunk %u is %s on rank %u but %s on rank %u",
				  element[0].chunk, text[0], element[0].rank, text[1], element[1].rank)
			: ordo_arena_format(judging->arena, "chunk %u is %s but chunk %u is %s",
				  element[0].chunk, text[0], element[1].chunk, text[1]);
	return settle(judging, ORDO_DOES_NOT_HOLD, why);
}

/* G1: the first copy that is not the same as the first rank's. */
static bool judge_ranks(const struct judging *judging, enum ordo_type type, enum ordo_reduction reduction)
{
	const struct ordo_order *order = judging->order;
	const struct ordo_trees *trees = &order->forest->trees;
	for (uint32_t i = 0; i < order->ncopy; i++) {
		const struct ordo_copy *copy = &order->copies[i];
		const uint32_t first = order->chunk_tree[copy->chunk];
		if (ordo_same_tree(trees, first) == ordo_same_tree(trees, copy->tree))
			continue;
		uint32_t rank, end;
		ordo_chunk_holders(&order->problem, copy->chunk, &rank, &end);
		return contradict(judging, type, reduction,
			(struct ordo_element[2]){{rank, copy->chunk, 0}, {copy->rank, copy->chunk, 0}},
			(uint32_t[2]){first, copy->tree});
	}
	judging->judgement->verdict = ORDO_HOLDS;
	judging->judgement->identical = !order->ncopy;
	return true;
}

/* G3: the first chunk that is not the same as chunk 0. */
static bool judge_positions(const struct judging *judging, enum ordo_type type, enum ordo_reduction reduction)
{
	const struct ordo_order *order = judging->order;
	bool identical = !order->ncopy;
	for (uint32_t chunk = 1; chunk < order->nchunk; chunk++) {
		const uint32_t trees[2] = {order->chunk_tree[0], order->chunk_tree[chunk]};
		identical = identical && trees[0] == trees[1];
		if (order->chunk_class[chunk] == order->chunk_class[0])
			continue;
		uint32_t ranks[2], end;
		ordo_chunk_holders(&order->problem, 0, &ranks[0], &end);
		ordo_chunk_holders(&order->problem, chunk, &ranks[1], &end);
		return contradict(judging, type, reduction,
			(struct ordo_element[2]){{ranks[0], 0, 0}, {ranks[1], chunk, 0}}, trees);
	}
	judging->judgement->verdict = ORDO_HOLDS;
	judging->judgement->identical = identical;
	return true;
}

static bool judge_runs(const struct judging *judging)
{
	if (judging->order->run_to_run == ORDO_DOES_NOT_HOLD)
		return settle(judging, ORDO_DOES_NOT_HOLD,
			ordo_arena_format(judging->arena, "%s", judging->order->run_to_run_why));
	judging->judgement->verdict = ORDO_HOLDS;
	judging->judgement->identical = true;
	return true;
}

bool ordo_judge_guarantee(const struct ordo_order *order, enum ordo_guarantee guarantee, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_arena *arena, struct ordo_judgement *judgement,
	struct ordo_error *error)
{
	const struct judging judging = {order, arena, judgement, error};
	const char *operator_name = ordo_operator_facts(order->problem.op)->name;
	*judgement = (struct ordo_judgement){.verdict = ORDO_NOT_ASKED};
	if (guarantee == ORDO_G4 || guarantee == ORDO_G5)
		return settle(&judging, ORDO_NOT_ASKED, "compare with `ordo diff`");
	if (!ordo_operator_facts(order->problem.op)->reduces)
		return settle(&judging, ORDO_NOT_APPLICABLE,
			ordo_arena_format(arena, "%s adds nothing", operator_name));
	if (ordo_is_associative(type, reduction))
		return settle(&judging, ORDO_HOLDS,
			ordo_arena_format(arena, "%s %s is associative, every order has the same bits",
				ordo_type_name(type), ordo_reduction_name(reduction)));
	if (guarantee == ORDO_G2)
		return judge_runs(&judging);
	if (order->run_to_run == ORDO_DOES_NOT_HOLD)
		return settle(&judging, ORDO_NOT_ASKED, "no order is fixed, since G2 does not hold");
	return guarantee == ORDO_G1 ? judge_ranks(&judging, type, reduction)
				    : judge_positions(&judging, type, reduction);
}
