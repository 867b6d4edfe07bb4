/* test_topologies.c - topologies by name and by path. */
#include <ordo/compiler.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static struct ordo_topology *make(const char *name, uint32_t nrank)
{
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_make(name, nrank, &error);
	if (!topology)
		fail_msg("%s", error.text);
	assert_int_equal(topology->nrank, nrank);
	return topology;
}

static void every_rank_of_a_full_mesh_reaches_every_other_by_a_link_of_its_own(void **unused)
{
	(void)unused;
	for (uint32_t n = 1; n <= 9; n++) {
		struct ordo_topology *topology = make("full-mesh", n);
		assert_int_equal(topology->nlink, n * (n - 1));
		assert_int_equal(topology->nswitch, 0);
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				assert_true(a == b || ordo_topology_reaches(topology, a, b));
		ordo_topology_destroy(topology);
	}
}

static void a_ring_reaches_left_and_right_only(void **unused)
{
	(void)unused;
	for (uint32_t n = 1; n <= 9; n++) {
		struct ordo_topology *topology = make("ring", n);
		assert_int_equal(topology->nlink, n == 1 ? 0 : n == 2 ? 2 : 2 * n);
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				if (a != b)
					assert_int_equal(ordo_topology_reaches(topology, a, b),
						(a + 1) % n == b || (b + 1) % n == a);
		ordo_topology_destroy(topology);
	}
}

static void a_star_reaches_everybody_through_one_port_and_the_switch(void **unused)
{
	(void)unused;
	for (uint32_t n = 1; n <= 9; n++) {
		struct ordo_topology *topology = make("star", n);
		assert_int_equal(topology->nlink, 2 * n);
		assert_int_equal(topology->nswitch, 1);
		assert_int_equal(topology->ports, 1);
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				assert_true(a == b || ordo_topology_reaches(topology, a, b));
		ordo_topology_destroy(topology);
	}
}

static uint32_t count_links(
	const struct ordo_topology *topology, uint32_t from, const char *class_name)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < topology->nlink; i++)
		count += topology->links[i].from == from &&
			 !strcmp(topology->class_names[topology->links[i].class_name], class_name);
	return count;
}

static bool has_link(const struct ordo_topology *topology, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (topology->links[i].from == from && topology->links[i].to == to)
			return true;
	return false;
}

static void an_a3_server_has_sio_pairs_and_a_full_mesh_in_each_lane(void **unused)
{
	(void)unused;
	for (uint32_t n = 2; n <= 16; n += 2) {
		struct ordo_topology *topology = make("a3", n);
		assert_int_equal(topology->nlink, n * (n / 2));
		assert_int_equal(topology->nswitch, 0);
		for (uint32_t a = 0; a < n; a++) {
			assert_int_equal(count_links(topology, a, "SIO"), 1);
			assert_int_equal(count_links(topology, a, "HCCS"), n / 2 - 1);
			for (uint32_t b = 0; b < n; b++)
				assert_int_equal(ordo_topology_reaches(topology, a, b),
					a % 2 == b % 2 || a / 2 == b / 2);
		}
		ordo_topology_destroy(topology);
	}
}

static void a3_servers_are_joined_between_ranks_of_one_number(void **unused)
{
	(void)unused;
	struct ordo_topology *topology = make("a3:3x8", 24);
	assert_int_equal(topology->nswitch, 8);
	assert_int_equal(topology->nlink, 24 * 4 + 24 * 2);
	for (uint32_t a = 0; a < 24; a++)
		for (uint32_t b = 0; b < 24; b++) {
			const bool here = a / 8 == b / 8 && (a % 2 == b % 2 || a / 2 == b / 2);
			assert_int_equal(
				ordo_topology_reaches(topology, a, b), here || a % 8 == b % 8);
		}
	ordo_topology_destroy(topology);
}

