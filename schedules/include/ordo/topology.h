/* topology.h - which ranks can reach which: vertices, directed links, and links that are down.
 *
 * Vertices 0..nrank-1 are ranks, nrank..nrank+nswitch-1 are switches. Rank a reaches rank b if
 * there is a link a->b that is up, or a path of links that are up from a to b through switches
 * only.
 */
#ifndef ORDO_TOPOLOGY_H
#define ORDO_TOPOLOGY_H

#include <ordo/detail/owned.h>
#include <ordo/operator.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_link {
	uint32_t from, to;   /* vertices; directed */
	uint32_t class_name; /* index into class_names */
	bool down;
	double latency_ns;
	double bandwidth_gbs; /* GB/s */
	/* what arrives over it is added no faster than this; 0: as fast as its rank adds */
	double reduce_gbs;
};

struct ordo_topology {
	const char *name;
	uint32_t nrank, nswitch;
	uint32_t ports; /* how many links a rank drives at once; 0: all */
	/* What predictions of time need beside the links; 0: not said. Set by the maker, any
	 * time. */
	uint32_t cores;		  /* that all ranks share; 0: every rank has its own */
	double task_ns;		  /* what any task costs a core, beside what it moves */
	double reduce_gbs;	  /* of adding one vector to another on a rank */
	double copy_gbs;	  /* of copying on a rank; 0: costs nothing */
	const char **class_names; /* "link" if a document names none */
	uint32_t nclass;
	/* [nlink], sorted by (from, to, class); several between two vertices are allowed if their
	 * classes differ */
	struct ordo_link *links;
	uint32_t nlink;
	const char *extra; /* the text of the "x" object; NULL */

	/* Private. */
	uint32_t *first_link; /* [nvertex+1] into links, once finished */
	struct ordo_switch_reachability
		*reach; /* what switches join, once finished; see switch_reachability.h */
	size_t link_room;
	struct ordo_arena arena;
};

/* Building: create, add links in any order, finish. At most 2^22 vertices and 256 classes. The
 * caller destroys it. */
ORDO_API struct ordo_topology *ordo_topology_create(const char *name, uint32_t nrank,
	uint32_t nswitch, uint32_t ports, struct ordo_error *error);
ORDO_API void ordo_topology_destroy(struct ordo_topology *topology); /* takes NULL */
/* One directed link. class_name NULL: "link". */
ORDO_API bool ordo_topology_add(struct ordo_topology *topology, uint32_t from, uint32_t to,
	const char *class_name, double latency_ns, double bandwidth_gbs, struct ordo_error *error);
/* Sorts, checks (vertices in range, no link to itself, no link twice, latency >= 0, bandwidth > 0,
 * both finite), indexes. Must be called before the queries below, and again after links were taken
 * down. */
ORDO_API bool ordo_topology_finish(struct ordo_topology *topology, struct ordo_error *error);

/* Takes down every link between two vertices, both directions. Fails if there is none. Then finish
 * again. */
ORDO_API bool ordo_topology_fail_link(
	struct ordo_topology *topology, uint32_t a, uint32_t b, struct ordo_error *error);

/* May a cross-rank task go from rank a to rank b? True for a == b. After finish; any thread. O(log
 * links of a), and through switches the number of groups of switches that a and b touch. */
ORDO_API bool ordo_topology_reaches(const struct ordo_topology *topology, uint32_t a, uint32_t b);

/* 128-bit digest of everything that matters (not the name, not x), as 32 hex digits. */
ORDO_API void ordo_topology_digest(const struct ordo_topology *topology, char digest[33]);

#ifdef __cplusplus
}
#endif
#endif
