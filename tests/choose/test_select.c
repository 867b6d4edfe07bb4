/* test_select.c - the cheapest algorithm at every size: held against whole numbers, size by size
 * and at every crossing. */
#include <ordo/detail/select.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

/* Whole numbers, so that costs can be compared exactly: a step, 50 bytes a ns, 100 bytes a ns. */
static struct ordo_machine machine_of(uint32_t latency_ns)
{
	return (struct ordo_machine){
		.latency_ns = latency_ns, .bandwidth_gbs = 50, .reduce_bandwidth_gbs = 100};
}

__extension__ typedef unsigned __int128 exact;

/* The cost times 100 parts, in ns: steps l 100 parts + (2 wire + reduced) n. */
static exact times_parts(const struct ordo_cost *cost, uint32_t latency_ns, uint64_t bytes)
{
	return (exact)cost->steps * latency_ns * 100 * cost->parts +
	       (exact)(2 * cost->wire + cost->reduced) * bytes;
}

/* -1, 0, 1: the first is cheaper, as cheap, dearer. */
static int compare_costs(const struct ordo_cost *one, const struct ordo_cost *other,
	uint32_t latency_ns, uint64_t bytes)
{
	const exact a = times_parts(one, latency_ns, bytes) * other->parts,
		    b = times_parts(other, latency_ns, bytes) * one->parts;
	return a < b ? -1 : a > b;
}

static bool is_refused(const struct ordo_selection *selection, const char *algorithm)
{
	for (uint32_t i = 0; i < selection->candidates.nrefused; i++)
		if (!strcmp(selection->candidates.refused[i].algorithm, algorithm))
			return true;
	return false;
}

/* The costs of all candidates; .parts 0 where one was refused. The caller frees them. */
static struct ordo_cost *costs_of(
	const struct ordo_selection_wish *wish, const struct ordo_selection *selection)
{
	struct ordo_cost *costs = test_calloc(selection->candidates.count, sizeof *costs);
	for (uint32_t i = 0; i < selection->candidates.count; i++) {
		const struct ordo_request request = {.problem = wish->problem,
			.algorithm = selection->candidates.items[i].algorithm,
			.topology = wish->topology};
		struct ordo_error error;
		if (!is_refused(selection, request.algorithm))
			assert_true(ordo_cost_of(&request, &costs[i], &error) && costs[i].parts);
	}
	return costs;
}

/* No candidate that was not refused is cheaper. */
static void check_cheapest(const struct ordo_selection *selection, const struct ordo_cost *costs,
	const struct ordo_cost *cost, uint32_t latency_ns, uint64_t bytes)
{
	for (uint32_t i = 0; i < selection->candidates.count; i++)
		if (costs[i].parts && compare_costs(&costs[i], cost, latency_ns, bytes) < 0)
			fail_msg("%llu bytes: %s is cheaper", (unsigned long long)bytes,
				selection->candidates.items[i].algorithm);
}

static const struct ordo_selected *range_of(const struct ordo_selection *selection, uint64_t bytes)
{
	for (uint32_t i = 0; i < selection->nrange; i++)
		if (bytes >= selection->ranges[i].from_bytes &&
			bytes <= selection->ranges[i].to_bytes)
			return &selection->ranges[i];
	fail_msg("no range for %llu bytes", (unsigned long long)bytes);
	return NULL;
}

static void select_for(const struct ordo_selection_wish *wish, struct ordo_selection *selection)
{
	struct ordo_error error = {0};
	if (!ordo_select(wish, selection, &error))
		fail_msg("%s on %u ranks: %s", ordo_operator_facts(wish->problem.op)->name,
			wish->problem.nrank, error.text);
}

/* Ranges follow each other, are proved, and where one begins it is cheaper than the one before,
 * which was cheapest until there. */
