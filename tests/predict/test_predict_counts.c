/* test_predict_counts.c - predicted times of blocks of unequal sizes: the closed form of pairwise,
 * and for every algorithm a second simulation, lower bounds, and what equal counts must give.
 */
#include "few.h"
#include "specimens.h"
#include <math.h>
#include <ordo/compiler.h>
#include <ordo/detail/schedules.h>
#include <ordo/detail/slots.h>
#include <ordo/detail/tune.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

static const double ALPHA = 1e-6, BETA = 1 / 56e9;
static uint64_t turn = 1;

static uint64_t draw(uint64_t below)
{
	turn = turn * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (turn >> 33) % below;
}

static void *make(size_t count, size_t size)
{
	void *items = calloc(count + 1, size);
	assert_non_null(items);
	return items;
}

/* Adding takes next to no time, so that nothing is shared. */
static struct ordo_predict_options options_of(const uint64_t *counts)
{
	struct ordo_predict_options options = {
		.machine = ordo_machine_usual(), .element_bytes = 4, .block_count = counts};
	options.machine.reduce_bandwidth_gbs = 1e30;
	return options;
}

static struct ordo_prediction *predict(
	const struct ordo_schedule *schedule, const struct ordo_predict_options *options)
{
	struct ordo_error error;
	struct ordo_prediction *prediction = ordo_predict(schedule, options, &error);
	if (!prediction)
		fail_msg("%s", error.text);
	return prediction;
}

static struct ordo_schedule *compile(enum ordo_operator op, uint32_t nrank, const char *algorithm)
{
	struct ordo_error error;
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank}, .algorithm = algorithm};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		fail_msg("%s", error.text);
	return schedule;
}

static bool is_near(double a, double b)
{
	return fabs(a - b) <= 1e-12 * fabs(b) + 1e-24;
}

static double rounds_of(const struct ordo_prediction *prediction)
{
	const struct ordo_round_sum *rounds = &prediction->rounds;
	return rounds->latency + rounds->wire + rounds->reduce + rounds->copy;
}

/* Pairwise. */

enum matrix { ANY, SPARSE, EMPTY, ROUND_ROBIN, LED, NMATRIX };

/* ROUND_ROBIN: all messages of a round are equal; LED: rank 0 has the longest one of each. */
static void fill_matrix(uint64_t *counts, uint32_t p, enum matrix matrix)
{
	for (uint32_t i = 0; i < p; i++)
		for (uint32_t j = 0; j < p; j++) {
			uint64_t *count = &counts[i * p + j];
			const uint32_t k = (j + p - i) % p;
			*count = matrix == EMPTY || (matrix == SPARSE && draw(3))
					 ? 0
					 : 1 + draw(100000);
			if (matrix == ROUND_ROBIN)
				*count = i ? counts[k] : *count;
			if (matrix == LED && i)
				*count = draw(counts[k] + 1);
		}
}

/* max over ranks of what they send one after another, and the sum over rounds of the longest; with
 * an alpha for each message, and for each round, that is not empty. */
static void check_pairwise(const struct ordo_schedule *schedule, const uint64_t *counts, uint32_t p,
	enum matrix matrix)
{
	const struct ordo_predict_options options = options_of(counts);
	struct ordo_prediction *prediction = predict(schedule, &options);
	double busiest = 0, rounds = 0;
	uint32_t nround = 0;
	for (uint32_t i = 0; i < p; i++) {
		double own = 0;
		for (uint32_t j = 0; j < p; j++)
			if (j != i && counts[i * p + j])
				own += ALPHA + BETA * 4 * (double)counts[i * p + j];
		busiest = fmax(busiest, own);
	}
	for (uint32_t k = 1; k < p; k++) {
		uint64_t most = 0;
		for (uint32_t i = 0; i < p; i++)
			if (counts[i * p + (i + k) % p] > most)
				most = counts[i * p + (i + k) % p];
		nround += most > 0;
		rounds += (most ? ALPHA : 0) + BETA * 4 * (double)most;
	}
	assert_true(is_near(prediction->timeline->total, busiest));
	assert_true(is_near(rounds_of(prediction), rounds));
	assert_int_equal(prediction->rounds.nround, nround);
	assert_true(prediction->timeline->total <= rounds * (1 + 1e-12));
	if (matrix == ROUND_ROBIN || matrix == LED)
		assert_true(is_near(prediction->timeline->total, rounds));
	if (matrix == ANY)
		assert_int_equal(nround, p - 1);
	ordo_prediction_destroy(prediction);
}

