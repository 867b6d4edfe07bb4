/* pools.c - a pool is a list of flows and one of resources; what it takes to begin, end or settle one flow is a step for each, not for each use. */
#include "predict/pools.h"
#include "predict/sharing.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdlib.h>

/* Fewer flows are as soon looked at one by one. */
enum { LEAST_FLOWS = 4 };
/* While pools are made: of a flow that cannot be in one. */
#define REFUSED (ORDO_NONE - 1)

bool ordo_pools_make(struct ordo_pools *pools, uint32_t nflow, uint32_t nresource)
{
	const size_t most = (size_t)nflow + 1;
	*pools = (struct ordo_pools){.pools = ordo_array_make(most, sizeof *pools->pools, 0),
		.unused = ordo_array_make(most, sizeof *pools->unused, 0),
		.stirred = ordo_array_make(most, sizeof *pools->stirred, 0),
		.flows = ordo_array_make(nflow, sizeof *pools->flows, 0xff),
		.resources = ordo_array_make(nresource, sizeof *pools->resources, 0xff)};
	return pools->pools && pools->unused && pools->stirred && pools->flows && pools->resources;
}

void ordo_pools_free(struct ordo_pools *pools)
{
	free(pools->pools);
	free(pools->unused);
	free(pools->stirred);
	free(pools->flows);
	free(pools->resources);
}

static void stir(struct ordo_pools *pools, uint32_t number)
{
	if (pools->pools[number].stirred)
		return;
	pools->pools[number].stirred = true;
	pools->stirred[pools->nstirred++] = number;
}

static void append_flow(struct ordo_pools *pools, uint32_t number, uint32_t id)
{
	struct ordo_pool *pool = &pools->pools[number];
	pools->flows[id] = (struct ordo_pooled_flow){
		.pool = number, .before = pool->last_flow, .next = ORDO_NONE, .keeper = ORDO_NONE};
	if (pool->nflow++)
		pools->flows[pool->last_flow].next = id;
	else
		pool->first_flow = id;
	pool->last_flow = id;
}

static void remove_flow(struct ordo_pools *pools, uint32_t id)
{
	const struct ordo_pooled_flow flow = pools->flows[id];
	struct ordo_pool *pool = &pools->pools[flow.pool];
	if (flow.before == ORDO_NONE)
		pool->first_flow = flow.next;
	else
		pools->flows[flow.before].next = flow.next;
	if (flow.next == ORDO_NONE)
		pool->last_flow = flow.before;
	else
		pools->flows[flow.next].before = flow.before;
	pool->nflow--;
	pools->flows[id].pool = ORDO_NONE;
}

static void add_resource(struct ordo_pools *pools, uint32_t number, uint32_t id)
{
	pools->resources[id] =
		(struct ordo_pooled_resource){.pool = number, .next = pools->pools[number].first_resource};
	pools->pools[number].first_resource = id;
}

static uint32_t make_pool(struct ordo_pools *pools)
{
	const uint32_t number = pools->nunused ? pools->unused[--pools->nunused] : pools->npool++;
	pools->pools[number] = (struct ordo_pool){
		.first_flow = ORDO_NONE, .last_flow = ORDO_NONE, .first_resource = ORDO_NONE};
	return number;
}

/* Its flows are of no pool, or as said. */
static void unmake_pool(struct ordo_pools *pools, uint32_t number, uint32_t none)
{
	const struct ordo_pool *pool = &pools->pools[number];
	for (uint32_t id = pool->first_flow; id != ORDO_NONE; id = pools->flows[id].next)
		pools->flows[id].pool = none;
	for (uint32_t id = pool->first_resource; id != ORDO_NONE; id = pools->resources[id].next)
		pools->resources[id].pool = ORDO_NONE;
	pools->unused[pools->nunused++] = number;
}

/* The one pool that the flow can join; ORDO_NONE. */
static uint32_t pool_for(const struct ordo_sharing *sharing, const struct ordo_flow *flow)
{
	uint32_t number = ORDO_NONE;
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const uint32_t resource = flow->uses[i].resource,
			       its = sharing->pools.resources[resource].pool;
		if (its == ORDO_NONE && sharing->resources[resource].count > 1)
			return ORDO_NONE;
		if (its != ORDO_NONE && number != ORDO_NONE && its != number)
			return ORDO_NONE;
		number = its == ORDO_NONE ? number : its;
	}
	return number;
}

static void break_pools(struct ordo_sharing *sharing, const struct ordo_flow *flow)
{
	struct ordo_pools *pools = &sharing->pools;
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const uint32_t number = pools->resources[flow->uses[i].resource].pool;
		if (number == ORDO_NONE)
			continue;
		pools->pools[number].broken = true;
		stir(pools, number);
	}
}

