/* test_ways.c - the way of every pair of ranks is the one that predict.h describes: chosen here one
 * pair after another, by distances that are lowered until none can be.
 *
 * usage: test_ways [FIRST LAST]: seeds of random topologies (1..60)
 */
#include "predict/routes.h"
#include <ordo/compiler.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

static uint64_t first_seed = 1, last_seed = 60;

static uint32_t below(uint64_t *random, uint32_t end)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % end;
}

/* The rule, said plainly. */

struct rule {
	const struct ordo_topology *topology;
	bool through_ranks;
	uint32_t first_between; /* vertices from this one on may lie between */
	uint32_t *distances;	/* [nvertex] to the target */
	uint32_t *taken;	/* [nlink] */
};

static void measure(struct rule *rule, uint32_t target, uint32_t first_between)
{
	const struct ordo_topology *topology = rule->topology;
	memset(rule->distances, 0xff,
		(topology->nrank + topology->nswitch) * sizeof *rule->distances);
	rule->first_between = first_between;
	rule->distances[target] = 0;
	for (bool lower = true; lower;) {
		lower = false;
		for (uint32_t i = 0; i < topology->nlink; i++) {
			const struct ordo_link *link = &topology->links[i];
			const bool between = link->to == target || link->to >= first_between;
			const uint32_t far = rule->distances[link->to];
			if (link->down || !between || far == ORDO_NONE ||
				rule->distances[link->from] <= far + 1)
				continue;
			rule->distances[link->from] = far + 1;
			lower = true;
		}
	}
}

static bool is_wider(const struct ordo_link *a, const struct ordo_link *b)
{
	return a->bandwidth_gbs > b->bandwidth_gbs ||
	       (!(a->bandwidth_gbs < b->bandwidth_gbs) && a->latency_ns < b->latency_ns);
}

/* Is there no better link between its two vertices? */
static bool is_widest(const struct ordo_topology *topology, const struct ordo_link *link)
{
	for (uint32_t i = topology->first_link[link->from];
		i < topology->first_link[link->from + 1]; i++) {
		const struct ordo_link *other = &topology->links[i];
		if (other->to == link->to && !other->down && other != link &&
			(is_wider(other, link) || (other < link && !is_wider(link, other))))
			return false;
	}
	return !link->down;
}

/* To or from a switch. */
static uint32_t times_taken(const struct rule *rule, const struct ordo_link *link)
{
	const uint32_t nrank = rule->topology->nrank;
	return link->from < nrank && link->to < nrank ? 0
						      : rule->taken[link - rule->topology->links];
}

static uint32_t stride(const struct ordo_link *link)
{
	return link->to > link->from ? link->to - link->from : link->from - link->to;
}

static bool is_better(const struct rule *rule, const struct ordo_link *a, const struct ordo_link *b)
{
	if (times_taken(rule, a) != times_taken(rule, b))
		return times_taken(rule, a) < times_taken(rule, b);
	return stride(a) != stride(b) ? stride(a) < stride(b) : a->to > b->to;
}

static uint32_t choose_next(const struct rule *rule, uint32_t at, uint32_t distance)
{
	const struct ordo_topology *topology = rule->topology;
	const struct ordo_link *best = NULL;
	for (uint32_t i = topology->first_link[at]; i < topology->first_link[at + 1]; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (is_widest(topology, link) && rule->distances[link->to] == distance - 1 &&
			(link->to >= rule->first_between || distance == 1) &&
			(!best || is_better(rule, link, best)))
			best = link;
	}
	assert_non_null(best);
	return (uint32_t)(best - topology->links);
}

static void check_way(
	struct rule *rule, const struct ordo_routes *routes, uint32_t source, uint32_t target)
{
	const struct ordo_topology *topology = rule->topology;
	const struct ordo_route *route = &routes->routes[ordo_route_find(routes, source, target)];
	uint32_t distance = rule->distances[source], at = source;
	assert_int_equal(route->end_link - route->first_link, distance);
	for (uint32_t i = route->first_link; i < route->end_link; i++) {
		const uint32_t link = choose_next(rule, at, distance--);
		rule->taken[link]++;
		at = topology->links[link].to;
		if (routes->links[i] != link)
			fail_msg("%s, from %u to %u: found link %u -> %u, wanted %u -> %u",
				topology->name, source, target,
				topology->links[routes->links[i]].from,
				topology->links[routes->links[i]].to, topology->links[link].from,
				at);
	}
	assert_int_equal(at, target);
}

