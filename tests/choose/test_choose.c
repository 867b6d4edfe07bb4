/* test_choose.c - candidates are all the forms of all algorithms that apply, the cheapest first;
 * and what is chosen suits by its proof, not by what is claimed of it.
 */
#include "choose/evaluated.h"
#include "compiling.h"
#include "few.h"
#include <ordo/detail/tune.h>
#include <ordo/document.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint32_t reducing =
	1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCE | 1u << ORDO_REDUCESCATTER;

static struct ordo_request request_of(enum ordo_operator op, uint32_t nrank)
{
	return (struct ordo_request){.problem = {.op = op, .nrank = nrank, .nshard = nrank}};
}

static bool is_listed(const struct ordo_candidates *candidates, const char *algorithm)
{
	for (uint32_t i = 0; i < candidates->count; i++)
		if (!strcmp(candidates->items[i].algorithm, algorithm))
			return true;
	return false;
}

static const char *why_not(const struct ordo_candidates *candidates, const char *algorithm)
{
	for (uint32_t i = 0; i < candidates->nrefused; i++)
		if (!strcmp(candidates->refused[i].algorithm, algorithm))
			return candidates->refused[i].why;
	return NULL;
}

/* A form that no operator takes, or an algorithm without one, would be tried for nothing, or
 * never. */
static void every_variant_applies_somewhere_and_every_algorithm_is_tried(void **state)
{
	(void)state;
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	struct ordo_error error;
	struct ordo_topology *servers = ordo_topology_make("a3:2x8", 16, &error);
	assert_non_null(servers);
	for (uint32_t op = 0; op < ORDO_NOPERATOR; op++) {
		struct ordo_candidates candidates;
		const struct ordo_problem problem = request_of((enum ordo_operator)op, 16).problem;
		assert_true(ordo_candidates_make(&candidates,
			&(struct ordo_request){.problem = problem, .topology = servers}, &error));
		for (uint32_t i = 0; i < count; i++) {
			bool tried = !(algorithms[i]->operators >> op & 1);
			const size_t length = strlen(algorithms[i]->name);
			for (uint32_t c = 0; c < candidates.count; c++) {
				const char *name = candidates.items[c].algorithm;
				tried |= !strncmp(name, algorithms[i]->name, length) &&
					 (name[length] == '(' || !name[length]);
			}
			for (uint32_t r = 0; r < candidates.nrefused; r++)
				tried |= !strcmp(
					candidates.refused[r].algorithm, algorithms[i]->name);
			if (!tried)
				fail_msg("%s is not tried for %s", algorithms[i]->name,
					ordo_operator_facts(problem.op)->name);
		}
		/* Of 16 ranks on two servers everything applies that goes through switches. */
		for (uint32_t i = 0; i < candidates.nrefused; i++)
			if (!strstr(candidates.refused[i].why, "switches, wanted links") &&
				!strstr(candidates.refused[i].why, "no order of ranks gives") &&
				!strstr(candidates.refused[i].why, "faster than order=auto"))
				fail_msg("%s %s: %s", ordo_operator_facts(problem.op)->name,
					candidates.refused[i].algorithm, candidates.refused[i].why);
		ordo_candidates_free(&candidates);
	}
	ordo_topology_destroy(servers);
}

static void candidates_have_the_claims_of_their_requests_and_the_cheapest_come_first(void **state)
{
	(void)state;
	for (uint32_t op = 0; op < ORDO_NOPERATOR; op++)
		for (uint32_t nrank = 2; nrank <= 9; nrank += FEW ? 3 : 1) {
			struct ordo_candidates candidates;
			struct ordo_error error;
			struct ordo_request request = request_of((enum ordo_operator)op, nrank);
			assert_true(ordo_candidates_make(&candidates, &request, &error));
			assert_true(candidates.count > 1);
			for (uint32_t i = 0; i < candidates.count; i++) {
				const struct ordo_candidate *one = &candidates.items[i],
							    *before = one - 1;
				request.algorithm = one->algorithm;
				const struct measured claimed = claims_of(&request);
				request.problem.chunks_per_block = one->chunks_per_block;
				assert_int_equal(claimed.steps, one->steps);
				assert_int_equal(claimed.volume * one->whole,
					one->volume * ordo_nchunk(&request.problem));
				request.problem.chunks_per_block = 0;
				if (i) {
					assert_true(before->volume * one->whole <=
						    one->volume * before->whole);
					if (before->volume * one->whole ==
						one->volume * before->whole)
						assert_true(before->steps <= one->steps);
				}
			}
			ordo_candidates_free(&candidates);
		}
}

