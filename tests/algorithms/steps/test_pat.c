/* test_pat.c - parallel aggregated trees: claims, the bounds of messages and of scratch, rounds,
 * orders. */
#include "compiling.h"

#include <math.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const enum ordo_operator operators[2] = {ORDO_REDUCESCATTER, ORDO_ALLGATHER};
static const uint32_t bounds[] = {1, 2, 3, 5, 8, 1000};
enum { NBOUND = sizeof bounds / sizeof *bounds };

static struct ordo_schedule *compile_with(enum ordo_operator op, uint32_t nrank, uint32_t bound)
{
	char algorithm[32];
	snprintf(algorithm, sizeof algorithm, "pat(aggregate=%u)", bound);
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank}, .algorithm = algorithm};
	return compile_proved(&request);
}

static void every_number_of_ranks_is_proved_and_keeps_its_claims(void **state)
{
	(void)state;
	static const char *const forms[] = {"pat", "pat(aggregate=1)", "pat(aggregate=3)"};
	for (uint32_t nrank = 1; nrank <= 33; nrank += nrank < 9 ? 1 : 8)
		for (int op = 0; op < 2; op++)
			for (int form = 0; form < 3; form++)
				check_everywhere(forms[form], operators[op], nrank);
}

/* What a rank sends in a phase, all of it to one peer. */
struct message {
	uint32_t nblock, peer;
};

static struct message message_in(
	const struct ordo_schedule *schedule, uint32_t rank, uint32_t phase)
{
	struct message message = {0, ORDO_NONE};
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			if (schedule->streams[s].rank != rank || task->phase != phase ||
				!(task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE))
				continue;
			assert_true(message.peer == ORDO_NONE || message.peer == task->peer);
			message.peer = task->peer;
			message.nblock += task->count;
		}
	return message;
}

static void no_message_is_above_the_bound(void **state)
{
	(void)state;
	for (uint32_t nrank = 2; nrank <= 33; nrank++)
		for (int i = 0; i < 2 * NBOUND; i++) {
			const uint32_t bound = bounds[i / 2];
			struct ordo_schedule *schedule =
				compile_with(operators[i % 2], nrank, bound);
			uint32_t most = 0;
			for (uint32_t phase = 0; phase < schedule->nphase; phase++)
				for (uint32_t rank = 0; rank < nrank; rank++) {
					const struct message message =
						message_in(schedule, rank, phase);
					most = message.nblock > most ? message.nblock : most;
				}
			assert_true(most <= bound);
			/* Nor further below it than the next power of two of subtrees. */
			assert_true(most == nrank / 2 || 2 * most + 1 > bound);
			ordo_schedule_destroy(schedule);
		}
}

static uint32_t ceil_log2(uint32_t n)
{
	uint32_t q = 0;
	while (1u << q < n)
		q++;
	return q;
}

/* m: 2^m is the least power of two that leaves at most `bound` blocks a message. */
static uint32_t depth_of(uint32_t nrank, uint32_t bound)
{
	uint32_t m = 1;
	while ((uint64_t)bound << m < nrank - 1)
		m++;
	return m;
}

static void scratch_stays_within_its_bound(void **state)
{
	(void)state;
	for (uint32_t nrank = 2; nrank <= 130; nrank += nrank < 35 ? 1 : 31)
		for (int i = 0; i < NBOUND; i++) {
			struct ordo_schedule *schedule =
				compile_with(ORDO_REDUCESCATTER, nrank, bounds[i]);
			const uint32_t m = depth_of(nrank, bounds[i]),
				       width = (nrank + (1u << m) - 1) >> m;
			/* A logarithmic number of messages' blocks. */
			assert_true(schedule->scratch_slots <= m * width - 1);
			assert_true(width <= bounds[i] + 1);
			if (ceil_log2(nrank + 1) != ceil_log2(nrank) && nrank > 2 && bounds[i] == 1)
				assert_int_equal(schedule->scratch_slots, ceil_log2(nrank) - 1);
			ordo_schedule_destroy(schedule);
			schedule = compile_with(ORDO_ALLGATHER, nrank, bounds[i]);
			assert_int_equal(schedule->scratch_slots, 0);
			ordo_schedule_destroy(schedule);
		}
}

/* Rounds that go through subtrees, of which the ranks may be fewer; and those between. */
static uint32_t rounds_of(uint32_t nrank, uint32_t bound)
{
	const uint32_t m = depth_of(nrank, bound), below = nrank < 1u << m ? nrank : 1u << m;
	return below - 1 + ceil_log2(nrank) - m;
}

static void rounds_are_as_many_as_the_formula_says(void **state)
{
	(void)state;
	for (uint32_t nrank = 2; nrank <= 70; nrank += nrank < 35 ? 1 : 7)
		for (int i = 0; i < NBOUND; i++) {
			struct ordo_schedule *schedule =
				compile_with(ORDO_REDUCESCATTER, nrank, bounds[i]);
			assert_int_equal(schedule->nphase, rounds_of(nrank, bounds[i]));
			ordo_schedule_destroy(schedule);
			schedule = compile_with(ORDO_ALLGATHER, nrank, bounds[i]);
			/* And one in which blocks are copied that stay. */
			assert_int_equal(schedule->nphase, rounds_of(nrank, bounds[i]) + 1);
			ordo_schedule_destroy(schedule);
		}
}

