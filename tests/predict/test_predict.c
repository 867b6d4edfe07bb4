/* test_predict.c - predicted times of schedules made by hand, on topologies made by hand, against
 * times worked out by hand.
 *
 * A chunk has 1000 bytes unless the case says otherwise, links have a latency of 100 ns, and 1 GB/s
 * is 1 byte a nanosecond; times are in nanoseconds.
 */
#include "handmade.h"
#include <math.h>
#include <ordo/compiler.h>
#include <ordo/predict.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka needs the four above. */
#include <cmocka.h>

struct link_of {
	uint32_t from, to;
	double bandwidth_gbs;
};

struct setting {
	uint32_t nrank, nswitch, ports;
	struct link_of links[16];
	bool through_ranks;
	double reduce_gbs, copy_gbs, task_ns;
	uint32_t cores;
};

static struct ordo_topology *topology_of(const struct setting *setting)
{
	struct ordo_error error;
	struct ordo_topology *topology = ordo_topology_create(
		"hand", setting->nrank, setting->nswitch, setting->ports, &error);
	assert_non_null(topology);
	for (size_t i = 0; i < 16 && setting->links[i].bandwidth_gbs > 0; i++)
		assert_true(ordo_topology_add(topology, setting->links[i].from,
			setting->links[i].to, NULL, 100, setting->links[i].bandwidth_gbs, &error));
	topology->cores = setting->cores;
	topology->task_ns = setting->task_ns;
	topology->reduce_gbs = setting->reduce_gbs;
	topology->copy_gbs = setting->copy_gbs;
	assert_true(ordo_topology_finish(topology, &error));
	return topology;
}

/* A prediction with all it needs. */
struct foreseen {
	struct ordo_schedule *schedule;
	struct ordo_topology *topology;
	struct ordo_prediction *prediction;
};

static const struct ordo_problem gather = {
	.op = ORDO_ALLGATHER, .nrank = 4, .nshard = 4, .chunks_per_block = 4};

static struct foreseen foresee_text(
	const struct setting *setting, const char *lines, struct ordo_error *error)
{
	struct ordo_problem problem = gather;
	problem.nrank = problem.nshard = setting->nrank;
	struct foreseen foreseen = {
		.schedule = handmade(&problem, 64, lines), .topology = topology_of(setting)};
	const struct ordo_predict_options options = {.topology = foreseen.topology,
		.bytes = 4000 * (uint64_t)setting->nrank,
		.through_ranks = setting->through_ranks};
	foreseen.prediction = ordo_predict(foreseen.schedule, &options, error);
	return foreseen;
}

static struct foreseen foresee(const struct setting *setting, const char *lines)
{
	struct ordo_error error = {0};
	struct foreseen foreseen = foresee_text(setting, lines, &error);
	if (!foreseen.prediction)
		fail_msg("%s", error.text);
	return foreseen;
}

static void forget(struct foreseen *foreseen)
{
	ordo_prediction_destroy(foreseen->prediction);
	ordo_topology_destroy(foreseen->topology);
	ordo_schedule_destroy(foreseen->schedule);
}

#define check_near(found, wanted) check_near_at(found, wanted, __LINE__)
static void check_near_at(double found, double wanted, int line)
{
	if (!isfinite(wanted) || !(fabs(found - wanted) <= 1e-12 * fabs(wanted)))
		fail_msg("line %d: found %.17g, wanted %.17g", line, found, wanted);
}

/* The ends of the tasks, in order, in nanoseconds. */
static void check_ends(
	const struct setting *setting, const char *lines, size_t count, const double *ends)
{
	struct foreseen foreseen = foresee(setting, lines);
	assert_int_equal(foreseen.schedule->ntask, count);
	for (size_t i = 0; i < count; i++) {
		const double found = foreseen.prediction->timeline->tasks[i].end;
		if (!(fabs(found - ends[i] * 1e-9) <= 1e-12 * ends[i] * 1e-9))
			fail_msg("task %zu: found %.15g ns, wanted %.15g ns", i, found * 1e9,
				ends[i]);
	}
	forget(&foreseen);
}
#define CHECK_ENDS(setting, lines, ...)                                                            \
	do {                                                                                       \
		const double ends_[] = {__VA_ARGS__};                                              \
		check_ends(setting, lines, sizeof ends_ / sizeof *ends_, ends_);                   \
	} while (0)

/* Sharing. */

static const struct setting pair = {.nrank = 2, .links = {{0, 1, 1}, {1, 0, 1}}};

/* 1000, 2000 and 4000 bytes begin together. A third each until 3000 are through, half each until
 * 2000 more are, then the last 2000 alone. */
static void flows_on_one_link_share_it(void **state)
{
	(void)state;
	CHECK_ENDS(&pair,
		"rank 0\nSend 1 chunk 0 input 0 -> output 0\n"
		"rank 0\nSend 1 chunks 0..1 input 0 -> output 0\n"
		"rank 0\nSend 1 chunks 0..3 input 0 -> output 0\n",
		3100, 5100, 7100);
}

/* Equal flows end as one: k of them after k times as long. */
static void k_flows_take_k_times_as_long(void **state)
{
	(void)state;
	for (uint32_t k = 1; k <= 40; k++) {
		char lines[4096] = "";
		double ends[40];
		for (uint32_t i = 0; i < k; i++) {
			strcat(lines, "rank 0\nSend 1 chunk 0 input 0 -> output 0\n");
			ends[i] = 100 + 1000.0 * k;
		}
		check_ends(&pair, lines, k, ends);
	}
}

