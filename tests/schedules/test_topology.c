/* test_topology.c - which ranks reach which, over links and switches, and what the digest depends
 * on. */
#include <ordo/topology.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

static struct ordo_topology *make(uint32_t nrank, uint32_t nswitch)
{
	struct ordo_error error;
	struct ordo_topology *topology = ordo_topology_create("test", nrank, nswitch, 0, &error);
	assert_non_null(topology);
	return topology;
}

static void add(struct ordo_topology *topology, uint32_t from, uint32_t to)
{
	struct ordo_error error;
	assert_true(ordo_topology_add(topology, from, to, NULL, 1000, 25, &error));
}

static void finish(struct ordo_topology *topology)
{
	struct ordo_error error = {0};
	if (!ordo_topology_finish(topology, &error))
		fail_msg("%s", error.text);
}

static void expect_refusal(struct ordo_topology *topology, const char *part)
{
	struct ordo_error error;
	assert_false(ordo_topology_finish(topology, &error));
	assert_int_equal(error.rule, 1);
	if (!strstr(error.text, part))
		fail_msg("\"%s\" does not say \"%s\"", error.text, part);
	ordo_topology_destroy(topology);
}

static void a_link_is_directed(void **state)
{
	(void)state;
	struct ordo_topology *topology = make(3, 0);
	add(topology, 1, 0);
	finish(topology);
	assert_true(ordo_topology_reaches(topology, 1, 0));
	assert_false(ordo_topology_reaches(topology, 0, 1));
	assert_false(ordo_topology_reaches(topology, 1, 2));
	assert_true(ordo_topology_reaches(topology, 2, 2));
	ordo_topology_destroy(topology);
}

static void a_rank_forwards_nothing(void **state)
{
	(void)state;
	struct ordo_topology *topology = make(3, 0);
	add(topology, 0, 1);
	add(topology, 1, 2);
	finish(topology);
	assert_false(ordo_topology_reaches(topology, 0, 2));
	ordo_topology_destroy(topology);
}

static void a_failed_link_is_down_both_ways(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_topology *topology = make(3, 0);
	add(topology, 0, 1);
	add(topology, 1, 0);
	assert_true(ordo_topology_add(topology, 0, 1, "other", 1000, 25, &error));
	add(topology, 1, 2);
	finish(topology);
	assert_true(ordo_topology_fail_link(topology, 1, 0, &error));
	finish(topology);
	assert_false(ordo_topology_reaches(topology, 0, 1));
	assert_false(ordo_topology_reaches(topology, 1, 0));
	assert_true(ordo_topology_reaches(topology, 1, 2));
	assert_false(ordo_topology_fail_link(topology, 0, 2, &error));
	assert_non_null(strstr(error.text, "no link between 0 and 2"));
	ordo_topology_destroy(topology);
}

static void one_of_two_links_is_enough(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_topology *topology = make(2, 0);
	add(topology, 0, 1);
	assert_true(ordo_topology_add(topology, 0, 1, "other", 1000, 25, &error));
	topology->links[0].down = true;
	finish(topology);
	assert_true(ordo_topology_reaches(topology, 0, 1));
	ordo_topology_destroy(topology);
}

static void a_star_of_4096_ranks_takes_memory_for_its_links_only(void **state)
{
	(void)state;
	struct ordo_error error;
	const uint32_t nrank = 4096;
	struct ordo_topology *topology = make(nrank, 1);
	for (uint32_t r = 0; r < nrank; r++) {
		add(topology, r, nrank);
		add(topology, nrank, r);
	}
	assert_true(ordo_topology_fail_link(topology, 77, nrank, &error));
	finish(topology);
	for (uint32_t a = 0; a < nrank; a++)
		for (uint32_t b = 0; b < nrank; b += 11)
			assert_int_equal(ordo_topology_reaches(topology, a, b),
				a == b || (a != 77 && b != 77));
	ordo_topology_destroy(topology);
}

/* By the definition: walk from a over links that are up, going on from switches only. */
static bool reaches_by_walking(const struct ordo_topology *topology, uint32_t a, uint32_t b)
{
	bool seen[64] = {false};
	uint32_t list[64], count = 0;
	list[count++] = a;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t l = 0; l < topology->nlink; l++) {
			const struct ordo_link *link = &topology->links[l];
			if (link->from != list[i] || link->down || seen[link->to])
				continue;
			if (link->to == b)
				return true;
			seen[link->to] = true;
			if (link->to >= topology->nrank)
				list[count++] = link->to;
		}
	return a == b;
}

static uint32_t draw(uint64_t *seed, uint32_t below)
{
	*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((*seed >> 33) % below);
}

