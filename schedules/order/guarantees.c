/* guarantees.c - decides G1 to G5 for an element type and a reduction. */
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

/* Of a sum without order: at most what bins drop, over the sum of absolute values, and the rounding
 * at the end. */
static double unordered_bound(enum ordo_type type, enum ordo_type accumulator,
	enum ordo_reduction reduction, uint32_t leaves)
{
	const int words = (int)(ordo_type_size(accumulator) / sizeof(uint64_t));
	const double dropped = accumulator >= ORDO_BINNED2_F32
				       ? ldexp(leaves - 1.0, -ORDO_BIN_WIDTH * (words - 1))
				       : 0;
	return expm1(
		log1p(dropped) + ((leaves > 1) + (reduction == ORDO_AVG)) * log_of_rounding(type));
}

double ordo_error_bound(enum ordo_type type, enum ordo_type accumulator,
	enum ordo_reduction reduction, const struct ordo_tree_facts *facts)
{
	if (ordo_is_associative(type, reduction))
		return 0;
	if (ordo_type_facts(accumulator)->kind == ORDO_STATE)
		return unordered_bound(type, accumulator, reduction, facts->leaves);
	const uint32_t roundings = reduction == ORDO_PROD ? facts->leaves - 1 : facts->depth;
	/* A single contribution is exact in both. */
	const uint32_t last = (accumulator != type && roundings) + (reduction == ORDO_AVG);
	return expm1((double)roundings * log_of_rounding(accumulator) +
		     (double)last * log_of_rounding(type));
}

/* The order or proof to check. */
struct subject {
	const struct ordo_problem *problem;
	const struct ordo_trees *trees;
	const uint32_t *chunk_tree;
	const struct ordo_copy *copies;
	uint32_t ncopy;
	enum ordo_verdict run_to_run;
	const char *run_to_run_why;
	const struct ordo_forest *forest; /* of the trees; NULL: they are a proof's */
	const struct ordo_proof *proof;	  /* which may have verdicts; NULL: an order is checked */
};

/* The check of one guarantee. */
struct check {
	const struct subject *subject;
	enum ordo_type type;
	enum ordo_reduction reduction;
	struct ordo_arena *arena;
	struct ordo_judgement *judgement;
	struct ordo_error *error;
};

static bool set_verdict(const struct check *check, enum ordo_verdict verdict, const char *why)
{
	check->judgement->verdict = verdict;
	check->judgement->why = why;
	return why ? true : ordo_fail_memory(check->error);
}

static void set_holds(const struct check *check)
{
	check->judgement->verdict = ORDO_HOLDS;
}

static bool print_trees(const struct check *check, const struct ordo_forest *forest)
{
	struct ordo_judgement *judgement = check->judgement;
	const struct ordo_contradiction *found = &judgement->contradiction;
	for (int i = 0; i < 2; i++) {
		judgement->tree[i] = ordo_forest_print(forest, check->arena, found->tree[i], 32);
		judgement->node[i] =
			ordo_forest_print(forest, check->arena, found->witness.node[i], 32);
		if (!judgement->tree[i] || !judgement->node[i])
			return ordo_fail_memory(check->error);
	}
	return true;
}

/* Two elements with different trees of this forest: the first difference, and an input on which
 * their bits differ. */
static bool contradict_in(const struct check *check, const struct ordo_forest *forest,
	const struct ordo_element element[2], const uint32_t tree[2])
{
	struct ordo_judgement *judgement = check->judgement;
	struct ordo_error error = {0};
	judgement->contradicted = ordo_contradict(forest, check->type,
		ordo_accumulator(check->subject->problem, check->type), check->reduction, element,
		tree, &judgement->contradiction, &error);
	if (!judgement->contradicted && error.code != ORDO_UNDECIDED) {
		if (check->error)
			*check->error = error;
		return false;
	}
	if (!print_trees(check, forest))
		return false;
	const char *but =
		judgement->contradicted ? "" : "; no input is known on which their bits differ";
	const char *why =
		element[0].chunk == element[1].chunk
			? ordo_arena_format(check->arena,
				  "chunk %u is %s on rank %u but %s on rank %u%s", element[0].chunk,
				  judgement->tree[0], element[0].rank, judgement->tree[1],
				  element[1].rank, but)
			: ordo_arena_format(check->arena, "chunk %u is %s but chunk %u is %s%s",
				  element[0].chunk, judgement->tree[0], element[1].chunk,
				  judgement->tree[1], but);
	return set_verdict(check, ORDO_DOES_NOT_HOLD, why);
}

static bool contradict(
	const struct check *check, const struct ordo_element element[2], const uint32_t tree[2])
{
	if (check->subject->forest)
		return contradict_in(check, check->subject->forest, element, tree);
	struct ordo_forest *forest = ordo_forest_create(check->error);
	uint32_t brought[2] = {tree[0], tree[1]};
	if (!forest)
		return false;
	const bool worked = ordo_forest_bring(forest, check->subject->trees, brought, 2)
				    ? contradict_in(check, forest, element, brought)
				    : ordo_fail_memory(check->error);
	ordo_forest_destroy(forest);
	return worked;
}

static bool same(const struct subject *subject, uint32_t one, uint32_t other)
{
	return ordo_same_tree(subject->trees, one) == ordo_same_tree(subject->trees, other);
}

