/* compare.c - compares the trees of two schedules, one common part of the vector at a time. */
#include <ordo/arena.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/compare.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct ordo_position position(uint64_t of, uint64_t whole)
{
	uint64_t divisor = whole, rest = of;
	while (rest) {
		const uint64_t next = divisor % rest;
		divisor = rest;
		rest = next;
	}
	return (struct ordo_position){of / divisor, whole / divisor};
}

/* The later of where chunk a of n begins and where chunk b of m does. */
static struct ordo_position later_begin(uint32_t a, uint32_t n, uint32_t b, uint32_t m)
{
	return (uint64_t)a * m >= (uint64_t)b * n ? position(a, n) : position(b, m);
}

static bool has_one_order(const struct ordo_order *order, struct ordo_error *error)
{
	if (order->run_to_run == ORDO_DOES_NOT_HOLD)
		return ordo_fail(error, ORDO_REFUTED, 0,
			"its order is not fixed (G2), so it is not even interchangeable with "
			"itself: %s",
			order->run_to_run_why);
	if (order->rank_equal == ORDO_DOES_NOT_HOLD)
		return ordo_fail(error, ORDO_REFUTED, 0,
			"its ranks get different sums (G1), so there is no one order to compare");
	return true;
}

static bool refuse_roundings(
	const struct ordo_problem *a, const struct ordo_problem *b, struct ordo_error *error)
{
	static const char plain[] = "rounds after every operation", in[] = "accumulates in ";
	ordo_fail(error, ORDO_USAGE, 0, "different roundings: the first %s%s, the second %s%s",
		a->accumulate ? in : plain,
		a->accumulate ? ordo_accumulation_name(a->accumulate) : "",
		b->accumulate ? in : plain,
		b->accumulate ? ordo_accumulation_name(b->accumulate) : "");
	return ordo_hint(error, "sums have other bits even over the same trees: compile both with "
				"one --accumulate, or neither");
}

static bool are_comparable(
	const struct ordo_order *first, const struct ordo_order *second, struct ordo_error *error)
{
	const struct ordo_problem *a = &first->problem, *b = &second->problem;
	const struct ordo_operator_facts *facts = ordo_operator_facts(a->op);
	if (a->op != b->op) {
		ordo_fail(error, ORDO_USAGE, 0,
			"different operators: found %s and %s, wanted one operator", facts->name,
			ordo_operator_facts(b->op)->name);
		return ordo_hint(error, "only schedules of one operator can have the same result");
	}
	if (facts->reduces && a->nshard != b->nshard) {
		ordo_fail(error, ORDO_USAGE, 0,
			"different sums: found %u and %u contributions, wanted the same number",
			a->nshard, b->nshard);
		return ordo_hint(error,
			"schedules for %u and %u ranks have the same order with virtual shards: "
			"compile both with --shards V, V a multiple of either",
			a->nrank, b->nrank);
	}
	if (a->accumulate != b->accumulate)
		return refuse_roundings(a, b, error);
	if (!facts->reduces && a->nrank != b->nrank)
		return ordo_fail(error, ORDO_USAGE, 0,
			"different data: found %s on %u and on %u ranks, and nothing is added",
			facts->name, a->nrank, b->nrank);
	return true;
}

/* Do two trees of the forest give the same bits? */
static bool is_same(const struct ordo_order *order, uint32_t a, uint32_t b)
{
	const struct ordo_trees *trees = &order->forest->trees;
	return ordo_is_order_free(&order->problem) ||
	       ordo_same_tree(trees, a) == ordo_same_tree(trees, b);
}

static bool begin_part(struct ordo_comparison *comparison, const struct ordo_vector_part *part,
	struct ordo_error *error)
{
	if (!ordo_array_reserve(&comparison->parts, &comparison->room,
		    (size_t)comparison->npart + 1, sizeof *comparison->parts))
		return ordo_fail_memory(error);
	if (comparison->npart)
		comparison->parts[comparison->npart - 1].end = part->begin;
	if (!part->same && !comparison->ndiffering++)
		comparison->first = comparison->npart;
	comparison->parts[comparison->npart++] = *part;
	return true;
}

