/* test_servers.c - servers with different numbers of ranks: sums, copies and exchanges that go
 * between two servers as little as possible, in one order; and how servers are found.
 */
#include "compiling.h"
#include "mutate.h"

#include <ordo/arena.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { MOST_SERVERS = 5, MOST_MEMBERS = 7, MOST_RANKS = MOST_SERVERS * MOST_MEMBERS };

/* Server s has the ranks first[s]..first[s+1]-1. */
struct servers {
	uint32_t count, first[MOST_SERVERS + 1];
};

static struct servers servers_of(uint32_t count, const uint32_t *sizes)
{
	struct servers servers = {.count = count};
	for (uint32_t s = 0; s < count; s++)
		servers.first[s + 1] = servers.first[s] + sizes[s];
	return servers;
}

static struct servers random_servers(uint64_t *seed)
{
	uint32_t sizes[MOST_SERVERS];
	const uint32_t count = 1 + (uint32_t)(next_random(seed) % MOST_SERVERS);
	for (uint32_t s = 0; s < count; s++)
		sizes[s] = 1 + (uint32_t)(next_random(seed) % MOST_MEMBERS);
	return servers_of(count, sizes);
}

static uint32_t nrank_of(const struct servers *servers)
{
	return servers->first[servers->count];
}

static uint32_t size_of(const struct servers *servers, uint32_t server)
{
	return servers->first[server + 1] - servers->first[server];
}

static uint32_t server_of(const struct servers *servers, uint32_t rank)
{
	uint32_t server = 0;
	while (servers->first[server + 1] <= rank)
		server++;
	return server;
}

/* asymmetric(groups=[8,4,6],fold=linear) */
static const char *notation_of(
	const char *algorithm, const struct servers *servers, const char *settings)
{
	static char notation[256];
	size_t length = (size_t)snprintf(notation, sizeof notation, "%s(groups=[", algorithm);
	for (uint32_t s = 0; s < servers->count; s++)
		length += (size_t)snprintf(notation + length, sizeof notation - length, "%u%s",
			size_of(servers, s), s + 1 < servers->count ? "," : "]");
	snprintf(notation + length, sizeof notation - length, "%s)", settings);
	return notation;
}

static void check_claims(const char *algorithm, enum ordo_operator op, uint32_t nrank)
{
	const uint32_t chunks[] = {0, 1, 3, nrank + 1};
	for (size_t k = 0; k < 4; k++)
		for (int in_place = 0; in_place <= ordo_operator_facts(op)->has_in_place;
			in_place++) {
			const struct ordo_request request = {.problem = {.op = op,
								     .nrank = nrank,
								     .chunks_per_block = chunks[k],
								     .in_place = in_place},
				.algorithm = algorithm};
			assert_true(claims_hold(&request));
		}
}

static void sums_and_gathers_are_proved_on_servers_of_any_sizes(void **state)
{
	(void)state;
	static const char *const settings[] = {"", ",fold=folded", ",fold=linear", ",streams=one"};
	uint64_t seed = 1;
	for (uint32_t i = 0; i < 32; i++) {
		const struct servers servers = random_servers(&seed);
		const char *notation = notation_of("asymmetric", &servers, settings[i % 4]);
		check_claims(notation, ORDO_REDUCESCATTER, nrank_of(&servers));
		check_claims(notation, ORDO_ALLREDUCE, nrank_of(&servers));
		if (i % 4 == 0 || i % 4 == 3)
			check_claims(notation, ORDO_ALLGATHER, nrank_of(&servers));
	}
}

static void exchanges_are_proved_on_servers_of_any_sizes(void **state)
{
	(void)state;
	static const char *const settings[] = {"", ",aggregators=1", ",aggregators=2",
		",aggregators=3", ",aggregators=1,streams=one"};
	uint64_t seed = 2;
	for (uint32_t i = 0; i < 40; i++) {
		const struct servers servers = random_servers(&seed);
		check_claims(notation_of("aggregated", &servers, settings[i % 5]), ORDO_ALLTOALL,
			nrank_of(&servers));
	}
}

