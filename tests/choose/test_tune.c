/* test_tune.c - the fastest by simulation: held against every candidate, compiled and predicted
 * here one by one.
 *
 *   test_tune        each operator and each topology, but only some pairs of them
 *   test_tune all    every operator on every topology
 */
#include <ordo/detail/tune.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

#define SAME (1 + 1e-9)

static bool all_pairs;

static struct ordo_topology *make(const char *name, uint32_t nrank)
{
	struct ordo_error error = {0};
	struct ordo_topology *topology = name ? ordo_topology_make(name, nrank, &error) : NULL;
	if (name && !topology)
		fail_msg("%s: %s", name, error.text);
	return topology;
}

/* What was compiled here for the last wish, since each is looked at for many sizes. */
static struct {
	char algorithm[128];
	uint32_t chunks;
	struct ordo_schedule *schedule; /* NULL: it does not compile */
} compiled[512];
static uint32_t ncompiled;

static void forget_compiled(void)
{
	while (ncompiled)
		ordo_schedule_destroy(compiled[--ncompiled].schedule);
}

static const struct ordo_schedule *compile_alone(
	const struct ordo_tune_wish *wish, const char *algorithm, uint32_t chunks)
{
	struct ordo_request request = {.problem = wish->selection.problem,
		.algorithm = algorithm,
		.topology = wish->selection.topology};
	for (uint32_t i = 0; i < ncompiled; i++)
		if (compiled[i].chunks == chunks && !strcmp(compiled[i].algorithm, algorithm))
			return compiled[i].schedule;
	assert_true(ncompiled < sizeof compiled / sizeof *compiled);
	assert_true(strlen(algorithm) < sizeof compiled->algorithm);
	request.problem.chunks_per_block = chunks;
	strcpy(compiled[ncompiled].algorithm, algorithm);
	compiled[ncompiled].chunks = chunks;
	compiled[ncompiled].schedule = ordo_compile(&request, NULL);
	return compiled[ncompiled++].schedule;
}

static struct ordo_tune_wish wish_of(enum ordo_operator op, uint32_t nrank,
	const struct ordo_topology *topology, uint64_t from, uint64_t to)
{
	forget_compiled();
	return (struct ordo_tune_wish){.selection = {.problem = {.op = op, .nrank = nrank},
					       .topology = topology,
					       .machine = ordo_machine_usual(),
					       .from_bytes = from,
					       .to_bytes = to},
		.element_bytes = 4,
		.scratch_element_bytes = 4};
}

static void tune(const struct ordo_tune_wish *wish, struct ordo_tuning *tuning)
{
	struct ordo_error error = {0};
	if (!ordo_tune(wish, tuning, &error))
		fail_msg("%s on %u ranks: %s",
			ordo_operator_facts(wish->selection.problem.op)->name,
			wish->selection.problem.nrank, error.text);
}

/* What a prediction says of an algorithm with K chunks; negative: it does not compile, or does not
 * suit. */
static double time_alone(
	const struct ordo_tune_wish *wish, const char *algorithm, uint32_t chunks, uint64_t bytes)
{
	const struct ordo_selection_wish *selection = &wish->selection;
	const struct ordo_schedule *schedule = compile_alone(wish, algorithm, chunks);
	struct ordo_error error = {0};
	if (!schedule)
		return -1;
	const struct ordo_verify_options options = {.topology = selection->topology};
	struct ordo_proof *proof =
		selection->suits ? ordo_verify(schedule, &options, &error) : NULL;
	const struct ordo_predict_options how = {.topology = selection->topology,
		.machine = selection->machine,
		.bytes = bytes,
		.element_bytes = wish->element_bytes,
		.scratch_element_bytes = wish->scratch_element_bytes};
	struct ordo_prediction *prediction = ordo_predict(schedule, &how, &error);
	assert_true(prediction && (!selection->suits || (proof && proof->proved)));
	const bool suits =
		!selection->suits || selection->suits(schedule, proof, selection->closure, &error);
	const double seconds = suits ? prediction->timeline->total : -1;
	ordo_prediction_destroy(prediction);
	ordo_proof_destroy(proof);
	return seconds;
}

