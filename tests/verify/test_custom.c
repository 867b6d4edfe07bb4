/* test_custom.c - documents of Custom, whose contents nobody has described: what the verifier still
 * refutes, what it decides about sums, and random ones before the oracles and ordo-check.
 *
 * Arguments: how many random documents (400), first seed (1).
 */
#include "handmade.h"
#include "judging.h"
#include "mutate.h"
#include "random_schedule.h"
#include "second.h"

#include <ordo/detail/certificate.h>
#include <ordo/detail/documents.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t first = 1, count = 400;

static uint64_t next(uint64_t *random)
{
	*random = *random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return *random >> 33;
}

static uint32_t under(uint64_t *random, uint32_t end)
{
	return (uint32_t)(next(random) % end);
}

static struct ordo_problem custom(uint32_t nrank, uint32_t K)
{
	return (struct ordo_problem){
		.op = ORDO_CUSTOM, .nrank = nrank, .chunks_per_block = K, .nshard = nrank};
}

static struct ordo_proof *prove(const struct ordo_schedule *schedule, bool atomic_reduce)
{
	struct ordo_error error;
	const struct ordo_verify_options options = {.atomic_reduce = atomic_reduce};
	struct ordo_proof *proof = ordo_verify(schedule, &options, &error);
	if (!proof)
		fail_msg("%s", error.text);
	return proof;
}

/* Proves lines; *rule is that of the first finding, or 0. */
static struct ordo_proof *prove_lines(
	uint32_t nrank, uint32_t K, bool atomic_reduce, int *rule, const char *lines)
{
	const struct ordo_problem problem = custom(nrank, K);
	struct ordo_schedule *schedule = handmade(&problem, 4, lines);
	struct ordo_proof *proof = prove(schedule, atomic_reduce);
	*rule = proof->nfinding ? proof->findings[0].rule : 0;
	assert_true(proof->contents_unjudged);
	ordo_schedule_destroy(schedule);
	return proof;
}

static void expect_rule(int wanted, const char *lines)
{
	int rule;
	ordo_proof_destroy(prove_lines(1, 3, false, &rule, lines));
	if (rule != wanted)
		fail_msg("found R%d, wanted R%d: %s", rule, wanted, lines);
}

static void any_chunk_may_be_anywhere_but_only_under_its_name(void **state)
{
	(void)state;
	expect_rule(0, "rank 0\n");
	expect_rule(0, "rank 0\nLocalCopy chunk 2 input 2 -> output 0\n");
	expect_rule(0, "rank 0\nLocalCopy chunks 0..1 input 0 -> output 1\n");
	/* A sum has the name of its first chunk. */
	expect_rule(0, "rank 0\nLocalCopy chunk 2 input 2 -> output 0\n"
		       "LocalReduce chunk 1 input 1 -> output 0\n"
		       "LocalCopy chunk 1 output 0 -> output 1\n");
	expect_rule(10, "rank 0\nLocalCopy chunk 2 input 2 -> output 0\n"
			"LocalReduce chunk 1 input 1 -> output 0\n"
			"LocalCopy chunk 2 output 0 -> output 1\n");
	expect_rule(10, "rank 0\nLocalCopy chunk 1 input 0 -> output 0\n");
	expect_rule(10, "rank 0\nLocalReduce chunk 0 input 0 -> output 0\n");
	expect_rule(10, "rank 0\nLocalCopy chunk 0 scratch 0 -> output 0\n");
	expect_rule(4, "rank 0\nLocalCopy chunk 0 input 0 -> input 0\n");
	expect_rule(3, "rank 0\nLocalCopy chunk 0 input 0 -> output 3\n");
	expect_rule(3, "rank 0\nLocalCopy chunk 3 input 0 -> output 0\n");
	expect_rule(8, "rank 0\nLocalCopy chunk 0 input 0 -> output 0\n"
		       "rank 0\nLocalCopy chunk 1 input 1 -> output 0\n");
}

