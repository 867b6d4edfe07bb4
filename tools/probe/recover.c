/* recover.c - recovers the reduction tree of each output element from outputs alone.
 *
 * Alone: input v is 1, all others are 0. The output is how often v was added, and must be 1.
 *
 * Pairs: input i is M, input j is -M, all others are 1, where M = 2^(p+1+b), p is the precision of
 * additions and nleaf - 2 < 2^b. Then every partial sum is M, -M or a number s of ones:
 *   - s <= nleaf - 2 < 2^p is a number of the type, so ones add exactly;
 *   - the numbers next to M are at least 2^(b+1) away, and s < 2^b is less than half of that, so M
 *     + s rounds to M, -M + s to -M, and no tie ever arises: whatever is added to M or -M before
 *     the two meet is lost without a trace;
 *   - M + -M is 0, whatever was lost.
 * So the output counts the ones that are added after i and j have met, and nleaf - output = size(i,
 * j), the number of leaves under their lowest common ancestor. All this holds in units of any power
 * of two, which types need that have no M that large. What comes out is at most nleaf ones, which
 * the type of the outputs can count too, so that rounding to it changes nothing.
 *
 * The sizes of all pairs are those of one binary tree, or of none. Pairs are taken by ascending
 * size: under a tree, both sides of the smallest sum that is not made yet are made, so a pair whose
 * inputs lie in two clusters joins them. Joining A and B asks that size(a, b) = |A| + |B| for each
 * a of A and b of B. Each pair is asked exactly once: if all hold, the tree has just these sizes,
 * and if one does not, no tree has them.
 */
#include "recover.h"
#include <inttypes.h>
#include <math.h>
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The output is no number of ones. */
#define NO_COUNT UINT32_MAX

/* The result of a class of elements in one run. Elements of one colour stay in one class as long as
 * their results are equal. */
struct outcome {
	uint32_t before; /* of the run before */
	uint32_t count;	 /* of ones, or NO_COUNT */
	uint32_t first_next, sibling;
	double output;
};

struct recovery {
	const struct machine *machine;
	double unit, large;
	uint32_t (*masks)[2]; /* [nrun] input v alone: v, v; or a pair of inputs */
	uint64_t nrun;
	double *leaves, *elements;
	uint32_t *at;		  /* [nelement] the latest outcome */
	struct outcome *outcomes; /* the first are those of the colours, before any run */
	size_t room;
	uint32_t noutcome, latest; /* those of the latest run begin here */
};

uint64_t count_mask_runs(uint32_t nleaf)
{
	return nleaf + (uint64_t)nleaf * (nleaf - 1) / 2;
}

bool choose_mask_numbers(const struct ordo_type_facts *type,
	const struct ordo_type_facts *accumulator, uint32_t nleaf, double *one, double *large,
	struct ordo_error *error)
{
	if (type->precision < 32 && nleaf > UINT32_C(1) << type->precision)
		return ordo_fail(error, ORDO_USAGE, 0,
			"%" PRIu32 " inputs are added, but %s counts only to %" PRIu32
			"; wanted a wider type",
			nleaf, type->name, UINT32_C(1) << type->precision);
	int bits = 0;
	while (nleaf > 2 && (nleaf - 2) >> bits)
		bits++;
	const int exponent = (int)(accumulator ? accumulator : type)->precision + 1 + bits,
		  lower = exponent > type->greatest_exponent ? exponent - type->greatest_exponent
							     : 0;
	*one = ldexp(1, -lower);
	*large = ldexp(1, exponent - lower);
	return true;
}

static void list_masks(struct recovery *recovery)
{
	const uint32_t nleaf = recovery->machine->nleaf;
	uint32_t(*mask)[2] = recovery->masks;
	for (uint32_t v = 0; v < nleaf; v++, mask++)
		(*mask)[0] = (*mask)[1] = v;
	for (uint32_t i = 0; i < nleaf; i++)
		for (uint32_t j = i + 1; j < nleaf; j++, mask++) {
			(*mask)[0] = i;
			(*mask)[1] = j;
		}
}

/* In each run every colour has another mask. */
static uint64_t mask_in_run(const struct recovery *recovery, uint64_t run, uint32_t colour)
{
	return (run + colour * recovery->nrun / recovery->machine->ncolour) % recovery->nrun;
}

static void put_mask(const struct recovery *recovery, uint64_t number, double *leaves)
{
	const uint32_t i = recovery->masks[number][0], j = recovery->masks[number][1];
	for (uint32_t v = 0; v < recovery->machine->nleaf; v++)
		leaves[v] = i == j ? 0 : recovery->unit;
	leaves[i] = i == j ? recovery->unit : recovery->large;
	if (i != j)
		leaves[j] = -recovery->large;
}

