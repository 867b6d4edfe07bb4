/* topology.h - which ranks can reach which: vertices, directed links, and links that are down.
 *
 * Vertices 0..nrank-1 are ranks, nrank..nrank+nswitch-1 are switches. Rank a reaches rank b if
 * there is a link a->b that is up, or a path of links that are up from a to b through switches
 * only.
 */
#ifndef ORDO_TOPOLOGY_H
#define ORDO_TOPOLOGY_H

#include <ordo/operator.h>
#include <ordo/owned.h>

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
	uint32_t cores;	   /* that all ranks share; 0: every rank has its own */
	double task_ns;	   /* what any task costs a core, beside what it moves */
	double reduce_gbs; /* of adding one vector to another on a rank */
	double copy_gbs;   /* of copying on a rank; 0: costs nothing */
	/* Of adding sums in a form without order, bytes of states; 0: as reduce_gbs. Of the other
	 * forms 0. */
	double sum_gbs[ORDO_NACCUMULATION];
	const char **class_names; /* "link" if a document names none */
	uint32_t nclass;
	/* [nlink], sorted by (from, to, class); several between two vertices are allowed if their
	 * classes differ */
	struct ordo_link *links;
	uint32_t nlink;
	const char *extra; /* the text of the "x" object; NULL */
	/* Where its document has a bandwidth of more digits than a double is taken with: the first,
	 * and what it is taken as, for a message; NULL */
	const char *remark;

	/* Private. */
	uint32_t *first_link; /* [nvertex+1] into links, once finished */
	struct ordo_switch_reachability
		*reach; /* what switches join, once finished; see switch_reachability.h */
	size_t link_room;
	struct ordo_arena arena;
};

/* Makes a topology without links. Then ordo_topology_add adds them, in any order, and
 * ordo_topology_finish makes it usable.
 *
 *   name      for messages and documents; copied
 *   nrank     ranks; they are the vertices 0..nrank-1
 *   nswitch   switches; they are the vertices nrank..nrank+nswitch-1. With ranks at most 2^22
 *             vertices
 *   ports     links that a rank drives at once in each direction; 0: all of them
 *   error     filled if the result is NULL; may be NULL
 *
 * Returns a topology that the caller destroys. NULL: ORDO_BAD_INPUT, R1, a number out of its
 * range; or no memory (ORDO_ENVIRONMENT). */
ORDO_API struct ordo_topology *ordo_topology_create(const char *name, uint32_t nrank,
	uint32_t nswitch, uint32_t ports, struct ordo_error *error);

/* Frees a topology.
 *
 *   topology   not used by any thread, nor by a request or options. NULL: nothing is done */
ORDO_API void ordo_topology_destroy(struct ordo_topology *topology);

/* Adds one directed link.
 *
 *   topology        as created; after this call it must be finished (again)
 *   from, to        vertices
 *   class_name      what the link is, such as "nvlink"; copied. NULL: "link". Several links between
 *                   two vertices are allowed if their classes differ; at most 256 classes
 *   latency_ns      nanoseconds until the first byte arrives; 0 or more
 *   bandwidth_gbs   10^9 bytes a second; above 0
 *   error           filled if the result is false; may be NULL
 *
 * false: too many classes (ORDO_BAD_INPUT), or no memory. The numbers are checked by
 * ordo_topology_finish. */
ORDO_API bool ordo_topology_add(struct ordo_topology *topology, uint32_t from, uint32_t to,
	const char *class_name, double latency_ns, double bandwidth_gbs, struct ordo_error *error);

/* Checks the links of a topology and makes it usable by all other functions; called again after
 * links were added or taken down.
 *
 *   topology   changed by this call: no other thread uses it
 *   error      filled if the result is false; may be NULL
 *
 * false: ORDO_BAD_INPUT, R1, a vertex out of range, a link from a vertex to itself, the same
 * link twice, or a number that is negative or not finite; or no memory. */
ORDO_API bool ordo_topology_finish(struct ordo_topology *topology, struct ordo_error *error);

/* Takes down every link between two vertices, in both directions; then the topology must be
 * finished again.
 *
 *   topology   changed by this call: no other thread uses it
 *   a, b       vertices, in any order
 *   error      filled if the result is false; may be NULL
 *
 * false: there is no link between them (ORDO_USAGE). */
ORDO_API bool ordo_topology_fail_link(
	struct ordo_topology *topology, uint32_t a, uint32_t b, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/topologies.h>
#endif
