/* test_hierarchical.c - levels of ranks, each with an algorithm of its own: that they are proved,
 * what they move and where, in what order they add, and what is refused.
 */
#include "compiling.h"

#include <ordo/arena.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Sizes, the innermost level first. */
struct shape {
	uint32_t nlevel, size[3];
};

static uint32_t nrank_of(const struct shape *shape)
{
	uint32_t nrank = 1;
	for (uint32_t l = 0; l < shape->nlevel; l++)
		nrank *= shape->size[l];
	return nrank;
}

/* hierarchical(levels,sizes=[8,4]) */
static const char *notation_of(const char *levels, const struct shape *shape)
{
	static char notation[256];
	size_t length =
		(size_t)snprintf(notation, sizeof notation, "hierarchical(%s,sizes=[", levels);
	for (uint32_t l = 0; l < shape->nlevel; l++)
		length += (size_t)snprintf(notation + length, sizeof notation - length, "%u%s",
			shape->size[l], l + 1 < shape->nlevel ? "," : "])");
	return notation;
}

enum {
	CUT = 1 << ORDO_ALLREDUCE | 1 << ORDO_REDUCE | 1 << ORDO_BROADCAST,
	ALL = (1 << ORDO_NOPERATOR) - 1,
	ALL_BUT_ALLTOALL = ALL & ~(1 << ORDO_ALLTOALL),
	SUMS = 1 << ORDO_ALLREDUCE | 1 << ORDO_REDUCESCATTER,
};

static void check_chunks(const char *algorithm, struct ordo_problem problem)
{
	const uint32_t chunks[] = {0, 1, 3, problem.nrank + 1}, few = problem.nrank > 6 ? 2 : 1;
	for (size_t k = 0; k < 4; k += few) {
		problem.chunks_per_block = chunks[k + (problem.root + few - 1) % few];
		const struct ordo_request request = {.problem = problem, .algorithm = algorithm};
		assert_true(claims_hold(&request));
	}
}

/* For every operator of a set, chunks, in place or not, and roots in every level. */
static void check_shape(const char *levels, const struct shape *shape, int operators)
{
	const uint32_t N = nrank_of(shape);
	for (int op = 0; op < ORDO_NOPERATOR; op++) {
		const struct ordo_operator_facts *facts =
			ordo_operator_facts((enum ordo_operator)op);
		for (uint32_t root = 0;
			operators >> op & 1 && root<(facts->rooted ? N : 1); root += N> 8 ? 5 : 1)
			for (int in_place = 0; in_place <= facts->has_in_place; in_place++)
				check_chunks(notation_of(levels, shape),
					(struct ordo_problem){.op = (enum ordo_operator)op,
						.nrank = N,
						.root = root,
						.in_place = in_place});
	}
}

static const struct shape two_levels[] = {{2, {1, 1}}, {2, {1, 3}}, {2, {4, 1}}, {2, {2, 2}},
	{2, {2, 3}}, {2, {3, 2}}, {2, {3, 3}}, {2, {4, 4}}, {2, {8, 2}}};
static const struct shape three_levels[] = {{3, {2, 2, 2}}, {3, {2, 3, 2}}, {3, {3, 1, 2}}};
enum {
	NTWO = sizeof two_levels / sizeof *two_levels,
	NTHREE = sizeof three_levels / sizeof *three_levels
};

static bool is_power(uint32_t n)
{
	return (n & (n - 1)) == 0;
}

static void any_algorithms_make_two_levels(void **state)
{
	(void)state;
	/* By hand: which operators a pair has is what is tested, and the table would give it by the
	 * same rule that the algorithm applies. */
	static const struct {
		const char *levels;
		int operators;
		bool powers_only;
	} pairs[] = {
		{"mesh,mesh", ALL, false},
		{"mesh,nhr", ALL_BUT_ALLTOALL, false},
		{"ring,ring", ALL_BUT_ALLTOALL, false},
		{"nhr,mesh(fold=folded)", SUMS | 1 << ORDO_REDUCE, false},
		{"nhr,nhr(data=small)", CUT, false},
		{"mesh(fold=linear),tree(shape=double-binary)", CUT & ~(1 << ORDO_BROADCAST),
			false},
		{"nb,star", 1 << ORDO_ALLREDUCE | 1 << ORDO_BROADCAST | 1 << ORDO_SCATTER, false},
		{"circulant,dyadic", SUMS, false},
		{"dyadic,rhd", 1 << ORDO_REDUCESCATTER, false},
		{"rhd,ring(directions=2)", SUMS | 1 << ORDO_ALLGATHER, false},
		{"halving-doubling(masks=near),recursive-doubling", 1 << ORDO_ALLREDUCE, true},
		{"alltoall,alltoall(method=bruck)", 1 << ORDO_ALLTOALL, false},
	};
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
		for (size_t s = 0; s < NTWO; s++)
			if (!pairs[i].powers_only || (is_power(two_levels[s].size[0]) &&
							     is_power(two_levels[s].size[1])))
				check_shape(pairs[i].levels, &two_levels[s], pairs[i].operators);
}

