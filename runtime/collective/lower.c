/* lower.c - lowers reduction trees to steps, with few passes and few temps.
 *
 * The spine of a tree leads from the root to a leaf, always into the child with more leaves. The
 * spine becomes one pass over its operands, from the leaf upwards; operands that are trees
 * themselves are evaluated into temps first. They have at most half of the leaves, so the recursion
 * depth is at most the logarithm of the number of leaves. Operations are commutative (element.h),
 * so the order of the two operands does not matter.
 *
 * Roots may share subtrees; a shared node is evaluated once and kept in a temp until its last use.
 */
#include "fold.h"
#include <assert.h>
#include <inttypes.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* Most temps that are operands of one pass; with more, it is split. */
#define MAX_HELD 4

struct lowering {
	struct folds *folds;
	const struct ordo_trees *trees;
	struct ordo_problem problem;
	uint32_t *nleaf; /* [nnode] of the tree */
	uint32_t *owner; /* [ncontributor] the rank whose input has it */
	/* [operand_room] of sources that are inputs; undefined for other operands */
	uint32_t *contributors;
	size_t contributor_room;
	struct partial partials[NSIDE];

	/* State of the fold being lowered. */
	bool shares;	   /* subtrees */
	uint32_t *uses;	   /* [nnode] remaining uses, if `shares` */
	uint32_t *temp;	   /* [nnode] that holds the node, or ORDO_NONE */
	uint32_t *touched; /* nodes with uses other than 0 */
	size_t ntouched, touched_room;
	uint32_t *path; /* stack of operands of the spines being evaluated */
	size_t npath, path_room;
	uint32_t unused[MAX_TEMPS], nunused, ntemp;
	uint32_t chunk;
	bool out_of_temps; /* ran out of temps */
};

static bool is_partial(const struct lowering *lowering, uint32_t node)
{
	return node == lowering->partials[0].tree || node == lowering->partials[1].tree;
}

static bool is_leaf(const struct lowering *lowering, uint32_t node)
{
	return lowering->trees->nodes[node][0] == ORDO_NONE || is_partial(lowering, node);
}

static uint32_t child(const struct lowering *lowering, uint32_t node, int which)
{
	return ordo_same_tree(lowering->trees, lowering->trees->nodes[node][which]);
}

static uint64_t input_begin(const struct lowering *lowering, uint32_t contributor, uint32_t chunk)
{
	const struct ordo_problem *problem = &lowering->problem;
	const uint32_t rank = lowering->owner[contributor];
	uint64_t slot = ordo_input_slot(problem, rank, chunk);
	if (ordo_operator_facts(problem->op)->reduces)
		slot += (uint64_t)(contributor - ordo_first_shard(problem, rank)) *
			ordo_nchunk(problem);
	return slot_begin(lowering->folds->layout, rank, ORDO_INPUT, (uint32_t)slot) *
	       lowering->folds->layout->element;
}

/* A partial sum is as long as a vector, with the same chunk offsets. */
static uint64_t partial_begin(const struct lowering *lowering, uint32_t chunk)
{
	return chunk_begin(lowering->folds->layout, chunk) * lowering->folds->layout->element;
}

static uint64_t output_begin(const struct lowering *lowering, uint32_t rank, uint32_t chunk)
{
	if (rank >= lowering->problem.nrank)
		return partial_begin(lowering, chunk);
	return slot_begin(lowering->folds->layout, rank, ORDO_OUTPUT,
		       ordo_output_slot(&lowering->problem, rank, chunk)) *
	       lowering->folds->layout->element;
}

static bool append_operand(struct lowering *lowering, struct operand operand, uint32_t contributor,
	struct ordo_error *error)
{
	struct folds *folds = lowering->folds;
	if (folds->noperand >= UINT32_MAX - 1)
		return ordo_fail(error, ORDO_USAGE, 0,
			"found more than 2^32 operands of folds, wanted fewer: the schedule is too "
			"large");
	if (!ordo_array_reserve(&folds->operands, &folds->room.operands, folds->noperand + 1,
		    sizeof *folds->operands) ||
		!ordo_array_reserve(&lowering->contributors, &lowering->contributor_room,
			folds->noperand + 1, sizeof *lowering->contributors))
		return ordo_fail_memory(error);
	lowering->contributors[folds->noperand] = contributor;
	folds->operands[folds->noperand++] = operand;
	return true;
}