/* The second comes 500 ns after the first: 500 bytes of the first are through, then half each until
 * it ends at 1600, when 500 of the second are left. */
static void a_flow_that_comes_later_shares_what_is_left(void **state)
{
	(void)state;
	struct setting setting = pair;
	setting.copy_gbs = 2;
	CHECK_ENDS(&setting,
		"rank 0\nSend 1 chunk 0 input 0 -> output 0\n"
		"rank 0\nLocalCopy chunk 0 input 0 -> output 0\nSend 1 chunk 0 input 0 -> output "
		"0\n",
		1600, 500, 2100);
}

static void the_two_ways_of_a_cable_share_nothing(void **state)
{
	(void)state;
	CHECK_ENDS(&pair,
		"rank 0\nSend 1 chunk 0 input 0 -> output 0\n"
		"rank 1\nSend 0 chunk 0 input 0 -> output 0\n",
		1100, 1100);
}

/* Ranks 0..3 at switch 4. The link out of 0 has 30, that into 3 has 10, the others 100.
 *
 *   f1: 0 -> 2, 16000 bytes   f2: 0 -> 3, 12000   f3: 1 -> 3, 4000
 *
 * Into 3 flow 5 and 5, and f1 has what is left of 30, 25, not half. f1 ends after 640 ns. f3 ends
 * after 800; f2 has 4000 then, and the other 8000 at 10. */
static const struct setting two_levels = {.nrank = 4,
	.nswitch = 1,
	.links = {{0, 4, 30}, {1, 4, 100}, {4, 2, 100}, {4, 3, 10}, {2, 4, 100}, {3, 4, 100}}};

static void what_one_cannot_use_goes_to_the_others(void **state)
{
	(void)state;
	CHECK_ENDS(&two_levels,
		"rank 0\nSend 2 chunks 0..15 input 0 -> output 0\n"
		"rank 0\nSend 3 chunks 0..11 input 0 -> output 0\n"
		"rank 1\nSend 3 chunks 0..3 input 0 -> output 0\n",
		200 + 640, 200 + 1600, 200 + 800);
}

/* The same with f1 of 16000 bytes and f3 of 1000. f3 is through after 200 ns, f2 then has 10 and f1
 * 20: f1 has 5000 at 200 ns, and 16000 at 750. f2 has 1000 at 200, and 12000 at 1300. */
static void rates_change_when_a_flow_ends_elsewhere(void **state)
{
	(void)state;
	CHECK_ENDS(&two_levels,
		"rank 0\nSend 2 chunks 0..15 input 0 -> output 0\n"
		"rank 0\nSend 3 chunks 0..11 input 0 -> output 0\n"
		"rank 1\nSend 3 chunk 0 input 0 -> output 0\n",
		200 + 750, 200 + 1300, 200 + 200);
}

/* Three levels. Out of 0: 12; into 2: 20; out of 1: 100; a flow 0 -> 3 too, into which 2 lead.
 *
 *   a: 0 -> 2   b: 0 -> 3   c: 1 -> 2   (into 3: 2)
 *
 * b gets 2; a the rest of 12, 10; c the rest of 20, 10: had a had 11, c would have had less than
 * it. */
static void three_levels_are_filled_one_after_another(void **state)
{
	(void)state;
	const struct setting setting = {.nrank = 4,
		.nswitch = 1,
		.links = {{0, 4, 12}, {1, 4, 100}, {4, 2, 20}, {4, 3, 2}}};
	CHECK_ENDS(&setting,
		"rank 0\nSend 2 chunks 0..9 input 0 -> output 0\n"
		"rank 0\nSend 3 chunks 0..3 input 0 -> output 0\n"
		"rank 1\nSend 2 chunks 0..9 input 0 -> output 0\n",
		200 + 1000, 200 + 2000, 200 + 1000);
}

/* At switch 7. Out of 0 and of 1: 1; into 3: 11; into 4: 18; the others 100.
 *
 *   0 -> 3, 1 -> 3, 2 -> 3   5 -> 4, 6 -> 4
 *
 * The first two go at 1 and stay so when, 100 ns later, the others begin: what is left into 3 is 9,
 * and half of 18 is 9 too. */
static void slow_flows_keep_what_they_have_while_two_links_are_used_up_at_one_level(void **state)
{
	(void)state;
	const struct setting setting = {.nrank = 7,
		.nswitch = 1,
		.copy_gbs = 10,
		.links = {{0, 7, 1}, {1, 7, 1}, {2, 7, 100}, {5, 7, 100}, {6, 7, 100}, {7, 3, 11},
			{7, 4, 18}}};
	CHECK_ENDS(&setting,
		"rank 0\nSend 3 chunks 0..7 input 0 -> output 0\n"
		"rank 1\nSend 3 chunks 0..7 input 0 -> output 0\n"
		"rank 2\nLocalCopy chunk 0 input 0 -> output 0\nSend 3 chunks 0..8 input 0 -> "
		"output 0\n"
		"rank 5\nLocalCopy chunk 0 input 0 -> output 0\nSend 4 chunks 0..8 input 0 -> "
		"output 0\n"
		"rank 6\nLocalCopy chunk 0 input 0 -> output 0\nSend 4 chunks 0..8 input 0 -> "
		"output 0\n",
		200 + 8000, 200 + 8000, 100, 300 + 1000, 100, 300 + 1000, 100, 300 + 1000);
}

