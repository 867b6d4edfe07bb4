/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* bound.h - the least time of the wire: what no schedule of an operator on a topology can beat,
 * as a fraction, and the cut that proves it.
 *
 * n is the bytes of the larger buffer of a rank, R the N ranks; a set S of vertices holds ranks and
 * switches; B(S) is the bandwidth that leaves it. Time is at least
 *
 *   AllGather, ReduceScatter   max |S n R| / N n/B(S), max |R \ S| / N n/B(S): what starts in S
 *                              must leave it; what is summed for the others too
 *   Broadcast, Reduce          n/B(S), if the root is in S; if it is not
 *   Scatter, Gather            |R \ S| / N n/B(S), if the root is in S; |S n R| / N, if not
 *   AllToAll                   |S n R| |R \ S| / N n/B(S); and D / N n/L, if every link has a
 *                              length, D is the sum of the shortest ways of all pairs of ranks, and
 *                              L that of bandwidth times length of all links
 *   AllReduce                  n/B(S), and 2(p-1) n/(B(S_1) + ... + B(S_p)), if every rank is in
 *                              exactly one of p sets: each element leaves them 2(p-1) times
 *
 * and all that also holds with the bandwidth that enters each set of a partition. A rank of fewer
 * ports than links leaves or enters a set over its ports.
 *
 * source Z. Zhao et al., arXiv 2402.06787 (AllGather); W. T. Tutte and C. St. J. A. Nash-Williams,
 * J. London Math. Soc. 36, 1961 (AllReduce); W. H. Cunningham, J. ACM 32, 1985 (best partition);
 * F. Shahrokhi and D. W. Matula, J. ACM 37, 1990 (lengths)
 */
#ifndef ORDO_BOUND_H
#define ORDO_BOUND_H

#include <ordo/operator.h>
#include <ordo/schedule.h>
#include <ordo/topology.h>

#ifdef __cplusplus
extern "C" {
#endif

enum ordo_bound_status {
	ORDO_BOUND_REACHED,    /* schedules come as near to it as they like */
	ORDO_BOUND_NOT_PROVED, /* the best bound of its kind; none is proved to reach it */
	ORDO_BOUND_LOWER,      /* there may be better bounds of its kind */
};

/* A link, or those between two vertices together, that leaves a set or has a length. */
struct ordo_bound_term {
	uint32_t from, to; /* vertices; equal: the ports of that rank */
	uint64_t units;
	uint64_t length; /* 1, unless lengths are the proof */
};

struct ordo_wire_bound {
	/* seconds = numerator/denominator * n / (unit * 10^(9 - unit_digits)); lowest terms, 0/1 if
	 * nothing must move */
	uint64_t numerator, denominator;
	uint64_t unit; /* bandwidths are multiples of unit / 10^unit_digits GB/s */
	int unit_digits;
	bool rounded; /* bandwidths had too many digits and were rounded up */
	enum ordo_bound_status status;
	uint32_t unbalanced; /* a switch with other bandwidth in than out, where that is why the
			      * bound is not proved reachable; ORDO_NONE */
	uint64_t units_in, units_out; /* of that switch */
	/* the ends of a link that leads one way only, where that is why; ORDO_NONE both */
	uint32_t one_way[2];
	/* all sets of ranks were compared, for AllReduce all partitions too; or it is reached */
	bool complete;
	/* The proof: nset sets (one: a cut). crossing/parts * n bytes leave (enter) them over
	 * `units`. 0 sets: there is nothing to prove. */
	bool entering;
	uint64_t crossing, parts, units;
	uint32_t nset;
	uint32_t *first;      /* [nset+1] into vertices and terms */
	uint32_t *vertices;   /* [first[nset]] ranks and switches of each set, ascending */
	uint32_t *first_term; /* [nset+1] into terms; NULL unless they were asked for */
	struct ordo_bound_term *terms;
	/* AllToAll up to 64 ranks, where lengths prove more than a set: nset is 0, crossing is D,
	 * units is L, and terms[nlength] are the links of a length above 0, always there */
	uint32_t nlength;
};

/* The bound of an operator on a topology.
 *
 *   op, root   not Custom; the root of rooted operators
 *   topology   finished; links that are down count as absent
 *   terms      whether the links are wanted that leave (enter) the sets
 *
 * Returns a bound that the caller destroys. NULL: a set of ranks lacks a way out or in, and the
 * error names it (ORDO_USAGE), or no memory (ORDO_ENVIRONMENT). */
ORDO_API struct ordo_wire_bound *ordo_wire_bound_make(enum ordo_operator op, uint32_t root,
	const struct ordo_topology *topology, bool terms, struct ordo_error *error);
ORDO_API void ordo_wire_bound_destroy(struct ordo_wire_bound *bound);

/* Seconds for n bytes. */
ORDO_API double ordo_wire_bound_seconds(const struct ordo_wire_bound *bound, double bytes);

/* How near a schedule's loads come to the bound: the seconds that the busiest link, or the ports of
 * a rank, need for what the schedule sends over them, latencies left out.
 *
 *   schedule   has the ranks of the topology
 *   bytes      of the larger buffer of a rank, cut into equal chunks
 *   seconds    at least those of the bound of its operator
 *
 * Ways are those of a prediction (predict.h). Linear in tasks, times the links of a way. false: no
 * way leads to a peer (ORDO_USAGE), or no memory. */
ORDO_API bool ordo_wire_load(const struct ordo_schedule *schedule,
	const struct ordo_topology *topology, uint64_t bytes, double *seconds,
	struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
