/* max_min.c - max-min fair rates of flows that share resources, by progressive filling.
 *
 * All rates rise together. When a resource is saturated its flows stop, and a flow also stops at
 * its bound; that leaves more for the other flows, so the levels at which resources saturate only
 * rise, and a heap gives them in order.
 *
 * Only flows that a change can reach are filled again. A flow that ends at rate v was still rising
 * at every level below v, so no flow that stopped below v depends on it; and a flow that begins
 * gets at least an even share of each of its resources. So flows slower than the slowest of these
 * keep their rates, which are only subtracted. And only a saturated resource limits a flow, so a
 * change does not spread over an unsaturated one; if a filling exceeds the capacity of such a
 * resource, its flows are filled again too.
 */
#include "max_min.h"
#include "flow_groups.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdlib.h>

/* A nearly saturated resource counts as saturated, which only costs time. */
#define NEARLY (1 - 1e-9)

bool ordo_max_min_make(struct ordo_max_min *sharing, const struct ordo_max_min_limits *limits,
	struct ordo_error *error)
{
	const uint32_t nresource = limits->nresource, nflow = limits->nflow;
	uint64_t nentry = 0, nplace = 0;
	for (uint32_t i = 0; i < nresource; i++)
		nentry += limits->most_flows[i];
	for (uint32_t i = 0; i < nflow; i++)
		nplace += limits->most_uses[i];
	*sharing = (struct ordo_max_min){
		.resources = ordo_array_make(nresource, sizeof *sharing->resources, 0),
		.fillings = ordo_array_make(nresource, sizeof *sharing->fillings, 0),
		.busy = ordo_array_make(nresource, sizeof *sharing->busy, 0),
		.flows = ordo_array_make(nflow, sizeof *sharing->flows, 0),
		.entries = ordo_array_make(nentry, sizeof *sharing->entries, 0),
		.places = nplace < ORDO_NONE && nentry < ORDO_NONE
				  ? ordo_array_make(nplace, sizeof *sharing->places, 0)
				  : NULL,
		.dirty = ordo_array_make(nresource, sizeof *sharing->dirty, 0),
		.begun = ordo_array_make(nflow, sizeof *sharing->begun, 0),
		.floor = HUGE_VAL,
		.changed = ordo_array_make((size_t)nflow * 3, sizeof *sharing->changed, 0),
		.hidden = ordo_array_make(nflow, sizeof *sharing->hidden, 0),
		.touched = ordo_array_make(nflow, sizeof *sharing->touched, 0),
		.met = ordo_array_make(nresource, sizeof *sharing->met, 0),
		.joined = ordo_array_make(nresource, sizeof *sharing->joined, 0),
		.levels = ordo_array_make((size_t)nresource + 1, sizeof *sharing->levels, 0)};
	const bool grouped = ordo_flow_groups_make(&sharing->groups, nflow);
	if (!grouped || !sharing->resources || !sharing->fillings || !sharing->busy ||
		!sharing->flows || !sharing->entries || !sharing->places || !sharing->dirty ||
		!sharing->begun || !sharing->changed || !sharing->hidden || !sharing->touched ||
		!sharing->met || !sharing->joined || !sharing->levels)
		return ordo_fail_memory(error);
	nentry = nplace = 0;
	for (uint32_t i = 0; i < nresource; i++) {
		sharing->resources[i].capacity = limits->capacity[i];
		sharing->resources[i].first_entry = (uint32_t)nentry;
		sharing->resources[i].group = ORDO_NONE;
		nentry += limits->most_flows[i];
	}
	for (uint32_t i = 0; i < nflow; i++) {
		sharing->flows[i].first_place = (uint32_t)nplace;
		sharing->flows[i].group = ORDO_NONE;
		nplace += limits->most_uses[i];
	}
	return true;
}

void ordo_max_min_free(struct ordo_max_min *sharing)
{
	free(sharing->resources);
	free(sharing->fillings);
	free(sharing->busy);
	free(sharing->flows);
	free(sharing->entries);
	free(sharing->places);
	free(sharing->dirty);
	free(sharing->begun);
	ordo_flow_groups_free(&sharing->groups);
	free(sharing->changed);
	free(sharing->hidden);
	free(sharing->touched);
	free(sharing->met);
	free(sharing->joined);
	free(sharing->levels);
}

/* Whether its flows cannot all run at their bounds. */
static bool is_short(const struct ordo_shared *resource)
{
	return resource->wanted > resource->capacity * (1 + ORDO_ROUNDING);
}