/* Two servers of two ranks, a leaf each (4, 5), joined by a spine (6) with half of what the ranks
 * have: 10 for two flows of 10. */
static void an_oversubscribed_uplink_is_shared(void **state)
{
	(void)state;
	const struct setting setting = {.nrank = 4,
		.nswitch = 3,
		.links = {{0, 4, 10}, {1, 4, 10}, {4, 6, 10}, {6, 5, 10}, {5, 2, 10}, {5, 3, 10}}};
	CHECK_ENDS(&setting,
		"rank 0\nSend 2 chunk 0 input 0 -> output 0\n"
		"rank 1\nSend 3 chunks 0..1 input 0 -> output 0\n",
		400 + 200, 400 + 300);
}

/* A token that nobody takes, and one that is taken after another that came later. */
static void tokens_are_taken_one_by_one_or_not_at_all(void **state)
{
	(void)state;
	struct setting setting = pair;
	setting.copy_gbs = 2;
	CHECK_ENDS(&setting,
		"rank 0\nSend 1 chunk 0 input 0 -> output 0\nNotify 1 signal 2\n"
		"rank 0\nNotify 1 signal 1\nLocalCopy chunk 0 input 0 -> output 0\nNotify 1 signal "
		"0\n"
		"rank 1\nWait 0 signal 0\nWait 0 signal 1\n",
		1100, 1100, 0, 500, 500, 500, 500);
}

/* Ports. */

static const struct setting four = {.nrank = 4,
	.ports = 1,
	.links = {{0, 1, 1}, {0, 2, 1}, {0, 3, 1}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}, {1, 2, 1}}};

static const char three_sends[] = "rank 0\nSend 1 chunk 0 input 0 -> output 0\n"
				  "rank 0\nSend 2 chunk 0 input 0 -> output 0\n"
				  "rank 0\nSend 3 chunk 0 input 0 -> output 0\n";

/* Three at once over P ports take 3/P times as long as one, latencies included; over as many ports
 * as there are links, no longer. */
static void sends_at_once_take_turns_at_the_ports(void **state)
{
	(void)state;
	struct setting setting = four;
	CHECK_ENDS(&setting, three_sends, 3300, 3300, 3300);
	setting.ports = 2;
	CHECK_ENDS(&setting, three_sends, 1650, 1650, 1650);
	setting.ports = 3;
	CHECK_ENDS(&setting, three_sends, 1100, 1100, 1100);
	setting.ports = 0;
	CHECK_ENDS(&setting, three_sends, 1100, 1100, 1100);
}

static const char three_arrivals[] = "rank 1\nSend 0 chunk 0 input 0 -> output 0\n"
				     "rank 2\nSend 0 chunk 0 input 0 -> output 1\n"
				     "rank 3\nSend 0 chunk 0 input 0 -> output 2\n";

static void what_arrives_at_once_takes_turns_too(void **state)
{
	(void)state;
	CHECK_ENDS(&four, three_arrivals, 3300, 3300, 3300);
}

static void check_busiest(const struct setting *setting, const char *lines, enum ordo_resource kind,
	uint32_t at, double share)
{
	struct foreseen foreseen = foresee(setting, lines);
	assert_int_equal(foreseen.prediction->busiest, kind);
	assert_int_equal(foreseen.prediction->busiest_at, at);
	check_near(foreseen.prediction->busiest_share, share);
	forget(&foreseen);
}

/* A port is busy with latencies too, all the time here. A link is busy with bytes only. */
static void what_is_used_the_most_is_named(void **state)
{
	(void)state;
	struct setting setting = four;
	check_busiest(&setting, three_sends, ORDO_OUT_PORTS, 0, 1);
	check_busiest(&setting, three_arrivals, ORDO_IN_PORTS, 0, 1);
	setting.ports = 4;
	check_busiest(&setting, three_sends, ORDO_LINK, 0, 1000.0 / 1100);
}

/* One in and one out at once do not. */
static void a_port_sends_and_receives_at_once(void **state)
{
	(void)state;
	CHECK_ENDS(&four,
		"rank 0\nSend 1 chunk 0 input 0 -> output 0\n"
		"rank 1\nSend 0 chunk 0 input 0 -> output 1\n",
		1100, 1100);
}

/* 1100 and 3100 ns of one port: half each until the first has had 1100, then the rest of the second
 * alone. */
static void a_port_is_shared_until_the_shorter_ends(void **state)
{
	(void)state;
	CHECK_ENDS(&four,
		"rank 0\nSend 1 chunk 0 input 0 -> output 0\n"
		"rank 0\nSend 2 chunks 0..2 input 0 -> output 0\n",
		2200, 4200);
}

/* Adders, copiers, tasks. */

/* 1000 bytes come from each of two ranks at once, and are added at 2 bytes a nanosecond
 * together. */
static void what_is_added_at_once_shares_the_adder(void **state)
{
	(void)state;
	struct setting setting = four;
	setting.ports = 0;
	setting.reduce_gbs = 2;
	CHECK_ENDS(&setting,
		"rank 1\nSendReduce 0 chunk 0 input 0 -> output 0\n"
		"rank 2\nSendReduce 0 chunk 0 input 0 -> output 1\n"
		"rank 3\nSend 0 chunk 0 input 0 -> output 2\n",
		2100, 2100, 1100);
}

