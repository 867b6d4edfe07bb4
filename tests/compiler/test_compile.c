/* test_compile.c - notation and requests, what algorithms claim of themselves, and the orders in
 * which mesh adds. */
#include "algorithms/registry.h"
#include "compiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct ordo_request allreduce(uint32_t nrank, const char *algorithm)
{
	return (struct ordo_request){
		.problem = {.op = ORDO_ALLREDUCE, .nrank = nrank}, .algorithm = algorithm};
}

static void check_request_refused(
	const struct ordo_request *request, const char *message, const char *hint)
{
	struct ordo_error error = {0};
	assert_null(ordo_compile(request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	if (!strstr(error.text, message))
		fail_msg("found \"%s\", wanted \"%s\"", error.text, message);
	if (!strstr(error.hint, hint))
		fail_msg("found hint \"%s\", wanted \"%s\"", error.hint, hint);
}

static void check_refused(const char *algorithm, const char *message, const char *hint)
{
	const struct ordo_request request = allreduce(4, algorithm);
	check_request_refused(&request, message, hint);
}

static void a_program_of_too_many_moves_is_given_up(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_request request = allreduce(4, "ring");
	request.most_moves = 10;
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_ENVIRONMENT);
	assert_true(error.too_large);
	assert_non_null(strstr(error.text, "not compiled, for it takes more than 10 moves"));
	request.most_moves = 1000;
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	assert_non_null(schedule);
	ordo_schedule_destroy(schedule);
}

/* A stream that could relay without holding anything up is found: there would be 171 streams if
 * only what it waited for itself counted as known to a writer. */
static void relays_go_to_streams_that_there_are(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_topology *hypercube = ordo_topology_make("hypercube", 16, &error);
	assert_non_null(hypercube);
	const struct ordo_request request = {.problem = {.op = ORDO_REDUCESCATTER, .nrank = 16},
		.algorithm = "packing(pieces=4)",
		.topology = hypercube};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	assert_non_null(schedule);
	assert_int_equal(schedule->nstream, 163);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(hypercube);
}

static void a_notation_that_cannot_be_read_is_refused(void **state)
{
	(void)state;
	check_refused("", "found \"\", wanted one of ", "");
	check_refused("mseh", "algorithm: found \"mseh\", wanted one of ", "did you mean mesh?");
	check_refused("mesh(", "cannot read \"mesh(\"", "name(key=value,key=value)");
	check_refused("mesh()", "cannot read \"mesh()\"", "name(key=value,key=value)");
	check_refused("mesh(shots=1", "cannot read \"mesh(shots=1\"", "name(key=value,key=value)");
	check_refused("mesh(shots=1)x", "cannot read", "name(key=value,key=value)");
	check_refused("mesh(shots=1,)", "cannot read", "name(key=value,key=value)");
	check_refused("mesh(shots)", "cannot read", "name(key=value,key=value)");
	check_refused("mesh(shoots=1)",
		"mesh has no parameter \"shoots\", wanted shots, fold, owners, streams, links",
		"did you mean shots?");
	check_refused("mesh(shots=)", "shots of mesh: found \"\", wanted auto|1|2", "");
	check_refused("mesh(shots=3)", "shots of mesh: found \"3\", wanted auto|1|2", "");
	check_refused("mesh(shots=1|2)", "shots of mesh: found \"1|2\", wanted auto|1|2", "");
	check_refused("mesh(fold=diadic)",
		"fold of mesh: found \"diadic\", wanted dyadic|folded|linear",
		"did you mean dyadic?");
	check_refused("mesh(shots=1,shots=2)", "shots is given twice", "");
}

static void a_request_that_makes_no_sense_is_refused(void **state)
{
	(void)state;
	for (int named = 0; named < 2; named++)
		check_request_refused(
			&(struct ordo_request){.problem = {.op = ORDO_CUSTOM, .nrank = 4},
				.algorithm = named ? "ring" : NULL},
			"Custom: nothing says what it should compute", "");
	struct ordo_request request = allreduce(4, "mesh");
	request.problem.root = 4;
	check_request_refused(&request, "root: found 4", "");
	request = allreduce(0, "mesh");
	check_request_refused(&request, "ranks: found 0", "");
	request = allreduce(4, "mesh");
	request.problem.nshard = 3;
	check_request_refused(
		&request, "shards: found 3 shards on 4 ranks, wanted at least one a rank", "");
	request.problem.nshard = 8;
	request.problem.in_place = true;
	check_request_refused(&request, "there is no in-place form with 8 shards on 4 ranks", "");
	request.problem.in_place = false;
	request.problem.op = ORDO_ALLGATHER;
	check_request_refused(&request, "shards: AllGather does not reduce, found 8, wanted 4", "");
	request = allreduce(4, "dyadic");
	request.problem.nshard = 24;
	check_request_refused(&request,
		"dyadic makes the one tree D(V) of 24 shards on 1, 3, 6, 12, 24 ranks, found 4",
		"forest makes it on any number of ranks");
	request = allreduce(4, "mesh(fold=linear)");
	request.problem.op = ORDO_ALLGATHER;
	check_request_refused(&request, "AllGather adds nothing", "");
	request = allreduce(4, "mesh(shots=2)");
	request.problem.op = ORDO_GATHER;
	check_request_refused(&request, "not for Gather", "");
	struct ordo_topology *topology = ordo_topology_make("full-mesh", 5, NULL);
	request = allreduce(4, "mesh");
	request.topology = topology;
	check_request_refused(
		&request, "topology: \"full-mesh\" has 5 ranks, the problem has 4", "");
	ordo_topology_destroy(topology);
}

static void a_link_that_is_down_is_named(void **state)
{
	(void)state;
	struct ordo_topology *topology = ordo_topology_make("full-mesh", 4, NULL);
	assert_true(ordo_topology_fail_link(topology, 1, 2, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	struct ordo_request request = allreduce(4, "mesh");
	request.topology = topology;
	check_request_refused(&request, "phase \"reduce-scatter\": needs link 1-2", "");
	ordo_topology_destroy(topology);
}

static void the_canonical_notation_has_only_what_differs(void **state)
{
	(void)state;
	static const char *const notations[][2] = {
		{"mesh", "mesh"},
		{" mesh ( fold = dyadic , shots=1 ) ", "mesh(shots=1)"},
		{"mesh(streams=one,fold=linear,shots=auto)", "mesh(fold=linear,streams=one)"},
	};
	for (size_t i = 0; i < sizeof notations / sizeof *notations; i++) {
		const struct ordo_request request = allreduce(3, notations[i][0]);
		struct ordo_schedule *schedule = ordo_compile(&request, NULL);
		assert_non_null(schedule);
		assert_string_equal(schedule->algorithm, notations[i][1]);
		ordo_schedule_destroy(schedule);
	}
}

static void a_schedule_names_the_topology_it_was_compiled_for(void **state)
{
	(void)state;
	struct ordo_topology *topology = ordo_topology_make("full-mesh", 4, NULL);
	struct ordo_request request = allreduce(4, "mesh");
	request.topology = topology;
	struct ordo_schedule *schedule = ordo_compile(&request, NULL);
	assert_non_null(schedule);
	char digest[33];
	ordo_topology_digest(topology, digest);
	assert_string_equal(schedule->topology_name, "full-mesh");
	assert_string_equal(schedule->topology_digest, digest);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

/* The claims. */

static uint32_t check_claims_of(const char *algorithm)
{
	uint32_t napply = 0;
	static const uint32_t chunks[] = {0, 1, 2, 3, 11};
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		for (uint32_t nrank = 1; nrank <= 9; nrank++)
			for (uint32_t root = 0; root < nrank; root++)
				for (size_t k = 0; k < sizeof chunks / sizeof *chunks; k++)
					for (int in_place = 0; in_place < 2; in_place++) {
						const struct ordo_request request = {
							.problem = {.op = (enum ordo_operator)op,
								.nrank = nrank,
								.root = root,
								.chunks_per_block = chunks[k],
								.in_place = in_place},
							.algorithm = algorithm};
						napply += claims_hold(&request);
					}
	return napply;
}

static void algorithms_take_the_steps_and_the_volume_they_claim(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < ordo_registry.nalgorithm; i++) {
		const struct ordo_algorithm_facts *facts = &ordo_registry.algorithms[i]->facts;
		assert_true(check_claims_of(facts->name) > 0);
		for (uint32_t j = 0; j < facts->nparameter; j++)
			for (const char *at = facts->parameters[j].values; at;
				at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
				char notation[128];
				if (facts->parameters[j].kind != ORDO_WORD)
					continue;
				snprintf(notation, sizeof notation, "%s(%s=%.*s)", facts->name,
					facts->parameters[j].name, (int)strcspn(at, "|"), at);
				assert_true(check_claims_of(notation) > 0);
			}
	}
}

static void mesh_adds_in_the_order_asked_for(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		print_order *print;
	} folds[] = {{"dyadic", print_dyadic}, {"folded", print_folded}, {"linear", print_linear}};
	static const enum ordo_operator ops[] = {ORDO_ALLREDUCE, ORDO_REDUCE, ORDO_REDUCESCATTER};
	for (size_t fold = 0; fold < 3; fold++)
		for (uint32_t nrank = 1; nrank <= 11; nrank++)
			for (int form = 0; form < 3 * 2 * 2; form++) {
				struct ordo_arena arena = {0};
				const char *wanted = folds[fold].print(&arena, 0, nrank);
				char notation[64];
				const bool one_shot = form % 2 && ops[form / 4] == ORDO_ALLREDUCE;
				snprintf(notation, sizeof notation, "mesh(fold=%s%s)",
					folds[fold].name, one_shot ? ",shots=1" : "");
				const struct ordo_request request = {
					.problem = {.op = ops[form / 4],
						.nrank = nrank,
						.root = ops[form / 4] == ORDO_REDUCE ? nrank / 2
										     : 0,
						.in_place = form / 2 % 2},
					.algorithm = notation};
				check_order(&request, wanted);
				ordo_arena_free(&arena);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_of_too_many_moves_is_given_up),
		cmocka_unit_test(relays_go_to_streams_that_there_are),
		cmocka_unit_test(a_notation_that_cannot_be_read_is_refused),
		cmocka_unit_test(a_request_that_makes_no_sense_is_refused),
		cmocka_unit_test(a_link_that_is_down_is_named),
		cmocka_unit_test(the_canonical_notation_has_only_what_differs),
		cmocka_unit_test(a_schedule_names_the_topology_it_was_compiled_for),
		cmocka_unit_test(algorithms_take_the_steps_and_the_volume_they_claim),
		cmocka_unit_test(mesh_adds_in_the_order_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
