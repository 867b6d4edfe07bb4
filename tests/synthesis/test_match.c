/* test_match.c - chunks matched with links: what is sent is there, all gets where it is wanted, and
 * what rings, tori and random networks take. */
#include "synthesis/match/match.h"
#include <ordo/compiler.h>
#include <ordo/schedule.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

enum { MOST_RANKS = 256, MOST_CHUNKS = 5000 };

struct job {
	struct ordo_match_wish wish;
	uint32_t from[MOST_CHUNKS], to[MOST_CHUNKS];
	struct ordo_matched_move *moves;
	size_t nmove;
	uint64_t span;
};

static uint64_t seed = 1;

static uint32_t draw(uint32_t below)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(seed >> 33) % below;
}

static struct ordo_topology *make(const char *name, uint32_t nrank)
{
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_make(name, nrank, &error);
	if (!topology)
		fail_msg("%s: %s", name, error.text);
	return topology;
}

static void join(struct ordo_topology *topology, uint32_t a, uint32_t z)
{
	const double bandwidth = 1 + draw(3), latency = draw(2) ? 100 : 1000;
	assert_true(ordo_topology_add(topology, a, z, NULL, latency, bandwidth, NULL));
	assert_true(ordo_topology_add(topology, z, a, NULL, latency, 1 + draw(3), NULL));
}

/* A random tree of links, and some more; there is no link beside the tree's from a to z > a if the
 * draw says so. */
static struct ordo_topology *draw_topology(uint32_t nrank)
{
	struct ordo_topology *topology = ordo_topology_create("drawn", nrank, 0, 0, NULL);
	assert_non_null(topology);
	for (uint32_t z = 1; z < nrank; z++) {
		const uint32_t parent = draw(z);
		for (uint32_t a = 0; a < z; a++)
			if (a == parent || !draw(4))
				join(topology, a, z);
	}
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
}

/* pieces of every rank for all, or, with `one`, from every rank to every other. */
static void fill(struct job *job, const struct ordo_topology *topology, uint32_t pieces, bool one)
{
	const uint32_t n = topology->nrank;
	job->wish = (struct ordo_match_wish){.topology = topology,
		.chunk_bytes = 1000,
		.nchunk = one ? n * n : n * pieces,
		.from = job->from,
		.to = one ? job->to : NULL};
	assert_true(job->wish.nchunk <= MOST_CHUNKS);
	for (uint32_t c = 0; c < job->wish.nchunk; c++) {
		job->from[c] = one ? c / n : c / pieces;
		job->to[c] = one ? c % n : ORDO_NONE;
	}
}

static void match(struct job *job)
{
	struct ordo_error error = {0};
	if (!ordo_match(&job->moves, &job->nmove, &job->span, &job->wish, &error))
		fail_msg("%s", error.text);
}

/* The time of a link, in ps, as predictions have it. */
static uint64_t time_of(const struct job *job, uint32_t from, uint32_t to)
{
	const struct ordo_topology *topology = job->wish.topology;
	for (uint32_t l = 0; l < topology->nlink; l++) {
		const struct ordo_link *link = &topology->links[l];
		if (link->from == from && link->to == to && !link->down)
			return (uint64_t)(link->latency_ns * 1e3 + (double)job->wish.chunk_bytes *
									   1e3 /
									   link->bandwidth_gbs);
	}
	fail_msg("no link %u-%u", from, to);
	return 0;
}

/* Plays the moves on a network without switches, each as soon as its chunk is there and its link is
 * free; collecting plays them backwards. Returns when the last ends. */
static uint64_t play(const struct job *job)
{
	static uint64_t there[MOST_RANKS][MOST_CHUNKS], until[MOST_RANKS][MOST_RANKS];
	uint64_t last = 0;
	memset(there, 0xff, sizeof there);
	memset(until, 0, sizeof until);
	for (uint32_t c = 0; c < job->wish.nchunk; c++)
		there[job->from[c]][c] = 0;
	for (size_t i = 0; i < job->nmove; i++) {
		const bool turned = job->wish.backwards;
		const struct ordo_matched_move *move = &job->moves[turned ? job->nmove - 1 - i : i];
		const uint32_t from = turned ? move->to : move->from,
			       to = turned ? move->from : move->to, c = move->chunk;
		assert_true(there[from][c] != UINT64_MAX);
		assert_true(there[to][c] == UINT64_MAX);
		const uint64_t begin =
			there[from][c] > until[from][to] ? there[from][c] : until[from][to];
		const uint64_t end = begin + time_of(job, move->from, move->to);
		there[to][c] = until[from][to] = end;
		if (job->wish.to)
			there[from][c] = UINT64_MAX;
		last = end > last ? end : last;
	}
	for (uint32_t c = 0; c < job->wish.nchunk; c++)
		for (uint32_t rank = 0; rank < job->wish.topology->nrank; rank++)
			if (!job->wish.to || job->to[c] == rank)
				assert_true(there[rank][c] != UINT64_MAX);
	return last;
}

static void check(struct job *job)
{
	struct job again = *job;
	match(job);
	/* The list is in the order in which moves begin, or, turned round, end. */
	assert_true(play(job) <= job->span);
	match(&again);
	assert_int_equal(again.nmove, job->nmove);
	for (size_t i = 0; i < job->nmove; i++) {
		const struct ordo_matched_move *one = &job->moves[i], *two = &again.moves[i];
		assert_true(one->from == two->from && one->to == two->to &&
			    one->chunk == two->chunk && one->beside == two->beside);
	}
	free(again.moves);
	free(job->moves);
}

