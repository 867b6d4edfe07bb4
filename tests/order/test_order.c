/* test_order.c - forests, names, witnesses, classes and guarantees, each against a slower and
 * plainer way. */
#include "compiling.h"
#include "handmade.h"
#include <math.h>
#include <ordo/compiler.h>
#include <ordo/detail/input.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ordo_forest *new_forest(void)
{
	struct ordo_error error;
	struct ordo_forest *forest = ordo_forest_create(&error);
	assert_non_null(forest);
	return forest;
}

static bool are_same(const struct ordo_forest *forest, uint32_t one, uint32_t other)
{
	return ordo_same_tree(&forest->trees, one) == ordo_same_tree(&forest->trees, other);
}

static void equal_trees_have_one_id_and_swapped_ones_stand_for_the_same(void **state)
{
	(void)state;
	struct ordo_forest *forest = new_forest();
	uint32_t leaf[4];
	for (uint32_t i = 0; i < 4; i++)
		leaf[i] = ordo_forest_leaf(forest, i);
	const uint32_t ab = ordo_forest_add(forest, leaf[0], leaf[1]),
		       ba = ordo_forest_add(forest, leaf[1], leaf[0]),
		       cd = ordo_forest_add(forest, leaf[2], leaf[3]);
	assert_int_equal(ordo_forest_leaf(forest, 2), leaf[2]);
	assert_int_equal(ordo_forest_add(forest, leaf[0], leaf[1]), ab);
	assert_int_equal(ordo_forest_add(forest, leaf[1], leaf[0]), ba);
	assert_int_not_equal(ab, ba);
	assert_true(are_same(forest, ab, ba));
	assert_false(are_same(forest, ab, cd));
	const uint32_t one = ordo_forest_add(forest, ab, cd), two = ordo_forest_add(forest, cd, ba);
	assert_int_not_equal(one, two);
	assert_true(are_same(forest, one, two));
	assert_int_equal(ordo_forest_add(forest, cd, ba), two);
	assert_int_not_equal(ordo_forest_add(forest, cd, ab), two);
	assert_int_equal(forest->facts[two].leaves, 4);
	assert_int_equal(forest->facts[two].depth, 2);
	assert_int_equal(forest->facts[two].smallest, 0);
	assert_int_equal(forest->facts[two].largest, 3);
	ordo_forest_destroy(forest);
}

/* Random trees over the leaves 0..n-1: any two parts are joined, either way round. */
static uint32_t random_tree(struct ordo_forest *forest, uint64_t *random, uint32_t n)
{
	uint32_t parts[64];
	for (uint32_t i = 0; i < n; i++)
		parts[i] = ordo_forest_leaf(forest, i);
	for (uint32_t count = n; count > 1; count--) {
		*random = *random * 6364136223846793005u + 1442695040888963407u;
		const uint32_t a = (uint32_t)(*random >> 33) % count;
		const uint32_t b = (a + 1 + (uint32_t)(*random >> 12) % (count - 1)) % count;
		parts[a] = ordo_forest_add(forest, parts[a], parts[b]);
		parts[b] = parts[count - 1];
	}
	return parts[0];
}

/* The same shape, some operands swapped. */
static uint32_t swap_some(struct ordo_forest *forest, uint64_t *random, uint32_t tree)
{
	const uint32_t left = forest->trees.nodes[tree][0], right = forest->trees.nodes[tree][1];
	if (left == ORDO_NONE)
		return tree;
	const uint32_t a = swap_some(forest, random, left), b = swap_some(forest, random, right);
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 63 ? ordo_forest_add(forest, a, b) : ordo_forest_add(forest, b, a);
}

static bool has_leaf(const struct ordo_forest *forest, uint32_t tree, uint32_t leaf)
{
	const uint32_t *node = forest->trees.nodes[tree];
	return node[0] == ORDO_NONE
		       ? node[1] == leaf
		       : has_leaf(forest, node[0], leaf) || has_leaf(forest, node[1], leaf);
}

