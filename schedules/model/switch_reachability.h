/* switch_reachability.h - which ranks the switches of a topology join. Private to schedules/. */
#ifndef ORDO_SCHEDULES_MODEL_SWITCH_REACHABILITY_H
#define ORDO_SCHEDULES_MODEL_SWITCH_REACHABILITY_H

#include <ordo/topology.h>

/* Needs sorted links and first_link. Memory and time are linear in the links; only where some
 * switches are joined one way (a leads to b, b not to a) is a square of bits over such groups of
 * switches kept. The caller destroys it. */
struct ordo_switch_reachability *ordo_switch_reachability_create(
	const struct ordo_topology *topology, struct ordo_error *error);

/* The same where ranks pass on what is not for them, as switches do. */
struct ordo_switch_reachability *ordo_switch_reachability_through_ranks(
	const struct ordo_topology *topology, struct ordo_error *error);
void ordo_switch_reachability_destroy(struct ordo_switch_reachability *reach); /* takes NULL */

/* Is there a path from rank a to rank b through at least one switch, and through switches only?
 * Where ranks pass on: is there any path? */
bool ordo_switch_reachability_joined(
	const struct ordo_switch_reachability *reach, uint32_t a, uint32_t b);

#endif