struct wanted {
	enum ordo_verdict g1, g2, g3;
	uint32_t ndistinct;
};

static void expect_verdicts(
	uint32_t K, bool atomic_reduce, const struct wanted *wanted, const char *lines)
{
	int rule;
	struct ordo_proof *proof = prove_lines(3, K, atomic_reduce, &rule, lines);
	assert_int_equal(rule, 0);
	assert_true(proof->proved);
	assert_null(proof->chunk_tree);
	assert_int_equal(proof->rank_equal, wanted->g1);
	assert_int_equal(proof->run_to_run, wanted->g2);
	assert_int_equal(proof->position_invariant, wanted->g3);
	assert_int_equal(proof->ndistinct, wanted->ndistinct);
	assert_int_equal(wanted->g1 == ORDO_DOES_NOT_HOLD, proof->rank_equal_why != NULL);
	assert_int_equal(wanted->g3 == ORDO_DOES_NOT_HOLD, proof->position_why != NULL);
	assert_int_equal(strlen(proof->digest), wanted->g2 == ORDO_DOES_NOT_HOLD ? 0 : 32);
	ordo_proof_destroy(proof);
}

/* The chunks of other ranks come to rank 0's scratch: slot r - 1 holds rank r's first chunk, slot r
 * + 1 its second one. */
#define GATHER2 "Notify 1 signal 0\nNotify 2 signal 0\nWait 1 signal 1\nWait 2 signal 1\n"
#define SENDERS2                                                                                   \
	"rank 1\nWait 0 signal 0\nSend 0 chunk 2 input 0 -> scratch 0\n"                           \
	"Send 0 chunk 3 input 1 -> scratch 2\nNotify 0 signal 1\n"                                 \
	"rank 2\nWait 0 signal 0\nSend 0 chunk 4 input 0 -> scratch 1\n"                           \
	"Send 0 chunk 5 input 1 -> scratch 3\nNotify 0 signal 1\n"

static void sums_over_one_set_are_compared(void **state)
{
	(void)state;
	const struct wanted nothing = {ORDO_NOT_ASKED, ORDO_NOT_ASKED, ORDO_NOT_ASKED, 1},
			    all = {ORDO_HOLDS, ORDO_HOLDS, ORDO_HOLDS, 2},
			    g1 = {ORDO_DOES_NOT_HOLD, ORDO_HOLDS, ORDO_DOES_NOT_HOLD, 2},
			    g3 = {ORDO_HOLDS, ORDO_HOLDS, ORDO_DOES_NOT_HOLD, 2},
			    one = {ORDO_HOLDS, ORDO_HOLDS, ORDO_HOLDS, 1};
	expect_verdicts(2, false, &nothing, "rank 0\nLocalCopy chunk 0 input 0 -> output 1\n");
	/* (0+2)+4 and (1+3)+5: ranks (0+1)+2 in both places */
	expect_verdicts(2, false, &all,
		"rank 0\n" GATHER2 "LocalCopy chunk 0 input 0 -> output 0\n"
		"LocalReduce chunk 2 scratch 0 -> output 0\n"
		"LocalReduce chunk 4 scratch 1 -> output 0\n"
		"LocalCopy chunk 1 input 1 -> output 1\n"
		"LocalReduce chunk 3 scratch 2 -> output 1\n"
		"LocalReduce chunk 5 scratch 3 -> output 1\n" SENDERS2);
	/* (0+2)+4 and (1+5)+3 */
	expect_verdicts(2, false, &g3,
		"rank 0\n" GATHER2 "LocalCopy chunk 0 input 0 -> output 0\n"
		"LocalReduce chunk 2 scratch 0 -> output 0\n"
		"LocalReduce chunk 4 scratch 1 -> output 0\n"
		"LocalCopy chunk 1 input 1 -> output 1\n"
		"LocalReduce chunk 5 scratch 3 -> output 1\n"
		"LocalReduce chunk 3 scratch 2 -> output 1\n" SENDERS2);
	/* (0+2)+4 and (0+4)+2 */
	expect_verdicts(2, false, &g1,
		"rank 0\n" GATHER2 "LocalCopy chunk 0 input 0 -> output 0\n"
		"LocalReduce chunk 2 scratch 0 -> output 0\n"
		"LocalReduce chunk 4 scratch 1 -> output 0\n"
		"LocalCopy chunk 0 input 0 -> output 1\n"
		"LocalReduce chunk 4 scratch 1 -> output 1\n"
		"LocalReduce chunk 2 scratch 0 -> output 1\n" SENDERS2);
	/* 0+2 and 2+0 are one sum. */
	expect_verdicts(2, false, &one,
		"rank 0\n" GATHER2 "LocalCopy chunk 0 input 0 -> output 0\n"
		"LocalReduce chunk 2 scratch 0 -> output 0\n"
		"LocalReduce chunk 0 input 0 -> scratch 0\n"
		"LocalCopy chunk 0 scratch 0 -> output 1\n" SENDERS2);
	const struct wanted g2 = {ORDO_NOT_ASKED, ORDO_DOES_NOT_HOLD, ORDO_NOT_ASKED, 0};
	expect_verdicts(2, true, &g2,
		"rank 0\nLocalCopy chunk 0 input 0 -> output 0\n"
		"Notify 0 signal 0\nLocalReduce chunk 1 input 1 -> output 0\n"
		"rank 0\nWait 0 signal 0\nLocalReduce chunk 0 input 0 -> output 0\n");
}

