/* lower.c - the steps that evaluate trees: few passes, few temps.
 *
 * A tree is taken along a spine: from the root down into the child with more leaves, until a leaf
 * is met. The spine is one pass over its operands, from the leaf upwards; operands that are trees
 * themselves are evaluated into temps before. They have at most half of the leaves, so recursion is
 * no deeper than the logarithm of the number of leaves. Which operand of an addition comes first
 * makes no difference (element.h).
 *
 * Several roots may share subtrees; such a node is evaluated once and kept in a temp until its last
 * use.
 */
#include "fold.h"
#include <assert.h>
#include <inttypes.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Temps that one pass holds as operands, before it is made in two passes. */
#define MOST_HELD 4

struct step_maker {
	struct folds *folds;
	const struct ordo_trees *trees;
	struct ordo_problem problem;
	uint32_t *nleaf; /* [nnode] of the tree */
	uint32_t *owner; /* [ncontributor] the rank whose input has it */
	/* [operand_room] of sources that are inputs; what stands beside other operands means
	 * nothing */
	uint32_t *contributors;
	size_t contributor_room;
	struct partial partials[NSIDE];

	/* Of the fold being made. */
	bool shares;	   /* subtrees */
	uint32_t *uses;	   /* [nnode] that are still to come; if it shares */
	uint32_t *temp;	   /* [nnode] that holds the node, or ORDO_NONE */
	uint32_t *touched; /* nodes for which uses is not 0 */
	size_t ntouched, touched_room;
	uint32_t *path; /* operands of the spines under way, one after another */
	size_t npath, path_room;
	uint32_t unused[MOST_TEMPS], nunused, ntemp;
	uint32_t chunk;
	bool crowded; /* more temps were wanted than there are */
};

static bool is_partial(const struct step_maker *maker, uint32_t node)
{
	return node == maker->partials[0].tree || node == maker->partials[1].tree;
}

static bool is_leaf(const struct step_maker *maker, uint32_t node)
{
	return maker->trees->nodes[node][0] == ORDO_NONE || is_partial(maker, node);
}

static uint32_t child(const struct step_maker *maker, uint32_t node, int which)
{
	return ordo_same_tree(maker->trees, maker->trees->nodes[node][which]);
}

static uint64_t input_begin(const struct step_maker *maker, uint32_t contributor, uint32_t chunk)
{
	const struct ordo_problem *problem = &maker->problem;
	const uint32_t rank = maker->owner[contributor];
	uint64_t slot = ordo_input_slot(problem, rank, chunk);
	if (ordo_operator_facts(problem->op)->reduces)
		slot += (uint64_t)(contributor - ordo_first_shard(problem, rank)) *
			ordo_nchunk(problem);
	return slot_begin(maker->folds->layout, rank, ORDO_INPUT, (uint32_t)slot) *
	       maker->folds->layout->element;
}

/* Partial sums are as long as a vector, and lie as its chunks do. */
static uint64_t partial_begin(const struct step_maker *maker, uint32_t chunk)
{
	return chunk_begin(maker->folds->layout, chunk) * maker->folds->layout->element;
}

static uint64_t output_begin(const struct step_maker *maker, uint32_t rank, uint32_t chunk)
{
	if (rank >= maker->problem.nrank)
		return partial_begin(maker, chunk);
	return slot_begin(maker->folds->layout, rank, ORDO_OUTPUT,
		       ordo_output_slot(&maker->problem, rank, chunk)) *
	       maker->folds->layout->element;
}

static bool append_operand(struct step_maker *maker, struct operand operand, uint32_t contributor,
	struct ordo_error *error)
{
	struct folds *folds = maker->folds;
	if (folds->noperand >= UINT32_MAX - 1)
		return ordo_fail(error, ORDO_USAGE, 0,
			"more than 2^32 operands: the schedule is too large to be folded");
	if (!ordo_array_reserve(&folds->operands, &folds->operand_room, folds->noperand + 1,
		    sizeof *folds->operands) ||
		!ordo_array_reserve(&maker->contributors, &maker->contributor_room,
			folds->noperand + 1, sizeof *maker->contributors))
		return ordo_fail_memory(error);
	maker->contributors[folds->noperand] = contributor;
	folds->operands[folds->noperand++] = operand;
	return true;
}