/* The smallest node that has both leaves. */
static uint32_t meet(const struct ordo_forest *forest, uint32_t tree, uint32_t a, uint32_t b)
{
	for (;;) {
		const uint32_t *node = forest->trees.nodes[tree];
		if (node[0] == ORDO_NONE)
			return tree;
		if (has_leaf(forest, node[0], a) && has_leaf(forest, node[0], b))
			tree = node[0];
		else if (has_leaf(forest, node[1], a) && has_leaf(forest, node[1], b))
			tree = node[1];
		else
			return tree;
	}
}

/* A number as memory has it. */
static double stored(enum ordo_type type, double number)
{
	uint64_t memory = 0;
	ordo_element_put(type, &memory, 0, number);
	return ordo_element_get(type, &memory, 0);
}

static double fold(const struct ordo_forest *forest, uint32_t tree, enum ordo_type type,
	bool product, const double *values)
{
	const uint32_t *node = forest->trees.nodes[tree];
	if (node[0] == ORDO_NONE)
		return stored(type, values[node[1]]);
	const double a = fold(forest, node[0], type, product, values),
		     b = fold(forest, node[1], type, product, values);
	if (type == ORDO_F32)
		return (double)(product ? (float)a * (float)b : (float)a + (float)b);
	return stored(type, product ? a * b : a + b);
}

/* The claim of a contradiction, evaluated a second time. */
static void check_contradiction(
	const struct ordo_forest *forest, const uint32_t *trees, enum ordo_type type, bool product)
{
	static const struct ordo_element elements[2];
	struct ordo_contradiction found;
	struct ordo_error error;
	double values[64];
	assert_true(ordo_contradict(forest, type, type, product ? ORDO_PROD : ORDO_SUM, elements,
		trees, &found, &error));
	for (uint32_t i = 0; i < 64; i++)
		values[i] = found.rest;
	values[found.witness.a] = found.value[0];
	values[found.witness.b] = found.value[1];
	values[found.witness.c] = found.value[2];
	for (int i = 0; i < 2; i++) {
		double result = fold(forest, trees[i], type, product, values);
		assert_memory_equal(&result, &found.result[i], sizeof result);
		assert_true(found.bits[i] == ordo_type_bits(type, result));
	}
	assert_true(found.bits[0] != found.bits[1]);
}

static void check_witness(const struct ordo_forest *forest, const uint32_t *trees)
{
	struct ordo_witness witness;
	struct ordo_error error;
	assert_true(ordo_tree_witness(forest, trees[0], trees[1], &witness, &error));
	const uint32_t a = witness.a, b = witness.b, c = witness.c;
	assert_false(has_leaf(forest, meet(forest, trees[0], a, b), c));
	assert_false(has_leaf(forest, meet(forest, trees[1], a, c), b));
	assert_int_equal(meet(forest, trees[0], a, b), witness.node[0]);
	assert_int_equal(meet(forest, trees[1], a, b), witness.node[1]);
}

static void trees_that_differ_have_a_witness_and_an_input_others_have_not(void **state)
{
	(void)state;
	uint64_t random = 1;
	struct ordo_arena arena = {0};
	uint32_t differing = 0, alike = 0;
	for (uint32_t turn = 0; turn < 4000; turn++) {
		struct ordo_forest *forest = new_forest();
		const uint32_t n = 2 + turn % 15;
		uint32_t trees[2] = {random_tree(forest, &random, n), 0};
		trees[1] = turn % 3 ? random_tree(forest, &random, n)
				    : swap_some(forest, &random, trees[0]);
		const bool same = !strcmp(ordo_forest_print(forest, &arena, trees[0], 100),
			ordo_forest_print(forest, &arena, trees[1], 100));
		assert_int_equal(are_same(forest, trees[0], trees[1]), same);
		struct ordo_witness witness;
		struct ordo_error error;
		if (same) {
			assert_false(
				ordo_tree_witness(forest, trees[0], trees[1], &witness, &error));
			assert_int_equal(error.code, ORDO_USAGE);
		} else {
			check_witness(forest, trees);
			for (int type = ORDO_F16; type <= ORDO_F64; type++)
				for (int product = 0; product < 2; product++)
					check_contradiction(
						forest, trees, (enum ordo_type)type, product);
		}
		differing += !same;
		alike += same && trees[0] != trees[1];
		ordo_forest_destroy(forest);
		ordo_arena_free(&arena);
	}
	assert_true(differing > 2000 && alike > 500);
}

