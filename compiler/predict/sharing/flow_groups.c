/* flow_groups.c - a pool has a list of flows and a list of resources, so beginning, ending or
 * settling a flow takes one step for each of these, not for each use. Its resources store only the
 * number of their flows. */
#include "flow_groups.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdlib.h>

/* Fewer flows are handled one by one as fast. */
enum { LEAST_FLOWS = 4 };
/* While pools are made: of a flow that cannot be in one. */
#define REFUSED (ORDO_NONE - 1)
/* While pools are made: of a flow that nothing keeps. */
#define NO_KEEPER (ORDO_NONE >> 1)

bool ordo_flow_groups_make(struct ordo_flow_groups *pools, uint32_t nflow)
{
	const size_t most = (size_t)nflow + 1;
	*pools = (struct ordo_flow_groups){.pools = ordo_array_make(most, sizeof *pools->pools, 0),
		.unused = ordo_array_make(most, sizeof *pools->unused, 0),
		.stirred = ordo_array_make(most, sizeof *pools->stirred, 0)};
	return pools->pools && pools->unused && pools->stirred;
}

void ordo_flow_groups_free(struct ordo_flow_groups *pools)
{
	for (uint32_t i = 0; i < pools->npool; i++) {
		free(pools->pools[i].marks);
		free(pools->pools[i].resources);
	}
	free(pools->pools);
	free(pools->unused);
	free(pools->stirred);
}

static void stir(struct ordo_flow_groups *pools, uint32_t number)
{
	if (pools->pools[number].stirred)
		return;
	pools->pools[number].stirred = true;
	pools->stirred[pools->nstirred++] = number;
}

/* What it has served now, at the rate so far. */
static void advance(struct ordo_flow_group *pool, double time)
{
	pool->served += pool->rate * (time - pool->updated);
	pool->updated = time;
}

static bool reserve(struct ordo_flow_group *pool, size_t nmark, size_t nresource)
{
	return ordo_array_reserve(&pool->marks, &pool->mark_room, nmark, sizeof *pool->marks) &&
	       ordo_array_reserve(
		       &pool->resources, &pool->resource_room, nresource, sizeof *pool->resources);
}

/* There is room. */
static void add_flow(
	struct ordo_max_min *sharing, uint32_t number, uint32_t id, struct ordo_mark mark)
{
	struct ordo_flow_group *pool = &sharing->pools.pools[number];
	struct ordo_flow *flow = &sharing->flows[id];
	flow->pool = number;
	pool->marks[pool->nmark++] = mark;
	pool->least_bound = flow->bound < pool->least_bound ? flow->bound : pool->least_bound;
}

static void add_resource(struct ordo_max_min *sharing, uint32_t number, uint32_t id)
{
	struct ordo_flow_group *pool = &sharing->pools.pools[number];
	sharing->resources[id].pool = number;
	pool->resources[pool->nresource++] = id;
}

static uint32_t make_pool(struct ordo_flow_groups *pools)
{
	const uint32_t number = pools->nunused ? pools->unused[--pools->nunused] : pools->npool++;
	struct ordo_flow_group *pool = &pools->pools[number];
	*pool = (struct ordo_flow_group){.least_bound = HUGE_VAL,
		.marks = pool->marks,
		.mark_room = pool->mark_room,
		.resources = pool->resources,
		.resource_room = pool->resource_room};
	return number;
}

/* Its flows are of no pool, or as said. */
static void unmake_pool(struct ordo_max_min *sharing, uint32_t number, uint32_t none)
{
	struct ordo_flow_groups *pools = &sharing->pools;
	struct ordo_flow_group *pool = &pools->pools[number];
	for (size_t i = 0; i < pool->nmark; i++)
		sharing->flows[pool->marks[i].flow].pool = none;
	for (size_t i = 0; i < pool->nresource; i++)
		sharing->resources[pool->resources[i]].pool = ORDO_NONE;
	pool->over = true;
	pools->unused[pools->nunused++] = number;
}

