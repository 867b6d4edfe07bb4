/* hierarchical.c - any algorithm in each level of ranks: in a server, between servers, between
 * pods.
 *
 * hierarchical(mesh,nhr): mesh in the innermost level, nhr in the next. An operator is done in
 * stages; in each, all groups of one level do one of their own side by side:
 *   AllReduce  ReduceScatter in each level going out, AllReduce of the parts in the outermost,
 *              AllGather going in
 *   Reduce     the same with Reduce, then Gather in the groups that lead to the root
 *   Broadcast  Scatter in the root's groups going out, Broadcast in the outermost, AllGather going
 *              in
 *   others     the operator itself in one level after another. first=inner: the innermost first,
 *              blocks for the same place in other groups go along; first=outer: the outermost
 *              first. auto moves least between the outer groups: what is dealt out (ReduceScatter,
 *              Scatter, AllToAll) begins in the innermost, what is collected (AllGather, Gather) in
 *              the outermost level.
 * A level of one rank is left out; groups of a level are all of one size.
 *
 * steps   counted along the stages: the sum of the levels' where all slices of an algorithm have
 *         equally far to go, less where who waits longest in one level does not in the next
 * volume  counted along the stages: the sum of theirs where all members of a group do alike and K
 *         is a multiple of the levels' sizes, AllReduce 2(N-1)/N n of levels that have 2(n-1)/n;
 *         Gather: the largest, as who goes on gathering was the root of a group before, and has
 *         sent nothing
 * order   the tree of the level done last, each leaf of it a tree of the level before. Inner first,
 *         as AllReduce and Reduce always: a tree over servers of the trees over the ranks of one.
 *         Dyadic in all levels is D(N) then, if all but the outermost have 2^k ranks. The number of
 *         trees is the product of the levels'
 * scratch what the stages need together, and a work place for each chunk where the output has none;
 * AllToAll a
 *         bank of all blocks between every two stages
 * source  the hierarchical collectives of HCCL; levels: Karonis, de Supinski, Foster, Gropp, Lusk
 *         and Bresnahan, IPDPS 2000
 */
#include "hierarchy.h"
#include "request/request.h"
#include <assert.h>
#include <ordo/arena.h>
#include <ordo/divisor.h>
#include <string.h>

static const struct ordo_value *algorithms_of(const struct ordo_resolved_request *resolved)
{
	return ordo_parameter_value(resolved, "levels");
}

static bool is_cut(enum ordo_operator op)
{
	return op == ORDO_ALLREDUCE || op == ORDO_REDUCE || op == ORDO_BROADCAST;
}

static bool applicable(const struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	const enum ordo_operator op = resolved->problem.op;
	if (is_cut(op) && !ordo_parameter_is(resolved, "first", "auto"))
		return ordo_fail(error, ORDO_USAGE, 0,
			"algorithm: first says which level begins, and %s goes through the inner "
			"level both first and last",
			ordo_operator_facts(op)->name);
	return true;
}

static bool begins_inside(const struct ordo_resolved_request *resolved)
{
	const enum ordo_operator op = resolved->problem.op;
	if (ordo_parameter_is(resolved, "first", "auto"))
		return op != ORDO_ALLGATHER && op != ORDO_GATHER;
	return ordo_parameter_is(resolved, "first", "inner");
}

static void add_stage(struct ordo_hierarchy *hierarchy, struct ordo_stage stage)
{
	hierarchy->stages[hierarchy->nstage++] = stage;
}

/* One block: out through the levels in parts, and back. */
static void plan_cut(struct ordo_hierarchy *hierarchy, enum ordo_operator op)
{
	const uint32_t last = hierarchy->levels.count - 1;
	const ordo_level_set all = ordo_levels_all(&hierarchy->levels);
	const enum ordo_operator out = op == ORDO_BROADCAST ? ORDO_SCATTER : ORDO_REDUCESCATTER,
				 back = op == ORDO_REDUCE ? ORDO_GATHER : ORDO_ALLGATHER;
	for (uint32_t l = 0; l < last; l++)
		add_stage(hierarchy,
			(struct ordo_stage){.op = out,
				.level = l,
				.at_root = out == ORDO_SCATTER ? all & ~((2u << l) - 1) : 0});
	add_stage(hierarchy, (struct ordo_stage){.op = op, .level = last});
	for (uint32_t l = last; l-- > 0;)
		add_stage(hierarchy,
			(struct ordo_stage){.op = back,
				.level = l,
				.at_root = back == ORDO_GATHER ? all & ~((2u << l) - 1) : 0});
}

/* A scattering stage carries all blocks of the levels to come, a gathering stage those of the
 * levels done. */
