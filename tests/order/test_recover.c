/* test_recover.c - trees are recovered from machines made of software: random trees, evaluated in
 * each type, and machines that are none.
 *
 * The recovering code sees numbers go in and come out; what it finds is compared with the tree that
 * made them, as sets of leaves under every sum.
 */
#include "probe/recover.h"
#include <ordo/operator.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_LEAVES = 64, MOST_TREES = 5, NELEMENT = 12, NCOLOUR = 3 };

static uint64_t state = 1;

static uint32_t random_below(uint32_t n)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((state >> 33) % n);
}

/* nodes[nleaf .. 2 * nleaf - 1): sums; the last is the root. */
struct tree {
	uint32_t nodes[2 * MOST_LEAVES][2];
};

/* What makes a machine something else than a tree. */
enum fault {
	NONE,
	EXACT,	   /* rounded once, at the end */
	WIDER,	   /* every addition in double, rounded once: for f32 */
	THREEFOLD, /* the root rounds three addends once */
	CHANGING,  /* another tree in every run */
	MISSING,   /* input 1 is not added */
	TWICE,	   /* input 1 is added once more */
	SPURIOUS,  /* one element is one more in one run */
	FRACTION,  /* or half of one more */
	DOUBLED,   /* twice the sum */
	ELSEWHERE, /* element 3 is what belongs to its neighbour of another colour */
	SILENT,	   /* nothing is written: NaN */
};

struct software {
	uint32_t nleaf, ntree;
	bool wide; /* f64 */
	struct tree trees[MOST_TREES];
	uint32_t tree_of[NELEMENT];
	enum fault fault;
	uint64_t nrun, fails_at;
	uint8_t colour_of[NELEMENT];
};

/* Joins two random clusters until one is left. A bias towards the latest gives deep trees, too. */
static void grow(struct tree *tree, uint32_t nleaf)
{
	uint32_t clusters[MOST_LEAVES], ncluster = nleaf;
	const bool deep = random_below(2);
	for (uint32_t v = 0; v < nleaf; v++)
		clusters[v] = v;
	for (uint32_t node = nleaf; node < 2 * nleaf - 1; node++) {
		const uint32_t a = deep && node > nleaf ? ncluster - 1 : random_below(ncluster);
		const uint32_t left = clusters[a];
		clusters[a] = clusters[--ncluster];
		const uint32_t b = random_below(ncluster);
		const bool swapped = random_below(2);
		tree->nodes[node][swapped] = left;
		tree->nodes[node][!swapped] = clusters[b];
		clusters[b] = clusters[ncluster - 1];
		clusters[ncluster - 1] = node;
	}
}

static double rounded(const struct software *software, double value)
{
	return software->wide ? value : (double)(float)value;
}

/* Sums of two floats are exact or correctly rounded when made in double and rounded again: 53 >= 2
 * * 24 + 2. */
static double evaluate(
	const struct software *software, const struct tree *tree, const double *leaves)
{
	double sums[2 * MOST_LEAVES];
	const uint32_t nleaf = software->nleaf, root = 2 * nleaf - 2;
	memcpy(sums, leaves, nleaf * sizeof *sums);
	for (uint32_t node = nleaf; node <= root; node++) {
		const double a = sums[tree->nodes[node][0]], b = sums[tree->nodes[node][1]];
		sums[node] = software->fault == WIDER ? a + b : rounded(software, a + b);
	}
	return rounded(software, sums[root]);
}

/* Integers: the masks of f64 have 59 bits. */
static double exact_sum(const struct software *software, const double *leaves)
{
	int64_t sum = 0;
	for (uint32_t v = 0; v < software->nleaf; v++)
		sum += (int64_t)leaves[v];
	return rounded(software, (double)sum);
}

/* ((2 + 3) + 4) + ..., but then 0 and 1 at once. */
static double threefold_sum(const struct software *software, const double *leaves)
{
	double sum = leaves[2];
	for (uint32_t v = 3; v < software->nleaf; v++)
		sum = rounded(software, sum + leaves[v]);
	return rounded(software, (double)((int64_t)sum + (int64_t)leaves[0] + (int64_t)leaves[1]));
}