static void other_leaves_and_associative_reductions_have_no_witness(void **state)
{
	(void)state;
	struct ordo_forest *forest = new_forest();
	const uint32_t trees[2] = {
		ordo_forest_named(forest, (struct ordo_tree_name){ORDO_LINEAR, 0}, 4),
		ordo_forest_named(forest, (struct ordo_tree_name){ORDO_LINEAR, 0}, 5)};
	static const struct ordo_element elements[2];
	struct ordo_witness witness;
	struct ordo_contradiction contradiction;
	struct ordo_error error;
	assert_false(ordo_tree_witness(forest, trees[0], trees[1], &witness, &error));
	assert_non_null(strstr(error.text, "different leaves"));
	assert_false(ordo_contradict(
		forest, ORDO_I32, ORDO_I32, ORDO_SUM, elements, trees, &contradiction, &error));
	assert_non_null(strstr(error.text, "i32 sum is associative"));
	assert_false(ordo_contradict(
		forest, ORDO_F64, ORDO_F64, ORDO_MAX, elements, trees, &contradiction, &error));
	ordo_forest_destroy(forest);
}

static const char *print_named(struct ordo_forest *forest, struct ordo_arena *arena,
	enum ordo_tree_kind kind, uint32_t from, uint32_t n)
{
	const uint32_t tree = ordo_forest_named(forest, (struct ordo_tree_name){kind, from}, n);
	assert_int_not_equal(tree, ORDO_NONE);
	return ordo_forest_print(forest, arena, tree, 1000);
}

static void named_trees_are_what_their_names_say(void **state)
{
	(void)state;
	struct ordo_arena arena = {0};
	struct ordo_forest *forest = new_forest();
	for (uint32_t n = 1; n <= 16; n++) {
		assert_string_equal(
			print_named(forest, &arena, ORDO_DYADIC, 0, n), print_dyadic(&arena, 0, n));
		assert_string_equal(
			print_named(forest, &arena, ORDO_FOLDED, 0, n), print_folded(&arena, 0, n));
		assert_string_equal(
			print_named(forest, &arena, ORDO_LINEAR, 0, n), print_linear(&arena, 0, n));
	}
	assert_string_equal(print_named(forest, &arena, ORDO_RING_UP, 2, 5), "((0+((2+3)+4))+1)");
	ordo_forest_destroy(forest);
	ordo_arena_free(&arena);
}

/* Whatever the name of a tree says is that tree; and a tree without a name is none of those that
 * have one. */
static void check_name(struct ordo_forest *forest, uint32_t tree, uint32_t n)
{
	struct ordo_tree_name name;
	assert_true(ordo_forest_name(forest, tree, &name));
	enum ordo_tree_kind first = ORDO_UNNAMED;
	for (enum ordo_tree_kind kind = ORDO_NTREE_KIND - 1; kind > ORDO_UNNAMED; kind--)
		for (uint32_t from = 0; from < (kind >= ORDO_RING_UP ? n : 1); from++)
			if (are_same(forest,
				    ordo_forest_named(
					    forest, (struct ordo_tree_name){kind, from}, n),
				    tree))
				first = kind;
	/* A ring from 0 upwards is called linear. */
	assert_int_equal(name.kind, first);
	if (name.kind != ORDO_UNNAMED)
		assert_true(are_same(forest, ordo_forest_named(forest, name, n), tree));
}