static void any_algorithms_make_three_levels(void **state)
{
	(void)state;
	for (size_t s = 0; s < NTHREE; s++) {
		check_shape("mesh,mesh,mesh", &three_levels[s], ALL);
		check_shape("ring(directions=2),nhr,mesh(fold=linear)", &three_levels[s], SUMS);
		check_shape("nhr,ring,mesh", &three_levels[s], ALL_BUT_ALLTOALL);
	}
}

static void either_level_may_begin(void **state)
{
	(void)state;
	for (size_t s = 0; s < NTWO; s++) {
		check_shape("mesh,ring,first=outer", &two_levels[s],
			ALL & ~CUT & ~(1 << ORDO_ALLTOALL));
		check_shape(
			"nhr,mesh,first=inner", &two_levels[s], ALL & ~CUT & ~(1 << ORDO_ALLTOALL));
		check_shape("mesh,alltoall,first=outer", &two_levels[s], 1 << ORDO_ALLTOALL);
	}
	check_shape("mesh,mesh,mesh,first=outer", &three_levels[1], ALL & ~CUT);
	check_shape("mesh,mesh,mesh,first=inner", &three_levels[1], ALL & ~CUT);
}

/* What is sent in each level. */

struct traffic {
	uint64_t chunks[3]; /* over all ranks */
};

/* Fails the test if anything goes to a rank that differs in more than one level. */
static struct traffic traffic_of(const struct ordo_schedule *schedule, const struct shape *shape)
{
	struct traffic traffic = {{0}};
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
			const struct ordo_task *task = &schedule->tasks[t];
			uint32_t a = schedule->streams[s].rank, b = task->peer, differing = 0,
				 level = 0;
			if (task->kind != ORDO_SEND && task->kind != ORDO_SEND_REDUCE)
				continue;
			for (uint32_t l = 0; l < shape->nlevel;
				a /= shape->size[l], b /= shape->size[l], l++)
				if (a % shape->size[l] != b % shape->size[l]) {
					differing++;
					level = l;
				}
			assert_int_equal(differing, 1);
			traffic.chunks[level] += task->count;
		}
	return traffic;
}

static void check_traffic(
	const char *levels, enum ordo_operator op, uint64_t inside, uint64_t between)
{
	const struct shape shape = {2, {8, 4}};
	const uint32_t root = ordo_operator_facts(op)->rooted ? 13 : 0;
	const struct ordo_request request = {.problem = {.op = op, .nrank = 32, .root = root},
		.algorithm = notation_of(levels, &shape)};
	struct ordo_schedule *schedule = compile_proved(&request);
	const struct traffic traffic = traffic_of(schedule, &shape);
	assert_int_equal(traffic.chunks[0], inside);
	assert_int_equal(traffic.chunks[1], between);
	ordo_schedule_destroy(schedule);
}