static double element(struct software *software, uint32_t e, const double *leaves)
{
	const struct tree *tree = &software->trees[software->tree_of[e]];
	switch (software->fault) {
	case EXACT:
		return exact_sum(software, leaves);
	case THREEFOLD:
		return threefold_sum(software, leaves);
	case MISSING:
		return evaluate(software, tree, leaves) - leaves[1];
	case TWICE:
		return rounded(software, evaluate(software, tree, leaves) + leaves[1]);
	case SPURIOUS:
		return evaluate(software, tree, leaves) +
		       (e == 3 && software->nrun == software->nleaf + 5);
	case FRACTION:
		return evaluate(software, tree, leaves) +
		       0.5 * (e == 3 && software->nrun == software->nleaf + 5);
	case DOUBLED:
		return 2 * evaluate(software, tree, leaves);
	case SILENT:
		return strtod("nan", NULL);
	case NONE:
	case WIDER:
	case CHANGING:
	case ELSEWHERE:
		break;
	}
	return evaluate(software, tree, leaves);
}

static bool run_software(
	void *closure, const double *leaves, double *elements, struct ordo_error *error)
{
	struct software *software = closure;
	if (software->nrun == software->fails_at)
		return ordo_fail(error, ORDO_ENVIRONMENT, 0, "the machine stands still");
	if (software->fault == CHANGING)
		for (uint32_t t = 0; t < software->ntree; t++)
			grow(&software->trees[t], software->nleaf);
	for (uint32_t e = 0; e < NELEMENT; e++) {
		const uint32_t from = software->fault == ELSEWHERE && e == 3 ? 4 : e;
		elements[e] =
			element(software, e, leaves + software->colour_of[from] * software->nleaf);
	}
	software->nrun++;
	return true;
}

static struct software make_software(uint32_t nleaf, bool wide, enum fault fault)
{
	struct software software = {.nleaf = nleaf,
		.ntree = 1 + random_below(MOST_TREES),
		.wide = wide,
		.fault = fault,
		.fails_at = UINT64_MAX};
	for (uint32_t t = 0; t < software.ntree; t++)
		grow(&software.trees[t], nleaf);
	for (uint32_t e = 0; e < NELEMENT; e++) {
		software.tree_of[e] = random_below(software.ntree);
		software.colour_of[e] = e % NCOLOUR;
	}
	return software;
}

static bool recover_software(
	struct software *software, struct recovered *recovered, struct ordo_error *error)
{
	const struct machine machine = {.nleaf = software->nleaf,
		.nelement = NELEMENT,
		.ncolour = NCOLOUR,
		.colour_of = software->colour_of,
		.type = ordo_type_facts(software->wide ? ORDO_F64 : ORDO_F32),
		.run = run_software,
		.closure = software};
	return recover_trees(&machine, recovered, error);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
	return first < second ? -1 : first > second;
}

/* The leaves under each sum, as bits; two trees are one, modulo commutativity, if these sets are
 * the same. */
static void list_clusters(uint32_t (*nodes)[2], uint32_t nleaf, uint64_t *clusters)
{
	uint64_t under[2 * MOST_LEAVES];
	for (uint32_t v = 0; v < nleaf; v++)
		under[v] = UINT64_C(1) << v;
	for (uint32_t node = nleaf; node < 2 * nleaf - 1; node++)
		clusters[node - nleaf] = under[node] =
			under[nodes[node][0]] | under[nodes[node][1]];
	qsort(clusters, nleaf - 1, sizeof *clusters, by_number);
}

static bool are_same(uint32_t (*a)[2], uint32_t (*b)[2], uint32_t nleaf)
{
	uint64_t first[MOST_LEAVES] = {0}, second[MOST_LEAVES] = {0};
	list_clusters(a, nleaf, first);
	list_clusters(b, nleaf, second);
	return !memcmp(first, second, sizeof first);
}

/* Leaves first, and every sum after its sides, left before right: what ordo_tree_print reads. */
static void check_form(uint32_t (*nodes)[2], uint32_t nleaf)
{
	for (uint32_t v = 0; v < nleaf; v++)
		assert_true(nodes[v][0] == ORDO_NONE && nodes[v][1] == v);
	for (uint32_t node = nleaf; node < 2 * nleaf - 1; node++)
		assert_true(nodes[node][0] < nodes[node][1] && nodes[node][1] < node);
}

