/* test_predict_forms.c - predicted times are the closed forms, where nothing contends.
 *
 * p ranks, n bytes, a seconds a step, b seconds a byte on a link, g seconds a byte added, q =
 * ceil(log2 p). The forms are written here as they are published, and share nothing with
 * compiler/cost.
 */
#include <math.h>
#include <ordo/compiler.h>
#include <ordo/detail/cost.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

struct costs {
	double p, n, a, b, g, q;
};

static double mesh_gather(const struct costs *c)
{
	return c->a + c->n / c->p * c->b;
}
static double mesh_reduce_scatter(const struct costs *c)
{
	return c->a + c->n / c->p * c->b + (c->p - 1) / c->p * c->n * c->g;
}
static double mesh_two_shot(const struct costs *c)
{
	return 2 * c->a + 2 * c->n / c->p * c->b + (c->p - 1) / c->p * c->n * c->g;
}
static double mesh_one_shot(const struct costs *c)
{
	return c->a + c->n * c->b + (c->p - 1) * c->n * c->g;
}
static double part(const struct costs *c)
{
	return (c->p - 1) / c->p * c->n;
}
static double ring_gather(const struct costs *c)
{
	return (c->p - 1) * c->a + part(c) * c->b;
}
static double ring_reduce_scatter(const struct costs *c)
{
	return (c->p - 1) * c->a + part(c) * (c->b + c->g);
}
static double ring_all_reduce(const struct costs *c)
{
	return 2 * (c->p - 1) * c->a + 2 * part(c) * c->b + part(c) * c->g;
}
static double ring_broadcast(const struct costs *c)
{
	return (c->p - 1) * (c->a + c->n * c->b);
}
static double ring_reduce(const struct costs *c)
{
	return (c->p - 1) * (c->a + c->n * (c->b + c->g));
}
static double log_gather(const struct costs *c)
{
	return c->q * c->a + part(c) * c->b;
}
static double log_reduce_scatter(const struct costs *c)
{
	return c->q * c->a + part(c) * (c->b + c->g);
}
static double log_all_reduce(const struct costs *c)
{
	return 2 * c->q * c->a + 2 * part(c) * c->b + part(c) * c->g;
}
static double doubling_all_reduce(const struct costs *c)
{
	const double k = floor(log2(c->p)), folds = exp2(k) < c->p;
	return (k + 2 * folds) * (c->a + c->n * c->b) + (k + folds) * c->n * c->g;
}
/* p' = 2^k < p < 2^(k+1) */
static double rhd_all_reduce(const struct costs *c)
{
	const double k = floor(log2(c->p)), power = exp2(k), halved = (power - 1) / power;
	return (2 * k + 2) * c->a + (2 * halved + 2) * c->n * c->b + (halved + 1) * c->n * c->g;
}
static double tree_broadcast(const struct costs *c)
{
	return c->q * (c->a + c->n * c->b);
}
static double tree_reduce(const struct costs *c)
{
	return c->q * (c->a + c->n * (c->b + c->g));
}
/* With 16 chunks. */
static double circulant_broadcast(const struct costs *c)
{
	return (15 + c->q) * (c->a + c->n / 16 * c->b);
}
static double circulant_reduce(const struct costs *c)
{
	return (15 + c->q) * (c->a + c->n / 16 * (c->b + c->g));
}
static double mesh_two_shot_reduce(const struct costs *c)
{
	return 2 * c->a + 2 * c->n / c->p * c->b + part(c) * c->g;
}
static double k_nomial_broadcast(const struct costs *c)
{
	double height = 0, ones = 1;
	for (; ones < c->p; ones = 4 * ones + 1)
		height++;
	return height * (c->a + c->n * c->b);
}
static double k_ary_broadcast(const struct costs *c)
{
	return (ceil(log2(c->p * 3 + 1) / 2 - 1e-9) - 1) * (c->a + c->n * c->b);
}
/* A ring both ways round; two ranks have one link for both. */
static double bucket_gather(const struct costs *c)
{
	return floor(c->p / 2) * c->a + part(c) * c->b / (c->p > 2 ? 2 : 1);
}
static double bucket_reduce_scatter(const struct costs *c)
{
	return bucket_gather(c) + part(c) * c->g;
}
static double bucket_all_reduce(const struct costs *c)
{
	return 2 * bucket_gather(c) + part(c) * c->g;
}
/* Two lanes over links of their own; two ranks have one link for both. */
static double swing_all_reduce(const struct costs *c)
{
	return 2 * c->q * c->a + part(c) * (c->p > 2 ? 1 : 2) * c->b + part(c) * c->g;
}
/* p = 2^k m, m odd */
static double dyadic_reduce_scatter(const struct costs *c)
{
	uint32_t odd = (uint32_t)c->p, rounds = 0;
	for (; odd % 2 == 0; odd /= 2)
		rounds++;
	return (rounds + odd - 1) * c->a + part(c) * (c->b + c->g);
}

