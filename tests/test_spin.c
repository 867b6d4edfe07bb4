/* test_spin.c - Spin explores all interleavings of small schedules and their mutants; the verifier must say
 * the same of each.
 *
 * Arguments: how many documents to give to Spin (20), first seed (1).
 */
#include "handmade.h"
#include "judging.h"
#include "mutate.h"
#include "promela.h"
#include "random_schedule.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/ordo-spin-XXXXXX";
static uint32_t given, undecided, quarrels, tally[3];

static void quarrel(
	const struct ordo_schedule *schedule, const char *origin, enum spin_verdict spin, uint32_t group)
{
	quarrels++;
	printf("%s: Spin's verdict is %d, the rules broken %#x\n", origin, spin, group);
	print_handmade(schedule, stdout);
}

/* What Spin must say of a schedule: a token left over, like a race, is an assertion. */
static void judge_by_spin(const struct ordo_schedule *schedule, const char *origin)
{
	struct judgement judgement;
	judge_schedule(schedule, &(struct judging){.max_states = 20000}, &judgement);
	const bool stuck = judgement.group == ORACLE_DEADLOCK;
	if (*judgement.quarrel)
		quarrel(schedule, judgement.quarrel, SPIN_ABSENT, judgement.group);
	enum spin_verdict waiting = spin_judge(schedule, PROMELA_WAITING, folder), memory = SPIN_DEADLOCK;
	given++;
	if (waiting == SPIN_ABSENT) {
		printf("spin or the C compiler does not run here\n");
		exit(77);
	}
	if (waiting == SPIN_UNDECIDED) {
		undecided++;
		return;
	}
	if ((waiting == SPIN_DEADLOCK) != stuck)
		quarrel(schedule, origin, waiting, judgement.group);
	if (!stuck && waiting == SPIN_CLEAN) {
		memory = spin_judge(schedule, PROMELA_MEMORY, folder);
		undecided += memory == SPIN_UNDECIDED;
		if (memory != SPIN_UNDECIDED &&
			memory != (judgement.group == ORACLE_RACE ? SPIN_ASSERTION : SPIN_CLEAN))
			quarrel(schedule, origin, memory, judgement.group);
	}
	if (memory <= SPIN_ASSERTION)
		tally[memory]++;
	printf("%-60s %s\n", origin,
		memory == SPIN_CLEAN	   ? "sound"
		: memory == SPIN_DEADLOCK  ? "deadlock"
		: memory == SPIN_ASSERTION ? "race"
					   : "?");
}

/* Mutants that keep R1..R6, so that Spin can tell them apart; of the verdicts the one seen least is looked
 * for first. */
static void judge_mutants(const struct ordo_schedule *sound, uint64_t seed, uint32_t want)
{
	const uint32_t groups[] = {
		[SPIN_CLEAN] = 0, [SPIN_DEADLOCK] = ORACLE_DEADLOCK, [SPIN_ASSERTION] = ORACLE_RACE};
	uint64_t random = seed;
	for (uint32_t attempt = 0; want > 0 && attempt < 400; attempt++) {
		const enum fault fault = (enum fault)below(&random, FAULT_SEND_PEER);
		struct ordo_schedule *mutant =
			with_fault(sound, fault, below(&random, sound->ntask), next_random(&random));
		if (!mutant)
			continue;
		uint32_t rare = tally[0] < tally[1] ? 0 : 1;
		rare = tally[2] < tally[rare] ? 2 : rare;
		struct judgement judgement;
		judge_schedule(mutant, &(struct judging){0}, &judgement);
		if (judgement.group != ORACLE_STATIC && (judgement.group == groups[rare] || attempt > 200)) {
			judge_by_spin(mutant, fault_meaning(fault));
			want--;
		}
		ordo_schedule_destroy(mutant);
	}
}

static void judge_with_mutants(
	struct ordo_schedule *schedule, const char *origin, uint64_t seed, uint32_t mutants)
{
	judge_by_spin(schedule, origin);
	judge_mutants(schedule, seed, mutants);
	ordo_schedule_destroy(schedule);
}

int main(int argc, char **argv)
{
	const uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 20;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	judge_with_mutants(handmade_ring(3, false), "ring of 3", seed, 2);
	judge_with_mutants(handmade_chain(3, 1, 3), "chain of 3", seed, 2);
	const struct random_shape shape = {.max_ranks = 3, .max_chunks = 2, .max_streams = 2};
	/* At least so many, and on until every verdict was given once. */
	while (given < count || (given < 10 * count && !(tally[SPIN_CLEAN] && tally[SPIN_DEADLOCK] &&
							       tally[SPIN_ASSERTION]))) {
		struct random_program program;
		random_program(&program, &shape, ++seed);
		struct ordo_schedule *schedule = random_schedule(&program, &shape, seed);
		if (program.problem.nrank > 1 && schedule->ntask < 40)
			judge_with_mutants(schedule, ordo_operator_facts(program.problem.op)->name, seed, 3);
		else
			ordo_schedule_destroy(schedule);
	}
	char text[64];
	snprintf(text, sizeof text, "rm -r '%s'", folder);
	quarrels += system(text) != 0;
	printf("%u documents: sound %u, deadlock %u, race %u, too large for Spin %u; disagreements %u\n",
		given, tally[SPIN_CLEAN], tally[SPIN_DEADLOCK], tally[SPIN_ASSERTION], undecided, quarrels);
	for (int verdict = 0; verdict < 3; verdict++)
		quarrels += !tally[verdict];
	return quarrels ? EXIT_FAILURE : EXIT_SUCCESS;
}
