/* test_staging.c - schedules compiled with staging, every algorithm for every operator it has:
 * other ranks touch scratch only, the order of additions is the same, and so are the results of a
 * run in rounds of what little staging memory holds.
 *
 * With the fewest slots that work, which a request for fewer must name, with three more, and with
 * as many as are wanted.
 *
 * Arguments: first and last number of ranks (1 9), every how manieth request (29).
 */
#include "pipeline/pipeline.h"
#include "specimens.h"
#include "trial.h"

#include <ordo/verify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ELEMENTS = 150, LEAST_SLOT = 64 };

struct tally {
	uint32_t faults, staged, ran, unlike, narrow; /* unlike: without G3 */
	uint64_t moves, more_moves, pairs, more_pairs;
};

static void complain(
	struct tally *tally, const struct specimen *specimen, uint32_t slots, const char *what)
{
	if (tally->faults++ < 5)
		printf("%s, %u slots: %s\n", specimen->title, slots, what);
}

static bool open_trial(struct trial *t, const struct ordo_schedule *schedule,
	uint64_t staging_bytes, bool overlap, struct ordo_error *error)
{
	const struct ordo_plan_options options = {.type = ORDO_F32,
		.reduction = ORDO_SUM,
		.count = (uint64_t)schedule->problem.chunks_per_block * ELEMENTS + 1,
		.staging_bytes = staging_bytes,
		.overlapping_rounds = overlap};
	const bool worked = trial_open(t, schedule, &options, error);
	for (uint64_t i = 0; worked && i + 4 <= t->bytes; i += 4) {
		const uint32_t seed = (uint32_t)i * 2654435761u;
		const float value = (float)(int32_t)(seed >> 3) / (float)(1u << (seed >> 28));
		memcpy(t->memory + i, &value, sizeof value);
	}
	return worked;
}

/* In rounds, which may overlap, by a seed and on threads: the bits of `plain`. */
static void check_run(struct tally *tally, const struct specimen *specimen,
	const struct ordo_schedule *staged, const struct ordo_schedule *plain, uint32_t slots)
{
	struct trial t = {0}, whole = {0};
	struct ordo_error error = {0};
	const uint64_t bytes = (uint64_t)staged->scratch_slots * (LEAST_SLOT * 2 + 3);
	uint64_t rounds = 0;
	bool worked = open_trial(&whole, plain, 0, false, &error) &&
		      ordo_plan_run_seeded(whole.plan, 1, &error);
	for (int way = 0; worked && way < 4; way++) {
		const bool overlap = way & 2;
		worked = open_trial(&t, staged, bytes, overlap, &error) &&
			 ordo_plan_scratch_bytes(t.plan) <= bytes &&
			 (way & 1 ? ordo_plan_run_threads(t.plan, 2, &error)
				  : ordo_plan_run_seeded(t.plan, 7, &error)) &&
			 !memcmp(t.memory, whole.memory, t.bytes);
		if (worked && overlap && staged->scratch_slots && rounds > 1)
			worked = ordo_plan_rounds(t.plan) > rounds;
		if (worked && !overlap)
			rounds = ordo_plan_rounds(t.plan);
		trial_close(&t);
		t = (struct trial){0};
	}
	tally->ran++;
	if (!worked)
		complain(tally, specimen, slots,
			error.text[0] ? error.text : "another result, or more memory");
	/* Less memory than slots of a cache line is refused. */
	if (worked && staged->scratch_slots &&
		(open_trial(&t, staged, (uint64_t)staged->scratch_slots * LEAST_SLOT - 1, false,
			 &error) ||
			error.code != ORDO_USAGE || !strstr(error.text, "wanted at least")))
		complain(tally, specimen, slots, "too little memory is not refused");
	trial_close(&t);
	trial_close(&whole);
}

static bool crosses_in_scratch(const struct ordo_schedule *schedule)
{
	for (uint32_t i = 0; i < schedule->ntask; i++) {
		const struct ordo_task *task = &schedule->tasks[i];
		if ((task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE) &&
			(task->src_buffer != ORDO_SCRATCH || task->dst_buffer != ORDO_SCRATCH))
			return false;
	}
	return true;
}