/* One pass: what is folded, so far. */
struct pass {
	/* leaves and nodes in temps; ORDO_NONE: what was folded before, */
	uint32_t nodes[MOST_OPERANDS];
	uint32_t before; /* in that temp */
	uint32_t count, held;
};

static uint32_t take_temp(struct step_maker *maker)
{
	if (maker->nunused)
		return maker->unused[--maker->nunused];
	if (maker->ntemp == MOST_TEMPS) {
		maker->crowded = true;
		return ORDO_NONE;
	}
	if (++maker->ntemp > maker->folds->ntemp)
		maker->folds->ntemp = maker->ntemp;
	return maker->ntemp - 1;
}

static void give_temp(struct step_maker *maker, uint32_t temp)
{
	maker->unused[maker->nunused++] = temp;
}

/* A node in a temp was used once. */
static void use(struct step_maker *maker, uint32_t node)
{
	if (maker->shares && --maker->uses[node])
		return;
	give_temp(maker, maker->temp[node]);
	maker->temp[node] = ORDO_NONE;
}

static bool append_source(
	struct step_maker *maker, const struct pass *pass, uint32_t i, struct ordo_error *error)
{
	const uint32_t node = pass->nodes[i];
	if (node == ORDO_NONE)
		return append_operand(maker,
			(struct operand){.rank = ORDO_NONE, .temp = pass->before}, ORDO_NONE,
			error);
	if (maker->temp[node] != ORDO_NONE)
		return append_operand(maker,
			(struct operand){.rank = ORDO_NONE, .temp = maker->temp[node]}, ORDO_NONE,
			error);
	if (is_partial(maker, node))
		return append_operand(maker,
			(struct operand){partial_begin(maker, maker->chunk),
				maker->partials[node == maker->partials[1].tree].rank, 0},
			ORDO_NONE, error);
	const uint32_t contributor = maker->trees->nodes[node][1];
	return append_operand(maker,
		(struct operand){input_begin(maker, contributor, maker->chunk),
			maker->owner[contributor], 0},
		contributor, error);
}

static struct step *append_step(
	struct step_maker *maker, enum step_kind kind, struct ordo_error *error)
{
	struct folds *folds = maker->folds;
	if (!ordo_array_reserve(
		    &folds->steps, &folds->step_room, folds->nstep + 1, sizeof *folds->steps)) {
		ordo_fail_memory(error);
		return NULL;
	}
	folds->steps[folds->nstep] = (struct step){.kind = kind, .src = (uint32_t)folds->noperand};
	return &folds->steps[folds->nstep++];
}

/* Appends the step of a pass without its destinations, and empties the pass. */
static struct step *append_pass(
	struct step_maker *maker, struct pass *pass, struct ordo_error *error)
{
	struct step *step = append_step(maker, FOLD, error);
	for (uint32_t i = 0; step && i < pass->count; i++)
		if (!append_source(maker, pass, i, error))
			return NULL;
	if (!step)
		return NULL;
	for (uint32_t i = 0; i < pass->count; i++) {
		if (pass->nodes[i] == ORDO_NONE)
			give_temp(maker, pass->before);
		else if (maker->temp[pass->nodes[i]] != ORDO_NONE)
			use(maker, pass->nodes[i]);
	}
	step->nsrc = pass->count;
	step->dst = (uint32_t)maker->folds->noperand;
	*pass = (struct pass){.count = 0};
	return step;
}

/* Into a temp, which is returned; ORDO_NONE: see error, or it is crowded. */
static uint32_t fold_into_temp(
	struct step_maker *maker, struct pass *pass, struct ordo_error *error)
{
	struct step *step = append_pass(maker, pass, error);
	const uint32_t temp = step ? take_temp(maker) : ORDO_NONE;
	if (temp == ORDO_NONE ||
		!append_operand(
			maker, (struct operand){.rank = ORDO_NONE, .temp = temp}, ORDO_NONE, error))
		return ORDO_NONE;
	step->ndst = 1;
	return temp;
}

