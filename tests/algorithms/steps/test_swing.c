/* test_swing.c - Swing on rings and tori: claims, links, orders, the time that its formula says. */
#include "compiling.h"

#include <math.h>
#include <ordo/arena.h>
#include <ordo/detail/cost.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { OPERATORS = 3 };
static const enum ordo_operator operators[OPERATORS] = {
	ORDO_ALLREDUCE, ORDO_REDUCESCATTER, ORDO_ALLGATHER};

static bool is_power(uint32_t n)
{
	return (n & (n - 1)) == 0;
}

static struct ordo_request request_of(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	return (struct ordo_request){.problem = {.op = op, .nrank = nrank}, .algorithm = algorithm};
}

static void check_ring(uint32_t nrank)
{
	for (int i = 0; i < OPERATORS; i++) {
		check_everywhere("swing", operators[i], nrank);
		check_everywhere("swing(first=far)", operators[i], nrank);
		check_everywhere("swing(ports=one)", operators[i], nrank);
		check_everywhere("swing(ports=one,first=far)", operators[i], nrank);
	}
}

static void rings_are_proved_and_keep_their_claims(void **state)
{
	(void)state;
	static const uint32_t even[] = {6, 10, 12, 14, 18, 22};
	for (size_t i = 0; i < sizeof even / sizeof *even; i++)
		check_ring(even[i]);
	for (uint32_t nrank = 1; nrank <= 32; nrank *= 2) {
		check_ring(nrank);
		check_everywhere("swing(data=small)", ORDO_ALLREDUCE, nrank);
		check_everywhere("swing(data=small,first=near)", ORDO_ALLREDUCE, nrank);
		check_everywhere("swing(data=small,ports=one)", ORDO_ALLREDUCE, nrank);
	}
}

/* Steps and volume as the field has them. */
static void check_formula(const char *algorithm, enum ordo_operator op, uint32_t nrank,
	uint64_t steps, uint64_t parts)
{
	const struct ordo_request request = request_of(op, nrank, algorithm);
	struct ordo_resolved_request resolved;
	assert_true(ordo_request_resolve(&resolved, &request, NULL));
	assert_int_equal(resolved.algorithm->steps(&resolved), steps);
	assert_int_equal(resolved.algorithm->volume(&resolved), parts);
	ordo_resolved_request_destroy(&resolved);
}

static void claims_follow_the_formulas(void **state)
{
	(void)state;
	for (uint32_t nrank = 2, q = 1; nrank <= 256; nrank *= 2, q++) {
		const uint64_t rest = nrank - 1;
		check_formula("swing", ORDO_ALLREDUCE, nrank, 2 * (uint64_t)q, 4 * rest);
		check_formula("swing", ORDO_REDUCESCATTER, nrank, q, 2 * rest);
		check_formula("swing(ports=one)", ORDO_ALLGATHER, nrank, q, rest);
		check_formula("swing(data=small)", ORDO_ALLREDUCE, nrank, q, 2 * (uint64_t)q);
	}
	/* What no later step takes on makes the longest chain one shorter. */
	check_formula("swing", ORDO_ALLREDUCE, 6, 4, 20);
	check_formula("swing", ORDO_ALLREDUCE, 12, 6, 44);
	check_formula("swing(ports=one)", ORDO_ALLGATHER, 14, 3, 13);
}

static const struct {
	const char *sizes;
	uint32_t nrank;
} tori[] = {{"[2,2]", 4}, {"[4,2]", 8}, {"[2,1,8]", 16}, {"[4,4]", 16}, {"[2,4,2]", 16},
	{"[6,2]", 12}, {"[4,6]", 24}, {"[2,6,2]", 24}};

static void tori_are_proved_and_keep_their_claims(void **state)
{
	(void)state;
	static const char *const more[] = {"", ",first=far", ",ports=one", ",data=small"};
	char algorithm[64];
	for (size_t i = 0; i < sizeof tori / sizeof *tori; i++)
		for (int form = 0; form < (is_power(tori[i].nrank) ? 4 : 3); form++)
			for (int op = 0; op < (form == 3 ? 1 : OPERATORS); op++) {
				snprintf(algorithm, sizeof algorithm, "swing(sizes=%s%s)",
					tori[i].sizes, more[form]);
				check_everywhere(algorithm, operators[op], tori[i].nrank);
			}
}