static void the_level_that_begins_decides_what_goes_between_servers(void **state)
{
	(void)state;
	/* Four servers of eight, 32 ranks, by blocks. */
	check_traffic("mesh,mesh", ORDO_REDUCESCATTER, 32 * 7 * 4, 32 * 3);
	check_traffic("mesh,mesh,first=outer", ORDO_REDUCESCATTER, 32 * 7, 32 * 3 * 8);
	check_traffic("mesh,mesh", ORDO_ALLGATHER, 32 * 7 * 4, 32 * 3);
	check_traffic("mesh,mesh,first=inner", ORDO_ALLGATHER, 32 * 7, 32 * 3 * 8);
	check_traffic("mesh,mesh", ORDO_ALLTOALL, 32 * 7 * 4, 32 * 3 * 8);
	check_traffic("mesh,mesh,first=outer", ORDO_ALLTOALL, 32 * 7 * 4, 32 * 3 * 8);
	check_traffic("mesh,mesh", ORDO_SCATTER, 7 * 4, 8 * 3);
	check_traffic("mesh,mesh,first=outer", ORDO_SCATTER, 4 * 7, 3 * 8);
	check_traffic("mesh,mesh", ORDO_GATHER, 7 * 4, 8 * 3);
	/* One vector: natural K is 32 for AllReduce (8 parts in the server, 4 between), 8 for the
	 * others. */
	check_traffic("mesh,mesh", ORDO_ALLREDUCE, 2 * 4 * 7 * 32, 2 * 8 * 3 * 4);
	check_traffic("mesh,mesh", ORDO_BROADCAST, 4 * 8 * 7, 8 * 3);
	check_traffic("mesh,mesh", ORDO_REDUCE, 4 * 7 * 8 + 7, 8 * 3);
}

static void check_claims(const char *levels, const struct shape *shape, enum ordo_operator op,
	uint64_t steps, uint64_t volume)
{
	const struct ordo_request request = {.problem = {.op = op, .nrank = nrank_of(shape)},
		.algorithm = notation_of(levels, shape)};
	const struct measured claimed = claims_of(&request);
	assert_int_equal(claimed.steps, steps);
	assert_int_equal(claimed.volume, volume);
	assert_true(claims_hold(&request));
}

static void claims_are_the_sums_of_the_levels(void **state)
{
	(void)state;
	for (uint32_t L = 2; L <= 5; L++)
		for (uint32_t S = 2; S <= 4; S++) {
			const struct shape shape = {2, {L, S}};
			const uint32_t N = L * S;
			check_claims("mesh,mesh", &shape, ORDO_ALLREDUCE, 4, 2 * (N - 1));
			check_claims("ring,ring", &shape, ORDO_ALLREDUCE, 2 * (L - 1) + 2 * (S - 1),
				2 * (N - 1));
			check_claims("mesh,ring", &shape, ORDO_REDUCESCATTER, 1 + S - 1, N - 1);
			check_claims("mesh,ring,first=outer", &shape, ORDO_REDUCESCATTER, 1 + S - 1,
				(S - 1) * L + L - 1);
			check_claims("ring,mesh", &shape, ORDO_ALLGATHER, 1 + L - 1, N - 1);
			check_claims(
				"mesh,mesh", &shape, ORDO_ALLTOALL, 2, (L - 1) * S + (S - 1) * L);
			check_claims("mesh,mesh", &shape, ORDO_SCATTER, 2, (L - 1) * S + S - 1);
			check_claims("mesh,mesh", &shape, ORDO_GATHER, 2, S);
		}
}

/* Orders. */

/* D(n) over leaves that are texts. */
static const char *dyadic_over(struct ordo_arena *arena, const char *const *leaves, uint32_t n)
{
	uint32_t half = 1;
	if (n == 1)
		return leaves[0];
	while (2 * half < n)
		half *= 2;
	return ordo_arena_format(arena, "(%s+%s)", dyadic_over(arena, leaves, half),
		dyadic_over(arena, leaves + half, n - half));
}

/* D over the servers, each leaf D over the ranks of one; or D over the places, each leaf D over the
 * servers. */
static const char *print_nested(
	struct ordo_arena *arena, const struct shape *shape, bool outer_first)
{
	const uint32_t L = shape->size[0], S = shape->size[1];
	const uint32_t nouter = outer_first ? L : S, ninner = outer_first ? S : L;
	const char *outer[16];
	for (uint32_t o = 0; o < nouter; o++) {
		const char *inner[16];
		for (uint32_t i = 0; i < ninner; i++)
			inner[i] =
				ordo_arena_format(arena, "%u", outer_first ? i * L + o : o * L + i);
		outer[o] = dyadic_over(arena, inner, ninner);
	}
	return dyadic_over(arena, outer, nouter);
}