static void servers_reach_each_other_over_leaves_and_spines(void **unused)
{
	(void)unused;
	struct ordo_topology *topology = make("servers:4x8,spines=3,oversubscription=2", 32);
	assert_int_equal(topology->nswitch, 8 + 3);
	assert_int_equal(topology->nlink, 32 * 7 + 2 * 32 + 2 * 8 * 3);
	for (uint32_t a = 0; a < 32; a++) {
		assert_int_equal(count_links(topology, a, "HCCS"), 7);
		assert_int_equal(count_links(topology, a, "RDMA"), 1);
		assert_true(has_link(topology, a, 32 + a % 8));
		for (uint32_t b = 0; b < 32; b++)
			assert_true(ordo_topology_reaches(topology, a, b));
	}
	/* What four ranks of 20 GB/s send, halved, divided among three spines. */
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (topology->links[i].from >= 32 && topology->links[i].to >= 32)
			assert_true(topology->links[i].bandwidth_gbs == 20.0 * 4 / (3 * 2));
	ordo_topology_destroy(topology);
}

static void without_its_spines_a_server_reaches_its_rails_only(void **unused)
{
	(void)unused;
	struct ordo_topology *topology = make("servers:2x4,spines=1", 8);
	for (uint32_t leaf = 8; leaf < 12; leaf++)
		assert_true(ordo_topology_fail_link(topology, leaf, 12, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	for (uint32_t a = 0; a < 8; a++)
		for (uint32_t b = 0; b < 8; b++)
			assert_int_equal(ordo_topology_reaches(topology, a, b),
				a / 4 == b / 4 || a % 4 == b % 4);
	ordo_topology_destroy(topology);
}

static void small_servers_need_no_switches_of_some_kind(void **unused)
{
	(void)unused;
	struct ordo_topology *topology = make("servers:1x5", 5);
	assert_int_equal(topology->nswitch, 0);
	assert_int_equal(topology->nlink, 20);
	ordo_topology_destroy(topology);
	topology = make("servers:5x1", 5);
	assert_int_equal(topology->nswitch, 1);
	assert_int_equal(topology->nlink, 10);
	assert_true(ordo_topology_reaches(topology, 0, 4));
	ordo_topology_destroy(topology);
	topology = make("servers", 24);
	assert_int_equal(topology->nswitch, 8 + 2);
	ordo_topology_destroy(topology);
}

/* What the links of a class that begin there carry together. */
static double bandwidth_of(
	const struct ordo_topology *topology, uint32_t from, const char *class_name)
{
	double sum = 0;
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (topology->links[i].from == from &&
			!strcmp(topology->class_names[topology->links[i].class_name], class_name))
			sum += topology->links[i].bandwidth_gbs;
	return sum;
}

/* What the vendors say of a GPU: both ways together, which is twice what goes one way. */
static void servers_that_are_sold_have_the_bandwidths_that_are_published(void **unused)
{
	(void)unused;
	static const struct {
		const char *name, *class_name;
		bool switched;
		double both_ways_gbs, card_gbits, memory_gbs;
	} sold[] = {{"dgx-a100", "NVLink", true, 600, 200, 2039},
		{"dgx-h100", "NVLink", true, 900, 400, 3350},
		{"mi300x", "xGMI", false, 896, 400, 5300}};
	for (size_t i = 0; i < sizeof sold / sizeof *sold; i++) {
		char name[32];
		snprintf(name, sizeof name, "%s:3", sold[i].name);
		struct ordo_topology *topology = make(name, 24);
		assert_int_equal(topology->nswitch, 8 + 1 + (sold[i].switched ? 3 : 0));
		assert_true(topology->reduce_gbs * 3 == sold[i].memory_gbs);
		for (uint32_t a = 0; a < 24; a++) {
			assert_true(2 * bandwidth_of(topology, a, sold[i].class_name) ==
				    sold[i].both_ways_gbs);
			assert_true(8 * bandwidth_of(topology, a, "RDMA") == sold[i].card_gbits);
			assert_true(has_link(topology, a, 24 + a % 8));
			assert_int_equal(has_link(topology, a, 24 + 9 + a / 8), sold[i].switched);
			for (uint32_t b = 0; b < 24; b++) {
				assert_true(ordo_topology_reaches(topology, a, b));
				assert_int_equal(has_link(topology, a, b),
					!sold[i].switched && a != b && a / 8 == b / 8);
			}
		}
		/* Nothing is oversubscribed. */
		for (uint32_t leaf = 24; leaf < 32; leaf++)
			assert_true(8 * bandwidth_of(topology, leaf, "RDMA") ==
				    2 * 3 * sold[i].card_gbits);
		ordo_topology_destroy(topology);
	}
}

/* The name says how many servers, which levels are found by; one server needs no rails. */
static void servers_that_are_sold_have_eight_ranks_each(void **unused)
{
	(void)unused;
	static const struct {
		const char *name, *written;
		uint32_t nrank, nswitch;
	} names[] = {{"dgx-h100:4", "dgx-h100:4x8", 32, 13},
		{"dgx-h100:4x8", "dgx-h100:4x8", 32, 13}, {"dgx-a100", "dgx-a100:2x8", 16, 11},
		{"dgx-a100:1", "dgx-a100:1x8", 8, 1}, {"mi300x:1", "mi300x:1x8", 8, 0},
		{"mi300x:2", "mi300x:2x8", 16, 9}};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct ordo_topology *topology = make(names[i].name, names[i].nrank);
		assert_string_equal(topology->name, names[i].written);
		assert_int_equal(topology->nswitch, names[i].nswitch);
		ordo_topology_destroy(topology);
	}
	struct ordo_topology *topology = ordo_topology_make("mi300x:3", 0, NULL);
	assert_non_null(topology);
	assert_int_equal(topology->nrank, 24);
	ordo_topology_destroy(topology);
}

/* Two levels, without being told which; a prediction by hand. */
static void levels_are_found_in_servers_that_are_sold(void **unused)
{
	(void)unused;
	struct ordo_error error;
	struct ordo_topology *topology = make("dgx-h100:2", 16);
	const struct ordo_request request = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 16},
		.algorithm = "hierarchical(mesh,ring)",
		.topology = topology};
	struct ordo_schedule *schedule = ordo_compile(&request, &error), *told;
	struct ordo_request same = request;
	same.algorithm = "hierarchical(mesh,ring,sizes=[8,2])";
	told = ordo_compile(&same, &error);
	assert_true(schedule && told);
	assert_int_equal(schedule->ntask, told->ntask);
	ordo_schedule_destroy(told);
	/* 7/8 of it at 450 GB/s each way inside, 1/8 at 50 between, 7/8 + 1/16 added at 3350/3. */
	const struct ordo_predict_options options = {.topology = topology,
		.machine = ordo_machine_usual(),
		.bytes = 1024000000,
		.element_bytes = 4};
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
	assert_non_null(prediction);
	const double wire = 1.024 * (2 * 7 / 8.0 / 450 + 1 / 8.0 / 50),
		     sum = 1.024 * (7 / 8.0 + 1 / 16.0) * 3 / 3350;
	assert_true(prediction->timeline->total > wire + sum);
	assert_true(prediction->timeline->total < (wire + sum) * 1.01);
	ordo_prediction_destroy(prediction);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