/* Every message goes over a link of the torus that its name says. */
static void dimensions_of_up_to_four_have_all_their_links(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t nrank;
	} topologies[] = {
		{"torus:4x4", 16}, {"torus:2x4", 8}, {"torus:4x4x4", 64}, {"ring", 4}, {"ring", 2}};
	static const char *const forms[] = {"swing", "swing(first=far)", "swing(data=small)"};
	for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
		for (int form = 0; form < 3; form++) {
			struct ordo_request request =
				request_of(ORDO_ALLREDUCE, topologies[i].nrank, forms[form]);
			struct ordo_topology *topology =
				ordo_topology_make(topologies[i].name, topologies[i].nrank, NULL);
			request.topology = topology;
			ordo_schedule_destroy(compile_proved(&request));
			ordo_topology_destroy(topology);
		}
}

/* The partner in step s, by the sum of the powers of -2 as published. */
static uint32_t partner(uint32_t rank, uint32_t s, uint32_t nrank)
{
	long way = 0, power = 1;
	for (uint32_t i = 0; i <= s; i++, power *= -2)
		way += power;
	const long to = rank % 2 ? (long)rank - way : (long)rank + way;
	return (uint32_t)((to % (long)nrank + (long)nrank) % (long)nrank);
}

static void partners_are_the_published_ones(void **state)
{
	(void)state;
	for (uint32_t nrank = 2, q = 1; nrank <= 128; q += nrank >> q, nrank += nrank < 40    ? 2
										: nrank == 40 ? 24
											      : 32)
		for (int far = 0; far < 2; far++) {
			const struct ordo_request request = request_of(ORDO_REDUCESCATTER, nrank,
				far ? "swing(ports=one,first=far)" : "swing(ports=one)");
			struct ordo_schedule *schedule = compile_proved(&request);
			uint32_t sends = 0;
			for (uint32_t s = 0; s < schedule->nstream; s++)
				for (uint32_t t = schedule->streams[s].first;
					t < schedule->streams[s].end; t++) {
					const struct ordo_task *task = &schedule->tasks[t];
					if (task->kind != ORDO_SEND_REDUCE)
						continue;
					const uint32_t step =
						(uint32_t)strtoul(schedule->phases[task->phase] +
									  strlen("reduce-scatter "),
							NULL, 10);
					assert_int_equal(task->peer,
						partner(schedule->streams[s].rank,
							far ? q - 1 - step : step, nrank));
					sends += task->count;
				}
			assert_int_equal(sends, nrank * (nrank - 1));
			ordo_schedule_destroy(schedule);
		}
}

/* The orders. */

/* Rank's tree after `count` of the steps listed. */
static const char *tree_of(struct ordo_arena *arena, uint32_t nrank, const uint32_t *steps,
	uint32_t count, uint32_t rank)
{
	if (!count)
		return ordo_arena_format(arena, "%u", rank);
	const uint32_t peer = partner(rank, steps[count - 1], nrank);
	const char *own = tree_of(arena, nrank, steps, count - 1, rank),
		   *its = tree_of(arena, nrank, steps, count - 1, peer);
	/* As orders are written: the side with the lowest leaf first. */
	return strtoul(own + strspn(own, "("), NULL, 10) < strtoul(its + strspn(its, "("), NULL, 10)
		       ? ordo_arena_format(arena, "(%s+%s)", own, its)
		       : ordo_arena_format(arena, "(%s+%s)", its, own);
}