static uint32_t count_ones(const struct recovery *recovery, double output)
{
	const double ones = output / recovery->unit;
	if (!(ones >= 0 && ones <= recovery->machine->nleaf) || ones != floor(ones))
		return NO_COUNT;
	return (uint32_t)ones;
}

/* The outcome after another: an existing one with the same result, or a new one. ORDO_NONE: no
 * memory. */
static uint32_t follow(struct recovery *recovery, uint32_t before, double output)
{
	const uint32_t count = count_ones(recovery, output);
	uint32_t next = recovery->outcomes[before].first_next;
	for (; next != ORDO_NONE; next = recovery->outcomes[next].sibling)
		if (recovery->outcomes[next].count == count)
			return next;
	next = recovery->noutcome;
	if (next == ORDO_NONE || !ordo_array_reserve(&recovery->outcomes, &recovery->room,
					 (size_t)next + 1, sizeof *recovery->outcomes))
		return ORDO_NONE;
	recovery->outcomes[next] = (struct outcome){.before = before,
		.count = count,
		.first_next = ORDO_NONE,
		.sibling = recovery->outcomes[before].first_next,
		.output = output};
	recovery->outcomes[before].first_next = next;
	return recovery->noutcome++;
}

static bool observe(struct recovery *recovery, uint64_t run, struct ordo_error *error)
{
	const struct machine *machine = recovery->machine;
	for (uint32_t colour = 0; colour < machine->ncolour; colour++)
		put_mask(recovery, mask_in_run(recovery, run, colour),
			recovery->leaves + (size_t)colour * machine->nleaf);
	if (!machine->run(machine->closure, recovery->leaves, recovery->elements, error))
		return false;
	recovery->latest = recovery->noutcome;
	for (uint64_t e = 0; e < machine->nelement; e++) {
		recovery->at[e] = follow(recovery, recovery->at[e], recovery->elements[e]);
		if (recovery->at[e] == ORDO_NONE)
			return ordo_fail_memory(error);
	}
	return true;
}

static bool observe_all(struct recovery *recovery, struct ordo_error *error)
{
	for (uint64_t run = 0; run < recovery->nrun; run++)
		if (!observe(recovery, run, error))
			return false;
	return true;
}

/* The results of one class for all masks, and its tree under construction. */
struct reading {
	uint32_t nleaf;
	const struct outcome **outcomes; /* [nrun] by mask */
	uint32_t (*sizes)[3];		 /* [npair] size, i, j; by ascending size once sorted */
	uint32_t *size_of;		 /* [nleaf * nleaf] */
	uint32_t *cluster;		 /* [nleaf] of a leaf: its node */
	/* lists of a node's leaves: first and last by node, next by leaf */
	uint32_t *first, *next, *last;
	uint32_t *nunder; /* [2 * nleaf - 1] leaves of a node */
};

static bool allocate_reading(struct reading *reading, uint32_t nleaf)
{
	const size_t n = nleaf, nrun = (size_t)count_mask_runs(nleaf);
	*reading = (struct reading){.nleaf = nleaf,
		.outcomes = malloc(nrun * sizeof *reading->outcomes),
		.sizes = malloc(nrun * sizeof *reading->sizes),
		.size_of = malloc(n * n * sizeof *reading->size_of),
		.cluster = malloc(n * sizeof *reading->cluster),
		.first = malloc(2 * n * sizeof *reading->first),
		.next = malloc(n * sizeof *reading->next),
		.last = malloc(2 * n * sizeof *reading->last),
		.nunder = malloc(2 * n * sizeof *reading->nunder)};
	return reading->outcomes && reading->sizes && reading->size_of && reading->cluster &&
	       reading->first && reading->next && reading->last && reading->nunder;
}

static void free_reading(struct reading *reading)
{
	free(reading->outcomes);
	free(reading->sizes);
	free(reading->size_of);
	free(reading->cluster);
	free(reading->first);
	free(reading->next);
	free(reading->last);
	free(reading->nunder);
}

static void read_outcomes(
	struct reading *reading, const struct recovery *recovery, uint32_t outcome, uint32_t colour)
{
	for (uint64_t run = recovery->nrun; run-- > 0; outcome = recovery->outcomes[outcome].before)
		reading->outcomes[mask_in_run(recovery, run, colour)] =
			&recovery->outcomes[outcome];
}