/* Whether the resource is saturated, so that it may limit a flow. */
static bool is_used_up(const struct ordo_shared *resource)
{
	return resource->used > resource->capacity * NEARLY && is_short(resource);
}

static void leave(struct ordo_max_min *sharing, struct ordo_shared *resource, uint32_t place)
{
	struct ordo_entry *entries = ordo_entries_of(sharing, resource);
	const uint32_t at = sharing->places[place];
	entries[at] = entries[--resource->nentry];
	sharing->places[entries[at].place] = at;
}

/* true: it suffices. */
static bool begin_use(struct ordo_shared *resource, double load, double bound, double time)
{
	if (!resource->count++)
		resource->since = time;
	resource->most = resource->most > resource->count ? resource->most : resource->count;
	resource->load += load;
	resource->wanted += bound * load;
	return !is_short(resource);
}

/* What nobody uses is wanted by nobody, whatever rounding left. */
static void end_use(
	struct ordo_max_min *sharing, const struct ordo_use *use, double bound, double time)
{
	struct ordo_shared *resource = &sharing->resources[use->resource];
	resource->load -= use->load;
	resource->wanted -= bound * use->load;
	if (--resource->count)
		return;
	resource->load = resource->wanted = resource->used = 0;
	resource->nentry = 0;
	sharing->busy[use->resource] += time - resource->since;
}

/* true: its resources suffice. */
static bool begin_alone(struct ordo_max_min *sharing, uint32_t id, double time)
{
	const struct ordo_flow *flow = &sharing->flows[id];
	const double bound = flow->bound;
	bool enough = true;
	for (uint32_t i = 0; i < flow->nuse; i++) {
		struct ordo_shared *resource = &sharing->resources[flow->uses[i].resource];
		ordo_resource_enter(sharing, resource, id, flow->first_place + i);
		enough &= begin_use(resource, flow->uses[i].load, bound, time);
	}
	for (uint32_t i = 0; enough && i < flow->nuse; i++)
		sharing->resources[flow->uses[i].resource].used += bound * flow->uses[i].load;
	return enough;
}

static void begin_grouped(struct ordo_max_min *sharing, uint32_t id, uint32_t group, double time)
{
	const struct ordo_flow *flow = &sharing->flows[id];
	for (uint32_t i = 0; i < flow->nuse; i++)
		begin_use(&sharing->resources[flow->uses[i].resource], flow->uses[i].load,
			flow->bound, time);
	ordo_flow_groups_join(sharing, group, id, time);
}

bool ordo_flow_begin(struct ordo_max_min *sharing, uint32_t id, double time, double bytes,
	double bound, const struct ordo_use *uses, uint32_t nuse)
{
	struct ordo_flow *flow = &sharing->flows[id];
	flow->bound = bound;
	flow->rate = bound;
	flow->remaining = bytes;
	flow->updated = time;
	flow->uses = uses;
	flow->nuse = nuse & 0x7fffffff;
	const uint32_t group = ordo_flow_groups_find(sharing, id);
	if (group != ORDO_NONE)
		begin_grouped(sharing, id, group, time);
	else if (begin_alone(sharing, id, time))
		return true;
	flow->rate = 0;
	sharing->begun[sharing->nbegun++] = id;
	return false;
}

void ordo_flow_end(struct ordo_max_min *sharing, uint32_t id, double time)
{
	struct ordo_flow *flow = &sharing->flows[id];
	const bool grouped = flow->group != ORDO_NONE;
	if (grouped)
		ordo_flow_groups_leave(sharing, id);
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const struct ordo_use *use = &flow->uses[i];
		struct ordo_shared *resource = &sharing->resources[use->resource];
		if (!grouped) {
			if (is_used_up(resource))
				ordo_mark_dirty(sharing, use->resource, flow->rate);
			resource->used -= flow->rate * use->load;
			leave(sharing, resource, flow->first_place + i);
		}
		end_use(sharing, use, flow->bound, time);
	}
	flow->nuse = 0;
}

/* Of a flow in a group. */
static const struct ordo_mark *mark_of(
	const struct ordo_max_min *sharing, const struct ordo_flow *flow)
{
	return &sharing->groups.groups[flow->group].marks[sharing->places[flow->first_place]];
}