/* Makes room for another operand. */
static bool shorten(struct step_maker *maker, struct pass *pass, struct ordo_error *error)
{
	const uint32_t temp = fold_into_temp(maker, pass, error);
	*pass = (struct pass){.nodes = {ORDO_NONE}, .before = temp, .count = 1, .held = 1};
	return temp != ORDO_NONE;
}

/* A temp beside another one or an input: what the one source becomes. */
static uint32_t convert(struct step_maker *maker, enum step_kind kind, const struct pass *source,
	struct ordo_error *error)
{
	struct step *step = append_step(maker, kind, error);
	const uint32_t temp = step ? take_temp(maker) : ORDO_NONE;
	if (temp == ORDO_NONE || !append_source(maker, source, 0, error))
		return ORDO_NONE;
	step->nsrc = 1;
	step->dst = (uint32_t)maker->folds->noperand;
	if (!append_operand(
		    maker, (struct operand){.rank = ORDO_NONE, .temp = temp}, ORDO_NONE, error))
		return ORDO_NONE;
	step->ndst = 1;
	return temp;
}

static bool evaluate(
	struct step_maker *maker, uint32_t node, struct pass *pass, struct ordo_error *error);

static bool put_in_temp(struct step_maker *maker, uint32_t node, struct ordo_error *error)
{
	struct pass pass = {.nodes = {node}, .count = 1};
	if (is_leaf(maker, node)) {
		maker->temp[node] = convert(maker, WIDEN, &pass, error);
		return maker->temp[node] != ORDO_NONE;
	}
	pass.count = 0;
	if (!evaluate(maker, node, &pass, error))
		return false;
	maker->temp[node] = fold_into_temp(maker, &pass, error);
	return maker->temp[node] != ORDO_NONE;
}

static bool add_to_pass(
	struct step_maker *maker, uint32_t node, struct pass *pass, struct ordo_error *error)
{
	const bool leaf = is_leaf(maker, node) && !maker->folds->widens;
	if (!leaf && maker->temp[node] == ORDO_NONE && !put_in_temp(maker, node, error))
		return false;
	if ((pass->count == MOST_OPERANDS || (!leaf && pass->held >= MOST_HELD)) &&
		!shorten(maker, pass, error))
		return false;
	pass->nodes[pass->count++] = node;
	pass->held += !leaf;
	return true;
}

/* May the spine go on through this node, rather than use it as a whole? */
static bool is_open(const struct step_maker *maker, uint32_t node)
{
	return !is_leaf(maker, node) && maker->temp[node] == ORDO_NONE &&
	       !(maker->shares && maker->uses[node] > 1);
}

/* Puts the operands of a node's spine into the pass; what does not fit is folded on the way. */
static bool evaluate(
	struct step_maker *maker, uint32_t node, struct pass *pass, struct ordo_error *error)
{
	const size_t base = maker->npath;
	uint32_t at = node;
	while (at == node ? !is_leaf(maker, at) : is_open(maker, at)) {
		uint32_t left = child(maker, at, 0), right = child(maker, at, 1);
		const bool goes_right =
			is_open(maker, right) &&
			(!is_open(maker, left) || maker->nleaf[right] > maker->nleaf[left]);
		if (!ordo_array_reserve(
			    &maker->path, &maker->path_room, maker->npath + 1, sizeof *maker->path))
			return ordo_fail_memory(error);
		maker->path[maker->npath++] = goes_right ? left : right;
		at = goes_right ? right : left;
	}
	if (!add_to_pass(maker, at, pass, error))
		return false;
	while (maker->npath > base)
		if (!add_to_pass(maker, maker->path[--maker->npath], pass, error))
			return false;
	return true;
}