static void far_first_has_one_tree_for_all_forms(void **state)
{
	(void)state;
	static const char *const forms[] = {"swing(ports=one,first=far)",
		"swing(ports=one,data=small)", "swing(ports=one,data=small,first=far)"};
	for (uint32_t nrank = 2, q = 1; nrank <= 64; nrank *= 2, q++) {
		uint32_t steps[6];
		for (uint32_t s = 0; s < q; s++)
			steps[s] = q - 1 - s;
		struct ordo_arena arena = {0};
		const char *wanted = tree_of(&arena, nrank, steps, q, 0);
		for (uint32_t rank = 0; rank < nrank; rank++)
			assert_string_equal(tree_of(&arena, nrank, steps, q, rank), wanted);
		for (int form = 0; form < 3; form++) {
			const struct ordo_request request =
				request_of(ORDO_ALLREDUCE, nrank, forms[form]);
			check_order(&request, wanted);
		}
		ordo_arena_free(&arena);
	}
}

static struct ordo_proof *prove(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	const struct ordo_request request = request_of(op, nrank, algorithm);
	struct ordo_schedule *schedule = compile_proved(&request);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	assert_non_null(proof);
	ordo_schedule_destroy(schedule);
	return proof;
}

static uint32_t count_trees(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	struct ordo_proof *proof = prove(op, nrank, algorithm);
	const uint32_t ntree = proof->ndistinct;
	ordo_proof_destroy(proof);
	return ntree;
}

static void near_first_a_ring_has_a_quarter_as_many_trees_as_ranks(void **state)
{
	(void)state;
	for (uint32_t nrank = 4; nrank <= 128; nrank *= 2) {
		assert_int_equal(
			count_trees(ORDO_REDUCESCATTER, nrank, "swing(ports=one)"), nrank / 4);
		assert_int_equal(
			count_trees(ORDO_REDUCESCATTER, nrank, "swing(ports=one,first=far)"), 1);
		assert_int_equal(count_trees(ORDO_REDUCESCATTER, nrank, "swing"), nrank / 2);
		assert_int_equal(count_trees(ORDO_ALLREDUCE, nrank, "swing(data=small)"), 2);
	}
	assert_int_equal(count_trees(ORDO_REDUCESCATTER, 16, "swing(sizes=[4,4])"), 4);
	assert_int_equal(count_trees(ORDO_REDUCESCATTER, 64, "swing(sizes=[8,8],ports=one)"), 4);
}

static bool ranks_are_equal(uint32_t nrank, const char *algorithm)
{
	struct ordo_proof *proof = prove(ORDO_ALLREDUCE, nrank, algorithm);
	const bool equal = proof->rank_equal == ORDO_HOLDS;
	ordo_proof_destroy(proof);
	return equal;
}

static void whole_vectors_near_first_differ_from_rank_to_rank(void **state)
{
	(void)state;
	assert_true(ranks_are_equal(4, "swing(data=small,first=near)"));
	for (uint32_t nrank = 8; nrank <= 64; nrank *= 2) {
		assert_false(ranks_are_equal(nrank, "swing(data=small,first=near)"));
		assert_true(ranks_are_equal(nrank, "swing(data=small)"));
		assert_true(ranks_are_equal(nrank, "swing"));
	}
}

/* AllReduce in steps of distance h, in which k lanes share every link. */
static void check_shared(const char *name, uint32_t p, uint32_t lanes, uint32_t q,
	const uint32_t h[], const uint32_t k[])
{
	struct ordo_topology *topology = ordo_topology_make(name, p, NULL);
	struct ordo_request request = request_of(ORDO_ALLREDUCE, p, "swing");
	struct ordo_cost cost;
	request.topology = topology;
	struct ordo_schedule *schedule = compile_proved(&request);
	const struct ordo_link *link = &topology->links[0];
	const uint64_t n = 64ull * lanes * p;
	struct ordo_predict_options options = {
		.topology = topology, .machine = {.reduce_bandwidth_gbs = 195}, .bytes = n};
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, NULL);
	const double part = (double)n / lanes * 1e-9 / link->bandwidth_gbs;
	double wanted = (p - 1.0) / p * (double)n * 1e-9 / 195;
	for (uint32_t t = 0; t < q; t++)
		wanted += 2 * h[t] * (1e-9 * link->latency_ns + k[t] * part / (2u << t));
	if (fabs(prediction->timeline->total - wanted) > 1e-12 * wanted)
		fail_msg(
			"%s: found %.17g, wanted %.17g", name, prediction->timeline->total, wanted);
	options.machine.latency_ns = link->latency_ns;
	options.machine.bandwidth_gbs = link->bandwidth_gbs;
	assert_true(ordo_cost_of(&request, &cost, NULL));
	assert_int_equal(cost.source, ORDO_COST_ROUNDS);
	assert_true(fabs(ordo_cost_seconds(&cost, &options.machine, n) - wanted) <= 1e-12 * wanted);
	ordo_prediction_destroy(prediction);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

