/* test_operator.c - what lies where: slots and chunks of every operator, the partition rule, and
 * names. */
#include <ordo/operator.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

typedef void visit(const struct ordo_problem *problem);

/* Every sound problem with few ranks, chunks and shards. */
static void visit_problems(visit *look)
{
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		for (uint32_t nrank = 1; nrank <= 6; nrank++)
			for (uint32_t root = 0; root < nrank; root++)
				for (uint32_t K = 1; K <= 3; K++)
					for (uint32_t nshard = 1; nshard <= 9; nshard++)
						for (int in_place = 0; in_place < 2; in_place++) {
							struct ordo_problem problem = {
								(enum ordo_operator)op, nrank, root,
								K, nshard, in_place, false};
							if (ordo_problem_check(&problem, NULL))
								look(&problem);
						}
}

/* The chunks of a block's owner, of all, or of none: the table of operator.h, said another way. */
static bool input_holds(const struct ordo_problem *p, uint32_t rank, uint32_t chunk)
{
	uint32_t block = chunk / p->chunks_per_block;
	switch (p->op) {
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_REDUCESCATTER:
		return p->nshard >= p->nrank ||
		       rank * p->nshard / p->nrank < (rank + 1) * p->nshard / p->nrank;
	case ORDO_BROADCAST:
	case ORDO_SCATTER:
		return rank == p->root;
	case ORDO_ALLGATHER:
	case ORDO_GATHER:
	case ORDO_CUSTOM:
		return block == rank;
	case ORDO_ALLTOALL:
		return block / p->nrank == rank;
	}
	return false;
}

static bool output_holds(const struct ordo_problem *p, uint32_t rank, uint32_t chunk)
{
	uint32_t block = chunk / p->chunks_per_block;
	switch (p->op) {
	case ORDO_ALLREDUCE:
	case ORDO_BROADCAST:
	case ORDO_ALLGATHER:
		return true;
	case ORDO_REDUCE:
	case ORDO_GATHER:
		return rank == p->root;
	case ORDO_REDUCESCATTER:
	case ORDO_SCATTER:
	case ORDO_CUSTOM: /* its place; any chunk may lie there */
		return block == rank;
	case ORDO_ALLTOALL:
		return block % p->nrank == rank;
	}
	return false;
}

static void check_output(const struct ordo_problem *p)
{
	for (uint32_t r = 0; r < p->nrank; r++) {
		uint32_t slot = 0;
		for (uint32_t chunk = 0; chunk < ordo_nchunk(p); chunk++) {
			bool held = output_holds(p, r, chunk);
			assert_int_equal(ordo_output_slot(p, r, chunk), held ? slot : ORDO_NONE);
			if (held)
				assert_int_equal(ordo_output_chunk(p, r, slot++), chunk);
		}
		assert_int_equal(ordo_output_slots(p, r), slot);
	}
}

static void check_input(const struct ordo_problem *p)
{
	uint32_t shard = 0;
	for (uint32_t r = 0; r < p->nrank; r++) {
		uint32_t held = 0, slots = ordo_input_slots(p, r);
		for (uint32_t chunk = 0; chunk < ordo_nchunk(p); chunk++) {
			bool holds = input_holds(p, r, chunk);
			assert_int_equal(ordo_input_slot(p, r, chunk), holds ? held : ORDO_NONE);
			held += holds;
		}
		/* A rank's shards one after another, each with every chunk in ascending order. */
		assert_int_equal(held ? slots % held : slots, 0);
		for (uint32_t slot = 0; slot < slots; slot++) {
			uint32_t chunk = ordo_input_chunk(p, r, slot);
			assert_int_equal(ordo_input_slot(p, r, chunk), slot % held);
			if (ordo_operator_facts(p->op)->reduces)
				assert_int_equal(ordo_input_shard(p, r, slot), shard + slot / held);
			else
				assert_int_equal(ordo_input_shard(p, r, slot), r);
		}
		if (ordo_operator_facts(p->op)->reduces)
			assert_int_equal(ordo_first_shard(p, r), shard);
		shard += held ? slots / held : 0;
	}
	if (ordo_operator_facts(p->op)->reduces)
		assert_int_equal(shard, p->nshard);
}

