/* fast_links.h - a topology without links that are slower than a way around them. Private to
 * compiler/. */
#ifndef ORDO_COMPILER_REQUEST_FAST_LINKS_H
#define ORDO_COMPILER_REQUEST_FAST_LINKS_H

#include <ordo/topology.h>

/* The parameter `links`, for algorithms that choose their links; it takes effect before `prepare`.
 */
#define ORDO_LINKS_PARAMETER                                                                       \
	{                                                                                          \
		.name = "links", .values = "all|fast", .fallback = "all",                          \
		.meaning = "fast: without links between two ranks for which a way over a third "   \
			   "rank is at least twice as fast",                                       \
		.kind = ORDO_WORD                                                                  \
	}

/* Whether any link is slower so. Looks at up to 512 ranks; topology may be NULL: no. */
bool ordo_has_slow_links(const struct ordo_topology *topology);
/* A copy in which these links are down, in both directions. The caller destroys it. NULL: no
 * memory. */
struct ordo_topology *ordo_without_slow_links(
	const struct ordo_topology *topology, struct ordo_error *error);

#endif