/* Rounds a sum to the type. */
static bool narrow(struct step_maker *maker, struct pass *pass, struct ordo_error *error)
{
	if (pass->count > 1 && !shorten(maker, pass, error))
		return false;
	const uint32_t temp = convert(maker, NARROW, pass, error);
	if (pass->nodes[0] == ORDO_NONE)
		give_temp(maker, pass->before);
	else
		use(maker, pass->nodes[0]);
	*pass = (struct pass){.nodes = {ORDO_NONE}, .before = temp, .count = 1, .held = 1};
	return temp != ORDO_NONE;
}

static bool divide(struct step_maker *maker, struct pass *pass, struct ordo_error *error)
{
	const bool is_own_temp = pass->count == 1 && pass->nodes[0] == ORDO_NONE;
	if (!is_own_temp && !shorten(maker, pass, error))
		return false;
	struct step *step = append_step(maker, DIVIDE, error);
	if (!step ||
		!append_operand(maker, (struct operand){.rank = ORDO_NONE, .temp = pass->before},
			ORDO_NONE, error))
		return false;
	step->dst = step->src;
	step->ndst = 1;
	return true;
}

/* Appends a pass with the outputs of these roots as destinations; many of them take several
 * passes. */
static bool fold_into_outputs(struct step_maker *maker, struct pass *pass, const struct root *roots,
	uint32_t nroot, struct ordo_error *error)
{
	if (maker->folds->widens && !narrow(maker, pass, error))
		return false;
	const bool is_whole = roots[0].rank < maker->problem.nrank;
	if (maker->folds->divisor > 1 && is_whole && !divide(maker, pass, error))
		return false;
	if (nroot > MOST_OPERANDS && pass->count > 1 && !shorten(maker, pass, error))
		return false;
	const struct pass whole = *pass;
	for (uint32_t first = 0; first < nroot; first += MOST_OPERANDS) {
		const uint32_t end = nroot - first < MOST_OPERANDS ? nroot : first + MOST_OPERANDS;
		struct pass part = whole;
		struct step *step;
		if (end < nroot) {
			/* Only the last pass gives the temp back. */
			if (!(step = append_step(maker, FOLD, error)) ||
				!append_source(maker, &part, 0, error))
				return false;
			step->nsrc = 1;
			step->dst = (uint32_t)maker->folds->noperand;
		} else if (!(step = append_pass(maker, &part, error))) {
			return false;
		}
		for (uint32_t i = first; i < end; i++, step->ndst++)
			if (!append_operand(maker,
				    (struct operand){
					    output_begin(maker, roots[i].rank, maker->chunk),
					    roots[i].rank, 0},
				    ORDO_NONE, error))
				return false;
	}
	return true;
}

static uint32_t count_equal(const struct root *roots, uint32_t nroot)
{
	uint32_t n = 1;
	while (n < nroot && roots[n].tree == roots[0].tree)
		n++;
	return n;
}

static bool mark_use(struct step_maker *maker, uint32_t node, bool *first, struct ordo_error *error)
{
	*first = !maker->uses[node]++;
	if (!*first)
		return true;
	if (!ordo_array_reserve(&maker->touched, &maker->touched_room, maker->ntouched + 1,
		    sizeof *maker->touched))
		return ordo_fail_memory(error);
	maker->touched[maker->ntouched++] = node;
	return true;
}

/* How often each node below the roots is an operand, or a root. Nodes are touched before their
 * children. */
static bool count_uses(struct step_maker *maker, const struct root *roots, uint32_t nroot,
	struct ordo_error *error)
{
	bool first;
	for (uint32_t i = 0; i < nroot; i += count_equal(&roots[i], nroot - i))
		if (!mark_use(maker, roots[i].tree, &first, error))
			return false;
	for (size_t i = 0; i < maker->ntouched; i++) {
		const uint32_t node = maker->touched[i];
		for (int which = 0; which < 2 && !is_leaf(maker, node); which++)
			if (!mark_use(maker, child(maker, node, which), &first, error))
				return false;
	}
	return true;
}

static void forget_uses(struct step_maker *maker)
{
	for (size_t i = 0; i < maker->ntouched; i++)
		maker->uses[maker->touched[i]] = 0;
	maker->ntouched = 0;
}