/* A flow goes on without the pool, for now as if it had always had this rate. */
static void release(struct ordo_max_min *sharing, const struct ordo_flow_group *pool,
	const struct ordo_mark *mark)
{
	struct ordo_flow *flow = &sharing->flows[mark->flow];
	const double left = mark->end - pool->served;
	flow->remaining = left > 0 ? left : 0;
	flow->updated = pool->updated;
	flow->rate = pool->rate;
	ordo_flow_enter(sharing, mark->flow);
	sharing->changed[sharing->nchanged++] = mark->flow;
}

/* Its flows are looked at one by one, for all that they use is looked at anew. */
static void dissolve(struct ordo_max_min *sharing, uint32_t number)
{
	const struct ordo_flow_group *pool = &sharing->pools.pools[number];
	for (size_t i = 0; i < pool->nresource; i++) {
		sharing->resources[pool->resources[i]].nentry = 0;
		ordo_mark_dirty(sharing, pool->resources[i], pool->rate);
	}
	for (size_t i = 0; i < pool->nmark; i++)
		release(sharing, pool, &pool->marks[i]);
	unmake_pool(sharing, number, ORDO_NONE);
}

/* What the pool has, and what is nobody's. */
static bool can_join(struct ordo_max_min *sharing, uint32_t number, const struct ordo_flow *flow)
{
	struct ordo_flow_group *pool = &sharing->pools.pools[number];
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const struct ordo_shared *resource = &sharing->resources[flow->uses[i].resource];
		if (resource->pool != number && (resource->pool != ORDO_NONE || resource->count))
			return false;
	}
	return reserve(pool, pool->nmark + 1, pool->nresource + flow->nuse);
}

uint32_t ordo_flow_groups_find(struct ordo_max_min *sharing, uint32_t id)
{
	const struct ordo_flow *flow = &sharing->flows[id];
	if (sharing->pools.npool == sharing->pools.nunused)
		return ORDO_NONE;
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const uint32_t number = sharing->resources[flow->uses[i].resource].pool;
		if (number == ORDO_NONE)
			continue;
		if (can_join(sharing, number, flow))
			return number;
		dissolve(sharing, number);
	}
	return ORDO_NONE;
}

void ordo_flow_groups_join(struct ordo_max_min *sharing, uint32_t number, uint32_t id, double time)
{
	struct ordo_flow_group *pool = &sharing->pools.pools[number];
	const struct ordo_flow *flow = &sharing->flows[id];
	advance(pool, time);
	sharing->places[flow->first_place] = (uint32_t)pool->nmark;
	add_flow(sharing, number, id,
		(struct ordo_mark){.end = pool->served + flow->remaining,
			.flow = id,
			.keeper = flow->uses[0].resource & NO_KEEPER});
	for (uint32_t i = 0; i < flow->nuse; i++)
		if (sharing->resources[flow->uses[i].resource].pool == ORDO_NONE)
			add_resource(sharing, number, flow->uses[i].resource);
	stir(&sharing->pools, number);
}

void ordo_flow_groups_leave(struct ordo_max_min *sharing, uint32_t id)
{
	struct ordo_flow *flow = &sharing->flows[id];
	struct ordo_flow_group *pool = &sharing->pools.pools[flow->pool];
	const uint32_t at = sharing->places[flow->first_place];
	pool->marks[at] = pool->marks[--pool->nmark];
	sharing->places[sharing->flows[pool->marks[at].flow].first_place] = at;
	stir(&sharing->pools, flow->pool);
	flow->pool = ORDO_NONE;
}

static double level_of(const struct ordo_max_min *sharing, uint32_t resource)
{
	return ordo_even_share(&sharing->resources[resource]);
}

/* The lowest level of its resources; those without flows are let go. */
static double lowest_level(struct ordo_max_min *sharing, struct ordo_flow_group *pool)
{
	double lowest = HUGE_VAL;
	size_t kept = 0;
	for (size_t i = 0; i < pool->nresource; i++) {
		struct ordo_shared *resource = &sharing->resources[pool->resources[i]];
		if (!resource->count) {
			resource->pool = ORDO_NONE;
			continue;
		}
		const double level = ordo_even_share(resource);
		lowest = level < lowest ? level : lowest;
		pool->resources[kept++] = pool->resources[i];
	}
	pool->nresource = kept;
	return lowest;
}