/* The order as a text, from its definition: D over the servers of D over the ranks of each. */

static const char *print_servers(
	struct ordo_arena *arena, const struct servers *servers, uint32_t first, uint32_t n)
{
	if (n == 1)
		return print_dyadic(arena, servers->first[first], size_of(servers, first));
	uint32_t half = 1;
	while (2 * half < n)
		half *= 2;
	return ordo_arena_format(arena, "(%s+%s)", print_servers(arena, servers, first, half),
		print_servers(arena, servers, first + half, n - half));
}

static void all_chunks_are_summed_in_one_order(void **state)
{
	(void)state;
	uint64_t seed = 3;
	for (uint32_t i = 0; i < 24; i++) {
		const struct servers servers = random_servers(&seed);
		struct ordo_arena arena = {0};
		const struct ordo_request request = {
			.problem = {.op = i % 2 ? ORDO_ALLREDUCE : ORDO_REDUCESCATTER,
				.nrank = nrank_of(&servers)},
			.algorithm = notation_of("asymmetric", &servers, "")};
		check_order(&request, print_servers(&arena, &servers, 0, servers.count));
		ordo_arena_free(&arena);
	}
}

static void folded_and_linear_orders_are_of_servers_too(void **state)
{
	(void)state;
	const struct ordo_request folded = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 9},
		.algorithm = "asymmetric(groups=[4,3,2],fold=folded)"};
	check_order(&folded, "((((0+2)+(1+3))+(7+8))+((4+6)+5))");
	const struct ordo_request linear = {.problem = {.op = ORDO_REDUCESCATTER, .nrank = 9},
		.algorithm = "asymmetric(groups=[4,3,2],fold=linear)"};
	check_order(&linear, "(((((0+1)+2)+3)+((4+5)+6))+(7+8))");
}

/* What goes between servers. */

struct traffic {
	uint64_t sent[MOST_RANKS], received[MOST_RANKS], all; /* chunks */
	bool meet[MOST_RANKS][MOST_RANKS];
};

static struct traffic traffic_of(const struct ordo_schedule *schedule, const uint32_t *server)
{
	struct traffic traffic = {.all = 0};
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			const uint32_t rank = schedule->streams[s].rank;
			if ((task->kind != ORDO_SEND && task->kind != ORDO_SEND_REDUCE) ||
				server[rank] == server[task->peer])
				continue;
			traffic.sent[rank] += task->count;
			traffic.received[task->peer] += task->count;
			traffic.meet[rank][task->peer] = true;
			traffic.all += task->count;
		}
	return traffic;
}

static struct traffic traffic_by(
	const char *algorithm, enum ordo_operator op, const struct servers *servers, uint32_t *K)
{
	uint32_t server[MOST_RANKS];
	for (uint32_t rank = 0; rank < nrank_of(servers); rank++)
		server[rank] = server_of(servers, rank);
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank_of(servers)}, .algorithm = algorithm};
	struct ordo_schedule *schedule = compile_proved(&request);
	const struct traffic traffic = traffic_of(schedule, server);
	*K = schedule->problem.chunks_per_block;
	ordo_schedule_destroy(schedule);
	return traffic;
}

/* Of a server's n chunks for others each of its G ranks sends n/G, or one more where not even 64
 * pieces make equal shares. */
static void check_even(uint64_t found, uint64_t chunks, uint32_t members, uint32_t K, uint32_t S)
{
	if (K < 64)
		assert_int_equal(found * members, chunks);
	else
		assert_true(found <= chunks / members + S && found + S >= chunks / members);
}

