/* test_verify.c - the verifier refuses every kind of fault with its rule and a message that names
 * it, and proves what is sound. */
#include "handmade.h"
#include <ordo/verify.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One file of tests/reject/: the first finding's rule (the name begins with it), what its text must
 * say, how many tasks witness it. */
static const struct {
	const char *file, *says;
	uint32_t ntask;
} rejects[] = {
	{"R2-peer-out-of-range", "peer 2 is not a rank, wanted 0..1", 1},
	{"R2-wait-for-nobody", "peer 7 is not a rank", 1},
	{"R2-send-to-oneself", "sends to its own rank", 1},
	{"R3-chunk-out-of-range", "moves chunks 1..1, AllReduce here has chunks 0..0", 1},
	{"R3-src-beyond-input", "src is slots 1..1 of the input of rank 0, which has 1 slots", 1},
	{"R3-dst-beyond-scratch", "dst is slots 1..1 of the scratch of rank 1", 1},
	{"R3-count-beyond-chunks", "moves chunks 0..1", 1},
	{"R3-output-slot-of-another-chunk",
		"writes chunk 0 into output slot 1 of rank 0, which is as long as chunk 1", 1},
	{"R3-slice-over-two-blocks",
		"writes chunk 1 into output slot 1 of rank 0, which is as long as chunk 2", 1},
	{"R3-no-output-away-from-the-root", "output of rank 1, which has 0 slots", 1},
	{"R3-custom-output-beyond-the-block",
		"dst is slots 2..2 of the output of rank 0, which has 2 slots", 1},
	{"R4-writes-input", "writes to the input of rank 0", 1},
	{"R4-reduces-outside-scratch",
		"reduces into the output of rank 0, and the schedule accumulates in f32", 1},
	{"R4-adds-a-rounded-sum",
		"adds (0+1), which was rounded when it was written to input or output", 1},
	{"R4-adds-to-a-rounded-sum", "adds (0+1), which was rounded", 1},
	{"R4-binned-reduces-outside-scratch",
		"reduces into the output of rank 0, and the schedule accumulates in binned(bins=2)",
		1},
	{"R4-binned-adds-a-rounded-sum",
		"input or output; sums accumulated in binned(bins=2) are rounded once", 1},
	{"R5-two-notifying-streams", "signal 0 from rank 0 to rank 1 has two notifying streams", 2},
	{"R5-two-waiting-streams", "signal 0 from rank 0 to rank 1 has two waiting streams", 2},
	{"R6-token-left-over", "signal 0 from rank 0 to rank 1: 2 Notify but 1 Wait", 1},
	{"R6-wait-without-notify", "signal 5 from rank 1 to rank 0: 0 Notify but 1 Wait", 1},
	{"R7-both-wait-first", "2 tasks wait for each other in a cycle", 2},
	{"R7-waits-for-itself", "1 task waits for itself", 1},
	{"R7-circle-of-three", "3 tasks wait for each other in a cycle", 3},
	{"R8-read-before-data", "race on rank 0, scratch slot 0: nothing orders", 2},
	{"R8-two-writers-unordered", "race on rank 0, output slot 0: nothing orders", 2},
	{"R8-notify-before-its-data", "race on rank 1, scratch slot 0: nothing orders", 2},
	{"R8-slot-reused-before-read", "race on rank 1, scratch slot 0: nothing orders", 2},
	{"R8-overlapping-slices", "reads and writes the same memory", 1},
	{"R8-two-streams-of-one-rank", "race on rank 0, scratch slot 0: nothing orders", 2},
	{"R8-custom-read-before-data", "race on rank 1, output slot 0: nothing orders", 2},
	{"R9-before-entering", "memory of rank 1, which may not have entered the call yet", 1},
	{"R9-after-leaving", "memory of rank 1, which may have left the call already", 1},
	{"R9-acknowledges-the-wrong-neighbour", "which may not have entered the call yet", 1},
	{"R10-reads-undefined", "uses rank 0, scratch slot 0, which nothing has written", 1},
	{"R10-reduces-into-undefined", "uses rank 0, output slot 0, which nothing has written", 1},
	{"R10-reads-another-chunk", "rank 0, scratch slot 0 holds chunk 0, the task moves chunk 1",
		1},
	{"R10-custom-sum-under-another-name",
		"rank 0, output slot 0 holds chunk 0, the task moves chunk 1", 1},
	{"R11-adds-twice",
		"holds chunk 0 = ((0+1)+1) at the end, wanted chunk 0, each of 0..1 added once", 1},
	{"R11-adds-too-few", "holds chunk 0 = 0 at the end", 1},
	{"R11-never-written", "rank 0, output slot 0 is never written, wanted rank 0's chunk 0", 0},
	{"R11-reduces-where-it-should-copy",
		"holds chunk 0 = (0+0) at the end, wanted rank 0's chunk 0", 1},
};

