/* flow_groups.c - a group has a list of flows and a list of resources, so beginning, ending or
 * settling a flow takes one step for each of these, not for each use. Its resources store only the
 * number of their flows. */
#include "flow_groups.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/operator.h>
#include <stdlib.h>

/* Fewer flows are handled one by one as fast. */
enum { LEAST_FLOWS = 4 };
/* While groups are made: of a flow that cannot be in one. */
#define REFUSED (ORDO_NONE - 1)
/* While groups are made: of a flow that nothing keeps. */
#define NO_KEEPER (ORDO_NONE >> 1)

bool ordo_flow_groups_make(struct ordo_flow_groups *groups, uint32_t nflow)
{
	const size_t most = (size_t)nflow + 1;
	*groups = (struct ordo_flow_groups){
		.groups = ordo_array_make(most, sizeof *groups->groups, 0),
		.unused = ordo_array_make(most, sizeof *groups->unused, 0),
		.stirred = ordo_array_make(most, sizeof *groups->stirred, 0)};
	return groups->groups && groups->unused && groups->stirred;
}

void ordo_flow_groups_free(struct ordo_flow_groups *groups)
{
	for (uint32_t i = 0; i < groups->ngroup; i++) {
		free(groups->groups[i].marks);
		free(groups->groups[i].resources);
	}
	free(groups->groups);
	free(groups->unused);
	free(groups->stirred);
}

static void stir(struct ordo_flow_groups *groups, uint32_t number)
{
	if (groups->groups[number].stirred)
		return;
	groups->groups[number].stirred = true;
	groups->stirred[groups->nstirred++] = number;
}

/* What it has served now, at the rate so far. */
static void advance(struct ordo_flow_group *group, double time)
{
	group->served += group->rate * (time - group->updated);
	group->updated = time;
}

static bool reserve(struct ordo_flow_group *group, size_t nmark, size_t nresource)
{
	return ordo_array_reserve(&group->marks, &group->mark_room, nmark, sizeof *group->marks) &&
	       ordo_array_reserve(&group->resources, &group->resource_room, nresource,
		       sizeof *group->resources);
}

/* There is room. */
static void add_flow(
	struct ordo_max_min *sharing, uint32_t number, uint32_t id, struct ordo_mark mark)
{
	struct ordo_flow_group *group = &sharing->groups.groups[number];
	struct ordo_flow *flow = &sharing->flows[id];
	flow->group = number;
	group->marks[group->nmark++] = mark;
	group->least_bound = flow->bound < group->least_bound ? flow->bound : group->least_bound;
}

static void add_resource(struct ordo_max_min *sharing, uint32_t number, uint32_t id)
{
	struct ordo_flow_group *group = &sharing->groups.groups[number];
	sharing->resources[id].group = number;
	group->resources[group->nresource++] = id;
}

static uint32_t make_group(struct ordo_flow_groups *groups)
{
	const uint32_t number =
		groups->nunused ? groups->unused[--groups->nunused] : groups->ngroup++;
	struct ordo_flow_group *group = &groups->groups[number];
	*group = (struct ordo_flow_group){.least_bound = HUGE_VAL,
		.marks = group->marks,
		.mark_room = group->mark_room,
		.resources = group->resources,
		.resource_room = group->resource_room};
	return number;
}

/* Its flows are of no group, or as said. */
static void unmake_group(struct ordo_max_min *sharing, uint32_t number, uint32_t none)
{
	struct ordo_flow_groups *groups = &sharing->groups;
	struct ordo_flow_group *group = &groups->groups[number];
	for (size_t i = 0; i < group->nmark; i++)
		sharing->flows[group->marks[i].flow].group = none;
	for (size_t i = 0; i < group->nresource; i++)
		sharing->resources[group->resources[i]].group = ORDO_NONE;
	group->over = true;
	groups->unused[groups->nunused++] = number;
}

/* A flow goes on without the group, for now as if it had always had this rate. */
static void release(struct ordo_max_min *sharing, const struct ordo_flow_group *group,
	const struct ordo_mark *mark)
{
	struct ordo_flow *flow = &sharing->flows[mark->flow];
	const double left = mark->end - group->served;
	flow->remaining = left > 0 ? left : 0;
	flow->updated = group->updated;
	flow->rate = group->rate;
	ordo_flow_enter(sharing, mark->flow);
	sharing->changed[sharing->nchanged++] = mark->flow;
}

/* Its flows are looked at one by one, for all that they use is looked at anew. */
static void dissolve(struct ordo_max_min *sharing, uint32_t number)
{
	const struct ordo_flow_group *group = &sharing->groups.groups[number];
	for (size_t i = 0; i < group->nresource; i++) {
		sharing->resources[group->resources[i]].nentry = 0;
		ordo_mark_dirty(sharing, group->resources[i], group->rate);
	}
	for (size_t i = 0; i < group->nmark; i++)
		release(sharing, group, &group->marks[i]);
	unmake_group(sharing, number, ORDO_NONE);
}

