/* test_false_alarms.c - no schedule that the compiler emits is refused.
 *
 * Every algorithm for every operator it has, with every value of every parameter, natural chunks
 * and 2, in place and out of place, roots 0 and the last. The compiler proves what it emits by
 * itself, so a refusal is either a failed compilation or a finding here.
 *
 * Arguments: first and last number of ranks (1 12), every how manieth request (1).
 */
#include "specimens.h"

#include <ordo/verify.h>
#include <stdio.h>
#include <stdlib.h>

struct tally {
	uint64_t tasks, largest;
	uint32_t alarms;
};

static void judge(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct tally *tally = closure;
	struct ordo_error error = {0};
	struct ordo_proof *proof = ordo_verify(schedule, NULL, &error);
	tally->tasks += schedule->ntask;
	tally->largest = schedule->ntask > tally->largest ? schedule->ntask : tally->largest;
	if ((!proof || !proof->proved) && tally->alarms++ < 5)
		printf("%s: %s\n", specimen->title, proof ? proof->findings[0].text : error.text);
	ordo_proof_destroy(proof);
}

int main(int argc, char **argv)
{
	const struct specimen_range range = {
		.first_rank = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1,
		.last_rank = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 12,
		.every = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 1,
		.all_parameters = true};
	struct tally tally = {0};
	const struct specimen_count count = visit_specimens(&range, judge, &tally);
	printf("%u schedules of %u to %u ranks, %llu tasks, the largest %llu: %u false alarms, %u "
	       "failed, %u requests that do not apply\n",
		count.visited, range.first_rank, range.last_rank, (unsigned long long)tally.tasks,
		(unsigned long long)tally.largest, tally.alarms, count.failed, count.inapplicable);
	return count.visited && !tally.alarms && !count.failed ? EXIT_SUCCESS : EXIT_FAILURE;
}