static void names_are_recognised(void **state)
{
	(void)state;
	struct ordo_forest *forest = new_forest();
	uint64_t random = 7;
	for (uint32_t n = 1; n <= 9; n++) {
		for (enum ordo_tree_kind kind = ORDO_DYADIC; kind < ORDO_NTREE_KIND; kind++)
			for (uint32_t from = 0; from < n; from++)
				check_name(forest,
					swap_some(forest, &random,
						ordo_forest_named(forest,
							(struct ordo_tree_name){kind,
								kind >= ORDO_RING_UP ? from : 0},
							n)),
					n);
		for (int turn = 0; turn < 60; turn++)
			check_name(forest, random_tree(forest, &random, n), n);
	}
	/* Not over 0..n-1. */
	struct ordo_tree_name name;
	const uint32_t odd = ordo_forest_add(forest,
		ordo_forest_add(forest, ordo_forest_leaf(forest, 2), ordo_forest_leaf(forest, 0)),
		ordo_forest_leaf(forest, 7));
	assert_true(ordo_forest_name(forest, odd, &name));
	assert_int_equal(name.kind, ORDO_UNNAMED);
	const uint32_t pair =
		ordo_forest_add(forest, ordo_forest_leaf(forest, 7), ordo_forest_leaf(forest, 0));
	assert_true(ordo_forest_name(forest, pair, &name));
	assert_int_equal(name.kind, ORDO_UNNAMED);
	ordo_forest_destroy(forest);
}

static void names_are_read_as_they_are_written(void **state)
{
	(void)state;
	char text[64];
	for (enum ordo_tree_kind kind = ORDO_DYADIC; kind < ORDO_NTREE_KIND; kind++)
		for (uint32_t from = 0; from < 12; from += 11) {
			const struct ordo_tree_name name = {kind, kind >= ORDO_RING_UP ? from : 0};
			struct ordo_tree_name again;
			ordo_tree_name_print(name, text, sizeof text);
			assert_true(ordo_tree_name_read(text, &again));
			assert_int_equal(again.kind, name.kind);
			assert_int_equal(again.from, name.from);
		}
	static const char *const wrong[] = {"", "Dyadic", "ring from", "ring from x",
		"ring from 1 up", "ring from 1234567890", "unnamed"};
	struct ordo_tree_name name;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		assert_false(ordo_tree_name_read(wrong[i], &name));
	assert_true(ordo_tree_name_read("ring", &name));
	assert_int_equal(name.kind, ORDO_RING_UP);
}

static void a_chain_of_a_hundred_thousand_leaves_is_no_deeper_than_the_heap(void **state)
{
	(void)state;
	const uint32_t n = 100000;
	struct ordo_forest *forest = new_forest();
	struct ordo_arena arena = {0};
	struct ordo_error error;
	const uint32_t trees[2] = {
		ordo_forest_named(forest, (struct ordo_tree_name){ORDO_LINEAR, 0}, n),
		ordo_forest_named(forest, (struct ordo_tree_name){ORDO_RING_DOWN, 5}, n)};
	assert_int_equal(forest->facts[trees[0]].depth, n - 1);
	struct ordo_tree_name name;
	assert_true(ordo_forest_name(forest, trees[1], &name));
	assert_int_equal(name.kind, ORDO_RING_DOWN);
	assert_int_equal(name.from, 5);
	struct ordo_contradiction found;
	static const struct ordo_element elements[2];
	assert_true(ordo_contradict(
		forest, ORDO_F32, ORDO_F32, ORDO_SUM, elements, trees, &found, &error));
	assert_true(found.result[0] != found.result[1]);
	assert_string_equal(
		ordo_forest_print(forest, &arena, trees[0], 4), "(([0..99997]+99998)+99999)");
	assert_int_equal(strlen(ordo_forest_print(forest, &arena, trees[0], n)),
		10 + 180 + 2700 + 36000 + 450000 + 3 * (n - 1));
	ordo_forest_destroy(forest);
	ordo_arena_free(&arena);
}