/* One step in one dimension, going round. */
static bool are_neighbours(const uint32_t *sizes, uint32_t a, uint32_t b)
{
	uint32_t ndifferent = 0;
	bool near = true;
	for (int d = 2; d >= 0; a /= sizes[d], b /= sizes[d], d--) {
		const uint32_t x = a % sizes[d], y = b % sizes[d];
		ndifferent += x != y;
		near = near && (x == y || (x + 1) % sizes[d] == y || (y + 1) % sizes[d] == x);
	}
	return near && ndifferent == 1;
}

static void a_torus_links_neighbours_in_every_dimension(void **unused)
{
	(void)unused;
	static const struct {
		const char *name;
		uint32_t sizes[3], degree;
	} tori[] = {{"torus:4x4", {1, 4, 4}, 4}, {"torus:2x3x4", {2, 3, 4}, 5},
		{"torus:3x1", {1, 3, 1}, 2}, {"torus:2x2", {1, 2, 2}, 2},
		{"torus:1x1", {1, 1, 1}, 0}, {"torus:5x3x3", {5, 3, 3}, 6}, {"torus", {1, 3, 4}, 4},
		{"torus", {1, 1, 7}, 2}};
	for (size_t i = 0; i < sizeof tori / sizeof *tori; i++) {
		const uint32_t *sizes = tori[i].sizes, n = sizes[0] * sizes[1] * sizes[2];
		struct ordo_topology *topology = make(tori[i].name, n);
		assert_int_equal(topology->nlink, n * tori[i].degree);
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				assert_int_equal(
					has_link(topology, a, b), are_neighbours(sizes, a, b));
		ordo_topology_destroy(topology);
	}
}