static struct ordo_schedule *read_document(const char *name)
{
	char path[512];
	snprintf(path, sizeof path, "%s/%s.json", REJECT_FOLDER, name);
	struct ordo_error error;
	struct ordo_schedule *schedule = ordo_schedule_read(path, NULL, &error);
	if (!schedule)
		fail_msg("%s: %s", path, error.text);
	return schedule;
}

static struct ordo_proof *judge(
	const struct ordo_schedule *schedule, const struct ordo_verify_options *options)
{
	struct ordo_error error;
	struct ordo_proof *proof = ordo_verify(schedule, options, &error);
	if (!proof)
		fail_msg("%s", error.text);
	return proof;
}

static void every_reject_case_is_refused_for_its_rule(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rejects / sizeof *rejects; i++) {
		struct ordo_schedule *schedule = read_document(rejects[i].file);
		struct ordo_proof *proof = judge(schedule, NULL);
		assert_false(proof->proved);
		assert_true(proof->nfinding >= 1);
		const struct ordo_finding *finding = &proof->findings[0];
		if (finding->rule != atoi(rejects[i].file + 1) ||
			!strstr(finding->text, rejects[i].says) ||
			finding->ntask != rejects[i].ntask)
			fail_msg("%s: found R%d with %u tasks: %s", rejects[i].file, finding->rule,
				finding->ntask, finding->text);
		struct ordo_error error;
		ordo_finding_error(schedule, finding, NULL);
		ordo_finding_error(schedule, finding, &error);
		assert_int_equal(error.code, ORDO_REFUTED);
		assert_non_null(strstr(error.file, rejects[i].file));
		assert_true(!finding->ntask || error.line > 5);
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(schedule);
	}
}