/* All pairs, by target, then source; or until the first that nothing joins, which the error must
 * name. */
static void check_pairs(
	struct rule *rule, const struct ordo_routes *routes, const bool *sends, const char *error)
{
	const uint32_t nrank = rule->topology->nrank;
	for (uint32_t target = 0; target < nrank; target++)
		for (uint32_t source = 0; source < nrank; source++) {
			if (!sends[source * nrank + target])
				continue;
			measure(rule, target, nrank);
			if (rule->distances[source] == ORDO_NONE && rule->through_ranks)
				measure(rule, target, 0);
			if (rule->distances[source] != ORDO_NONE) {
				if (!error)
					check_way(rule, routes, source, target);
				continue;
			}
			char wanted[64];
			snprintf(
				wanted, sizeof wanted, "rank %u sends to rank %u,", source, target);
			if (!error || strncmp(error, wanted, strlen(wanted)))
				fail_msg("found \"%s\", wanted \"%s\"", error ? error : "", wanted);
			return;
		}
	assert_null(error);
}

static struct ordo_schedule *make_schedule(uint32_t nrank, const bool *sends)
{
	const struct ordo_problem problem = {
		.op = ORDO_ALLGATHER, .nrank = nrank, .nshard = nrank, .chunks_per_block = 1};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "pairs", NULL);
	assert_non_null(schedule);
	for (uint32_t rank = 0; rank < nrank; rank++) {
		assert_true(ordo_schedule_begin_stream(schedule, rank, "pairs", NULL));
		for (uint32_t peer = 0; peer < nrank; peer++) {
			const struct ordo_task send = {.kind = ORDO_SEND,
				.phase = ORDO_NO_PHASE,
				.peer = peer,
				.count = 1};
			assert_true(!sends[rank * nrank + peer] ||
				    ordo_schedule_append(schedule, &send, NULL));
		}
	}
	return schedule;
}

static void check_sends(const struct ordo_topology *topology, bool through_ranks, const bool *sends)
{
	struct rule rule = {.topology = topology,
		.through_ranks = through_ranks,
		.distances = calloc(topology->nrank + topology->nswitch, sizeof *rule.distances),
		.taken = calloc((size_t)topology->nlink + 1, sizeof *rule.taken)};
	assert_true(rule.distances && rule.taken);
	struct ordo_schedule *schedule = make_schedule(topology->nrank, sends);
	const struct ordo_predict_options options = {
		.topology = topology, .through_ranks = through_ranks};
	struct ordo_routes routes;
	struct ordo_error error = {0};
	const bool worked = ordo_routes_make(&routes, schedule, &options, &error);
	check_pairs(&rule, &routes, sends, worked ? NULL : error.text);
	ordo_routes_free(&routes);
	ordo_schedule_destroy(schedule);
	free(rule.distances);
	free(rule.taken);
}

/* Each rank sends to one of `sparse` others. */
static void check_topology(
	const struct ordo_topology *topology, bool through_ranks, uint32_t sparse, uint64_t *random)
{
	const uint32_t nrank = topology->nrank;
	bool *sends = calloc((size_t)nrank * nrank, sizeof *sends);
	assert_non_null(sends);
	for (uint32_t i = 0; i < nrank * nrank; i++)
		sends[i] = i / nrank != i % nrank && !below(random, sparse);
	check_sends(topology, through_ranks, sends);
	free(sends);
}

static void ways_of_known_topologies_follow_the_rule(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t nrank, sparse;
	} known[] = {{"torus:9x9", 81, 2}, {"torus:4x5x5", 100, 4}, {"ring", 140, 10},
		{"hypercube", 64, 2}, {"star", 70, 3}, {"servers:10x8,spines=4", 80, 3},
		{"full-mesh", 20, 1}};
	uint64_t random = 1;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		struct ordo_error error = {0};
		struct ordo_topology *topology =
			ordo_topology_make(known[i].name, known[i].nrank, &error);
		if (!topology)
			fail_msg("%s", error.text);
		check_topology(topology, true, known[i].sparse, &random);
		const struct ordo_link *link = &topology->links[below(&random, topology->nlink)];
		assert_true(ordo_topology_fail_link(topology, link->from, link->to, &error) &&
			    ordo_topology_finish(topology, &error));
		check_topology(topology, true, known[i].sparse, &random);
		check_topology(topology, false, known[i].sparse, &random);
		ordo_topology_destroy(topology);
	}
}