/* Whether a candidate is tried with K chunks that are a multiple of its own, large: only if fewer
 * promise a gain. Of one whose moves are limited, chunks of 64 KiB may be up to 8 times as many. */
static bool are_tried(
	const struct ordo_candidate *one, uint32_t K, uint32_t multiple, uint64_t block, bool large)
{
	const uint32_t most = one->most_chunks ? one->most_chunks : 1024;
	if (multiple == 1 || (multiple <= 64 && K <= most))
		return true;
	return large && K <= (uint64_t)one->most_chunks * 8 && block / K >= 1 << 16;
}

/* Takes the time of a candidate with so many chunks, if that is less. */
static void take_least(const struct ordo_tune_wish *wish, const struct ordo_candidate *one,
	uint32_t K, uint64_t bytes, double *least)
{
	const double seconds = time_alone(wish, one->algorithm, K, bytes);
	if (seconds >= 0 && (*least < 0 || seconds < *least))
		*least = seconds;
}

/* The least time of a candidate that pipelines chunks. */
static void take_least_of_pipeline(const struct ordo_tune_wish *wish,
	const struct ordo_candidate *one, uint64_t bytes, bool large, double *least)
{
	const uint32_t own = one->chunks_per_block;
	const uint64_t block = bytes / ordo_nblock(&wish->selection.problem);
	take_least(wish, one, 1, bytes, least);
	for (uint32_t h = 1; h <= one->halves; h++)
		if (own % (1u << h) == 0)
			take_least(wish, one, own >> h, bytes, least);
	for (uint32_t m = 1; m <= 256 && are_tried(one, own * m, m, block, large); m *= 4) {
		take_least(wish, one, own * m, bytes, least);
		/* At one size, and only beside the best. */
		if (large && are_tried(one, 2 * own * m, 2 * m, block, true))
			take_least(wish, one, 2 * own * m, bytes, least);
	}
}

/* The least time of all candidates that suit, each tried here. large: with as many chunks as are
 * tried at all, but only if fewer promise a gain; else with those that always are. */
static double find_least(const struct ordo_tune_wish *wish, uint64_t bytes, bool large)
{
	struct ordo_candidates candidates;
	double least = -1;
	assert_true(ordo_candidates_make(&candidates,
		&(struct ordo_request){
			.problem = wish->selection.problem, .topology = wish->selection.topology},
		NULL));
	for (uint32_t i = 0; i < candidates.count; i++) {
		const struct ordo_candidate *one = &candidates.items[i];
		if (one->pipelines && !wish->selection.problem.chunks_per_block)
			take_least_of_pipeline(wish, one, bytes, large, &least);
		else
			take_least(wish, one, one->chunks_per_block, bytes, &least);
	}
	ordo_candidates_free(&candidates);
	return least;
}

static double least_of_all(const struct ordo_tune_wish *wish, uint64_t bytes)
{
	return find_least(wish, bytes, false);
}

static void check_time(
	const struct ordo_tune_wish *wish, double seconds, double least, uint64_t bytes)
{
	if (seconds > least * SAME ||
		(least > seconds * SAME && find_least(wish, bytes, true) > seconds * SAME))
		fail_msg("%s on %u ranks, %s, %llu bytes: took %.12g s, wanted %.12g",
			ordo_operator_facts(wish->selection.problem.op)->name,
			wish->selection.problem.nrank,
			wish->selection.topology ? wish->selection.topology->name : "-",
			(unsigned long long)bytes, seconds, least);
}

static void check_least(const struct ordo_tune_wish *wish, double seconds, uint64_t bytes)
{
	check_time(wish, seconds, least_of_all(wish, bytes), bytes);
}

static const struct {
	const char *topology;
	uint32_t nrank;
} places[] = {{NULL, 2}, {NULL, 3}, {NULL, 8}, {"full-mesh", 7}, {"ring", 6}, {"hypercube", 8},
	{"star", 5}, {"torus:2x4", 8}, {"a3:8", 8}, {"servers:2x4", 8}};
enum { NPLACE = sizeof places / sizeof *places };

static void check_bounds(const struct ordo_tuning *tuning)
{
	for (uint32_t i = 0; i < tuning->ncontender; i++) {
		const struct ordo_contender *one = &tuning->contenders[i];
		if (one->first >= 0 && one->bound > one->first * SAME)
			fail_msg("%s, K %u: %.12g s, but at least %.12g", one->algorithm,
				one->chunks_per_block, one->first, one->bound);
	}
}