static void pairwise_is_its_closed_form(void **state)
{
	(void)state;
	uint64_t counts[16 * 16];
	for (uint32_t p = 1; p <= 16; p++) {
		struct ordo_schedule *schedule = compile(ORDO_ALLTOALL, p, "pairwise");
		for (uint32_t i = 0; i < 4 * NMATRIX; i++) {
			fill_matrix(counts, p, (enum matrix)(i % NMATRIX));
			check_pairwise(schedule, counts, p, (enum matrix)(i % NMATRIX));
		}
		ordo_schedule_destroy(schedule);
	}
}

/* Every algorithm. */

static void fill_counts(uint64_t *counts, const struct ordo_problem *problem, uint64_t most)
{
	const uint64_t form = draw(6);
	for (uint32_t b = 0; b < ordo_nblock(problem); b++)
		counts[b] = form == 0 || draw(2) ? draw(most) : 0;
}

struct again {
	const struct ordo_schedule *schedule;
	const uint64_t *counts;
	double *ends;	   /* [ntask]; negative: not yet */
	uint32_t *notifys; /* [ntask] of a Wait: its Notify */
};

static double bytes_of(const struct again *again, const struct ordo_task *task)
{
	const uint32_t K = again->schedule->problem.chunks_per_block;
	uint64_t n = 0;
	for (uint32_t c = task->chunk; c < task->chunk + task->count; c++)
		n += ordo_chunk_begin(again->counts[c / K], K, c % K + 1, 1) -
		     ordo_chunk_begin(again->counts[c / K], K, c % K, 1);
	return 4 * (double)n;
}

/* The time at which a stream ends, if all its tokens are there; otherwise it is left for later. */
static bool follow(struct again *again, uint32_t s)
{
	const struct ordo_schedule *schedule = again->schedule;
	double now = 0, issued = 0;
	const struct ordo_task *last = NULL; /* Send of the message that is under way */
	for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
		const struct ordo_task *task = &schedule->tasks[i];
		const double bytes = ordo_task_moves(task) ? bytes_of(again, task) : 0;
		if (task->kind == ORDO_WAIT) {
			const double token = again->ends[again->notifys[i]];
			if (token < 0)
				return false;
			now = fmax(now, token);
			issued = fmax(issued, token);
		} else if (bytes > 0 && task->kind >= ORDO_SEND) {
			const bool goes_on = last && last->peer == task->peer &&
					     last->phase == task->phase &&
					     task->phase != ORDO_NO_PHASE;
			const double latency = goes_on ? fmax(0, issued + ALPHA - now) : ALPHA;
			issued = goes_on ? issued : now;
			last = task;
			now += latency + bytes * BETA;
		} else if (bytes > 0) {
			last = NULL;
		}
		again->ends[i] = now;
	}
	return true;
}

static double simulate_again(const struct ordo_schedule *schedule, const uint64_t *counts,
	const struct ordo_timeline *timeline)
{
	struct again again = {schedule, counts, make(schedule->ntask, sizeof(double)),
		make(schedule->ntask, sizeof(uint32_t))};
	double total = 0;
	for (uint32_t i = 0; i < schedule->ntask; i++) {
		again.ends[i] = -1;
		again.notifys[i] = timeline->tasks[i].notify;
	}
	for (bool done = false; !done;) {
		done = true;
		for (uint32_t s = 0; s < schedule->nstream; s++)
			done &= follow(&again, s);
	}
	for (uint32_t i = 0; i < schedule->ntask; i++)
		total = fmax(total, again.ends[i]);
	free(again.ends);
	free(again.notifys);
	return total;
}

/* Do two streams of a rank send to one other, over one link? What shares is not simulated again. */
static bool shares_links(const struct ordo_schedule *schedule)
{
	const uint32_t N = schedule->problem.nrank;
	uint32_t *senders = make((size_t)N * N, sizeof *senders);
	bool shares = false;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t i = schedule->streams[s].first; i < schedule->streams[s].end; i++) {
			const struct ordo_task *task = &schedule->tasks[i];
			if (task->kind != ORDO_SEND && task->kind != ORDO_SEND_REDUCE)
				continue;
			uint32_t *sender = &senders[schedule->streams[s].rank * N + task->peer];
			shares |= *sender && *sender != s + 1;
			*sender = s + 1;
		}
	free(senders);
	return shares;
}

static double largest(const struct ordo_time_bounds *bounds)
{
	return fmax(fmax(bounds->steps, bounds->volume), fmax(bounds->reduce, bounds->cut));
}

static void check_bounds(const char *title, const struct ordo_prediction *prediction)
{
	if (largest(&prediction->bounds) > prediction->timeline->total * (1 + 1e-9))
		fail_msg("%s: a bound of %g s, and %g s", title, largest(&prediction->bounds),
			prediction->timeline->total);
}