static void check_crossings(const struct ordo_selection_wish *wish,
	const struct ordo_selection *selection, uint32_t latency_ns)
{
	struct ordo_cost *costs = costs_of(wish, selection);
	assert_true(selection->nrange);
	assert_int_equal(selection->ranges[0].from_bytes, wish->from_bytes);
	assert_int_equal(selection->ranges[selection->nrange - 1].to_bytes, wish->to_bytes);
	for (uint32_t i = 0; i < selection->nrange; i++) {
		const struct ordo_selected *range = &selection->ranges[i];
		struct ordo_error error;
		const struct ordo_verify_options options = {.topology = wish->topology};
		struct ordo_proof *proof = ordo_verify(range->schedule, &options, &error);
		assert_true(proof && proof->proved);
		assert_string_equal(proof->digest, range->digest);
		assert_true(range->proof && range->proof->proved);
		assert_string_equal(range->proof->digest, proof->digest);
		assert_int_equal(range->proof->nmove, proof->nmove);
		assert_string_equal(range->schedule->algorithm, range->algorithm);
		ordo_proof_destroy(proof);
		const uint64_t last =
			range->to_bytes == ORDO_ENDLESS ? ORDO_BYTES_LIMIT : range->to_bytes;
		check_cheapest(selection, costs, &range->cost, latency_ns, range->from_bytes);
		check_cheapest(selection, costs, &range->cost, latency_ns, last);
		if (!i)
			continue;
		const struct ordo_selected *before = &selection->ranges[i - 1];
		assert_int_equal(range->from_bytes, before->to_bytes + 1);
		assert_true(compare_costs(&range->cost, &before->cost, latency_ns,
				    range->from_bytes) < 0);
		assert_true(compare_costs(&range->cost, &before->cost, latency_ns,
				    before->to_bytes) >= 0);
	}
	test_free(costs);
}

static void the_cheapest_changes_at_exact_sizes(void **state)
{
	(void)state;
	uint32_t crossings = 0;
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		for (uint32_t nrank = 1; nrank <= 9; nrank++)
			for (uint32_t latency = 7; latency <= 7000; latency *= 1000) {
				const struct ordo_selection_wish wish = {
					.problem = {.op = (enum ordo_operator)op, .nrank = nrank},
					.machine = machine_of(latency),
					.from_bytes = latency == 7 ? 0 : 1,
					.to_bytes =
						latency == 7 ? ORDO_ENDLESS : UINT64_C(1) << 40};
				struct ordo_selection selection;
				select_for(&wish, &selection);
				check_crossings(&wish, &selection, latency);
				crossings += selection.nrange - 1;
				ordo_selection_free(&selection);
			}
	assert_true(crossings > 20);
}

static struct ordo_topology *make(const char *name, uint32_t nrank)
{
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_make(name, nrank, &error);
	if (!topology)
		fail_msg("%s: %s", name, error.text);
	return topology;
}

/* On links that not all algorithms can use. */
static void every_size_has_the_cheapest_that_compiles(void **state)
{
	(void)state;
	static const char *const names[] = {"hypercube", "star", "torus:2x4", "a3:8"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct ordo_topology *topology = make(names[i], 8);
		const struct ordo_selection_wish wish = {
			.problem = {.op = ORDO_ALLREDUCE, .nrank = 8},
			.topology = topology,
			.machine = machine_of(3),
			.from_bytes = 1,
			.to_bytes = 1500};
		struct ordo_selection selection;
		select_for(&wish, &selection);
		check_crossings(&wish, &selection, 3);
		struct ordo_cost *costs = costs_of(&wish, &selection);
		for (uint64_t bytes = 1; bytes <= 1500; bytes++)
			check_cheapest(
				&selection, costs, &range_of(&selection, bytes)->cost, 3, bytes);
		test_free(costs);
		ordo_selection_free(&selection);
		ordo_topology_destroy(topology);
	}
}

static bool holds_g3(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	void *closure, struct ordo_error *error)
{
	(void)schedule;
	(void)closure;
	return proof->position_invariant == ORDO_HOLDS
		       ? true
		       : ordo_fail(error, ORDO_REFUTED, 0, "not invariant");
}