static void each_chunk_crosses_once_and_all_ranks_of_a_server_send_alike(void **state)
{
	(void)state;
	uint64_t seed = 4;
	for (uint32_t i = 0; i < 60; i++) {
		const struct servers servers = random_servers(&seed);
		const uint32_t N = nrank_of(&servers), S = servers.count;
		const char *notation = notation_of("asymmetric", &servers, "");
		uint32_t K;
		const struct traffic sums = traffic_by(notation, ORDO_REDUCESCATTER, &servers, &K);
		assert_int_equal(sums.all, (uint64_t)N * K * (S - 1));
		for (uint32_t rank = 0; rank < N; rank++) {
			const uint32_t G = size_of(&servers, server_of(&servers, rank));
			assert_int_equal(sums.received[rank], (uint64_t)K * (S - 1));
			check_even(sums.sent[rank], (uint64_t)(N - G) * K, G, K, S);
		}
		const struct traffic copies = traffic_by(notation, ORDO_ALLGATHER, &servers, &K);
		assert_int_equal(copies.all, (uint64_t)N * K * (S - 1));
		for (uint32_t rank = 0; rank < N; rank++) {
			const uint32_t G = size_of(&servers, server_of(&servers, rank));
			assert_int_equal(copies.sent[rank], (uint64_t)K * (S - 1));
			check_even(copies.received[rank], (uint64_t)(N - G) * K, G, K, S);
		}
		const struct traffic both = traffic_by(notation, ORDO_ALLREDUCE, &servers, &K);
		assert_int_equal(both.all, (uint64_t)K * 2 * (S - 1));
	}
}

/* Of an AllReduce a server owns the mean of an S-th and of its ranks' N-ths, in few parts: 11:5:8
 * is about 7:3:5. It sends sums of the rest and S-1 copies of its own, and all its ranks do so
 * alike. */
static void small_servers_own_less_of_an_allreduce(void **state)
{
	(void)state;
	static const struct {
		uint32_t S, sizes[MOST_SERVERS], own[MOST_SERVERS]; /* parts */
	} cases[] = {{3, {7, 1, 4}, {7, 3, 5}}, {2, {6, 2}, {5, 3}}, {3, {5, 5, 5}, {1, 1, 1}},
		{2, {4, 2}, {7, 5}}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const uint32_t S = cases[i].S;
		const struct servers servers = servers_of(S, cases[i].sizes);
		uint32_t K, all = 0;
		const struct traffic traffic = traffic_by(
			notation_of("asymmetric", &servers, ""), ORDO_ALLREDUCE, &servers, &K);
		for (uint32_t s = 0; s < S; s++)
			all += cases[i].own[s];
		assert_int_equal(K % all, 0);
		for (uint32_t rank = 0; rank < nrank_of(&servers); rank++) {
			const uint32_t s = server_of(&servers, rank),
				       own = K / all * cases[i].own[s];
			assert_int_equal(
				traffic.sent[rank] * size_of(&servers, s), K - own + (S - 1) * own);
			assert_int_equal(traffic.received[rank], traffic.sent[rank]);
		}
	}
}

static void as_many_pairs_of_ranks_meet_as_there_are_aggregators(void **state)
{
	(void)state;
	uint64_t seed = 5;
	for (uint32_t i = 0; i < 60; i++) {
		const struct servers servers = random_servers(&seed);
		const uint32_t N = nrank_of(&servers), most = 1 + i % 4;
		char settings[32];
		uint32_t K, met[MOST_SERVERS][MOST_SERVERS] = {{0}};
		snprintf(settings, sizeof settings, ",aggregators=%u", most);
		const struct traffic traffic = traffic_by(
			notation_of("aggregated", &servers, settings), ORDO_ALLTOALL, &servers, &K);
		uint64_t blocks = 0;
		for (uint32_t a = 0; a < N; a++)
			for (uint32_t b = 0; b < N; b++) {
				const uint32_t from = server_of(&servers, a),
					       to = server_of(&servers, b);
				blocks += from != to;
				met[from][to] += traffic.meet[a][b];
			}
		assert_int_equal(traffic.all, blocks * K);
		for (uint32_t s = 0; s < servers.count; s++)
			for (uint32_t t = 0; t < servers.count; t++) {
				const uint32_t n = size_of(&servers, t);
				/* two parts have the same pair if both servers are smaller */
				assert_true(s == t ? met[s][t] == 0
						   : met[s][t] >= 1 &&
							     met[s][t] <= (most < n ? most : n));
				if (s != t && most == 1)
					assert_int_equal(met[s][t], 1);
			}
	}
}