static void check_recovered(struct software *software, const struct recovered *recovered)
{
	uint64_t total = 0;
	assert_int_equal(recovered->nrun, software->nrun);
	for (uint32_t e = 0; e < NELEMENT; e++) {
		struct element_class *class = &recovered->classes[recovered->class_of[e]];
		if (!class->nodes)
			fail_msg("%u leaves: %s", software->nleaf, class->why);
		check_form(class->nodes, software->nleaf);
		if (!are_same(class->nodes, software->trees[software->tree_of[e]].nodes,
			    software->nleaf))
			fail_msg("%u leaves, element %u: another tree", software->nleaf, e);
		assert_true(class->first <= e);
		total += class->first == e ? class->nelement : 0;
	}
	assert_int_equal(total, NELEMENT);
}

static void every_random_tree_is_recovered(void **unused)
{
	(void)unused;
	for (uint32_t round = 0; round < 4000; round++) {
		/* All sizes to 24 alike, and now and then the largest. */
		const uint32_t nleaf = round % 100 == 99 ? MOST_LEAVES : 1 + round % 24;
		struct software software = make_software(nleaf, round / 24 % 2, NONE);
		struct recovered recovered;
		struct ordo_error error;
		assert_true(recover_software(&software, &recovered, &error));
		check_recovered(&software, &recovered);
		free_recovered(&recovered);
	}
}

/* As many inputs as bf16 counts, and so many that f16 has no M without a smaller unit. */
enum { MOST_CHAINED = 256 };

struct chain {
	enum ordo_type type;
	uint32_t nleaf;
};

static bool run_chain(
	void *closure, const double *leaves, double *elements, struct ordo_error *error)
{
	const struct chain *chain = closure;
	(void)error;
	elements[0] = leaves[0];
	for (uint32_t v = 1; v < chain->nleaf; v++) {
		assert_true(ordo_type_round(chain->type, leaves[v]) == leaves[v]);
		elements[0] = ordo_type_round(chain->type, elements[0] + leaves[v]);
	}
	return true;
}

static void types_of_few_bits_do_as_far_as_they_count(void **unused)
{
	(void)unused;
	static const uint8_t no_colour = 0;
	struct chain chains[] = {{ORDO_BF16, MOST_CHAINED}, {ORDO_F16, MOST_CHAINED},
		{ORDO_F16, 24}, {ORDO_BF16, 3}};
	for (size_t i = 0; i < sizeof chains / sizeof *chains; i++) {
		const struct machine machine = {.nleaf = chains[i].nleaf,
			.nelement = 1,
			.ncolour = 1,
			.colour_of = &no_colour,
			.type = ordo_type_facts(chains[i].type),
			.run = run_chain,
			.closure = &chains[i]};
		struct recovered recovered;
		assert_true(recover_trees(&machine, &recovered, NULL));
		if (!recovered.classes[0].nodes)
			fail_msg("%s, %u leaves: %s", machine.type->name, machine.nleaf,
				recovered.classes[0].why);
		check_form(recovered.classes[0].nodes, machine.nleaf);
		for (uint32_t v = 1; v < machine.nleaf; v++) {
			const uint32_t *node = recovered.classes[0].nodes[machine.nleaf + v - 1];
			assert_int_equal(node[0], v == 1 ? 0 : v);
			assert_int_equal(node[1], v == 1 ? 1 : machine.nleaf + v - 2);
		}
		free_recovered(&recovered);
	}
	struct recovered recovered;
	const struct machine beyond = {.nleaf = MOST_CHAINED + 1,
		.ncolour = 1,
		.type = ordo_type_facts(ORDO_BF16),
		.run = run_chain};
	assert_false(recover_trees(&beyond, &recovered, NULL));
	free_recovered(&recovered);
}

static bool all_trees(const struct recovered *recovered)
{
	for (uint32_t c = 0; c < recovered->nclass; c++)
		if (!recovered->classes[c].nodes) {
			assert_true(strlen(recovered->classes[c].why) > 10);
			return false;
		}
	return true;
}

/* A fault that shows in every machine of that many leaves. */
static void check_fault(enum fault fault, uint32_t nleaf, bool wide)
{
	struct software software = make_software(nleaf, wide, fault);
	struct recovered recovered;
	struct ordo_error error;
	assert_true(recover_software(&software, &recovered, &error));
	if (all_trees(&recovered))
		fail_msg("fault %d of %u leaves, f%d, goes unseen", fault, nleaf, wide ? 64 : 32);
	free_recovered(&recovered);
}