/* G1: of the copies that are not the same as the first rank's, the first by chunk and rank. */
static bool check_ranks(const struct check *check)
{
	const struct subject *subject = check->subject;
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
		set_holds(check);
		return true;
	}
	uint32_t rank, end;
	ordo_chunk_holders(subject->problem, found->chunk, &rank, &end);
	return contradict(check,
		(struct ordo_element[2]){{rank, found->chunk, 0}, {found->rank, found->chunk, 0}},
		(uint32_t[2]){subject->chunk_tree[found->chunk], found->tree});
}

/* G3: the first chunk that is not the same as chunk 0. */
static bool check_positions(const struct check *check)
{
	const struct subject *subject = check->subject;
	const uint32_t nchunk = ordo_nchunk(subject->problem);
	for (uint32_t chunk = 1; chunk < nchunk; chunk++) {
		const uint32_t trees[2] = {subject->chunk_tree[0], subject->chunk_tree[chunk]};
		if (same(subject, trees[0], trees[1]))
			continue;
		uint32_t ranks[2], end;
		ordo_chunk_holders(subject->problem, 0, &ranks[0], &end);
		ordo_chunk_holders(subject->problem, chunk, &ranks[1], &end);
		return contradict(check,
			(struct ordo_element[2]){{ranks[0], 0, 0}, {ranks[1], chunk, 0}}, trees);
	}
	set_holds(check);
	return true;
}

static bool check_runs(const struct check *check)
{
	if (check->subject->run_to_run == ORDO_DOES_NOT_HOLD)
		return set_verdict(check, ORDO_DOES_NOT_HOLD,
			ordo_arena_format(check->arena, "%s", check->subject->run_to_run_why));
	set_holds(check);
	return true;
}

/* A proof without trees has its own verdicts. */
static bool take_verdict(const struct check *check, enum ordo_guarantee guarantee)
{
	const struct ordo_proof *proof = check->subject->proof;
	const char *why = guarantee == ORDO_G1 ? proof->rank_equal_why : proof->position_why;
	check->judgement->verdict =
		guarantee == ORDO_G1 ? proof->rank_equal : proof->position_invariant;
	return !why || set_verdict(check, check->judgement->verdict,
			       ordo_arena_format(check->arena, "%s", why));
}

/* Adding is associative and commutative in this form, so whatever the trees, a complete sum is one
 * value: that of its contributions. The proof has seen that each is in it once (R11), and that it
 * is rounded once, when it is complete (R4). */
static bool hold_by_algebra(const struct check *check, enum ordo_guarantee guarantee)
{
	static const char *const changes[ORDO_NGUARANTEE] = {[ORDO_G1] = "no rank's copy differs",
		[ORDO_G2] = "no timing changes a bit",
		[ORDO_G3] = "no position changes a bit",
		[ORDO_G4] = "no topology, algorithm or failed link changes a bit"};
	const uint32_t nshard = check->subject->problem->nshard;
	if (guarantee == ORDO_G5)
		return set_verdict(check, ORDO_HOLDS,
			ordo_arena_format(check->arena,
				"sums have no order in this form: the same %u contributions have "
				"the same bits on any number of ranks",
				nshard));
	return set_verdict(check, ORDO_HOLDS,
		ordo_arena_format(
			check->arena, "sums have no order in this form: %s", changes[guarantee]));
}

static bool check_guarantee(const struct check *check, enum ordo_guarantee guarantee)
{
	const struct ordo_operator_facts *facts = ordo_operator_facts(check->subject->problem->op);
	const bool adds = check->subject->problem->op == ORDO_CUSTOM
				  ? check->subject->run_to_run != ORDO_NOT_ASKED
				  : facts->reduces;
	*check->judgement = (struct ordo_judgement){.verdict = ORDO_NOT_ASKED};
	if (!adds)
		return set_verdict(check, ORDO_NOT_APPLICABLE,
			ordo_arena_format(check->arena, "%s adds nothing", facts->name));
	if (!ordo_can_reduce(check->subject->problem, check->type, check->reduction, check->error))
		return false;
	if (ordo_is_order_free(check->subject->problem))
		return hold_by_algebra(check, guarantee);
	if (guarantee == ORDO_G4 || guarantee == ORDO_G5)
		return set_verdict(check, ORDO_NOT_ASKED, "compare with `ordo diff`");
	if (ordo_is_associative(check->type, check->reduction))
		return set_verdict(check, ORDO_HOLDS,
			ordo_arena_format(check->arena,
				"%s %s is associative, every order has the same bits",
				ordo_type_name(check->type),
				ordo_reduction_name(check->reduction)));
	if (guarantee == ORDO_G2)
		return check_runs(check);
	if (check->subject->run_to_run == ORDO_DOES_NOT_HOLD)
		return set_verdict(
			check, ORDO_NOT_ASKED, "no order is fixed, because G2 does not hold");
	if (!check->subject->chunk_tree)
		return take_verdict(check, guarantee);
	return guarantee == ORDO_G1 ? check_ranks(check) : check_positions(check);
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
	return check_guarantee(
		&(struct check){&subject, type, reduction, arena, judgement, error}, guarantee);
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
	return check_guarantee(
		&(struct check){&subject, type, reduction, arena, judgement, error}, guarantee);
}
