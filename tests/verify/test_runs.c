/* test_runs.c - random sound schedules run by seeds and on threads: exact integers, and floats with
 * the same bits in every run.
 *
 * Arguments: how many schedules (200), first seed (1).
 */
#include "judging.h"
#include "random_schedule.h"
#include "running.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 200;
	const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const struct random_shape shape = {
		.max_ranks = 5, .max_chunks = 3, .max_streams = 3, .shards = true};
	uint32_t wrong = 0;
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct random_program program;
		char why[512];
		random_program(&program, &shape, seed);
		struct ordo_schedule *schedule = random_schedule(&program, &shape, seed);
		if (!runs_right(schedule, 20, seed % 10 == 0, why) && wrong++ < 3) {
			printf("seed %llu: %s\n", (unsigned long long)seed, why);
			print_handmade(schedule, stdout);
		}
		ordo_schedule_destroy(schedule);
	}
	printf("%llu schedules, %u wrong\n", (unsigned long long)count, wrong);
	return wrong ? EXIT_FAILURE : EXIT_SUCCESS;
}