/* A bound that were too large would drop a winner where candidates are left out. */
static void the_choice_is_the_fastest_of_all_at_a_size(void **state)
{
	(void)state;
	static const uint64_t sizes[] = {3000, 16 << 20};
	uint32_t checked = 0;
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		for (int place = 0; place < NPLACE; place++) {
			if (!all_pairs && (op + place) % 10)
				continue;
			struct ordo_topology *topology =
				make(places[place].topology, places[place].nrank);
			struct ordo_tune_wish wish = wish_of(
				(enum ordo_operator)op, places[place].nrank, topology, 0, 0);
			for (uint32_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
				wish.selection.from_bytes = wish.selection.to_bytes = sizes[s];
				struct ordo_tuning tuning = {0};
				/* Some links carry only what an operator can do without. */
				const double least = least_of_all(&wish, sizes[s]);
				if (least < 0) {
					assert_false(ordo_tune(&wish, &tuning, NULL));
					ordo_tuning_free(&tuning);
					continue;
				}
				for (int lazily = 0; lazily < 2; lazily++) {
					wish.lazily = lazily;
					tune(&wish, &tuning);
					assert_int_equal(tuning.selection.nrange, 1);
					check_time(&wish, tuning.ranges[0].times.first, least,
						sizes[s]);
					check_bounds(&tuning);
					assert_string_equal(
						tuning.selection.ranges[0].schedule->algorithm,
						tuning.contenders[tuning.ranges[0].contender]
							.algorithm);
					ordo_tuning_free(&tuning);
					checked++;
				}
			}
			ordo_topology_destroy(topology);
		}
	assert_true(checked > (all_pairs ? 250 : 25));
}

static const struct ordo_contender *find(const struct ordo_tuning *tuning, const char *algorithm)
{
	for (uint32_t i = 0; i < tuning->ncontender; i++)
		if (!strcmp(tuning->contenders[i].algorithm, algorithm))
			return &tuning->contenders[i];
	fail_msg("%s is no contender", algorithm);
	return tuning->contenders;
}

static bool holds_g3(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	void *closure, struct ordo_error *error)
{
	(void)schedule;
	(void)closure;
	return proof->position_invariant == ORDO_HOLDS
		       ? true
		       : ordo_fail(error, ORDO_REFUTED, 0, "not invariant");
}

static void what_was_refused_says_why(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("hypercube", 8);
	struct ordo_tune_wish wish = wish_of(ORDO_ALLREDUCE, 8, topology, 1 << 20, 1 << 20);
	struct ordo_tuning tuning;
	wish.selection.suits = holds_g3;
	tune(&wish, &tuning);
	const struct ordo_contender *mesh = find(&tuning, "mesh"),
				    *ring = find(&tuning, "ring(directions=2)");
	assert_int_equal(mesh->standing, ORDO_UNCARRIED);
	assert_non_null(strstr(mesh->why, "needs link"));
	assert_int_equal(ring->standing, ORDO_UNSUITABLE);
	assert_string_equal(ring->why, "not invariant");
	assert_true(ring->first > 0);
	/* What the condition costs. */
	check_least(&wish, tuning.ranges[0].times.first, 1 << 20);
	assert_true(tuning.selection.price > 1);
	assert_int_equal(tuning.contenders[0].standing, ORDO_TIMED);
	ordo_tuning_free(&tuning);
	/* What does not suit rules nothing out. */
	wish.lazily = true;
	tune(&wish, &tuning);
	check_least(&wish, tuning.ranges[0].times.first, 1 << 20);
	ordo_tuning_free(&tuning);
	ordo_topology_destroy(topology);
	/* A ring through all is not there, but would be elsewhere; a power of two would be
	 * nowhere. */
	struct ordo_topology *star = make("star", 6);
	wish = wish_of(ORDO_ALLREDUCE, 6, star, 1 << 20, 1 << 20);
	tune(&wish, &tuning);
	assert_int_equal(find(&tuning, "halving-doubling")->standing, ORDO_INAPPLICABLE);
	assert_non_null(strstr(find(&tuning, "halving-doubling")->why, "power of two"));
	ordo_tuning_free(&tuning);
	ordo_topology_destroy(star);
	struct ordo_topology *line = make("ring", 6);
	assert_true(ordo_topology_fail_link(line, 2, 3, NULL) && ordo_topology_finish(line, NULL));
	wish = wish_of(ORDO_ALLREDUCE, 6, line, 1, 1);
	tune(&wish, &tuning);
	assert_int_equal(find(&tuning, "ring")->standing, ORDO_UNCARRIED);
	assert_int_equal(find(&tuning, "packing")->standing, ORDO_TIMED);
	ordo_tuning_free(&tuning);
	ordo_topology_destroy(line);
}