static void lanes_share_links_where_dimensions_differ(void **state)
{
	(void)state;
	check_shared("torus:4x8", 32, 4, 5, (const uint32_t[]){1, 1, 1, 1, 3},
		(const uint32_t[]){1, 1, 1, 1, 2});
	check_shared("torus:16x4", 64, 4, 6, (const uint32_t[]){1, 1, 1, 1, 3, 5},
		(const uint32_t[]){1, 1, 1, 1, 2, 2});
	check_shared("torus:4x4x8", 128, 6, 7, (const uint32_t[]){1, 1, 1, 1, 1, 1, 3},
		(const uint32_t[]){1, 1, 1, 1, 1, 1, 3});
}

/* The distance of the partner in step s. */
static uint32_t distance(uint32_t s)
{
	const uint32_t to = partner(0, s, 1u << 20);
	return to < 1u << 19 ? to : (1u << 20) - to;
}

struct problem {
	const char *name; /* of the topology */
	const char *algorithm;
	uint32_t d, m;
};

/* How many of m owners a rank reaches by the steps from s on along one dimension, each once. */
static uint32_t reached(uint32_t m, uint32_t s)
{
	bool has[256] = {true};
	uint32_t count = 1;
	for (uint32_t step = 31; step-- > s;)
		for (uint32_t rank = 0; 1u << step < m && rank < m; rank++)
			if (has[rank] && !has[partner(rank, step, m)])
				has[partner(rank, step, m)] = true, count++;
	return count;
}

/* d dimensions of m ranks, p in all, partners in a step at distance h, to whom c of p slices go,
 * n/2^t in step t if m is a power of two: AllReduce twice the sum of h (a + c/p n b/(2d)), and
 * (p-1)/p n g; with whole vectors the sum of h (a + n b/(2d)) + n g. */
static double time_of(const struct problem *problem, const struct ordo_topology *topology, double n)
{
	const struct ordo_link *link = &topology->links[0];
	const double a = 1e-9 * link->latency_ns, g = n * 1e-9 / 195;
	const bool small = strstr(problem->algorithm, "small"),
		   one = strstr(problem->algorithm, "ports=one");
	const double b = n * 1e-9 / link->bandwidth_gbs / (one ? 1 : 2 * problem->d);
	const uint32_t m = problem->m;
	double sum = 0, left = 1, rest = 0;
	for (uint32_t s = 0; 1u << s < m; s++)
		for (uint32_t i = 0; i < problem->d; i++) {
			const double kept = left * reached(m, s + 1) / reached(m, s),
				     part = left - kept;
			const uint32_t h = 2 * distance(s) > m ? m - distance(s) : distance(s);
			left = kept;
			rest += part;
			sum += h * (a + (small ? 1 : part) * b) + (small ? g : 0);
		}
	return small ? sum : 2 * sum + rest * g;
}