/* Appends a part, or extends the last one. */
static bool take(struct ordo_comparison *comparison, const struct ordo_order *first,
	const struct ordo_order *second, const uint32_t chunk[2], struct ordo_error *error)
{
	const uint32_t tree[2] = {first->chunk_tree[chunk[0]], second->chunk_tree[chunk[1]]};
	if (comparison->npart) {
		const struct ordo_vector_part *last = &comparison->parts[comparison->npart - 1];
		if (is_same(first, last->tree[0], tree[0]) &&
			is_same(first, last->tree[1], tree[1]))
			return true;
	}
	const struct ordo_vector_part part = {
		.begin = later_begin(chunk[0], first->nchunk, chunk[1], second->nchunk),
		.end = {1, 1},
		.chunk = {chunk[0], chunk[1]},
		.tree = {tree[0], tree[1]},
		.same = is_same(first, tree[0], tree[1])};
	return begin_part(comparison, &part, error);
}

bool ordo_compare(const struct ordo_order *first, const struct ordo_order *second,
	struct ordo_comparison *comparison, struct ordo_error *error)
{
	*comparison = (struct ordo_comparison){.first = ORDO_NONE};
	if (!are_comparable(first, second, error) || !has_one_order(first, error) ||
		!has_one_order(second, error))
		return false;
	for (struct ordo_overlap at = {{0, 0}}; at.chunk[0] < first->nchunk;
		ordo_overlap_next(first, second, &at))
		if (!take(comparison, first, second, at.chunk, error))
			return false;
	return true;
}

void ordo_comparison_free(struct ordo_comparison *comparison)
{
	free(comparison->parts);
	*comparison = (struct ordo_comparison){0};
}

/* The guarantees about two schedules: G4 and G5. */

static const char *name_topology(struct ordo_arena *arena, const struct ordo_schedule *schedule)
{
	if (!schedule->topology_digest)
		return "no topology";
	return ordo_arena_format(arena, "\"%s\" (%.8s)",
		schedule->topology_name ? schedule->topology_name : "", schedule->topology_digest);
}

static bool same_topology(const struct ordo_schedule *first, const struct ordo_schedule *second)
{
	if (!first->topology_digest || !second->topology_digest)
		return !first->topology_digest && !second->topology_digest;
	return !strcmp(first->topology_digest, second->topology_digest);
}

static struct ordo_pair_judgement judge_placement(const struct ordo_schedule *first,
	const struct ordo_schedule *second, bool same, struct ordo_arena *arena)
{
	const uint32_t a = first->problem.nrank, b = second->problem.nrank;
	if (a != b)
		return (struct ordo_pair_judgement){ORDO_NOT_ASKED,
			ordo_arena_format(arena,
				"%u and %u ranks cannot have the same placement; see G5", a, b)};
	const char *here = name_topology(arena, first), *there = name_topology(arena, second);
	if (!here || !there)
		return (struct ordo_pair_judgement){ORDO_NOT_ASKED, NULL};
	if (same_topology(first, second))
		return (struct ordo_pair_judgement){ORDO_NOT_ASKED,
			ordo_arena_format(arena, "both were compiled for %s", here)};
	return (struct ordo_pair_judgement){same ? ORDO_HOLDS : ORDO_DOES_NOT_HOLD,
		ordo_arena_format(arena, "one was compiled for %s, the other for %s", here, there)};
}

static struct ordo_pair_judgement judge_rank_count(const struct ordo_schedule *first,
	const struct ordo_schedule *second, bool same, struct ordo_arena *arena)
{
	const uint32_t a = first->problem.nrank, b = second->problem.nrank;
	if (a == b)
		return (struct ordo_pair_judgement){
			ORDO_NOT_ASKED, ordo_arena_format(arena, "both are for %u ranks", a)};
	return (struct ordo_pair_judgement){same ? ORDO_HOLDS : ORDO_DOES_NOT_HOLD,
		ordo_arena_format(
			arena, "%u shards on %u and on %u ranks", first->problem.nshard, a, b)};
}

struct ordo_pair_judgement ordo_judge_pair(enum ordo_guarantee guarantee,
	const struct ordo_schedule *first, const struct ordo_schedule *second, bool same,
	struct ordo_arena *arena)
{
	if (!ordo_operator_facts(first->problem.op)->reduces)
		return (struct ordo_pair_judgement){
			ORDO_NOT_ASKED, ordo_arena_format(arena, "%s adds nothing",
						ordo_operator_facts(first->problem.op)->name)};
	return guarantee == ORDO_G4 ? judge_placement(first, second, same, arena)
				    : judge_rank_count(first, second, same, arena);
}
