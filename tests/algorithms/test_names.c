/* test_names.c - the names that the field has for algorithms: each means one thing for an operator,
 * and that thing is what the field means.
 */
#include "compiling.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ordo_request request_of(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	return (struct ordo_request){
		.problem = {.op = op, .nrank = nrank, .nshard = nrank}, .algorithm = algorithm};
}

static void check_means(const char *name, enum ordo_operator op, uint32_t nrank, const char *wanted)
{
	const struct ordo_request request = request_of(op, nrank, name);
	struct ordo_schedule *schedule = compile_proved(&request);
	if (strcmp(schedule->algorithm, wanted))
		fail_msg("%s is %s, wanted %s", name, schedule->algorithm, wanted);
	ordo_schedule_destroy(schedule);
}

static void every_alias_compiles_for_its_operators_and_the_document_has_the_own_name(void **state)
{
	(void)state;
	uint32_t count, seen = 0;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t a = 0; a < algorithms[i]->nalias; a++)
			for (uint32_t op = 0; op < ORDO_NOPERATOR; op++) {
				const struct ordo_alias *alias = &algorithms[i]->aliases[a];
				char wanted[128];
				if (alias->operators && !(alias->operators >> op & 1))
					continue;
				if (!(algorithms[i]->operators >> op & 1)) {
					assert_int_equal(alias->operators, 0);
					continue;
				}
				snprintf(wanted, sizeof wanted, *alias->settings ? "%s(%s)" : "%s",
					algorithms[i]->name, alias->settings);
				check_means(alias->name, (enum ordo_operator)op, 8, wanted);
				seen++;
			}
	assert_true(seen > 40);
}

static void a_name_means_one_thing_for_an_operator(void **state)
{
	(void)state;
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t a = 0; a <= algorithms[i]->nalias; a++) {
			struct ordo_named named[ORDO_MOST_NAMED];
			const char *name =
				a ? algorithms[i]->aliases[a - 1].name : algorithms[i]->name;
			const uint32_t nnamed = ordo_algorithms_named(name, named);
			uint32_t taken = 0;
			assert_in_range(nnamed, 1, ORDO_MOST_NAMED - 1);
			for (uint32_t n = 0; n < nnamed; n++) {
				if (named[n].operators & taken)
					fail_msg("%s means two things for one operator", name);
				taken |= named[n].operators;
			}
		}
}

static void names_are_compared_without_case_and_hyphens_and_take_settings(void **state)
{
	(void)state;
	check_means("Double_Binary_Tree", ORDO_ALLREDUCE, 6, "tree(shape=double-binary)");
	check_means("RING", ORDO_ALLREDUCE, 4, "ring");
	check_means("one-shot(fold=linear)", ORDO_ALLREDUCE, 4, "mesh(shots=1,fold=linear)");
	check_means("hierarchical(two-shot,dbt)", ORDO_ALLREDUCE, 8,
		"hierarchical(mesh,tree(shape=double-binary))");
	check_means("recursive-doubling", ORDO_ALLREDUCE, 8, "recursive-doubling");
	check_means("knomial", ORDO_BROADCAST, 8, "tree(shape=k-nomial)");
	check_means("k-ary(radix=2)", ORDO_REDUCE, 8, "tree(shape=k-ary,radix=2)");
	check_means("two-shot", ORDO_REDUCE, 8, "mesh(shots=2)");
}

static void what_is_no_name_or_not_for_the_operator_is_refused_with_what_is_near(void **state)
{
	(void)state;
	static const struct {
		enum ordo_operator op;
		const char *typed, *text, *hint;
	} cases[] = {
		{ORDO_ALLREDUCE, "rabensiefner", "found \"rabensiefner\"",
			"did you mean rabenseifner?"},
		{ORDO_ALLTOALL, "pairwize", "found \"pairwize\"", "did you mean pairwise?"},
		{ORDO_ALLREDUCE, "pairwise",
			"pairwise has no AllReduce; it is a name for mesh(streams=one) "
			"(ReduceScatter), alltoall (AllToAll)",
			"algorithms that have it: ring, "},
		{ORDO_BROADCAST, "recursive-doubling", "recursive-doubling has no Broadcast",
			"ring, "},
		{ORDO_ALLREDUCE, "dbt(shape=binomial)", "shape is given twice", ""},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ordo_error error = {0};
		const struct ordo_request request = request_of(cases[i].op, 8, cases[i].typed);
		assert_null(ordo_compile(&request, &error));
		assert_int_equal(error.code, ORDO_USAGE);
		if (!strstr(error.text, cases[i].text) || !strstr(error.hint, cases[i].hint))
			fail_msg("%s: found \"%s\", hint \"%s\"", cases[i].typed, error.text,
				error.hint);
	}
}

