/* test_cycles.c - rings through a topology: found where there is one, refused where there is
 * none. */
#include "cycles/cycles.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MOST = 8 };

/* A topology of two-way links from joined[n][n] (upper half). */
static struct ordo_topology *make_topology(uint32_t n, bool joined[MOST][MOST])
{
	struct ordo_error error;
	struct ordo_topology *topology = ordo_topology_create("drawn", n, 0, 0, &error);
	assert_non_null(topology);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++)
			if (joined[a][b]) {
				assert_true(ordo_topology_add(topology, a, b, NULL, 1, 1, &error));
				assert_true(ordo_topology_add(topology, b, a, NULL, 1, 1, &error));
			}
	assert_true(ordo_topology_finish(topology, &error));
	return topology;
}

static struct ordo_topology *make_mesh(uint32_t n)
{
	struct ordo_error error;
	struct ordo_topology *topology = ordo_topology_create("mesh", n, 0, 0, &error);
	assert_non_null(topology);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++)
			if (a != b)
				assert_true(ordo_topology_add(topology, a, b, NULL, 1, 1, &error));
	assert_true(ordo_topology_finish(topology, &error));
	return topology;
}

static void fail_link(struct ordo_topology *topology, uint32_t a, uint32_t b)
{
	struct ordo_error error;
	assert_true(ordo_topology_fail_link(topology, a, b, &error));
	assert_true(ordo_topology_finish(topology, &error));
}

static void check_cycles(
	const struct ordo_topology *topology, uint32_t n, uint32_t k, const uint32_t *cycles)
{
	struct ordo_error error = {0};
	for (uint32_t c = 0; c < k; c++)
		if (!ordo_cycle_check(topology, n, cycles + (size_t)c * n, n, &error))
			fail_msg("%s", error.text);
	if (!ordo_cycles_disjoint(n, k, cycles, &error))
		fail_msg("%s", error.text);
}

/* The plainest judge: choose k link-disjoint cycles by trying every order of the ranks, from
 * scratch. */
struct plain {
	uint32_t n, left;
	bool joined[MOST][MOST];
};

static bool plain_has(struct plain *plain, uint32_t path[MOST], uint32_t length, uint32_t visited)
{
	uint32_t n = plain->n, head = path[length - 1];
	if (length == n) {
		if (!plain->joined[head][0])
			return false;
		if (plain->left == 1)
			return true;
		struct plain rest = *plain;
		uint32_t fresh[MOST] = {0};
		for (uint32_t i = 0; i < n; i++) {
			uint32_t a = path[i], b = path[(i + 1) % n];
			rest.joined[a][b] = rest.joined[b][a] = false;
		}
		rest.left--;
		return plain_has(&rest, fresh, 1, 1);
	}
	for (uint32_t v = 1; v < n; v++)
		if (!(visited >> v & 1) && plain->joined[head][v]) {
			path[length] = v;
			if (plain_has(plain, path, length + 1, visited | 1u << v))
				return true;
		}
	return false;
}

static uint32_t draw(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 16;
}

static void agrees_with_trying_everything(
	uint32_t n, uint32_t k, uint32_t percent, uint32_t *state, uint32_t outcome[2])
{
	struct plain plain = {.n = n, .left = k};
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a + 1; b < n; b++)
			plain.joined[a][b] = plain.joined[b][a] = draw(state) % 100 < percent;
	uint32_t path[MOST] = {0}, cycles[3 * MOST];
	struct ordo_error error = {0};
	struct ordo_topology *topology = make_topology(n, plain.joined);
	bool exists = plain_has(&plain, path, 1, 1),
	     found = ordo_cycles_find(topology, n, k, cycles, &error);
	outcome[exists]++;
	if (found != exists)
		fail_msg("%u ranks, %u rings: found %d, exists %d: %s", n, k, found, exists,
			error.text);
	if (found)
		check_cycles(topology, n, k, cycles);
	else
		assert_int_equal(error.code, ORDO_USAGE);
	ordo_topology_destroy(topology);
}

static void a_ring_is_found_exactly_where_one_exists(void **unused)
{
	(void)unused;
	uint32_t state = 1, outcome[2] = {0};
	for (uint32_t n = 3; n <= MOST; n++)
		for (uint32_t percent = 30; percent <= 90; percent += 10)
			for (int repeat = 0; repeat < 40; repeat++)
				agrees_with_trying_everything(n, 1, percent, &state, outcome);
	assert_true(outcome[0] > 200 && outcome[1] > 200);
}

