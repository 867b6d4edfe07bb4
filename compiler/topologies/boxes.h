/* boxes.h - servers with eight accelerators and a network card for each.
 *
 * A server is a full mesh of links, or has one switch that connects all its ranks. A rank's card
 * leads to the leaf switch of its number, the leaves lead to one spine, which is as wide as they
 * are: nothing is oversubscribed. Switches are numbered: the leaves, the spine, then one in each
 * server.
 */
#ifndef ORDO_TOPOLOGY_BOXES_H
#define ORDO_TOPOLOGY_BOXES_H

#include <ordo/topology.h>

enum { ORDO_BOX_RANKS = 8 };

/* Bandwidths are one way, in GB/s. */
struct ordo_box {
	const char *name;	/* of the topology */
	const char *class_name; /* of links inside */
	bool switched;
	double link_gbs;   /* of a rank to its switch, or to each other rank */
	double card_gbs;   /* of a rank to its leaf */
	double memory_gbs; /* of a rank's memory */
};

/* `NAME:S` is S servers, `NAME:Sx8` too; without sizes as many as the ranks fill. */
struct ordo_topology *ordo_box_make(const struct ordo_box *box, uint32_t nrank,
	const char *parameters, struct ordo_error *error);

#endif
