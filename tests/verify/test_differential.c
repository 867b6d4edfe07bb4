/* test_differential.c - random documents, from right over almost right to garbage: verifier and
 * oracles must agree on each.
 *
 * Arguments: how many documents of each kind (1000), first seed (1).
 */
#include "judging.h"
#include "mutate.h"
#include "random_schedule.h"

#include <stdlib.h>

static const struct random_shape shapes[] = {
	{.max_ranks = 2, .max_chunks = 1, .max_streams = 3},
	{.max_ranks = 3, .max_chunks = 1, .max_streams = 2, .shards = true},
	{.max_ranks = 3, .max_chunks = 2, .max_streams = 1, .shards = true},
	{.max_ranks = 4, .max_chunks = 3, .max_streams = 3, .shards = true},
};
/* Too large for all interleavings, large enough for every way in which the verifier can answer a
 * question of order. */
static const struct random_shape large = {
	.max_ranks = 10, .max_chunks = 2, .max_streams = 4, .shards = true};
#define NSHAPE (sizeof shapes / sizeof *shapes)

/* atomic or not; sound, deadlock, race, flow broken (static ones are not interesting) */
static uint32_t tally[2][4];
static uint32_t total, walked, unordered, unequal, quarrels;
static uint64_t swept;

static void judge(
	const struct ordo_schedule *schedule, bool atomic_reduce, const char *origin, uint64_t seed)
{
	const struct judging judging = {.atomic_reduce = atomic_reduce, .max_states = 3000};
	struct judgement judgement;
	judge_schedule(schedule, &judging, &judgement);
	total++;
	walked += judgement.walked;
	swept += judgement.swept;
	if (!judgement.group)
		tally[atomic_reduce][0]++;
	else if (judgement.group == ORACLE_DEADLOCK)
		tally[atomic_reduce][1]++;
	else if (judgement.group == ORACLE_RACE)
		tally[atomic_reduce][2]++;
	else if (judgement.group == ORACLE_FLOW)
		tally[atomic_reduce][3]++;
	if (!*judgement.quarrel)
		return;
	if (quarrels++ < 5) {
		printf("%s, seed %llu%s: %s\n", origin, (unsigned long long)seed,
			atomic_reduce ? ", atomic" : "", judgement.quarrel);
		print_handmade(schedule, stdout);
	}
}

static bool keeps(const struct ordo_schedule *schedule, const struct ordo_verify_options *options)
{
	struct ordo_proof *proof = ordo_verify(schedule, options, NULL);
	const bool proved = proof && proof->proved;
	if (proof && !proved && proof->findings[0].rule != 13)
		quarrels++;
	ordo_proof_destroy(proof);
	return proved;
}

/* R13: as many tokens as the oracle counted are enough, one fewer is not. */
static void judge_limits(
	const struct ordo_schedule *schedule, bool atomic_reduce, uint32_t tokens, uint64_t seed)
{
	struct ordo_verify_options options = {.atomic_reduce = atomic_reduce,
		.limits.tokens_in_flight = tokens,
		.token_calls = 1};
	bool right = !tokens || keeps(schedule, &options);
	options.limits.tokens_in_flight = tokens - 1;
	if (tokens > 1)
		right = !keeps(schedule, &options) && right;
	if (right || quarrels++ >= 5)
		return;
	printf("random program, seed %llu: R13 is not found at %u tokens\n",
		(unsigned long long)seed, tokens);
	print_handmade(schedule, stdout);
}

/* A sound schedule, then up to three faults one after another. */
static void judge_faulty(const struct ordo_schedule *sound, bool atomic_reduce, uint64_t seed)
{
	uint64_t random = seed;
	struct ordo_schedule *schedule = ordo_schedule_copy(sound, NULL);
	for (uint32_t left = 1 + below(&random, 3); left > 0 && schedule && schedule->ntask > 0;) {
		const enum fault fault = (enum fault)below(&random, NFAULT);
		struct ordo_schedule *mutant = with_fault(
			schedule, fault, below(&random, schedule->ntask), next_random(&random));
		if (!mutant)
			continue;
		ordo_schedule_destroy(schedule);
		schedule = mutant;
		left--;
		judge(schedule, atomic_reduce, fault_meaning(fault), seed);
	}
	ordo_schedule_destroy(schedule);
}

static void judge_random(struct random_shape shape, uint64_t seed)
{
	struct random_program program;
	shape.atomic_adds = seed / NSHAPE % 3 == 0;
	random_program(&program, &shape, seed);
	struct ordo_schedule *schedule = random_schedule(&program, &shape, seed);
	struct oracle_opinion opinion;
	oracle_closure(schedule, shape.atomic_adds, 4000, &opinion);
	unordered += !opinion.one_order;
	unequal += !opinion.rank_equal;
	if (opinion.broken && quarrels++ < 5) {
		printf("random program, seed %llu: not sound (%s)\n", (unsigned long long)seed,
			opinion.why);
		print_handmade(schedule, stdout);
	}
	judge_limits(schedule, shape.atomic_adds, opinion.tokens_in_flight, seed);
	judge(schedule, shape.atomic_adds, "random program", seed);
	judge(schedule, !shape.atomic_adds, "random program", seed);
	for (uint64_t i = 0; i < 4; i++)
		judge_faulty(schedule, shape.atomic_adds || i == 0, seed * 4 + i);
	ordo_schedule_destroy(schedule);
}

static void judge_garbage(const struct random_shape *shape, uint64_t seed)
{
	struct ordo_schedule *garbage = random_garbage(shape, seed);
	judge(garbage, seed % 2, "garbage", seed);
	ordo_schedule_destroy(garbage);
}

int main(int argc, char **argv)
{
	const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	const uint64_t first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (uint64_t seed = first; seed < first + count; seed++) {
		judge_random(shapes[seed % NSHAPE], seed);
		judge_garbage(&shapes[seed % (NSHAPE - 1)], seed);
		if (seed % 20 == 0)
			judge_random(large, seed);
	}
	printf("%u documents, %u by all interleavings, %llu questions of order swept, %u "
	       "disagreements\n",
		total, walked, (unsigned long long)swept, quarrels);
	for (int atomic = 0; atomic < 2; atomic++)
		printf("%-14s sound %u, deadlock %u, race %u, wrong data %u\n",
			atomic ? "atomic reduce:" : "ordered:", tally[atomic][0], tally[atomic][1],
			tally[atomic][2], tally[atomic][3]);
	printf("%u sound ones with adds in no fixed order, %u with other trees on other ranks\n",
		unordered, unequal);
	/* A generator that no longer reaches all verdicts tests nothing. */
	for (int verdict = 0; verdict < 4 && count >= 200; verdict++)
		if (tally[0][verdict] < 10 || tally[1][verdict] < 10 || !unordered || !unequal)
			quarrels++;
	return quarrels ? EXIT_FAILURE : EXIT_SUCCESS;
}