static void disjoint_rings_are_found_exactly_where_they_exist(void **unused)
{
	(void)unused;
	uint32_t state = 7, two[2] = {0}, three[2] = {0};
	for (uint32_t n = 5; n <= MOST; n++)
		for (uint32_t percent = 60; percent <= 95; percent += 5)
			for (int repeat = 0; repeat < 8; repeat++)
				agrees_with_trying_everything(n, 2, percent, &state, two);
	for (uint32_t percent = 88; percent <= 99; percent++)
		agrees_with_trying_everything(7, 3, percent, &state, three);
	for (uint32_t percent = 80; percent <= 98; percent++)
		agrees_with_trying_everything(8, 3, percent, &state, three);
	assert_true(two[0] > 20 && two[1] > 20 && three[0] > 5 && three[1] > 5);
}

static void the_whole_mesh_falls_apart_into_rings(void **unused)
{
	(void)unused;
	for (uint32_t n = 3; n <= 40; n++) {
		uint32_t k = (n - 1) / 2, *cycles = malloc((size_t)(k + 1) * n * sizeof *cycles);
		struct ordo_error error = {0};
		assert_true(ordo_cycles_find(NULL, n, k, cycles, &error));
		check_cycles(NULL, n, k, cycles);
		assert_false(ordo_cycles_find(NULL, n, k + 1, cycles, &error));
		assert_int_equal(error.code, ORDO_USAGE);
		free(cycles);
	}
}

static void a_joined_topology_keeps_the_natural_order(void **unused)
{
	(void)unused;
	for (uint32_t n = 1; n <= 9; n++) {
		uint32_t cycle[9];
		assert_true(ordo_cycles_find(NULL, n, 1, cycle, NULL));
		for (uint32_t i = 0; i < n; i++)
			assert_int_equal(cycle[i], i);
	}
}

static void the_published_case_has_one_ring_and_three_disjoint_ones(void **unused)
{
	(void)unused;
	static const uint32_t published[3][8] = {
		{0, 2, 1, 3, 4, 5, 6, 7}, {0, 3, 2, 4, 6, 1, 7, 5}, {0, 4, 1, 5, 2, 7, 3, 6}};
	struct ordo_topology *topology = make_mesh(8);
	fail_link(topology, 0, 1);
	check_cycles(topology, 8, 3, &published[0][0]);
	for (uint32_t k = 1; k <= 3; k++) {
		uint32_t cycles[24];
		assert_true(ordo_cycles_find(topology, 8, k, cycles, NULL));
		check_cycles(topology, 8, k, cycles);
	}
	ordo_topology_destroy(topology);
}

static void a_large_mesh_with_links_down_has_rings(void **unused)
{
	(void)unused;
	uint32_t n = 300, *cycles = malloc((size_t)149 * n * sizeof *cycles);
	struct ordo_topology *topology = make_mesh(n);
	for (uint32_t a = 0; a + 1 < n; a += 2)
		fail_link(topology, a, a + 1);
	assert_true(ordo_cycles_find(topology, n, 1, cycles, NULL));
	check_cycles(topology, n, 1, cycles);
	/* every link that is up is in a ring */
	assert_true(ordo_cycles_find(topology, n, 149, cycles, NULL));
	check_cycles(topology, n, 149, cycles);
	ordo_topology_destroy(topology);
	free(cycles);
}

static void a_torus_has_a_ring_that_is_not_the_natural_order(void **unused)
{
	(void)unused;
	enum { SIDE = 6, N = SIDE * SIDE };
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_create("torus", N, 0, 0, &error);
	uint32_t cycles[2 * N];
	for (uint32_t v = 0; v < N; v++) {
		uint32_t right = v / SIDE * SIDE + (v + 1) % SIDE, below = (v + SIDE) % N;
		assert_true(ordo_topology_add(topology, v, right, NULL, 1, 1, &error));
		assert_true(ordo_topology_add(topology, right, v, NULL, 1, 1, &error));
		assert_true(ordo_topology_add(topology, v, below, NULL, 1, 1, &error));
		assert_true(ordo_topology_add(topology, below, v, NULL, 1, 1, &error));
	}
	assert_true(ordo_topology_finish(topology, &error));
	if (!ordo_cycles_find(topology, N, 1, cycles, &error))
		fail_msg("%s", error.text);
	check_cycles(topology, N, 1, cycles);
	ordo_topology_destroy(topology);
}

/* Half of the links of 20 ranks, at random: rings that a repair of the natural order misses are
 * found from another start, where trying everything would not end. */