/* What moves between ranks: how many others a rank sends to, and how many chunks. */
struct traffic {
	uint32_t peers[64], chunks[64], streams[64];
	bool goes[64][64];
};

static struct traffic *traffic_of(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	const struct ordo_request request = request_of(op, nrank, algorithm);
	struct ordo_schedule *schedule = compile_proved(&request);
	struct traffic *traffic = calloc(1, sizeof *traffic);
	assert_non_null(traffic);
	for (uint32_t s = 0; s < schedule->nstream; s++) {
		const struct ordo_stream *stream = &schedule->streams[s];
		bool sends = false;
		for (uint32_t id = stream->first; id < stream->end; id++) {
			const struct ordo_task *task = &schedule->tasks[id];
			if (task->kind != ORDO_SEND && task->kind != ORDO_SEND_REDUCE)
				continue;
			sends = true;
			traffic->peers[stream->rank] += !traffic->goes[stream->rank][task->peer];
			traffic->goes[stream->rank][task->peer] = true;
			traffic->chunks[stream->rank] += task->count;
		}
		traffic->streams[stream->rank] += sends;
	}
	ordo_schedule_destroy(schedule);
	return traffic;
}

/* Each rank with every other, one after another, N-1 blocks. */
static void pairwise_is_an_exchange_with_each_other_rank_in_turn(void **state)
{
	(void)state;
	static const enum ordo_operator operators[] = {ORDO_ALLTOALL, ORDO_REDUCESCATTER};
	for (int i = 0; i < 2; i++)
		for (uint32_t nrank = 2; nrank <= 9; nrank++) {
			struct traffic *traffic = traffic_of(operators[i], nrank, "pairwise");
			for (uint32_t rank = 0; rank < nrank; rank++) {
				assert_int_equal(traffic->peers[rank], nrank - 1);
				assert_int_equal(traffic->chunks[rank], nrank - 1);
				assert_int_equal(traffic->streams[rank], 1);
			}
			free(traffic);
		}
}

/* Rank r of 2^q sends to r - 2^k in the AllGather, N-1 blocks, and to r + 2^k in the AllToAll. */
static void bruck_sends_as_far_as_powers_of_two(void **state)
{
	(void)state;
	for (uint32_t nrank = 2; nrank <= 32; nrank *= 2) {
		struct traffic *gather = traffic_of(ORDO_ALLGATHER, nrank, "bruck");
		struct traffic *exchange = traffic_of(ORDO_ALLTOALL, nrank, "bruck");
		for (uint32_t rank = 0; rank < nrank; rank++) {
			assert_int_equal(gather->chunks[rank], nrank - 1);
			for (uint32_t peer = 0; peer < nrank; peer++) {
				const uint32_t way = (peer + nrank - rank) % nrank,
					       back = (nrank - way) % nrank;
				assert_int_equal(
					exchange->goes[rank][peer], way && !(way & (way - 1)));
				assert_int_equal(
					gather->goes[rank][peer], back && !(back & (back - 1)));
			}
		}
		free(gather);
		free(exchange);
	}
}

/* A tree whose root has q = ceil(log2 N) children: each other rank deals with one parent. */
static void binomial_is_a_tree_of_q_children(void **state)
{
	(void)state;
	static const enum ordo_operator down[] = {ORDO_BROADCAST, ORDO_SCATTER},
					up[] = {ORDO_REDUCE, ORDO_GATHER};
	for (uint32_t nrank = 2, q = 1; nrank <= 17; nrank++) {
		q += nrank > 1u << q;
		for (int i = 0; i < 2; i++) {
			struct traffic *out = traffic_of(down[i], nrank, "binomial");
			struct traffic *in = traffic_of(up[i], nrank, "binomial");
			uint32_t arrives = 0, leaves = 0, children = 0;
			for (uint32_t rank = 0; rank < nrank; rank++) {
				leaves += out->peers[rank];
				arrives += in->peers[rank];
				children += in->goes[rank][0];
				assert_int_equal(in->peers[rank], rank != 0);
			}
			assert_int_equal(out->peers[0], q);
			assert_int_equal(children, q);
			assert_int_equal(leaves, nrank - 1);
			assert_int_equal(arrives, nrank - 1);
			free(out);
			free(in);
		}
	}
}

/* Each rank is an inner node of at most one of two trees, so it sends a vector up and one down, and
 * has at most six neighbours. */