/* Straight into the outputs, root by root. */
static bool make_roots(struct step_maker *maker, const struct root *roots, uint32_t nroot,
	struct ordo_error *error)
{
	for (uint32_t i = 0, n; i < nroot; i += n) {
		struct pass pass = {.count = 0};
		n = count_equal(&roots[i], nroot - i);
		const uint32_t tree = roots[i].tree;
		const bool whole =
			maker->temp[tree] != ORDO_NONE || (maker->shares && maker->uses[tree] > 1);
		if (!(whole ? add_to_pass(maker, tree, &pass, error)
			    : evaluate(maker, tree, &pass, error)) ||
			!fold_into_outputs(maker, &pass, &roots[i], n, error))
			return false;
	}
	return true;
}

/* All into temps first: outputs may be the inputs that are still to be read. */
static bool make_roots_late(struct step_maker *maker, const struct root *roots, uint32_t nroot,
	struct ordo_error *error)
{
	for (uint32_t i = 0; i < nroot; i += count_equal(&roots[i], nroot - i))
		if (maker->temp[roots[i].tree] == ORDO_NONE && !is_leaf(maker, roots[i].tree) &&
			!put_in_temp(maker, roots[i].tree, error))
			return false;
	return make_roots(maker, roots, nroot, error);
}

static void begin_fold(struct step_maker *maker, size_t nstep, size_t noperand)
{
	/* Nodes are left in temps only by an attempt that was given up. */
	for (size_t i = 0; i < maker->ntouched; i++)
		maker->temp[maker->touched[i]] = ORDO_NONE;
	maker->folds->nstep = nstep;
	maker->folds->noperand = noperand;
	maker->npath = maker->nunused = maker->ntemp = 0;
	maker->crowded = false;
}

static bool make_fold(struct step_maker *maker, const struct root *roots, uint32_t nroot,
	struct ordo_error *error)
{
	const bool single = count_equal(roots, nroot) == nroot;
	const size_t nstep = maker->folds->nstep, noperand = maker->folds->noperand;
	if (!single && !count_uses(maker, roots, nroot, error))
		return false;
	begin_fold(maker, nstep, noperand);
	maker->shares = !single;
	const bool late = !single && ordo_operator_facts(maker->problem.op)->has_in_place;
	bool worked = (late ? make_roots_late : make_roots)(maker, roots, nroot, error);
	if (maker->crowded && !late) {
		/* Evaluated each on its own, trees need few temps. */
		begin_fold(maker, nstep, noperand);
		maker->shares = false;
		worked = make_roots(maker, roots, nroot, error);
	}
	forget_uses(maker);
	return worked || !maker->crowded
		       ? worked
		       : ordo_fail(error, ORDO_USAGE, 0,
				 "chunk %" PRIu32 ": the ranks have more than %d different sums of "
				 "it: too many to be folded",
				 maker->chunk, MOST_TEMPS);
}

bool ordo_step_maker_add(struct step_maker *maker, const struct root *roots, uint32_t nroot,
	uint32_t chunk, struct ordo_error *error)
{
	struct folds *folds = maker->folds;
	const struct layout *layout = folds->layout;
	if (!ordo_array_reserve(
		    &folds->list, &folds->fold_room, folds->nfold + 1, sizeof *folds->list))
		return ordo_fail_memory(error);
	struct fold *fold = &folds->list[folds->nfold];
	fold->first_step = (uint32_t)folds->nstep;
	fold->nelement = chunk_begin(layout, chunk + 1) - chunk_begin(layout, chunk);
	fold->takes = maker->partials[0].tree != ORDO_NONE;
	maker->chunk = chunk;
	if (!make_fold(maker, roots, nroot, error))
		return false;
	fold->nstep = (uint32_t)(folds->nstep - fold->first_step);
	folds->nfold++;
	return true;
}

