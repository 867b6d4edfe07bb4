/* test_spin.c - Spin explores all interleavings of small schedules and their mutants; the verifier
 * must say the same of each.
 *
 * Arguments: how many documents to give to Spin (16), first seed (1), every how manieth request of
 * the algorithm table to take (300).
 */
#include "handmade.h"
#include "judging.h"
#include "mutate.h"
#include "promela.h"
#include "random_schedule.h"
#include "specimens.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/ordo-spin-XXXXXX";
static uint32_t given, too_large, undecided, quarrels, tally[3];

static void quarrel(const struct ordo_schedule *schedule, const char *origin,
	enum spin_verdict spin, uint32_t group)
{
	quarrels++;
	printf("%s: Spin's verdict is %d, the rules broken %#x\n", origin, spin, group);
	print_handmade(schedule, stdout);
}

static enum spin_verdict ask_spin(const struct ordo_schedule *schedule, enum promela_detail detail)
{
	const enum spin_verdict verdict = spin_judge(schedule, detail, folder);
	if (verdict == SPIN_ABSENT) {
		printf("spin or the C compiler does not run here\n");
		exit(77);
	}
	undecided += verdict == SPIN_UNDECIDED;
	return verdict;
}

/* Waiting first; then, where the interleavings are few enough, memory. A race is an assertion to
 * Spin. */
static void judge_by_spin(const struct ordo_schedule *schedule, const char *origin)
{
	static const char *const words[] = {"sound", "deadlock", "race", "too large"};
	struct judgement judgement;
	judge_schedule(schedule, &(struct judging){.max_states = 20000}, &judgement);
	if (*judgement.quarrel)
		quarrel(schedule, judgement.quarrel, SPIN_ABSENT, judgement.group);
	if (schedule->nstream > 8 && !judgement.walked) {
		too_large++;
		return;
	}
	given++;
	enum spin_verdict verdict = ask_spin(schedule, PROMELA_WAITING);
	if (verdict != SPIN_UNDECIDED &&
		(verdict == SPIN_DEADLOCK) != (judgement.group == ORACLE_DEADLOCK))
		quarrel(schedule, origin, verdict, judgement.group);
	if (verdict == SPIN_CLEAN && judgement.walked) {
		verdict = ask_spin(schedule, PROMELA_MEMORY);
		const enum spin_verdict wanted =
			judgement.group == ORACLE_RACE ? SPIN_ASSERTION : SPIN_CLEAN;
		if (verdict != SPIN_UNDECIDED && verdict != wanted)
			quarrel(schedule, origin, verdict, judgement.group);
	}
	if (verdict != SPIN_UNDECIDED)
		tally[verdict]++;
	printf("%-60s %s\n", origin, words[verdict]);
}

/* Mutants that keep R1..R6, so that Spin can tell them apart; of the verdicts the one seen least is
 * looked for first. */
static void judge_mutants(const struct ordo_schedule *sound, uint64_t seed, uint32_t want)
{
	const uint32_t groups[] = {[SPIN_CLEAN] = 0,
		[SPIN_DEADLOCK] = ORACLE_DEADLOCK,
		[SPIN_ASSERTION] = ORACLE_RACE};
	uint64_t random = seed;
	for (uint32_t attempt = 0; want > 0 && attempt < 400; attempt++) {
		const enum fault fault = (enum fault)below(&random, FAULT_SEND_PEER);
		struct ordo_schedule *mutant = with_fault(
			sound, fault, below(&random, sound->ntask), next_random(&random));
		if (!mutant)
			continue;
		uint32_t rare = tally[0] < tally[1] ? 0 : 1;
		rare = tally[2] < tally[rare] ? 2 : rare;
		struct judgement judgement;
		judge_schedule(mutant, &(struct judging){0}, &judgement);
		if (judgement.group != ORACLE_STATIC &&
			(judgement.group == groups[rare] || attempt > 200)) {
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

static void judge_specimen(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	uint64_t *seed = closure;
	if (schedule->ntask < 2)
		return;
	judge_by_spin(schedule, specimen->title);
	judge_mutants(schedule, ++*seed, 1);
}

int main(int argc, char **argv)
{
	const uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 16;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	if (!mkdtemp(folder))
		return EXIT_FAILURE;
	const struct specimen_range range = {.first_rank = 2,
		.last_rank = 4,
		.every = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 300,
		.all_parameters = true};
	uint64_t specimen_seed = 0;
	visit_specimens(&range, judge_specimen, &specimen_seed);
	judge_with_mutants(handmade_ring(3, false), "ring of 3", seed, 2);
	judge_with_mutants(handmade_chain(3, 1, 3), "chain of 3", seed, 2);
	const struct random_shape shape = {.max_ranks = 3, .max_chunks = 2, .max_streams = 2};
	/* At least so many, and on until every verdict was given once. */
	while (given < count ||
		(given < 10 * count &&
			!(tally[SPIN_CLEAN] && tally[SPIN_DEADLOCK] && tally[SPIN_ASSERTION]))) {
		struct random_program program;
		random_program(&program, &shape, ++seed);
		struct ordo_schedule *schedule = random_schedule(&program, &shape, seed);
		if (program.problem.nrank > 1 && schedule->ntask < 40)
			judge_with_mutants(
				schedule, ordo_operator_facts(program.problem.op)->name, seed, 3);
		else
			ordo_schedule_destroy(schedule);
	}
	char text[64];
	snprintf(text, sizeof text, "rm -r '%s'", folder);
	quarrels += system(text) != 0;
	printf("%u documents: sound %u, deadlock %u, race %u, out of time or memory %u; "
	       "disagreements %u; left out as too large %u\n",
		given, tally[SPIN_CLEAN], tally[SPIN_DEADLOCK], tally[SPIN_ASSERTION], undecided,
		quarrels, too_large);
	for (int verdict = 0; verdict < 3; verdict++)
		quarrels += !tally[verdict];
	return quarrels ? EXIT_FAILURE : EXIT_SUCCESS;
}
