/* test_bine.c - binomial negabinary trees and butterflies: claims, distances, orders. */
#include "compiling.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum {
	VECTORS = 1 << ORDO_ALLREDUCE | 1 << ORDO_REDUCE | 1 << ORDO_BROADCAST,
	ALL = VECTORS | 1 << ORDO_REDUCESCATTER | 1 << ORDO_ALLGATHER | 1 << ORDO_SCATTER |
	      1 << ORDO_GATHER
};

static const struct {
	const char *algorithm;
	int operators;
} forms[] = {{"bine", ALL}, {"bine(first=near)", ALL}, {"bine(first=far)", ALL},
	{"bine(data=small)", VECTORS}, {"bine(data=small,first=near)", VECTORS}};
enum { NFORM = sizeof forms / sizeof *forms };

static void each_is_proved_and_keeps_its_claims(void **state)
{
	(void)state;
	static const uint32_t ranks[] = {1, 2, 4, 8, 16, 6, 10, 12, 18};
	for (int form = 0; form < NFORM; form++)
		for (int op = 0; op < ORDO_NOPERATOR; op++)
			for (size_t i = 0;
				forms[form].operators >> op & 1 && i < (form < 3 ? 9 : 5); i++)
				check_everywhere(
					forms[form].algorithm, (enum ordo_operator)op, ranks[i]);
}

static struct ordo_request request_of(const char *algorithm, enum ordo_operator op, uint32_t nrank)
{
	return (struct ordo_request){.problem = {.op = op, .nrank = nrank}, .algorithm = algorithm};
}

static void check_formula(const char *algorithm, enum ordo_operator op, uint32_t nrank,
	uint64_t steps, uint64_t volume)
{
	const struct ordo_request request = request_of(algorithm, op, nrank);
	const struct measured claims = claims_of(&request);
	assert_int_equal(claims.steps, steps);
	assert_int_equal(claims.volume, volume);
}

static void claims_follow_the_formulas(void **state)
{
	(void)state;
	for (uint32_t n = 2, q = 1; n <= 128; n *= 2, q++) {
		const uint64_t twice = 2 * (uint64_t)q;
		check_formula("bine", ORDO_REDUCESCATTER, n, q, n - 1);
		check_formula("bine", ORDO_ALLGATHER, n, q, n - 1);
		check_formula("bine", ORDO_ALLREDUCE, n, twice, 2 * (n - 1));
		check_formula("bine", ORDO_SCATTER, n, q, n - 1);
		check_formula("bine", ORDO_BROADCAST, n, twice - 1, 2 * (n - 1));
		check_formula("bine(data=small)", ORDO_ALLREDUCE, n, q, q);
		check_formula("bine(data=small)", ORDO_BROADCAST, n, q, q);
		check_formula("bine(data=small)", ORDO_REDUCE, n, q, 1);
	}
}

static uint32_t ring_distance(uint32_t a, uint32_t b, uint32_t nrank)
{
	const uint32_t ahead = (b + nrank - a) % nrank;
	return ahead < nrank - ahead ? ahead : nrank - ahead;
}

/* Chunks times ranks that they pass along a ring. */
static uint64_t total_distance(const struct ordo_request *request)
{
	struct ordo_schedule *schedule = compile_proved(request);
	uint64_t sum = 0;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			if (task->kind == ORDO_SEND || task->kind == ORDO_SEND_REDUCE)
				sum += (uint64_t)task->count *
				       ring_distance(schedule->streams[s].rank, task->peer,
					       request->problem.nrank);
		}
	ordo_schedule_destroy(schedule);
	return sum;
}

/* A step over 2^s in a binomial tree goes over |1-(-2)^(s+1)|/3 here; 2^(q-1) is the same distance
 * both ways round. */
static void ways_are_shorter_than_in_a_binomial_tree(void **state)
{
	(void)state;
	for (uint32_t nrank = 8, q = 3; nrank <= 128; nrank *= 2, q++)
		for (uint32_t root = 0; root < nrank; root += nrank / 8 + 1) {
			struct ordo_request bine =
				request_of("bine(data=small)", ORDO_BROADCAST, nrank);
			struct ordo_request tree = request_of("tree", ORDO_BROADCAST, nrank);
			bine.problem.root = tree.problem.root = root;
			bine.problem.chunks_per_block = tree.problem.chunks_per_block = 1;
			uint64_t found = total_distance(&bine), binomial = total_distance(&tree);
			uint64_t wanted = 0;
			for (uint32_t s = 0; s < q; s++) {
				const uint32_t power = 2u << s;
				wanted += (uint64_t)(nrank / power) *
					  ring_distance(0, (power + (s % 2 ? -1u : 1u)) / 3, nrank);
			}
			assert_int_equal(found, wanted);
			assert_true(found < binomial);
		}
	const struct ordo_request bine = request_of("bine", ORDO_REDUCESCATTER, 64),
				  halving = request_of(
					  "halving-doubling(masks=near)", ORDO_REDUCESCATTER, 64);
	assert_true(4 * total_distance(&bine) < 3 * total_distance(&halving));
}

