/* test_cost.c - costs against the closed forms as they are published, written down a second time;
 * where there is none, against claims. */
#include <math.h>
#include <ordo/detail/cost.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
/* cmocka needs the four above. */
#include <cmocka.h>

static const struct ordo_machine machine = {
	.latency_ns = 1730, .bandwidth_gbs = 18.3, .reduce_bandwidth_gbs = 211};
static const uint64_t sizes[] = {1, 4096, 1000003, 64 << 20, UINT64_C(1) << 40};
enum { NSIZE = sizeof sizes / sizeof *sizes, MOST = 64 };

/* The letters of the table: p ranks, n bytes, a a step, b a byte on a link, g a byte added. */
struct letters {
	double p, n, a, b, g;
};
typedef double formula(const struct letters *x);

static double q_of(double p)
{
	return ceil(log2(p));
}
static double ring_gather(const struct letters *x)
{
	return (x->p - 1) * x->a + (x->p - 1) / x->p * x->n * x->b;
}
static double ring_reduce_scatter(const struct letters *x)
{
	return (x->p - 1) * x->a + (x->p - 1) / x->p * x->n * (x->b + x->g);
}
static double ring_allreduce(const struct letters *x)
{
	return 2 * (x->p - 1) * x->a + 2 * (x->p - 1) / x->p * x->n * x->b +
	       (x->p - 1) / x->p * x->n * x->g;
}
static double ring_broadcast(const struct letters *x)
{
	return (x->p - 1) * (x->a + x->n * x->b);
}
static double ring_reduce(const struct letters *x)
{
	return (x->p - 1) * (x->a + x->n * x->b + x->n * x->g);
}
static double mesh_gather(const struct letters *x)
{
	return x->a + x->n / x->p * x->b;
}
static double mesh_reduce_scatter(const struct letters *x)
{
	return x->a + x->n / x->p * x->b + (x->p - 1) / x->p * x->n * x->g;
}
static double mesh_two_shot(const struct letters *x)
{
	return 2 * x->a + 2 * x->n / x->p * x->b + (x->p - 1) / x->p * x->n * x->g;
}
static double mesh_one_shot(const struct letters *x)
{
	return x->a + x->n * x->b + (x->p - 1) * x->n * x->g;
}
static double log_reduce_scatter(const struct letters *x)
{
	return q_of(x->p) * x->a + (x->p - 1) / x->p * x->n * (x->b + x->g);
}
static double log_allgather(const struct letters *x)
{
	return q_of(x->p) * x->a + (x->p - 1) / x->p * x->n * x->b;
}
static double log_allreduce(const struct letters *x)
{
	return 2 * q_of(x->p) * x->a + 2 * (x->p - 1) / x->p * x->n * x->b +
	       (x->p - 1) / x->p * x->n * x->g;
}
static double rhd_allreduce(const struct letters *x)
{
	const double k = floor(log2(x->p)), s = exp2(k);
	if (s == x->p)
		return log_allreduce(x);
	return (2 * k + 2) * x->a + (2 * (s - 1) / s + 2) * x->n * x->b +
	       ((s - 1) / s + 1) * x->n * x->g;
}
static double doubling_allreduce(const struct letters *x)
{
	return log2(x->p) * (x->a + x->n * x->b + x->n * x->g);
}
static double tree_broadcast(const struct letters *x)
{
	return q_of(x->p) * (x->a + x->n * x->b);
}
static double tree_reduce(const struct letters *x)
{
	return q_of(x->p) * (x->a + x->n * x->b + x->n * x->g);
}
static double dyadic_reduce_scatter(const struct letters *x)
{
	double m = x->p, rounds = 0;
	for (; fmod(m, 2) == 0; m /= 2)
		rounds++;
	return (rounds + m - 1) * x->a + (x->p - 1) / x->p * x->n * (x->b + x->g);
}