void ordo_pools_begin(struct ordo_sharing *sharing, uint32_t id, bool enough)
{
	struct ordo_pools *pools = &sharing->pools;
	const struct ordo_flow *flow = &sharing->flows[id];
	if (pools->npool == pools->nunused)
		return;
	const uint32_t number = enough ? ORDO_NONE : pool_for(sharing, flow);
	if (number == ORDO_NONE) {
		break_pools(sharing, flow);
		return;
	}
	append_flow(pools, number, id);
	for (uint32_t i = 0; i < flow->nuse; i++)
		if (pools->resources[flow->uses[i].resource].pool == ORDO_NONE)
			add_resource(pools, number, flow->uses[i].resource);
	pools->flows[id].keeper = flow->uses[0].resource;
	stir(pools, number);
}

bool ordo_pools_end(struct ordo_sharing *sharing, uint32_t id)
{
	struct ordo_pools *pools = &sharing->pools;
	const uint32_t number = pools->flows[id].pool;
	if (number == ORDO_NONE)
		return false;
	remove_flow(pools, id);
	stir(pools, number);
	return true;
}

/* The lowest level of its resources; those without flows are let go. */
static double lowest_level(struct ordo_sharing *sharing, struct ordo_pool *pool)
{
	struct ordo_pools *pools = &sharing->pools;
	double lowest = HUGE_VAL;
	for (uint32_t *link = &pool->first_resource; *link != ORDO_NONE;) {
		const uint32_t id = *link;
		struct ordo_pooled_resource *resource = &pools->resources[id];
		if (!sharing->resources[id].count) {
			resource->pool = ORDO_NONE;
			*link = resource->next;
			continue;
		}
		resource->level = sharing->resources[id].capacity / sharing->resources[id].load;
		lowest = resource->level < lowest ? resource->level : lowest;
		link = &resource->next;
	}
	return lowest;
}

/* A resource that keeps the flow from rising above the level; ORDO_NONE. */
static uint32_t find_keeper(const struct ordo_pools *pools, const struct ordo_flow *flow, double level)
{
	for (uint32_t i = 0; i < flow->nuse; i++)
		if (!(pools->resources[flow->uses[i].resource].level > level))
			return flow->uses[i].resource;
	return ORDO_NONE;
}

/* Can all its flows go at the level, and none higher? */
static bool is_kept(struct ordo_sharing *sharing, const struct ordo_pool *pool, double lowest)
{
	struct ordo_pools *pools = &sharing->pools;
	const double level = lowest * (1 + ORDO_ROUNDING);
	for (uint32_t id = pool->first_flow; id != ORDO_NONE; id = pools->flows[id].next) {
		struct ordo_pooled_flow *flow = &pools->flows[id];
		if (pools->resources[flow->keeper].level > level)
			flow->keeper = find_keeper(pools, &sharing->flows[id], level);
		if (flow->keeper == ORDO_NONE || sharing->flows[id].bound < lowest)
			return false;
	}
	return true;
}

static void change_rate(struct ordo_sharing *sharing, struct ordo_pool *pool, double rate, double time)
{
	for (uint32_t id = pool->first_flow; id != ORDO_NONE; id = sharing->pools.flows[id].next)
		ordo_flow_change(&sharing->flows[id], rate, time);
	pool->rate = rate;
}

/* Its flows are looked at one by one. */
static void dissolve(struct ordo_sharing *sharing, uint32_t number)
{
	struct ordo_pools *pools = &sharing->pools;
	const struct ordo_pool *pool = &pools->pools[number];
	for (uint32_t id = pool->first_resource; id != ORDO_NONE; id = pools->resources[id].next)
		ordo_sharing_stain(sharing, id, pool->rate);
	for (uint32_t id = pool->first_flow; id != ORDO_NONE; id = pools->flows[id].next)
		sharing->changed[sharing->nchanged++] = id;
	unmake_pool(pools, number, ORDO_NONE);
}

/* When the first of its flows ends. */
static double find_first_end(const struct ordo_sharing *sharing, const struct ordo_pool *pool)
{
	double first = HUGE_VAL;
	for (uint32_t id = pool->first_flow; id != ORDO_NONE; id = sharing->pools.flows[id].next) {
		const double last = ordo_flow_last(&sharing->flows[id]);
		first = last < first ? last : first;
	}
	return first;
}

/* Which ends are events. */
static void show_first_ends(struct ordo_sharing *sharing, const struct ordo_pool *pool)
{
	const double first = find_first_end(sharing, pool) * (1 + ORDO_SAME_TIME);
	for (uint32_t id = pool->first_flow; id != ORDO_NONE; id = sharing->pools.flows[id].next) {
		struct ordo_pooled_flow *flow = &sharing->pools.flows[id];
		const bool was_shown = flow->shown;
		flow->shown = !(ordo_flow_last(&sharing->flows[id]) > first);
		if (flow->shown)
			sharing->changed[sharing->nchanged++] = id;
		else if (was_shown)
			sharing->hidden[sharing->nhidden++] = id;
	}
}