enum ranks { ANY, POWERS, OTHERS, EVEN };

/* On many ports: on one, who has nothing to send in a round goes ahead, and its next message shares
 * a port. At most: on many ports, where several ranks may send to one at once. */
enum met { EXACTLY, ON_MANY_PORTS, AT_MOST };

static const struct {
	enum ordo_operator op;
	const char *algorithm;
	enum ranks ranks;
	uint32_t chunks; /* 0: the algorithm chooses */
	double (*form)(const struct costs *costs);
	enum met met;
} forms[] = {
	{ORDO_ALLGATHER, "ring", ANY, 0, ring_gather, EXACTLY},
	{ORDO_SCATTER, "ring", ANY, 0, ring_gather, EXACTLY},
	{ORDO_GATHER, "ring", ANY, 0, ring_gather, EXACTLY},
	{ORDO_REDUCESCATTER, "ring", ANY, 0, ring_reduce_scatter, EXACTLY},
	{ORDO_ALLREDUCE, "ring", ANY, 0, ring_all_reduce, EXACTLY},
	{ORDO_BROADCAST, "ring", ANY, 1, ring_broadcast, EXACTLY},
	{ORDO_REDUCE, "ring", ANY, 1, ring_reduce, EXACTLY},
	{ORDO_ALLGATHER, "mesh", ANY, 0, mesh_gather, EXACTLY},
	{ORDO_SCATTER, "mesh", ANY, 0, mesh_gather, EXACTLY},
	{ORDO_GATHER, "mesh", ANY, 0, mesh_gather, EXACTLY},
	{ORDO_REDUCESCATTER, "mesh", ANY, 0, mesh_reduce_scatter, EXACTLY},
	{ORDO_ALLREDUCE, "mesh(shots=2)", ANY, 0, mesh_two_shot, EXACTLY},
	{ORDO_REDUCE, "mesh(shots=2)", ANY, 0, mesh_two_shot_reduce, EXACTLY},
	{ORDO_ALLREDUCE, "mesh(shots=1)", ANY, 0, mesh_one_shot, EXACTLY},
	{ORDO_REDUCESCATTER, "halving-doubling", POWERS, 0, log_reduce_scatter, EXACTLY},
	{ORDO_ALLREDUCE, "halving-doubling", POWERS, 0, log_all_reduce, EXACTLY},
	{ORDO_ALLREDUCE, "recursive-doubling", ANY, 1, doubling_all_reduce, EXACTLY},
	{ORDO_ALLREDUCE, "swing", POWERS, 0, swing_all_reduce, ON_MANY_PORTS},
	{ORDO_ALLREDUCE, "swing(ports=one)", EVEN, 0, log_all_reduce, EXACTLY},
	{ORDO_REDUCESCATTER, "swing(ports=one,first=far)", EVEN, 0, log_reduce_scatter, EXACTLY},
	{ORDO_ALLGATHER, "swing(ports=one)", EVEN, 0, log_gather, EXACTLY},
	{ORDO_ALLREDUCE, "swing(ports=one,data=small)", POWERS, 1, doubling_all_reduce, EXACTLY},
	{ORDO_ALLREDUCE, "bine", EVEN, 0, log_all_reduce, EXACTLY},
	{ORDO_REDUCESCATTER, "bine(first=far)", EVEN, 0, log_reduce_scatter, EXACTLY},
	{ORDO_ALLGATHER, "bine", EVEN, 0, log_gather, EXACTLY},
	{ORDO_BROADCAST, "bine(data=small)", POWERS, 1, tree_broadcast, EXACTLY},
	{ORDO_REDUCE, "bine(data=small)", POWERS, 1, tree_reduce, EXACTLY},
	{ORDO_ALLREDUCE, "bine(data=small)", POWERS, 1, doubling_all_reduce, EXACTLY},
	{ORDO_REDUCESCATTER, "pat", ANY, 0, log_reduce_scatter, EXACTLY},
	{ORDO_ALLGATHER, "pat", ANY, 0, log_gather, EXACTLY},
	{ORDO_ALLREDUCE, "rhd", OTHERS, 0, rhd_all_reduce, EXACTLY},
	{ORDO_ALLREDUCE, "rhd", POWERS, 0, log_all_reduce, EXACTLY},
	{ORDO_REDUCESCATTER, "nhr", ANY, 0, log_reduce_scatter, EXACTLY},
	{ORDO_ALLGATHER, "nhr", ANY, 0, log_gather, EXACTLY},
	{ORDO_ALLREDUCE, "nhr", ANY, 0, log_all_reduce, EXACTLY},
	{ORDO_REDUCESCATTER, "nb", ANY, 0, log_reduce_scatter, EXACTLY},
	{ORDO_ALLGATHER, "nb", ANY, 0, log_gather, EXACTLY},
	{ORDO_ALLREDUCE, "nb", ANY, 0, log_all_reduce, EXACTLY},
	{ORDO_ALLTOALL, "alltoall", ANY, 0, ring_gather, EXACTLY},
	{ORDO_BROADCAST, "tree", ANY, 1, tree_broadcast, EXACTLY},
	{ORDO_REDUCE, "tree", ANY, 1, tree_reduce, EXACTLY},
	{ORDO_ALLGATHER, "bucket", ANY, 0, bucket_gather, ON_MANY_PORTS},
	{ORDO_REDUCESCATTER, "bucket", ANY, 0, bucket_reduce_scatter, ON_MANY_PORTS},
	{ORDO_ALLREDUCE, "bucket", ANY, 0, bucket_all_reduce, ON_MANY_PORTS},
	{ORDO_BROADCAST, "tree(shape=k-nomial)", ANY, 1, k_nomial_broadcast, ON_MANY_PORTS},
	{ORDO_BROADCAST, "tree(shape=k-ary)", ANY, 1, k_ary_broadcast, ON_MANY_PORTS},
	{ORDO_BROADCAST, "circulant", ANY, 16, circulant_broadcast, ON_MANY_PORTS},
	{ORDO_REDUCE, "circulant", ANY, 16, circulant_reduce, AT_MOST},
	{ORDO_REDUCESCATTER, "dyadic", ANY, 0, dyadic_reduce_scatter, EXACTLY},
};