static void all_ranks_of_equal_servers_have_the_same_work(void **state)
{
	(void)state;
	/* S-1 servers times P aggregators are a multiple of G */
	static const struct {
		uint32_t S, G;
		const char *settings;
	} cases[] = {{5, 4, ",aggregators=1"}, {3, 4, ",aggregators=2"}, {4, 6, ""}};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		uint32_t sizes[MOST_SERVERS], K;
		for (uint32_t s = 0; s < cases[i].S; s++)
			sizes[s] = cases[i].G;
		const struct servers servers = servers_of(cases[i].S, sizes);
		const struct traffic traffic =
			traffic_by(notation_of("aggregated", &servers, cases[i].settings),
				ORDO_ALLTOALL, &servers, &K);
		for (uint32_t rank = 0; rank < nrank_of(&servers); rank++) {
			assert_int_equal(traffic.sent[rank], (cases[i].S - 1) * cases[i].G * K);
			assert_int_equal(traffic.received[rank], traffic.sent[rank]);
		}
	}
}

/* Where servers come from. */

/* server[rank]; links between all ranks of one, or, switched, a fast switch in each; all ranks at
 * one slow switch. */
static struct ordo_topology *make_topology(uint32_t nrank, const uint32_t *server, bool switched)
{
	struct ordo_topology *topology =
		ordo_topology_create("mine", nrank, 1 + MOST_SERVERS, 0, NULL);
	bool worked = topology;
	for (uint32_t a = 0; worked && a < nrank; a++) {
		const uint32_t inside = nrank + 1 + server[a];
		worked = ordo_topology_add(topology, a, nrank, NULL, 5000, 20, NULL) &&
			 ordo_topology_add(topology, nrank, a, NULL, 5000, 20, NULL);
		if (switched)
			worked = worked &&
				 ordo_topology_add(topology, a, inside, NULL, 500, 450, NULL) &&
				 ordo_topology_add(topology, inside, a, NULL, 500, 450, NULL);
		for (uint32_t b = 0; worked && !switched && b < nrank; b++)
			if (a != b && server[a] == server[b])
				worked = ordo_topology_add(topology, a, b, NULL, 1000, 56, NULL);
	}
	assert_true(worked && ordo_topology_finish(topology, NULL));
	return topology;
}

static uint64_t crossing_on(const struct ordo_topology *topology, const uint32_t *server,
	const char *algorithm, enum ordo_operator op, uint32_t *K)
{
	const struct ordo_request request = {.problem = {.op = op, .nrank = topology->nrank},
		.algorithm = algorithm,
		.topology = topology};
	struct ordo_schedule *schedule = compile_proved(&request);
	const uint64_t all = traffic_of(schedule, server).all;
	*K = schedule->problem.chunks_per_block;
	ordo_schedule_destroy(schedule);
	return all;
}

static void servers_are_what_links_join(void **state)
{
	(void)state;
	static const uint32_t consecutive[12] = {0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2},
			      scattered[12] = {0, 1, 2, 0, 2, 2, 0, 1, 0, 2, 0, 0};
	for (int i = 0; i < 4; i++) {
		const uint32_t *server = i / 2 ? scattered : consecutive;
		struct ordo_topology *topology = make_topology(12, server, i % 2);
		uint32_t K;
		const uint64_t sums =
			crossing_on(topology, server, "asymmetric", ORDO_REDUCESCATTER, &K);
		assert_int_equal(sums, 12 * 2 * K);
		const uint64_t blocks =
			crossing_on(topology, server, "aggregated", ORDO_ALLTOALL, &K);
		assert_int_equal(blocks, 2 * (6 * 2 + 6 * 4 + 2 * 4) * K);
		ordo_topology_destroy(topology);
	}
}