static void check_nested(
	const char *levels, const struct shape *shape, enum ordo_operator op, bool outer_first)
{
	struct ordo_arena arena = {0};
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = nrank_of(shape), .root = op == ORDO_REDUCE ? 1 : 0},
		.algorithm = notation_of(levels, shape)};
	const char *wanted = print_nested(&arena, shape, outer_first);
	check_order(&request, wanted);
	const struct ordo_request flat = {
		.problem = {.op = ORDO_REDUCESCATTER, .nrank = nrank_of(shape)},
		.algorithm = "dyadic"};
	if (!outer_first && is_power(shape->size[0]))
		check_order(&flat, wanted);
	ordo_arena_free(&arena);
}

static void orders_are_trees_of_trees(void **state)
{
	(void)state;
	static const struct shape shapes[] = {{2, {2, 2}}, {2, {2, 3}}, {2, {3, 2}}, {2, {4, 4}},
		{2, {4, 5}}, {2, {8, 3}}, {2, {5, 3}}, {2, {6, 4}}};
	for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
		check_nested("mesh,mesh", &shapes[s], ORDO_ALLREDUCE, false);
		check_nested("mesh,mesh", &shapes[s], ORDO_REDUCE, false);
		check_nested("mesh,dyadic", &shapes[s], ORDO_REDUCESCATTER, false);
		check_nested("mesh,nhr(data=small)", &shapes[s], ORDO_ALLREDUCE, false);
		check_nested("dyadic,mesh,first=outer", &shapes[s], ORDO_REDUCESCATTER, true);
	}
}

static uint32_t count_trees(const char *algorithm, uint32_t nrank)
{
	const struct ordo_request request = {
		.problem = {.op = ORDO_REDUCESCATTER, .nrank = nrank}, .algorithm = algorithm};
	struct ordo_schedule *schedule = compile_proved(&request);
	struct ordo_proof *proof = ordo_verify(schedule, NULL, NULL);
	assert_non_null(proof);
	const uint32_t ntree = proof->ndistinct;
	ordo_proof_destroy(proof);
	ordo_schedule_destroy(schedule);
	return ntree;
}

static void the_number_of_trees_is_the_product_of_the_levels(void **state)
{
	(void)state;
	/* Few, because all trees of all pairs are counted: one of each kind of order. */
	static const char *const names[] = {"ring", "nhr", "circulant", "mesh"};
	for (uint32_t L = 3; L <= 6; L++)
		for (uint32_t S = 3; S <= 5; S++)
			for (int inner = 0; inner < 4; inner++)
				for (int outer = 0; outer < 4; outer++) {
					char levels[64];
					const struct shape shape = {2, {L, S}};
					snprintf(levels, sizeof levels, "%s,%s", names[inner],
						names[outer]);
					assert_int_equal(
						count_trees(notation_of(levels, &shape), L * S),
						count_trees(names[inner], L) *
							count_trees(names[outer], S));
				}
}

/* Topologies. */

static void check_on_topology(
	const char *algorithm, const char *topology, const struct shape *shape, int operators)
{
	struct ordo_error error = {0};
	struct ordo_request request = {
		.problem = {.nrank = nrank_of(shape)}, .algorithm = algorithm};
	struct ordo_topology *made = ordo_topology_make(topology, request.problem.nrank, &error);
	assert_non_null(made);
	request.topology = made;
	for (int op = 0; op < ORDO_NOPERATOR; op++) {
		if (!(operators >> op & 1))
			continue;
		request.problem.op = (enum ordo_operator)op;
		request.problem.root = ordo_operator_facts(request.problem.op)->rooted ? 3 : 0;
		struct ordo_schedule *schedule = compile_proved(&request);
		traffic_of(schedule, shape);
		ordo_schedule_destroy(schedule);
	}
	ordo_topology_destroy(made);
}