/* Who names what a choice would list gets no fewer numbers of chunks than the choice compares. */
static void who_names_a_candidate_gets_its_numbers_of_chunks(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_topology *hypercube = ordo_topology_make("hypercube", 8, &error);
	uint32_t halved = 0, limited = 0;
	assert_non_null(hypercube);
	for (uint32_t op = 0; op < ORDO_NOPERATOR; op++) {
		struct ordo_candidates all, named;
		struct ordo_request request = request_of((enum ordo_operator)op, 8);
		request.topology = hypercube;
		assert_true(ordo_candidates_make(&all, &request, &error));
		for (uint32_t i = 0; i < all.count; i++) {
			const struct ordo_candidate *one = &all.items[i];
			request.algorithm = one->algorithm;
			assert_true(ordo_candidates_take(&named, &request, &error));
			if (one->pipelines) {
				assert_true(named.items[0].pipelines);
				assert_true(named.items[0].halves >= one->halves);
				assert_int_equal(named.items[0].may_save, one->may_save);
				assert_true(named.items[0].most_chunks >= one->most_chunks);
				halved += one->halves > 1;
				limited += one->little || one->large_chunks;
				assert_false(named.items[0].little || named.items[0].large_chunks);
			}
			if (one->pipelines && !one->little && !one->large_chunks) {
				assert_int_equal(named.items[0].halves, one->halves);
				assert_int_equal(named.items[0].most_chunks, one->most_chunks);
			}
			ordo_candidates_free(&named);
		}
		ordo_candidates_free(&all);
	}
	assert_true(halved > 0);
	assert_true(limited > 0);
	ordo_topology_destroy(hypercube);
}

static void forms_that_only_some_operators_have_are_tried_for_those(void **state)
{
	(void)state;
	struct ordo_error error;
	for (uint32_t op = 0; op < ORDO_NOPERATOR; op++) {
		struct ordo_candidates candidates;
		const struct ordo_problem problem = request_of((enum ordo_operator)op, 8).problem;
		assert_true(ordo_candidates_make(
			&candidates, &(struct ordo_request){.problem = problem}, &error));
		assert_int_equal(is_listed(&candidates, "mesh(fold=own)"), reducing >> op & 1);
		assert_int_equal(is_listed(&candidates, "mesh(shots=1)"), op == ORDO_ALLREDUCE);
		assert_int_equal(is_listed(&candidates, "mesh(shots=2)"),
			op == ORDO_BROADCAST || op == ORDO_REDUCE);
		assert_false(is_listed(&candidates, "birs(servers=1)"));
		assert_false(is_listed(&candidates, "hierarchical"));
		ordo_candidates_free(&candidates);
	}
}