/* Every input alone must be counted once, and every pair leave a count. */
static bool check_outcomes(
	const struct reading *reading, const struct recovery *recovery, char *why, size_t room)
{
	for (uint64_t m = 0; m < recovery->nrun; m++) {
		const uint32_t i = recovery->masks[m][0], j = recovery->masks[m][1];
		const struct outcome *outcome = reading->outcomes[m];
		if (i == j && outcome->count != 1)
			return snprintf(why, room,
				       "with %g in input %" PRIu32
				       " and 0 in the others it is %.9g, not %g",
				       recovery->unit, i, outcome->output, recovery->unit) < 0;
		if (i != j && outcome->count == NO_COUNT)
			return snprintf(why, room,
				       "with %g and %g in inputs %" PRIu32 " and %" PRIu32
				       " and %g in the others it is %.9g, no number of those",
				       recovery->large, -recovery->large, i, j, recovery->unit,
				       outcome->output) < 0;
	}
	return true;
}

static int by_size(const void *a, const void *b)
{
	const uint32_t *first = a, *second = b;
	for (int k = 0; k < 3; k++)
		if (first[k] != second[k])
			return first[k] < second[k] ? -1 : 1;
	return 0;
}

static void sort_pairs(struct reading *reading, const struct recovery *recovery)
{
	const uint32_t nleaf = reading->nleaf;
	const size_t npair = (size_t)recovery->nrun - nleaf;
	for (size_t p = 0; p < npair; p++) {
		const uint32_t i = recovery->masks[nleaf + p][0], j = recovery->masks[nleaf + p][1],
			       size = nleaf - reading->outcomes[nleaf + p]->count;
		reading->sizes[p][0] = size;
		reading->sizes[p][1] = i;
		reading->sizes[p][2] = j;
		reading->size_of[(size_t)i * nleaf + j] = reading->size_of[(size_t)j * nleaf + i] =
			size;
	}
	qsort(reading->sizes, npair, sizeof *reading->sizes, by_size);
}

/* Whether every pair with one input on each side meets in a sum of exactly these two sides. */
static bool sides_meet(
	const struct reading *reading, uint32_t left, uint32_t right, char *why, size_t room)
{
	const uint32_t wanted = reading->nunder[left] + reading->nunder[right];
	for (uint32_t a = reading->first[left]; a != ORDO_NONE; a = reading->next[a])
		for (uint32_t b = reading->first[right]; b != ORDO_NONE; b = reading->next[b]) {
			const uint32_t size = reading->size_of[(size_t)a * reading->nleaf + b];
			if (size == wanted)
				continue;
			snprintf(why, room,
				"inputs %" PRIu32 " and %" PRIu32 " meet in a sum of %" PRIu32
				", the others want one of %" PRIu32
				": no tree of rounded additions does this",
				a < b ? a : b, a < b ? b : a, size, wanted);
			return false;
		}
	return true;
}

static void join(struct reading *reading, uint32_t left, uint32_t right, uint32_t sum)
{
	for (uint32_t a = reading->first[left]; a != ORDO_NONE; a = reading->next[a])
		reading->cluster[a] = sum;
	for (uint32_t b = reading->first[right]; b != ORDO_NONE; b = reading->next[b])
		reading->cluster[b] = sum;
	reading->next[reading->last[left]] = reading->first[right];
	reading->first[sum] = reading->first[left];
	reading->last[sum] = reading->last[right];
	reading->nunder[sum] = reading->nunder[left] + reading->nunder[right];
}

static void plant_leaves(struct reading *reading, uint32_t (*nodes)[2])
{
	for (uint32_t v = 0; v < reading->nleaf; v++) {
		nodes[v][0] = ORDO_NONE;
		nodes[v][1] = reading->cluster[v] = reading->first[v] = reading->last[v] = v;
		reading->next[v] = ORDO_NONE;
		reading->nunder[v] = 1;
	}
}

static bool build_tree(struct reading *reading, uint32_t (*nodes)[2], char *why, size_t room)
{
	const uint32_t nleaf = reading->nleaf;
	uint32_t nnode = nleaf;
	plant_leaves(reading, nodes);
	for (size_t p = 0; p < (size_t)nleaf * (nleaf - 1) / 2; p++) {
		const uint32_t a = reading->cluster[reading->sizes[p][1]],
			       b = reading->cluster[reading->sizes[p][2]];
		if (a == b)
			continue;
		if (!sides_meet(reading, a, b, why, room))
			return false;
		nodes[nnode][0] = a < b ? a : b;
		nodes[nnode][1] = a < b ? b : a;
		join(reading, a, b, nnode++);
	}
	return true;
}

static bool explain_class(struct reading *reading, const struct recovery *recovery,
	uint32_t outcome, struct element_class *class)
{
	class->nodes = malloc((2 * (size_t)reading->nleaf - 1) * sizeof *class->nodes);
	if (!class->nodes)
		return false;
	read_outcomes(reading, recovery, outcome, recovery->machine->colour_of[class->first]);
	bool tree = check_outcomes(reading, recovery, class->why, sizeof class->why);
	if (tree) {
		sort_pairs(reading, recovery);
		tree = build_tree(reading, class->nodes, class->why, sizeof class->why);
	}
	if (!tree) {
		free(class->nodes);
		class->nodes = NULL;
	}
	return true;
}

