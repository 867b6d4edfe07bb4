/* test_bucket.c - bucket rings on tori: claims, links, orders, the time that its formula says. */
#include "compiling.h"

#include <math.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { OPERATORS = 3 };
static const enum ordo_operator operators[OPERATORS] = {
	ORDO_ALLREDUCE, ORDO_REDUCESCATTER, ORDO_ALLGATHER};

static struct ordo_request request_of(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	return (struct ordo_request){.problem = {.op = op, .nrank = nrank}, .algorithm = algorithm};
}

static void a_ring_of_any_length_is_proved_and_keeps_its_claims(void **state)
{
	(void)state;
	for (int i = 0; i < OPERATORS; i++)
		for (uint32_t nrank = 1; nrank <= 9; nrank++)
			check_everywhere("bucket", operators[i], nrank);
}

static const struct {
	const char *algorithm;
	uint32_t nrank, diameter;
} tori[] = {
	{"bucket(sizes=[2,2])", 4, 2},
	{"bucket(sizes=[3,2])", 6, 2},
	{"bucket(sizes=[3,3])", 9, 2},
	{"bucket(sizes=[1,5,2])", 10, 3},
	{"bucket(sizes=[2,2,3])", 12, 3},
	{"bucket(sizes=[4,4])", 16, 4},
};

static void tori_are_proved_and_keep_their_claims(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof tori / sizeof *tori; i++)
		for (int op = 0; op < OPERATORS; op++) {
			struct ordo_resolved_request resolved;
			const struct ordo_request request =
				request_of(operators[op], tori[i].nrank, tori[i].algorithm);
			check_everywhere(tori[i].algorithm, operators[op], tori[i].nrank);
			assert_true(ordo_request_resolve(&resolved, &request, NULL));
			assert_int_equal(resolved.algorithm->steps(&resolved),
				(op ? 1 : 2) * tori[i].diameter);
			ordo_resolved_request_destroy(&resolved);
		}
}

/* Every message goes over a link of the torus that its name says. */
static void sizes_come_from_the_topology(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t nrank;
	} topologies[] = {{"torus:4x4", 16}, {"torus:3x5", 15}, {"torus:2x3x3", 18}, {"ring", 7},
		{"ring", 2}};
	for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++)
		for (int op = 0; op < OPERATORS; op++) {
			struct ordo_request request =
				request_of(operators[op], topologies[i].nrank, "bucket");
			struct ordo_topology *topology =
				ordo_topology_make(topologies[i].name, topologies[i].nrank, NULL);
			request.topology = topology;
			ordo_schedule_destroy(compile_proved(&request));
			ordo_topology_destroy(topology);
		}
}

/* d dimensions of m ranks, p in all: AllReduce 2 d floor(m/2) a + (p-1)/p n (b/d + g). */
static void check_time(const char *name, uint32_t d, uint32_t m)
{
	const uint32_t p = (uint32_t)lround(pow(m, d));
	struct ordo_topology *topology = ordo_topology_make(name, p, NULL);
	struct ordo_request request = request_of(ORDO_ALLREDUCE, p, "bucket");
	request.topology = topology;
	struct ordo_schedule *schedule = compile_proved(&request);
	for (uint64_t n = 8ull * d * p; n <= 1u << 28; n *= 64) {
		const struct ordo_predict_options options = {
			.topology = topology, .machine = {.reduce_bandwidth_gbs = 195}, .bytes = n};
		struct ordo_prediction *prediction = ordo_predict(schedule, &options, NULL);
		assert_non_null(prediction);
		const struct ordo_link *link = &topology->links[0];
		const double part = (p - 1.0) / p * (double)n;
		const double wanted = 2e-9 * d * (m / 2) * link->latency_ns +
				      part / d * 1e-9 / link->bandwidth_gbs + part * 1e-9 / 195;
		if (fabs(prediction->timeline->total - wanted) > 1e-12 * wanted)
			fail_msg("%s, %llu bytes: found %.17g, wanted %.17g", name,
				(unsigned long long)n, prediction->timeline->total, wanted);
		ordo_prediction_destroy(prediction);
	}
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

static void times_are_the_closed_form(void **state)
{
	(void)state;
	check_time("ring", 1, 3);
	check_time("ring", 1, 8);
	check_time("torus:3x3", 2, 3);
	check_time("torus:4x4", 2, 4);
	check_time("torus:5x5", 2, 5);
	check_time("torus:3x3x3", 3, 3);
}

static void refused(const char *algorithm, uint32_t nrank, const char *text)
{
	const struct ordo_request request = request_of(ORDO_ALLREDUCE, nrank, algorithm);
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_non_null(strstr(error.text, text));
}

static void other_sizes_are_refused(void **state)
{
	(void)state;
	refused("bucket(sizes=[4,4])", 12, "found 12 ranks, wanted the product of the dimensions");
	refused("bucket(sizes=[4,0])", 12, "wanted the product");
	refused("bucket(sizes=[65536,65536])", 16, "wanted the product");
	refused("bucket(sizes=[[2,2],[4]])", 4, "wanted one list");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_ring_of_any_length_is_proved_and_keeps_its_claims),
		cmocka_unit_test(tori_are_proved_and_keep_their_claims),
		cmocka_unit_test(sizes_come_from_the_topology),
		cmocka_unit_test(times_are_the_closed_form),
		cmocka_unit_test(other_sizes_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