static void the_digest_has_places_and_block_sizes(void **state)
{
	(void)state;
	int rule;
	char digests[4][33];
	static const char *const lines[] = {"rank 0\nLocalCopy chunk 0 input 0 -> output 0\n",
		"rank 0\nLocalCopy chunk 0 input 0 -> output 1\n",
		"rank 0\nLocalCopy chunk 1 input 1 -> output 0\n", "rank 0\n"};
	for (int i = 0; i < 4; i++) {
		struct ordo_proof *proof = prove_lines(2, 2, false, &rule, lines[i]);
		memcpy(digests[i], proof->digest, sizeof digests[i]);
		ordo_proof_destroy(proof);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(digests[i], digests[j]);
	}
	/* Each rank's first chunk in its first place, of one chunk and of two. */
	struct ordo_proof *whole = prove_lines(2, 1, false, &rule,
				  "rank 0\nLocalCopy chunk 0 input 0 -> output 0\n"
				  "rank 1\nLocalCopy chunk 1 input 0 -> output 0\n"),
			  *half = prove_lines(2, 2, false, &rule,
				  "rank 0\nLocalCopy chunk 0 input 0 -> output 0\n"
				  "LocalCopy chunk 0 input 0 -> output 1\n"
				  "rank 1\nWait 0 signal 0\nLocalCopy chunk 1 scratch 0 -> output "
				  "0\nLocalCopy chunk 1 scratch 0 -> output 1\n"
				  "rank 0\nWait 1 signal 1\nSend 1 chunk 1 input 1 -> scratch 0\n"
				  "Notify 1 signal 0\nrank 1\nNotify 0 signal 1\n");
	assert_true(whole->proved && half->proved);
	assert_string_not_equal(whole->digest, half->digest);
	ordo_proof_destroy(whole);
	ordo_proof_destroy(half);
}

/* Random programs: chunks are moved and added anywhere. */

struct state {
	uint32_t K, nscratch, names[8][16]; /* of output and scratch slots; ORDO_NONE: undefined */
};

static uint32_t name_of(const struct state *state, uint32_t rank, unsigned buffer, uint32_t slot)
{
	if (buffer == ORDO_INPUT)
		return rank * state->K + slot;
	return state->names[rank][buffer == ORDO_SCRATCH ? state->K + slot : slot];
}