/* Turns the outcomes of the last run into classes, and finds their trees. */
static bool explain_classes(struct recovery *recovery, struct recovered *recovered)
{
	struct reading reading;
	recovered->nclass = recovery->noutcome - recovery->latest;
	recovered->classes = calloc((size_t)recovered->nclass + 1, sizeof *recovered->classes);
	recovered->class_of = recovery->at;
	recovery->at = NULL;
	bool worked = allocate_reading(&reading, recovery->machine->nleaf) && recovered->classes;
	for (uint64_t e = 0; worked && e < recovery->machine->nelement; e++) {
		struct element_class *class =
			&recovered->classes[recovered->class_of[e] -= recovery->latest];
		if (!class->nelement++)
			class->first = e;
	}
	for (uint32_t c = 0; worked && c < recovered->nclass; c++)
		worked = explain_class(
			&reading, recovery, recovery->latest + c, &recovered->classes[c]);
	free_reading(&reading);
	return worked;
}

/* Merges classes of different colours with equal trees; equal trees have equal nodes, because the
 * sizes determine them. */
static bool merge_classes(struct recovered *recovered, uint32_t nleaf, uint64_t nelement)
{
	struct element_class *classes = recovered->classes;
	uint32_t *new_class = malloc(((size_t)recovered->nclass + 1) * sizeof *new_class),
		 nkept = 0;
	if (!new_class)
		return false;
	for (uint32_t c = 0; c < recovered->nclass; c++) {
		uint32_t same = classes[c].nodes ? 0 : nkept;
		while (same < nkept &&
			(!classes[same].nodes ||
				memcmp(classes[same].nodes, classes[c].nodes,
					(2 * (size_t)nleaf - 1) * sizeof *classes->nodes) != 0))
			same++;
		new_class[c] = same;
		if (same == nkept) {
			classes[nkept++] = classes[c];
		} else {
			classes[same].nelement += classes[c].nelement;
			free(classes[c].nodes);
		}
	}
	recovered->nclass = nkept;
	for (uint64_t e = 0; e < nelement; e++)
		recovered->class_of[e] = new_class[recovered->class_of[e]];
	free(new_class);
	return true;
}

static bool start(struct recovery *recovery, struct ordo_error *error)
{
	const struct machine *machine = recovery->machine;
	recovery->masks = malloc((size_t)recovery->nrun * sizeof *recovery->masks);
	recovery->leaves =
		calloc((size_t)machine->nleaf * machine->ncolour, sizeof *recovery->leaves);
	recovery->elements = calloc((size_t)machine->nelement + 1, sizeof *recovery->elements);
	recovery->at = calloc((size_t)machine->nelement + 1, sizeof *recovery->at);
	if (!recovery->masks || !recovery->leaves || !recovery->elements || !recovery->at ||
		!ordo_array_reserve(&recovery->outcomes, &recovery->room, machine->ncolour,
			sizeof *recovery->outcomes))
		return ordo_fail_memory(error);
	list_masks(recovery);
	while (recovery->noutcome < machine->ncolour)
		recovery->outcomes[recovery->noutcome++] =
			(struct outcome){.first_next = ORDO_NONE, .sibling = ORDO_NONE};
	for (uint64_t e = 0; e < machine->nelement; e++)
		recovery->at[e] = machine->colour_of[e];
	return true;
}

bool recover_trees(
	const struct machine *machine, struct recovered *recovered, struct ordo_error *error)
{
	struct recovery recovery = {.machine = machine, .nrun = count_mask_runs(machine->nleaf)};
	*recovered = (struct recovered){.nrun = recovery.nrun};
	bool worked = choose_mask_numbers(machine->type, machine->accumulator, machine->nleaf,
			      &recovery.unit, &recovery.large, error) &&
		      start(&recovery, error) && observe_all(&recovery, error);
	if (worked && (!explain_classes(&recovery, recovered) ||
			      !merge_classes(recovered, machine->nleaf, machine->nelement)))
		worked = ordo_fail_memory(error);
	free(recovery.masks);
	free(recovery.leaves);
	free(recovery.elements);
	free(recovery.at);
	free(recovery.outcomes);
	return worked;
}

void free_recovered(struct recovered *recovered)
{
	for (uint32_t c = 0; c < recovered->nclass && recovered->classes; c++)
		free(recovered->classes[c].nodes);
	free(recovered->classes);
	free(recovered->class_of);
}
