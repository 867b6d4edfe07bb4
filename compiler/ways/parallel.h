/* parallel.h - links of several classes between the same two vertices, told apart. Private to
 * compiler/. */
#ifndef ORDO_COMPILER_WAYS_PARALLEL_H
#define ORDO_COMPILER_WAYS_PARALLEL_H

#include <ordo/schedule.h>
#include <ordo/topology.h>

/* A stream takes the best link between two vertices unless it names a class. Every other link goes
 * over a vertex of its own, as over a switch: what splits switches off then finds how much each
 * class carries. */
struct ordo_parallel_links {
	const struct ordo_topology *given;
	/* The vertices are switches nrank..nrank+count-1, those of `given` follow. NULL: no links
	 * that are up lie side by side. */
	struct ordo_topology *apart;
	uint32_t count, *classes; /* [count] of given->class_names; both directions share one */
};

/* The caller frees it, also after false: no memory. Uses the topology until then. */
bool ordo_parallel_links_make(struct ordo_parallel_links *links,
	const struct ordo_topology *topology, struct ordo_error *error);
void ordo_parallel_links_free(struct ordo_parallel_links *links);

/* Whether links that are up lie side by side. */
bool ordo_has_parallel_links(const struct ordo_topology *topology);

/* A way between two vertices of `apart`. */
struct ordo_apart_way {
	uint32_t from, to, nvia;
	const uint32_t *via; /* [nvia] */
	bool backwards;	     /* it goes from `to` to `from` */
};

/* Whether a stream that names one class, or none, can take a way: where that class is, it takes no
 * other link. links NULL: always. *class_name: what it names; NULL: nothing. */
bool ordo_parallel_links_nameable(const struct ordo_parallel_links *links,
	const struct ordo_apart_way *way, const char **class_name);
/* The class of each link of such a way, which goes forward. classes: room for [nvia + 1]. Returns
 * how many there are. */
uint32_t ordo_parallel_links_classes(const struct ordo_parallel_links *links,
	const struct ordo_apart_way *way, const char **classes);
/* The switches of such a way as vertices of `given`. switches: room for [nvia]; may be via. Returns
 * how many there are. */
uint32_t ordo_parallel_links_switches(const struct ordo_parallel_links *links, const uint32_t *via,
	uint32_t nvia, uint32_t *switches);

enum { ORDO_MOST_CLASSES = 8 };

/* A stream along a path between two ranks. */
struct ordo_class_lane {
	const char *class_name; /* that it names; NULL: none, it takes the best links */
	double width_gbs;	/* of its slowest link */
	uint64_t sent;		/* chunks so far */
};

/* The streams that can share what goes along a path, the one of the best links first. path: [count]
 * vertices from rank to rank, with links that are up between them. Returns how many there are. */
uint32_t ordo_classes_along(const struct ordo_topology *topology, const uint32_t *path,
	uint32_t count, struct ordo_class_lane lanes[ORDO_MOST_CLASSES]);
/* The lane that has sent least for its width. */
uint32_t ordo_next_class(const struct ordo_class_lane *lanes, uint32_t count);

#endif