/* A resource that keeps the flow from rising above the level. */
static uint32_t find_keeper(const struct ordo_max_min *sharing, uint32_t id, double level)
{
	const struct ordo_flow *flow = &sharing->flows[id];
	for (uint32_t i = 0; i < flow->nuse; i++)
		if (!(level_of(sharing, flow->uses[i].resource) > level))
			return flow->uses[i].resource;
	return NO_KEEPER;
}

/* Can all its flows go at the level, and none higher? */
static bool is_kept(struct ordo_max_min *sharing, struct ordo_flow_group *pool, double lowest)
{
	const double level = lowest * (1 + ORDO_ROUNDING);
	for (size_t i = 0; i < pool->nmark; i++) {
		struct ordo_mark *mark = &pool->marks[i];
		if (level_of(sharing, mark->keeper) > level)
			mark->keeper = find_keeper(sharing, mark->flow, level) & NO_KEEPER;
		if (mark->keeper == NO_KEEPER ||
			(pool->least_bound < lowest && sharing->flows[mark->flow].bound < lowest))
			return false;
	}
	return true;
}

/* The bytes served when the first of its flows end, together with those that end at the same
 * time. */
static double find_first_end(const struct ordo_flow_group *pool)
{
	double first = HUGE_VAL;
	for (size_t i = 0; i < pool->nmark; i++)
		first = pool->marks[i].end < first ? pool->marks[i].end : first;
	const double time = pool->updated + (first - pool->served) / pool->rate;
	return first + pool->rate * time * ORDO_SAME_TIME;
}

/* Which ends are events. */
static void show_first_ends(struct ordo_max_min *sharing, const struct ordo_flow_group *pool)
{
	const double first = find_first_end(pool);
	for (size_t i = 0; i < pool->nmark; i++) {
		struct ordo_mark *mark = &pool->marks[i];
		const bool shown = !(mark->end > first);
		if (shown)
			sharing->changed[sharing->nchanged++] = mark->flow;
		else if (mark->shown)
			sharing->hidden[sharing->nhidden++] = mark->flow;
		mark->shown = shown & 1;
	}
}

static void settle_pool(struct ordo_max_min *sharing, uint32_t number, double time)
{
	struct ordo_flow_group *pool = &sharing->pools.pools[number];
	const double lowest = lowest_level(sharing, pool);
	if (!pool->nmark || !(lowest > 0) || !is_kept(sharing, pool, lowest)) {
		dissolve(sharing, number);
		return;
	}
	advance(pool, time);
	pool->rate = lowest;
	show_first_ends(sharing, pool);
}

void ordo_flow_groups_settle(struct ordo_max_min *sharing, double time)
{
	struct ordo_flow_groups *pools = &sharing->pools;
	for (uint32_t i = 0; i < pools->nstirred; i++) {
		struct ordo_flow_group *pool = &pools->pools[pools->stirred[i]];
		pool->stirred = false;
		if (!pool->over)
			settle_pool(sharing, pools->stirred[i], time);
	}
	pools->nstirred = 0;
}

/* Nothing of it is left. */
static bool is_given(const struct ordo_max_min *sharing, uint32_t resource)
{
	return !(sharing->fillings[resource].left >
		 2 * ORDO_ROUNDING * sharing->resources[resource].capacity);
}

/* Something keeps it that enough others use, and nobody uses what it uses who is not looked at. */
static bool may_have_pool(const struct ordo_max_min *sharing, const struct ordo_flow *flow)
{
	bool kept = false;
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const uint32_t it = flow->uses[i].resource, count = sharing->resources[it].count;
		if (sharing->fillings[it].unsettled != count)
			return false;
		kept = kept || (count >= LEAST_FLOWS && is_given(sharing, it));
	}
	return kept;
}

/* The flows of a resource that it keeps. false: not all can be in the pool. */
static bool gather_flows(
	struct ordo_max_min *sharing, uint32_t number, const struct ordo_shared *resource)
{
	struct ordo_flow_group *pool = &sharing->pools.pools[number];
	const struct ordo_entry *entries = ordo_entries_of(sharing, resource);
	for (uint32_t e = 0; e < resource->count; e++) {
		const uint32_t other = entries[e].flow;
		if (sharing->flows[other].pool == number)
			continue;
		if (sharing->flows[other].pool != ORDO_NONE || !reserve(pool, pool->nmark + 1, 0))
			return false;
		add_flow(sharing, number, other,
			(struct ordo_mark){.flow = other, .keeper = NO_KEEPER});
	}
	return true;
}