static void the_last_and_greatest_message_goes_to_the_neighbour(void **state)
{
	(void)state;
	for (uint32_t nrank = 3; nrank <= 33; nrank++) {
		struct ordo_schedule *schedule = compile_with(ORDO_ALLGATHER, nrank, 1000);
		const struct message first = message_in(schedule, 0, 1),
				     last = message_in(schedule, 0, schedule->nphase - 1);
		assert_int_equal(first.nblock, 1);
		assert_int_equal(first.peer, 1u << (ceil_log2(nrank) - 1));
		assert_int_equal(last.nblock, nrank / 2);
		assert_int_equal(last.peer, 1);
		ordo_schedule_destroy(schedule);
	}
}

static const char *digest_of(const struct ordo_schedule *schedule, char digest[33], uint32_t *ntree)
{
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	assert_non_null(proof);
	memcpy(digest, proof->digest, 33);
	*ntree = proof->ndistinct;
	ordo_proof_destroy(proof);
	return digest;
}

static void all_bounds_add_as_nhr_does(void **state)
{
	(void)state;
	for (uint32_t nrank = 2; nrank <= 33; nrank++) {
		const struct ordo_request request = {
			.problem = {.op = ORDO_REDUCESCATTER, .nrank = nrank}, .algorithm = "nhr"};
		struct ordo_schedule *nhr = compile_proved(&request);
		char wanted[33], found[33];
		uint32_t ntree;
		digest_of(nhr, wanted, &ntree);
		ordo_schedule_destroy(nhr);
		for (int i = 0; i < NBOUND; i++) {
			struct ordo_schedule *schedule =
				compile_with(ORDO_REDUCESCATTER, nrank, bounds[i]);
			assert_string_equal(digest_of(schedule, found, &ntree), wanted);
			assert_int_equal(ntree, (nrank & (nrank - 1)) == 0 ? nrank / 2 : nrank);
			ordo_schedule_destroy(schedule);
		}
	}
}

/* (2^m-1 + q-m) a + (p-1)/p n (b [+ g]) */
static void times_are_the_closed_form(void **state)
{
	(void)state;
	const struct ordo_machine machine = {
		.latency_ns = 1300, .bandwidth_gbs = 47, .reduce_bandwidth_gbs = 171};
	for (uint32_t p = 2; p <= 33; p += p < 18 ? 1 : 5)
		for (int i = 0; i < 2 * NBOUND; i++) {
			const bool sums = i % 2;
			struct ordo_schedule *schedule = compile_with(
				sums ? ORDO_REDUCESCATTER : ORDO_ALLGATHER, p, bounds[i / 2]);
			for (double n = 8 * p; n < 1u << 26; n *= 512) {
				const struct ordo_predict_options options = {
					.machine = machine, .bytes = (uint64_t)n};
				struct ordo_prediction *prediction =
					ordo_predict(schedule, &options, NULL);
				assert_non_null(prediction);
				const double a = machine.latency_ns, b = 1 / machine.bandwidth_gbs,
					     g = sums / machine.reduce_bandwidth_gbs;
				const double wanted = 1e-9 * (rounds_of(p, bounds[i / 2]) * a +
								     (p - 1.0) / p * n * (b + g));
				const double found = prediction->timeline->total;
				if (fabs(found - wanted) > 1e-12 * wanted)
					fail_msg("%u ranks, at most %u blocks: found %.17g, wanted "
						 "%.17g",
						p, bounds[i / 2], found, wanted);
				ordo_prediction_destroy(prediction);
			}
			ordo_schedule_destroy(schedule);
		}
}

static void what_is_no_bound_is_refused(void **state)
{
	(void)state;
	static const char *const wrong[] = {
		"pat(aggregate=0)", "pat(aggregate=-1)", "pat(aggregate=some)"};
	for (int i = 0; i < 3; i++) {
		const struct ordo_request request = {
			.problem = {.op = ORDO_ALLGATHER, .nrank = 4}, .algorithm = wrong[i]};
		struct ordo_error error = {0};
		assert_null(ordo_compile(&request, &error));
		assert_int_equal(error.code, ORDO_USAGE);
		assert_non_null(strstr(error.text, "all|1.."));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_number_of_ranks_is_proved_and_keeps_its_claims),
		cmocka_unit_test(no_message_is_above_the_bound),
		cmocka_unit_test(scratch_stays_within_its_bound),
		cmocka_unit_test(rounds_are_as_many_as_the_formula_says),
		cmocka_unit_test(the_last_and_greatest_message_goes_to_the_neighbour),
		cmocka_unit_test(all_bounds_add_as_nhr_does),
		cmocka_unit_test(times_are_the_closed_form),
		cmocka_unit_test(what_is_no_bound_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
