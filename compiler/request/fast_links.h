/* fast_links.h - a topology without links that are slower than a way around them, or that lead one
 * way only. Private to compiler/. */
#ifndef ORDO_COMPILER_REQUEST_FAST_LINKS_H
#define ORDO_COMPILER_REQUEST_FAST_LINKS_H

#include <ordo/topology.h>

/* The parameter `links`, for algorithms that choose their links; it takes effect before `prepare`.
 */
#define ORDO_LINKS_PARAMETER                                                                       \
	{                                                                                          \
		.name = "links", .values = "all|fast|paired", .fallback = "all",                   \
		.meaning = "fast: ignores links that a path over a third rank beats by a "         \
			   "factor of two or more; paired: ignores one-way links, over "           \
			   "which no signal can return",                                           \
		.kind = ORDO_WORD                                                                  \
	}

/* Whether any link is slower so. Looks at up to 512 ranks; topology may be NULL: no. */
bool ordo_has_slow_links(const struct ordo_topology *topology);
/* A copy in which these links are down, in both directions. The caller destroys it. NULL: no
 * memory. */
struct ordo_topology *ordo_without_slow_links(
	const struct ordo_topology *topology, struct ordo_error *error);

/* Whether any link that is up leads one way only: none that is up leads back. topology may be NULL:
 * no. */
bool ordo_has_one_way_links(const struct ordo_topology *topology);
/* A copy without these links. The caller destroys it. NULL: no memory. */
struct ordo_topology *ordo_without_one_way_links(
	const struct ordo_topology *topology, struct ordo_error *error);

/* Whether any link that is up has none of its class and bandwidth the other way. topology may be
 * NULL: no. */
bool ordo_has_unequal_directions(const struct ordo_topology *topology);

#endif