/* Sizes spread evenly by their ratios; an LCG, so that they are the same everywhere. */
static uint64_t pick_size(uint64_t *seed, uint64_t from, uint64_t to)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	uint64_t size = from ? from : 1;
	for (uint64_t bits = *seed >> 40; bits & 1 && size < to / 2; bits >>= 1)
		size *= 2;
	size += (*seed >> 20) % size;
	return size < to ? size : to;
}

/* Ranges follow each other; on both sides of each crossing the one that is taken is the fastest and
 * the other is not. */
static void check_ranges(const struct ordo_tune_wish *wish, const struct ordo_tuning *tuning)
{
	const struct ordo_selection *selection = &tuning->selection;
	uint64_t seed = 1;
	assert_int_equal(selection->ranges[0].from_bytes, wish->selection.from_bytes);
	assert_int_equal(
		selection->ranges[selection->nrange - 1].to_bytes, wish->selection.to_bytes);
	for (uint32_t i = 0; i < selection->nrange; i++) {
		const struct ordo_selected *range = &selection->ranges[i];
		const struct ordo_tuned *tuned = &tuning->ranges[i];
		const struct ordo_contender *one = &tuning->contenders[tuned->contender];
		const uint64_t last =
			range->to_bytes < tuning->last_bytes ? range->to_bytes : tuning->last_bytes;
		check_least(wish, tuned->times.first, range->from_bytes);
		check_least(wish, tuned->times.last, last);
		check_least(wish, tuned->times.middle, tuned->middle_bytes);
		const uint64_t between = pick_size(&seed, range->from_bytes, last);
		/* Between sizes that were simulated another may win by a little: elements do not
		 * divide evenly, and messages meet otherwise. */
		const double there =
			time_alone(wish, one->algorithm, one->chunks_per_block, between);
		assert_true(
			there <= least_of_all(wish, between) * (wish->element_bytes ? 1.03 : SAME));
		if (tuned->runner_up != ORDO_NONE)
			assert_true(tuned->runner_up_times.middle > tuned->times.middle);
		if (!i)
			continue;
		const struct ordo_contender *before = &tuning->contenders[tuned[-1].contender];
		assert_int_equal(range->from_bytes, range[-1].to_bytes + 1);
		assert_true(time_alone(wish, before->algorithm, before->chunks_per_block,
				    range->from_bytes) > tuned->times.first * (1 + 1e-10));
		if (tuned->before > 0)
			assert_true(tuned->before > tuned->times.first);
		assert_true(time_alone(wish, one->algorithm, one->chunks_per_block,
				    range->from_bytes - 1) >= tuned[-1].times.last / SAME);
	}
}

static void at_every_crossing_the_fastest_changes(void **state)
{
	(void)state;
	static const enum ordo_operator ops[] = {ORDO_ALLREDUCE, ORDO_BROADCAST, ORDO_ALLTOALL};
	static const struct {
		const char *topology;
		uint32_t nrank;
	} small[] = {{NULL, 3}, {"full-mesh", 5}, {"ring", 5}, {"hypercube", 8}, {"star", 4},
		{"torus:2x3", 6}, {"servers:2x2", 4}};
	uint32_t crossings = 0;
	for (uint32_t place = 0; place < sizeof small / sizeof *small; place++)
		for (uint32_t o = 0; o < sizeof ops / sizeof *ops; o++) {
			if (!all_pairs && (place + o) % 6 != 1)
				continue;
			struct ordo_topology *topology =
				make(small[place].topology, small[place].nrank);
			struct ordo_tune_wish wish = wish_of(ops[o], small[place].nrank, topology,
				o, o == 1 ? ORDO_ENDLESS : 1 << 28);
			struct ordo_tuning tuning = {0};
			wish.element_bytes = wish.scratch_element_bytes = o == 2 ? 0 : 4;
			wish.lazily = place % 2;
			if (ordo_tune(&wish, &tuning, NULL)) {
				check_ranges(&wish, &tuning);
				crossings += tuning.selection.nrange - 1;
			}
			ordo_tuning_free(&tuning);
			ordo_topology_destroy(topology);
		}
	assert_true(crossings > (all_pairs ? 8 : 1));
}