/* One adds and one copies at once: neither is in the other's way. What comes over a link that adds
 * slowly is added slowly. */
static void adding_and_copying_are_apart(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct setting setting = pair;
	setting.reduce_gbs = 2;
	setting.copy_gbs = 4;
	static const char lines[] = "rank 0\nLocalReduce chunk 0 input 0 -> output 0\n"
				    "rank 0\nLocalCopy chunk 0 input 0 -> output 1\n"
				    "rank 0\nLocalCopy chunk 0 input 0 -> output 2\n"
				    "rank 0\nSendReduce 1 chunk 0 input 0 -> output 0\n";
	CHECK_ENDS(&setting, lines, 500, 500, 500, 1600);
	struct foreseen foreseen = foresee_text(&setting, lines, &error);
	struct ordo_prediction *first = foreseen.prediction;
	foreseen.topology->links[0].reduce_gbs = 0.5;
	const struct ordo_predict_options options = {.topology = foreseen.topology, .bytes = 8000};
	foreseen.prediction = ordo_predict(foreseen.schedule, &options, &error);
	assert_non_null(foreseen.prediction);
	check_near(foreseen.prediction->timeline->tasks[3].end, 3100e-9);
	ordo_prediction_destroy(first);
	forget(&foreseen);
}

/* Every task costs 10 ns. */
static void tasks_cost_what_the_topology_says(void **state)
{
	(void)state;
	struct setting setting = pair;
	setting.task_ns = 10;
	CHECK_ENDS(&setting,
		"rank 0\nSend 1 chunk 0 input 0 -> output 0\nNotify 1 signal 0\n"
		"rank 1\nWait 0 signal 0\nLocalCopy chunk 0 input 0 -> output 0\n",
		1110, 1120, 1130, 1140);
}

/* Four copies of 500 ns on two cores: two after two. A Send holds a core for its bytes only: the
 * second begins at 1000, and each ends a latency later. */
static void ranks_that_share_cores_take_turns(void **state)
{
	(void)state;
	struct setting setting = four;
	setting.ports = 0;
	setting.copy_gbs = 2;
	setting.cores = 2;
	CHECK_ENDS(&setting,
		"rank 0\nLocalCopy chunk 0 input 0 -> output 0\nrank 1\nLocalCopy chunk 0 input 0 "
		"-> output 0\n"
		"rank 2\nLocalCopy chunk 0 input 0 -> output 0\nrank 3\nLocalCopy chunk 0 input 0 "
		"-> output 0\n",
		500, 500, 1000, 1000);
	setting.cores = 1;
	setting.task_ns = 10;
	CHECK_ENDS(&setting,
		"rank 0\nSend 1 chunk 0 input 0 -> output 0\nrank 1\nSend 0 chunk 0 input 0 -> "
		"output 0\n"
		"rank 2\nNotify 3 signal 0\nrank 3\nWait 2 signal 0\n",
		1110, 2120, 2030, 2040);
}

/* Ways. */