double ordo_flow_last(const struct ordo_max_min *sharing, uint32_t id)
{
	const struct ordo_flow *flow = &sharing->flows[id];
	if (flow->group == ORDO_NONE)
		return flow->updated + flow->remaining / flow->rate;
	const struct ordo_flow_group *group = &sharing->groups.groups[flow->group];
	return group->updated + (mark_of(sharing, flow)->end - group->served) / group->rate;
}

/* No lower than what begins gets at least. */
static void lower_floor(struct ordo_max_min *sharing)
{
	for (uint32_t i = 0; i < sharing->nbegun; i++) {
		const struct ordo_flow *flow = &sharing->flows[sharing->begun[i]];
		double least = flow->bound;
		for (uint32_t k = 0; k < flow->nuse; k++) {
			const uint32_t number = flow->uses[k].resource;
			const double even = ordo_even_share(&sharing->resources[number]);
			least = even < least ? even : least;
		}
		sharing->floor = least < sharing->floor ? least : sharing->floor;
	}
	sharing->floor *= NEARLY;
}

static void join(struct ordo_max_min *sharing, uint32_t number)
{
	if (sharing->fillings[number].joined)
		return;
	sharing->fillings[number].joined = true;
	sharing->joined[sharing->njoined++] = number;
}

/* Nothing is taken by those who are looked at. */
static void clear(struct ordo_max_min *sharing, uint32_t number)
{
	const struct ordo_shared *resource = &sharing->resources[number];
	struct ordo_filling *filling = &sharing->fillings[number];
	filling->left = resource->capacity - resource->used;
	filling->weight = 0;
	filling->unsettled = 0;
}

/* What is used up keeps its flows from rising, so it joins. */
static void meet(struct ordo_max_min *sharing, uint32_t number)
{
	struct ordo_filling *filling = &sharing->fillings[number];
	filling->seen = sharing->settling;
	filling->joined = false;
	sharing->met[sharing->nmet++] = number;
	clear(sharing, number);
	if (is_used_up(&sharing->resources[number]))
		join(sharing, number);
}

/* The rate of a flow is open: what it takes of a resource is left to be given. */
static void open_use(struct ordo_filling *filling, double rate, double load)
{
	filling->left += rate * load;
	filling->weight += load;
	filling->unsettled++;
}

/* A flow is to be looked at; so are those that it may keep from rising, or that keep it. */
static void touch(struct ordo_max_min *sharing, uint32_t id)
{
	struct ordo_flow *flow = &sharing->flows[id];
	struct ordo_filling *fillings = sharing->fillings;
	const struct ordo_use *uses = flow->uses, *end = uses + flow->nuse;
	const uint32_t settling = sharing->settling;
	const double rate = flow->rate;
	flow->seen = settling;
	flow->settled = 0;
	sharing->touched[sharing->ntouched++] = id;
	sharing->nopen++;
	sharing->least_bound =
		flow->bound < sharing->least_bound ? flow->bound : sharing->least_bound;
	for (const struct ordo_use *use = uses; use < end; use++) {
		if (fillings[use->resource].seen != settling)
			meet(sharing, use->resource);
		open_use(&fillings[use->resource], rate, use->load);
	}
	if (!sharing->cautious && rate > 0)
		return;
	for (const struct ordo_use *use = uses; use < end; use++)
		if (is_short(&sharing->resources[use->resource]))
			join(sharing, use->resource);
}

/* All flows of a resource are looked at but those below the floor, which keep what they have. */
static void visit(struct ordo_max_min *sharing, uint32_t number)
{
	const struct ordo_shared *resource = &sharing->resources[number];
	struct ordo_filling *filling = &sharing->fillings[number];
	const struct ordo_entry *entries = ordo_entries_of(sharing, resource);
	double left = resource->capacity;
	for (uint32_t e = 0; filling->unsettled < resource->count && e < resource->nentry; e++) {
		const struct ordo_flow *flow = &sharing->flows[entries[e].flow];
		if (flow->rate > 0 && flow->rate < sharing->floor)
			left -= flow->rate * flow->uses[entries[e].place - flow->first_place].load;
		else if (flow->seen != sharing->settling)
			touch(sharing, entries[e].flow);
	}
	filling->left = left;
}

/* What was joined is visited; that may join more. */
static void visit_joined(struct ordo_max_min *sharing)
{
	for (uint32_t i = 0; i < sharing->njoined; i++)
		visit(sharing, sharing->joined[i]);
}

static double level_of(const struct ordo_filling *filling)
{
	return filling->left > 0 ? filling->left / filling->weight : 0;
}

