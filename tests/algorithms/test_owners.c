/* test_owners.c - a mesh with links down: the ranks that have all links share the vector. */
#include "compiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct ordo_topology *make_mesh(uint32_t nrank, const uint32_t (*down)[2], uint32_t ndown)
{
	struct ordo_topology *topology = ordo_topology_make("full-mesh", nrank, NULL);
	assert_non_null(topology);
	for (uint32_t i = 0; i < ndown; i++)
		assert_true(ordo_topology_fail_link(topology, down[i][0], down[i][1], NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
}

static struct ordo_request request_on(
	const struct ordo_topology *topology, enum ordo_operator op, const char *algorithm)
{
	return (struct ordo_request){
		.problem = {.op = op, .nrank = topology->nrank, .nshard = topology->nrank},
		.algorithm = algorithm,
		.topology = topology};
}

static const uint32_t one[][2] = {{0, 1}}, three[][2] = {{0, 1}, {1, 4}, {3, 4}},
		      all[][2] = {{0, 1}, {2, 3}};

static void the_order_is_that_of_the_whole_mesh(void **state)
{
	(void)state;
	struct ordo_topology *topologies[] = {make_mesh(8, one, 1), make_mesh(8, three, 3)};
	for (int i = 0; i < 2; i++) {
		struct ordo_request request =
			request_on(topologies[i], ORDO_ALLREDUCE, "mesh(owners=auto)");
		check_order(&request, "(((0+1)+(2+3))+((4+5)+(6+7)))");
		request.algorithm = "mesh(fold=linear,owners=auto)";
		check_order(&request, "(((((((0+1)+2)+3)+4)+5)+6)+7)");
		struct ordo_schedule *schedule = compile_proved(&request);
		assert_int_equal(schedule->problem.chunks_per_block, i ? 4 : 6);
		ordo_schedule_destroy(schedule);
		ordo_topology_destroy(topologies[i]);
	}
}

static void every_root_can_broadcast_in_two_shots(void **state)
{
	(void)state;
	struct ordo_topology *topology = make_mesh(8, one, 1);
	struct ordo_request request =
		request_on(topology, ORDO_BROADCAST, "mesh(shots=2,owners=auto)");
	for (uint32_t root = 0; root < 8; root++)
		for (uint32_t chunks = 0; chunks < 10; chunks++) {
			request.problem.root = root;
			request.problem.chunks_per_block = chunks;
			ordo_schedule_destroy(compile_proved(&request));
		}
	ordo_topology_destroy(topology);
}

static void check_refusal(const struct ordo_request *request, const char *why)
{
	struct ordo_error error = {0};
	assert_null(ordo_compile(request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_non_null(strstr(error.text, why));
}

static void without_an_owner_or_two_shots_it_is_refused(void **state)
{
	(void)state;
	struct ordo_topology *topology = make_mesh(4, all, 2);
	struct ordo_request request = request_on(topology, ORDO_ALLREDUCE, "mesh(owners=auto)");
	check_refusal(&request, "finds no rank that has links to and from all others");
	request.algorithm = "mesh(shots=1,owners=auto)";
	check_refusal(&request, "this mesh has one");
	request = request_on(topology, ORDO_REDUCE, "mesh(owners=auto)");
	check_refusal(&request, "this mesh has one");
	request.algorithm = "mesh(owners=some)";
	check_refusal(&request, "wanted all|auto");
	ordo_topology_destroy(topology);
}

static void on_a_whole_mesh_all_are_owners(void **state)
{
	(void)state;
	for (uint32_t nrank = 1; nrank <= 9; nrank++)
		check_everywhere("mesh(owners=auto)", ORDO_ALLREDUCE, nrank);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_order_is_that_of_the_whole_mesh),
		cmocka_unit_test(every_root_can_broadcast_in_two_shots),
		cmocka_unit_test(without_an_owner_or_two_shots_it_is_refused),
		cmocka_unit_test(on_a_whole_mesh_all_are_owners),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