static void of_several_links_the_widest_is_taken(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_create("two classes", 2, 0, 0, &error);
	assert_true(ordo_topology_add(topology, 0, 1, "narrow", 1, 1, &error) &&
		    ordo_topology_add(topology, 0, 1, "wide", 300, 4, &error) &&
		    ordo_topology_add(topology, 0, 1, "xtra", 200, 4, &error) &&
		    ordo_topology_finish(topology, &error));
	const struct ordo_problem problem = {
		.op = ORDO_ALLGATHER, .nrank = 2, .nshard = 2, .chunks_per_block = 4};
	struct ordo_schedule *schedule =
		handmade(&problem, 0, "rank 0\nSend 1 chunk 0 input 0 -> output 0\n");
	const struct ordo_predict_options options = {.topology = topology, .bytes = 8000};
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
	assert_non_null(prediction);
	check_near(prediction->timeline->total, 450e-9);
	assert_int_equal(prediction->links[2].flows, 1);
	assert_int_equal(prediction->links[0].flows + prediction->links[1].flows, 0);
	assert_int_equal(prediction->bottleneck, 2);
	ordo_prediction_destroy(prediction);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

/* Leaves 4 and 5, spines 6 and 7: the pairs 0 -> 2 and 1 -> 3 go over different spines, and are as
 * fast as each alone. */
static void pairs_are_spread_over_equal_ways(void **state)
{
	(void)state;
	const struct setting setting = {.nrank = 4,
		.nswitch = 4,
		.links = {{0, 4, 10}, {1, 4, 10}, {4, 6, 10}, {4, 7, 10}, {6, 5, 10}, {7, 5, 10},
			{5, 2, 10}, {5, 3, 10}}};
	static const char lines[] = "rank 0\nSend 2 chunk 0 input 0 -> output 0\n"
				    "rank 1\nSend 3 chunk 0 input 0 -> output 0\n";
	CHECK_ENDS(&setting, lines, 500, 500);
	struct foreseen foreseen = foresee(&setting, lines);
	for (uint32_t i = 0; i < foreseen.topology->nlink; i++) {
		assert_int_equal(foreseen.prediction->links[i].flows, 1);
		assert_int_equal(foreseen.prediction->links[i].most, 1);
		check_near(foreseen.prediction->links[i].bytes, 1000);
		check_near(foreseen.prediction->links[i].busy, 100e-9);
	}
	forget(&foreseen);
}

/* Ranks on a line: 0 -> 2 crosses both links, and shares the second with 1 -> 2. */
static void ranks_pass_on_only_if_asked(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct setting line = {.nrank = 3, .links = {{0, 1, 1}, {1, 2, 1}}};
	static const char lines[] = "rank 0\nSend 2 chunk 0 input 0 -> output 0\n"
				    "rank 1\nSend 2 chunk 0 input 0 -> output 0\n";
	struct foreseen refused = foresee_text(&line, lines, &error);
	assert_null(refused.prediction);
	assert_int_equal(error.rule, 12);
	assert_non_null(strstr(error.text, "rank 0 sends to rank 2"));
	forget(&refused);
	line.through_ranks = true;
	/* 1 -> 2 begins to flow 100 ns before: 900 are left, and half each of the link. */
	CHECK_ENDS(&line, lines, 2100, 2000);
}

/* Recursive halving on a torus of side 2^m, p = 4^m, the two dimensions in turn: step s = 2k + d
 * sends n/2^(s+1) bytes over a distance of 2^k in dimension d. The partner differs in one digit, so
 * the messages of 2^k neighbours cross the link in their middle, each direction: they flow at 1/2^k
 * of the link. On the wire that is
 *
 *   sum over k < m of 2^k (n/2^(2k+1) + n/2^(2k+2)) = 3/4 n sum of 2^-k = 3/2 (1 - 2^-m) n
 *
 * and without sharing (1 - 4^-m) n: the congestion is 3/2 / (1 + 2^-m), and 3/2 only in the limit
 * of many ranks: 6/5 for 4 x 4, 4/3 for 8 x 8, 24/17 for 16 x 16. In the last two steps, half way
 * round, both ways are as short; all take the inner one here, as on a grid without the links that
 * close it. */
static struct ordo_schedule *halving(uint32_t m)
{
	const uint32_t side = 1u << m, p = side * side;
	const struct ordo_problem problem = {
		.op = ORDO_REDUCESCATTER, .nrank = p, .nshard = p, .chunks_per_block = 1};
	struct ordo_schedule *schedule = ordo_schedule_create(&problem, "halving", NULL);
	for (uint32_t rank = 0; rank < p; rank++) {
		ordo_schedule_begin_stream(schedule, rank, "halving", NULL);
		for (uint32_t s = 0; s < 2 * m; s++) {
			const uint32_t partner = rank ^ ((s % 2 ? side : 1) << s / 2);
			const struct ordo_task move = {.kind = ORDO_SEND_REDUCE,
						       .phase = ORDO_NO_PHASE,
						       .peer = partner,
						       .chunk = 0,
						       .count = p >> (s + 1)},
					       notify = {.kind = ORDO_NOTIFY,
						       .phase = ORDO_NO_PHASE,
						       .peer = partner,
						       .signal = s},
					       wait = {.kind = ORDO_WAIT,
						       .phase = ORDO_NO_PHASE,
						       .peer = partner,
						       .signal = s};
			assert_true(ordo_schedule_append(schedule, &move, NULL) &&
				    ordo_schedule_append(schedule, &notify, NULL) &&
				    ordo_schedule_append(schedule, &wait, NULL));
		}
	}
	return schedule;
}

static void halving_on_a_torus_has_its_congestion(void **state)
{
	(void)state;
	for (uint32_t m = 1; m <= 4; m++) {
		struct ordo_error error = {0};
		char name[32];
		snprintf(name, sizeof name, "torus:%ux%u", 1u << m, 1u << m);
		struct ordo_topology *topology = ordo_topology_make(name, 1u << 2 * m, &error);
		struct ordo_schedule *schedule = halving(m);
		const double n = exp2(20), link = 56e9, latency = 1000e-9, sides = 1 / exp2(m);
		const struct ordo_predict_options options = {
			.topology = topology, .bytes = 1 << 20, .through_ranks = true};
		struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
		if (!prediction)
			fail_msg("%s", error.text);
		const struct ordo_breakdown *parts = &prediction->breakdown;
		const double wire = 1.5 * (1 - sides) * n / link,
			     alone = (1 - sides * sides) * n / link;
		/* Twice 1 + 2 + 4 + ... links. */
		check_near(parts->latency, 2 * (exp2(m) - 1) * latency);
		check_near(parts->wire + parts->sharing, wire);
		check_near(parts->wire, alone);
		check_near(prediction->timeline->total, 2 * (exp2(m) - 1) * latency + wire);
		check_near((parts->wire + parts->sharing) / parts->wire, 1.5 / (1 + sides));
		ordo_prediction_destroy(prediction);
		ordo_schedule_destroy(schedule);
		ordo_topology_destroy(topology);
	}
}

/* The published case. */

static double algbw_of(
	const char *algorithm, struct ordo_topology *topology, struct ordo_time_bounds *bounds)
{
	struct ordo_error error = {0};
	const struct ordo_request request = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 8},
		.algorithm = algorithm,
		.topology = topology};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		fail_msg("%s", error.text);
	const struct ordo_predict_options options = {.topology = topology, .bytes = 1 << 30};
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
	assert_non_null(prediction);
	const double bandwidth = prediction->bytes / prediction->timeline->total * 1e-9;
	*bounds = prediction->bounds;
	bounds->cut_ranks = NULL;
	ordo_prediction_destroy(prediction);
	ordo_schedule_destroy(schedule);
	return bandwidth;
}