static void what_does_not_apply_says_why(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_candidates candidates;
	struct ordo_problem problem = request_of(ORDO_REDUCESCATTER, 7).problem;
	assert_true(ordo_candidates_make(
		&candidates, &(struct ordo_request){.problem = problem}, &error));
	assert_non_null(
		strstr(why_not(&candidates, "birs"), "found 7 ranks, wanted an even number"));
	assert_non_null(strstr(why_not(&candidates, "halving-doubling"), "power of two"));
	ordo_candidates_free(&candidates);
	problem.nrank = 0;
	assert_false(ordo_candidates_make(
		&candidates, &(struct ordo_request){.problem = problem}, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_candidates_free(&candidates);
}

/* Wants one tree, that of the text; counts what it was shown. */
struct taste {
	const char *tree;
	uint32_t shown;
};

static bool tastes(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	void *closure, struct ordo_error *error)
{
	(void)schedule;
	struct taste *taste = closure;
	struct ordo_arena arena = {0};
	taste->shown++;
	assert_true(proof->proved);
	const char *found =
		ordo_tree_print(&arena, &proof->trees, proof->chunk_tree[0], ORDO_LIMIT);
	const bool good = proof->ndistinct == 1 && !strcmp(found, taste->tree);
	if (!good)
		ordo_fail(error, ORDO_REFUTED, 0, "%u orders, the first %.100s", proof->ndistinct,
			found);
	ordo_arena_free(&arena);
	return good;
}

static void the_first_that_suits_is_chosen_and_the_others_say_why(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_candidates refused;
	struct ordo_proof *proof;
	struct ordo_request request = request_of(ORDO_REDUCESCATTER, 8);
	struct taste folded = {"(((0+4)+(2+6))+((1+5)+(3+7)))", 0};
	struct ordo_schedule *schedule =
		ordo_choose(&request, tastes, &folded, &refused, &proof, &error);
	assert_non_null(schedule);
	assert_string_equal(schedule->algorithm, "mesh(fold=folded)");
	assert_true(proof && proof->proved);
	assert_int_equal(folded.shown, 2);
	assert_non_null(strstr(why_not(&refused, "mesh"), "(((0+1)"));
	ordo_candidates_free(&refused);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);

	/* Where a mesh has no links, the next that has. */
	struct ordo_topology *hypercube = ordo_topology_make("hypercube", 8, &error);
	request.topology = hypercube;
	schedule = ordo_choose(&request, tastes, &folded, &refused, &proof, &error);
	assert_non_null(schedule);
	assert_string_equal(schedule->algorithm, "halving-doubling");
	assert_non_null(strstr(why_not(&refused, "mesh(fold=folded)"), "link"));
	ordo_candidates_free(&refused);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(hypercube);
}

static bool likes_nothing(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	void *closure, struct ordo_error *error)
{
	(void)schedule;
	(void)proof;
	return ordo_fail(error, *(enum ordo_code *)closure, 0, "no");
}

static void none_that_suits_is_refuted_and_any_other_trouble_ends_the_search(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_candidates refused;
	struct ordo_proof *proof;
	enum ordo_code code = ORDO_REFUTED;
	const struct ordo_request request = request_of(ORDO_ALLREDUCE, 6);
	assert_null(ordo_choose(&request, likes_nothing, &code, &refused, &proof, &error));
	assert_null(proof);
	assert_int_equal(error.code, ORDO_REFUTED);
	/* 6 is no power of two: two forms of halving-doubling and one of bine do not apply. */
	assert_int_equal(refused.nrefused, refused.count + 3);
	ordo_candidates_free(&refused);
	code = ORDO_ENVIRONMENT;
	assert_null(ordo_choose(&request, likes_nothing, &code, NULL, &proof, &error));
	assert_int_equal(error.code, ORDO_ENVIRONMENT);
}

static void those_that_suit_are_named(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_arena arena = {0};
	struct taste dyadic = {"(((0+1)+(2+3))+(4+5))", 0};
	const struct ordo_request request = request_of(ORDO_REDUCESCATTER, 6);
	assert_string_equal(ordo_list_suiting(&request, tastes, &dyadic, 64, &arena, &error),
		"mesh, forest, recursive-multiplying(radix=8), placed, placed(sums=apart), "
		"dyadic, birs, rhd(masks=near)");
	assert_string_equal(
		ordo_list_suiting(&request, tastes, &dyadic, 2, &arena, &error), "mesh, forest");
	struct taste nothing = {"", 0};
	assert_string_equal(ordo_list_suiting(&request, tastes, &nothing, 64, &arena, &error), "");
	ordo_arena_free(&arena);
}

static char *text_of(const struct ordo_schedule *schedule)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	assert_true(out && ordo_schedule_print(schedule, out, NULL) && !fclose(out));
	return text;
}

/* Without an algorithm in the request, what is compiled is the fastest with 1 MiB of f32 on the
 * topology. */
static void compile_chooses_for_who_names_no_algorithm(void **state)
{
	(void)state;
	static const struct {
		enum ordo_operator op;
		uint32_t nrank, nshard;
		const char *topology;
	} cases[] = {{ORDO_ALLREDUCE, 1, 1, NULL}, {ORDO_ALLREDUCE, 6, 6, NULL},
		{ORDO_ALLREDUCE, 8, 8, "ring"}, {ORDO_ALLTOALL, 8, 8, "full-mesh"},
		{ORDO_BROADCAST, 7, 7, NULL}, {ORDO_REDUCESCATTER, 4, 0, "hypercube"},
		{ORDO_REDUCE, 3, 6, NULL}, {ORDO_ALLGATHER, 65, 65, NULL}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i += 1 + FEW) {
		struct ordo_error error = {0};
		struct ordo_request request = request_of(cases[i].op, cases[i].nrank);
		request.problem.nshard = cases[i].nshard;
		struct ordo_topology *topology =
			cases[i].topology
				? ordo_topology_make(cases[i].topology, cases[i].nrank, &error)
				: NULL;
		request.topology = topology;
		struct ordo_schedule *chosen = ordo_compile(&request, &error);
		if (!chosen)
			fail_msg("case %zu: %s", i, error.text);
		const struct ordo_tune_wish wish = {.selection = {.problem = request.problem,
							    .topology = topology,
							    .machine = ordo_machine_usual(),
							    .from_bytes = 1 << 20,
							    .to_bytes = 1 << 20},
			.element_bytes = 4,
			.scratch_element_bytes = 4};
		struct ordo_tuning tuning;
		assert_true(ordo_tune(&wish, &tuning, &error));
		char *one = text_of(chosen), *other = text_of(tuning.selection.ranges[0].schedule);
		assert_string_equal(one, other);
		free(one);
		free(other);
		ordo_tuning_free(&tuning);
		ordo_schedule_destroy(chosen);
		ordo_topology_destroy(topology);
	}
}

