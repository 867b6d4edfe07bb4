/* sharing.c - flows that use the same things, max-min fairly, by progressive filling.
 *
 * All rates rise together. Where a resource is used up its flows stop rising, and a flow stops at its bound; what the others can have of their other resources
 * is then more, so the levels at which resources are used up only rise, and a heap gives them in order.
 *
 * A flow that ends at rate v was still rising at every level below v, so nothing that stopped below v had to do with it; and a flow that begins gets at least an even
 * share of each of its resources. So what is slower than the slowest of these keeps its rate, and is only subtracted.
 */
#include "predict/sharing.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdlib.h>

/* Loads are added up in floating point: so much more than the capacity is not more. */
#define ROUNDING 1e-12

bool ordo_sharing_make(struct ordo_sharing *sharing, const double *capacity, uint32_t nresource,
	const uint32_t *most_uses, uint32_t nflow, struct ordo_error *error)
{
	uint64_t nentry = 0;
	for (uint32_t i = 0; i < nflow; i++)
		nentry += most_uses[i];
	*sharing = (struct ordo_sharing){
		.resources = ordo_array_make(nresource, sizeof *sharing->resources, 0),
		.flows = ordo_array_make(nflow, sizeof *sharing->flows, 0),
		.entries = nentry < ORDO_NONE ? ordo_array_make(nentry, sizeof *sharing->entries, 0) : NULL,
		.dirty = ordo_array_make(nresource, sizeof *sharing->dirty, 0),
		.begun = ordo_array_make(nflow, sizeof *sharing->begun, 0),
		.floor = HUGE_VAL,
		.touched = ordo_array_make(nflow, sizeof *sharing->touched, 0),
		.joined = ordo_array_make(nresource, sizeof *sharing->joined, 0),
		.levels = ordo_array_make((size_t)nresource + 1, sizeof *sharing->levels, 0)};
	if (!sharing->resources || !sharing->flows || !sharing->entries || !sharing->dirty ||
		!sharing->begun || !sharing->touched || !sharing->joined || !sharing->levels)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < nresource; i++) {
		sharing->resources[i].capacity = capacity[i];
		sharing->resources[i].first = ORDO_NONE;
	}
	nentry = 0;
	for (uint32_t i = 0; i < nflow; i++) {
		sharing->flows[i].first_entry = (uint32_t)nentry;
		for (uint32_t k = 0; k < most_uses[i]; k++)
			sharing->entries[nentry++].flow = i;
	}
	return true;
}

void ordo_sharing_free(struct ordo_sharing *sharing)
{
	free(sharing->resources);
	free(sharing->flows);
	free(sharing->entries);
	free(sharing->dirty);
	free(sharing->begun);
	free(sharing->touched);
	free(sharing->joined);
	free(sharing->levels);
}

static bool is_short(const struct ordo_shared *resource)
{
	return resource->wanted > resource->capacity * (1 + ROUNDING);
}

static void make_dirty(struct ordo_sharing *sharing, uint32_t resource)
{
	if (sharing->resources[resource].dirty)
		return;
	sharing->resources[resource].dirty = true;
	sharing->dirty[sharing->ndirty++] = resource;
}

bool ordo_flow_begin(struct ordo_sharing *sharing, uint32_t id, double time, double bytes, double bound,
	const struct ordo_use *uses, uint32_t nuse)
{
	struct ordo_flow *flow = &sharing->flows[id];
	bool enough = true;
	flow->bound = bound;
	flow->rate = bound;
	flow->remaining = bytes;
	flow->updated = time;
	flow->uses = uses;
	flow->nuse = nuse;
	for (uint32_t i = 0; i < nuse; i++) {
		struct ordo_shared *resource = &sharing->resources[uses[i].resource];
		const uint32_t entry = flow->first_entry + i;
		sharing->entries[entry].last = ORDO_NONE;
		sharing->entries[entry].next = resource->first;
		if (resource->first != ORDO_NONE)
			sharing->entries[resource->first].last = entry;
		resource->first = entry;
		resource->wanted += bound * uses[i].load;
		resource->loads += uses[i].load;
		resource->count++;
		if (is_short(resource)) {
			make_dirty(sharing, uses[i].resource);
			enough = false;
		}
	}
	if (!enough) {
		flow->rate = 0;
		sharing->begun[sharing->nbegun++] = id;
	}
	return enough;
}

void ordo_flow_end(struct ordo_sharing *sharing, uint32_t id)
{
	struct ordo_flow *flow = &sharing->flows[id];
	for (uint32_t i = 0; i < flow->nuse; i++) {
		struct ordo_shared *resource = &sharing->resources[flow->uses[i].resource];
		const struct ordo_entry *entry = &sharing->entries[flow->first_entry + i];
		if (is_short(resource)) {
			make_dirty(sharing, flow->uses[i].resource);
			sharing->floor = flow->rate < sharing->floor ? flow->rate : sharing->floor;
		}
		if (entry->last == ORDO_NONE)
			resource->first = entry->next;
		else
			sharing->entries[entry->last].next = entry->next;
		if (entry->next != ORDO_NONE)
			sharing->entries[entry->next].last = entry->last;
		resource->count--;
		resource->wanted = resource->count ? resource->wanted - flow->bound * flow->uses[i].load : 0;
		resource->loads = resource->count ? resource->loads - flow->uses[i].load : 0;
	}
	flow->nuse = 0;
}