/* 8 ranks, a link of 56 GB/s between every two but 0 and 1. Latencies and sums left out, an
 * AllReduce of n bytes takes every rank that shares alike 2 * 7/8 n over its links:
 *
 *   one ring, both ways      2 links   8/14 * 2 * 56 =  64 GB/s
 *   three rings, both ways   6 links   8/14 * 6 * 56 = 192 GB/s, all that ranks 0 and 1 have
 *
 * which is what ranks 0 and 1 are bound to where all share alike. Did they do less than the others,
 * who have 7 links, 14 n over 2 * 6 + 6 * 7 = 54 links would be 216 GB/s; and n must leave rank 0,
 * whatever it does: 336 GB/s. */
static void with_a_link_down_three_rings_reach_the_bound_of_its_ranks(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_time_bounds bounds;
	struct ordo_topology *topology = ordo_topology_make("full-mesh", 8, &error);
	assert_true(ordo_topology_fail_link(topology, 0, 1, &error));
	for (uint32_t i = 0; i < topology->nlink; i++)
		topology->links[i].latency_ns = 0;
	assert_true(ordo_topology_finish(topology, &error));
	check_near(algbw_of("ring(directions=2)", topology, &bounds), 64);
	check_near(algbw_of("ring(rings=3,directions=2)", topology, &bounds), 192);
	check_near(bounds.volume, exp2(30) / 216e9);
	check_near(bounds.cut, exp2(30) / 216e9);
	assert_true(bounds.cut_exact);
	ordo_topology_destroy(topology);
}

/* Bounds. */

static struct ordo_prediction *bounds_of(
	const char *name, struct ordo_topology *topology, enum ordo_operator op, uint32_t nrank)
{
	struct ordo_error error = {0};
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank}, .algorithm = "mesh", .unproved = true};
	struct ordo_topology *made = topology ? topology : ordo_topology_make(name, nrank, &error);
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	const struct ordo_machine machine = {.reduce_bandwidth_gbs = 100};
	const struct ordo_predict_options options = {
		.topology = made, .machine = machine, .bytes = 1 << 20, .through_ranks = true};
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
	if (!prediction)
		fail_msg("%s", error.text);
	ordo_timeline_destroy(prediction->timeline);
	prediction->timeline = NULL;
	ordo_schedule_destroy(schedule);
	if (!topology)
		ordo_topology_destroy(made);
	return prediction;
}

static void bounds_are_those_of_the_operator_and_the_topology(void **state)
{
	(void)state;
	const double n = exp2(20);
	static const struct {
		const char *topology;
		enum ordo_operator op;
		uint32_t nrank;
		double steps, volume, reduce, cut; /* ns; bytes of n over GB/s */
		uint32_t cut_nrank;
		bool exact;
	} cases[] = {
		/* One port of 20: q = 3 latencies of 5000; 2 * 7/8 n; 14 n must leave 8 ranks. */
		{"star", ORDO_ALLREDUCE, 8, 15000, 14.0 / 8 / 20, 7.0 / 8 / 100, 14.0 / 8 / 20, 0,
			true},
		/* Rank 15 is four links from rank 0. */
		{"hypercube", ORDO_REDUCE, 16, 4000, 1.0 / 224, 15.0 / 16 / 100, 1.0 / 224, 1,
			true},
		/* Half way round is 4 links; 7/8 n over the two links into a rank, and no set of
		 * ranks has fewer. */
		{"ring", ORDO_ALLGATHER, 8, 4000, 7.0 / 8 / 112, 0, 7.0 / 8 / 112, 1, true},
		/* 4 * 4 / 8 n over the two links between the halves. */
		{"ring", ORDO_ALLTOALL, 8, 4000, 7.0 / 8 / 112, 0, 2 / 112.0, 4, true},
		/* 16 ranks: halves of 8 by a dimension, 8 links each way: 8 * 8 / 16 n. */
		{"torus:4x4", ORDO_ALLTOALL, 16, 4000, 15.0 / 16 / 224, 0, 4 / 448.0, 8, true},
		{"full-mesh", ORDO_REDUCESCATTER, 8, 1000, 7.0 / 8 / 392, 7.0 / 8 / 100,
			7.0 / 8 / 392, 1, true},
		/* Four rails of 20 between the servers, and n must cross. */
		{"servers:2x4", ORDO_ALLREDUCE, 8, 6000, 14 / (8.0 * (3 * 56 + 20)), 7.0 / 8 / 100,
			1 / 80.0, 4, true},
		{"servers:2x4", ORDO_BROADCAST, 8, 6000, 1 / (3 * 56 + 20.0), 0, 1 / 80.0, 4, true},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct ordo_prediction *prediction =
			bounds_of(cases[i].topology, NULL, cases[i].op, cases[i].nrank);
		const struct ordo_time_bounds *bounds = &prediction->bounds;
		check_near(bounds->steps, cases[i].steps * 1e-9);
		check_near(bounds->volume, cases[i].volume * n * 1e-9);
		check_near(bounds->reduce, cases[i].reduce * n * 1e-9);
		check_near(bounds->cut, cases[i].cut * n * 1e-9);
		assert_int_equal(bounds->cut_nrank, cases[i].cut_nrank);
		assert_int_equal(bounds->cut_exact, cases[i].exact);
		ordo_prediction_destroy(prediction);
	}
}

/* A message to the far end: from rank 0, in the middle, it is one link, from each of the others
 * two. */