static void check_time(const struct problem *problem)
{
	uint32_t p = 1;
	for (uint32_t i = 0; i < problem->d; i++)
		p *= problem->m;
	struct ordo_topology *topology = ordo_topology_make(problem->name, p, NULL);
	struct ordo_request request = request_of(ORDO_ALLREDUCE, p, problem->algorithm);
	request.topology = topology;
	struct ordo_schedule *schedule = compile_proved(&request);
	for (uint64_t n = 8ull * problem->d * p; n <= 1u << 28; n *= 64) {
		const struct ordo_predict_options options = {
			.topology = topology, .machine = {.reduce_bandwidth_gbs = 195}, .bytes = n};
		struct ordo_prediction *prediction = ordo_predict(schedule, &options, NULL);
		assert_non_null(prediction);
		const double wanted = time_of(problem, topology, (double)n);
		if (fabs(prediction->timeline->total - wanted) > 1e-12 * wanted)
			fail_msg("%s on %s, %llu bytes: found %.17g, wanted %.17g",
				problem->algorithm, problem->name, (unsigned long long)n,
				prediction->timeline->total, wanted);
		ordo_prediction_destroy(prediction);
	}
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

static void times_are_the_closed_form(void **state)
{
	(void)state;
	static const struct problem problems[] = {{"ring", "swing", 1, 4},
		{"torus:4x4", "swing", 2, 4}, {"torus:4x4x4", "swing", 3, 4},
		{"ring", "swing(data=small)", 1, 4}, {"torus:4x4", "swing(data=small)", 2, 4},
		{"torus:4x4x4", "swing(data=small)", 3, 4},
		/* some pass on */
		{"ring", "swing", 1, 8}, {"ring", "swing", 1, 16}, {"ring", "swing", 1, 64},
		{"torus:8x8", "swing", 2, 8}, {"torus:16x16", "swing", 2, 16},
		{"ring", "swing(data=small)", 1, 8}, {"ring", "swing(data=small)", 1, 32},
		{"torus:8x8", "swing(data=small)", 2, 8},
		{"torus:16x16", "swing(data=small)", 2, 16}, {"ring", "swing(ports=one)", 1, 16},
		{"torus:8x8", "swing(ports=one)", 2, 8},
		/* the last step may be nearer the other way round, as in rings of 18 to 20 */
		{"ring", "swing", 1, 6}, {"ring", "swing", 1, 12}, {"ring", "swing", 1, 24},
		{"ring", "swing(ports=one)", 1, 14}, {"ring", "swing(ports=one)", 1, 20},
		{"ring", "swing(ports=one)", 1, 36}};
	for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
		check_time(&problems[i]);
}

/* Where the slices of a message do not lie together, no form is given. */
static void forms_of_even_rings_are_the_time_of_the_simulation(void **state)
{
	(void)state;
	uint32_t given = 0;
	for (uint32_t nrank = 6; nrank <= 48; nrank += 2) {
		struct ordo_topology *topology = ordo_topology_make("ring", nrank, NULL);
		struct ordo_request request = request_of(ORDO_ALLREDUCE, nrank, "swing");
		request.topology = topology;
		struct ordo_cost cost;
		assert_true(ordo_cost_of(&request, &cost, NULL));
		const struct ordo_predict_options options = {.topology = topology,
			.machine = {.reduce_bandwidth_gbs = 195},
			.bytes = (UINT64_C(1) << 20) * nrank};
		struct ordo_machine machine = options.machine;
		ordo_machine_take(&machine, topology);
		struct ordo_schedule *schedule = compile_proved(&request);
		struct ordo_prediction *prediction = ordo_predict(schedule, &options, NULL);
		assert_non_null(prediction);
		const double found = prediction->timeline->total,
			     wanted = ordo_cost_seconds(&cost, &machine, options.bytes);
		given += cost.source == ORDO_COST_ROUNDS;
		if (cost.source == ORDO_COST_ROUNDS && fabs(found - wanted) > 1e-12 * wanted)
			fail_msg("on %u ranks: found %.17g, wanted %.17g", nrank, found, wanted);
		ordo_prediction_destroy(prediction);
		ordo_schedule_destroy(schedule);
		ordo_topology_destroy(topology);
	}
	assert_true(given >= 7); /* 3 2^k and powers of two */
}

/* Ranks that pass on. */

static const struct {
	const char *name, *sizes;
	uint32_t nrank;
} far_ones[] = {{"ring", "[8]", 8}, {"ring", "[16]", 16}, {"torus:4x8", "[8,4]", 32},
	{"torus:8x8", "[8,8]", 64}, {"torus:2x8x2", "[2,8,2]", 32}, {"ring", "[6]", 6},
	{"ring", "[18]", 18}, {"torus:4x6", "[6,4]", 24}};

static const char *const far_forms[] = {
	"", "first=far,", "ports=one,", "data=small,", "data=small,first=near,"};

/* Every message goes over links to neighbours, the claims count all of them, and ranks add as they
 * do where every two have a link. */
static void check_passing_on(struct ordo_request *request, struct ordo_topology *topology)
{
	struct ordo_schedule *direct = compile_proved(request);
	request->topology = topology;
	assert_true(claims_hold(request));
	struct ordo_schedule *schedule = compile_proved(request);
	assert_true(schedule->ntask > direct->ntask);
	if (schedule->problem.nrank <= 8)
		check_every_pair_is_needed(schedule, topology);
	struct ordo_proof *one = ordo_verify(direct, NULL, NULL),
			  *other = ordo_verify(schedule, NULL, NULL);
	assert_string_equal(one->digest, other->digest);
	request->topology = NULL;
	ordo_proof_destroy(one);
	ordo_proof_destroy(other);
	ordo_schedule_destroy(direct);
	ordo_schedule_destroy(schedule);
}

static void ranks_that_pass_on_keep_claims_and_orders(void **state)
{
	(void)state;
	char algorithm[64];
	for (size_t i = 0; i < sizeof far_ones / sizeof *far_ones; i++) {
		const uint32_t nrank = far_ones[i].nrank, chunks[] = {0, 1, 3, nrank + 1};
		struct ordo_topology *topology = ordo_topology_make(far_ones[i].name, nrank, NULL);
		const size_t nform = is_power(nrank) ? sizeof far_forms / sizeof *far_forms : 3;
		for (size_t form = 0; form < nform; form++)
			for (int op = 0; op < (form > 2 ? 1 : OPERATORS); op++) {
				snprintf(algorithm, sizeof algorithm, "swing(%ssizes=%s)",
					far_forms[form], far_ones[i].sizes);
				struct ordo_request request =
					request_of(operators[op], nrank, algorithm);
				for (int k = 0; k < (nrank > 16 ? 1 : 4); k++) {
					request.problem.chunks_per_block = chunks[k];
					request.problem.in_place = k % 2;
					check_passing_on(&request, topology);
				}
			}
		ordo_topology_destroy(topology);
	}
}

static void refused(const char *algorithm, enum ordo_operator op, uint32_t nrank, const char *text)
{
	const struct ordo_request request = request_of(op, nrank, algorithm);
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	if (!strstr(error.text, text))
		fail_msg("found: %s, wanted: %s", error.text, text);
}

static void other_sizes_are_refused(void **state)
{
	(void)state;
	refused("swing", ORDO_ALLREDUCE, 9,
		"swing needs an even number of ranks in each dimension, found 9");
	refused("swing(sizes=[4,3])", ORDO_ALLREDUCE, 12,
		"swing needs an even number of ranks in each dimension, found 3");
	refused("swing(data=small)", ORDO_ALLREDUCE, 12,
		"swing needs a power of two ranks in each dimension for small data, found 12");
	refused("swing(sizes=[4,4])", ORDO_ALLREDUCE, 8,
		"found 8 ranks, wanted the product of the dimensions");
	refused("swing(sizes=[[2,2],[4]])", ORDO_ALLREDUCE, 4, "wanted one list");
	refused("swing(data=small)", ORDO_ALLGATHER, 8,
		"swing has a form for small data for AllReduce, not for AllGather");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rings_are_proved_and_keep_their_claims),
		cmocka_unit_test(claims_follow_the_formulas),
		cmocka_unit_test(tori_are_proved_and_keep_their_claims),
		cmocka_unit_test(dimensions_of_up_to_four_have_all_their_links),
		cmocka_unit_test(partners_are_the_published_ones),
		cmocka_unit_test(far_first_has_one_tree_for_all_forms),
		cmocka_unit_test(near_first_a_ring_has_a_quarter_as_many_trees_as_ranks),
		cmocka_unit_test(whole_vectors_near_first_differ_from_rank_to_rank),
		cmocka_unit_test(times_are_the_closed_form),
		cmocka_unit_test(forms_of_even_rings_are_the_time_of_the_simulation),
		cmocka_unit_test(lanes_share_links_where_dimensions_differ),
		cmocka_unit_test(ranks_that_pass_on_keep_claims_and_orders),
		cmocka_unit_test(other_sizes_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