/* A link that is down takes no rank out of its server. */
static void servers_outlast_a_link(void **state)
{
	(void)state;
	static const uint32_t server[7] = {0, 0, 0, 0, 1, 1, 1};
	struct ordo_topology *topology = make_topology(7, server, false);
	uint32_t K;
	assert_true(ordo_topology_fail_link(topology, 4, 5, NULL) &&
		    ordo_topology_fail_link(topology, 5, 6, NULL) &&
		    ordo_topology_finish(topology, NULL));
	const uint64_t all = crossing_on(topology, server, "asymmetric", ORDO_REDUCESCATTER, &K);
	assert_int_equal(all, 7 * K);
	ordo_topology_destroy(topology);
}

/* Rails alone join servers: ranks of one number. */
static uint32_t swapped(uint32_t rank, uint32_t other)
{
	return rank == 0 ? other : rank == other ? 0 : rank;
}

/* Rank 0 and another one change their places. */
static struct ordo_topology *make_swapped_rails(const struct servers *servers, uint32_t other)
{
	const uint32_t N = nrank_of(servers);
	struct ordo_topology *topology = ordo_topology_create("rails", N, MOST_MEMBERS, 0, NULL);
	bool worked = topology;
	for (uint32_t s = 0; s < servers->count; s++)
		for (uint32_t a = 0; a < size_of(servers, s); a++) {
			const uint32_t rank = swapped(servers->first[s] + a, other);
			worked = worked &&
				 ordo_topology_add(topology, rank, N + a, NULL, 5000, 20, NULL) &&
				 ordo_topology_add(topology, N + a, rank, NULL, 5000, 20, NULL);
			for (uint32_t b = 0; worked && b < size_of(servers, s); b++)
				worked = a == b || ordo_topology_add(topology, rank,
							   swapped(servers->first[s] + b, other),
							   NULL, 1, 56, NULL);
		}
	assert_true(worked && ordo_topology_finish(topology, NULL));
	return topology;
}

static struct ordo_topology *make_rails(const struct servers *servers)
{
	return make_swapped_rails(servers, 0);
}

static void aggregators_reach_each_other_where_only_rails_do(void **state)
{
	(void)state;
	const uint32_t sizes[] = {4, 2, 3};
	const struct servers servers = servers_of(3, sizes);
	struct ordo_topology *topology = make_rails(&servers);
	const struct ordo_request request = {.problem = {.op = ORDO_ALLTOALL, .nrank = 9},
		.algorithm = "aggregated",
		.topology = topology};
	ordo_schedule_destroy(compile_proved(&request));
	ordo_topology_destroy(topology);
}

/* As it is where every two ranks have a link, in one order. */
static void check_on_rails(
	struct ordo_request *request, struct ordo_topology *topology, bool in_place)
{
	const struct ordo_verify_options options = {.topology = topology};
	struct ordo_schedule *anywhere = compile_proved(request);
	request->topology = topology;
	for (uint32_t K = 0; K < 8; K += 1 + K) {
		request->problem.chunks_per_block = K;
		request->problem.in_place = in_place;
		assert_true(claims_hold(request));
	}
	request->problem.chunks_per_block = 0;
	struct ordo_schedule *schedule = compile_proved(request);
	struct ordo_proof *one = ordo_verify(anywhere, NULL, NULL),
			  *other = ordo_verify(schedule, &options, NULL);
	assert_string_equal(one->digest, other->digest);
	assert_true(request->problem.op == ORDO_ALLGATHER || other->ndistinct == 1);
	ordo_proof_destroy(one);
	ordo_proof_destroy(other);
	ordo_schedule_destroy(anywhere);
	ordo_schedule_destroy(schedule);
}

