/* network.h - a topology as pairs of ranks and the links between them. Private to this room. */
#ifndef ORDO_SYNTHESIS_MATCH_NETWORK_H
#define ORDO_SYNTHESIS_MATCH_NETWORK_H

#include "match.h"

/* From rank to rank; the links of the topology on its way are links[first .. end). */
struct ordo_match_pair {
	uint32_t from, to, first, end;
	uint64_t time; /* that a chunk takes, in ps */
};

/* Pairs grouped by a number: those of i are pairs[first[i]] to pairs[first[i + 1] - 1],
 * ascending. */
struct ordo_match_groups {
	uint32_t *first, *pairs;
};

struct ordo_match_network {
	const struct ordo_match_wish *wish;
	uint32_t nrank, npair;
	struct ordo_match_pair *pairs; /* [npair] */
	uint32_t *links;
	size_t pair_room, nlink, link_room;
	struct ordo_match_groups by_from, by_to, by_link;
	/* [nrank * nrank] of the fastest way; UINT64_MAX: there is none. NULL: all get all, and
	 * ways lead from every rank to every other. */
	uint64_t *distance;
};

/* The caller frees it, also after false: a chunk has no way to where it is wanted (ORDO_USAGE), or
 * no memory. The wish must live as long. */
bool ordo_match_network_make(struct ordo_match_network *network, const struct ordo_match_wish *wish,
	struct ordo_error *error);
void ordo_match_network_free(struct ordo_match_network *network);

/* A fastest way for every chunk that one rank wants, chosen one after another, the longest first,
 * over the links that the others load least. Chunk c takes pairs[first[c]] to
 * pairs[first[c + 1] - 1]. */
struct ordo_match_plan {
	uint32_t *first, *pairs;
};

/* The caller frees it, also after false: no memory. */
bool ordo_match_plan_make(struct ordo_match_plan *plan, const struct ordo_match_network *network);
void ordo_match_plan_free(struct ordo_match_plan *plan);

#endif
