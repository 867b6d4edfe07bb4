/* test_topologies.c - topologies by name and by path. */
#include <ordo/compiler.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
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
		ordo_topology_destroy(make(facts[i].name, 6));
}

static void refused(const char *name, uint32_t nrank, const char *says, const char *hint)
{
	struct ordo_error error = {0};
	assert_null(ordo_topology_make(name, nrank, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	if (!strstr(error.text, says) || !strstr(error.hint, hint))
		fail_msg("found \"%s\" \"%s\", wanted \"%s\" \"%s\"", error.text, error.hint, says, hint);
}

static void what_is_no_topology_is_refused(void **unused)
{
	(void)unused;
	refused("fullmesh", 4, "found \"fullmesh\", wanted one of full-mesh, ring, star",
		"did you mean full-mesh?");
	refused("zebra", 4, "found \"zebra\"", "a document's path has a slash or ends in .json");
	refused("", 4, "found \"\"", "a document's path");
	refused("ring:3", 4, "wanted \"ring\" (it takes no parameters)", "");
	refused("ring", 0, "found 0 ranks", "");
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
		cmocka_unit_test(every_rank_of_a_full_mesh_reaches_every_other_by_a_link_of_its_own),
		cmocka_unit_test(a_ring_reaches_left_and_right_only),
		cmocka_unit_test(a_star_reaches_everybody_through_one_port_and_the_switch),
		cmocka_unit_test(a_thousand_ranks_are_no_trouble),
		cmocka_unit_test(every_topology_listed_can_be_made),
		cmocka_unit_test(what_is_no_topology_is_refused),
		cmocka_unit_test(a_document_is_read_by_its_path_and_must_have_the_ranks_asked_for),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