static void levels_follow_the_topology(void **state)
{
	(void)state;
	check_on_topology("hierarchical", "servers:2x3", &(struct shape){2, {3, 2}}, ALL);
	check_on_topology("hierarchical(mesh,nhr)", "servers:4x8", &(struct shape){2, {8, 4}},
		ALL_BUT_ALLTOALL);
	check_on_topology("hierarchical(ring,ring)", "torus:3x4", &(struct shape){2, {4, 3}},
		ALL_BUT_ALLTOALL);
	check_on_topology("hierarchical(ring(directions=2),ring,mesh)", "torus:2x3x4",
		&(struct shape){3, {4, 3, 2}}, ALL_BUT_ALLTOALL);
	check_on_topology("hierarchical(mesh,mesh,mesh,sizes=[2,4,2])", "a3:2x8",
		&(struct shape){3, {2, 4, 2}}, ALL);
	check_on_topology(
		"hierarchical(mesh,mesh,mesh)", "a3:2x8", &(struct shape){3, {2, 4, 2}}, ALL);
	check_on_topology(
		"hierarchical(mesh,ring)", "a3:8", &(struct shape){2, {2, 4}}, ALL_BUT_ALLTOALL);
	check_on_topology("hierarchical", "servers", &(struct shape){2, {8, 2}}, ALL);
	check_on_topology("hierarchical", "full-mesh", &(struct shape){2, {4, 3}}, ALL);
}

/* Three servers of five: links between all ranks of one, and between those of one number. Two
 * servers have lost one link each: the ring of the level goes another way in all of them. */
static void a_ring_goes_round_links_down_in_any_group(void **state)
{
	(void)state;
	struct ordo_topology *topology = ordo_topology_create("rails", 15, 0, 0, NULL);
	assert_non_null(topology);
	for (uint32_t a = 0; a < 15; a++)
		for (uint32_t b = 0; b < 15; b++)
			if (a != b && (a / 5 == b / 5 || a % 5 == b % 5))
				assert_true(ordo_topology_add(topology, a, b, NULL, 1, 1, NULL));
	assert_true(ordo_topology_finish(topology, NULL) &&
		    ordo_topology_fail_link(topology, 5, 6, NULL) &&
		    ordo_topology_fail_link(topology, 12, 13, NULL) &&
		    ordo_topology_finish(topology, NULL));
	const struct ordo_request request = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 15},
		.algorithm = "hierarchical(ring,mesh,sizes=[5,3])",
		.topology = topology};
	struct ordo_schedule *schedule = compile_proved(&request);
	traffic_of(schedule, &(struct shape){2, {5, 3}});
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
}

static void no_pair_is_superfluous(void **state)
{
	(void)state;
	static const char *const levels[] = {"mesh,mesh", "mesh,nhr", "ring,ring"};
	for (size_t i = 0; i < 3; i++)
		for (int op = 0; op < ORDO_NOPERATOR - (i > 0); op++) {
			const struct shape shape = {2, {3, 2}};
			const struct ordo_request request = {
				.problem = {.op = (enum ordo_operator)op, .nrank = 6},
				.algorithm = notation_of(levels[i], &shape)};
			struct ordo_schedule *schedule = compile_proved(&request);
			check_every_pair_is_needed(schedule, NULL);
			ordo_schedule_destroy(schedule);
		}
}

/* Nobody is sent what is there already. */
static void a_broadcast_brings_everybody_everything_once(void **state)
{
	(void)state;
	static const char *const levels[] = {"mesh,mesh,mesh", "nhr,ring,tree", "ring,mesh,nhr"};
	for (size_t i = 0; i < 3; i++)
		for (uint32_t root = 0; root < 12; root += 5) {
			const struct shape shape = {3, {2, 3, 2}};
			const struct ordo_request request = {
				.problem = {.op = ORDO_BROADCAST, .nrank = 12, .root = root},
				.algorithm = notation_of(levels[i], &shape)};
			struct ordo_schedule *schedule = compile_proved(&request);
			uint32_t arrived[12] = {0};
			for (uint32_t t = 0; t < schedule->ntask; t++)
				if (schedule->tasks[t].kind == ORDO_SEND &&
					schedule->tasks[t].dst_buffer == ORDO_OUTPUT)
					arrived[schedule->tasks[t].peer] +=
						schedule->tasks[t].count;
			for (uint32_t rank = 0; rank < 12; rank++)
				assert_int_equal(arrived[rank],
					rank == root ? 0 : schedule->problem.chunks_per_block);
			ordo_schedule_destroy(schedule);
		}
}

