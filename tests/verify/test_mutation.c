/* test_mutation.c - single faults put into sound schedules: the verifier must refuse every one that
 * is not equivalent.
 *
 * Each mutant goes to the verifier and to the oracles. One that the verifier proves is a survivor:
 * the oracles must find nothing in it either, and running it by seeds must give the right bits;
 * then it is equivalent. One that it refuses must be refused by the oracles too; and where the
 * fault is one of a run, the interleaving that the verifier's finding stands for is carried out.
 * Prints the kill table.
 *
 * Arguments: mutants of each kind from each source (1; 0 = at every task, three ways each), largest
 * number of ranks (5), first seed (1), every how manieth compiled schedule (3), where the table is
 * written (nowhere; tests/verify/KILLS.md).
 */
#include "handmade.h"
#include "judging.h"
#include "mutate.h"
#include "random_schedule.h"
#include "running.h"
#include "specimens.h"
#include "witnessing.h"

#include <stdlib.h>

struct row {
	uint32_t made, refused, walked, survived, unexplained, false_alarms;
	uint32_t witnessed[NO_WITNESS + 1]; /* of those refused */
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
	if (mutant->ntask <= 200)
		print_handmade(mutant, stdout);
}

/* Is it proved? */
static bool judge_mutant(const struct ordo_schedule *mutant, const char *origin, enum fault fault)
{
	struct row *row = &table[fault];
	struct judgement judgement;
	char why[512];
	/* Survivors small enough are walked through; whether one will survive, the first opinion
	 * tells. */
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
	return judgement.proved;
}

/* Of a mutant that the verifier refuses. */
static void witness_mutant(const struct ordo_schedule *mutant, const char *origin, enum fault fault)
{
	char why[512];
	const enum witnessed witnessed = witness(mutant, why);
	table[fault].witnessed[witnessed]++;
	if (witnessed == NO_WITNESS)
		complain(mutant, origin, fault, why);
}

static void mutate_everywhere(
	const struct ordo_schedule *schedule, const char *origin, enum fault fault)
{
	for (uint32_t task = 0; task < schedule->ntask; task++)
		for (uint64_t choice = 0; choice < 3; choice++) {
			struct ordo_schedule *mutant =
				with_fault(schedule, fault, task, next_random(&random_state));
			if (mutant && !judge_mutant(mutant, origin, fault))
				witness_mutant(mutant, origin, fault);
			ordo_schedule_destroy(mutant);
		}
}

static void mutate_somewhere(
	const struct ordo_schedule *schedule, const char *origin, enum fault fault, uint32_t want)
{
	for (uint32_t attempt = 0; attempt < 10 * want && want > 0 && schedule->ntask > 0;
		attempt++) {
		const uint32_t task = attempt ? below(&random_state, schedule->ntask) : 0;
		struct ordo_schedule *mutant =
			with_fault(schedule, fault, task, next_random(&random_state));
		if (!mutant)
			continue;
		if (!judge_mutant(mutant, origin, fault))
			witness_mutant(mutant, origin, fault);
		ordo_schedule_destroy(mutant);
		want--;
	}
}

struct amount {
	uint32_t of_each_kind; /* 0: all */
	uint32_t too_large;    /* schedules, which were left out */
};

enum { MORE_TASKS = 8 }; /* in a mutant, at most */

static void mutate(
	const struct ordo_schedule *schedule, const char *origin, const struct amount *amount)
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
	struct amount *amount = closure;
	if (schedule->ntask + MORE_TASKS > MOST_JUDGED_TASKS)
		amount->too_large++;
	else
		mutate(schedule, specimen->title, amount);
}

static void mutate_handmade(
	struct ordo_schedule *schedule, const char *origin, const struct amount *amount)
{
	mutate(schedule, origin, amount);
	ordo_schedule_destroy(schedule);
}

static void mutate_random(uint32_t count, const struct amount *amount)
{
	const struct random_shape shape = {
		.max_ranks = 4, .max_chunks = 3, .max_streams = 3, .shards = true};
	for (uint32_t i = 0; i < count; i++) {
		struct random_program program;
		const uint64_t seed = next_random(&random_state);
		random_program(&program, &shape, seed);
		struct ordo_schedule *schedule = random_schedule(&program, &shape, seed);
		mutate(schedule, "random program", amount);
		ordo_schedule_destroy(schedule);
	}
}