static void one_order_is_one_order_over_all_sizes(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("hypercube", 8);
	struct ordo_tune_wish wish = wish_of(ORDO_ALLREDUCE, 8, topology, 1, 1 << 24);
	struct ordo_tuning free_choice, one;
	tune(&wish, &free_choice);
	assert_true(free_choice.selection.nrange > 1);
	assert_string_not_equal(free_choice.selection.ranges[0].digest,
		free_choice.selection.ranges[free_choice.selection.nrange - 1].digest);
	assert_true(free_choice.selection.price <= SAME);
	wish.selection.one_order = true;
	wish.lazily = true;
	tune(&wish, &one);
	for (uint32_t i = 1; i < one.selection.nrange; i++)
		assert_string_equal(one.selection.ranges[i].digest, one.selection.ranges[0].digest);
	assert_true(one.selection.price > 1);
	/* At the size that is named the price is what it is said to be. */
	const uint64_t bytes = one.selection.price_bytes;
	double paid = -1;
	for (uint32_t i = 0; i < one.selection.nrange; i++)
		if (bytes >= one.selection.ranges[i].from_bytes &&
			bytes <= one.selection.ranges[i].to_bytes) {
			const struct ordo_contender *taken =
				&one.contenders[one.ranges[i].contender];
			paid = time_alone(&wish, taken->algorithm, taken->chunks_per_block, bytes);
		}
	const double ratio = paid / least_of_all(&wish, bytes);
	assert_true(ratio > one.selection.price / SAME && ratio < one.selection.price * SAME);
	const int step = all_pairs ? 4 : 8;
	double least[25];
	for (int i = 0; i <= 24; i += step)
		least[i] = least_of_all(&wish, UINT64_C(1) << i);
	/* Any one algorithm alone is one order too, and no order costs less. */
	for (uint32_t i = 0; i < one.ncontender && one.contenders[i].standing == ORDO_TIMED; i++) {
		double most = 1;
		const struct ordo_contender *alone = &one.contenders[i];
		for (int bits = 0; bits <= 24; bits += step) {
			const double ratio_alone =
				time_alone(&wish, alone->algorithm, alone->chunks_per_block,
					UINT64_C(1) << bits) /
				least[bits];
			most = ratio_alone > most ? ratio_alone : most;
		}
		/* The price looks at more sizes than these. */
		assert_true(one.selection.price <= most * 1.05);
	}
	ordo_tuning_free(&one);
	ordo_tuning_free(&free_choice);
	ordo_topology_destroy(topology);
}

static bool one_order_for_all_slots(const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, void *closure, struct ordo_error *error)
{
	(void)schedule;
	(void)closure;
	return proof->position_invariant == ORDO_HOLDS
		       ? true
		       : ordo_fail(error, ORDO_REFUTED, 0, "not G3");
}

/* Between 64 KiB and 1 MiB a packing is faster at some sizes than at smaller ones. */
static void a_crossing_is_found_in_few_sizes_even_if_times_do_not_grow(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("hypercube", 8);
	struct ordo_tune_wish wish =
		wish_of(ORDO_ALLREDUCE, 8, topology, UINT64_C(1) << 16, UINT64_C(1) << 20);
	struct ordo_tuning tuning;
	wish.selection.suits = one_order_for_all_slots;
	wish.selection.one_order = true;
	tune(&wish, &tuning);
	assert_true(tuning.selection.nrange > 1);
	assert_true(tuning.nsize < 500);
	ordo_tuning_free(&tuning);
	ordo_topology_destroy(topology);
}