static void notation_is_nested_and_canonical(void **state)
{
	(void)state;
	static const char *const forms[][2] = {
		{"hierarchical", "hierarchical"},
		{" hierarchical( mesh , mesh )", "hierarchical"},
		{"hierarchical(ring( directions=2, rings=1 ),nhr(data=large))",
			"hierarchical(ring(directions=2),nhr)"},
		{"hierarchical(ring(order=[0,1,2,3,4,5]),nhr)",
			"hierarchical(ring(order=[0,1,2,3,4,5]),nhr)"},
		{"hierarchical(sizes=[6,2],mesh(fold=linear),mesh)",
			"hierarchical(mesh(fold=linear),mesh,sizes=[6,2])"},
	};
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
		struct ordo_resolved_request resolved;
		const struct ordo_request request = {
			.problem = {.op = ORDO_ALLREDUCE, .nrank = 12}, .algorithm = forms[i][0]};
		struct ordo_error error = {0};
		if (!ordo_request_resolve(&resolved, &request, &error) && i != 3)
			fail_msg("%s: %s", forms[i][0], error.text);
		assert_string_equal(resolved.notation, forms[i][1]);
		ordo_resolved_request_destroy(&resolved);
	}
}

static void check_refused(const char *algorithm, enum ordo_operator op,
	const struct ordo_topology *topology, const char *text, const char *hint)
{
	const struct ordo_request request = {
		.problem = {.op = op, .nrank = 12}, .algorithm = algorithm, .topology = topology};
	struct ordo_error error = {0};
	assert_null(ordo_compile(&request, &error));
	assert_int_equal(error.code, ORDO_USAGE);
	assert_string_equal(error.text, text);
	assert_string_equal(error.hint, hint);
}

/* All but hierarchies themselves, in the order of the table. */
static const char *those_that_have(enum ordo_operator op)
{
	static char hint[1024];
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	size_t length = (size_t)snprintf(hint, sizeof hint, "algorithms that have it");
	const char *before = ": ";
	for (uint32_t i = 0; i < count; i++)
		if (algorithms[i]->operators >> op & 1 &&
			strcmp(algorithms[i]->name, "hierarchical")) {
			length += (size_t)snprintf(hint + length, sizeof hint - length, "%s%s",
				before, algorithms[i]->name);
			before = ", ";
		}
	assert_non_null(strstr(hint, "mesh, "));
	return hint;
}

static void what_does_not_apply_is_refused_by_its_level(void **state)
{
	(void)state;
	check_refused("hierarchical(mesh,nhr)", ORDO_ALLTOALL, NULL,
		"algorithm: hierarchical, level 1 does AllToAll: nhr has no AllToAll",
		those_that_have(ORDO_ALLTOALL));
	check_refused("hierarchical(star,mesh)", ORDO_BROADCAST, NULL,
		"algorithm: hierarchical, level 0 does AllGather: star has no AllGather",
		those_that_have(ORDO_ALLGATHER));
	check_refused("hierarchical(mesh,halving-doubling)", ORDO_ALLREDUCE, NULL,
		"algorithm: hierarchical, level 1 does AllReduce: halving-doubling needs a power "
		"of two ranks, found 3",
		"rhd does the same for any number of ranks");
	check_refused("hierarchical(mesh,nhr(date=small))", ORDO_ALLREDUCE, NULL,
		"algorithm: hierarchical, level 1: nhr has no parameter \"date\", wanted data, "
		"slices, via, map",
		"did you mean data?");
	check_refused("hierarchical(mesh,hierarchical)", ORDO_ALLREDUCE, NULL,
		"algorithm: hierarchical, level 1: found hierarchical in hierarchical; name all "
		"levels in one",
		"");
	check_refused("hierarchical(nhr(data=small),mesh)", ORDO_ALLREDUCE, NULL,
		"algorithm: hierarchical, level 0 does ReduceScatter: nhr has a form for small "
		"data for AllReduce, Reduce and Broadcast, not for ReduceScatter",
		"");
	check_refused("hierarchical(mesh,mesh,first=outer)", ORDO_ALLREDUCE, NULL,
		"algorithm: first says which level begins, and AllReduce goes through the inner "
		"level both first and last",
		"");
	check_refused("ring(mesh)", ORDO_ALLREDUCE, NULL, "algorithm: cannot read \"ring(mesh)\"",
		"wanted a name, or name(key=value,key=value) with lists in brackets: "
		"order=[0,2,1]");
	check_refused("hierarchical(mesh,,mesh)", ORDO_ALLREDUCE, NULL,
		"algorithm: cannot read \"hierarchical(mesh,,mesh)\"",
		"wanted a name, or name(key=value,key=value) with lists in brackets: "
		"order=[0,2,1]");
}