/* Takes what began into account. */
static void lower_floor(struct ordo_sharing *sharing)
{
	for (uint32_t i = 0; i < sharing->nbegun; i++) {
		const struct ordo_flow *flow = &sharing->flows[sharing->begun[i]];
		double least = flow->bound;
		for (uint32_t k = 0; k < flow->nuse; k++) {
			const struct ordo_shared *resource = &sharing->resources[flow->uses[k].resource];
			const double even = resource->capacity / resource->loads;
			least = even < least ? even : least;
		}
		sharing->floor = least < sharing->floor ? least : sharing->floor;
	}
	sharing->nbegun = 0;
	sharing->floor *= 1 - 1e-9;
}

static void join_resource(struct ordo_sharing *sharing, uint32_t resource)
{
	sharing->resources[resource].seen = sharing->settling;
	sharing->joined[sharing->njoined++] = resource;
}

/* Collects a resource, and what it joins. */
static void join(struct ordo_sharing *sharing, uint32_t first)
{
	uint32_t done = sharing->njoined;
	join_resource(sharing, first);
	for (; done < sharing->njoined; done++) {
		const struct ordo_shared *resource = &sharing->resources[sharing->joined[done]];
		for (uint32_t e = resource->first; e != ORDO_NONE; e = sharing->entries[e].next) {
			struct ordo_flow *flow = &sharing->flows[sharing->entries[e].flow];
			if (flow->seen == sharing->settling ||
				(flow->rate > 0 && flow->rate < sharing->floor))
				continue;
			flow->seen = sharing->settling;
			flow->settled = false;
			sharing->touched[sharing->ntouched++] = sharing->entries[e].flow;
			for (uint32_t i = 0; i < flow->nuse; i++) {
				const struct ordo_shared *other = &sharing->resources[flow->uses[i].resource];
				if (other->seen != sharing->settling && is_short(other))
					join_resource(sharing, flow->uses[i].resource);
			}
		}
	}
}

static double level_of(const struct ordo_shared *resource)
{
	return resource->left > 0 ? resource->left / resource->weight : 0;
}

static void sink(struct ordo_sharing *sharing, uint32_t place)
{
	const struct ordo_level level = sharing->levels[place];
	for (uint32_t child; (child = 2 * place + 1) < sharing->nlevel; place = child) {
		if (child + 1 < sharing->nlevel &&
			sharing->levels[child + 1].rate < sharing->levels[child].rate)
			child++;
		if (!(sharing->levels[child].rate < level.rate))
			break;
		sharing->levels[place] = sharing->levels[child];
	}
	sharing->levels[place] = level;
}

/* The levels of the resources that were joined and are short. */
static void make_levels(struct ordo_sharing *sharing)
{
	sharing->nlevel = 0;
	for (uint32_t i = 0; i < sharing->njoined; i++) {
		struct ordo_shared *resource = &sharing->resources[sharing->joined[i]];
		if (!resource->count || !is_short(resource))
			continue;
		resource->left = resource->capacity;
		resource->weight = 0;
		resource->unsettled = 0;
		for (uint32_t e = resource->first; e != ORDO_NONE; e = sharing->entries[e].next) {
			const struct ordo_flow *flow = &sharing->flows[sharing->entries[e].flow];
			const double load = flow->uses[e - flow->first_entry].load;
			const bool looked_at = flow->seen == sharing->settling;
			resource->left -= looked_at ? 0 : flow->rate * load;
			resource->weight += looked_at ? load : 0;
			resource->unsettled += looked_at;
		}
		if (!resource->unsettled)
			continue;
		sharing->levels[sharing->nlevel++] =
			(struct ordo_level){level_of(resource), sharing->joined[i]};
	}
	for (uint32_t i = sharing->nlevel / 2; i-- > 0;)
		sink(sharing, i);
}

static void give(struct ordo_sharing *sharing, struct ordo_flow *flow, double rate)
{
	flow->settled = true;
	flow->settled_rate = rate;
	for (uint32_t i = 0; i < flow->nuse; i++) {
		struct ordo_shared *resource = &sharing->resources[flow->uses[i].resource];
		resource->left -= rate * flow->uses[i].load;
		resource->weight -= flow->uses[i].load;
		resource->unsettled--;
	}
}