/* The operands of one pass, so far. */
struct pass {
	/* leaves and nodes in temps; ORDO_NONE: the result of an earlier pass, */
	uint32_t nodes[MAX_OPERANDS];
	uint32_t before; /* in this temp */
	uint32_t count, held;
};

static uint32_t allocate_temp(struct lowering *lowering)
{
	if (lowering->nunused)
		return lowering->unused[--lowering->nunused];
	if (lowering->ntemp == MAX_TEMPS) {
		lowering->out_of_temps = true;
		return ORDO_NONE;
	}
	if (++lowering->ntemp > lowering->folds->ntemp)
		lowering->folds->ntemp = lowering->ntemp;
	return lowering->ntemp - 1;
}

static void free_temp(struct lowering *lowering, uint32_t temp)
{
	lowering->unused[lowering->nunused++] = temp;
}

/* Counts one use of a node in a temp, and frees the temp after the last. */
static void use(struct lowering *lowering, uint32_t node)
{
	if (lowering->shares && --lowering->uses[node])
		return;
	free_temp(lowering, lowering->temp[node]);
	lowering->temp[node] = ORDO_NONE;
}

static bool append_source(
	struct lowering *lowering, const struct pass *pass, uint32_t i, struct ordo_error *error)
{
	const uint32_t node = pass->nodes[i];
	if (node == ORDO_NONE)
		return append_operand(lowering,
			(struct operand){.rank = ORDO_NONE, .temp = pass->before}, ORDO_NONE,
			error);
	if (lowering->temp[node] != ORDO_NONE)
		return append_operand(lowering,
			(struct operand){.rank = ORDO_NONE, .temp = lowering->temp[node]},
			ORDO_NONE, error);
	if (is_partial(lowering, node))
		return append_operand(lowering,
			(struct operand){partial_begin(lowering, lowering->chunk),
				lowering->partials[node == lowering->partials[1].tree].rank, 0},
			ORDO_NONE, error);
	const uint32_t contributor = lowering->trees->nodes[node][1];
	return append_operand(lowering,
		(struct operand){input_begin(lowering, contributor, lowering->chunk),
			lowering->owner[contributor], 0},
		contributor, error);
}

static struct step *append_step(
	struct lowering *lowering, enum step_kind kind, struct ordo_error *error)
{
	struct folds *folds = lowering->folds;
	if (!ordo_array_reserve(
		    &folds->steps, &folds->room.steps, folds->nstep + 1, sizeof *folds->steps)) {
		ordo_fail_memory(error);
		return NULL;
	}
	folds->steps[folds->nstep] = (struct step){.kind = kind, .src = (uint32_t)folds->noperand};
	return &folds->steps[folds->nstep++];
}

/* Appends the step of a pass, still without destinations, and empties the pass. */
static struct step *append_pass(
	struct lowering *lowering, struct pass *pass, struct ordo_error *error)
{
	struct step *step = append_step(lowering, FOLD, error);
	for (uint32_t i = 0; step && i < pass->count; i++)
		if (!append_source(lowering, pass, i, error))
			return NULL;
	if (!step)
		return NULL;
	for (uint32_t i = 0; i < pass->count; i++) {
		if (pass->nodes[i] == ORDO_NONE)
			free_temp(lowering, pass->before);
		else if (lowering->temp[pass->nodes[i]] != ORDO_NONE)
			use(lowering, pass->nodes[i]);
	}
	step->nsrc = pass->count;
	step->dst = (uint32_t)lowering->folds->noperand;
	*pass = (struct pass){.count = 0};
	return step;
}

/* Appends a pass into a temp, and returns the temp; ORDO_NONE: see error, or out of temps. */
static uint32_t fold_into_temp(
	struct lowering *lowering, struct pass *pass, struct ordo_error *error)
{
	struct step *step = append_pass(lowering, pass, error);
	const uint32_t temp = step ? allocate_temp(lowering) : ORDO_NONE;
	if (temp == ORDO_NONE ||
		!append_operand(lowering, (struct operand){.rank = ORDO_NONE, .temp = temp},
			ORDO_NONE, error))
		return ORDO_NONE;
	step->ndst = 1;
	return temp;
}