static void two_rings_in_random_links_are_found_or_proved_absent(void **unused)
{
	(void)unused;
	enum { N = 20, PERCENT = 50 };
	uint32_t state = 2010, nfound = 0;
	for (int repeat = 0; repeat < 10; repeat++) {
		struct ordo_error error = {0};
		uint32_t cycles[2 * N];
		struct ordo_topology *topology = ordo_topology_create("random", N, 0, 0, &error);
		assert_non_null(topology);
		for (uint32_t a = 0; a < N; a++)
			for (uint32_t b = a + 1; b < N; b++)
				if (draw(&state) % 100 < PERCENT) {
					assert_true(ordo_topology_add(
						topology, a, b, NULL, 1, 1, &error));
					assert_true(ordo_topology_add(
						topology, b, a, NULL, 1, 1, &error));
				}
		assert_true(ordo_topology_finish(topology, &error));
		if (ordo_cycles_find(topology, N, 2, cycles, &error)) {
			nfound++;
			check_cycles(topology, N, 2, cycles);
		} else if (error.code != ORDO_USAGE) {
			fail_msg("graph %d: %s", repeat, error.text);
		}
		ordo_topology_destroy(topology);
	}
	assert_true(nfound > 0);
}

/* Petersen's graph: three neighbours each, in one piece whatever rank is taken out, and yet no
 * ring. */