static void sink(struct ordo_max_min *sharing, uint32_t place)
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

/* The levels of the resources that were joined, as far as they are short; the lowest of them. */
static double make_levels(struct ordo_max_min *sharing)
{
	double lowest = HUGE_VAL;
	sharing->nlevel = 0;
	for (uint32_t i = 0; i < sharing->njoined; i++) {
		const struct ordo_filling *filling = &sharing->fillings[sharing->joined[i]];
		if (!filling->unsettled || !is_short(&sharing->resources[sharing->joined[i]]))
			continue;
		const double rate = level_of(filling);
		sharing->levels[sharing->nlevel++] = (struct ordo_level){rate, sharing->joined[i]};
		lowest = rate < lowest ? rate : lowest;
	}
	return lowest;
}

static void make_heap(struct ordo_max_min *sharing)
{
	for (uint32_t i = sharing->nlevel / 2; i-- > 0;)
		sink(sharing, i);
}

/* What a flow has been given is left to nobody else. */
static void take(struct ordo_max_min *sharing, const struct ordo_flow *flow)
{
	struct ordo_filling *fillings = sharing->fillings;
	const struct ordo_use *uses = flow->uses;
	const uint32_t nuse = flow->nuse;
	const double rate = flow->settled_rate;
	for (uint32_t i = 0; i < nuse; i++) {
		struct ordo_filling *filling = &fillings[uses[i].resource];
		filling->left -= rate * uses[i].load;
		filling->weight -= uses[i].load;
		filling->unsettled--;
	}
}

static void give(struct ordo_max_min *sharing, struct ordo_flow *flow, double rate)
{
	flow->settled = true;
	flow->settled_rate = rate;
	sharing->nopen--;
	take(sharing, flow);
}

/* Gives the lowest level to the flows of all resources that are used up there. */
static void give_lowest(struct ordo_max_min *sharing, double lowest)
{
	for (uint32_t i = 0; sharing->nopen && i < sharing->nlevel; i++) {
		const struct ordo_shared *resource =
			&sharing->resources[sharing->levels[i].resource];
		if (sharing->levels[i].rate > lowest * (1 + ORDO_ROUNDING))
			continue;
		for (uint32_t e = 0; e < resource->nentry; e++) {
			struct ordo_flow *flow =
				&sharing->flows[ordo_entries_of(sharing, resource)[e].flow];
			if (flow->seen != sharing->settling || flow->settled)
				continue;
			flow->settled = true;
			flow->settled_rate = lowest;
			sharing->nopen--;
		}
	}
}

/* The lowest level at once. Where flows are alike it is the only one, and nobody need be told what
 * the others took. false: some flows are left. */
static bool settle_lowest(struct ordo_max_min *sharing, double lowest)
{
	if (!sharing->nlevel || sharing->least_bound < lowest)
		return false;
	give_lowest(sharing, lowest);
	if (sharing->nopen) {
		for (uint32_t i = 0; i < sharing->ntouched; i++)
			if (sharing->flows[sharing->touched[i]].settled)
				take(sharing, &sharing->flows[sharing->touched[i]]);
		return false;
	}
	for (uint32_t i = 0; i < sharing->nmet; i++) {
		struct ordo_filling *filling = &sharing->fillings[sharing->met[i]];
		filling->left -= lowest * filling->weight;
	}
	return true;
}

/* Of so few the lowest is found as soon by a look at all. */
enum { FEW_LEVELS = 12 };

static bool next_of_few(struct ordo_max_min *sharing, struct ordo_level *lowest)
{
	uint32_t nlevel = 0;
	*lowest = (struct ordo_level){.rate = HUGE_VAL};
	for (uint32_t i = 0; i < sharing->nlevel; i++) {
		const uint32_t number = sharing->levels[i].resource;
		const struct ordo_filling *filling = &sharing->fillings[number];
		if (!filling->unsettled)
			continue;
		const struct ordo_level level = {level_of(filling), number};
		sharing->levels[nlevel++] = level;
		*lowest = level.rate < lowest->rate ? level : *lowest;
	}
	sharing->nlevel = nlevel;
	return nlevel;
}