static bool has_ranks(enum ranks ranks, uint32_t p)
{
	const bool power = !(p & (p - 1));
	return ranks == ANY || (ranks == EVEN && p % 2 == 0) || (ranks == POWERS && power) ||
	       (ranks == OTHERS && !power);
}

static double ceil_log2(uint32_t p)
{
	double q = 0;
	while (exp2(q) < p)
		q++;
	return q;
}

static const struct ordo_machine machine = {
	.latency_ns = 1300, .bandwidth_gbs = 47, .reduce_bandwidth_gbs = 171};

static void check_form(size_t i, uint32_t p, struct ordo_topology *topology)
{
	static const uint64_t sizes[] = {1, 24, 1000, 65536, 3 << 20};
	struct ordo_error error = {0};
	const struct ordo_request request = {
		.problem = {.op = forms[i].op, .nrank = p, .chunks_per_block = forms[i].chunks},
		.algorithm = forms[i].algorithm,
		.unproved = true};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		fail_msg("%s on %u ranks: %s", forms[i].algorithm, p, error.text);
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		const struct ordo_predict_options options = {
			.topology = topology, .machine = machine, .bytes = sizes[s] * p};
		const struct costs costs = {.p = p,
			.n = (double)options.bytes,
			.a = machine.latency_ns * 1e-9,
			.b = 1e-9 / machine.bandwidth_gbs,
			.g = 1e-9 / machine.reduce_bandwidth_gbs,
			.q = ceil_log2(p)};
		struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
		if (!prediction)
			fail_msg("%s on %u ranks: %s", forms[i].algorithm, p, error.text);
		const double wanted = forms[i].form(&costs), found = prediction->timeline->total;
		if (!(fabs(found - wanted) <= 1e-12 * wanted) &&
			!(forms[i].met == AT_MOST && found < wanted))
			fail_msg("%s %s on %u ranks, %.0f bytes: found %.17g, wanted %.17g",
				ordo_operator_facts(forms[i].op)->name, forms[i].algorithm, p,
				costs.n, found, wanted);
		ordo_prediction_destroy(prediction);
	}
	ordo_schedule_destroy(schedule);
}

static void times_are_the_closed_forms(void **state)
{
	(void)state;
	for (uint32_t p = 2; p <= 64; p++)
		for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
			if (has_ranks(forms[i].ranks, p))
				check_form(i, p, NULL);
}

