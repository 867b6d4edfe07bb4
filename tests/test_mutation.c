/* test_mutation.c - single faults put into sound schedules: the verifier must refuse every one that is not
 * equivalent.
 *
 * Each mutant goes to the verifier and to the oracles. One that the verifier proves is a survivor: the
 * oracles must find nothing in it either, and running it by seeds must give the right bits; then it is
 * equivalent. One that it refuses must be refused by the oracles too. Prints the kill table.
 *
 * Arguments: mutants of each kind from each source (30; 0 = at every task, three ways each), largest number
 * of ranks (6), first seed (1).
 */
#include "handmade.h"
#include "judging.h"
#include "mutate.h"
#include "random_schedule.h"
#include "running.h"
#include "specimens.h"

#include <stdlib.h>

struct row {
	uint32_t made, refused, walked, survived, unexplained, false_alarms;
};

static struct row table[NFAULT];
static uint64_t random_state;
static uint32_t complaints;

static void complain(
	const struct ordo_schedule *mutant, const char *origin, enum fault fault, const char *what)
{
	if (complaints++ >= 3)
		return;
	printf("%s, %s: %s\n", origin, fault_meaning(fault), what);
	print_handmade(mutant, stdout);
}

static void judge_mutant(const struct ordo_schedule *mutant, const char *origin, enum fault fault)
{
	struct row *row = &table[fault];
	struct judgement judgement;
	char why[512];
	/* Survivors small enough are walked through; whether one will survive, the first opinion tells. */
	judge_schedule(mutant, &(struct judging){0}, &judgement);
	if (judgement.proved && mutant->ntask <= 40)
		judge_schedule(mutant, &(struct judging){.max_states = 20000}, &judgement);
	row->made++;
	row->refused += !judgement.proved;
	row->survived += judgement.proved;
	row->walked += judgement.proved && judgement.walked;
	if (*judgement.quarrel) {
		row->unexplained += judgement.proved;
		row->false_alarms += !judgement.proved;
		complain(mutant, origin, fault, judgement.quarrel);
	} else if (judgement.proved && !runs_right(mutant, 3, false, why)) {
		row->unexplained++;
		complain(mutant, origin, fault, why);
	}
}

static void mutate_everywhere(const struct ordo_schedule *schedule, const char *origin, enum fault fault)
{
	for (uint32_t task = 0; task < schedule->ntask; task++)
		for (uint64_t choice = 0; choice < 3; choice++) {
			struct ordo_schedule *mutant =
				with_fault(schedule, fault, task, next_random(&random_state));
			if (mutant)
				judge_mutant(mutant, origin, fault);
			ordo_schedule_destroy(mutant);
		}
}

static void mutate_somewhere(
	const struct ordo_schedule *schedule, const char *origin, enum fault fault, uint32_t want)
{
	for (uint32_t attempt = 0; attempt < 10 * want && want > 0 && schedule->ntask > 0; attempt++) {
		const uint32_t task = attempt ? below(&random_state, schedule->ntask) : 0;
		struct ordo_schedule *mutant = with_fault(schedule, fault, task, next_random(&random_state));
		if (!mutant)
			continue;
		judge_mutant(mutant, origin, fault);
		ordo_schedule_destroy(mutant);
		want--;
	}
}

struct amount {
	uint32_t of_each_kind; /* 0: all */
};

static void mutate(const struct ordo_schedule *schedule, const char *origin, const struct amount *amount)
{
	for (int fault = 0; fault < NFAULT; fault++)
		if (amount->of_each_kind)
			mutate_somewhere(schedule, origin, (enum fault)fault, amount->of_each_kind);
		else
			mutate_everywhere(schedule, origin, (enum fault)fault);
}

static void mutate_specimen(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	const struct amount *amount = closure;
	mutate(schedule, specimen->title, amount);
}

static void mutate_handmade(struct ordo_schedule *schedule, const char *origin, const struct amount *amount)
{
	mutate(schedule, origin, amount);
	ordo_schedule_destroy(schedule);
}

static void mutate_random(uint32_t count, const struct amount *amount)
{
	const struct random_shape shape = {.max_ranks = 4, .max_chunks = 3, .max_streams = 3, .shards = true};
	for (uint32_t i = 0; i < count; i++) {
		struct random_program program;
		const uint64_t seed = next_random(&random_state);
		random_program(&program, &shape, seed);
		struct ordo_schedule *schedule = random_schedule(&program, &shape, seed);
		mutate(schedule, "random program", amount);
		ordo_schedule_destroy(schedule);
	}
}

/* The kill table. Every kind must have been made, and nothing may stay unexplained. */
static bool print_table(void)
{
	struct row sum = {0};
	bool good = true;
	printf("%-55s %8s %8s %10s %8s %11s %12s\n", "fault", "made", "refused", "equivalent", "(walked)",
		"UNEXPLAINED", "FALSE ALARMS");
	for (int i = 0; i < NFAULT; i++) {
		const struct row *row = &table[i];
		printf("%-55s %8u %8u %10u %8u %11u %12u\n", fault_meaning((enum fault)i), row->made,
			row->refused, row->survived - row->unexplained, row->walked, row->unexplained,
			row->false_alarms);
		good = good && row->made && !row->unexplained && !row->false_alarms;
		sum.made += row->made;
		sum.refused += row->refused;
		sum.survived += row->survived;
	}
	printf("%-55s %8u %8u %10u\n", "all", sum.made, sum.refused, sum.survived);
	return good;
}

int main(int argc, char **argv)
{
	struct amount amount = {argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1};
	const uint32_t last_rank = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 5;
	random_state = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	for (uint32_t n = 1; n <= 4; n++) {
		mutate_handmade(handmade_ring(n, n % 2), "ring made by hand", &amount);
		mutate_handmade(handmade_chain(n, n / 2, 3), "chain made by hand", &amount);
	}
	mutate_random(50, &amount);
	const uint32_t every = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 3;
	const struct specimen_range range = {
		.every = every, .first_rank = 1, .last_rank = last_rank, .all_parameters = true};
	const struct specimen_count count = visit_specimens(&range, mutate_specimen, &amount);
	printf("%u compiled schedules, %u requests that do not apply, %u failed\n", count.visited,
		count.inapplicable, count.failed);
	return print_table() && !count.failed ? EXIT_SUCCESS : EXIT_FAILURE;
}