static const struct row {
	const char *algorithm;
	enum ordo_operator op;
	formula *formula;
	uint32_t chunks;
	bool powers; /* 2^k only */
} table[] = {
	{"ring", ORDO_ALLGATHER, ring_gather, 0, false},
	{"ring", ORDO_SCATTER, ring_gather, 0, false},
	{"ring", ORDO_GATHER, ring_gather, 0, false},
	{"ring", ORDO_REDUCESCATTER, ring_reduce_scatter, 0, false},
	{"ring", ORDO_ALLREDUCE, ring_allreduce, 0, false},
	{"ring", ORDO_BROADCAST, ring_broadcast, 1, false},
	{"ring", ORDO_REDUCE, ring_reduce, 1, false},
	{"mesh", ORDO_ALLGATHER, mesh_gather, 0, false},
	{"mesh", ORDO_SCATTER, mesh_gather, 0, false},
	{"mesh", ORDO_GATHER, mesh_gather, 0, false},
	{"mesh", ORDO_REDUCESCATTER, mesh_reduce_scatter, 0, false},
	{"mesh", ORDO_ALLREDUCE, mesh_two_shot, 0, false},
	{"mesh(shots=1)", ORDO_ALLREDUCE, mesh_one_shot, 0, false},
	{"halving-doubling", ORDO_REDUCESCATTER, log_reduce_scatter, 0, true},
	{"halving-doubling", ORDO_ALLREDUCE, log_allreduce, 0, true},
	{"recursive-doubling", ORDO_ALLREDUCE, doubling_allreduce, 0, true},
	{"rhd", ORDO_ALLREDUCE, rhd_allreduce, 0, false},
	{"nhr", ORDO_REDUCESCATTER, log_reduce_scatter, 0, false},
	{"nhr", ORDO_ALLGATHER, log_allgather, 0, false},
	{"nhr", ORDO_ALLREDUCE, log_allreduce, 0, false},
	{"nb", ORDO_REDUCESCATTER, log_reduce_scatter, 0, false},
	{"nb", ORDO_ALLGATHER, log_allgather, 0, false},
	{"nb", ORDO_ALLREDUCE, log_allreduce, 0, false},
	{"alltoall", ORDO_ALLTOALL, ring_gather, 0, false},
	{"tree", ORDO_BROADCAST, tree_broadcast, 0, false},
	{"tree", ORDO_REDUCE, tree_reduce, 0, false},
	{"dyadic", ORDO_REDUCESCATTER, dyadic_reduce_scatter, 0, false},
};

static struct ordo_cost cost_of(const struct ordo_request *request)
{
	struct ordo_cost cost;
	struct ordo_error error = {0};
	if (!ordo_cost_of(request, &cost, &error))
		fail_msg(
			"%s, %u ranks: %s", request->algorithm, request->problem.nrank, error.text);
	return cost;
}

static void check_row(const struct row *row, uint32_t nrank)
{
	const struct ordo_request request = {
		.problem = {.op = row->op, .nrank = nrank, .chunks_per_block = row->chunks},
		.algorithm = row->algorithm};
	const struct ordo_cost cost = cost_of(&request);
	assert_int_equal(cost.source, ORDO_COST_TABLE);
	for (int i = 0; i < NSIZE; i++) {
		const struct letters x = {nrank, (double)sizes[i], machine.latency_ns * 1e-9,
			1e-9 / machine.bandwidth_gbs, 1e-9 / machine.reduce_bandwidth_gbs};
		const double wanted = row->formula(&x),
			     found = ordo_cost_seconds(&cost, &machine, sizes[i]);
		if (!(fabs(found - wanted) <= 1e-12 * wanted))
			fail_msg("%s by %s, %u ranks, %llu bytes: found %.17g s, wanted %.17g s",
				ordo_operator_facts(row->op)->name, row->algorithm, nrank,
				(unsigned long long)sizes[i], found, wanted);
	}
}

static void every_published_form_is_met(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		for (uint32_t nrank = 2; nrank <= MOST; nrank++)
			if (!table[i].powers || !(nrank & (nrank - 1)))
				check_row(&table[i], nrank);
}

static void alone_nothing_takes_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
		const struct ordo_request request = {.problem = {.op = table[i].op, .nrank = 1},
			.algorithm = table[i].algorithm};
		const struct ordo_cost cost = cost_of(&request);
		assert_true(ordo_cost_seconds(&cost, &machine, 1 << 20) == 0);
	}
}