static bool refuses_all(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	void *closure, struct ordo_error *error)
{
	(void)schedule;
	(void)proof;
	(void)closure;
	return ordo_fail(error, ORDO_REFUTED, 0, "never");
}

/* How many different orders the ranges have. */
static uint32_t count_orders(const struct ordo_selection *selection)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < selection->nrange; i++) {
		bool seen = false;
		for (uint32_t k = 0; k < i; k++)
			seen |= !strcmp(selection->ranges[k].digest, selection->ranges[i].digest);
		count += !seen;
	}
	return count;
}

/* On a hypercube the largest vectors are cheapest along packed trees. The smallest cost the same by
 * several algorithms, of which one with one order is taken. */
static void without_conditions_the_order_changes(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("hypercube", 8);
	struct ordo_selection_wish wish = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 8},
		.topology = topology,
		.machine = machine_of(1000),
		.from_bytes = 1,
		.to_bytes = 1 << 30};
	struct ordo_selection selection;
	select_for(&wish, &selection);
	check_crossings(&wish, &selection, 1000);
	assert_int_equal(selection.nrange, 4);
	assert_int_equal(count_orders(&selection), 4);
	assert_string_equal(selection.ranges[0].algorithm, "recursive-doubling");
	assert_string_equal(selection.ranges[1].algorithm, "matching");
	assert_string_equal(selection.ranges[2].algorithm, "packing(sums=apart)");
	assert_string_equal(selection.ranges[3].algorithm, "packing(phases=apart)");
	assert_true(selection.price == 1);
	ordo_selection_free(&selection);
	/* What suits is cheapest among what suits. */
	wish.suits = holds_g3;
	select_for(&wish, &selection);
	check_crossings(&wish, &selection, 1000);
	for (uint32_t i = 0; i < selection.nrange; i++)
		assert_string_not_equal(selection.ranges[i].algorithm, "ring(directions=2)");
	assert_true(selection.price > 1);
	ordo_selection_free(&selection);
	wish.one_order = true;
	select_for(&wish, &selection);
	assert_int_equal(count_orders(&selection), 1);
	ordo_selection_free(&selection);
	/* Of all orders the cheapest, not that of the first candidate: from 8 to 16 MiB trees
	 * packed into all links are best everywhere. */
	wish.suits = NULL;
	wish.from_bytes = 1 << 23;
	wish.to_bytes = 1 << 24;
	select_for(&wish, &selection);
	assert_int_equal(selection.nrange, 1);
	assert_string_equal(selection.ranges[0].algorithm, "packing(sums=apart)");
	assert_true(selection.price == 1);
	ordo_selection_free(&selection);
	ordo_topology_destroy(topology);
}

/* The greatest ratio to the cheapest, by trying every size. */
static void check_price(const struct ordo_selection_wish *wish,
	const struct ordo_selection *selection, const struct ordo_selection *cheapest)
{
	double most = 0;
	for (uint64_t bytes = wish->from_bytes; bytes <= wish->to_bytes; bytes++) {
		const double ratio =
			ordo_cost_seconds(
				&range_of(selection, bytes)->cost, &wish->machine, bytes) /
			ordo_cost_seconds(&range_of(cheapest, bytes)->cost, &wish->machine, bytes);
		most = ratio > most ? ratio : most;
	}
	if (!(selection->price > most * (1 - 1e-12) && selection->price < most * (1 + 1e-12)))
		fail_msg("the price is %.15g, wanted %.15g", selection->price, most);
}