/* Where the operand that is a source lies in another chunk. */
static uint64_t source_begin(const struct step_maker *maker, uint32_t operand, uint32_t chunk)
{
	return maker->folds->operands[operand].rank >= maker->problem.nrank
		       ? partial_begin(maker, chunk)
		       : input_begin(maker, maker->contributors[operand], chunk);
}

bool ordo_step_maker_extend(struct step_maker *maker, uint32_t chunk)
{
	struct folds *folds = maker->folds;
	const struct layout *layout = folds->layout;
	struct fold *fold = &folds->list[folds->nfold - 1];
	const uint64_t length = fold->nelement * layout->element;
	for (uint32_t s = fold->first_step; s < fold->first_step + fold->nstep; s++) {
		const struct step *step = &folds->steps[s];
		for (uint32_t i = step->src; i < step->src + step->nsrc; i++)
			if (folds->operands[i].rank != ORDO_NONE &&
				source_begin(maker, i, chunk) != folds->operands[i].begin + length)
				return false;
		for (uint32_t i = step->dst; i < step->dst + step->ndst; i++)
			if (folds->operands[i].rank != ORDO_NONE &&
				output_begin(maker, folds->operands[i].rank, chunk) !=
					folds->operands[i].begin + length)
				return false;
	}
	fold->nelement += chunk_begin(layout, chunk + 1) - chunk_begin(layout, chunk);
	return true;
}

void ordo_step_maker_read_partials(struct step_maker *maker, const struct partial partials[NSIDE])
{
	memcpy(maker->partials, partials, sizeof maker->partials);
}

static void count_leaves(struct step_maker *maker)
{
	for (uint32_t i = 0; i < maker->trees->nnode; i++) {
		const uint32_t *node = maker->trees->nodes[i];
		const uint64_t n = node[0] == ORDO_NONE ? 1
							: (uint64_t)maker->nleaf[node[0]] +
								  maker->nleaf[node[1]];
		maker->nleaf[i] = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	}
}

/* Without reductions, a rank contributes its own input. */
static void find_owners(struct step_maker *maker)
{
	const struct ordo_problem *problem = &maker->problem;
	const bool reduces = ordo_operator_facts(problem->op)->reduces;
	for (uint32_t r = 0; r < problem->nrank; r++) {
		const uint32_t first = reduces ? ordo_first_shard(problem, r) : r,
			       end = reduces ? ordo_first_shard(problem, r + 1) : r + 1;
		for (uint32_t i = first; i < end; i++)
			maker->owner[i] = r;
	}
}

struct step_maker *ordo_step_maker_create(
	struct folds *folds, const struct ordo_trees *trees, struct ordo_error *error)
{
	struct step_maker *maker = calloc(1, sizeof *maker);
	if (!maker) {
		ordo_fail_memory(error);
		return NULL;
	}
	const struct ordo_problem *problem = &folds->layout->problem;
	const size_t nnode = (size_t)trees->nnode + 1,
		     ncontributor = ordo_operator_facts(problem->op)->reduces ? problem->nshard
									      : problem->nrank;
	maker->folds = folds;
	maker->trees = trees;
	maker->problem = *problem;
	maker->nleaf = malloc(nnode * sizeof *maker->nleaf);
	maker->uses = calloc(nnode, sizeof *maker->uses);
	maker->temp = malloc(nnode * sizeof *maker->temp);
	maker->owner = malloc(ncontributor * sizeof *maker->owner);
	if (!maker->nleaf || !maker->uses || !maker->temp || !maker->owner) {
		ordo_step_maker_destroy(maker);
		ordo_fail_memory(error);
		return NULL;
	}
	memset(maker->temp, 0xff, nnode * sizeof *maker->temp);
	memset(maker->partials, 0xff, sizeof maker->partials);
	count_leaves(maker);
	find_owners(maker);
	return maker;
}

void ordo_step_maker_destroy(struct step_maker *maker)
{
	if (!maker)
		return;
	free(maker->nleaf);
	free(maker->uses);
	free(maker->temp);
	free(maker->owner);
	free(maker->contributors);
	free(maker->touched);
	free(maker->path);
	free(maker);
}