static void levels_that_do_not_fit_are_refused(void **state)
{
	(void)state;
	check_refused("hierarchical(mesh,mesh,sizes=[4,4])", ORDO_ALLREDUCE, NULL,
		"hierarchical: found 12 ranks, wanted the product of the levels, sizes=[4,4]",
		"every group of a level has the same number of ranks");
	check_refused("hierarchical(mesh,mesh,sizes=[2,2,3])", ORDO_ALLREDUCE, NULL,
		"hierarchical: found 3 sizes for 2 levels: sizes=[2,2,3]", "");
	check_refused("hierarchical(mesh,mesh,mesh,mesh,mesh,mesh,mesh,mesh,mesh)", ORDO_ALLREDUCE,
		NULL, "hierarchical: found 9 levels, wanted 1..8", "");
	struct ordo_error error = {0};
	struct ordo_topology *servers = ordo_topology_make("servers:3x4", 12, &error);
	check_refused("hierarchical(mesh,mesh,mesh)", ORDO_ALLREDUCE, servers,
		"hierarchical: topology \"servers:3x4\" has 2 levels, the algorithm 3",
		"give the sizes, the innermost level first: sizes=[8,4]");
	ordo_topology_destroy(servers);
}

/* Servers of the ranks first..end-1 behind one switch, under a name that says nothing. */
static struct ordo_topology *make_servers(const uint32_t *ends, uint32_t nserver)
{
	const uint32_t nrank = ends[nserver - 1];
	struct ordo_topology *topology = ordo_topology_create("mine", nrank, 1, 0, NULL);
	assert_non_null(topology);
	for (uint32_t s = 0; s < nserver; s++)
		for (uint32_t a = s ? ends[s - 1] : 0; a < ends[s]; a++)
			for (uint32_t b = s ? ends[s - 1] : 0; b < ends[s]; b++)
				assert_true(a == b ||
					    ordo_topology_add(topology, a, b, NULL, 1, 1, NULL));
	for (uint32_t rank = 0; rank < nrank; rank++)
		assert_true(ordo_topology_add(topology, rank, nrank, NULL, 1, 1, NULL) &&
			    ordo_topology_add(topology, nrank, rank, NULL, 1, 1, NULL));
	assert_true(ordo_topology_finish(topology, NULL));
	return topology;
}

static void servers_are_seen_by_their_links(void **state)
{
	(void)state;
	struct ordo_topology *even = make_servers((const uint32_t[]){6, 12}, 2);
	const struct ordo_request request = {.problem = {.op = ORDO_ALLREDUCE, .nrank = 12},
		.algorithm = "hierarchical",
		.topology = even};
	struct ordo_schedule *schedule = compile_proved(&request);
	traffic_of(schedule, &(struct shape){2, {6, 2}});
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(even);
	struct ordo_topology *uneven = make_servers((const uint32_t[]){4, 9, 12}, 3);
	check_refused("hierarchical", ORDO_ALLREDUCE, uneven,
		"hierarchical: topology \"mine\" joins ranks 0..3 to one server, and rank 8 to "
		"none of the same size; levels of unequal size are not composed",
		"asymmetric and aggregated take servers of different sizes");
	ordo_topology_destroy(uneven);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_algorithms_make_two_levels),
		cmocka_unit_test(any_algorithms_make_three_levels),
		cmocka_unit_test(either_level_may_begin),
		cmocka_unit_test(the_level_that_begins_decides_what_goes_between_servers),
		cmocka_unit_test(claims_are_the_sums_of_the_levels),
		cmocka_unit_test(orders_are_trees_of_trees),
		cmocka_unit_test(the_number_of_trees_is_the_product_of_the_levels),
		cmocka_unit_test(levels_follow_the_topology),
		cmocka_unit_test(a_ring_goes_round_links_down_in_any_group),
		cmocka_unit_test(no_pair_is_superfluous),
		cmocka_unit_test(a_broadcast_brings_everybody_everything_once),
		cmocka_unit_test(notation_is_nested_and_canonical),
		cmocka_unit_test(what_does_not_apply_is_refused_by_its_level),
		cmocka_unit_test(levels_that_do_not_fit_are_refused),
		cmocka_unit_test(servers_are_seen_by_their_links),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