static void check_simulated(
	const struct specimen *specimen, const struct ordo_schedule *schedule, uint64_t *counts)
{
	struct ordo_predict_options options = options_of(counts);
	fill_counts(counts, &schedule->problem, 5000);
	struct ordo_prediction *prediction = predict(schedule, &options);
	const bool alone = !shares_links(schedule);
	const double again = alone ? simulate_again(schedule, counts, prediction->timeline) : 0;
	if (alone && !is_near(prediction->timeline->total, again))
		fail_msg("%s: found %.17g, wanted %.17g", specimen->title,
			prediction->timeline->total, again);
	check_bounds(specimen->title, prediction);
	ordo_prediction_destroy(prediction);
}

/* Equal counts, in whole chunks, are what bytes are, but for the bounds: these look at other cuts.
 * Without a byte nothing takes time. */
static void check_equal(
	const struct specimen *specimen, const struct ordo_schedule *schedule, uint64_t *counts)
{
	const struct ordo_problem *problem = &schedule->problem;
	const uint64_t count = 12 * (uint64_t)problem->chunks_per_block,
		       nblock =
			       problem->op == ORDO_ALLTOALL ? problem->nrank : ordo_nblock(problem);
	for (uint32_t b = 0; b < ordo_nblock(problem); b++)
		counts[b] = count;
	struct ordo_predict_options options = options_of(NULL);
	options.bytes = count * nblock * 4;
	struct ordo_prediction *bytes = predict(schedule, &options);
	options.block_count = counts;
	options.bytes = 0;
	struct ordo_prediction *elements = predict(schedule, &options);
	options.bytes = count * nblock * 4;
	options.proportional = true;
	struct ordo_prediction *shares = predict(schedule, &options);
	if (!is_near(elements->timeline->total, bytes->timeline->total) ||
		!is_near(shares->timeline->total, bytes->timeline->total))
		fail_msg("%s: equal counts take another time", specimen->title);
	assert_true(is_near(elements->bytes, bytes->bytes));
	memset(counts, 0, ordo_nblock(problem) * sizeof *counts);
	struct ordo_prediction *none = predict(schedule, &options);
	assert_true(none->timeline->total <= 0 && largest(&none->bounds) <= 0);
	assert_int_equal(none->rounds.nround, 0);
	ordo_prediction_destroy(bytes);
	ordo_prediction_destroy(elements);
	ordo_prediction_destroy(shares);
	ordo_prediction_destroy(none);
}

static void visit(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	if (!ordo_has_counts(schedule->problem.op))
		return;
	uint64_t *counts = make(ordo_nblock(&schedule->problem), sizeof *counts);
	check_simulated(specimen, schedule, counts);
	check_equal(specimen, schedule, counts);
	free(counts);
	++*(uint32_t *)closure;
}

static void every_algorithm_is_simulated_again(void **state)
{
	(void)state;
	const struct specimen_range range = {.first_rank = 1,
		.last_rank = 9,
		.every = FEW ? 16 : 4,
		.all_roots = true,
		.all_chunks = true};
	uint32_t nvisit = 0;
	visit_specimens(&range, visit, &nvisit);
	assert_true(nvisit > (FEW ? 75 : 300));
}

struct bounding {
	const struct ordo_topology *topology;
	uint32_t nvisit;
};

static void visit_bounds(
	const struct specimen *specimen, const struct ordo_schedule *schedule, void *closure)
{
	struct bounding *bounding = closure;
	if (!ordo_has_counts(schedule->problem.op))
		return;
	uint64_t *counts = make(ordo_nblock(&schedule->problem), sizeof *counts);
	fill_counts(counts, &schedule->problem, 50000);
	struct ordo_predict_options options = {.topology = bounding->topology,
		.machine = ordo_machine_usual(),
		.element_bytes = 4,
		.block_count = counts};
	struct ordo_prediction *prediction = predict(schedule, &options);
	check_bounds(specimen->title, prediction);
	ordo_prediction_destroy(prediction);
	free(counts);
	bounding->nvisit++;
}