static struct ordo_stage stage_of_blocks(const struct ordo_levels *levels, enum ordo_operator op,
	uint32_t level, ordo_level_set done)
{
	const ordo_level_set others = ordo_levels_all(levels) & ~(1u << level),
			     to_come = others & ~done;
	struct ordo_stage stage = {.op = op, .level = level, .done = done};
	switch (op) {
	case ORDO_REDUCESCATTER:
	case ORDO_SCATTER:
		stage.free = to_come;
		stage.at_root = op == ORDO_SCATTER ? to_come : 0;
		break;
	case ORDO_ALLGATHER:
	case ORDO_GATHER:
		stage.free = done;
		stage.at_root = op == ORDO_GATHER ? done : 0;
		break;
	case ORDO_ALLTOALL:
		stage.free = others;
		break;
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
	case ORDO_CUSTOM:
		break;
	}
	return stage;
}

static void plan_blocks(struct ordo_hierarchy *hierarchy, enum ordo_operator op, bool inside_first)
{
	const uint32_t count = hierarchy->levels.count;
	ordo_level_set done = 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t level = inside_first ? i : count - 1 - i;
		add_stage(hierarchy, stage_of_blocks(&hierarchy->levels, op, level, done));
		done |= 1u << level;
	}
}

/* The request of a group. */
static bool resolve_stage(const struct ordo_resolved_request *resolved,
	const struct ordo_hierarchy *hierarchy, struct ordo_stage *stage, const char *algorithm,
	struct ordo_error *error)
{
	const struct ordo_levels *levels = &hierarchy->levels;
	const struct ordo_operator_facts *facts = ordo_operator_facts(stage->op);
	const struct ordo_request request = {
		.problem = {.op = stage->op,
			.nrank = levels->at[stage->level].size,
			.root = facts->rooted ? ordo_level_digit(levels, stage->level,
							resolved->problem.root)
					      : 0,
			.in_place = facts->has_in_place &&
				    (resolved->problem.in_place || stage != hierarchy->stages)},
		.algorithm = algorithm,
		.topology = hierarchy->topologies[stage->level],
	};
	if (resolved->resolve(&stage->request, &request, error)) {
		stage->natural = stage->request.problem.chunks_per_block;
		return true;
	}
	ordo_resolved_request_destroy(&stage->request);
	return ordo_error_in(error, "hierarchical, level %u does %s",
		levels->at[stage->level].number, facts->name);
}

/* Parameters of a level need not apply to all of its stages: they are dropped where they do not,
 * but must apply to one. */
static bool make_level(const struct ordo_resolved_request *resolved,
	struct ordo_hierarchy *hierarchy, uint32_t level, struct ordo_error *error)
{
	const char *algorithm =
		algorithms_of(resolved)->algorithms[hierarchy->levels.at[level].number];
	struct ordo_error refusal = {0}, other;
	char name[64] = "";
	bool suits = false;
	strncpy(name, algorithm,
		strcspn(algorithm, "(") < sizeof name ? strcspn(algorithm, "(") : 0);
	for (uint32_t i = 0; i < hierarchy->nstage; i++) {
		struct ordo_stage *stage = &hierarchy->stages[i];
		if (stage->level != level)
			continue;
		const bool suited = resolve_stage(
			resolved, hierarchy, stage, algorithm, refusal.code ? &other : &refusal);
		suits |= suited;
		if (!suited && !resolve_stage(resolved, hierarchy, stage, name, &other)) {
			suits = false;
			break;
		}
	}
	if (!suits && error)
		*error = refusal;
	return suits;
}

static bool make_levels(const struct ordo_resolved_request *resolved,
	struct ordo_hierarchy *hierarchy, struct ordo_error *error)
{
	for (uint32_t l = 0; l < hierarchy->levels.count; l++) {
		if (resolved->topology &&
			!(hierarchy->topologies[l] = ordo_level_topology(
				  &hierarchy->levels, l, resolved->topology, error)))
			return false;
		if (!make_level(resolved, hierarchy, l, error))
			return false;
	}
	return true;
}

static bool prepare(struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	struct ordo_hierarchy *hierarchy = ordo_arena_alloc(&resolved->arena, sizeof *hierarchy);
	if (!hierarchy)
		return ordo_fail_memory(error);
	resolved->prepared = hierarchy;
	if (!ordo_levels_make(resolved, algorithms_of(resolved)->nalgorithm,
		    ordo_parameter_value(resolved, "sizes"), &hierarchy->levels, error))
		return false;
	hierarchy->cut = is_cut(resolved->problem.op);
	if (hierarchy->cut)
		plan_cut(hierarchy, resolved->problem.op);
	else
		plan_blocks(hierarchy, resolved->problem.op, begins_inside(resolved));
	return make_levels(resolved, hierarchy, error);
}