static void add_links(
	struct ordo_topology *topology, uint32_t a, uint32_t b, uint32_t both, uint64_t *random)
{
	static const char *const names[] = {"a", "b", "c"};
	struct ordo_error error;
	const uint32_t nclass = below(random, 4) ? 1 : 1 + below(random, 3);
	const bool one_way = !below(random, both);
	for (uint32_t i = 0; i < nclass; i++) {
		const double latency = below(random, 2), bandwidth = 1 + below(random, 2);
		assert_true(
			ordo_topology_add(topology, a, b, names[i], latency, bandwidth, &error));
		assert_true(one_way || ordo_topology_add(topology, b, a, names[i], latency,
					       bandwidth, &error));
	}
}

/* A tree of ranks and switches with more links between vertices that are not far in number, some of
 * them one way or more than one, some down. */
static struct ordo_topology *make_random(uint64_t *random)
{
	const uint32_t nrank = 66 + below(random, 30),
		       nswitch = below(random, 2) * below(random, 20), n = nrank + nswitch,
		       reach = 2 + below(random, 20), more = below(random, 3),
		       both = below(random, 2) ? 100 : 4;
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_create("random", nrank, nswitch, 0, &error);
	assert_non_null(topology);
	for (uint32_t v = 1; v < n; v++) {
		const uint32_t up = below(random, v < reach ? v : reach);
		add_links(topology, v, v - 1 - up, both, random);
		for (uint32_t i = 1; i <= more && up + i < v; i++)
			add_links(topology, v, v - 1 - up - i, both, random);
	}
	for (uint32_t i = 0; below(random, 2) && i < topology->nlink; i += 1 + below(random, 40))
		topology->links[i].down = true;
	assert_true(ordo_topology_finish(topology, &error));
	return topology;
}

static void ways_of_random_topologies_follow_the_rule(void **state)
{
	(void)state;
	for (uint64_t seed = first_seed; seed <= last_seed; seed++) {
		uint64_t random = seed * 0x9e3779b97f4a7c15u;
		struct ordo_topology *topology = make_random(&random);
		check_topology(topology, seed % 8, 1 + below(&random, 20), &random);
		ordo_topology_destroy(topology);
	}
}

/* Two lines of ranks, 0 129 128 .. 67 and 1 2 .. 66: those of the first are searched for first, and
 * 4 -> 129 has no way. 20 -> 2 has one, past 4, which does not send there. */
static void the_first_pair_that_nothing_joins_is_named(void **state)
{
	(void)state;
	enum { NRANK = 130, LINE = 64 };
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_create("two lines", NRANK, 0, 0, &error);
	bool *sends = calloc((size_t)NRANK * NRANK, sizeof *sends);
	assert_true(topology && sends);
	for (uint32_t i = 0; i + 1 < LINE; i++) {
		const uint32_t a = (NRANK - i) % NRANK, b = NRANK - i - 1;
		assert_true(ordo_topology_add(topology, a, b, NULL, 1, 1, &error) &&
			    ordo_topology_add(topology, b, a, NULL, 1, 1, &error));
		sends[(i + 2 < LINE ? b - 1 : b + 3) % NRANK * NRANK + a] = true;
	}
	for (uint32_t i = 1; i < NRANK - LINE; i++)
		assert_true(ordo_topology_add(topology, i, i + 1, NULL, 1, 1, &error) &&
			    ordo_topology_add(topology, i + 1, i, NULL, 1, 1, &error));
	assert_true(ordo_topology_finish(topology, &error));
	sends[69 * NRANK + 67] = true;
	sends[3 * NRANK + 1] = sends[20 * NRANK + 2] = true;
	check_sends(topology, true, sends);
	sends[4 * NRANK + 129] = true;
	check_sends(topology, true, sends);
	free(sends);
	ordo_topology_destroy(topology);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ways_of_known_topologies_follow_the_rule),
		cmocka_unit_test(ways_of_random_topologies_follow_the_rule),
		cmocka_unit_test(the_first_pair_that_nothing_joins_is_named)};
	if (argc > 2) {
		first_seed = strtoull(argv[1], NULL, 10);
		last_seed = strtoull(argv[2], NULL, 10);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