/* How many stretches of blocks there are round the ring. */
static uint32_t count_stretches(const bool *has, uint32_t nrank)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < nrank; i++)
		count += has[i] && !has[(i + 1) % nrank];
	return count;
}

/* Every Send goes as far as those of step s of the butterfly, s = from, from - 1, ... or from + 1,
 * ..., in the phases, and a message is one stretch of blocks. */
static void check_steps(const struct ordo_schedule *schedule, uint32_t from, bool descends)
{
	const uint32_t nrank = schedule->problem.nrank;
	static bool has[6][64][64]; /* [step][rank][block] */
	memset(has, 0, sizeof has);
	for (uint32_t i = 0; i < schedule->nstream; i++)
		for (uint32_t t = schedule->streams[i].first; t < schedule->streams[i].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			const uint32_t rank = schedule->streams[i].rank;
			if (task->kind != ORDO_SEND)
				continue;
			const char *phase = schedule->phases[task->phase];
			const uint32_t step = (uint32_t)(*strpbrk(phase, "0123456789") - '0'),
				       s = descends ? from - step : from + step;
			assert_int_equal(ring_distance(rank, task->peer, nrank),
				((2u << s) + (s % 2 ? -1u : 1u)) / 3);
			for (uint32_t k = 0; k < task->count; k++)
				has[step][rank][task->chunk + k] = true;
		}
	for (uint32_t step = 0; step < 6; step++)
		for (uint32_t rank = 0; rank < nrank; rank++)
			assert_true(count_stretches(has[step][rank], nrank) <= 1);
}

static void scatter_begins_far_and_gather_near(void **state)
{
	(void)state;
	for (uint32_t nrank = 4, q = 2; nrank <= 64; nrank *= 2, q++)
		for (uint32_t root = 0; root < nrank; root += nrank / 4 + 1) {
			struct ordo_request request = request_of("bine", ORDO_SCATTER, nrank);
			request.problem.root = root;
			struct ordo_schedule *schedule = compile_proved(&request);
			check_steps(schedule, q - 1, true);
			ordo_schedule_destroy(schedule);
			request.problem.op = ORDO_GATHER;
			schedule = compile_proved(&request);
			check_steps(schedule, 0, false);
			ordo_schedule_destroy(schedule);
		}
}

static uint32_t count_trees(const char *algorithm, enum ordo_operator op, uint32_t nrank)
{
	const struct ordo_request request = request_of(algorithm, op, nrank);
	struct ordo_schedule *schedule = compile_proved(&request);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	assert_non_null(proof);
	const uint32_t ntree = proof->ndistinct;
	assert_int_equal(proof->rank_equal, ORDO_HOLDS);
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	return ntree;
}

static void far_first_there_is_one_tree(void **state)
{
	(void)state;
	for (uint32_t nrank = 4; nrank <= 64; nrank *= 2) {
		assert_int_equal(count_trees("bine", ORDO_REDUCESCATTER, nrank), nrank / 4);
		assert_int_equal(count_trees("bine(first=far)", ORDO_ALLREDUCE, nrank), 1);
		assert_int_equal(count_trees("bine(data=small)", ORDO_ALLREDUCE, nrank), 1);
	}
	/* By hand: 0 and 3, 1 and 6, 2 and 5, 4 and 7; then one back; then one on. */
	const struct ordo_request request = request_of("bine(data=small)", ORDO_ALLREDUCE, 8);
	check_order(&request, "(((0+3)+(4+7))+((1+6)+(2+5)))");
}

static void refused(const char *algorithm, enum ordo_operator op, uint32_t nrank, const char *text)
{
	const struct ordo_request request = request_of(algorithm, op, nrank);
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_non_null(strstr(error.text, text));
}

static void what_does_not_apply_is_refused(void **state)
{
	(void)state;
	refused("bine", ORDO_SCATTER, 7, "bine needs an even number of ranks, found 7");
	refused("bine(data=small)", ORDO_REDUCE, 6,
		"bine needs a power of two of ranks for small data, found 6");
	refused("bine(data=small)", ORDO_GATHER, 4,
		"bine has a form for small data for AllReduce, Reduce and Broadcast, not for "
		"Gather");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_is_proved_and_keeps_its_claims),
		cmocka_unit_test(claims_follow_the_formulas),
		cmocka_unit_test(ways_are_shorter_than_in_a_binomial_tree),
		cmocka_unit_test(scatter_begins_far_and_gather_near),
		cmocka_unit_test(far_first_there_is_one_tree),
		cmocka_unit_test(what_does_not_apply_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