static void a_double_binary_tree_sends_a_vector_each_way(void **state)
{
	(void)state;
	for (uint32_t nrank = 3; nrank <= 16; nrank++) {
		const struct ordo_request request =
			request_of(ORDO_ALLREDUCE, nrank, "double-binary-tree");
		struct ordo_schedule *schedule = compile_proved(&request);
		struct traffic *traffic = traffic_of(ORDO_ALLREDUCE, nrank, "dbt");
		for (uint32_t rank = 0; rank < nrank; rank++) {
			assert_true(
				traffic->chunks[rank] <= 2 * schedule->problem.chunks_per_block);
			assert_true(traffic->peers[rank] <= 6);
		}
		ordo_schedule_destroy(schedule);
		free(traffic);
	}
}

/* Recursive halving: q partners, N-1 blocks; Rabenseifner that and back. */
static void halving_and_doubling_deal_with_ranks_that_differ_in_one_bit(void **state)
{
	(void)state;
	static const struct {
		enum ordo_operator op;
		const char *name;
		uint32_t phases;
	} cases[] = {
		{ORDO_REDUCESCATTER, "recursive-halving", 1},
		{ORDO_ALLGATHER, "recursive-doubling", 1},
		{ORDO_ALLREDUCE, "rabenseifner", 2},
		{ORDO_ALLREDUCE, "recursive-halving-doubling", 2},
		{ORDO_ALLREDUCE, "reduce-scatter-allgather", 2},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		for (uint32_t nrank = 2; nrank <= 32; nrank *= 2) {
			struct traffic *traffic = traffic_of(cases[i].op, nrank, cases[i].name);
			for (uint32_t rank = 0; rank < nrank; rank++) {
				assert_int_equal(
					traffic->chunks[rank], cases[i].phases * (nrank - 1));
				for (uint32_t peer = 0; peer < nrank; peer++) {
					const uint32_t bits = rank ^ peer;
					assert_int_equal(traffic->goes[rank][peer],
						bits && !(bits & (bits - 1)));
				}
			}
			free(traffic);
		}
	/* And on any number of ranks. */
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_means(cases[i].name, cases[i].op, 7, "rhd");
}

/* Everything to everybody in one step; or a share first. */
static void shots_are_steps(void **state)
{
	(void)state;
	const struct ordo_request one = request_of(ORDO_ALLREDUCE, 7, "one-shot"),
				  two = request_of(ORDO_ALLREDUCE, 7, "two-shot"),
				  spread = request_of(ORDO_BROADCAST, 7, "two-shot"),
				  flat = request_of(ORDO_BROADCAST, 7, "linear");
	assert_int_equal(claims_of(&one).steps, 1);
	assert_int_equal(claims_of(&two).steps, 2);
	assert_int_equal(claims_of(&spread).steps, 2);
	assert_int_equal(claims_of(&flat).steps, 1);
	struct traffic *traffic = traffic_of(ORDO_REDUCE, 7, "flat-tree");
	for (uint32_t rank = 1; rank < 7; rank++)
		assert_true(traffic->peers[rank] == 1 && traffic->goes[rank][0]);
	free(traffic);
	/* A chain: each rank hands on to one. */
	traffic = traffic_of(ORDO_BROADCAST, 7, "pipeline");
	for (uint32_t rank = 0; rank < 7; rank++)
		assert_int_equal(traffic->peers[rank], rank != 6);
	free(traffic);
	traffic = traffic_of(ORDO_ALLREDUCE, 7, "bidirectional-ring");
	for (uint32_t rank = 0; rank < 7; rank++)
		assert_true(
			traffic->goes[rank][(rank + 1) % 7] && traffic->goes[rank][(rank + 6) % 7]);
	free(traffic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_alias_compiles_for_its_operators_and_the_document_has_the_own_name),
		cmocka_unit_test(a_name_means_one_thing_for_an_operator),
		cmocka_unit_test(names_are_compared_without_case_and_hyphens_and_take_settings),
		cmocka_unit_test(
			what_is_no_name_or_not_for_the_operator_is_refused_with_what_is_near),
		cmocka_unit_test(pairwise_is_an_exchange_with_each_other_rank_in_turn),
		cmocka_unit_test(bruck_sends_as_far_as_powers_of_two),
		cmocka_unit_test(binomial_is_a_tree_of_q_children),
		cmocka_unit_test(a_double_binary_tree_sends_a_vector_each_way),
		cmocka_unit_test(halving_and_doubling_deal_with_ranks_that_differ_in_one_bit),
		cmocka_unit_test(shots_are_steps),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