/* On a full mesh's document with the same costs; and, all but the mesh, on one port a rank. */
static void so_they_are_on_a_topology_and_on_one_port(void **state)
{
	(void)state;
	for (uint32_t p = 2; p <= 20; p += p < 9 ? 1 : 11)
		for (uint32_t ports = 0; ports < 2; ports++) {
			struct ordo_error error = {0};
			struct ordo_topology *topology = ordo_topology_make("full-mesh", p, &error);
			topology->ports = ports;
			topology->reduce_gbs = machine.reduce_bandwidth_gbs;
			for (uint32_t i = 0; i < topology->nlink; i++) {
				topology->links[i].latency_ns = machine.latency_ns;
				topology->links[i].bandwidth_gbs = machine.bandwidth_gbs;
			}
			assert_true(ordo_topology_finish(topology, &error));
			for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
				if (has_ranks(forms[i].ranks, p) &&
					!(ports && forms[i].met != EXACTLY) &&
					!(ports && !strncmp(forms[i].algorithm, "mesh", 4)))
					check_form(i, p, topology);
			ordo_topology_destroy(topology);
		}
}

/* Servers of G ranks, S of them; m bytes a block. */

struct servers {
	double S, G, m, a, b, g;
};

static double gather_on_servers(const struct servers *c)
{
	return 2 * c->a + c->S * c->m * c->b;
}
static double reduce_scatter_on_servers(const struct servers *c)
{
	return 2 * c->a + c->S * c->m * c->b + (c->S * c->G - 1) * c->m * c->g;
}
static double all_reduce_on_servers(const struct servers *c)
{
	return 4 * c->a + 2 * c->S * c->m * c->b + (c->S * c->G - 1) * c->m * c->g;
}
static double exchange_on_servers(const struct servers *c)
{
	return 2 * c->a + (c->S + c->G - 1) * c->m * c->b;
}

static const struct {
	enum ordo_operator op;
	const char *algorithm;
	double (*form)(const struct servers *c);
	enum met met;
} server_forms[] = {
	{ORDO_ALLGATHER, "asymmetric", gather_on_servers, ON_MANY_PORTS},
	{ORDO_REDUCESCATTER, "asymmetric", reduce_scatter_on_servers, AT_MOST},
	{ORDO_ALLREDUCE, "asymmetric", all_reduce_on_servers, AT_MOST},
	{ORDO_ALLTOALL, "aggregated", exchange_on_servers, ON_MANY_PORTS},
};

/* The form is what costs are computed by too. */
static void check_cost(const struct ordo_request *request, double wanted, uint64_t bytes)
{
	struct ordo_cost cost;
	struct ordo_error error = {0};
	assert_true(ordo_cost_of(request, &cost, &error));
	assert_int_equal(cost.source, ORDO_COST_ROUNDS);
	assert_true(fabs(ordo_cost_seconds(&cost, &machine, bytes) - wanted) <= 1e-12 * wanted);
}

static void check_servers(size_t i, uint32_t S, uint32_t G, uint64_t block)
{
	struct ordo_error error = {0};
	char notation[128];
	int length = snprintf(notation, sizeof notation, "%s(groups=[", server_forms[i].algorithm);
	for (uint32_t s = 0; s < S; s++)
		length += snprintf(notation + length, sizeof notation - (size_t)length, "%u%s", G,
			s + 1 < S ? "," : "])");
	const struct ordo_request request = {
		.problem = {.op = server_forms[i].op, .nrank = S * G}, .algorithm = notation};
	const struct servers servers = {S, G, (double)block, machine.latency_ns * 1e-9,
		1e-9 / machine.bandwidth_gbs, 1e-9 / machine.reduce_bandwidth_gbs};
	const double wanted = server_forms[i].form(&servers);
	const struct ordo_predict_options options = {.machine = machine, .bytes = block * S * G};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	assert_non_null(schedule);
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
	assert_non_null(prediction);
	const double found = prediction->timeline->total;
	if (!(fabs(found - wanted) <= 1e-12 * wanted) &&
		!(server_forms[i].met == AT_MOST && found < wanted))
		fail_msg("%s %s, blocks of %.0f: found %.17g, wanted %.17g",
			ordo_operator_facts(server_forms[i].op)->name, notation, (double)block,
			found, wanted);
	check_cost(&request, wanted, options.bytes);
	ordo_prediction_destroy(prediction);
	ordo_schedule_destroy(schedule);
}

static void times_on_equal_servers_are_the_closed_forms(void **state)
{
	(void)state;
	static const uint64_t blocks[] = {1, 24, 1000, 65536, 3 << 20};
	for (size_t i = 0; i < sizeof server_forms / sizeof *server_forms; i++)
		for (uint32_t S = 2; S <= 5; S++)
			for (uint32_t G = 2; G <= 5; G++)
				for (size_t size = 0; size < sizeof blocks / sizeof *blocks; size++)
					check_servers(i, S, G, blocks[size]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_are_the_closed_forms),
		cmocka_unit_test(times_on_equal_servers_are_the_closed_forms),
		cmocka_unit_test(so_they_are_on_a_topology_and_on_one_port),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