static void all_gets_where_it_is_wanted_on_random_networks(void **state)
{
	(void)state;
	for (int i = 0; i < 300; i++) {
		struct job job;
		struct ordo_topology *topology = draw_topology(2 + draw(10));
		fill(&job, topology, 1 + draw(4), i % 3 == 2);
		job.wish.backwards = i % 3 == 1;
		check(&job);
		ordo_topology_destroy(topology);
	}
}

static struct ordo_topology *make_grid(uint32_t width, uint32_t height)
{
	struct ordo_topology *topology = ordo_topology_create("grid", width * height, 0, 0, NULL);
	assert_non_null(topology);
	for (uint32_t a = 0; a < width * height; a++)
		for (uint32_t z = 0; z < width * height; z++)
			if (a + width == z || z + width == a || (a + 1 == z && z % width) ||
				(z + 1 == a && a % width))
				assert_true(ordo_topology_add(topology, a, z, NULL, 500, 1, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
}

/* Ranks of the fewest links bring something new over all of them until the end. */
static void check_bound(struct ordo_topology *topology, uint32_t pieces, uint32_t links)
{
	struct job job;
	const uint32_t nrank = topology->nrank;
	for (int backwards = 0; backwards < 2; backwards++) {
		fill(&job, topology, pieces, false);
		job.wish.backwards = backwards;
		match(&job);
		const uint64_t rounds = ((uint64_t)pieces * (nrank - 1) + links - 1) / links;
		assert_int_equal(job.span, rounds * time_of(&job, 0, 1));
		assert_int_equal(play(&job), job.span);
		free(job.moves);
	}
	ordo_topology_destroy(topology);
}

static void on_rings_tori_and_grids_nothing_is_lost(void **state)
{
	(void)state;
	for (uint32_t n = 3; n <= 16; n++)
		check_bound(make("ring", n), 1, 2);
	check_bound(make("ring", 8), 6, 2);
	check_bound(make("torus:3x3", 9), 1, 4);
	check_bound(make("torus:4x4", 16), 1, 4);
	check_bound(make("torus:4x4", 16), 4, 4);
	check_bound(make("torus:5x5", 25), 2, 4);
	check_bound(make("torus:8x8", 64), 3, 4);
	check_bound(make("torus:10x10", 100), 2, 4);
	check_bound(make("torus:10x10", 100), 50, 4);
	check_bound(make("torus:16x16", 256), 1, 4);
	check_bound(make("ring", 256), 1, 2);
	check_bound(make("hypercube", 16), 4, 4);
	check_bound(make("full-mesh", 8), 3, 7);
	check_bound(make_grid(2, 2), 1, 2);
	check_bound(make_grid(3, 2), 1, 2);
	check_bound(make_grid(4, 4), 2, 2);
	check_bound(make_grid(5, 3), 3, 2);
	check_bound(make_grid(10, 10), 2, 2);
}

/* From every rank to every other, as far as it is and no further, the farthest first. */
static void what_one_rank_wants_takes_the_shortest_way(void **state)
{
	(void)state;
	struct job job;
	struct ordo_topology *topology = make("ring", 8);
	fill(&job, topology, 1, true);
	match(&job);
	/* Of each rank's chunks two go 1, 2 or 3 ranks on, and one goes 4. */
	assert_int_equal(job.nmove, 8 * 16);
	assert_int_equal(job.span, 8 * time_of(&job, 0, 1));
	free(job.moves);
	ordo_topology_destroy(topology);
	topology = make("hypercube", 16);
	fill(&job, topology, 1, true);
	match(&job);
	assert_int_equal(job.nmove, 16 * 32);
	assert_true(job.span <= 9 * time_of(&job, 0, 1));
	free(job.moves);
	ordo_topology_destroy(topology);
}

/* A slow link does not take what fast ones would bring sooner. */
static void no_move_ends_after_the_deadline(void **state)
{
	(void)state;
	struct job job;
	struct ordo_topology *topology = ordo_topology_create("slow", 4, 0, 0, NULL);
	for (uint32_t a = 0; a < 4; a++)
		for (uint32_t z = 0; z < 4; z++)
			if (a != z)
				assert_true(ordo_topology_add(
					topology, a, z, NULL, 0, a + z == 1 ? 0.1 : 1, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	fill(&job, topology, 4, false);
	match(&job);
	/* Twelve chunks from two fast links. */
	assert_int_equal(job.span, 6 * time_of(&job, 2, 3));
	free(job.moves);
	ordo_topology_destroy(topology);
}

static void a_network_in_parts_is_refused(void **state)
{
	(void)state;
	struct job job;
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_create("parts", 4, 0, 0, NULL);
	join(topology, 0, 1);
	join(topology, 2, 3);
	assert_true(ordo_topology_finish(topology, NULL));
	fill(&job, topology, 1, false);
	assert_false(ordo_match(&job.moves, &job.nmove, NULL, &job.wish, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(
		error.text, "matching: no way leads from rank 0 to rank 2 in topology \"parts\"");
	ordo_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_gets_where_it_is_wanted_on_random_networks),
		cmocka_unit_test(on_rings_tori_and_grids_nothing_is_lost),
		cmocka_unit_test(what_one_rank_wants_takes_the_shortest_way),
		cmocka_unit_test(no_move_ends_after_the_deadline),
		cmocka_unit_test(a_network_in_parts_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