static void errors_are_bounded_by_the_roundings_on_the_way(void **state)
{
	(void)state;
	const struct ordo_tree_facts facts = {.leaves = 8, .depth = 3};
	assert_true(fabs(ordo_error_bound(ORDO_F32, ORDO_F32, ORDO_SUM, &facts) / (3 * 0x1p-24) -
			    1) < 1e-6);
	assert_true(fabs(ordo_error_bound(ORDO_F64, ORDO_F64, ORDO_SUM, &facts) / (3 * 0x1p-53) -
			    1) < 1e-6);
	assert_true(fabs(ordo_error_bound(ORDO_F32, ORDO_F32, ORDO_PROD, &facts) / (7 * 0x1p-24) -
			    1) < 1e-6);
	assert_true(fabs(ordo_error_bound(ORDO_F32, ORDO_F32, ORDO_AVG, &facts) / (4 * 0x1p-24) -
			    1) < 1e-6);
	const struct ordo_tree_facts deep = {.leaves = 1u << 25, .depth = (1u << 25) - 1};
	assert_true(
		fabs(ordo_error_bound(ORDO_F32, ORDO_F32, ORDO_SUM, &deep) - (exp(2) - 1)) < 1e-5);
	assert_true(ordo_error_bound(ORDO_I64, ORDO_I64, ORDO_SUM, &facts) == 0);
	assert_true(ordo_error_bound(ORDO_F32, ORDO_F32, ORDO_MAX, &facts) == 0);
}

/* One schedule, its proof and its order. */
struct subject {
	struct ordo_schedule *schedule;
	struct ordo_proof *proof;
	struct ordo_forest *forest;
	struct ordo_order *order;
};

/* AllReduce on five ranks, all parts sent to all. Rank r folds chunk c with the part of rank r + c
 * first, then the others in ascending order. */
static struct ordo_schedule *lead_first(int chunks)
{
	enum { N = 5 };
	static char lines[1 << 16];
	int at = 0;
	for (int r = 0; r < N; r++) {
		at += sprintf(lines + at, "rank %d\n", r);
		for (int p = 0; p < N; p++)
			if (p != r)
				at += sprintf(lines + at, "Notify %d signal 0\n", p);
		for (int p = 0; p < N; p++)
			for (int c = -1; p != r && c <= chunks; c++)
				at += c < 0 ? sprintf(lines + at, "Wait %d signal 0\n", p)
				      : c < chunks
					      ? sprintf(lines + at,
							"Send %d chunk %d input %d -> scratch %d\n",
							p, c, c, r * chunks + c)
					      : sprintf(lines + at, "Notify %d signal 1\n", p);
		for (int p = 0; p < N; p++)
			if (p != r)
				at += sprintf(lines + at, "Wait %d signal 1\n", p);
		for (int c = 0; c < chunks; c++)
			for (int i = -1; i < N; i++) {
				const int lead = (r + c) % N, p = i < 0 ? lead : i;
				if (i == lead)
					continue;
				at += sprintf(lines + at, "%s chunk %d %s %d -> output %d\n",
					i < 0 ? "LocalCopy" : "LocalReduce", c,
					p == r ? "input" : "scratch", p == r ? c : p * chunks + c,
					c);
			}
	}
	return handmade(&(struct ordo_problem){.op = ORDO_ALLREDUCE,
				.nrank = N,
				.nshard = N,
				.chunks_per_block = (uint32_t)chunks},
		N * (uint32_t)chunks, lines);
}

/* algorithm NULL: the one above, of a chunk; "": of four. */
static struct subject open_subject(enum ordo_operator op, uint32_t n, const char *algorithm)
{
	struct ordo_error error;
	struct subject subject = {.schedule = algorithm && *algorithm
						      ? compile_proved(&(struct ordo_request){
								.problem = {.op = op, .nrank = n},
								.algorithm = algorithm})
						      : lead_first(algorithm ? 4 : 1)};
	subject.proof = ordo_verify(subject.schedule, NULL, &error);
	subject.forest = new_forest();
	assert_non_null(subject.proof);
	subject.order = ordo_order_create(subject.forest, subject.schedule, subject.proof, &error);
	assert_non_null(subject.order);
	return subject;
}

static void close_subject(struct subject *subject)
{
	ordo_order_destroy(subject->order);
	ordo_forest_destroy(subject->forest);
	ordo_proof_destroy(subject->proof);
	ordo_schedule_destroy(subject->schedule);
}