/* Folds the operands so far into a temp, to make room for more. */
static bool flush_pass(struct lowering *lowering, struct pass *pass, struct ordo_error *error)
{
	const uint32_t temp = fold_into_temp(lowering, pass, error);
	*pass = (struct pass){.nodes = {ORDO_NONE}, .before = temp, .count = 1, .held = 1};
	return temp != ORDO_NONE;
}

/* Appends a step that converts one source into a new temp, and returns the temp. */
static uint32_t convert(struct lowering *lowering, enum step_kind kind, const struct pass *source,
	struct ordo_error *error)
{
	struct step *step = append_step(lowering, kind, error);
	const uint32_t temp = step ? allocate_temp(lowering) : ORDO_NONE;
	if (temp == ORDO_NONE || !append_source(lowering, source, 0, error))
		return ORDO_NONE;
	step->nsrc = 1;
	step->dst = (uint32_t)lowering->folds->noperand;
	if (!append_operand(
		    lowering, (struct operand){.rank = ORDO_NONE, .temp = temp}, ORDO_NONE, error))
		return ORDO_NONE;
	step->ndst = 1;
	return temp;
}

static bool evaluate(
	struct lowering *lowering, uint32_t node, struct pass *pass, struct ordo_error *error);

static bool evaluate_into_temp(struct lowering *lowering, uint32_t node, struct ordo_error *error)
{
	struct pass pass = {.nodes = {node}, .count = 1};
	if (is_leaf(lowering, node)) {
		lowering->temp[node] = convert(lowering, WIDEN, &pass, error);
		return lowering->temp[node] != ORDO_NONE;
	}
	pass.count = 0;
	if (!evaluate(lowering, node, &pass, error))
		return false;
	lowering->temp[node] = fold_into_temp(lowering, &pass, error);
	return lowering->temp[node] != ORDO_NONE;
}

static bool add_to_pass(
	struct lowering *lowering, uint32_t node, struct pass *pass, struct ordo_error *error)
{
	const bool leaf = is_leaf(lowering, node) && !lowering->folds->widens;
	if (!leaf && lowering->temp[node] == ORDO_NONE &&
		!evaluate_into_temp(lowering, node, error))
		return false;
	if ((pass->count == MAX_OPERANDS || (!leaf && pass->held >= MAX_HELD)) &&
		!flush_pass(lowering, pass, error))
		return false;
	pass->nodes[pass->count++] = node;
	pass->held += !leaf;
	return true;
}

/* Whether the spine may continue through this node, instead of using it as one operand. */
static bool is_open(const struct lowering *lowering, uint32_t node)
{
	return !is_leaf(lowering, node) && lowering->temp[node] == ORDO_NONE &&
	       !(lowering->shares && lowering->uses[node] > 1);
}

/* Adds the operands of a node's spine to the pass, which is split when it is full. */
static bool evaluate(
	struct lowering *lowering, uint32_t node, struct pass *pass, struct ordo_error *error)
{
	const size_t base = lowering->npath;
	uint32_t at = node;
	while (at == node ? !is_leaf(lowering, at) : is_open(lowering, at)) {
		uint32_t left = child(lowering, at, 0), right = child(lowering, at, 1);
		const bool goes_right = is_open(lowering, right) &&
					(!is_open(lowering, left) ||
						lowering->nleaf[right] > lowering->nleaf[left]);
		if (!ordo_array_reserve(&lowering->path, &lowering->path_room, lowering->npath + 1,
			    sizeof *lowering->path))
			return ordo_fail_memory(error);
		lowering->path[lowering->npath++] = goes_right ? left : right;
		at = goes_right ? right : left;
	}
	if (!add_to_pass(lowering, at, pass, error))
		return false;
	while (lowering->npath > base)
		if (!add_to_pass(lowering, lowering->path[--lowering->npath], pass, error))
			return false;
	return true;
}