static void nothing_is_faster_than_the_bounds(void **state)
{
	(void)state;
	static const struct {
		const char *name;
		uint32_t nrank;
	} topologies[] = {{"full-mesh", 6}, {"ring", 6}, {"star", 7}, {"hypercube", 8},
		{"torus:3x3", 9}, {"servers:2x4", 8}};
	uint32_t nvisit = 0;
	for (size_t i = 0; i < sizeof topologies / sizeof *topologies; i++) {
		struct ordo_error error;
		struct ordo_topology *topology =
			ordo_topology_make(topologies[i].name, topologies[i].nrank, &error);
		if (!topology)
			fail_msg("%s", error.text);
		struct bounding bounding = {topology, 0};
		const struct specimen_range range = {.topology = topology,
			.first_rank = topology->nrank,
			.last_rank = topology->nrank,
			.every = FEW ? 4 : 1};
		visit_specimens(&range, visit_bounds, &bounding);
		nvisit += bounding.nvisit;
		ordo_topology_destroy(topology);
	}
	assert_true(nvisit > (FEW ? 12 : 50));
}

/* The bounds of a few blocks by hand: alpha 1000 ns, 56 bytes a nanosecond. */
static void bounds_are_of_the_blocks_there_are(void **state)
{
	(void)state;
	struct ordo_schedule *schedule = compile(ORDO_ALLGATHER, 4, "mesh");
	const uint64_t counts[4] = {0, 5600, 0, 0};
	const struct ordo_predict_options options = options_of(counts);
	struct ordo_prediction *prediction = predict(schedule, &options);
	/* Three ranks want 22,400 bytes of one that has three links. */
	assert_true(is_near(prediction->bounds.steps, 1e-6));
	assert_true(is_near(prediction->bounds.volume, 22400 / (3 * 56e9)));
	assert_true(is_near(prediction->timeline->total, 1e-6 + 22400 / 56e9));
	assert_true(is_near(prediction->bytes, 22400));
	ordo_prediction_destroy(prediction);
	ordo_schedule_destroy(schedule);
}

/* What is tuned for counts is the fastest of all for them. */
static void tuning_is_for_the_counts(void **state)
{
	(void)state;
	uint64_t counts[64];
	for (uint32_t i = 0; i < 64; i++)
		counts[i] = i / 8 == 0 && i % 8 ? 1000 : i % 8 == (i / 8 + 1) % 8;
	struct ordo_error error;
	struct ordo_tuning tuning;
	const struct ordo_problem problem = {.op = ORDO_ALLTOALL, .nrank = 8, .nshard = 8};
	const struct ordo_tune_wish wish = {.selection = {.problem = problem,
						    .machine = ordo_machine_usual(),
						    .from_bytes = 28000,
						    .to_bytes = 28000},
		.element_bytes = 4,
		.scratch_element_bytes = 4,
		.block_count = counts};
	if (!ordo_tune(&wish, &tuning, &error))
		fail_msg("%s", error.text);
	const struct ordo_predict_options options = {
		.machine = ordo_machine_usual(), .element_bytes = 4, .block_count = counts};
	for (uint32_t i = 0; i < tuning.ncontender; i++) {
		if (tuning.contenders[i].standing != ORDO_TIMED)
			continue;
		struct ordo_schedule *schedule =
			compile(ORDO_ALLTOALL, 8, tuning.contenders[i].algorithm);
		struct ordo_prediction *prediction = predict(schedule, &options);
		assert_true(
			tuning.ranges[0].times.first <= prediction->timeline->total * (1 + 1e-9));
		assert_true(is_near(tuning.contenders[i].first, prediction->timeline->total));
		ordo_prediction_destroy(prediction);
		ordo_schedule_destroy(schedule);
	}
	ordo_tuning_free(&tuning);
}

static void what_has_no_blocks_is_refused(void **state)
{
	(void)state;
	struct ordo_error error;
	struct ordo_schedule *schedule = compile(ORDO_ALLREDUCE, 4, "ring");
	const uint64_t counts[16] = {1};
	struct ordo_predict_options options = options_of(counts);
	assert_null(ordo_predict(schedule, &options, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(error.text,
		"AllReduce: found a count for each block, wanted one for all: it has no V form");
	ordo_schedule_destroy(schedule);
	schedule = compile(ORDO_ALLGATHER, 4, "ring");
	const uint64_t many[4] = {ORDO_COUNTS_LIMIT, 1, 0, 0};
	options = options_of(many);
	assert_null(ordo_predict(schedule, &options, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_schedule_destroy(schedule);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(pairwise_is_its_closed_form),
		cmocka_unit_test(every_algorithm_is_simulated_again),
		cmocka_unit_test(nothing_is_faster_than_the_bounds),
		cmocka_unit_test(bounds_are_of_the_blocks_there_are),
		cmocka_unit_test(tuning_is_for_the_counts),
		cmocka_unit_test(what_has_no_blocks_is_refused)};
	return cmocka_run_group_tests_name("predict_counts", tests, NULL, NULL);
}
