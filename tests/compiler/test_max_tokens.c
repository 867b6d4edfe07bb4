/* test_max_tokens.c - schedules compiled for at most one or two tokens a signal, over any number of
 * calls: every algorithm for every operator it has.
 *
 * The pass must change the numbers of signals alone; the verifier must count no more tokens than
 * allowed; and no fewer signals could do: where F tokens can be in flight on a signal, it becomes
 * F / T, rounded up, or a few more where calls follow each other. Those for one token run where
 * signals are one bit each, in rounds back to back, by several seeds, with the result that the
 * schedule had before; of those that hold more some run sets a flag twice.
 *
 * Arguments: first and last number of ranks (1 9), every how manieth request (11).
 */
#include "passes.h"
#include "specimens.h"
#include "trial.h"

#include <ordo/verify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct tally {
	uint64_t before[3], after[3], pairs; /* by limit: signals of schedules that had to change */
	uint32_t split[3], faults;
	uint32_t ran, fell; /* with flags: as compiled for them; of the others, those that fail */
};

enum { SEEDS = 3, ROUNDS = 3, TILE_BYTES = 64 };

static void complain(
	struct tally *tally, const struct specimen *specimen, uint32_t limit, const char *what)
{
	if (tally->faults++ < 5)
		printf("%s, at most %u: %s\n", specimen->title, limit, what);
}

/* Are they the same but for the numbers of signals? */
static bool same_tasks(const struct ordo_schedule *a, const struct ordo_schedule *b)
{
	for (uint32_t t = 0; t < a->ntask; t++) {
		struct ordo_task left = a->tasks[t], right = b->tasks[t];
		if (!ordo_task_moves(&left))
			left.signal = right.signal = 0;
		if (memcmp(&left, &right, sizeof left))
			return false;
	}
	return a->ntask == b->ntask && a->nstream == b->nstream;
}

static bool open_trial(struct trial *t, const struct ordo_schedule *schedule)
{
	const struct ordo_plan_options options = {.type = ORDO_U8,
		.reduction = ORDO_SUM,
		.count = (uint64_t)schedule->problem.chunks_per_block * ROUNDS * TILE_BYTES,
		.tile_bytes = TILE_BYTES};
	return trial_open(t, schedule, &options, NULL);
}

static void fill(const struct trial *t)
{
	for (uint64_t i = 0; i < t->bytes; i++)
		t->memory[i] = (unsigned char)(i * 37 + i / 251);
}

/* Runs it where signals are flags; the result must be that of `plain` where they are not. */
static void run_flags(struct tally *tally, const struct specimen *specimen,
	const struct ordo_schedule *limited, const struct ordo_schedule *schedule)
{
	struct trial t = {0}, plain = {0};
	struct ordo_error error = {0};
	bool worked = open_trial(&t, limited) && open_trial(&plain, schedule);
	if (worked) {
		fill(&plain);
		worked = ordo_plan_run_seeded(plain.plan, 1, &error);
	}
	for (uint64_t seed = 1; worked && seed <= SEEDS; seed++) {
		fill(&t);
		worked = ordo_plan_run_flags(t.plan, seed, &error) &&
			 !memcmp(t.memory, plain.memory, t.bytes);
		tally->ran++;
	}
	if (!worked)
		complain(tally, specimen, 1, error.text[0] ? error.text : "another result");
	trial_close(&t);
	trial_close(&plain);
}

/* Does some seed set a flag twice, of a schedule that holds two tokens? */
static void trip_flags(struct tally *tally, const struct ordo_schedule *schedule)
{
	bool fell = false;
	for (uint64_t seed = 1; !fell && seed <= 8; seed++) {
		struct trial t = {0};
		struct ordo_error error = {0};
		if (open_trial(&t, schedule)) {
			fill(&t);
			fell = !ordo_plan_run_flags(t.plan, seed, &error) && error.rule == 13;
		}
		trial_close(&t);
	}
	tally->fell += fell;
}

static struct ordo_proof *prove(const struct ordo_schedule *schedule, uint32_t limit)
{
	return ordo_verify(
		schedule, &(struct ordo_verify_options){.limits.tokens_in_flight = limit}, NULL);
}

static void check_limit(struct tally *tally, const struct specimen *specimen,
	const struct ordo_schedule *schedule, uint32_t limit)
{
	struct ordo_schedule *limited = ordo_schedule_copy(schedule, NULL);
	struct ordo_proof *before = prove(schedule, limit), *after = NULL;
	if (!limited || !ordo_limit_tokens(limited, limit, NULL))
		complain(tally, specimen, limit, "no memory");
	else
		after = prove(limited, limit);
	if (before && after) {
		if (!after->proved)
			complain(tally, specimen, limit, after->findings[0].text);
		if (!same_tasks(schedule, limited))
			complain(tally, specimen, limit, "more than signals changed");
		if (before->proved && after->nsignal != before->nsignal)
			complain(tally, specimen, limit, "split in vain");
		if (limit == 1)
			run_flags(tally, specimen, limited, schedule);
		if (limit == 1 && !before->proved)
			trip_flags(tally, schedule);
		if (!before->proved) {
			tally->split[limit]++;
			tally->before[limit] += before->nsignal;
			tally->after[limit] += after->nsignal;
			tally->pairs += limit == 1 ? (schedule->ntask - before->nmove) / 2 : 0;
		}
	}
	ordo_proof_destroy(before);
	ordo_proof_destroy(after);
	ordo_schedule_destroy(limited);
}

static void judge(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	for (uint32_t limit = 1; limit <= 2; limit++)
		check_limit(closure, specimen, schedule, limit);
}

int main(int argc, char **argv)
{
	const struct specimen_range range = {
		.first_rank = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1,
		.last_rank = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 9,
		.every = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 11,
		.all_parameters = true};
	struct tally tally = {0};
	const struct specimen_count count = visit_specimens(&range, judge, &tally);
	printf("%u schedules of %u to %u ranks, %u faults\n", count.visited, range.first_rank,
		range.last_rank, tally.faults);
	for (uint32_t limit = 1; limit <= 2; limit++)
		printf("at most %u: %u had more, their signals %llu -> %llu\n", limit,
			tally.split[limit], (unsigned long long)tally.before[limit],
			(unsigned long long)tally.after[limit]);
	printf("flags: %u runs of schedules for one token; of those with more, %u set one twice\n",
		tally.ran, tally.fell);
	printf("they have %llu pairs of Notify and Wait\n", (unsigned long long)tally.pairs);
	return count.visited && tally.fell > tally.split[1] / 2 && tally.split[2] &&
			       !tally.faults && !count.failed
		       ? EXIT_SUCCESS
		       : EXIT_FAILURE;
}