static void check_staged(struct tally *tally, const struct specimen *specimen,
	const struct ordo_schedule *plain, uint32_t slots)
{
	struct ordo_error error;
	const struct ordo_request request = {.problem = specimen->problem,
		.algorithm = specimen->algorithm,
		.unproved = true,
		.staging_slots = slots};
	struct ordo_schedule *staged = ordo_compile(&request, &error);
	struct ordo_proof *proof = staged ? ordo_verify(staged, NULL, &error) : NULL,
			  *before = ordo_verify(plain, NULL, &error);
	if (!proof || !before) {
		complain(tally, specimen, slots, error.text);
	} else if (!proof->proved) {
		complain(tally, specimen, slots, proof->findings[0].text);
	} else {
		if (strcmp(proof->digest, before->digest) != 0)
			complain(tally, specimen, slots, "another order");
		if (!staged->staging || !crosses_in_scratch(staged))
			complain(tally, specimen, slots, "a rank touches another's buffers");
		if (staged->scratch_slots > slots)
			complain(tally, specimen, slots, "more slots than were given");
		tally->staged++;
		tally->unlike += before->position_invariant == ORDO_DOES_NOT_HOLD;
		tally->moves += before->nmove;
		tally->more_moves += proof->nmove;
		tally->pairs += (plain->ntask - before->nmove) / 2;
		tally->more_pairs += (staged->ntask - proof->nmove) / 2;
		check_run(tally, specimen, staged, plain, slots);
	}
	ordo_proof_destroy(proof);
	ordo_proof_destroy(before);
	ordo_schedule_destroy(staged);
}

/* The fewest slots that work; one fewer is refused, with that number. */
static uint32_t fewest_slots(
	struct tally *tally, const struct specimen *specimen, const struct ordo_schedule *plain)
{
	struct ordo_error error = {0};
	bool sends = false;
	for (uint32_t i = 0; i < plain->ntask; i++)
		sends = sends || ((plain->tasks[i].kind == ORDO_SEND ||
					  plain->tasks[i].kind == ORDO_SEND_REDUCE) &&
					 (plain->tasks[i].src_buffer != ORDO_SCRATCH ||
						 plain->tasks[i].dst_buffer != ORDO_SCRATCH));
	const uint32_t least = plain->scratch_slots + sends;
	if (least < 2)
		return 1;
	const struct ordo_request request = {.problem = specimen->problem,
		.algorithm = specimen->algorithm,
		.staging_slots = least - 1};
	char wanted[64];
	snprintf(wanted, sizeof wanted, "wanted at least %u", least);
	struct ordo_schedule *none = ordo_compile(&request, &error);
	if (none || error.code != ORDO_USAGE || !strstr(error.text, wanted))
		complain(tally, specimen, least - 1, "too few slots are not refused");
	tally->narrow++;
	ordo_schedule_destroy(none);
	return least;
}

static void judge(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	const uint32_t least = fewest_slots(closure, specimen, schedule);
	check_staged(closure, specimen, schedule, least);
	check_staged(closure, specimen, schedule, least + 3);
	check_staged(closure, specimen, schedule, ORDO_LIMIT);
}

int main(int argc, char **argv)
{
	const struct specimen_range range = {
		.first_rank = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1,
		.last_rank = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 9,
		.every = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 29,
		.all_parameters = true};
	struct tally tally = {0};
	const struct specimen_count count = visit_specimens(&range, judge, &tally);
	printf("%u schedules of %u to %u ranks, %u staged (%u without G3), %u run, %u refused with "
	       "too few slots; moves %llu -> %llu, pairs %llu -> %llu; %u faults\n",
		count.visited, range.first_rank, range.last_rank, tally.staged, tally.unlike,
		tally.ran, tally.narrow, (unsigned long long)tally.moves,
		(unsigned long long)tally.more_moves, (unsigned long long)tally.pairs,
		(unsigned long long)tally.more_pairs, tally.faults);
	return count.visited && tally.unlike && tally.narrow && !tally.faults && !count.failed
		       ? EXIT_SUCCESS
		       : EXIT_FAILURE;
}