static void add_row(struct row *sum, const struct row *row)
{
	sum->made += row->made;
	sum->refused += row->refused;
	sum->walked += row->walked;
	sum->survived += row->survived;
	sum->unexplained += row->unexplained;
	sum->false_alarms += row->false_alarms;
	for (int i = 0; i <= NO_WITNESS; i++)
		sum->witnessed[i] += row->witnessed[i];
}

/* Of the faults that can be seen in a run, those that were. */
static void print_share(FILE *out, const struct row *row)
{
	const uint32_t run = row->refused - row->witnessed[NOTHING_RUNS];
	if (run)
		fprintf(out, "%.1f %%", 100.0 * row->witnessed[SHOWN] / run);
	else
		fprintf(out, "-");
}

static void print_row(FILE *out, const char *name, const struct row *row)
{
	fprintf(out, "| %s | %u | %u | %u | %u | ", name, row->made, row->refused,
		row->witnessed[NOTHING_RUNS], row->witnessed[SHOWN]);
	print_share(out, row);
	fprintf(out, " | %u | %u | %u | %u | %u |\n", row->survived - row->unexplained, row->walked,
		row->unexplained, row->false_alarms, row->witnessed[NO_WITNESS]);
}

/* The kill table. Every kind must have been made, and nothing may stay unexplained. */
static bool print_table(FILE *out)
{
	struct row sum = {0};
	bool good = true;
	fprintf(out, "| fault | mutants | refuted | by R1-R5 | shown by a run | of those executed "
		     "| equivalent | all interleavings tried | unexplained | false alarms | no "
		     "witness |\n"
		     "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
	for (int i = 0; i < NFAULT; i++) {
		const struct row *row = &table[i];
		print_row(out, fault_meaning((enum fault)i), row);
		add_row(&sum, row);
		good = good && row->made && !row->unexplained && !row->false_alarms &&
		       !row->witnessed[NO_WITNESS];
	}
	print_row(out, "**all**", &sum);
	return good && sum.witnessed[SHOWN];
}

static void write_head(FILE *out, char **argv, uint32_t nschedule)
{
	fprintf(out,
		"# Mutants refuted by the verifier\n\nMade by `build/tests/verify/test_mutation");
	for (int i = 1; argv[i]; i++)
		fprintf(out, " %s", argv[i]);
	fprintf(out,
		"`; do not edit. Single faults put into %u compiled schedules of 1 to %s ranks "
		"and\n"
		"up to %u tasks, every algorithm for every operator, and into random and handmade "
		"ones. Every mutant goes to the verifier, and to an oracle that\nshares no code "
		"with it.\n\n",
		nschedule, argv[2], MOST_JUDGED_TASKS - MORE_TASKS);
	fprintf(out, "%s",
		"A mutant that is *refuted* must be refuted by the oracle too (otherwise it is a "
		"*false alarm*). Unless it\nbreaks one of R1 to R5, the interleaving of the "
		"verifier's finding is executed on the runtime, as `ordo run\n--replay` does. "
		"*Shown by a run* are the mutants that blocked, left tokens, or gave wrong or "
		"different\noutputs. The others ran in both orders without a difference in any "
		"output (a slot that is not read again,\na value that is the same either way). *No "
		"witness*: no interleaving could be made.\n\n"
		"A mutant that is proved must be sound for the oracle too (small ones in all their "
		"interleavings), and give\nexact integers and the same float bits for every seed: "
		"then it is *equivalent*, otherwise *unexplained*.\n\n");
}

/* argv: how this was made. */
static bool write_table(char **argv, uint32_t nschedule)
{
	FILE *out = fopen(argv[5], "w");
	if (!out)
		return false;
	write_head(out, argv, nschedule);
	print_table(out);
	return !fclose(out);
}

int main(int argc, char **argv)
{
	struct amount amount = {
		.of_each_kind = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1};
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
	const uint32_t mutated = count.visited - amount.too_large;
	printf("%u compiled schedules, %u too large, %u requests that do not apply, %u failed\n",
		mutated, amount.too_large, count.inapplicable, count.failed);
	const bool written = argc <= 5 || write_table(argv, mutated);
	return print_table(stdout) && written && !count.failed ? EXIT_SUCCESS : EXIT_FAILURE;
}