/* Enters the uses of a flow. What is used up, and so keeps it, brings the other flows that it
 * keeps. false: nothing does. */
static bool gather_uses(struct ordo_max_min *sharing, uint32_t number, size_t place)
{
	struct ordo_flow_group *pool = &sharing->pools.pools[number];
	const struct ordo_flow *flow = &sharing->flows[pool->marks[place].flow];
	if (!reserve(pool, 0, pool->nresource + flow->nuse))
		return false;
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const uint32_t it = flow->uses[i].resource;
		const struct ordo_shared *resource = &sharing->resources[it];
		struct ordo_filling *filling = &sharing->fillings[it];
		const bool is_new = resource->pool == ORDO_NONE, keeps = is_given(sharing, it);
		if (is_new) {
			add_resource(sharing, number, it);
			filling->npooled = 0;
		}
		if (filling->unsettled != resource->count)
			return false;
		filling->npooled++;
		if (keeps)
			pool->marks[place].keeper = it & NO_KEEPER;
		if (keeps && is_new && !gather_flows(sharing, number, resource))
			return false;
	}
	return pool->marks[place].keeper != NO_KEEPER;
}

/* Nobody else uses what its flows use. */
static bool is_closed(const struct ordo_max_min *sharing, const struct ordo_flow_group *pool)
{
	for (size_t i = 0; i < pool->nresource; i++) {
		const uint32_t it = pool->resources[i];
		if (sharing->fillings[it].npooled != sharing->resources[it].count)
			return false;
	}
	return true;
}

/* The pool of a flow, if it has one. */
static void gather(struct ordo_max_min *sharing, uint32_t id)
{
	struct ordo_flow_groups *pools = &sharing->pools;
	const uint32_t number = make_pool(pools);
	struct ordo_flow_group *pool = &pools->pools[number];
	bool kept = reserve(pool, 1, 1);
	if (kept)
		add_flow(sharing, number, id, (struct ordo_mark){.flow = id, .keeper = NO_KEEPER});
	for (size_t i = 0; kept && i < pool->nmark; i++)
		kept = gather_uses(sharing, number, i);
	if (kept && pool->nmark >= LEAST_FLOWS && is_closed(sharing, pool)) {
		stir(pools, number);
		return;
	}
	unmake_pool(sharing, number, REFUSED);
}

bool ordo_flow_groups_form(struct ordo_max_min *sharing)
{
	struct ordo_flow *flows = sharing->flows;
	if (sharing->ntouched < LEAST_FLOWS || !(flows[sharing->touched[0]].settled_rate > 0))
		return false;
	for (uint32_t i = 0; i < sharing->ntouched; i++)
		if (flows[sharing->touched[i]].pool == ORDO_NONE &&
			may_have_pool(sharing, &flows[sharing->touched[i]]))
			gather(sharing, sharing->touched[i]);
	for (uint32_t i = 0; i < sharing->ntouched; i++)
		if (flows[sharing->touched[i]].pool == REFUSED)
			flows[sharing->touched[i]].pool = ORDO_NONE;
	return sharing->pools.nstirred;
}

/* The flows go on in the pool as they are. */
static void start(struct ordo_max_min *sharing, struct ordo_flow_group *pool, double time)
{
	pool->rate = sharing->flows[pool->marks[0].flow].rate;
	pool->updated = time;
	for (size_t i = 0; i < pool->nmark; i++) {
		const struct ordo_flow *flow = &sharing->flows[pool->marks[i].flow];
		sharing->places[flow->first_place] = (uint32_t)i;
		pool->marks[i].end = ordo_flow_left(flow, time);
		pool->marks[i].shown = 1;
	}
}

void ordo_flow_groups_show(struct ordo_max_min *sharing, double time)
{
	struct ordo_flow_groups *pools = &sharing->pools;
	for (uint32_t i = 0; i < pools->nstirred; i++) {
		struct ordo_flow_group *pool = &pools->pools[pools->stirred[i]];
		pool->stirred = false;
		start(sharing, pool, time);
		show_first_ends(sharing, pool);
	}
	pools->nstirred = 0;
}