static void check_sources(const struct ordo_problem *p)
{
	if (ordo_operator_facts(p->op)->reduces)
		return;
	for (uint32_t chunk = 0; chunk < ordo_nchunk(p); chunk++)
		for (uint32_t r = 0; r < p->nrank; r++)
			assert_int_equal(ordo_chunk_source(p, chunk) == r,
				ordo_input_slot(p, r, chunk) != ORDO_NONE);
}

/* The same memory: same slot for the operators with one block; the rank's own block for those with
 * N. */
static void check_in_place(const struct ordo_problem *p)
{
	for (uint32_t r = 0; r < p->nrank; r++)
		for (uint32_t slot = 0; slot < ordo_input_slots(p, r); slot++) {
			uint32_t wanted = slot, K = p->chunks_per_block;
			bool there = p->in_place && ordo_output_slots(p, r) > 0;
			if (p->op == ORDO_REDUCESCATTER || p->op == ORDO_SCATTER) {
				there = there && slot / K == r;
				wanted = slot - r * K;
			} else if (p->op == ORDO_ALLGATHER || p->op == ORDO_GATHER) {
				wanted = r * K + slot;
			}
			assert_int_equal(
				ordo_in_place_output_slot(p, r, slot), there ? wanted : ORDO_NONE);
		}
}

static void output_slots_and_chunks_are_inverse(void **state)
{
	(void)state;
	visit_problems(check_output);
}

static void input_slots_and_chunks_are_inverse(void **state)
{
	(void)state;
	visit_problems(check_input);
}

static void every_chunk_has_the_source_whose_input_holds_it(void **state)
{
	(void)state;
	visit_problems(check_sources);
}

static void in_place_is_the_same_memory(void **state)
{
	(void)state;
	visit_problems(check_in_place);
}

__extension__ typedef unsigned __int128 wide;

static uint64_t begin_by_definition(uint64_t n, uint32_t K, uint32_t k, uint64_t alignment)
{
	wide cut = ((wide)k * n + K - 1) / K;
	wide aligned = (cut + alignment - 1) / alignment * alignment;
	return aligned < n ? (uint64_t)aligned : n;
}

static void the_partition_is_the_rule(void **state)
{
	(void)state;
	static const uint64_t sizes[] = {0, 1, 2, 3, 7, 64, 1000, 4097, 0x7fffffff, 0x100000000,
		0x123456789abcdef, INT64_MAX - 1, INT64_MAX};
	static const uint32_t cuts[] = {1, 2, 3, 7, 8, 1000, 65537, 0x7ffffffe, 0x7fffffff};
	static const uint64_t alignments[] = {1, 2, 3, 16, 1000, 0x100000001, INT64_MAX};
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
		for (size_t c = 0; c < sizeof cuts / sizeof *cuts; c++)
			for (size_t a = 0; a < sizeof alignments / sizeof *alignments; a++) {
				uint64_t n = sizes[s], A = alignments[a];
				uint32_t K = cuts[c], step = K < 2000 ? 1 : K / 1999;
				for (uint64_t k = 0; k <= K; k += step)
					assert_true(ordo_chunk_begin(n, K, (uint32_t)k, A) ==
						    begin_by_definition(n, K, (uint32_t)k, A));
				assert_true(ordo_chunk_begin(n, K, 0, A) == 0);
				assert_true(ordo_chunk_begin(n, K, K, A) == n);
			}
}