static void what_is_no_tree_is_said_to_be_none(void **unused)
{
	(void)unused;
	for (uint32_t nleaf = 4; nleaf <= 24; nleaf++)
		for (int wide = 0; wide <= 1; wide++) {
			check_fault(EXACT, nleaf, wide);
			check_fault(THREEFOLD, nleaf, wide);
			check_fault(MISSING, nleaf, wide);
			check_fault(TWICE, nleaf, wide);
			check_fault(SPURIOUS, nleaf, wide);
			check_fault(FRACTION, nleaf, wide);
			check_fault(SILENT, nleaf, wide);
			check_fault(ELSEWHERE, nleaf, wide);
			if (!wide)
				check_fault(WIDER, nleaf, wide);
			if (nleaf >= 6) /* of few leaves, trees may agree by chance */
				check_fault(CHANGING, nleaf, wide);
		}
}

static void few_inputs_are_looked_at_alone(void **unused)
{
	(void)unused;
	for (uint32_t nleaf = 1; nleaf <= 4; nleaf++)
		for (int wide = 0; wide <= 1; wide++) {
			check_fault(DOUBLED, nleaf, wide);
			check_fault(SILENT, nleaf, wide);
		}
}

static void only_the_elements_at_fault_have_no_tree(void **unused)
{
	(void)unused;
	struct software software = make_software(9, false, FRACTION);
	struct recovered recovered;
	struct ordo_error error;
	assert_true(recover_software(&software, &recovered, &error));
	for (uint32_t e = 0; e < NELEMENT; e++)
		assert_true(!recovered.classes[recovered.class_of[e]].nodes == (e == 3));
	assert_non_null(strstr(recovered.classes[recovered.class_of[3]].why, "no number of those"));
	free_recovered(&recovered);
}

static void a_run_that_fails_ends_the_probe(void **unused)
{
	(void)unused;
	const uint64_t last = count_mask_runs(7) - 1, whens[] = {0, 3, 7, 12, last};
	for (size_t i = 0; i < sizeof whens / sizeof *whens; i++) {
		struct software software = make_software(7, false, NONE);
		software.fails_at = whens[i];
		struct recovered recovered;
		struct ordo_error error;
		assert_false(recover_software(&software, &recovered, &error));
		assert_string_equal(error.text, "the machine stands still");
		free_recovered(&recovered);
	}
}

static bool run_nothing(
	void *closure, const double *leaves, double *elements, struct ordo_error *error)
{
	(void)leaves;
	(void)elements;
	(void)error;
	++*(uint64_t *)closure;
	return true;
}

static void no_elements_have_no_trees(void **unused)
{
	(void)unused;
	uint64_t nrun = 0;
	const struct machine machine = {.nleaf = 5,
		.ncolour = 1,
		.type = ordo_type_facts(ORDO_F32),
		.run = run_nothing,
		.closure = &nrun};
	struct recovered recovered;
	assert_true(recover_trees(&machine, &recovered, NULL));
	assert_int_equal(recovered.nclass, 0);
	assert_int_equal(nrun, 15);
	free_recovered(&recovered);
}

static void more_inputs_than_a_type_counts_are_refused(void **unused)
{
	(void)unused;
	uint64_t nrun = 0;
	const struct machine machine = {.nleaf = (1u << 24) + 1,
		.ncolour = 1,
		.type = ordo_type_facts(ORDO_F32),
		.run = run_nothing,
		.closure = &nrun};
	struct recovered recovered;
	struct ordo_error error;
	assert_false(recover_trees(&machine, &recovered, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_int_equal(nrun, 0);
	free_recovered(&recovered);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_random_tree_is_recovered),
		cmocka_unit_test(types_of_few_bits_do_as_far_as_they_count),
		cmocka_unit_test(what_is_no_tree_is_said_to_be_none),
		cmocka_unit_test(few_inputs_are_looked_at_alone),
		cmocka_unit_test(only_the_elements_at_fault_have_no_tree),
		cmocka_unit_test(a_run_that_fails_ends_the_probe),
		cmocka_unit_test(no_elements_have_no_trees),
		cmocka_unit_test(more_inputs_than_a_type_counts_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