static void any_rank_may_be_the_farthest_from_another(void **state)
{
	(void)state;
	const struct setting setting = {
		.nrank = 3, .links = {{1, 0, 1}, {0, 1, 1}, {0, 2, 1}, {2, 0, 1}}};
	struct ordo_topology *topology = topology_of(&setting);
	struct ordo_prediction *prediction = bounds_of(NULL, topology, ORDO_ALLGATHER, 3);
	check_near(prediction->bounds.steps, 200e-9);
	ordo_prediction_destroy(prediction);
	ordo_topology_destroy(topology);
}

/* Over two ports the third rank that one tells knows after one and a half latencies, and by then
 * the first two have told nobody. */
static void on_two_ports_one_tells_three_in_one_and_a_half_latencies(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_make("full-mesh", 4, &error);
	topology->ports = 2;
	struct ordo_prediction *prediction = bounds_of(NULL, topology, ORDO_ALLGATHER, 4);
	check_near(prediction->bounds.steps, 1500e-9);
	ordo_prediction_destroy(prediction);
	topology->ports = 1;
	prediction = bounds_of(NULL, topology, ORDO_ALLGATHER, 4);
	check_near(prediction->bounds.steps, 2000e-9);
	ordo_prediction_destroy(prediction);
	ordo_topology_destroy(topology);
}

/* Two ways of 1 from rank 0 to rank 1 through switches: 0 -> 2 -> 5 -> 1 and 0 -> 3 -> 4 -> 6 -> 1.
 * Who goes the short way 0 -> 3 -> 5 -> 1 first must be turned aside for the second. */
static void a_cut_carries_the_greatest_flow(void **state)
{
	(void)state;
	const struct setting setting = {.nrank = 2,
		.nswitch = 5,
		.links = {{0, 2, 1}, {0, 3, 1}, {2, 5, 1}, {3, 5, 1}, {3, 4, 1}, {4, 6, 1},
			{5, 1, 1}, {6, 1, 1}, {1, 2, 1}}};
	struct ordo_topology *topology = topology_of(&setting);
	struct ordo_prediction *prediction = bounds_of(NULL, topology, ORDO_BROADCAST, 2);
	check_near(prediction->bounds.cut, exp2(20) / 2e9);
	ordo_prediction_destroy(prediction);
	ordo_topology_destroy(topology);
}

/* Two ranks send to rank 0 at once, over a link each, but rank 0 receives over one port only. */
static void a_cut_is_as_narrow_as_the_ports_of_the_receivers(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_topology *topology = ordo_topology_make("full-mesh", 3, &error);
	double cut[2];
	for (uint32_t one = 0; one < 2; one++) {
		topology->ports = one;
		struct ordo_prediction *prediction = bounds_of(NULL, topology, ORDO_GATHER, 3);
		cut[one] = prediction->bounds.cut;
		ordo_prediction_destroy(prediction);
	}
	check_near(cut[1], 2 * cut[0]);
	ordo_topology_destroy(topology);
}

/* Sizes. */

/* 7 elements of 2 bytes in a block of 4 chunks: cut at 0, 2, 4, 6, 7; a block of a rank, 3 bytes
 * are left out. */