static bool refuses_all(const struct ordo_schedule *schedule, const struct ordo_proof *proof,
	void *closure, struct ordo_error *error)
{
	(void)schedule;
	(void)proof;
	return ordo_fail(error, closure ? ORDO_ENVIRONMENT : ORDO_REFUTED, 0, "never");
}

static void if_nothing_suits_that_is_said(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_tuning tuning;
	struct ordo_tune_wish wish = wish_of(ORDO_ALLREDUCE, 4, NULL, 1, 100);
	wish.selection.suits = refuses_all;
	for (int how = 0; how < 4; how++) {
		wish.lazily = how & 1;
		wish.selection.one_order = how >> 1;
		assert_false(ordo_tune(&wish, &tuning, &error));
		assert_int_equal(error.code, ORDO_REFUTED);
		for (uint32_t i = 0; i < tuning.ncontender; i++)
			assert_true(tuning.contenders[i].standing >= ORDO_UNSUITABLE &&
				    tuning.contenders[i].why);
		ordo_tuning_free(&tuning);
	}
	/* Trouble is not a reason to take another. */
	wish.selection.closure = &tuning;
	assert_false(ordo_tune(&wish, &tuning, &error));
	assert_int_equal(error.code, ORDO_ENVIRONMENT);
	ordo_tuning_free(&tuning);
	wish.selection.suits = NULL;
	wish.selection.from_bytes = 101;
	assert_false(ordo_tune(&wish, &tuning, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_tuning_free(&tuning);
	wish.selection.to_bytes = ORDO_BYTES_LIMIT + 1;
	assert_false(ordo_tune(&wish, &tuning, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_tuning_free(&tuning);
}

static void chunks_that_follow_each_other_are_chosen_by_size(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("ring", 6);
	struct ordo_tune_wish wish = wish_of(ORDO_BROADCAST, 6, topology, 1, 1 << 28);
	struct ordo_tuning tuning;
	tune(&wish, &tuning);
	const uint32_t last = tuning.selection.nrange - 1;
	assert_true(last > 0);
	assert_true(tuning.selection.ranges[last].schedule->problem.chunks_per_block >
		    tuning.selection.ranges[0].schedule->problem.chunks_per_block);
	ordo_tuning_free(&tuning);
	/* Unless they are given. */
	wish.selection.problem.chunks_per_block = 3;
	tune(&wish, &tuning);
	for (uint32_t i = 0; i < tuning.ncontender; i++)
		if (tuning.contenders[i].standing == ORDO_TIMED)
			assert_int_equal(tuning.contenders[i].chunks_per_block, 3);
	ordo_tuning_free(&tuning);
	ordo_topology_destroy(topology);
}

/* The greatest K among the contenders; checks their number. */
static uint32_t most_chunks_of(const struct ordo_tuning *tuning, uint32_t count)
{
	uint32_t most = 0;
	assert_int_equal(tuning->ncontender, count);
	for (uint32_t i = 0; i < count; i++)
		if (tuning->contenders[i].chunks_per_block > most)
			most = tuning->contenders[i].chunks_per_block;
	return most;
}

/* A quarter more time for a packing without. */
static void pieces_of_a_packing_are_chosen_by_size(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("hypercube", 8);
	struct ordo_tune_wish wish =
		wish_of(ORDO_BROADCAST, 8, topology, UINT64_C(1) << 10, UINT64_C(1) << 30);
	struct ordo_tuning range, one;
	wish.algorithm = "packing";
	tune(&wish, &range);
	/* K 1, and a half, 1, 4, 16 and 64 times 12. */
	assert_int_equal(most_chunks_of(&range, 6), 768);
	const uint32_t last = range.selection.nrange - 1;
	assert_true(last >= 2);
	assert_int_equal(range.selection.ranges[last].schedule->problem.chunks_per_block, 768);
	assert_true(range.selection.ranges[0].schedule->problem.chunks_per_block < 768);
	assert_true(time_alone(&wish, "packing", 12, UINT64_C(1) << 30) >
		    1.25 * time_alone(&wish, "packing", 768, UINT64_C(1) << 30));
	/* At one size the choice is that of the range, but for 1,024 times 12 chunks of 64 KiB, and
	 * for half or twice as many. */
	wish.selection.from_bytes = UINT64_C(1) << 30;
	tune(&wish, &one);
	assert_int_equal(most_chunks_of(&one, 8), 12288);
	assert_int_equal(one.selection.ranges[0].schedule->problem.chunks_per_block, 12288);
	ordo_tuning_free(&one);
	for (uint32_t i = 0; i < last; i++) {
		const struct ordo_selected *selected = &range.selection.ranges[i];
		wish.selection.from_bytes = wish.selection.to_bytes = selected->to_bytes;
		tune(&wish, &one);
		const struct ordo_selected *chosen = &one.selection.ranges[0];
		const uint32_t K = chosen->schedule->problem.chunks_per_block;
		if (K == selected->schedule->problem.chunks_per_block)
			assert_string_equal(chosen->digest, selected->digest);
		else
			assert_true(one.ranges[0].times.first < range.ranges[i].times.last);
		ordo_tuning_free(&one);
	}
	ordo_tuning_free(&range);
	ordo_topology_destroy(topology);
}

/* Their limit is one of moves. */
static void pieces_of_a_packing_are_limited(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("hypercube", 8);
	struct ordo_tune_wish wish =
		wish_of(ORDO_BROADCAST, 8, topology, UINT64_C(1) << 30, UINT64_C(1) << 30);
	struct ordo_tuning one;
	/* Without a name it competes with as many, and with a single chunk. */
	tune(&wish, &one);
	uint32_t count = 0;
	for (uint32_t i = 0; i < one.ncontender; i++)
		count += !strcmp(one.contenders[i].algorithm, "packing");
	assert_int_equal(count, 8);
	ordo_tuning_free(&one);
	/* Pieces that are given are kept. */
	wish.algorithm = "packing(pieces=2)";
	tune(&wish, &one);
	assert_int_equal(most_chunks_of(&one, 1), 6);
	ordo_tuning_free(&one);
	/* K 1, 6, 12, 48 and 192 on 8 ranks with 8 blocks are up to 12,288 moves, and 96 and 384
	 * are tried beside the best. K 768 is too much, unless chunks are long and more of them
	 * gain something; then K 3072 is. */
	wish = wish_of(ORDO_REDUCESCATTER, 8, topology, UINT64_C(1) << 28, UINT64_C(1) << 28);
	wish.algorithm = "packing";
	tune(&wish, &one);
	assert_int_equal(most_chunks_of(&one, 7), 384);
	ordo_tuning_free(&one);
	wish = wish_of(ORDO_REDUCESCATTER, 8, topology, UINT64_C(1) << 30, UINT64_C(1) << 30);
	wish.algorithm = "packing";
	tune(&wish, &one);
	assert_int_equal(most_chunks_of(&one, 8), 768);
	ordo_tuning_free(&one);
	ordo_topology_destroy(topology);
}

/* A pipeline of one chunk has the fewest steps. */
static void a_single_chunk_competes(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("torus:4x4", 16);
	struct ordo_tune_wish wish = wish_of(ORDO_REDUCE, 16, topology, 1 << 10, 1 << 10);
	struct ordo_tuning tuning;
	wish.algorithm = "packing";
	wish.lazily = true;
	tune(&wish, &tuning);
	assert_int_equal(tuning.selection.ranges[0].schedule->problem.chunks_per_block, 1);
	for (uint32_t i = 0; i < tuning.ncontender; i++)
		if (tuning.contenders[i].first >= 0 && tuning.contenders[i].chunks_per_block > 1)
			assert_true(
				tuning.contenders[i].first > 1.25 * tuning.ranges[0].times.first);
	ordo_tuning_free(&tuning);
	ordo_topology_destroy(topology);
}

/* The multiples 1, 4, 16 are far apart: what is between is tried at one size, beside the best. */
static void twice_as_many_chunks_as_the_best_are_tried(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("hypercube", 8);
	struct ordo_tune_wish wish =
		wish_of(ORDO_ALLREDUCE, 8, topology, UINT64_C(1) << 26, UINT64_C(1) << 26);
	struct ordo_tuning one;
	wish.algorithm = "packing(sums=apart)";
	wish.lazily = true;
	tune(&wish, &one);
	const uint32_t most = one.selection.ranges[0].schedule->problem.chunks_per_block;
	assert_true(time_alone(&wish, wish.algorithm, most / 2, UINT64_C(1) << 26) >
		    one.ranges[0].times.first);
	/* Of 48 the multiples by 1, 4, 16 and 64 are always tried, those by 2 and 32 are not. */
	assert_int_equal(most, 32 * 48);
	for (uint32_t i = 0; i < one.ncontender; i++)
		assert_int_not_equal(one.contenders[i].chunks_per_block, 2 * 48);
	ordo_tuning_free(&one);
	ordo_topology_destroy(topology);
}

/* Between two servers 2 chunks a block take less time than 1, 4, 16 and 64, although the fastest of
 * those is 64; on a torus 4 chunks do not let expect that 16 take the least. */
static void all_numbers_of_chunks_are_tried_where_times_are_unsteady(void **state)
{
	(void)state;
	const uint64_t size = UINT64_C(1) << 26;
	struct ordo_topology *topology = make("mi300x:2", 16);
	struct ordo_tune_wish wish = wish_of(ORDO_ALLGATHER, 16, topology, size, size);
	struct ordo_tuning one;
	wish.lazily = true;
	tune(&wish, &one);
	const double best = one.ranges[0].times.first;
	assert_string_equal(one.selection.ranges[0].algorithm, "matching");
	assert_int_equal(one.selection.ranges[0].schedule->problem.chunks_per_block, 2);
	for (uint32_t K = 1; K <= 64; K *= 2)
		assert_true(K == 2 || time_alone(&wish, "matching", K, size) > best);
	ordo_tuning_free(&one);
	ordo_topology_destroy(topology);
	topology = make("torus:4x4", 16);
	wish = wish_of(ORDO_ALLGATHER, 16, topology, size / 4, size / 4);
	wish.lazily = true;
	tune(&wish, &one);
	assert_string_equal(one.selection.ranges[0].algorithm, "matching");
	assert_int_equal(one.selection.ranges[0].schedule->problem.chunks_per_block, 16);
	ordo_tuning_free(&one);
	ordo_topology_destroy(topology);
}

/* Three rings around a link that is down, where one both ways leaves most links idle. */
static void rings_are_as_many_as_ranks_have_links_for(void **state)
{
	(void)state;
	struct ordo_topology *topology = make("full-mesh", 8);
	assert_true(ordo_topology_fail_link(topology, 0, 1, NULL) &&
		    ordo_topology_finish(topology, NULL));
	struct ordo_tune_wish wish = wish_of(ORDO_ALLGATHER, 8, topology, 1 << 30, 1 << 30);
	struct ordo_tuning tuning;
	tune(&wish, &tuning);
	assert_string_equal(tuning.contenders[0].algorithm, "ring(directions=2,rings=3)");
	const struct ordo_contender *one = find(&tuning, "ring(directions=2)");
	assert_true(one->first > 2.9 * tuning.contenders[0].first &&
		    one->first < 3.1 * tuning.contenders[0].first);
	ordo_tuning_free(&tuning);
	ordo_topology_destroy(topology);
}

int main(int argc, char **argv)
{
	all_pairs = argc > 1 && !strcmp(argv[1], "all");
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_choice_is_the_fastest_of_all_at_a_size),
		cmocka_unit_test(what_was_refused_says_why),
		cmocka_unit_test(at_every_crossing_the_fastest_changes),
		cmocka_unit_test(one_order_is_one_order_over_all_sizes),
		cmocka_unit_test(a_crossing_is_found_in_few_sizes_even_if_times_do_not_grow),
		cmocka_unit_test(if_nothing_suits_that_is_said),
		cmocka_unit_test(chunks_that_follow_each_other_are_chosen_by_size),
		cmocka_unit_test(pieces_of_a_packing_are_chosen_by_size),
		cmocka_unit_test(pieces_of_a_packing_are_limited),
		cmocka_unit_test(a_single_chunk_competes),
		cmocka_unit_test(twice_as_many_chunks_as_the_best_are_tried),
		cmocka_unit_test(all_numbers_of_chunks_are_tried_where_times_are_unsteady),
		cmocka_unit_test(rings_are_as_many_as_ranks_have_links_for),
	};
	const int failed = cmocka_run_group_tests(tests, NULL, NULL);
	forget_compiled();
	return failed;
}