static void check_parts(const char *algorithm, enum ordo_operator op, uint32_t nrank,
	uint32_t chunks, const struct ordo_cost *wanted)
{
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank, .chunks_per_block = chunks},
		.algorithm = algorithm};
	const struct ordo_cost found = cost_of(&request);
	/* As fractions of n: they may be written with other parts. */
	if (found.steps != wanted->steps ||
		found.wire * wanted->parts != wanted->wire * found.parts ||
		found.reduced * wanted->parts != wanted->reduced * found.parts ||
		found.source != wanted->source)
		fail_msg("%s by %s, %u ranks: found %llu steps, %llu/%llu on the wire, %llu/%llu "
			 "added, source %d",
			ordo_operator_facts(op)->name, algorithm, nrank,
			(unsigned long long)found.steps, (unsigned long long)found.wire,
			(unsigned long long)found.parts, (unsigned long long)found.reduced,
			(unsigned long long)found.parts, (int)found.source);
}

/* Steps, and fractions of n on the wire and added up. */
static void what_has_no_published_form_follows_from_its_rounds_or_claims(void **state)
{
	(void)state;
	static const struct {
		const char *algorithm;
		enum ordo_operator op;
		uint32_t nrank, chunks;
		struct ordo_cost cost;
	} cases[] = {
		/* K chunks through p-1 links, one behind the other. */
		{"ring", ORDO_BROADCAST, 5, 8, {11, 11, 0, 8, ORDO_COST_ROUNDS}},
		{"ring", ORDO_REDUCE, 5, 8, {11, 11, 11, 8, ORDO_COST_ROUNDS}},
		/* Both directions, each with half of the data. */
		{"ring(directions=2)", ORDO_ALLREDUCE, 8, 0, {14, 14, 14, 16, ORDO_COST_CLAIMS}},
		{"mesh(streams=one)", ORDO_ALLGATHER, 8, 0, {7, 7, 0, 8, ORDO_COST_ROUNDS}},
		{"mesh", ORDO_REDUCE, 8, 0, {1, 1, 7, 1, ORDO_COST_ROUNDS}},
		{"mesh", ORDO_ALLTOALL, 8, 0, {1, 1, 0, 8, ORDO_COST_ROUNDS}},
		{"mesh(shots=2)", ORDO_BROADCAST, 8, 0, {2, 2, 0, 8, ORDO_COST_ROUNDS}},
		{"bucket", ORDO_ALLREDUCE, 8, 0, {8, 7, 7, 8, ORDO_COST_ROUNDS}},
		{"bucket(sizes=[3,3])", ORDO_ALLREDUCE, 9, 0, {4, 4, 8, 9, ORDO_COST_ROUNDS}},
		{"mesh(shots=2)", ORDO_REDUCE, 8, 0, {2, 2, 7, 8, ORDO_COST_ROUNDS}},
		{"circulant", ORDO_BROADCAST, 12, 16, {19, 19, 0, 16, ORDO_COST_ROUNDS}},
		{"circulant", ORDO_REDUCE, 5, 4, {6, 6, 6, 4, ORDO_COST_ROUNDS}},
		{"halving-doubling", ORDO_ALLGATHER, 8, 0, {3, 7, 0, 8, ORDO_COST_ROUNDS}},
		{"circulant", ORDO_ALLREDUCE, 6, 0, {6, 10, 5, 6, ORDO_COST_ROUNDS}},
		{"dyadic", ORDO_ALLREDUCE, 12, 0, {8, 22, 11, 12, ORDO_COST_ROUNDS}},
		{"birs(servers=2)", ORDO_REDUCESCATTER, 16, 0, {5, 9, 15, 16, ORDO_COST_ROUNDS}},
		{"tree", ORDO_ALLREDUCE, 6, 0, {6, 6, 3, 1, ORDO_COST_ROUNDS}},
		{"tree(shape=k-nomial)", ORDO_BROADCAST, 22, 0, {3, 3, 0, 1, ORDO_COST_ROUNDS}},
		{"tree(shape=k-ary)", ORDO_BROADCAST, 21, 0, {2, 2, 0, 1, ORDO_COST_ROUNDS}},
		{"nhr(data=small)", ORDO_ALLREDUCE, 6, 0, {6, 6, 3, 1, ORDO_COST_ROUNDS}},
		/* A vector to the partner, k exchanged, and the sum back. */
		{"recursive-doubling", ORDO_ALLREDUCE, 12, 0, {5, 5, 4, 1, ORDO_COST_ROUNDS}},
		/* The hub's one stream sends 7 vectors; in Reduce 7 come over links of their
		 * own. */
		{"star", ORDO_ALLREDUCE, 8, 0, {7, 7, 7, 1, ORDO_COST_CLAIMS}},
		{"star", ORDO_REDUCE, 8, 0, {1, 1, 7, 1, ORDO_COST_CLAIMS}},
		/* Streams to all others at once, as the mesh has them: two shots. */
		{"forest", ORDO_ALLREDUCE, 8, 0, {2, 2, 7, 8, ORDO_COST_CLAIMS}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_parts(cases[i].algorithm, cases[i].op, cases[i].nrank, cases[i].chunks,
			&cases[i].cost);
}

static void that_is_so_for_butterflies_and_groups_too(void **state)
{
	(void)state;
	static const struct {
		const char *algorithm;
		enum ordo_operator op;
		uint32_t nrank;
		struct ordo_cost cost;
	} cases[] = {
		{"swing", ORDO_ALLREDUCE, 8, {6, 7, 7, 8, ORDO_COST_ROUNDS}},
		{"swing(sizes=[4,4])", ORDO_ALLREDUCE, 16, {8, 15, 30, 32, ORDO_COST_ROUNDS}},
		{"swing(data=small)", ORDO_ALLREDUCE, 8, {3, 3, 6, 2, ORDO_COST_ROUNDS}},
		{"bine", ORDO_ALLREDUCE, 8, {6, 14, 7, 8, ORDO_COST_ROUNDS}},
		{"bine(data=small)", ORDO_REDUCE, 8, {3, 3, 3, 1, ORDO_COST_ROUNDS}},
		{"bine(data=small)", ORDO_ALLREDUCE, 8, {3, 3, 3, 1, ORDO_COST_ROUNDS}},
		{"pat(aggregate=2)", ORDO_ALLGATHER, 16, {8, 15, 0, 16, ORDO_COST_ROUNDS}},
		{"swing(ports=one)", ORDO_ALLREDUCE, 8, {6, 14, 7, 8, ORDO_COST_ROUNDS}},
		{"recursive-multiplying", ORDO_ALLREDUCE, 13, {4, 4, 6, 1, ORDO_COST_ROUNDS}},
		{"recursive-multiplying", ORDO_ALLGATHER, 12, {2, 5, 0, 12, ORDO_COST_ROUNDS}},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		check_parts(cases[i].algorithm, cases[i].op, cases[i].nrank, 0, &cases[i].cost);
}

static struct ordo_topology *make(const char *name, uint32_t nrank)
{
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_make(name, nrank, &error);
	if (!topology)
		fail_msg("%s: %s", name, error.text);
	return topology;
}

/* Ring of 16: distances 1, 1, 3, 5, and a message of 8, 4, 2, 1 blocks. */
static void messages_that_are_passed_on_count_for_every_link(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("ring", 16);
	struct ordo_request request = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 16},
		.algorithm = "swing",
		.topology = topology};
	struct ordo_cost cost = cost_of(&request);
	assert_int_equal(cost.source, ORDO_COST_ROUNDS);
	assert_int_equal(cost.steps, 2 * (1 + 1 + 3 + 5));
	assert_int_equal(cost.wire * 32, 2 * (8 + 4 + 3 * 2 + 5) * cost.parts);
	assert_int_equal(cost.reduced * 16, 15 * cost.parts);
	request.algorithm = "swing(data=small)";
	cost = cost_of(&request);
	assert_int_equal(cost.steps, 10);
	assert_int_equal(cost.wire * 2, 10 * cost.parts);
	assert_int_equal(cost.reduced, 4 * cost.parts);
	ordo_topology_destroy(topology);
}

static void ports_bound_the_links_used_at_once(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_topology *topology = ordo_topology_create("three ports", 8, 0, 3, &error);
	for (uint32_t from = 0; from < 8; from++)
		for (uint32_t to = 0; to < 8; to++)
			if (from != to)
				assert_true(
					ordo_topology_add(topology, from, to, NULL, 1, 1, &error));
	assert_true(ordo_topology_finish(topology, &error));
	struct ordo_request request = {.problem = {.op = ORDO_ALLGATHER, .nrank = 8},
		.algorithm = "mesh",
		.topology = topology};
	struct ordo_cost cost = cost_of(&request);
	/* Seven partners, three at a time. */
	assert_int_equal(cost.steps, 3);
	assert_int_equal(cost.wire, 3);
	assert_int_equal(cost.parts, 8);
	request.algorithm = "ring(directions=2,rings=2)";
	cost = cost_of(&request);
	assert_int_equal(cost.wire * 8, 7 * cost.parts / 3);
	/* What the mesh does by its form, forest does by its moves; the hub gets 7 vectors over 3
	 * links. */
	request.problem.op = ORDO_ALLREDUCE;
	request.algorithm = "mesh";
	const struct ordo_cost mesh = cost_of(&request);
	request.algorithm = "forest";
	cost = cost_of(&request);
	assert_int_equal(cost.steps, 5); /* 14 messages; the mesh rounds up twice */
	assert_int_equal(mesh.steps, 6);
	assert_int_equal(cost.wire * 8 * 3, 14 * cost.parts);
	request.problem.op = ORDO_REDUCE;
	request.algorithm = "star";
	cost = cost_of(&request);
	assert_int_equal(cost.steps, 3);
	assert_int_equal(cost.wire * 3, 7 * cost.parts);
	/* Over one port birs sends its 7 blocks one after another, else 4 beside 3. */
	request.problem.op = ORDO_REDUCESCATTER;
	request.algorithm = "birs";
	assert_int_equal(cost_of(&request).wire, 4);
	topology->ports = 1;
	assert_int_equal(cost_of(&request).wire, 7);
	ordo_topology_destroy(topology);
}

static void a_machine_is_as_slow_as_its_slowest_way(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_machine found = ordo_machine_usual();
	struct ordo_topology *topology = make("full-mesh", 4);
	ordo_machine_take(&found, topology);
	assert_true(found.latency_ns == 1000 && found.bandwidth_gbs == 56);
	assert_true(found.reduce_bandwidth_gbs == ordo_machine_usual().reduce_bandwidth_gbs);
	ordo_topology_destroy(topology);
	/* There and back over the switch. */
	topology = make("star", 4);
	ordo_machine_take(&found, topology);
	assert_true(found.latency_ns == 5000 && found.bandwidth_gbs == 20);
	ordo_topology_destroy(topology);
	/* What is down slows nobody; with nothing up, nothing is learned. */
	topology = ordo_topology_create("two", 2, 0, 0, &error);
	assert_true(ordo_topology_add(topology, 0, 1, "slow", 9000, 1, &error));
	assert_true(ordo_topology_add(topology, 1, 0, "fast", 10, 100, &error));
	topology->links[0].down = true;
	assert_true(ordo_topology_finish(topology, &error));
	ordo_machine_take(&found, topology);
	assert_true(found.latency_ns == 10 && found.bandwidth_gbs == 100);
	assert_true(ordo_topology_fail_link(topology, 0, 1, &error) &&
		    ordo_topology_finish(topology, &error));
	found = ordo_machine_usual();
	ordo_machine_take(&found, topology);
	assert_true(found.latency_ns == 1000 && found.bandwidth_gbs == 56);
	ordo_topology_destroy(topology);
}

static void what_does_not_apply_has_no_cost(void **state)
{
	(void)state;
	struct ordo_cost cost;
	struct ordo_error error = {0};
	const struct ordo_request request = {
		.problem = {.op = ORDO_ALLREDUCE, .nrank = 6}, .algorithm = "halving-doubling"};
	assert_false(ordo_cost_of(&request, &cost, &error));
	assert_int_equal(error.code, ORDO_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_published_form_is_met),
		cmocka_unit_test(alone_nothing_takes_time),
		cmocka_unit_test(what_has_no_published_form_follows_from_its_rounds_or_claims),
		cmocka_unit_test(that_is_so_for_butterflies_and_groups_too),
		cmocka_unit_test(messages_that_are_passed_on_count_for_every_link),
		cmocka_unit_test(ports_bound_the_links_used_at_once),
		cmocka_unit_test(a_machine_is_as_slow_as_its_slowest_way),
		cmocka_unit_test(what_does_not_apply_has_no_cost),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