/* Counts the classes copy by copy. */
static void check_classes(const struct ordo_order *order)
{
	const uint32_t nrank = order->problem.nrank, nchunk = order->nchunk;
	uint64_t ncopy = 0;
	for (uint32_t class = 0; class < order->nclass; class ++) {
		const struct ordo_class *found = &order->classes[class];
		uint32_t copies = 0, chunks = 0, ranks = 0, first_chunk = ORDO_NONE;
		uint8_t *has_chunk = calloc(nchunk, 1), *has_rank = calloc(nrank, 1);
		for (uint32_t chunk = 0; chunk < nchunk; chunk++) {
			uint32_t first, end;
			ordo_chunk_holders(&order->problem, chunk, &first, &end);
			for (uint32_t rank = first; rank < end; rank++) {
				if (!are_same(order->forest, ordo_order_tree(order, chunk, rank),
					    found->tree))
					continue;
				first_chunk = first_chunk == ORDO_NONE ? chunk : first_chunk;
				copies++;
				chunks += !has_chunk[chunk];
				ranks += !has_rank[rank];
				has_chunk[chunk] = has_rank[rank] = 1;
			}
		}
		assert_int_equal(found->ncopy, copies);
		assert_int_equal(found->nchunk, chunks);
		assert_int_equal(found->nrank, ranks);
		assert_int_equal(found->first_chunk, first_chunk);
		assert_int_equal(
			ordo_order_tree(order, first_chunk, found->first_rank), found->tree);
		ncopy += copies;
		free(has_chunk);
		free(has_rank);
	}
	uint64_t all = 0;
	for (uint32_t chunk = 0; chunk < nchunk; chunk++) {
		uint32_t first, end;
		ordo_chunk_holders(&order->problem, chunk, &first, &end);
		all += end - first;
		assert_true(are_same(order->forest, order->classes[order->chunk_class[chunk]].tree,
			order->chunk_tree[chunk]));
	}
	assert_true(ncopy == all);
}

static void classes_count_chunks_ranks_and_copies(void **state)
{
	(void)state;
	static const struct {
		enum ordo_operator op;
		uint32_t n;
		const char *algorithm;
		uint32_t nclass, nidentical; /* of the first class */
	} cases[] = {
		{ORDO_ALLREDUCE, 8, "ring", 8, 1},
		{ORDO_REDUCESCATTER, 6, "ring", 6, 1},
		{ORDO_ALLREDUCE, 8, "recursive-doubling", 1, 8},
		{ORDO_ALLREDUCE, 5, NULL, 4, 2},
		{ORDO_ALLREDUCE, 5, "", 4, 2},
		{ORDO_REDUCESCATTER, 8, "halving-doubling", 1, 8},
		{ORDO_ALLREDUCE, 6, "dyadic", 1, 2},
		{ORDO_REDUCE, 7, "tree", 1, 1},
		{ORDO_ALLGATHER, 4, "ring", 4, 1},
		{ORDO_ALLREDUCE, 1, "ring", 1, 1},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct subject subject = open_subject(cases[i].op, cases[i].n, cases[i].algorithm);
		check_classes(subject.order);
		if (subject.order->nclass != cases[i].nclass ||
			subject.order->classes[0].nidentical != cases[i].nidentical)
			fail_msg("case %zu, %u ranks: %u classes, the first of %u trees", i,
				cases[i].n, subject.order->nclass,
				subject.order->classes[0].nidentical);
		close_subject(&subject);
	}
}

static void two_schedules_of_one_order_share_their_trees(void **state)
{
	(void)state;
	struct subject mesh = open_subject(ORDO_ALLREDUCE, 8, "mesh(shots=2)");
	struct ordo_schedule *schedule = compile_proved(&(struct ordo_request){
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 8}, .algorithm = "dyadic"});
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	struct ordo_error error;
	struct ordo_order *dyadic = ordo_order_create(mesh.forest, schedule, proof, &error);
	assert_non_null(dyadic);
	assert_true(are_same(mesh.forest, dyadic->chunk_tree[0], mesh.order->chunk_tree[0]));
	struct ordo_tree_name name;
	assert_true(ordo_forest_name(mesh.forest, dyadic->chunk_tree[0], &name));
	assert_int_equal(name.kind, ORDO_DYADIC);
	ordo_order_destroy(dyadic);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	close_subject(&mesh);
}