static void who_names_no_algorithm_is_told_what_is_wrong(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_request request = request_of(ORDO_ALLREDUCE, 4);
	struct ordo_cost cost;
	struct ordo_shard_price price;
	assert_false(ordo_cost_of(&request, &cost, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(error.text, "algorithm: found none, wanted its name");
	assert_false(ordo_shard_price(&request, &price, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	struct ordo_topology *topology = ordo_topology_make("ring", 4, &error);
	for (uint32_t peer = 1; peer < 4; peer += 2)
		assert_true(ordo_topology_fail_link(topology, 0, peer, &error));
	assert_true(ordo_topology_finish(topology, &error));
	request.topology = topology;
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(
		error.text, "no algorithm applies: AllReduce on 4 ranks, topology ring");
	request.problem.nrank = 0;
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_null(ordo_compile(&request, NULL));
	ordo_topology_destroy(topology);
}

/* A table of one algorithm, for a choice that is limited. */
static void open_limited(struct ordo_table *table, struct ordo_candidates *candidates,
	uint32_t nrank, const char *algorithm)
{
	struct ordo_error error;
	struct ordo_request request = request_of(ORDO_ALLREDUCE, nrank);
	*table = (struct ordo_table){.request = request,
		.candidates = candidates,
		.most_kept = ORDO_MOST_KEPT,
		.limited = true};
	request.algorithm = algorithm;
	assert_true(ordo_candidates_take(candidates, &request, &error));
	assert_true(ordo_table_open(table, false, &error));
}

static void close_limited(struct ordo_table *table, struct ordo_candidates *candidates)
{
	ordo_table_close(table);
	ordo_candidates_free(candidates);
}

/* Takes a schedule, and keeps it; NULL: the candidate was refused. */
static const struct ordo_schedule *schedule_of(struct ordo_table *table)
{
	struct ordo_error error;
	struct ordo_schedule *schedule;
	assert_true(ordo_table_schedule(table, 0, &schedule, &error));
	if (schedule)
		ordo_table_keep(table, 0, schedule, false);
	return schedule;
}

static void among_many_ranks_what_takes_too_much_is_left_out(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_candidates candidates;
	struct ordo_table table;
	open_limited(&table, &candidates, 4096, "mesh");
	assert_null(schedule_of(&table));
	assert_true(table.items[0].refused && !table.items[0].lacks_link);
	assert_non_null(strstr(table.items[0].why, "not compiled, for it takes about 1.8e+08"));
	assert_false(ordo_fail_none_suits(&table, &error));
	assert_int_equal(error.code, ORDO_ENVIRONMENT);
	assert_true(error.too_large);
	assert_non_null(strstr(error.text, "the smallest of the others, mesh, takes about 1.8e"));
	close_limited(&table, &candidates);
	/* What is small is compiled, and counted. */
	open_limited(&table, &candidates, 4096, "tree");
	const struct ordo_schedule *schedule = schedule_of(&table);
	assert_non_null(schedule);
	assert_int_equal(table.compiled, schedule->ntask);
	close_limited(&table, &candidates);
	/* Once there is too much in all, only what is small. */
	open_limited(&table, &candidates, 4096, "ring");
	table.compiled = ORDO_CHOICE_TASKS - 10;
	assert_null(schedule_of(&table));
	assert_non_null(strstr(table.items[0].why, "not compiled, for it takes about"));
	close_limited(&table, &candidates);
	/* Few ranks are not limited. */
	open_limited(&table, &candidates, 64, "tree");
	table.compiled = ORDO_CHOICE_TASKS;
	assert_non_null(schedule_of(&table));
	close_limited(&table, &candidates);
}

/* Beyond what is kept there is one schedule at a time, and it keeps its proof. */
static void what_is_too_large_to_be_kept_is_kept_while_it_is_the_last(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_candidates candidates;
	struct ordo_table table = {.request = request_of(ORDO_ALLREDUCE, 8),
		.candidates = &candidates,
		.most_kept = 0};
	struct ordo_proof *proof;
	assert_true(ordo_candidates_make(&candidates, &table.request, &error));
	assert_true(ordo_table_open(&table, false, &error));
	for (uint32_t i = 0; i < 2; i++)
		assert_true(ordo_evaluate(&table, i, &error) && table.items[i].suits);
	assert_null(table.items[0].schedule);
	struct ordo_schedule *last = table.items[1].schedule, *schedule;
	assert_non_null(last);
	/* One that is not wanted leaves it where it is. */
	assert_true(ordo_table_schedule(&table, 0, &schedule, &error));
	ordo_table_keep(&table, 0, schedule, false);
	assert_ptr_equal(table.items[1].schedule, last);
	assert_int_equal(table.kept, 0);
	for (uint32_t i = 2; i-- > 0;) {
		schedule = ordo_table_take(&table, i, &proof, &error);
		assert_true(schedule && proof && proof->proved);
		if (i == 1)
			assert_ptr_equal(schedule, last);
		assert_string_equal(proof->digest, table.items[i].digest);
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(schedule);
	}
	assert_int_equal(table.kept, 0);
	close_limited(&table, &candidates);
}

/* The name of an algorithm is all that may differ. */
static void check_repeats(const struct ordo_table *table, uint32_t i)
{
	const struct ordo_request requests[] = {
		ordo_table_request(table, i), ordo_table_request(table, table->items[i].plain)};
	char *texts[2];
	for (int k = 0; k < 2; k++) {
		struct ordo_error error;
		struct ordo_schedule *schedule = ordo_compile(&requests[k], &error);
		assert_non_null(schedule);
		schedule->algorithm = "one";
		texts[k] = text_of(schedule);
		ordo_schedule_destroy(schedule);
	}
	assert_string_equal(texts[0], texts[1]);
	free(texts[0]);
	free(texts[1]);
}

/* Of what has ways to choose from, another is made; of what has none, the same is not made
 * again. */
static void schedules_that_via_does_not_change_are_made_once(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_candidates candidates;
	struct ordo_topology *servers = ordo_topology_make("servers:4x2", 8, &error);
	struct ordo_table table = {.request = request_of(ORDO_ALLREDUCE, 8),
		.candidates = &candidates,
		.most_kept = ORDO_MOST_KEPT};
	uint32_t nrepeated = 0, nother = 0;
	assert_non_null(servers);
	table.request.topology = servers;
	assert_true(ordo_candidates_make(&candidates, &table.request, &error));
	assert_true(ordo_table_open(&table, false, &error));
	for (uint32_t i = 0; i < table.count; i++) {
		if (table.items[i].refused)
			continue;
		assert_true(ordo_evaluate(&table, i, &error));
		nother += table.items[i].plain != ORDO_NONE && table.items[i].suits;
		if (!ordo_table_repeats(&table, i))
			continue;
		nrepeated++;
		assert_true(table.items[i].refused && !table.items[i].schedule);
		assert_non_null(strstr(table.items[i].why, "whose data have one way each"));
		check_repeats(&table, i);
	}
	assert_true(nrepeated > 5 && nother > 5);
	close_limited(&table, &candidates);
	ordo_topology_destroy(servers);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_variant_applies_somewhere_and_every_algorithm_is_tried),
		cmocka_unit_test(
			candidates_have_the_claims_of_their_requests_and_the_cheapest_come_first),
		cmocka_unit_test(who_names_a_candidate_gets_its_numbers_of_chunks),
		cmocka_unit_test(forms_that_only_some_operators_have_are_tried_for_those),
		cmocka_unit_test(what_does_not_apply_says_why),
		cmocka_unit_test(the_first_that_suits_is_chosen_and_the_others_say_why),
		cmocka_unit_test(none_that_suits_is_refuted_and_any_other_trouble_ends_the_search),
		cmocka_unit_test(those_that_suit_are_named),
		cmocka_unit_test(compile_chooses_for_who_names_no_algorithm),
		cmocka_unit_test(who_names_no_algorithm_is_told_what_is_wrong),
		cmocka_unit_test(among_many_ranks_what_takes_too_much_is_left_out),
		cmocka_unit_test(what_is_too_large_to_be_kept_is_kept_while_it_is_the_last),
		cmocka_unit_test(schedules_that_via_does_not_change_are_made_once),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