/* What the group has, and what is nobody's. */
static bool can_join(struct ordo_max_min *sharing, uint32_t number, const struct ordo_flow *flow)
{
	struct ordo_flow_group *group = &sharing->groups.groups[number];
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const struct ordo_shared *resource = &sharing->resources[flow->uses[i].resource];
		if (resource->group != number && (resource->group != ORDO_NONE || resource->count))
			return false;
	}
	return reserve(group, group->nmark + 1, group->nresource + flow->nuse);
}

uint32_t ordo_flow_groups_find(struct ordo_max_min *sharing, uint32_t id)
{
	const struct ordo_flow *flow = &sharing->flows[id];
	if (sharing->groups.ngroup == sharing->groups.nunused)
		return ORDO_NONE;
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const uint32_t number = sharing->resources[flow->uses[i].resource].group;
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
	struct ordo_flow_group *group = &sharing->groups.groups[number];
	const struct ordo_flow *flow = &sharing->flows[id];
	advance(group, time);
	sharing->places[flow->first_place] = (uint32_t)group->nmark;
	add_flow(sharing, number, id,
		(struct ordo_mark){.end = group->served + flow->remaining,
			.flow = id,
			.keeper = flow->uses[0].resource & NO_KEEPER});
	for (uint32_t i = 0; i < flow->nuse; i++)
		if (sharing->resources[flow->uses[i].resource].group == ORDO_NONE)
			add_resource(sharing, number, flow->uses[i].resource);
	stir(&sharing->groups, number);
}

void ordo_flow_groups_leave(struct ordo_max_min *sharing, uint32_t id)
{
	struct ordo_flow *flow = &sharing->flows[id];
	struct ordo_flow_group *group = &sharing->groups.groups[flow->group];
	const uint32_t at = sharing->places[flow->first_place];
	group->marks[at] = group->marks[--group->nmark];
	sharing->places[sharing->flows[group->marks[at].flow].first_place] = at;
	stir(&sharing->groups, flow->group);
	flow->group = ORDO_NONE;
}

static double level_of(const struct ordo_max_min *sharing, uint32_t resource)
{
	return ordo_even_share(&sharing->resources[resource]);
}