static void chunks_are_cut_at_elements(void **state)
{
	(void)state;
	struct ordo_error error = {0};
	struct ordo_topology *topology = topology_of(&pair);
	const struct ordo_problem problem = {
		.op = ORDO_ALLGATHER, .nrank = 2, .nshard = 2, .chunks_per_block = 4};
	struct ordo_schedule *schedule = handmade(&problem, 4,
		"rank 0\nSend 1 chunk 3 input 0 -> output 0\nSend 1 chunks 1..3 input 0 -> output "
		"0\n"
		"Send 1 chunks 3..4 input 0 -> output 0\nSend 1 chunk 0 scratch 0 -> scratch "
		"0\nSend 1 chunk 0 scratch 0 -> output 0\n");
	const struct ordo_predict_options options = {
		.topology = topology, .bytes = 31, .element_bytes = 2, .scratch_element_bytes = 4};
	struct ordo_prediction *prediction = ordo_predict(schedule, &options, &error);
	assert_non_null(prediction);
	const double bytes[] = {2, 10, 6, 8, 4};
	double end = 0;
	for (size_t i = 0; i < 5; i++)
		check_near(prediction->timeline->tasks[i].end, end += (100 + bytes[i]) * 1e-9);
	check_near(prediction->bytes, 28);
	ordo_prediction_destroy(prediction);
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

/* Refusals. */

/* Streams that run ahead on their own, and such as share links. */
static void what_takes_longer_than_the_limit_is_given_up(void **state)
{
	(void)state;
	static const char *const topologies[] = {NULL, "star"};
	uint32_t count;
	const struct ordo_algorithm_facts *const *all = ordo_algorithms(&count);
	for (uint32_t a = 0; a < count; a++)
		for (int t = 0; t < 2; t++) {
			struct ordo_topology *topology =
				topologies[t] ? ordo_topology_make(topologies[t], 8, NULL) : NULL;
			const struct ordo_request request = {
				.problem = {.op = ORDO_ALLREDUCE, .nrank = 8},
				.algorithm = all[a]->name};
			struct ordo_schedule *schedule = ordo_compile(&request, NULL);
			if (!schedule) {
				ordo_topology_destroy(topology);
				continue;
			}
			struct ordo_predict_options options = {.topology = topology,
				.machine = ordo_machine_usual(),
				.bytes = 1 << 20};
			struct ordo_prediction *whole = ordo_predict(schedule, &options, NULL);
			const double total = whole->timeline->total;
			assert_false(whole->given_up);
			for (int part = 1; part <= 10; part++) {
				options.limit = total * part / 10 * (part < 10 ? 1 : 1 - 1e-9);
				struct ordo_prediction *short_one =
					ordo_predict(schedule, &options, NULL);
				assert_true(short_one->given_up);
				ordo_prediction_destroy(short_one);
			}
			options.limit = total * (1 + 1e-9);
			struct ordo_prediction *again = ordo_predict(schedule, &options, NULL);
			assert_false(again->given_up);
			check_near(again->timeline->total, total);
			assert_int_equal(again->npath, whole->npath);
			ordo_prediction_destroy(again);
			ordo_prediction_destroy(whole);
			ordo_schedule_destroy(schedule);
			ordo_topology_destroy(topology);
		}
}

static void check_refused(const char *lines, int rule, const char *part)
{
	struct ordo_error error = {0};
	struct foreseen foreseen = foresee_text(&pair, lines, &error);
	assert_null(foreseen.prediction);
	assert_int_equal(error.code, ORDO_REFUTED);
	if (error.rule != rule || !strstr(error.text, part))
		fail_msg("R%d: %s", error.rule, error.text);
	forget(&foreseen);
}

static void what_cannot_run_is_refused(void **state)
{
	(void)state;
	check_refused("rank 0\nWait 1 signal 0\nNotify 1 signal 1\nrank 1\nWait 0 signal 1\nNotify "
		      "0 signal 0\n",
		7, "a stream that waits for it, directly or not");
	check_refused("rank 0\nNotify 1 signal 0\nWait 1 signal 3\nrank 1\nWait 0 signal 0\n", 6,
		"rank 0, stream \"hand\", task 1 (Wait 1 signal 3) waits for a token that is never "
		"given");
	check_refused(
		"rank 0\nSend 2 chunk 0 input 0 -> output 0\n", 2, "wanted another rank of 0..1");
	check_refused("rank 0\nSend 0 chunk 0 input 0 -> output 0\n", 2, "wanted another rank");
	check_refused("rank 0\nNotify 7 signal 0\n", 2, "wanted another rank");
	check_refused(
		"rank 0\nSend 1 chunks 7..8 input 0 -> output 0\n", 3, "wanted chunks of 0..7");
	struct ordo_error error = {0};
	struct foreseen foreseen =
		foresee(&pair, "rank 0\nNotify 1 signal 0\nrank 1\nWait 0 signal 0\n");
	struct ordo_topology *other = ordo_topology_make("ring", 3, &error);
	const struct ordo_predict_options options = {.topology = other, .bytes = 8};
	assert_null(ordo_predict(foreseen.schedule, &options, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	ordo_topology_destroy(other);
	forget(&foreseen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_on_one_link_share_it),
		cmocka_unit_test(k_flows_take_k_times_as_long),
		cmocka_unit_test(a_flow_that_comes_later_shares_what_is_left),
		cmocka_unit_test(the_two_ways_of_a_cable_share_nothing),
		cmocka_unit_test(what_one_cannot_use_goes_to_the_others),
		cmocka_unit_test(rates_change_when_a_flow_ends_elsewhere),
		cmocka_unit_test(three_levels_are_filled_one_after_another),
		cmocka_unit_test(
			slow_flows_keep_what_they_have_while_two_links_are_used_up_at_one_level),
		cmocka_unit_test(an_oversubscribed_uplink_is_shared),
		cmocka_unit_test(tokens_are_taken_one_by_one_or_not_at_all),
		cmocka_unit_test(sends_at_once_take_turns_at_the_ports),
		cmocka_unit_test(what_arrives_at_once_takes_turns_too),
		cmocka_unit_test(what_is_used_the_most_is_named),
		cmocka_unit_test(a_port_sends_and_receives_at_once),
		cmocka_unit_test(a_port_is_shared_until_the_shorter_ends),
		cmocka_unit_test(what_is_added_at_once_shares_the_adder),
		cmocka_unit_test(adding_and_copying_are_apart),
		cmocka_unit_test(tasks_cost_what_the_topology_says),
		cmocka_unit_test(ranks_that_share_cores_take_turns),
		cmocka_unit_test(of_several_links_the_widest_is_taken),
		cmocka_unit_test(pairs_are_spread_over_equal_ways),
		cmocka_unit_test(ranks_pass_on_only_if_asked),
		cmocka_unit_test(halving_on_a_torus_has_its_congestion),
		cmocka_unit_test(with_a_link_down_three_rings_reach_the_bound_of_its_ranks),
		cmocka_unit_test(bounds_are_those_of_the_operator_and_the_topology),
		cmocka_unit_test(any_rank_may_be_the_farthest_from_another),
		cmocka_unit_test(on_two_ports_one_tells_three_in_one_and_a_half_latencies),
		cmocka_unit_test(a_cut_carries_the_greatest_flow),
		cmocka_unit_test(a_cut_is_as_narrow_as_the_ports_of_the_receivers),
		cmocka_unit_test(chunks_are_cut_at_elements),
		cmocka_unit_test(what_takes_longer_than_the_limit_is_given_up),
		cmocka_unit_test(what_cannot_run_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