static bool random_step(struct random_program *program, struct state *state, uint64_t *random)
{
	const uint32_t N = program->problem.nrank, K = state->K, rank = under(random, N),
		       target = under(random, N);
	struct ordo_task task = {.count = 1,
		.peer = target,
		.phase = ORDO_NO_PHASE,
		.src_buffer = (uint8_t)under(random, ORDO_NBUFFER),
		.dst_buffer = (uint8_t)(1 + under(random, 2))};
	const bool reduces = under(random, 2);
	task.kind = target == rank ? reduces ? ORDO_LOCAL_REDUCE : ORDO_LOCAL_COPY
		    : reduces	   ? ORDO_SEND_REDUCE
				   : ORDO_SEND;
	task.src = under(random, task.src_buffer == ORDO_SCRATCH ? state->nscratch : K);
	task.dst = under(random, task.dst_buffer == ORDO_SCRATCH ? state->nscratch : K);
	if (target == rank)
		task.peer = 0;
	uint32_t *to =
		&state->names[target][task.dst_buffer == ORDO_SCRATCH ? K + task.dst : task.dst];
	task.chunk = name_of(state, rank, task.src_buffer, task.src);
	if (task.chunk == ORDO_NONE || (reduces && *to == ORDO_NONE) ||
		(target == rank && task.src_buffer == task.dst_buffer && task.src == task.dst))
		return false;
	*to = reduces && *to < task.chunk ? *to : task.chunk;
	program->steps[program->nstep++] = (struct random_step){rank, target, task};
	return true;
}

/* Some output slots, each with the sum of a chunk of each of some ranks, in any order. */
static void random_sums(struct random_program *program, uint64_t *random)
{
	const uint32_t N = program->problem.nrank, K = program->problem.chunks_per_block,
		       start = under(random, N), same = under(random, 2);
	for (uint32_t place = under(random, 2); place < N * K && program->nstep < 24;
		place += 1 + under(random, 2)) {
		const uint32_t begin = under(random, 3);
		for (uint32_t i = 0; i < 3; i++) {
			const uint32_t rank = (start + (begin + i) % 3) % N, target = place / K,
				       slot = same ? (begin + i) % 3 % K : under(random, K);
			struct ordo_task task = {.count = 1,
				.chunk = rank * K + slot,
				.phase = ORDO_NO_PHASE,
				.peer = rank == target ? 0 : target,
				.src_buffer = ORDO_INPUT,
				.src = slot,
				.dst_buffer = ORDO_OUTPUT,
				.dst = place % K};
			task.kind = rank == target ? i ? ORDO_LOCAL_REDUCE : ORDO_LOCAL_COPY
				    : i		   ? ORDO_SEND_REDUCE
						   : ORDO_SEND;
			program->steps[program->nstep++] = (struct random_step){rank, target, task};
		}
	}
}

static void random_custom(struct random_program *program, uint64_t seed)
{
	uint64_t random = seed * 77 + 5;
	const uint32_t nrank = 1 + under(&random, 3), K = 1 + under(&random, 4),
		       nstep = 1 + under(&random, 24);
	struct state state = {.K = K, .nscratch = 1 + under(&random, 3)};
	memset(state.names, 0xff, sizeof state.names);
	*program = (struct random_program){
		.problem = custom(nrank, K), .scratch_slots = state.nscratch};
	if (under(&random, 2)) {
		random_sums(program, &random);
		return;
	}
	for (uint32_t tries = 0; program->nstep < nstep && tries < 200; tries++)
		random_step(program, &state, &random);
}

struct tally {
	uint32_t proved, refuted, unequal, moved, checked;
};