static struct ordo_judgement judge(const struct subject *subject, struct ordo_arena *arena,
	enum ordo_guarantee guarantee, enum ordo_type type, enum ordo_reduction reduction)
{
	struct ordo_judgement judgement, again;
	struct ordo_error error;
	assert_true(ordo_judge_guarantee(
		subject->order, guarantee, type, reduction, arena, &judgement, &error));
	assert_true(ordo_judge_proof(&subject->schedule->problem, subject->proof, guarantee, type,
		reduction, arena, &again, &error));
	assert_int_equal(judgement.verdict, again.verdict);
	assert_int_equal(judgement.contradicted, again.contradicted);
	assert_int_equal(!judgement.why, !again.why);
	if (judgement.why)
		assert_string_equal(judgement.why, again.why);
	if (judgement.contradicted) {
		assert_memory_equal(&judgement.contradiction.element, &again.contradiction.element,
			sizeof again.contradiction.element);
		assert_string_equal(judgement.node[0], again.node[0]);
		assert_string_equal(judgement.node[1], again.node[1]);
	}
	return judgement;
}

/* As the runtime has it, whatever this CPU makes of it; what is not added to is kept. */
static void a_sum_that_is_a_nan_has_one_form(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_forest *forest = ordo_forest_create(&error);
	const uint32_t leaf = ordo_forest_leaf(forest, 0),
		       sum = ordo_forest_add(forest, leaf, ordo_forest_leaf(forest, 1));
	const double values[][2] = {
		{(double)INFINITY, -(double)INFINITY}, {-(double)NAN, 1}, {1, -(double)NAN}};
	double result;
	for (int reduction = 0; reduction <= ORDO_AVG; reduction++)
		for (size_t i = reduction == ORDO_SUM ? 0 : 1; i < 3; i++) {
			assert_true(ordo_tree_evaluate(forest, sum, ORDO_F32, ORDO_F32,
				(enum ordo_reduction)reduction, values[i], &result, &error));
			assert_int_equal(ordo_type_bits(ORDO_F32, result), 0x7fc00000);
		}
	assert_true(ordo_tree_evaluate(
		forest, leaf, ORDO_F32, ORDO_F32, ORDO_SUM, values[1], &result, &error));
	assert_true(isnan(result) && signbit(result));
	ordo_forest_destroy(forest);
}

static void guarantees_are_proved_refuted_or_do_not_apply(void **state)
{
	(void)state;
	struct ordo_arena arena = {0};
	struct subject ring = open_subject(ORDO_ALLREDUCE, 5, "ring"),
		       own = open_subject(ORDO_ALLREDUCE, 5, NULL),
		       doubling = open_subject(ORDO_ALLREDUCE, 8, "recursive-doubling"),
		       gather = open_subject(ORDO_ALLGATHER, 4, "ring"),
		       mesh = open_subject(ORDO_ALLREDUCE, 4, "mesh(shots=2)");
	struct ordo_judgement judgement = judge(&ring, &arena, ORDO_G1, ORDO_F32, ORDO_SUM);
	assert_int_equal(judgement.verdict, ORDO_HOLDS);
	assert_null(judgement.why);
	judgement = judge(&ring, &arena, ORDO_G3, ORDO_F64, ORDO_PROD);
	assert_int_equal(judgement.verdict, ORDO_DOES_NOT_HOLD);
	assert_true(judgement.contradicted);
	assert_int_equal(judgement.contradiction.element[0].chunk, 0);
	assert_int_equal(judgement.contradiction.element[1].chunk, 1);
	judgement = judge(&ring, &arena, ORDO_G3, ORDO_I32, ORDO_SUM);
	assert_int_equal(judgement.verdict, ORDO_HOLDS);
	assert_string_equal(judgement.why, "i32 sum is associative, every order has the same bits");
	judgement = judge(&ring, &arena, ORDO_G3, ORDO_F32, ORDO_MIN);
	assert_int_equal(judgement.verdict, ORDO_HOLDS);
	judgement = judge(&ring, &arena, ORDO_G4, ORDO_F32, ORDO_SUM);
	assert_int_equal(judgement.verdict, ORDO_NOT_ASKED);
	judgement = judge(&own, &arena, ORDO_G1, ORDO_F32, ORDO_SUM);
	assert_int_equal(judgement.verdict, ORDO_DOES_NOT_HOLD);
	assert_string_equal(judgement.why,
		"chunk 0 is ((((0+1)+2)+3)+4) on rank 0 but ((((0+2)+1)+3)+4) on rank 2");
	judgement = judge(&doubling, &arena, ORDO_G1, ORDO_F32, ORDO_SUM);
	assert_int_equal(judgement.verdict, ORDO_HOLDS);
	judgement = judge(&doubling, &arena, ORDO_G2, ORDO_F32, ORDO_SUM);
	assert_int_equal(judgement.verdict, ORDO_HOLDS);
	/* Each owner has its own part as the left operand. */
	judgement = judge(&mesh, &arena, ORDO_G1, ORDO_F32, ORDO_SUM);
	assert_int_equal(judgement.verdict, ORDO_HOLDS);
	judgement = judge(&mesh, &arena, ORDO_G3, ORDO_F32, ORDO_SUM);
	assert_int_equal(judgement.verdict, ORDO_HOLDS);
	judgement = judge(&gather, &arena, ORDO_G3, ORDO_F32, ORDO_SUM);
	assert_int_equal(judgement.verdict, ORDO_NOT_APPLICABLE);
	assert_string_equal(judgement.why, "AllGather adds nothing");
	close_subject(&ring);
	close_subject(&own);
	close_subject(&doubling);
	close_subject(&gather);
	close_subject(&mesh);
	ordo_arena_free(&arena);
}