static void a_hypercube_links_ranks_that_differ_in_one_digit(void **unused)
{
	(void)unused;
	for (uint32_t k = 0, n = 1; k <= 5; k++, n *= 2) {
		struct ordo_topology *topology = make("hypercube", n);
		assert_int_equal(topology->nlink, n * k);
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t b = 0; b < n; b++)
				assert_int_equal(
					has_link(topology, a, b), __builtin_popcount(a ^ b) == 1);
		ordo_topology_destroy(topology);
	}
}

static void the_sizes_in_a_name_say_how_many_ranks(void **unused)
{
	(void)unused;
	static const char *const names[] = {
		"a3:2x8", "servers:4x4", "torus:4x4", "torus:2x2x4", "a3:16"};
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		struct ordo_topology *topology = ordo_topology_make(names[i], 0, NULL);
		assert_non_null(topology);
		assert_int_equal(topology->nrank, 16);
		assert_string_equal(topology->name, names[i]);
		ordo_topology_destroy(topology);
	}
}

static void a_thousand_ranks_are_no_trouble(void **unused)
{
	(void)unused;
	struct ordo_topology *topology = make("full-mesh", 1024);
	assert_int_equal(topology->nlink, 1024 * 1023);
	assert_true(ordo_topology_reaches(topology, 1023, 511));
	ordo_topology_destroy(topology);
}

static void every_topology_listed_can_be_made(void **unused)
{
	(void)unused;
	uint32_t count;
	const struct ordo_topology_facts *facts = ordo_topologies(&count);
	assert_true(count >= 3);
	for (uint32_t i = 0; i < count; i++)
		ordo_topology_destroy(make(facts[i].name, 8));
}