/* Another program with the certificate: an ordinary document that ordo-check reads. */
static void check_again(const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	char *texts[2], report[256];
	size_t sizes[2];
	FILE *files[2] = {
		open_memstream(&texts[0], &sizes[0]), open_memstream(&texts[1], &sizes[1])};
	assert_true(ordo_schedule_print(schedule, files[0], NULL));
	assert_true(ordo_certificate_print(schedule, proof, files[1], NULL));
	fclose(files[0]);
	fclose(files[1]);
	if (check_texts(texts[0], texts[1], report) != ACCEPTED)
		fail_msg("%s\n%s%s", report, texts[0], texts[1]);
	assert_non_null(strstr(report, "contents not judged"));
	free(texts[0]);
	free(texts[1]);
}

static void judge(const struct ordo_schedule *schedule, bool atomic, uint64_t seed,
	const char *origin, struct tally *tally)
{
	struct judgement judgement;
	judge_schedule(schedule, &(struct judging){.atomic_reduce = atomic, .max_states = 2000},
		&judgement);
	if (*judgement.quarrel) {
		print_handmade(schedule, stderr);
		fail_msg("%s, seed %llu: %s", origin, (unsigned long long)seed, judgement.quarrel);
	}
	struct ordo_proof *proof = prove(schedule, atomic);
	tally->proved += proof->proved;
	tally->refuted += !proof->proved;
	tally->unequal += proof->rank_equal == ORDO_DOES_NOT_HOLD;
	tally->moved += proof->position_invariant == ORDO_DOES_NOT_HOLD;
	if (proof->proved && proof->run_to_run != ORDO_DOES_NOT_HOLD) {
		check_again(schedule, proof);
		tally->checked++;
	}
	ordo_proof_destroy(proof);
}

static void random_ones_are_judged_as_the_oracles_do(void **state)
{
	(void)state;
	struct tally sound = {0}, faulty = {0};
	const struct random_shape shape = {.max_ranks = 4, .max_chunks = 3, .max_streams = 2};
	for (uint64_t seed = first; seed < first + count; seed++) {
		struct random_program program;
		uint64_t random = seed;
		random_custom(&program, seed);
		struct ordo_schedule *schedule = random_schedule(&program, &shape, seed);
		judge(schedule, seed % 2, seed, "random program", &sound);
		for (int i = 0; i < 6; i++) {
			const enum fault fault = (enum fault)under(&random, NFAULT);
			struct ordo_schedule *mutant =
				schedule->ntask ? with_fault(schedule, fault,
							  under(&random, schedule->ntask), random)
						: NULL;
			if (mutant && fault != FAULT_ROOT && fault != FAULT_IN_PLACE)
				judge(mutant, seed % 2, seed, fault_meaning(fault), &faulty);
			ordo_schedule_destroy(mutant);
		}
		struct ordo_schedule *garbage = random_garbage(&shape, seed);
		if (!garbage->problem.in_place) {
			garbage->problem.op = ORDO_CUSTOM;
			garbage->problem.root = 0;
			judge(garbage, seed % 2, seed, "garbage", &faulty);
		}
		ordo_schedule_destroy(garbage);
		ordo_schedule_destroy(schedule);
	}
	print_message("sound: %u unequal, %u not at every place of %u; faulty: %u proved, %u "
		      "refuted, %u checked again\n",
		sound.unequal, sound.moved, sound.proved, faulty.proved, faulty.refuted,
		faulty.checked);
	assert_int_equal(sound.refuted, 0);
	/* A generator that no longer reaches all verdicts tests nothing. */
	assert_true(sound.unequal > count / 200 && sound.moved > sound.unequal / 2);
	assert_true(faulty.refuted > faulty.proved / 2 && faulty.checked > count / 4);
}

int main(int argc, char **argv)
{
	count = argc > 1 ? strtoull(argv[1], NULL, 10) : count;
	first = argc > 2 ? strtoull(argv[2], NULL, 10) : first;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_chunk_may_be_anywhere_but_only_under_its_name),
		cmocka_unit_test(sums_over_one_set_are_compared),
		cmocka_unit_test(the_digest_has_places_and_block_sizes),
		cmocka_unit_test(random_ones_are_judged_as_the_oracles_do),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