static void random_graphs_agree_with_walking(void **state)
{
	(void)state;
	uint64_t seed = 1;
	for (int round = 0; round < 400; round++) {
		uint32_t nrank = 1 + draw(&seed, 6), nswitch = draw(&seed, 9),
			 nvertex = nrank + nswitch;
		struct ordo_topology *topology = make(nrank, nswitch);
		bool taken[64][64] = {{false}};
		uint32_t nlink = draw(&seed, 3 * nvertex);
		for (uint32_t l = 0; l < nlink; l++) {
			uint32_t from = draw(&seed, nvertex), to = draw(&seed, nvertex);
			if (from == to || taken[from][to])
				continue;
			taken[from][to] = true;
			add(topology, from, to);
			topology->links[topology->nlink - 1].down = draw(&seed, 8) == 0;
		}
		finish(topology);
		for (uint32_t a = 0; a < nrank; a++)
			for (uint32_t b = 0; b < nrank; b++)
				assert_int_equal(ordo_topology_reaches(topology, a, b),
					reaches_by_walking(topology, a, b));
		ordo_topology_destroy(topology);
	}
}

static void the_digest_depends_on_what_matters_only(void **state)
{
	(void)state;
	struct ordo_error error;
	char one[33], other[33];
	struct ordo_topology *a = ordo_topology_create("a", 3, 1, 0, &error);
	struct ordo_topology *b = ordo_topology_create("b", 3, 1, 0, &error);
	assert_true(ordo_topology_add(a, 0, 1, "x", 1, 2, &error));
	assert_true(ordo_topology_add(a, 0, 3, "y", 1, 2, &error));
	assert_true(ordo_topology_add(b, 0, 3, "y", 1, 2, &error));
	assert_true(ordo_topology_add(b, 0, 1, "x", 1, 2, &error));
	finish(a);
	finish(b);
	ordo_topology_digest(a, one);
	ordo_topology_digest(b, other);
	assert_string_equal(one, other);
	assert_int_equal(strlen(one), 32);
	assert_true(ordo_topology_fail_link(b, 0, 1, &error));
	finish(b);
	ordo_topology_digest(b, other);
	assert_string_not_equal(one, other);
	ordo_topology_digest(a, other);
	a->links[0].latency_ns = 3;
	ordo_topology_digest(a, one);
	assert_string_not_equal(one, other);
	const struct {
		double *cost;
	} costs[] = {{&a->task_ns}, {&a->reduce_gbs}, {&a->copy_gbs}, {&a->links[1].reduce_gbs},
		{&a->sum_gbs[ORDO_ACCUMULATE_EXACT]}, {&a->sum_gbs[ORDO_ACCUMULATE_BINNED2]},
		{&a->sum_gbs[ORDO_ACCUMULATE_BINNED3]}};
	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
		strcpy(other, one);
		*costs[i].cost = 5;
		ordo_topology_digest(a, one);
		assert_string_not_equal(one, other);
	}
	ordo_topology_digest(a, one);
	a->cores = 2;
	ordo_topology_digest(a, other);
	assert_string_not_equal(one, other);
	ordo_topology_destroy(a);
	ordo_topology_destroy(b);
}

static void the_digest_is_what_it_was_where_no_costs_are_told(void **state)
{
	(void)state;
	struct ordo_error error;
	char digest[33];
	struct ordo_topology *topology = ordo_topology_create("t", 2, 1, 1, &error);
	assert_true(ordo_topology_add(topology, 0, 1, "fast", 500, 56, &error));
	finish(topology);
	ordo_topology_digest(topology, digest);
	assert_string_equal(digest, "00efbb0d18ff9023a366c29a54f038cb");
	ordo_topology_destroy(topology);
}

static void bad_links_are_refused(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_topology *topology = make(2, 1);
	add(topology, 0, 3);
	expect_refusal(topology, "link 0 -> 3: wanted vertices of 0..2");
	topology = make(2, 0);
	add(topology, 1, 1);
	expect_refusal(topology, "link 1 -> 1: leads from a vertex to itself");
	topology = make(2, 0);
	add(topology, 0, 1);
	add(topology, 0, 1);
	expect_refusal(topology, "duplicate link 0 -> 1 of class \"link\"");
	topology = make(2, 0);
	assert_true(ordo_topology_add(topology, 0, 1, NULL, -1, 1, &error));
	expect_refusal(topology, "latency_ns: found -1");
	topology = make(2, 0);
	assert_true(ordo_topology_add(topology, 0, 1, NULL, 1, 0, &error));
	expect_refusal(topology, "bandwidth_gbs: found 0");
	assert_null(ordo_topology_create("none", 0, 0, 0, &error));
	assert_non_null(strstr(error.text, "ranks: found 0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_link_is_directed),
		cmocka_unit_test(a_rank_forwards_nothing),
		cmocka_unit_test(a_failed_link_is_down_both_ways),
		cmocka_unit_test(one_of_two_links_is_enough),
		cmocka_unit_test(a_star_of_4096_ranks_takes_memory_for_its_links_only),
		cmocka_unit_test(random_graphs_agree_with_walking),
		cmocka_unit_test(the_digest_depends_on_what_matters_only),
		cmocka_unit_test(the_digest_is_what_it_was_where_no_costs_are_told),
		cmocka_unit_test(bad_links_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