static void overlaps_are_where_two_cuts_of_one_vector_have_elements_in_common(void **state)
{
	(void)state;
	for (uint32_t n = 1; n <= 9; n++)
		for (uint32_t m = 1; m <= 9; m++) {
			const struct ordo_order first = {.nchunk = n}, second = {.nchunk = m};
			struct ordo_overlap overlap = {0};
			for (uint32_t unit = 0; unit < n * m; unit++) {
				if (unit && (unit % m == 0 || unit % n == 0))
					ordo_overlap_next(&first, &second, &overlap);
				assert_int_equal(overlap.chunk[0], unit / m);
				assert_int_equal(overlap.chunk[1], unit / n);
			}
			ordo_overlap_next(&first, &second, &overlap);
			assert_int_equal(overlap.chunk[0], n);
		}
}

static void a_schedule_that_is_not_sound_has_no_order(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = compile_proved(&(struct ordo_request){
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 3}, .algorithm = "ring"});
	for (uint32_t i = 0; i < schedule->ntask; i++)
		if (schedule->tasks[i].kind == ORDO_WAIT)
			schedule->tasks[i].signal = 99;
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	struct ordo_forest *forest = new_forest();
	assert_null(ordo_order_create(forest, schedule, proof, &error));
	assert_int_equal(error.code, ORDO_REFUTED);
	assert_int_equal(error.rule, 6);
	ordo_forest_destroy(forest);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_trees_have_one_id_and_swapped_ones_stand_for_the_same),
		cmocka_unit_test(trees_that_differ_have_a_witness_and_an_input_others_have_not),
		cmocka_unit_test(other_leaves_and_associative_reductions_have_no_witness),
		cmocka_unit_test(named_trees_are_what_their_names_say),
		cmocka_unit_test(names_are_recognised),
		cmocka_unit_test(names_are_read_as_they_are_written),
		cmocka_unit_test(a_chain_of_a_hundred_thousand_leaves_is_no_deeper_than_the_heap),
		cmocka_unit_test(errors_are_bounded_by_the_roundings_on_the_way),
		cmocka_unit_test(classes_count_chunks_ranks_and_copies),
		cmocka_unit_test(two_schedules_of_one_order_share_their_trees),
		cmocka_unit_test(a_sum_that_is_a_nan_has_one_form),
		cmocka_unit_test(guarantees_are_proved_refuted_or_do_not_apply),
		cmocka_unit_test(overlaps_are_where_two_cuts_of_one_vector_have_elements_in_common),
		cmocka_unit_test(a_schedule_that_is_not_sound_has_no_order),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