static void one_order_is_one_order_at_the_least_price(void **state)
{
	(void)state;
	for (uint32_t nrank = 2; nrank <= 16; nrank *= 2) {
		struct ordo_topology *topology = make("hypercube", nrank);
		struct ordo_selection_wish wish = {
			.problem = {.op = ORDO_ALLREDUCE, .nrank = nrank},
			.topology = topology,
			.machine = machine_of(50),
			.from_bytes = 1,
			.to_bytes = 60000};
		struct ordo_selection cheapest, selection;
		select_for(&wish, &cheapest);
		wish.one_order = true;
		wish.suits = holds_g3;
		select_for(&wish, &selection);
		for (uint32_t i = 1; i < selection.nrange; i++) {
			assert_int_equal(selection.ranges[i].from_bytes,
				selection.ranges[i - 1].to_bytes + 1);
			assert_string_equal(selection.ranges[i].digest, selection.ranges[0].digest);
		}
		check_price(&wish, &selection, &cheapest);
		assert_true(selection.price_bytes >= 1 && selection.price_bytes <= 60000);
		/* Some algorithm alone is one order too: never at a lower price. */
		for (uint32_t i = 0; i < selection.candidates.count; i++) {
			const struct ordo_request request = {.problem = wish.problem,
				.algorithm = selection.candidates.items[i].algorithm,
				.topology = topology};
			struct ordo_cost cost;
			double most = 0;
			if (is_refused(&selection, request.algorithm))
				continue;
			assert_true(ordo_cost_of(&request, &cost, NULL));
			for (uint64_t bytes = 1; bytes <= 60000; bytes++) {
				const double ratio =
					ordo_cost_seconds(&cost, &wish.machine, bytes) /
					ordo_cost_seconds(&range_of(&cheapest, bytes)->cost,
						&wish.machine, bytes);
				most = ratio > most ? ratio : most;
			}
			assert_true(selection.price <= most * (1 + 1e-12));
		}
		ordo_selection_free(&selection);
		ordo_selection_free(&cheapest);
		ordo_topology_destroy(topology);
	}
}

static void if_nothing_suits_that_is_said(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_selection selection;
	struct ordo_selection_wish wish = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 4},
		.machine = machine_of(1000),
		.from_bytes = 1,
		.to_bytes = 100,
		.suits = refuses_all};
	for (int one_order = 0; one_order < 2; one_order++) {
		wish.one_order = one_order;
		assert_false(ordo_select(&wish, &selection, &error));
		assert_int_equal(error.code, ORDO_REFUTED);
		assert_true(is_refused(&selection, "ring") && is_refused(&selection, "mesh"));
		ordo_selection_free(&selection);
	}
	wish.from_bytes = 101;
	assert_false(ordo_select(&wish, &selection, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_selection_free(&selection);
	wish.to_bytes = ORDO_BYTES_LIMIT + 1;
	assert_false(ordo_select(&wish, &selection, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_selection_free(&selection);
}

static void a_selection_becomes_a_plan_set(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_topology *topology = make("hypercube", 8);
	const struct ordo_selection_wish wish = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 8},
		.topology = topology,
		.machine = machine_of(1000),
		.from_bytes = 1,
		.to_bytes = ORDO_ENDLESS};
	struct ordo_selection selection;
	select_for(&wish, &selection);
	struct ordo_plan_set *set = ordo_selection_plan_set(&selection, &wish.problem, &error);
	assert_non_null(set);
	assert_int_equal(set->nrange, selection.nrange);
	assert_int_equal(set->problem.nshard, 8);
	assert_string_equal(set->ranges[0].schedule, "range-0.json");
	assert_string_equal(set->ranges[1].schedule, "range-1.json");
	assert_int_equal(set->ranges[set->nrange - 1].to_bytes, ORDO_ENDLESS);
	for (uint32_t i = 0; i < set->nrange; i++)
		assert_int_equal(set->ranges[i].from_bytes, selection.ranges[i].from_bytes);
	ordo_plan_set_destroy(set);
	ordo_selection_free(&selection);
	ordo_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cheapest_changes_at_exact_sizes),
		cmocka_unit_test(every_size_has_the_cheapest_that_compiles),
		cmocka_unit_test(without_conditions_the_order_changes),
		cmocka_unit_test(one_order_is_one_order_at_the_least_price),
		cmocka_unit_test(if_nothing_suits_that_is_said),
		cmocka_unit_test(a_selection_becomes_a_plan_set),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