/* The lowest level of its resources; those without flows are let go. */
static double lowest_level(struct ordo_max_min *sharing, struct ordo_flow_group *group)
{
	double lowest = HUGE_VAL;
	size_t kept = 0;
	for (size_t i = 0; i < group->nresource; i++) {
		struct ordo_shared *resource = &sharing->resources[group->resources[i]];
		if (!resource->count) {
			resource->group = ORDO_NONE;
			continue;
		}
		const double level = ordo_even_share(resource);
		lowest = level < lowest ? level : lowest;
		group->resources[kept++] = group->resources[i];
	}
	group->nresource = kept;
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
static bool is_kept(struct ordo_max_min *sharing, struct ordo_flow_group *group, double lowest)
{
	const double level = lowest * (1 + ORDO_ROUNDING);
	for (size_t i = 0; i < group->nmark; i++) {
		struct ordo_mark *mark = &group->marks[i];
		if (level_of(sharing, mark->keeper) > level)
			mark->keeper = find_keeper(sharing, mark->flow, level) & NO_KEEPER;
		if (mark->keeper == NO_KEEPER ||
			(group->least_bound < lowest && sharing->flows[mark->flow].bound < lowest))
			return false;
	}
	return true;
}

/* The bytes served when the first of its flows end, together with those that end at the same
 * time. */
static double find_first_end(const struct ordo_flow_group *group)
{
	double first = HUGE_VAL;
	for (size_t i = 0; i < group->nmark; i++)
		first = group->marks[i].end < first ? group->marks[i].end : first;
	const double time = group->updated + (first - group->served) / group->rate;
	return first + group->rate * time * ORDO_SAME_TIME;
}

/* Which ends are events. */
static void show_first_ends(struct ordo_max_min *sharing, const struct ordo_flow_group *group)
{
	const double first = find_first_end(group);
	for (size_t i = 0; i < group->nmark; i++) {
		struct ordo_mark *mark = &group->marks[i];
		const bool shown = !(mark->end > first);
		if (shown)
			sharing->changed[sharing->nchanged++] = mark->flow;
		else if (mark->shown)
			sharing->hidden[sharing->nhidden++] = mark->flow;
		mark->shown = shown & 1;
	}
}

static void settle_group(struct ordo_max_min *sharing, uint32_t number, double time)
{
	struct ordo_flow_group *group = &sharing->groups.groups[number];
	const double lowest = lowest_level(sharing, group);
	if (!group->nmark || !(lowest > 0) || !is_kept(sharing, group, lowest)) {
		dissolve(sharing, number);
		return;
	}
	advance(group, time);
	group->rate = lowest;
	show_first_ends(sharing, group);
}

void ordo_flow_groups_settle(struct ordo_max_min *sharing, double time)
{
	struct ordo_flow_groups *groups = &sharing->groups;
	for (uint32_t i = 0; i < groups->nstirred; i++) {
		struct ordo_flow_group *group = &groups->groups[groups->stirred[i]];
		group->stirred = false;
		if (!group->over)
			settle_group(sharing, groups->stirred[i], time);
	}
	groups->nstirred = 0;
}

/* Nothing of it is left. */
static bool is_given(const struct ordo_max_min *sharing, uint32_t resource)
{
	return !(sharing->fillings[resource].left >
		 2 * ORDO_ROUNDING * sharing->resources[resource].capacity);
}

/* Something keeps it that enough others use, and nobody uses what it uses who is not looked at. */
static bool may_have_group(const struct ordo_max_min *sharing, const struct ordo_flow *flow)
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

/* The flows of a resource that it keeps. false: not all can be in the group. */
static bool gather_flows(
	struct ordo_max_min *sharing, uint32_t number, const struct ordo_shared *resource)
{
	struct ordo_flow_group *group = &sharing->groups.groups[number];
	const struct ordo_entry *entries = ordo_entries_of(sharing, resource);
	for (uint32_t e = 0; e < resource->count; e++) {
		const uint32_t other = entries[e].flow;
		if (sharing->flows[other].group == number)
			continue;
		if (sharing->flows[other].group != ORDO_NONE ||
			!reserve(group, group->nmark + 1, 0))
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
	struct ordo_flow_group *group = &sharing->groups.groups[number];
	const struct ordo_flow *flow = &sharing->flows[group->marks[place].flow];
	if (!reserve(group, 0, group->nresource + flow->nuse))
		return false;
	for (uint32_t i = 0; i < flow->nuse; i++) {
		const uint32_t it = flow->uses[i].resource;
		const struct ordo_shared *resource = &sharing->resources[it];
		struct ordo_filling *filling = &sharing->fillings[it];
		const bool is_new = resource->group == ORDO_NONE, keeps = is_given(sharing, it);
		if (is_new) {
			add_resource(sharing, number, it);
			filling->ngrouped = 0;
		}
		if (filling->unsettled != resource->count)
			return false;
		filling->ngrouped++;
		if (keeps)
			group->marks[place].keeper = it & NO_KEEPER;
		if (keeps && is_new && !gather_flows(sharing, number, resource))
			return false;
	}
	return group->marks[place].keeper != NO_KEEPER;
}

/* Nobody else uses what its flows use. */
static bool is_closed(const struct ordo_max_min *sharing, const struct ordo_flow_group *group)
{
	for (size_t i = 0; i < group->nresource; i++) {
		const uint32_t it = group->resources[i];
		if (sharing->fillings[it].ngrouped != sharing->resources[it].count)
			return false;
	}
	return true;
}

/* The group of a flow, if it has one. */
static void gather(struct ordo_max_min *sharing, uint32_t id)
{
	struct ordo_flow_groups *groups = &sharing->groups;
	const uint32_t number = make_group(groups);
	struct ordo_flow_group *group = &groups->groups[number];
	bool kept = reserve(group, 1, 1);
	if (kept)
		add_flow(sharing, number, id, (struct ordo_mark){.flow = id, .keeper = NO_KEEPER});
	for (size_t i = 0; kept && i < group->nmark; i++)
		kept = gather_uses(sharing, number, i);
	if (kept && group->nmark >= LEAST_FLOWS && is_closed(sharing, group)) {
		stir(groups, number);
		return;
	}
	unmake_group(sharing, number, REFUSED);
}

bool ordo_flow_groups_form(struct ordo_max_min *sharing)
{
	struct ordo_flow *flows = sharing->flows;
	if (sharing->ntouched < LEAST_FLOWS || !(flows[sharing->touched[0]].settled_rate > 0))
		return false;
	for (uint32_t i = 0; i < sharing->ntouched; i++)
		if (flows[sharing->touched[i]].group == ORDO_NONE &&
			may_have_group(sharing, &flows[sharing->touched[i]]))
			gather(sharing, sharing->touched[i]);
	for (uint32_t i = 0; i < sharing->ntouched; i++)
		if (flows[sharing->touched[i]].group == REFUSED)
			flows[sharing->touched[i]].group = ORDO_NONE;
	return sharing->groups.nstirred;
}

/* The flows go on in the group as they are. */
static void start(struct ordo_max_min *sharing, struct ordo_flow_group *group, double time)
{
	group->rate = sharing->flows[group->marks[0].flow].rate;
	group->updated = time;
	for (size_t i = 0; i < group->nmark; i++) {
		const struct ordo_flow *flow = &sharing->flows[group->marks[i].flow];
		sharing->places[flow->first_place] = (uint32_t)i;
		group->marks[i].end = ordo_flow_left(flow, time);
		group->marks[i].shown = 1;
	}
}

void ordo_flow_groups_show(struct ordo_max_min *sharing, double time)
{
	struct ordo_flow_groups *groups = &sharing->groups;
	for (uint32_t i = 0; i < groups->nstirred; i++) {
		struct ordo_flow_group *group = &groups->groups[groups->stirred[i]];
		group->stirred = false;
		start(sharing, group, time);
		show_first_ends(sharing, group);
	}
	groups->nstirred = 0;
}