static void unequal_servers_have_their_sums_and_gathers_where_only_rails_join_them(void **state)
{
	(void)state;
	static const char *const folds[] = {"dyadic", "folded", "linear"};
	static const enum ordo_operator operators[] = {
		ORDO_ALLREDUCE, ORDO_REDUCESCATTER, ORDO_ALLGATHER};
	uint64_t seed = 6;
	for (uint32_t i = 0; i < 24; i++) {
		const struct servers servers = random_servers(&seed);
		struct ordo_topology *topology = make_rails(&servers);
		for (int op = 0; op < 3; op++) {
			char settings[32] = "";
			if (op < 2)
				snprintf(settings, sizeof settings, ",fold=%s", folds[i % 3]);
			struct ordo_request request = {
				.problem = {.op = operators[op], .nrank = nrank_of(&servers)},
				.algorithm = notation_of("asymmetric", &servers, settings)};
			check_on_rails(&request, topology, i % 2);
		}
		ordo_topology_destroy(topology);
	}
}

static void ranks_hold_blocks_of_their_server_if_their_numbers_follow(void **state)
{
	(void)state;
	const uint32_t sizes[] = {4, 2, 3};
	const struct servers servers = servers_of(3, sizes);
	struct ordo_topology *topology = make_swapped_rails(&servers, 8);
	const struct ordo_request request = {.problem = {.op = ORDO_REDUCESCATTER, .nrank = 9},
		.algorithm = "asymmetric",
		.topology = topology};
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(error.text,
		"asymmetric: found ReduceScatter on servers of 2 to 4 ranks that rails alone join, "
		"wanted AllReduce, or ranks of a server numbered one after another");
	assert_string_equal(error.hint, "packing goes over any links");
	ordo_topology_destroy(topology);
}

static void check_refused(
	const char *algorithm, enum ordo_operator op, const char *text, const char *hint)
{
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = 12}, .algorithm = algorithm};
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(error.text, text);
	assert_string_equal(error.hint, hint);
}

static void groups_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	check_refused("asymmetric(groups=[8,5])", ORDO_ALLREDUCE,
		"asymmetric: found 13 ranks in groups=[8,5], wanted the 12 of the request",
		"groups=[8,4,6] are the ranks 0..7, 8..11 and 12..17");
	check_refused("aggregated(groups=[1000000,18])", ORDO_ALLTOALL,
		"aggregated: found 1000018 ranks in groups=[1000000,18], wanted the 12 of the "
		"request",
		"groups=[8,4,6] are the ranks 0..7, 8..11 and 12..17");
	check_refused("asymmetric(groups=[8,0,4])", ORDO_ALLREDUCE,
		"asymmetric: found a server without ranks in groups=[8,0,4], wanted 1 or more", "");
	check_refused("aggregated(groups=[[8],[4]])", ORDO_ALLTOALL,
		"aggregated: found groups=[[8],[4]], wanted one list, the ranks of each server",
		"");
	check_refused("asymmetric(fold=linear)", ORDO_ALLGATHER,
		"algorithm: fold says how to add, and AllGather adds nothing", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_and_gathers_are_proved_on_servers_of_any_sizes),
		cmocka_unit_test(exchanges_are_proved_on_servers_of_any_sizes),
		cmocka_unit_test(all_chunks_are_summed_in_one_order),
		cmocka_unit_test(folded_and_linear_orders_are_of_servers_too),
		cmocka_unit_test(each_chunk_crosses_once_and_all_ranks_of_a_server_send_alike),
		cmocka_unit_test(small_servers_own_less_of_an_allreduce),
		cmocka_unit_test(as_many_pairs_of_ranks_meet_as_there_are_aggregators),
		cmocka_unit_test(all_ranks_of_equal_servers_have_the_same_work),
		cmocka_unit_test(servers_are_what_links_join),
		cmocka_unit_test(servers_outlast_a_link),
		cmocka_unit_test(aggregators_reach_each_other_where_only_rails_do),
		cmocka_unit_test(
			unequal_servers_have_their_sums_and_gathers_where_only_rails_join_them),
		cmocka_unit_test(ranks_hold_blocks_of_their_server_if_their_numbers_follow),
		cmocka_unit_test(groups_that_do_not_fit_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
