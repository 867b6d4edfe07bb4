/* flow_groups.h - groups of flows that all run at one rate, because their resources saturate at one
 * level: a group.
 *
 * Where flows are alike, as on a ring of ranks that all send equally far, each flow that begins or
 * ends changes the rates of all. A group computes its new rate from its resources alone, without
 * visiting every use of every flow: the lowest of their levels, as long as every flow uses a
 * resource with this level, its keeper. Otherwise the group is dissolved. No other flow uses the
 * resources of a group. Only the flows that end first need events: the others end later at any
 * common rate, and the bytes that the group has served give what is left of each. Private to
 * predict/.
 */
#ifndef ORDO_COMPILER_PREDICT_FLOW_GROUPS_H
#define ORDO_COMPILER_PREDICT_FLOW_GROUPS_H

#include "flows.h"

/* To be freed, also after false: no memory. */
bool ordo_flow_groups_make(struct ordo_flow_groups *groups, uint32_t nflow);
void ordo_flow_groups_free(struct ordo_flow_groups *groups);
/* The group that a flow can join which is to begin: that of its resources, if they have one and
 * nobody else. ORDO_NONE: none; then nothing is left of groups that have one of its resources. */
uint32_t ordo_flow_groups_find(struct ordo_max_min *sharing, uint32_t flow);
/* The flow has begun and joins; its uses count already. */
void ordo_flow_groups_join(
	struct ordo_max_min *sharing, uint32_t group, uint32_t flow, double time);
/* A flow of a group has ended. */
void ordo_flow_groups_leave(struct ordo_max_min *sharing, uint32_t flow);
/* New rates for groups where flows began or ended. What is left of those that are none any more is
 * dirty. */
void ordo_flow_groups_settle(struct ordo_max_min *sharing, double time);
/* Makes groups of what the current settling touched, where all rates are to be the lowest level.
 * false: there are none. */
bool ordo_flow_groups_form(struct ordo_max_min *sharing);
/* What ends first in the groups that were made, now that their flows have their rates. */
void ordo_flow_groups_show(struct ordo_max_min *sharing, double time);

#endif