/* Rounds a sum to the element type. */
static bool narrow(struct lowering *lowering, struct pass *pass, struct ordo_error *error)
{
	if (pass->count > 1 && !flush_pass(lowering, pass, error))
		return false;
	const uint32_t temp = convert(lowering, NARROW, pass, error);
	if (pass->nodes[0] == ORDO_NONE)
		free_temp(lowering, pass->before);
	else
		use(lowering, pass->nodes[0]);
	*pass = (struct pass){.nodes = {ORDO_NONE}, .before = temp, .count = 1, .held = 1};
	return temp != ORDO_NONE;
}

static bool divide(struct lowering *lowering, struct pass *pass, struct ordo_error *error)
{
	const bool is_own_temp = pass->count == 1 && pass->nodes[0] == ORDO_NONE;
	if (!is_own_temp && !flush_pass(lowering, pass, error))
		return false;
	struct step *step = append_step(lowering, DIVIDE, error);
	if (!step ||
		!append_operand(lowering, (struct operand){.rank = ORDO_NONE, .temp = pass->before},
			ORDO_NONE, error))
		return false;
	step->dst = step->src;
	step->ndst = 1;
	return true;
}

/* Appends a pass with the outputs of these roots as destinations, or several passes for many
 * roots. */
static bool fold_into_outputs(struct lowering *lowering, struct pass *pass,
	const struct root *roots, uint32_t nroot, struct ordo_error *error)
{
	if (lowering->folds->widens && !narrow(lowering, pass, error))
		return false;
	const bool is_whole = roots[0].rank < lowering->problem.nrank;
	if (lowering->folds->divisor > 1 && is_whole && !divide(lowering, pass, error))
		return false;
	if (nroot > MAX_OPERANDS && pass->count > 1 && !flush_pass(lowering, pass, error))
		return false;
	const struct pass whole = *pass;
	for (uint32_t first = 0; first < nroot; first += MAX_OPERANDS) {
		const uint32_t end = nroot - first < MAX_OPERANDS ? nroot : first + MAX_OPERANDS;
		struct pass part = whole;
		struct step *step;
		if (end < nroot) {
			/* Only the last pass frees the temp. */
			if (!(step = append_step(lowering, FOLD, error)) ||
				!append_source(lowering, &part, 0, error))
				return false;
			step->nsrc = 1;
			step->dst = (uint32_t)lowering->folds->noperand;
		} else if (!(step = append_pass(lowering, &part, error))) {
			return false;
		}
		for (uint32_t i = first; i < end; i++, step->ndst++)
			if (!append_operand(lowering,
				    (struct operand){
					    output_begin(lowering, roots[i].rank, lowering->chunk),
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

static bool mark_use(
	struct lowering *lowering, uint32_t node, bool *first, struct ordo_error *error)
{
	*first = !lowering->uses[node]++;
	if (!*first)
		return true;
	if (!ordo_array_reserve(&lowering->touched, &lowering->touched_room, lowering->ntouched + 1,
		    sizeof *lowering->touched))
		return ordo_fail_memory(error);
	lowering->touched[lowering->ntouched++] = node;
	return true;
}

/* Counts how often each node below the roots is an operand or a root. Parents precede children in
 * `touched`. */
static bool count_uses(struct lowering *lowering, const struct root *roots, uint32_t nroot,
	struct ordo_error *error)
{
	bool first;
	for (uint32_t i = 0; i < nroot; i += count_equal(&roots[i], nroot - i))
		if (!mark_use(lowering, roots[i].tree, &first, error))
			return false;
	for (size_t i = 0; i < lowering->ntouched; i++) {
		const uint32_t node = lowering->touched[i];
		for (int which = 0; which < 2 && !is_leaf(lowering, node); which++)
			if (!mark_use(lowering, child(lowering, node, which), &first, error))
				return false;
	}
	return true;
}

static void clear_uses(struct lowering *lowering)
{
	for (size_t i = 0; i < lowering->ntouched; i++)
		lowering->uses[lowering->touched[i]] = 0;
	lowering->ntouched = 0;
}

/* Evaluates root by root, directly into the outputs. */
static bool lower_roots(struct lowering *lowering, const struct root *roots, uint32_t nroot,
	struct ordo_error *error)
{
	for (uint32_t i = 0, n; i < nroot; i += n) {
		struct pass pass = {.count = 0};
		n = count_equal(&roots[i], nroot - i);
		const uint32_t tree = roots[i].tree;
		const bool whole = lowering->temp[tree] != ORDO_NONE ||
				   (lowering->shares && lowering->uses[tree] > 1);
		if (!(whole ? add_to_pass(lowering, tree, &pass, error)
			    : evaluate(lowering, tree, &pass, error)) ||
			!fold_into_outputs(lowering, &pass, &roots[i], n, error))
			return false;
	}
	return true;
}

/* Evaluates all roots into temps first, because in place an output may be an input that is still
 * needed. */
static bool lower_roots_late(struct lowering *lowering, const struct root *roots, uint32_t nroot,
	struct ordo_error *error)
{
	for (uint32_t i = 0; i < nroot; i += count_equal(&roots[i], nroot - i))
		if (lowering->temp[roots[i].tree] == ORDO_NONE &&
			!is_leaf(lowering, roots[i].tree) &&
			!evaluate_into_temp(lowering, roots[i].tree, error))
			return false;
	return lower_roots(lowering, roots, nroot, error);
}

static void begin_fold(struct lowering *lowering, size_t nstep, size_t noperand)
{
	/* An abandoned attempt leaves nodes in temps. */
	for (size_t i = 0; i < lowering->ntouched; i++)
		lowering->temp[lowering->touched[i]] = ORDO_NONE;
	lowering->folds->nstep = nstep;
	lowering->folds->noperand = noperand;
	lowering->npath = lowering->nunused = lowering->ntemp = 0;
	lowering->out_of_temps = false;
}

static bool lower_fold(struct lowering *lowering, const struct root *roots, uint32_t nroot,
	struct ordo_error *error)
{
	const bool single = count_equal(roots, nroot) == nroot;
	const size_t nstep = lowering->folds->nstep, noperand = lowering->folds->noperand;
	if (!single && !count_uses(lowering, roots, nroot, error))
		return false;
	begin_fold(lowering, nstep, noperand);
	lowering->shares = !single;
	const bool late = !single && ordo_operator_facts(lowering->problem.op)->has_in_place;
	bool worked = (late ? lower_roots_late : lower_roots)(lowering, roots, nroot, error);
	if (lowering->out_of_temps && !late) {
		/* Trees that share nothing need few temps. */
		begin_fold(lowering, nstep, noperand);
		lowering->shares = false;
		worked = lower_roots(lowering, roots, nroot, error);
	}
	clear_uses(lowering);
	return worked || !lowering->out_of_temps
		       ? worked
		       : ordo_fail(error, ORDO_USAGE, 0,
				 "chunk %" PRIu32
				 ": found more than %d different sums on the ranks, wanted "
				 "at most so many",
				 lowering->chunk, MAX_TEMPS);
}

bool ordo_lowering_add(struct lowering *lowering, const struct root *roots, uint32_t nroot,
	uint32_t chunk, struct ordo_error *error)
{
	struct folds *folds = lowering->folds;
	const struct layout *layout = folds->layout;
	if (!ordo_array_reserve(
		    &folds->list, &folds->room.folds, folds->nfold + 1, sizeof *folds->list))
		return ordo_fail_memory(error);
	struct fold *fold = &folds->list[folds->nfold];
	fold->first_step = (uint32_t)folds->nstep;
	fold->nelement = chunk_begin(layout, chunk + 1) - chunk_begin(layout, chunk);
	fold->takes = lowering->partials[0].tree != ORDO_NONE;
	lowering->chunk = chunk;
	if (!lower_fold(lowering, roots, nroot, error))
		return false;
	fold->nstep = (uint32_t)(folds->nstep - fold->first_step);
	folds->nfold++;
	return true;
}

/* The offset of a source operand in another chunk. */
static uint64_t source_begin(const struct lowering *lowering, uint32_t operand, uint32_t chunk)
{
	return lowering->folds->operands[operand].rank >= lowering->problem.nrank
		       ? partial_begin(lowering, chunk)
		       : input_begin(lowering, lowering->contributors[operand], chunk);
}

bool ordo_lowering_extend(struct lowering *lowering, uint32_t chunk)
{
	struct folds *folds = lowering->folds;
	const struct layout *layout = folds->layout;
	struct fold *fold = &folds->list[folds->nfold - 1];
	const uint64_t length = fold->nelement * layout->element;
	for (uint32_t s = fold->first_step; s < fold->first_step + fold->nstep; s++) {
		const struct step *step = &folds->steps[s];
		for (uint32_t i = step->src; i < step->src + step->nsrc; i++)
			if (folds->operands[i].rank != ORDO_NONE &&
				source_begin(lowering, i, chunk) !=
					folds->operands[i].begin + length)
				return false;
		for (uint32_t i = step->dst; i < step->dst + step->ndst; i++)
			if (folds->operands[i].rank != ORDO_NONE &&
				output_begin(lowering, folds->operands[i].rank, chunk) !=
					folds->operands[i].begin + length)
				return false;
	}
	fold->nelement += chunk_begin(layout, chunk + 1) - chunk_begin(layout, chunk);
	return true;
}

void ordo_lowering_read_partials(struct lowering *lowering, const struct partial partials[NSIDE])
{
	memcpy(lowering->partials, partials, sizeof lowering->partials);
}

static void count_leaves(struct lowering *lowering)
{
	for (uint32_t i = 0; i < lowering->trees->nnode; i++) {
		const uint32_t *node = lowering->trees->nodes[i];
		const uint64_t n = node[0] == ORDO_NONE ? 1
							: (uint64_t)lowering->nleaf[node[0]] +
								  lowering->nleaf[node[1]];
		lowering->nleaf[i] = n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
	}
}

/* Without a reduction, each rank is one contributor. */
static void find_owners(struct lowering *lowering)
{
	const struct ordo_problem *problem = &lowering->problem;
	const bool reduces = ordo_operator_facts(problem->op)->reduces;
	for (uint32_t r = 0; r < problem->nrank; r++) {
		const uint32_t first = reduces ? ordo_first_shard(problem, r) : r,
			       end = reduces ? ordo_first_shard(problem, r + 1) : r + 1;
		for (uint32_t i = first; i < end; i++)
			lowering->owner[i] = r;
	}
}

struct lowering *ordo_lowering_create(
	struct folds *folds, const struct ordo_trees *trees, struct ordo_error *error)
{
	struct lowering *lowering = calloc(1, sizeof *lowering);
	if (!lowering) {
		ordo_fail_memory(error);
		return NULL;
	}
	const struct ordo_problem *problem = &folds->layout->problem;
	const size_t nnode = (size_t)trees->nnode + 1,
		     ncontributor = ordo_operator_facts(problem->op)->reduces ? problem->nshard
									      : problem->nrank;
	lowering->folds = folds;
	lowering->trees = trees;
	lowering->problem = *problem;
	lowering->nleaf = malloc(nnode * sizeof *lowering->nleaf);
	lowering->uses = calloc(nnode, sizeof *lowering->uses);
	lowering->temp = malloc(nnode * sizeof *lowering->temp);
	lowering->owner = malloc(ncontributor * sizeof *lowering->owner);
	if (!lowering->nleaf || !lowering->uses || !lowering->temp || !lowering->owner) {
		ordo_lowering_destroy(lowering);
		ordo_fail_memory(error);
		return NULL;
	}
	memset(lowering->temp, 0xff, nnode * sizeof *lowering->temp);
	memset(lowering->partials, 0xff, sizeof lowering->partials);
	count_leaves(lowering);
	find_owners(lowering);
	return lowering;
}

void ordo_lowering_destroy(struct lowering *lowering)
{
	if (!lowering)
		return;
	free(lowering->nleaf);
	free(lowering->uses);
	free(lowering->temp);
	free(lowering->owner);
	free(lowering->contributors);
	free(lowering->touched);
	free(lowering->path);
	free(lowering);
}