static void petersens_graph_is_proved_to_have_none(void **unused)
{
	(void)unused;
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_create("petersen", 10, 0, 0, &error);
	for (uint32_t i = 0; i < 5; i++) {
		const uint32_t ends[3][2] = {
			{i, (i + 1) % 5}, {i, i + 5}, {i + 5, (i + 2) % 5 + 5}};
		for (int e = 0; e < 3; e++) {
			assert_true(ordo_topology_add(
				topology, ends[e][0], ends[e][1], NULL, 1, 1, &error));
			assert_true(ordo_topology_add(
				topology, ends[e][1], ends[e][0], NULL, 1, 1, &error));
		}
	}
	assert_true(ordo_topology_finish(topology, &error));
	uint32_t cycle[10];
	assert_false(ordo_cycles_find(topology, 10, 1, cycle, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_non_null(strstr(error.text, "every order of the ranks was tried"));
	ordo_topology_destroy(topology);
}

/* Two meshes of 5 ranks and three links between them: a ring needs two of those, and two rings
 * four. Each ring that may be the first is tried, and given back. */
static void two_rings_need_four_links_between_two_meshes(void **unused)
{
	(void)unused;
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_create("two", 10, 0, 0, &error);
	uint32_t cycles[20];
	for (uint32_t a = 0; a < 10; a++)
		for (uint32_t b = 0; b < 10; b++)
			if (a != b && (a / 5 == b / 5 || (a % 5 == b % 5 && a % 5 < 3)))
				assert_true(ordo_topology_add(topology, a, b, NULL, 1, 1, &error));
	assert_true(ordo_topology_finish(topology, &error));
	assert_true(ordo_cycles_find(topology, 10, 1, cycles, &error));
	check_cycles(topology, 10, 1, cycles);
	assert_false(ordo_cycles_find(topology, 10, 2, cycles, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_non_null(strstr(error.text, "every order of the ranks was tried"));
	ordo_topology_destroy(topology);
}

static void the_reason_why_there_is_none_is_told(void **unused)
{
	(void)unused;
	struct ordo_error error = {0};
	uint32_t cycles[24];
	bool one_way_out[MOST][MOST] = {{0}}, bridge[MOST][MOST] = {{0}}, parts[MOST][MOST] = {{0}};
	one_way_out[0][1] = one_way_out[1][2] = one_way_out[0][2] = one_way_out[2][3] = true;
	bridge[0][1] = bridge[1][2] = bridge[0][2] = bridge[2][3] = bridge[3][4] = bridge[2][4] =
		true;
	parts[0][1] = parts[1][2] = parts[0][2] = parts[3][4] = parts[4][5] = parts[3][5] = true;
	struct {
		uint32_t n, k;
		struct ordo_topology *topology;
		const char *says;
	} cases[] = {
		{4, 1, make_topology(4, one_way_out), "rank 3 has 1 neighbour, wanted 2 or more"},
		{5, 1, make_topology(5, bridge), "leads through rank 2"},
		{6, 1, make_topology(6, parts), "nothing joins rank 0 and rank 3"},
		{8, 4, NULL, "even with every link there are only 3"},
		{2, 2, NULL, "two ranks have one link"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_false(ordo_cycles_find(
			cases[i].topology, cases[i].n, cases[i].k, cycles, &error));
		assert_int_equal(error.code, ORDO_USAGE);
		if (!strstr(error.text, cases[i].says))
			fail_msg("found \"%s\", wanted \"%s\"", error.text, cases[i].says);
		ordo_topology_destroy(cases[i].topology);
	}
}

static void a_link_that_leads_one_way_only_is_no_neighbour(void **unused)
{
	(void)unused;
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_create("oneway", 3, 0, 0, &error);
	uint32_t cycle[3] = {0, 1, 2};
	for (uint32_t i = 0; i < 3; i++)
		assert_true(ordo_topology_add(topology, i, (i + 1) % 3, NULL, 1, 1, &error));
	assert_true(ordo_topology_finish(topology, &error));
	assert_false(ordo_cycle_check(topology, 3, cycle, 3, &error));
	assert_non_null(strstr(error.text, "0-1 (not back), 1-2 (not back), 2-0 (not back)"));
	assert_false(ordo_cycles_find(topology, 3, 1, cycle, &error));
	ordo_topology_destroy(topology);
}

static void a_ring_goes_round_links_that_lead_one_way_only(void **unused)
{
	(void)unused;
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_create("oneway", 4, 0, 0, &error);
	uint32_t cycle[4];
	for (uint32_t a = 0; a < 4; a++)
		for (uint32_t b = 0; b < 4; b++)
			if (a < b || (a > b && a / 2 != b / 2)) /* neither 1 to 0 nor 3 to 2 */
				assert_true(ordo_topology_add(topology, a, b, NULL, 1, 1, &error));
	assert_true(ordo_topology_finish(topology, &error));
	assert_true(ordo_cycles_find(topology, 4, 1, cycle, &error));
	check_cycles(topology, 4, 1, cycle);
	ordo_topology_destroy(topology);
}

static void an_order_that_is_no_ring_is_explained(void **unused)
{
	(void)unused;
	struct ordo_error error = {0};
	struct ordo_topology *topology = make_mesh(4);
	fail_link(topology, 0, 1);
	const uint32_t natural[] = {0, 1, 2, 3}, twisted[] = {0, 2, 1, 3}, twice[] = {0, 2, 0, 3},
		       wild[] = {0, 2, 4, 3};
	assert_true(ordo_cycle_check(topology, 4, twisted, 4, &error));
	assert_false(ordo_cycle_check(topology, 4, natural, 4, &error));
	assert_non_null(strstr(error.text, "0-1 (neither way)"));
	assert_false(ordo_cycle_check(topology, 4, twice, 4, &error));
	assert_non_null(strstr(error.text, "rank 0 appears twice"));
	assert_false(ordo_cycle_check(topology, 4, wild, 4, &error));
	assert_non_null(strstr(error.text, "found rank 4, wanted ranks 0..3"));
	assert_false(ordo_cycle_check(topology, 4, twisted, 3, &error));
	assert_non_null(strstr(error.text, "rank 3 is missing"));
	const uint32_t pair[] = {0, 1, 2, 3, 4, 0, 2, 1, 4, 3};
	assert_false(ordo_cycles_disjoint(5, 2, pair, &error));
	assert_non_null(strstr(error.text, "the link 1-2 is in two rings"));
	ordo_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_is_found_exactly_where_one_exists),
		cmocka_unit_test(disjoint_rings_are_found_exactly_where_they_exist),
		cmocka_unit_test(the_whole_mesh_falls_apart_into_rings),
		cmocka_unit_test(a_joined_topology_keeps_the_natural_order),
		cmocka_unit_test(the_published_case_has_one_ring_and_three_disjoint_ones),
		cmocka_unit_test(a_large_mesh_with_links_down_has_rings),
		cmocka_unit_test(a_torus_has_a_ring_that_is_not_the_natural_order),
		cmocka_unit_test(two_rings_in_random_links_are_found_or_proved_absent),
		cmocka_unit_test(petersens_graph_is_proved_to_have_none),
		cmocka_unit_test(two_rings_need_four_links_between_two_meshes),
		cmocka_unit_test(the_reason_why_there_is_none_is_told),
		cmocka_unit_test(a_link_that_leads_one_way_only_is_no_neighbour),
		cmocka_unit_test(a_ring_goes_round_links_that_lead_one_way_only),
		cmocka_unit_test(an_order_that_is_no_ring_is_explained),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
