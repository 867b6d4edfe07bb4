/* test_predict_groups.c - flows that are alike, and such that nearly are, round a ring of switches:
 * all go at one rate until one begins or ends that changes that. The times are those of the plain
 * reference.
 *
 * usage: test_predict_groups [FIRST LAST]: seeds (1..2000)
 */
#include "handmade.h"
#include "predict_reference.h"
#include <math.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
/* cmocka needs the four above. */
#include <cmocka.h>

enum { MOST_RANKS = 20, CHUNKS = 4, ROOM = 1 << 15 };

static uint64_t first_seed = 1, last_seed = 2000;

static uint32_t below(uint64_t *random, uint32_t end)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*random >> 33) % end;
}

/* A switch for each rank, joined one way round; a few links are narrower, and ranks have a wide
 * link each way. On every third such ring all takes so long that much begins and ends at one
 * time. */
static struct ordo_topology *make_ring(uint32_t nrank, uint64_t *random)
{
	struct ordo_error error = {0};
	struct ordo_topology *topology =
		ordo_topology_create("ring of switches", nrank, nrank, 0, &error);
	const bool even = !below(random, 3);
	const uint32_t narrow = below(random, 3);
	const double latency = even ? 0 : 100, wide = even ? 32 : 40;
	assert_non_null(topology);
	for (uint32_t i = 0; i < nrank; i++) {
		const bool is_narrow = below(random, 8) < narrow, is_slow = !below(random, 6);
		const double round = even ? (is_narrow ? 4 : 8) : (is_narrow ? 7 : 10),
			     slow = even ? 4 : 5, own = is_slow ? slow : wide;
		assert_true(ordo_topology_add(topology, nrank + i, nrank + (i + 1) % nrank, NULL,
			latency, round, &error));
		assert_true(ordo_topology_add(topology, i, nrank + i, NULL, latency, own, &error));
		assert_true(ordo_topology_add(topology, nrank + i, i, NULL, latency, wide, &error));
	}
	topology->copy_gbs = even ? 2 : 3;
	assert_true(ordo_topology_finish(topology, &error));
	return topology;
}

/* Streams that copy for a while and send, most of them equally far and equally much. */
static void write_lines(char *lines, uint32_t nrank, uint64_t *random)
{
	const uint32_t nchunk = nrank * CHUNKS,
		       far = 1 + below(random, below(random, 2) ? 4 : nrank - 1) % (nrank - 1),
		       much = 1 + below(random, nchunk), strange = below(random, 6),
		       quiet = below(random, 6);
	char *end = lines;
	for (uint32_t rank = 0; rank < nrank; rank++)
		for (uint32_t stream = 0;
			stream <= below(random, 2) && (!rank || below(random, 8) >= quiet);
			stream++) {
			end += sprintf(end, "rank %u\n", rank);
			for (uint32_t i = 0; i <= below(random, 5); i++) {
				const uint32_t step = below(random, 16) < strange
							      ? 1 + below(random, nrank - 1)
							      : far,
					       count = below(random, 8) < strange
							       ? 1 + below(random, nchunk)
							       : much;
				if (!below(random, 3))
					end += sprintf(end,
						"LocalCopy chunks 0..%u input 0 -> output 0\n",
						below(random, nchunk));
				end += sprintf(end, "Send %u chunks 0..%u input 0 -> output 0\n",
					(rank + step) % nrank, count - 1);
			}
		}
	assert_true(end - lines < ROOM);
}

static void check_seed(uint64_t seed)
{
	uint64_t random = seed * 0x9e3779b97f4a7c15u;
	const uint32_t nrank = 3 + below(&random, MOST_RANKS - 2);
	const struct ordo_problem problem = {
		.op = ORDO_ALLGATHER, .nrank = nrank, .nshard = nrank, .chunks_per_block = CHUNKS};
	struct ordo_error error = {0};
	char *lines = malloc(ROOM);
	assert_non_null(lines);
	write_lines(lines, nrank, &random);
	struct ordo_schedule *schedule = handmade(&problem, 0, lines);
	struct ordo_topology *topology = make_ring(nrank, &random);
	const struct ordo_predict_options options = {
		.topology = topology, .bytes = 1024 * nrank * CHUNKS};
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
	double *ends = calloc((size_t)schedule->ntask + 1, sizeof *ends),
	       *moved = calloc((size_t)topology->nlink + 1, sizeof *moved);
	if (!prediction)
		fail_msg("seed %lu: %s", (unsigned long)seed, error.text);
	assert_true(ends && moved);
	predict_reference(schedule, topology, (double)options.bytes, ends, moved);
	for (uint32_t i = 0; i < schedule->ntask; i++)
		if (!(fabs(prediction->timeline->tasks[i].end - ends[i]) <= 1e-8 * ends[i]))
			fail_msg("seed %lu: task %u ends at %.12g, wanted %.12g",
				(unsigned long)seed, i, prediction->timeline->tasks[i].end,
				ends[i]);
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (!(fabs(prediction->links[i].bytes - moved[i]) <= 1e-8 * moved[i]))
			fail_msg("seed %lu: link %u moves %.12g, wanted %.12g", (unsigned long)seed,
				i, prediction->links[i].bytes, moved[i]);
	free(ends);
	free(moved);
	free(lines);
	ordo_prediction_destroy(prediction);
	ordo_topology_destroy(topology);
	ordo_schedule_destroy(schedule);
}

static void times_are_those_of_the_reference(void **state)
{
	(void)state;
	for (uint64_t seed = first_seed; seed <= last_seed; seed++)
		check_seed(seed);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(times_are_those_of_the_reference)};
	if (argc > 2) {
		first_seed = strtoull(argv[1], NULL, 10);
		last_seed = strtoull(argv[2], NULL, 10);
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