static void release(struct ordo_resolved_request *resolved)
{
	struct ordo_hierarchy *hierarchy = resolved->prepared;
	for (uint32_t i = 0; hierarchy && i < hierarchy->nstage; i++)
		if (hierarchy->stages[i].request.algorithm)
			ordo_resolved_request_destroy(&hierarchy->stages[i].request);
	for (uint32_t l = 0; hierarchy && l < hierarchy->levels.count; l++)
		ordo_topology_destroy(hierarchy->topologies[l]);
}

static uint64_t common_multiple(uint64_t a, uint64_t b)
{
	assert(a && b);
	return a / ordo_common_divisor(a, b) * b;
}

/* Such that every stage has a multiple of what it would choose, and cuts without remainder. Stages
 * further out have smaller parts. */
static uint32_t natural_chunks(const struct ordo_resolved_request *resolved)
{
	const struct ordo_hierarchy *hierarchy = resolved->prepared;
	uint64_t K = 1;
	for (uint32_t l = hierarchy->levels.count; l-- > 0 && K <= ORDO_LIMIT;) {
		for (uint32_t i = 0; i < hierarchy->nstage && K <= ORDO_LIMIT; i++)
			if (hierarchy->stages[i].level == l)
				K = common_multiple(K, hierarchy->stages[i].natural);
		if (hierarchy->cut && l + 1 < hierarchy->levels.count)
			K *= hierarchy->levels.at[l].size;
	}
	return K <= ORDO_LIMIT ? (uint32_t)K : ORDO_NONE;
}

static const struct ordo_parameter parameters[] = {
	{.name = "levels",
		.values = "algorithm,algorithm",
		.fallback = "mesh,mesh",
		.meaning = "an algorithm for each level, the innermost first, without a "
			   "key: hierarchical(mesh,nhr). A level ignores a parameter that "
			   "does not apply to its operator",
		.kind = ORDO_ALGORITHMS},
	{.name = "sizes",
		.values = "auto|[8,4]",
		.fallback = "auto",
		.meaning = "ranks of each level, the innermost first, with rank = place in "
			   "server + 8 server; auto: from the topology's name, such as "
			   "servers:4x8, else sizes as equal as possible",
		.kind = ORDO_LISTS},
	{.name = "first",
		.values = "auto|inner|outer",
		.fallback = "auto",
		.meaning = "the level that begins, for operators with blocks; auto: outer "
			   "for AllGather and Gather, else inner, which sends least between "
			   "servers. HCCL's ReduceScatter begins with the outer level",
		.kind = ORDO_WORD},
};

/* Operators of the variants below: a variant lacks what an algorithm of one of its levels lacks. */
#define SUMMED (1u << ORDO_ALLREDUCE | 1u << ORDO_REDUCESCATTER)
#define SLICED (((1u << ORDO_NOPERATOR) - 1) & ~(1u << ORDO_ALLTOALL))

static const struct ordo_variant variants[] = {
	{.settings = "", .servers = true},
	{.settings = "mesh,dyadic", .servers = true, .operators = SUMMED},
	{.settings = "dyadic,dyadic", .servers = true, .operators = 1u << ORDO_REDUCESCATTER},
	{.settings = "mesh,ring", .servers = true, .operators = SLICED},
	{.settings = "mesh,nhr", .servers = true, .operators = SLICED},
	{.settings = "ring,ring", .servers = true, .operators = SLICED},
	{.settings = "mesh,mesh,mesh", .servers = true}, /* a3: pairs, columns, servers */
};

static const struct ordo_alias aliases[] = {
	{"split-rail", 1u << ORDO_ALLREDUCE, "", NULL},
};

const struct ordo_algorithm ordo_algorithm_hierarchical = {
	.facts = {.name = "hierarchical",
		.summary = "any algorithm in each level of ranks: in servers, between servers, "
			   "between pods",
		.how = "The ranks form levels: within a server, between servers, between pods. "
		       "Each level has an algorithm of its own. The inner level leaves each rank "
		       "with one share, and the outer level works on all shares in parallel.",
		.when = "Where links inside a server are much faster than those between servers: "
			"the slow links carry one share instead of the whole vector.",
		.operators = (1u << ORDO_NOPERATOR) - 1,
		.ranks = "the product of the levels",
		.steps = "counted along the levels: their sum, less where a slice has less far to "
			 "go",
		.volume = "counted along the levels: AllReduce 2(N-1)/N n of levels that have "
			  "2(n-1)/n",
		.order = "a tree over the outer level of trees over the inner; all dyadic: D(N) if "
			 "all but the outermost have 2^k ranks",
		.topologies = "what each level's algorithm needs among the ranks of its groups",
		.source = "hierarchical collectives of HCCL; Karonis et al. 2000",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.variants = variants,
		.nvariant = sizeof variants / sizeof *variants,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.applicable = applicable,
	.prepare = prepare,
	.chunks = natural_chunks,
	.build = ordo_hierarchy_build,
	.release = release,
	.steps = ordo_hierarchy_steps,
	.volume = ordo_hierarchy_volume,
};
