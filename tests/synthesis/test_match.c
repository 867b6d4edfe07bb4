/* test_match.c - chunks matched with links: what is sent is there, all gets where it is wanted, and
 * what rings, tori and random networks take. */
#include "synthesis/match/levels.h"
#include "synthesis/match/match.h"
#include "synthesis/match/ways.h"
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

static uint64_t latest(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* Plays the moves on a network without switches, each as soon as its chunk is there, its link is
 * free, and with one port its ranks are. Collecting plays them backwards. Returns when the last
 * ends. */
static uint64_t play(const struct job *job)
{
	static uint64_t there[MOST_RANKS][MOST_CHUNKS], until[MOST_RANKS][MOST_RANKS];
	uint64_t sends[MOST_RANKS] = {0}, receives[MOST_RANKS] = {0};
	const bool one_port = job->wish.topology->ports == 1;
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
		uint64_t begin = latest(there[from][c], until[from][to]);
		if (one_port)
			begin = latest(begin, latest(sends[from], receives[to]));
		const uint64_t end = begin + time_of(job, move->from, move->to);
		sends[from] = receives[to] = end;
		there[to][c] = until[from][to] = end;
		if (job->wish.to)
			there[from][c] = UINT64_MAX;
		last = latest(end, last);
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

/* How many chunks a rank's links bring until a time, on a network without switches. */
static uint64_t count_until(const struct job *job, uint32_t rank, uint64_t time)
{
	const struct ordo_topology *topology = job->wish.topology;
	uint64_t count = 0;
	for (uint32_t l = 0; l < topology->nlink; l++) {
		const struct ordo_link *link = &topology->links[l];
		const uint32_t end = job->wish.backwards ? link->from : link->to;
		if (end == rank)
			count += time / time_of(job, link->from, link->to);
	}
	return count;
}

/* The least time in which every rank's links bring it what it lacks. */
static uint64_t bound_of(const struct job *job)
{
	uint64_t bound = 0;
	for (uint32_t rank = 0; rank < job->wish.topology->nrank; rank++) {
		uint64_t lacks = 0, low = 0, high = UINT64_C(1) << 40;
		for (uint32_t c = 0; c < job->wish.nchunk; c++)
			lacks += job->from[c] != rank && (!job->wish.to || job->to[c] == rank);
		while (low < high) {
			const uint64_t middle = low + (high - low) / 2;
			if (count_until(job, rank, middle) >= lacks)
				high = middle;
			else
				low = middle + 1;
		}
		bound = low > bound ? low : bound;
	}
	return bound;
}

/* The times of all networks together stay this near to what the links into ranks need. */
static void all_gets_where_it_is_wanted_on_random_networks(void **state)
{
	(void)state;
	uint64_t spans[3] = {0}, bounds[3] = {0};
	for (int i = 0; i < 300; i++) {
		struct job job;
		struct ordo_topology *topology = draw_topology(2 + draw(10));
		fill(&job, topology, 1 + draw(4), i % 3 == 2);
		job.wish.backwards = i % 3 == 1;
		check(&job);
		assert_true(job.span >= bound_of(&job));
		spans[i % 3] += job.span;
		bounds[i % 3] += bound_of(&job);
		ordo_topology_destroy(topology);
	}
	assert_true(spans[0] * 1000 <= bounds[0] * 1020);
	assert_true(spans[1] * 1000 <= bounds[1] * 1023);
	assert_true(spans[2] * 1000 <= bounds[2] * 1574);
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

/* From each rank to the next ones, one way. */
static struct ordo_topology *make_circulant(uint32_t nrank, uint32_t degree)
{
	struct ordo_topology *topology = ordo_topology_create("circulant", nrank, 0, 0, NULL);
	assert_non_null(topology);
	for (uint32_t a = 0; a < nrank; a++)
		for (uint32_t i = 1; i <= degree; i++)
			assert_true(ordo_topology_add(
				topology, a, (a + i) % nrank, NULL, 500, 1, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
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
	/* Only by augmenting paths through several pairs. */
	check_bound(make_circulant(9, 4), 1, 4);
	check_bound(make_circulant(11, 5), 1, 5);
	check_bound(make_grid(2, 2), 1, 2);
	check_bound(make_grid(3, 2), 1, 2);
	check_bound(make_grid(4, 4), 2, 2);
	check_bound(make_grid(5, 3), 3, 2);
	check_bound(make_grid(10, 10), 2, 2);
}

/* The poorest ranks first, or others would keep the senders' links from them. */
static void through_one_switch_at_most_one_round_is_lost(void **state)
{
	(void)state;
	struct job job;
	struct ordo_topology *topology = make("star", 2);
	fill(&job, topology, 1, false);
	match(&job);
	const uint64_t round = job.span;
	free(job.moves);
	ordo_topology_destroy(topology);
	for (uint32_t nrank = 3; nrank <= 16; nrank++)
		for (uint32_t pieces = 1; pieces <= 3; pieces++) {
			topology = make("star", nrank);
			fill(&job, topology, pieces, false);
			match(&job);
			assert_int_equal(job.nmove, pieces * nrank * (nrank - 1));
			assert_true(job.span <= (pieces * (nrank - 1) + 1) * round);
			free(job.moves);
			ordo_topology_destroy(topology);
		}
}

/* Every rank sends and receives on so many links at once, of those to all others. */
static void ports_limit_what_moves_at_once(void **state)
{
	(void)state;
	static const struct {
		uint32_t ports, nrank, rounds, rounds_of_one;
	} known[] = {{1, 3, 3, 3}, {1, 4, 3, 3}, {1, 5, 5, 6}, {1, 7, 7, 9}, {1, 8, 7, 7},
		{2, 4, 3, 3}, {2, 7, 4, 4}};
	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		for (int one = 0; one < 2; one++) {
			struct job job;
			const uint32_t n = known[i].nrank;
			struct ordo_topology *topology =
				ordo_topology_create("ports", n, 0, known[i].ports, NULL);
			for (uint32_t a = 0; a < n; a++)
				for (uint32_t z = 0; z < n; z++)
					assert_true(a == z || ordo_topology_add(topology, a, z,
								      NULL, 500, 1, NULL));
			assert_true(ordo_topology_finish(topology, NULL));
			fill(&job, topology, 1, one);
			match(&job);
			const uint64_t rounds = one ? known[i].rounds_of_one : known[i].rounds,
				       time = time_of(&job, 0, 1);
			assert_true(job.span <= rounds * time);
			assert_true(job.span >= (n - 1) / known[i].ports * time);
			assert_true(play(&job) <= job.span);
			free(job.moves);
			ordo_topology_destroy(topology);
		}
}

enum { RANKS = 6, CHUNKS = 9000 };

/* The same as levels keep, without words and bounds. */
struct plain_levels {
	uint32_t level[CHUNKS];
	bool has[RANKS][CHUNKS], claimed[RANKS][CHUNKS];
};

static void claim_or_give(
	struct ordo_match_levels *levels, struct plain_levels *plain, uint32_t rank, uint32_t c)
{
	if (!plain->claimed[rank][c]) {
		ordo_match_claim(levels, rank, c);
		plain->claimed[rank][c] = true;
		plain->level[c]++;
	} else if (!plain->has[rank][c]) {
		ordo_match_give(levels, rank, c);
		plain->has[rank][c] = true;
		for (uint32_t to = 0; to < RANKS; to++)
			ordo_match_offer(levels, rank * RANKS + to, c);
	}
}

static void compare_rarest(struct ordo_match_levels *levels, const struct plain_levels *plain,
	uint32_t from, uint32_t to)
{
	const uint32_t pair = from * RANKS + to, *level = plain->level;
	uint32_t best = ORDO_NONE;
	for (uint32_t k = 0; k < CHUNKS; k++) {
		assert_int_equal(ordo_match_has(levels, from, k), plain->has[from][k]);
		if (plain->has[from][k] && !plain->claimed[to][k] &&
			(best == ORDO_NONE || level[k] < level[best]))
			best = k;
	}
	assert_int_equal(ordo_match_rarest(levels, pair, from, to), best);
	assert_true(best == ORDO_NONE || levels->least[pair] == level[best]);
	for (uint32_t l = 0; l <= RANKS; l++)
		for (uint32_t w = 0; w < levels->nword; w++)
			assert_int_equal(levels->filled[l * levels->nfilled + w / 64] >> w % 64 & 1,
				levels->chunks[l * levels->nword + w] != 0);
}

/* Whatever was claimed, given and asked for before; empty words of levels are known, and so is the
 * last level found. */
static void the_rarest_chunk_is_that_of_all_chunks(void **state)
{
	(void)state;
	struct ordo_match_levels levels;
	static struct plain_levels plain;
	assert_true(ordo_match_levels_make(&levels, RANKS, CHUNKS, RANKS * RANKS));
	for (uint32_t c = 0; c < CHUNKS; c++)
		claim_or_give(&levels, &plain, draw(RANKS), c);
	for (uint32_t i = 0; i < 60000; i++) {
		const uint32_t rank = draw(RANKS);
		claim_or_give(&levels, &plain, rank, draw(CHUNKS));
		if (i % 300 == 0)
			compare_rarest(&levels, &plain, rank, draw(RANKS));
	}
	for (uint32_t pair = 0; pair < RANKS * RANKS; pair++) {
		const uint32_t before = draw(RANKS + 1), c = draw(CHUNKS), level = plain.level[c];
		levels.least[pair] = before;
		ordo_match_offer(&levels, pair, c);
		assert_int_equal(levels.least[pair], level < before ? level : before);
	}
	ordo_match_levels_free(&levels);
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

/* Every rank has one link out of its server, over which eight chunks go. Were those planned first
 * that stay in the server, the others would come one round later. */
static void the_longest_ways_are_planned_first(void **state)
{
	(void)state;
	struct job job;
	struct ordo_topology *topology = make("dgx-h100:2", 16);
	fill(&job, topology, 1, true);
	job.wish.nchunk = 1;
	job.to[0] = 8;
	match(&job);
	const uint64_t round = job.span;
	free(job.moves);
	fill(&job, topology, 1, true);
	match(&job);
	assert_int_equal(job.span, 8 * round);
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

static uint32_t count_besides(struct ordo_topology *topology)
{
	struct job job;
	uint32_t count = 0;
	fill(&job, topology, 1, false);
	job.wish.backwards = true;
	match(&job);
	for (size_t i = 0; i < job.nmove; i++)
		count += job.moves[i].beside;
	free(job.moves);
	ordo_topology_destroy(topology);
	return count;
}

/* Into the middle of a line two come at once, and so do all but one on a mesh; through one link
 * they come one after another. */
static void what_comes_beside_others_is_marked(void **state)
{
	(void)state;
	struct ordo_topology *line = ordo_topology_create("line", 3, 0, 0, NULL);
	for (uint32_t z = 1; z < 3; z++) {
		assert_true(ordo_topology_add(line, 0, z, NULL, 500, 1, NULL));
		assert_true(ordo_topology_add(line, z, 0, NULL, 500, 1, NULL));
	}
	assert_true(ordo_topology_finish(line, NULL));
	assert_int_equal(count_besides(line), 1);
	assert_int_equal(count_besides(make("full-mesh", 5)), 5 * 3);
	assert_int_equal(count_besides(make("star", 3)), 0);
	assert_int_equal(count_besides(make("star", 6)), 0);
}

/* A rank has one link to the switch, whatever ranks send over it: so it cannot have all sooner than
 * a slow link beside the switch brings something. */
static void the_deadline_counts_what_comes_over_one_link_once(void **state)
{
	(void)state;
	for (int backwards = 0; backwards < 2; backwards++) {
		struct job job;
		uint32_t nslow = 0;
		struct ordo_topology *topology = ordo_topology_create("beside", 4, 1, 0, NULL);
		for (uint32_t a = 0; a < 4; a++) {
			assert_true(ordo_topology_add(topology, a, 4, NULL, 0, 1, NULL));
			assert_true(ordo_topology_add(topology, 4, a, NULL, 0, 1, NULL));
		}
		assert_true(ordo_topology_add(topology, 0, 1, NULL, 0, 0.1, NULL));
		assert_true(ordo_topology_add(topology, 1, 0, NULL, 0, 0.1, NULL));
		assert_true(ordo_topology_finish(topology, NULL));
		fill(&job, topology, 4, false);
		job.wish.backwards = backwards;
		match(&job);
		for (size_t i = 0; i < job.nmove; i++)
			nslow += job.moves[i].from + job.moves[i].to == 1;
		assert_int_equal(nslow, 2);
		free(job.moves);
		ordo_topology_destroy(topology);
	}
}

/* What comes over a link may come from a rank whose own link is slow. A deadline that counts the
 * first rank of the link, not the fastest, is too late: the slow link between two ranks takes what
 * they have sooner over the switch. */
static void the_deadline_counts_the_fastest_that_sends_over_a_link(void **state)
{
	(void)state;
	struct job job;
	struct ordo_topology *topology = ordo_topology_create("behind", 4, 1, 0, NULL);
	for (uint32_t a = 0; a < 4; a++) {
		assert_true(ordo_topology_add(topology, a, 4, NULL, 0, a ? 1 : 0.25, NULL));
		assert_true(ordo_topology_add(topology, 4, a, NULL, 0, 1, NULL));
	}
	assert_true(ordo_topology_add(topology, 2, 3, NULL, 0, 0.2, NULL));
	assert_true(ordo_topology_add(topology, 3, 2, NULL, 0, 0.2, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	fill(&job, topology, 1, false);
	match(&job);
	for (size_t i = 0; i < job.nmove; i++)
		assert_int_not_equal(job.moves[i].from + job.moves[i].to, 2 + 3);
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
		error.text, "matching: no path leads from rank 0 to rank 2 in topology \"parts\"");
	ordo_topology_destroy(topology);
}

/* Both directions are asked for, and the error names the way as a message goes. */
static void a_network_that_leads_one_way_is_refused(void **state)
{
	(void)state;
	for (int backwards = 0; backwards < 2; backwards++)
		for (uint32_t cut = 0; cut < 2; cut++) {
			struct job job;
			struct ordo_error error = {0};
			struct ordo_topology *topology = ordo_topology_create("way", 3, 0, 0, NULL);
			join(topology, 0, 1);
			assert_true(ordo_topology_add(
				topology, cut ? 1 : 2, cut ? 2 : 1, NULL, 1, 1, NULL));
			assert_true(ordo_topology_finish(topology, NULL));
			fill(&job, topology, 1, false);
			job.wish.backwards = backwards;
			assert_false(ordo_match(&job.moves, &job.nmove, NULL, &job.wish, &error));
			assert_int_equal(error.code, ORDO_USAGE);
			/* Of the first chunk that cannot go everywhere, or come from there. */
			assert_string_equal(error.text,
				backwards
					? cut ? "matching: no path leads from rank 2 to rank 0 in "
						"topology \"way\""
					      : "matching: no path leads from rank 0 to rank 2 in "
						"topology \"way\""
				: cut ? "matching: no path leads from rank 2 to rank 0 in topology "
					"\"way\""
				      : "matching: no path leads from rank 0 to rank 2 in topology "
					"\"way\"");
			ordo_topology_destroy(topology);
		}
}

/* The fewest hops, then the most bandwidth; never over a rank or a link that is down. */
static void messages_take_the_widest_of_the_shortest_ways(void **state)
{
	(void)state;
	static const struct {
		uint32_t from, to;
		double latency_ns, bandwidth_gbs;
	} links[] = {/* From 0 to 1 over switch 3, over 4, and over 5 and 6. */
		{0, 3, 10, 5}, {3, 1, 20, 1}, {0, 4, 30, 2}, {4, 1, 40, 3}, {0, 5, 1, 9},
		{5, 6, 1, 9}, {6, 1, 1, 9},
		/* To 2 over 5 and 6 alone, or over 1. */
		{6, 2, 7, 8}, {1, 2, 1, 9}};
	struct ordo_way ways[7];
	struct ordo_topology *topology = ordo_topology_create("ways", 3, 4, 0, NULL);
	for (size_t i = 0; i < sizeof links / sizeof *links; i++)
		assert_true(ordo_topology_add(topology, links[i].from, links[i].to, NULL,
			links[i].latency_ns, links[i].bandwidth_gbs, NULL));
	assert_true(ordo_topology_add(topology, 0, 1, NULL, 1, 9, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	for (uint32_t l = 0; l < topology->nlink; l++)
		topology->links[l].down = !topology->links[l].from && topology->links[l].to == 1;
	ordo_ways_from(topology, 0, ways);
	assert_int_equal(ways[1].hops, 2);
	assert_int_equal(topology->links[ways[1].link].from, 4);
	assert_true(ways[1].latency_ns == 70 && ways[1].bandwidth_gbs == 2);
	assert_int_equal(ways[2].hops, 3);
	assert_true(ways[2].latency_ns == 9 && ways[2].bandwidth_gbs == 8);
	assert_int_equal(ordo_way_time(&ways[1], 100), 70000 + 50000);
	ordo_ways_from(topology, 2, ways);
	assert_int_equal(ways[0].hops, ORDO_NONE);
	ordo_topology_destroy(topology);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_gets_where_it_is_wanted_on_random_networks),
		cmocka_unit_test(on_rings_tori_and_grids_nothing_is_lost),
		cmocka_unit_test(through_one_switch_at_most_one_round_is_lost),
		cmocka_unit_test(ports_limit_what_moves_at_once),
		cmocka_unit_test(the_rarest_chunk_is_that_of_all_chunks),
		cmocka_unit_test(what_one_rank_wants_takes_the_shortest_way),
		cmocka_unit_test(the_longest_ways_are_planned_first),
		cmocka_unit_test(no_move_ends_after_the_deadline),
		cmocka_unit_test(what_comes_beside_others_is_marked),
		cmocka_unit_test(the_deadline_counts_what_comes_over_one_link_once),
		cmocka_unit_test(the_deadline_counts_the_fastest_that_sends_over_a_link),
		cmocka_unit_test(a_network_in_parts_is_refused),
		cmocka_unit_test(a_network_that_leads_one_way_is_refused),
		cmocka_unit_test(messages_take_the_widest_of_the_shortest_ways),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
