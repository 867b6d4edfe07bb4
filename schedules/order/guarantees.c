/* guarantees.c - what an order promises, for an element type and a reduction. */
#include <math.h>
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/order.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name, *title, *meaning;
} guarantees[ORDO_NGUARANTEE] = {
	[ORDO_G1] = {"G1", "rank-equal", "every rank's copy of a chunk has the same bits"},
	[ORDO_G2] = {"G2", "run-to-run", "no timing changes a bit"},
	[ORDO_G3] = {"G3", "position-invariant", "all chunks are summed in one order"},
	[ORDO_G4] = {"G4", "placement-invariant",
		"other topologies and failed links change no bit"},
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

/* log(1+u) for the u of that type. */
static double log_of_rounding(enum ordo_type type)
{
	return log1p(ldexp(1, -(int)ordo_type_facts(type)->precision));
}

double ordo_error_bound(enum ordo_type type, enum ordo_type accumulator,
	enum ordo_reduction reduction, const struct ordo_tree_facts *facts)
{
	if (ordo_is_associative(type, reduction))
		return 0;
	const uint32_t roundings = reduction == ORDO_PROD ? facts->leaves - 1 : facts->depth;
	/* What was never added to anything is exact in both. */
	const uint32_t last = (accumulator != type && roundings) + (reduction == ORDO_AVG);
	return expm1((double)roundings * log_of_rounding(accumulator) +
		     (double)last * log_of_rounding(type));
}

/* What is judged: an order, or a proof. */
struct subject {
	const struct ordo_problem *problem;
	const struct ordo_trees *trees;
	const uint32_t *chunk_tree;
	const struct ordo_copy *copies;
	uint32_t ncopy;
	enum ordo_verdict run_to_run;
	const char *run_to_run_why;
	const struct ordo_forest *forest; /* that has the trees; NULL: they are a proof's */
	const struct ordo_proof *proof;	  /* with verdicts of its own; NULL: an order's */
};

/* One judgement under way. */
struct judging {
	const struct subject *subject;
	enum ordo_type type;
	enum ordo_reduction reduction;
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

static void hold(const struct judging *judging)
{
	judging->judgement->verdict = ORDO_HOLDS;
}

static bool print_trees(const struct judging *judging, const struct ordo_forest *forest)
{
	struct ordo_judgement *judgement = judging->judgement;
	const struct ordo_contradiction *found = &judgement->contradiction;
	for (int i = 0; i < 2; i++) {
		judgement->tree[i] = ordo_forest_print(forest, judging->arena, found->tree[i], 32);
		judgement->node[i] =
			ordo_forest_print(forest, judging->arena, found->witness.node[i], 32);
		if (!judgement->tree[i] || !judgement->node[i])
			return ordo_fail_memory(judging->error);
	}
	return true;
}

/* Two elements whose trees, of this forest, are not the same: what differs first, and an input on
 * which the bits do. */
static bool contradict_in(const struct judging *judging, const struct ordo_forest *forest,
	const struct ordo_element element[2], const uint32_t tree[2])
{
	struct ordo_judgement *judgement = judging->judgement;
	struct ordo_error error = {0};
	judgement->contradicted = ordo_contradict(forest, judging->type,
		ordo_accumulator(judging->subject->problem, judging->type), judging->reduction,
		element, tree, &judgement->contradiction, &error);
	if (!judgement->contradicted && error.code != ORDO_UNDECIDED) {
		if (judging->error)
			*judging->error = error;
		return false;
	}
	if (!print_trees(judging, forest))
		return false;
	const char *but =
		judgement->contradicted ? "" : "; no input is known on which their bits differ";
	const char *why =
		element[0].chunk == element[1].chunk
			? ordo_arena_format(judging->arena,
				  "chunk %u is %s on rank %u but %s on rank %u%s", element[0].chunk,
				  judgement->tree[0], element[0].rank, judgement->tree[1],
				  element[1].rank, but)
			: ordo_arena_format(judging->arena, "chunk %u is %s but chunk %u is %s%s",
				  element[0].chunk, judgement->tree[0], element[1].chunk,
				  judgement->tree[1], but);
	return settle(judging, ORDO_DOES_NOT_HOLD, why);
}

static bool contradict(
	const struct judging *judging, const struct ordo_element element[2], const uint32_t tree[2])
{
	if (judging->subject->forest)
		return contradict_in(judging, judging->subject->forest, element, tree);
	struct ordo_forest *forest = ordo_forest_create(judging->error);
	uint32_t brought[2] = {tree[0], tree[1]};
	if (!forest)
		return false;
	const bool worked = ordo_forest_bring(forest, judging->subject->trees, brought, 2)
				    ? contradict_in(judging, forest, element, brought)
				    : ordo_fail_memory(judging->error);
	ordo_forest_destroy(forest);
	return worked;
}

static bool same(const struct subject *subject, uint32_t one, uint32_t other)
{
	return ordo_same_tree(subject->trees, one) == ordo_same_tree(subject->trees, other);
}

/* G1: of the copies that are not the same as the first rank's, the first by chunk and rank. */
static bool judge_ranks(const struct judging *judging)
{
	const struct subject *subject = judging->subject;
	const struct ordo_copy *found = NULL;
	for (uint32_t i = 0; i < subject->ncopy; i++) {
		const struct ordo_copy *copy = &subject->copies[i];
		if (same(subject, copy->tree, subject->chunk_tree[copy->chunk]))
			continue;
		if (!found || copy->chunk < found->chunk ||
			(copy->chunk == found->chunk && copy->rank < found->rank))
			found = copy;
	}
	if (!found) {
		hold(judging);
		return true;
	}
	uint32_t rank, end;
	ordo_chunk_holders(subject->problem, found->chunk, &rank, &end);
	return contradict(judging,
		(struct ordo_element[2]){{rank, found->chunk, 0}, {found->rank, found->chunk, 0}},
		(uint32_t[2]){subject->chunk_tree[found->chunk], found->tree});
}

/* G3: the first chunk that is not the same as chunk 0. */
static bool judge_positions(const struct judging *judging)
{
	const struct subject *subject = judging->subject;
	const uint32_t nchunk = ordo_nchunk(subject->problem);
	for (uint32_t chunk = 1; chunk < nchunk; chunk++) {
		const uint32_t trees[2] = {subject->chunk_tree[0], subject->chunk_tree[chunk]};
		if (same(subject, trees[0], trees[1]))
			continue;
		uint32_t ranks[2], end;
		ordo_chunk_holders(subject->problem, 0, &ranks[0], &end);
		ordo_chunk_holders(subject->problem, chunk, &ranks[1], &end);
		return contradict(judging,
			(struct ordo_element[2]){{ranks[0], 0, 0}, {ranks[1], chunk, 0}}, trees);
	}
	hold(judging);
	return true;
}

static bool judge_runs(const struct judging *judging)
{
	if (judging->subject->run_to_run == ORDO_DOES_NOT_HOLD)
		return settle(judging, ORDO_DOES_NOT_HOLD,
			ordo_arena_format(judging->arena, "%s", judging->subject->run_to_run_why));
	hold(judging);
	return true;
}

/* A proof that lists no trees says what it found. */
static bool believe(const struct judging *judging, enum ordo_guarantee guarantee)
{
	const struct ordo_proof *proof = judging->subject->proof;
	const char *why = guarantee == ORDO_G1 ? proof->rank_equal_why : proof->position_why;
	judging->judgement->verdict =
		guarantee == ORDO_G1 ? proof->rank_equal : proof->position_invariant;
	return !why || settle(judging, judging->judgement->verdict,
			       ordo_arena_format(judging->arena, "%s", why));
}

static bool judge(const struct judging *judging, enum ordo_guarantee guarantee)
{
	const struct ordo_operator_facts *facts =
		ordo_operator_facts(judging->subject->problem->op);
	*judging->judgement = (struct ordo_judgement){.verdict = ORDO_NOT_ASKED};
	if (!facts->reduces)
		return settle(judging, ORDO_NOT_APPLICABLE,
			ordo_arena_format(judging->arena, "%s adds nothing", facts->name));
	if (!ordo_accumulates(judging->subject->problem, judging->type, judging->error))
		return false;
	if (guarantee == ORDO_G4 || guarantee == ORDO_G5)
		return settle(judging, ORDO_NOT_ASKED, "compare with `ordo diff`");
	if (ordo_is_associative(judging->type, judging->reduction))
		return settle(judging, ORDO_HOLDS,
			ordo_arena_format(judging->arena,
				"%s %s is associative, every order has the same bits",
				ordo_type_name(judging->type),
				ordo_reduction_name(judging->reduction)));
	if (guarantee == ORDO_G2)
		return judge_runs(judging);
	if (judging->subject->run_to_run == ORDO_DOES_NOT_HOLD)
		return settle(judging, ORDO_NOT_ASKED, "no order is fixed, since G2 does not hold");
	if (!judging->subject->chunk_tree)
		return believe(judging, guarantee);
	return guarantee == ORDO_G1 ? judge_ranks(judging) : judge_positions(judging);
}

bool ordo_judge_guarantee(const struct ordo_order *order, enum ordo_guarantee guarantee,
	enum ordo_type type, enum ordo_reduction reduction, struct ordo_arena *arena,
	struct ordo_judgement *judgement, struct ordo_error *error)
{
	const struct subject subject = {.problem = &order->problem,
		.trees = &order->forest->trees,
		.chunk_tree = order->chunk_tree,
		.copies = order->copies,
		.ncopy = order->ncopy,
		.run_to_run = order->run_to_run,
		.run_to_run_why = order->run_to_run_why,
		.forest = order->forest};
	return judge(
		&(struct judging){&subject, type, reduction, arena, judgement, error}, guarantee);
}

bool ordo_judge_proof(const struct ordo_problem *problem, const struct ordo_proof *proof,
	enum ordo_guarantee guarantee, enum ordo_type type, enum ordo_reduction reduction,
	struct ordo_arena *arena, struct ordo_judgement *judgement, struct ordo_error *error)
{
	const struct subject subject = {.problem = problem,
		.trees = &proof->trees,
		.chunk_tree = proof->chunk_tree,
		.copies = proof->copies,
		.ncopy = proof->ncopy,
		.run_to_run = proof->run_to_run,
		.run_to_run_why = proof->run_to_run_why,
		.proof = proof};
	return judge(
		&(struct judging){&subject, type, reduction, arena, judgement, error}, guarantee);
}