static void names_are_read_as_documents_and_people_write_them(void **state)
{
	(void)state;
	enum ordo_operator op;
	for (int i = 0; i < ORDO_NOPERATOR; i++) {
		const char *name = ordo_operator_facts((enum ordo_operator)i)->name;
		assert_true(ordo_operator_from_name(name, &op));
		assert_int_equal(op, i);
		assert_true(ordo_operator_from_typed(name, &op));
		assert_int_equal(op, i);
	}
	static const char *const typed[] = {
		"all-reduce", "ALLREDUCE", "all_reduce", "AllReduce", "-a-l-l-reduce_"};
	for (size_t i = 0; i < sizeof typed / sizeof *typed; i++) {
		assert_true(ordo_operator_from_typed(typed[i], &op));
		assert_int_equal(op, ORDO_ALLREDUCE);
	}
	static const struct {
		const char *name;
		enum ordo_operator op;
	} unequal[] = {{"AllToAllV", ORDO_ALLTOALL}, {"all-gather-v", ORDO_ALLGATHER},
		{"reducescatterv", ORDO_REDUCESCATTER}, {"GATHERV", ORDO_GATHER},
		{"scatter_v", ORDO_SCATTER}};
	for (size_t i = 0; i < sizeof unequal / sizeof *unequal; i++) {
		assert_true(ordo_operator_from_typed(unequal[i].name, &op));
		assert_int_equal(op, unequal[i].op);
		assert_true(ordo_has_counts(op));
		assert_false(ordo_operator_from_name(unequal[i].name, &op));
	}
	static const char *const unknown[] = {"v", "allreducev", "reducev", "broadcastv", "customv",
		"alltoallvv", "", "-", "allreduc", "allreducee", "all reduce",
		"all-reduce-all-reduce-all-reduce-all-reduce-all-reduce"};
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
		assert_false(ordo_operator_from_typed(unknown[i], &op));
	assert_false(ordo_operator_from_name("allreduce", &op));
	assert_string_equal(ordo_buffer_name(ORDO_SCRATCH), "scratch");
}

static void expect_refusal(struct ordo_problem problem, const char *text)
{
	struct ordo_error error;
	assert_false(ordo_problem_check(&problem, &error));
	assert_int_equal(error.rule, 1);
	if (!strstr(error.text, text))
		fail_msg("\"%s\" does not say \"%s\"", error.text, text);
}

static void problems_that_make_no_sense_are_refused(void **state)
{
	(void)state;
	expect_refusal(
		(struct ordo_problem){ORDO_ALLREDUCE, 0, 0, 1, 1, false, false}, "ranks: found 0");
	expect_refusal((struct ordo_problem){ORDO_ALLREDUCE, 2, 0, 0, 2, false, false},
		"chunks_per_block: found 0");
	expect_refusal(
		(struct ordo_problem){ORDO_ALLREDUCE, 2, 0, 1, 0, false, false}, "shards: found 0");
	expect_refusal((struct ordo_problem){ORDO_REDUCE, 2, 2, 1, 2, false, false},
		"root: found 2, wanted a rank of 0..1");
	expect_refusal((struct ordo_problem){ORDO_ALLREDUCE, 2, 1, 1, 2, false, false},
		"root: AllReduce has no root");
	expect_refusal((struct ordo_problem){ORDO_ALLTOALL, 2, 0, 1, 2, true, false},
		"AllToAll has no in-place form");
	expect_refusal((struct ordo_problem){ORDO_ALLGATHER, 2, 0, 1, 4, false, false},
		"AllGather does not reduce");
	expect_refusal((struct ordo_problem){ORDO_ALLREDUCE, 2, 0, 1, 4, true, false},
		"no in-place form with 4 shards");
	expect_refusal((struct ordo_problem){ORDO_ALLTOALL, 65536, 0, 1, 65536, false, false},
		"chunks: 4294967296 blocks");
	expect_refusal((struct ordo_problem){ORDO_ALLGATHER, 65536, 0, 65536, 65536, false, false},
		"chunks: 65536 blocks");
	expect_refusal((struct ordo_problem){ORDO_ALLREDUCE, 1, 0, 65536, 65536, false, false},
		"shards: 65536 shards a rank");
	expect_refusal((struct ordo_problem){ORDO_ALLGATHER, 2, 0, 1, 2, false, true},
		"accumulate: AllGather does not reduce");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_slots_and_chunks_are_inverse),
		cmocka_unit_test(input_slots_and_chunks_are_inverse),
		cmocka_unit_test(every_chunk_has_the_source_whose_input_holds_it),
		cmocka_unit_test(in_place_is_the_same_memory),
		cmocka_unit_test(the_partition_is_the_rule),
		cmocka_unit_test(names_are_read_as_documents_and_people_write_them),
		cmocka_unit_test(problems_that_make_no_sense_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