void ordo_pools_settle(struct ordo_sharing *sharing, double time)
{
	struct ordo_pools *pools = &sharing->pools;
	for (uint32_t i = 0; i < pools->nstirred; i++) {
		const uint32_t number = pools->stirred[i];
		struct ordo_pool *pool = &pools->pools[number];
		pool->stirred = false;
		const double lowest = lowest_level(sharing, pool);
		if (!pool->nflow || pool->broken || !(lowest > 0) || !is_kept(sharing, pool, lowest)) {
			dissolve(sharing, number);
			continue;
		}
		change_rate(sharing, pool, lowest, time);
		show_first_ends(sharing, pool);
	}
	pools->nstirred = 0;
}

/* Nothing of it is left. */
static bool is_given(const struct ordo_sharing *sharing, uint32_t resource)
{
	return !(
		sharing->fillings[resource].left > 2 * ORDO_ROUNDING * sharing->resources[resource].capacity);
}

/* It is kept by something that enough others use. */
static bool may_have_pool(const struct ordo_sharing *sharing, const struct ordo_flow *flow)
{
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const uint32_t resource = flow->uses[i].resource;
		if (sharing->resources[resource].count >= LEAST_FLOWS && is_given(sharing, resource))
			return true;
	}
	return false;
}

/* Enters the uses of a flow. What is used up, and so keeps it, brings the other flows that it keeps. false: nothing does. */
static bool gather_uses(struct ordo_sharing *sharing, uint32_t number, uint32_t id)
{
	struct ordo_pools *pools = &sharing->pools;
	const struct ordo_flow *flow = &sharing->flows[id];
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const uint32_t it = flow->uses[i].resource;
		const struct ordo_shared *resource = &sharing->resources[it];
		struct ordo_pooled_resource *pooled = &pools->resources[it];
		const bool used_up = is_given(sharing, it), is_new = pooled->pool == ORDO_NONE;
		if (is_new)
			add_resource(pools, number, it);
		if (pooled->pool != number || sharing->fillings[it].unsettled != resource->count)
			return false;
		pooled->nuse++;
		if (used_up)
			pools->flows[id].keeper = it;
		if (!used_up || !is_new)
			continue;
		for (uint32_t e = 0; e < resource->count; e++) {
			const uint32_t other = sharing->entries[resource->first_entry + e].flow;
			if (pools->flows[other].pool == REFUSED)
				return false;
			if (pools->flows[other].pool == ORDO_NONE)
				append_flow(pools, number, other);
		}
	}
	return pools->flows[id].keeper != ORDO_NONE;
}

/* Nobody else uses what its flows use. */
static bool is_closed(const struct ordo_sharing *sharing, const struct ordo_pool *pool)
{
	const struct ordo_pooled_resource *resources = sharing->pools.resources;
	for (uint32_t id = pool->first_resource; id != ORDO_NONE; id = resources[id].next)
		if (resources[id].nuse != sharing->resources[id].count)
			return false;
	return true;
}

/* The pool of a flow, if it has one. */
static void gather(struct ordo_sharing *sharing, uint32_t id)
{
	struct ordo_pools *pools = &sharing->pools;
	const uint32_t number = make_pool(pools);
	struct ordo_pool *pool = &pools->pools[number];
	bool kept = true;
	append_flow(pools, number, id);
	for (; kept && id != ORDO_NONE; id = pools->flows[id].next)
		kept = gather_uses(sharing, number, id);
	if (!kept || pool->nflow < LEAST_FLOWS || !is_closed(sharing, pool)) {
		unmake_pool(pools, number, REFUSED);
		return;
	}
	pool->rate = sharing->flows[pool->first_flow].settled_rate;
	for (id = pool->first_flow; id != ORDO_NONE; id = pools->flows[id].next)
		pools->flows[id].shown = true;
	stir(pools, number);
}

bool ordo_pools_form(struct ordo_sharing *sharing)
{
	struct ordo_pooled_flow *flows = sharing->pools.flows;
	if (sharing->ntouched < LEAST_FLOWS)
		return false;
	for (uint32_t i = 0; i < sharing->ntouched; i++)
		if (flows[sharing->touched[i]].pool == ORDO_NONE &&
			may_have_pool(sharing, &sharing->flows[sharing->touched[i]]))
			gather(sharing, sharing->touched[i]);
	for (uint32_t i = 0; i < sharing->ntouched; i++)
		if (flows[sharing->touched[i]].pool == REFUSED)
			flows[sharing->touched[i]].pool = ORDO_NONE;
	return sharing->pools.nstirred;
}

void ordo_pools_show(struct ordo_sharing *sharing)
{
	struct ordo_pools *pools = &sharing->pools;
	for (uint32_t i = 0; i < pools->nstirred; i++) {
		pools->pools[pools->stirred[i]].stirred = false;
		show_first_ends(sharing, &pools->pools[pools->stirred[i]]);
	}
	pools->nstirred = 0;
}