/* The resource that is used up first, with all that is known; false: none is left. */
static bool next_level(struct ordo_max_min *sharing, struct ordo_level *level)
{
	if (sharing->nlevel <= FEW_LEVELS)
		return next_of_few(sharing, level);
	while (sharing->nlevel) {
		const struct ordo_filling *filling =
			&sharing->fillings[sharing->levels[0].resource];
		const double now = filling->unsettled ? level_of(filling) : 0;
		if (filling->unsettled && !(now > sharing->levels[0].rate)) {
			*level = sharing->levels[0];
			return true;
		}
		if (filling->unsettled)
			sharing->levels[0].rate = now;
		else
			sharing->levels[0] = sharing->levels[--sharing->nlevel];
		sink(sharing, 0);
	}
	return false;
}

static void settle_flows_of(struct ordo_max_min *sharing, const struct ordo_level *level)
{
	const struct ordo_filling *filling = &sharing->fillings[level->resource];
	const struct ordo_entry *entries =
		ordo_entries_of(sharing, &sharing->resources[level->resource]);
	for (uint32_t e = 0; filling->unsettled; e++) {
		struct ordo_flow *flow = &sharing->flows[entries[e].flow];
		if (flow->seen == sharing->settling && !flow->settled)
			give(sharing, flow, level->rate);
	}
}

/* Sorts the flows touched by bound, the least first: a heap turned round. */
static void sift(struct ordo_max_min *sharing, uint32_t place, uint32_t count)
{
	uint32_t *touched = sharing->touched;
	const uint32_t flow = touched[place];
	for (uint32_t child; (child = 2 * place + 1) < count; place = child) {
		if (child + 1 < count && sharing->flows[touched[child + 1]].bound >
						 sharing->flows[touched[child]].bound)
			child++;
		if (!(sharing->flows[touched[child]].bound > sharing->flows[flow].bound))
			break;
		touched[place] = touched[child];
	}
	touched[place] = flow;
}