static void the_sound_document_beside_them_is_proved(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = read_document("sound-two-ranks");
	struct ordo_proof *proof = judge(schedule, NULL);
	assert_true(proof->proved && proof->complete);
	assert_int_equal(proof->nfinding, 0);
	assert_int_equal(proof->nsignal, 4);
	assert_int_equal(proof->nmove, 6);
	assert_int_equal(proof->tokens_in_flight, 1);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

/* The document of R4-adds-a-rounded-sum as it should be; bound to the type itself it would be the
 * same without the key, but for the digest. */
static void sums_are_rounded_once(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = read_document("sound-accumulates");
	struct ordo_proof *proof = judge(schedule, NULL);
	assert_true(proof->proved && proof->complete);
	schedule->problem.accumulate = ORDO_ACCUMULATE_NONE;
	struct ordo_proof *plain = judge(schedule, NULL);
	assert_true(plain->proved);
	assert_int_equal(proof->chunk_tree[0], plain->chunk_tree[0]);
	assert_string_not_equal(proof->digest, plain->digest);
	ordo_proof_destroy(plain);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void the_witness_of_a_race_is_the_two_tasks(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = read_document("R8-two-writers-unordered");
	struct ordo_proof *proof = judge(schedule, NULL);
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			schedule->tasks[proof->findings[0].tasks[i]].kind, ORDO_SEND_REDUCE);
	assert_int_not_equal(proof->findings[0].tasks[0], proof->findings[0].tasks[1]);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void atomic_reduces_are_sound_but_have_no_fixed_order(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = read_document("R8-two-writers-unordered");
	struct ordo_proof *proof =
		judge(schedule, &(struct ordo_verify_options){.atomic_reduce = true});
	assert_true(proof->proved);
	assert_int_equal(proof->run_to_run, ORDO_DOES_NOT_HOLD);
	assert_non_null(strstr(proof->run_to_run_why, "rank 1"));
	assert_non_null(strstr(proof->run_to_run_why, "rank 2"));
	assert_string_equal(proof->digest, "");
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	schedule = read_document("R8-read-before-data");
	proof = judge(schedule, &(struct ordo_verify_options){.atomic_reduce = true});
	assert_false(proof->proved);
	assert_int_equal(proof->findings[0].rule, 8);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

/* Ranks 0 to 3 in a line: a ring closes through the ranks between, unless it is cut, or leads
 * one way. */
static void where_ranks_pass_on_any_way_will_do(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = handmade_ring(4, false);
	for (int cut = 0; cut < 3; cut++) {
		struct ordo_topology *line = ordo_topology_create("line", 4, 0, 0, NULL);
		for (uint32_t r = 0; r < 3; r++) {
			/* A second class of links between the same two changes nothing. */
			assert_true(ordo_topology_add(line, r, r + 1, NULL, 0, 1, NULL));
			assert_true(ordo_topology_add(line, r, r + 1, "other", 0, 1, NULL));
			if (cut < 2)
				assert_true(ordo_topology_add(line, r + 1, r, NULL, 0, 1, NULL));
		}
		assert_true(ordo_topology_finish(line, NULL));
		assert_true(cut != 1 || (ordo_topology_fail_link(line, 1, 2, NULL) &&
						ordo_topology_finish(line, NULL)));
		struct ordo_verify_options options = {.topology = line};
		struct ordo_proof *proof = judge(schedule, &options);
		assert_int_equal(proof->findings[0].rule, 12);
		assert_non_null(strstr(proof->findings[0].text, "there is no link from rank"));
		ordo_proof_destroy(proof);
		options.through_ranks = true;
		proof = judge(schedule, &options);
		assert_int_equal(proof->proved, cut == 0);
		if (cut) {
			assert_int_equal(proof->findings[0].rule, 12);
			assert_non_null(
				strstr(proof->findings[0].text, "there is no path from rank"));
		}
		ordo_proof_destroy(proof);
		ordo_topology_destroy(line);
	}
	ordo_schedule_destroy(schedule);
}

static void a_link_that_is_down_is_not_used(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = handmade_ring(4, false);
	struct ordo_topology *topology = ordo_topology_create("four", 4, 0, 0, NULL);
	for (uint32_t a = 0; a < 4; a++)
		for (uint32_t b = 0; b < 4; b++)
			assert_true(a == b || ordo_topology_add(topology, a, b, NULL, 1, 1, NULL));
	assert_true(ordo_topology_fail_link(topology, 0, 2, NULL) &&
		    ordo_topology_finish(topology, NULL));
	struct ordo_proof *proof =
		judge(schedule, &(struct ordo_verify_options){.topology = topology});
	assert_true(proof->proved);
	ordo_proof_destroy(proof);
	assert_true(ordo_topology_fail_link(topology, 1, 2, NULL) &&
		    ordo_topology_finish(topology, NULL));
	proof = judge(schedule, &(struct ordo_verify_options){.topology = topology});
	assert_int_equal(proof->findings[0].rule, 12);
	assert_non_null(strstr(proof->findings[0].text,
		"no link from rank 2 to rank 1 that is up in topology \"four\""));
	ordo_proof_destroy(proof);
	ordo_topology_destroy(topology);
	topology = ordo_topology_create("five", 5, 0, 0, NULL);
	assert_true(ordo_topology_finish(topology, NULL));
	proof = judge(schedule, &(struct ordo_verify_options){.topology = topology});
	assert_int_equal(proof->findings[0].rule, 12);
	assert_non_null(strstr(proof->findings[0].text, "4 ranks, topology \"five\" has 5"));
	ordo_proof_destroy(proof);
	ordo_topology_destroy(topology);
	ordo_schedule_destroy(schedule);
}

static void check_limit(struct ordo_limits limits, bool allowed, const char *says)
{
	struct ordo_schedule *schedule = handmade_chain(3, 0, 4);
	struct ordo_proof *proof = judge(schedule, &(struct ordo_verify_options){.limits = limits});
	assert_int_equal(proof->proved, allowed);
	assert_true(proof->complete);
	if (!allowed) {
		assert_int_equal(proof->findings[0].rule, 13);
		if (!strstr(proof->findings[0].text, says))
			fail_msg("%s", proof->findings[0].text);
	}
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void limits_are_kept_or_named(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = handmade_chain(3, 0, 4);
	struct ordo_proof *proof = judge(schedule, NULL);
	uint32_t tokens = proof->tokens_in_flight, scratch = schedule->scratch_slots;
	assert_true(proof->proved && tokens >= 1 && scratch >= 1);
	uint32_t nstream = schedule->programs[0].end_stream - schedule->programs[0].first_stream;
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	check_limit((struct ordo_limits){.streams = nstream}, true, "");
	check_limit((struct ordo_limits){.scratch_slots = scratch}, true, "");
	check_limit((struct ordo_limits){.tokens_in_flight = tokens}, true, "");
	check_limit((struct ordo_limits){.signals = 100}, true, "");
	check_limit((struct ordo_limits){.signals = 1}, false, "signals, wanted at most 1");
	schedule = handmade_ring(4, false);
	proof = judge(schedule, &(struct ordo_verify_options){.limits = {.tokens_in_flight = 1}});
	assert_false(proof->proved);
	assert_int_equal(proof->findings[0].rule, 13);
	assert_non_null(strstr(proof->findings[0].text,
		"tokens over calls back to back, wanted at most 1: that many Notify up to"));
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void a_ring_has_a_tree_for_every_chunk(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = handmade_ring(5, true);
	struct ordo_proof *proof = judge(schedule, NULL);
	assert_true(proof->proved);
	assert_int_equal(proof->ndistinct, 5);
	assert_int_equal(proof->rank_equal, ORDO_HOLDS);
	assert_int_equal(proof->run_to_run, ORDO_HOLDS);
	assert_int_equal(proof->position_invariant, ORDO_DOES_NOT_HOLD);
	assert_non_null(strstr(proof->position_why, "but chunk 1 is"));
	struct ordo_arena arena = {0};
	assert_string_equal(ordo_tree_print(&arena, &proof->trees, proof->chunk_tree[0], 100),
		"((((0+1)+2)+3)+4)");
	assert_string_equal(
		ordo_tree_print(&arena, &proof->trees, proof->chunk_tree[0], 2), "([0..3]+4)");
	ordo_arena_free(&arena);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void the_digest_names_the_order_not_the_form(void **state)
{
	(void)state;
	char digests[3][33];
	for (int i = 0; i < 3; i++) {
		struct ordo_schedule *schedule = handmade_ring(i == 2 ? 4 : 3, i == 1);
		struct ordo_proof *proof = judge(schedule, NULL);
		memcpy(digests[i], proof->digest, sizeof digests[i]);
		assert_int_equal(strlen(proof->digest), 32);
		ordo_proof_destroy(proof);
		ordo_schedule_destroy(schedule);
	}
	assert_string_equal(digests[0], digests[1]);
	assert_string_not_equal(digests[0], digests[2]);
}

static void finding_stops_at_the_number_asked_for(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = read_document("R7-both-wait-first");
	for (uint32_t i = 0; i < schedule->ntask; i++)
		schedule->tasks[i].peer = 9;
	struct ordo_proof *proof =
		judge(schedule, &(struct ordo_verify_options){.max_findings = 3});
	assert_int_equal(proof->nfinding, 3);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void a_deadlock_is_found_after_as_many_as_asked_for(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = read_document("R7-waits-for-itself");
	/* Rank 1 first copies what nobody wrote. */
	struct ordo_task *tasks = schedule->tasks + schedule->streams[1].first, copy = tasks[4];
	tasks[4] = tasks[0];
	tasks[0] = copy;
	tasks[0].src_buffer = ORDO_SCRATCH;
	struct ordo_proof *proof = judge(schedule, NULL);
	assert_int_equal(proof->nfinding, 2);
	assert_int_equal(proof->findings[0].rule, 7);
	assert_int_equal(proof->findings[1].rule, 10);
	ordo_proof_destroy(proof);
	proof = judge(schedule, &(struct ordo_verify_options){.max_findings = 1});
	assert_int_equal(proof->nfinding, 1);
	assert_int_equal(proof->findings[0].rule, 7);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

static void absurd_numbers_are_undecided_not_fatal(void **state)
{
	(void)state;
	const struct ordo_problem problem = {ORDO_ALLREDUCE, 1, 0, ORDO_LIMIT, 1, false, false};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "none", NULL);
	struct ordo_error error;
	assert_null(ordo_verify(schedule, NULL, &error));
	assert_int_equal(error.code, ORDO_UNDECIDED);
	/* Before any chunk is looked at: this many copies of all chunks would take hours. */
	assert_true(ordo_schedule_begin_stream(schedule, 0, "main", NULL));
	const struct ordo_task all = {.kind = ORDO_LOCAL_COPY,
		.src_buffer = ORDO_INPUT,
		.dst_buffer = ORDO_OUTPUT,
		.phase = ORDO_NO_PHASE,
		.count = ORDO_LIMIT};
	for (int i = 0; i < 1000; i++)
		assert_true(ordo_schedule_append(schedule, &all, NULL));
	assert_null(ordo_verify(schedule, NULL, &error));
	assert_int_equal(error.code, ORDO_UNDECIDED);
	ordo_schedule_destroy(schedule);
}

static void more_moves_than_can_be_followed_are_undecided(void **state)
{
	(void)state;
	enum { CHUNKS = 1 << 20, COPIES = 1 << 13 };
	const struct ordo_problem problem = {ORDO_ALLREDUCE, 1, 0, CHUNKS, 1, false, false};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "none", NULL);
	struct ordo_error error;
	assert_true(ordo_schedule_begin_stream(schedule, 0, "main", NULL));
	const struct ordo_task all = {.kind = ORDO_LOCAL_COPY,
		.src_buffer = ORDO_INPUT,
		.dst_buffer = ORDO_OUTPUT,
		.phase = ORDO_NO_PHASE,
		.count = CHUNKS};
	for (int i = 0; i < COPIES; i++)
		assert_true(ordo_schedule_append(schedule, &all, NULL));
	assert_null(ordo_verify(schedule, NULL, &error));
	assert_int_equal(error.code, ORDO_UNDECIDED);
	ordo_schedule_destroy(schedule);
}

/* What is cut off has as many leaves as 0..29, but 0 twice and 1 never. */
static void a_broken_tree_is_not_said_to_be_a_range(void **state)
{
	(void)state;
	char lines[4096];
	int at = sprintf(lines, "rank 0\nLocalCopy chunk 0 input 0 -> output 0\n");
	for (int i = 0; i < 34; i++)
		at += sprintf(lines + at, "LocalReduce chunk 0 input %d -> output 0\n",
			!i	 ? 0
			: i < 29 ? i + 1
				 : i - 29);
	struct ordo_schedule *schedule = handmade(
		&(struct ordo_problem){
			.op = ORDO_ALLREDUCE, .nrank = 1, .nshard = 30, .chunks_per_block = 1},
		0, lines);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	assert_non_null(proof);
	assert_int_equal(proof->nfinding, 1);
	assert_non_null(strstr(proof->findings[0].text, "(((((...+0)+1)+2)+3)+4)"));
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reject_case_is_refused_for_its_rule),
		cmocka_unit_test(the_sound_document_beside_them_is_proved),
		cmocka_unit_test(sums_are_rounded_once),
		cmocka_unit_test(the_witness_of_a_race_is_the_two_tasks),
		cmocka_unit_test(atomic_reduces_are_sound_but_have_no_fixed_order),
		cmocka_unit_test(where_ranks_pass_on_any_way_will_do),
		cmocka_unit_test(a_link_that_is_down_is_not_used),
		cmocka_unit_test(limits_are_kept_or_named),
		cmocka_unit_test(a_ring_has_a_tree_for_every_chunk),
		cmocka_unit_test(the_digest_names_the_order_not_the_form),
		cmocka_unit_test(finding_stops_at_the_number_asked_for),
		cmocka_unit_test(a_deadlock_is_found_after_as_many_as_asked_for),
		cmocka_unit_test(absurd_numbers_are_undecided_not_fatal),
		cmocka_unit_test(more_moves_than_can_be_followed_are_undecided),
		cmocka_unit_test(a_broken_tree_is_not_said_to_be_a_range),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