static void refused(const char *name, uint32_t nrank, const char *says, const char *hint)
{
	struct ordo_error error = {0};
	assert_null(ordo_topology_make(name, nrank, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	if (!strstr(error.text, says) || !strstr(error.hint, hint))
		fail_msg("found \"%s\" \"%s\", wanted \"%s\" \"%s\"", error.text, error.hint, says,
			hint);
}

static void what_is_no_topology_is_refused(void **unused)
{
	(void)unused;
	refused("fullmesh", 4,
		"found \"fullmesh\", wanted one of full-mesh, ring, star, a3, servers, dgx-a100, "
		"dgx-h100, mi300x, torus, hypercube",
		"did you mean full-mesh?");
	refused("zebra", 4, "found \"zebra\"", "a document's path has a slash or ends in .json");
	refused("", 4, "found \"\"", "a document's path");
	refused("ring:3", 4, "wanted \"ring\" (it takes no parameters)",
		"its ranks are those of the problem: --ranks N");
	refused("ring", 0, "found 0 ranks", "");
	refused("torus", 0, "found 0 ranks", "");
	refused("a3", 7, "found 7 ranks a server, wanted an even number", "a3:8 is one server");
	refused("a3:3x3", 9, "found 3 ranks a server, wanted an even number", "a3:8 is one server");
	refused("a3:2x8", 8, "topology a3:2x8: found 16 ranks, wanted 8", "ask for 16 ranks");
	refused("a3:8y", 8, "8 ranks a server and then y", "");
	refused("a3:2x2x2", 8, "wanted 1 or more sizes after the colon, as in 4 or 2x4", "");
	refused("a3:0x8", 0, "wanted 1 or more sizes", "");
	refused("a3:", 8, "wanted 1 or more sizes", "");
	refused("a3:99999999999", 0, "wanted 1 or more sizes", "");
	refused("torus:99999x99999", 0, "wanted 2 or more sizes", "");
	refused("torus:16", 16, "wanted 2 or more sizes after the colon, as in 2x4 or 2x4x4", "");
	refused("torus:4x", 16, "wanted 2 or more sizes", "");
	refused("torus:4x4,a=1", 16, "found \",a=1\" after the sizes", "");
	refused("servers:8", 8, "wanted 2 sizes after the colon, as in 2x4", "");
	refused("servers:2x4,spine=2", 8, "found \",spine=2\"", "servers:4x8,spines=2");
	refused("servers:2x4,spines=0", 8, "found \",spines=0\"", "servers:4x8,spines=2");
	refused("servers:2x4,spines=", 8, "found \",spines=\"", "servers:4x8,spines=2");
	refused("servers:2x4;spines=2", 8, "found \";spines=2\"", "servers:4x8,spines=2");
	refused("dgx-a100", 12, "found 12 ranks, wanted servers of 8 ranks",
		"dgx-a100:4 is four servers, 32");
	refused("dgx-h100:2x4", 0, "found 2x4, wanted servers of 8 ranks", "dgx-h100:4");
	refused("dgx-h100:2,x", 0, "found 2,x, wanted servers of 8 ranks", "dgx-h100:4");
	refused("mi300x:2", 8, "topology mi300x:2: found 16 ranks, wanted 8",
		"ask for 16 ranks, or name other");
	refused("mi300x:99999", 0, "found 99999, wanted servers", "");
	refused("mi300x:0", 0, "wanted 1 or more sizes", "");
	refused("dgx-a10", 8, "found \"dgx-a10\"", "did you mean dgx-a100?");
	refused("hypercube", 12, "found 12 ranks, wanted a power of two", "");
	refused("full-mesh", 1000000, "found 1000000 ranks", "");
}

static void a_document_is_read_by_its_path_and_must_have_the_ranks_asked_for(void **unused)
{
	(void)unused;
	struct ordo_error error = {0};
	char path[] = "/tmp/ordo-topology-XXXXXX.json";
	int file = mkstemps(path, 5);
	assert_true(file >= 0);
	close(file);
	struct ordo_topology *ring = make("ring", 5), *back;
	assert_true(ordo_topology_write(ring, path, &error));
	back = ordo_topology_make(path, 0, &error);
	assert_non_null(back);
	char written[33], read[33];
	ordo_topology_digest(ring, written);
	ordo_topology_digest(back, read);
	assert_string_equal(written, read);
	ordo_topology_destroy(back);
	ordo_topology_destroy(make(path, 5));
	refused(path, 6, "found 5 ranks, wanted 6", "ask for 5 ranks");
	ordo_topology_destroy(ring);
	unlink(path);
	assert_null(ordo_topology_make(path, 5, &error));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			every_rank_of_a_full_mesh_reaches_every_other_by_a_link_of_its_own),
		cmocka_unit_test(a_ring_reaches_left_and_right_only),
		cmocka_unit_test(a_star_reaches_everybody_through_one_port_and_the_switch),
		cmocka_unit_test(an_a3_server_has_sio_pairs_and_a_full_mesh_in_each_lane),
		cmocka_unit_test(a3_servers_are_joined_between_ranks_of_one_number),
		cmocka_unit_test(servers_reach_each_other_over_leaves_and_spines),
		cmocka_unit_test(without_its_spines_a_server_reaches_its_rails_only),
		cmocka_unit_test(small_servers_need_no_switches_of_some_kind),
		cmocka_unit_test(servers_that_are_sold_have_the_bandwidths_that_are_published),
		cmocka_unit_test(servers_that_are_sold_have_eight_ranks_each),
		cmocka_unit_test(levels_are_found_in_servers_that_are_sold),
		cmocka_unit_test(a_torus_links_neighbours_in_every_dimension),
		cmocka_unit_test(a_hypercube_links_ranks_that_differ_in_one_digit),
		cmocka_unit_test(the_sizes_in_a_name_say_how_many_ranks),
		cmocka_unit_test(a_thousand_ranks_are_no_trouble),
		cmocka_unit_test(every_topology_listed_can_be_made),
		cmocka_unit_test(what_is_no_topology_is_refused),
		cmocka_unit_test(a_document_is_read_by_its_path_and_must_have_the_ranks_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