static void sort_by_bound(struct ordo_max_min *sharing)
{
	uint32_t *touched = sharing->touched;
	bool sorted = true;
	for (uint32_t i = 1; i < sharing->ntouched; i++)
		sorted &=
			!(sharing->flows[touched[i - 1]].bound > sharing->flows[touched[i]].bound);
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
static bool settle_at_bound(struct ordo_max_min *sharing, uint32_t *at, double rate)
{
	while (*at < sharing->ntouched && sharing->flows[sharing->touched[*at]].settled)
		++*at;
	if (*at == sharing->ntouched || sharing->flows[sharing->touched[*at]].bound > rate)
		return false;
	struct ordo_flow *flow = &sharing->flows[sharing->touched[*at]];
	give(sharing, flow, flow->bound);
	return true;
}

/* true: all went at the lowest level. */
static bool fill(struct ordo_max_min *sharing)
{
	struct ordo_level level;
	double reached = 0; /* levels only rise, whatever rounding makes of them */
	uint32_t at = 0;
	bool sorted = false;
	if (settle_lowest(sharing, make_levels(sharing)))
		return true;
	make_heap(sharing);
	while (sharing->nopen && next_level(sharing, &level)) {
		level.rate = level.rate > reached ? level.rate : reached;
		if (!(sharing->least_bound > level.rate)) {
			if (!sorted)
				sort_by_bound(sharing);
			sorted = true;
			if (settle_at_bound(sharing, &at, level.rate))
				continue;
		}
		reached = level.rate;
		settle_flows_of(sharing, &level);
	}
	for (; sharing->nopen; at++)
		if (!sharing->flows[sharing->touched[at]].settled)
			give(sharing, &sharing->flows[sharing->touched[at]],
				sharing->flows[sharing->touched[at]].bound);
	return false;
}

/* Joins what has been given out more than there is. false: nothing was. */
static bool join_overdrawn(struct ordo_max_min *sharing)
{
	const uint32_t before = sharing->njoined;
	for (uint32_t i = 0; i < sharing->nmet; i++) {
		const uint32_t number = sharing->met[i];
		const struct ordo_filling *filling = &sharing->fillings[number];
		if (filling->left < 0 && !filling->joined &&
			filling->left < -ORDO_ROUNDING * sharing->resources[number].capacity)
			join(sharing, number);
	}
	return sharing->njoined > before;
}

static void reopen(struct ordo_max_min *sharing)
{
	sharing->nopen = sharing->ntouched;
	for (uint32_t i = 0; i < sharing->nmet; i++)
		clear(sharing, sharing->met[i]);
	for (uint32_t i = 0; i < sharing->ntouched; i++) {
		struct ordo_flow *flow = &sharing->flows[sharing->touched[i]];
		flow->settled = false;
		for (uint32_t k = 0; k < flow->nuse; k++)
			open_use(&sharing->fillings[flow->uses[k].resource], flow->rate,
				flow->uses[k].load);
	}
}

/* What is short joins, used up or not. */
static void join_short(struct ordo_max_min *sharing)
{
	sharing->cautious = true;
	for (uint32_t i = 0; i < sharing->nmet; i++)
		if (is_short(&sharing->resources[sharing->met[i]]))
			join(sharing, sharing->met[i]);
}

/* What flowed so far did so at the old rate. false: it is the same rate. */
static bool change_rate(struct ordo_flow *flow, double time)
{
	if (!(flow->settled_rate < flow->rate || flow->settled_rate > flow->rate))
		return false;
	flow->remaining = ordo_flow_left(flow, time);
	flow->updated = time > flow->updated ? time : flow->updated;
	flow->rate = flow->settled_rate;
	return true;
}

static void change_rates(struct ordo_max_min *sharing, double time)
{
	for (uint32_t i = 0; i < sharing->nmet; i++) {
		struct ordo_shared *resource = &sharing->resources[sharing->met[i]];
		resource->used = resource->capacity - sharing->fillings[sharing->met[i]].left;
	}
	for (uint32_t i = 0; i < sharing->ntouched; i++) {
		if (change_rate(&sharing->flows[sharing->touched[i]], time))
			sharing->changed[sharing->nchanged++] = sharing->touched[i];
	}
}

/* Groups may have come to an end before some of their flows, which did too since then. */
static void forget_ended(struct ordo_max_min *sharing)
{
	uint32_t nchanged = 0;
	for (uint32_t i = 0; i < sharing->nchanged; i++)
		if (sharing->flows[sharing->changed[i]].nuse)
			sharing->changed[nchanged++] = sharing->changed[i];
	sharing->nchanged = nchanged;
}

/* What groups have settled need not be looked at again. */
static void forget_grouped(struct ordo_max_min *sharing)
{
	uint32_t nbegun = 0;
	for (uint32_t i = 0; i < sharing->nbegun; i++)
		if (sharing->flows[sharing->begun[i]].group == ORDO_NONE)
			sharing->begun[nbegun++] = sharing->begun[i];
	sharing->nbegun = nbegun;
}

/* Of the flows of a group only the first ends are events. */
static void hide_grouped(struct ordo_max_min *sharing)
{
	uint32_t nchanged = 0;
	for (uint32_t i = 0; i < sharing->nchanged; i++) {
		const struct ordo_flow *flow = &sharing->flows[sharing->changed[i]];
		if (flow->group == ORDO_NONE || mark_of(sharing, flow)->shown)
			sharing->changed[nchanged++] = sharing->changed[i];
	}
	sharing->nchanged = nchanged;
}

static void begin_settling(struct ordo_max_min *sharing)
{
	lower_floor(sharing);
	sharing->ntouched = sharing->nopen = sharing->nmet = sharing->njoined = 0;
	sharing->least_bound = HUGE_VAL;
	sharing->cautious = false;
	sharing->settling++;
	for (uint32_t i = 0; i < sharing->ndirty; i++) {
		sharing->resources[sharing->dirty[i]].dirty = false;
		meet(sharing, sharing->dirty[i]);
		join(sharing, sharing->dirty[i]);
	}
	for (uint32_t i = 0; i < sharing->nbegun; i++)
		touch(sharing, sharing->begun[i]);
}

/* Flow by flow. */
static void settle_flows(struct ordo_max_min *sharing, double time)
{
	uint32_t turn = 0;
	bool at_lowest = false;
	begin_settling(sharing);
	for (bool overdrawn = true; overdrawn; turn++) {
		if (turn)
			reopen(sharing);
		if (turn > 1)
			join_short(sharing);
		visit_joined(sharing);
		at_lowest = fill(sharing);
		overdrawn = join_overdrawn(sharing);
	}
	const bool formed = at_lowest && ordo_flow_groups_form(sharing);
	change_rates(sharing, time);
	if (!formed)
		return;
	ordo_flow_groups_show(sharing, time);
	hide_grouped(sharing);
}

void ordo_max_min_settle(struct ordo_max_min *sharing, double time)
{
	forget_ended(sharing);
	ordo_flow_groups_settle(sharing, time);
	forget_grouped(sharing);
	if (sharing->ndirty || sharing->nbegun)
		settle_flows(sharing, time);
	sharing->ndirty = sharing->nbegun = 0;
	sharing->floor = HUGE_VAL;
}