/* The resource that is used up first, with all that is known; false: none is left. */
static bool next_level(struct ordo_sharing *sharing, struct ordo_level *level)
{
	while (sharing->nlevel) {
		const struct ordo_shared *resource = &sharing->resources[sharing->levels[0].resource];
		const double now = resource->unsettled ? level_of(resource) : 0;
		if (resource->unsettled && !(now > sharing->levels[0].rate)) {
			*level = sharing->levels[0];
			return true;
		}
		if (resource->unsettled)
			sharing->levels[0].rate = now;
		else
			sharing->levels[0] = sharing->levels[--sharing->nlevel];
		sink(sharing, 0);
	}
	return false;
}

static void settle_flows_of(struct ordo_sharing *sharing, const struct ordo_level *level)
{
	const struct ordo_shared *resource = &sharing->resources[level->resource];
	for (uint32_t e = resource->first; e != ORDO_NONE; e = sharing->entries[e].next) {
		struct ordo_flow *flow = &sharing->flows[sharing->entries[e].flow];
		if (flow->seen == sharing->settling && !flow->settled)
			give(sharing, flow, level->rate);
	}
}

/* Sorts the flows touched by bound, the least first: a heap turned round. */
static void sift(struct ordo_sharing *sharing, uint32_t place, uint32_t count)
{
	uint32_t *touched = sharing->touched;
	const uint32_t flow = touched[place];
	for (uint32_t child; (child = 2 * place + 1) < count; place = child) {
		if (child + 1 < count &&
			sharing->flows[touched[child + 1]].bound > sharing->flows[touched[child]].bound)
			child++;
		if (!(sharing->flows[touched[child]].bound > sharing->flows[flow].bound))
			break;
		touched[place] = touched[child];
	}
	touched[place] = flow;
}

static void sort_by_bound(struct ordo_sharing *sharing)
{
	uint32_t *touched = sharing->touched;
	bool sorted = true;
	for (uint32_t i = 1; i < sharing->ntouched; i++)
		sorted &= !(sharing->flows[touched[i - 1]].bound > sharing->flows[touched[i]].bound);
	if (sorted)
		return;
	for (uint32_t i = sharing->ntouched / 2; i-- > 0;)
		sift(sharing, i, sharing->ntouched);
	for (uint32_t count = sharing->ntouched - 1; count > 0; count--) {
		const uint32_t largest = touched[0];
		touched[0] = touched[count];
		touched[count] = largest;
		sift(sharing, 0, count);
	}
}

/* The next flow whose bound is not above the rate goes at its bound; false: there is none. */
static bool settle_at_bound(struct ordo_sharing *sharing, uint32_t *at, double rate)
{
	while (*at < sharing->ntouched && sharing->flows[sharing->touched[*at]].settled)
		++*at;
	if (*at == sharing->ntouched || sharing->flows[sharing->touched[*at]].bound > rate)
		return false;
	struct ordo_flow *flow = &sharing->flows[sharing->touched[*at]];
	give(sharing, flow, flow->bound);
	return true;
}

static void fill(struct ordo_sharing *sharing)
{
	struct ordo_level level;
	double reached = 0; /* levels only rise, whatever rounding makes of them */
	uint32_t at = 0;
	while (next_level(sharing, &level)) {
		level.rate = level.rate > reached ? level.rate : reached;
		if (settle_at_bound(sharing, &at, level.rate))
			continue;
		reached = level.rate;
		settle_flows_of(sharing, &level);
	}
	while (settle_at_bound(sharing, &at, HUGE_VAL))
		continue;
}

/* What flowed so far did so at the old rate. */
static void change_rates(struct ordo_sharing *sharing, double time)
{
	uint32_t nchanged = 0;
	for (uint32_t i = 0; i < sharing->ntouched; i++) {
		struct ordo_flow *flow = &sharing->flows[sharing->touched[i]];
		if (!(flow->settled_rate < flow->rate || flow->settled_rate > flow->rate))
			continue;
		if (time > flow->updated) {
			const double moved = flow->rate * (time - flow->updated);
			flow->remaining = moved < flow->remaining ? flow->remaining - moved : 0;
			flow->updated = time;
		}
		flow->rate = flow->settled_rate;
		sharing->touched[nchanged++] = sharing->touched[i];
	}
	sharing->ntouched = nchanged;
}

void ordo_sharing_settle(struct ordo_sharing *sharing, double time)
{
	sharing->ntouched = sharing->njoined = 0;
	sharing->settling++;
	lower_floor(sharing);
	for (uint32_t i = 0; i < sharing->ndirty; i++) {
		struct ordo_shared *resource = &sharing->resources[sharing->dirty[i]];
		resource->dirty = false;
		if (resource->seen != sharing->settling)
			join(sharing, sharing->dirty[i]);
	}
	sharing->ndirty = 0;
	sharing->floor = HUGE_VAL;
	make_levels(sharing);
	sort_by_bound(sharing);
	fill(sharing);
	change_rates(sharing, time);
}
