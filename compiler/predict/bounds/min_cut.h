/* min_cut.h - the capacity of a cut between two sets of ranks. Private to predict/. */
#ifndef ORDO_COMPILER_PREDICT_MIN_CUT_H
#define ORDO_COMPILER_PREDICT_MIN_CUT_H

#include <ordo/topology.h>

struct ordo_cut {
	const struct ordo_topology *topology;
	/* [nrank] bytes a second of a rank over all its links, or over its fastest links, one per
	 * port */
	double *send, *receive;
	double *crossing; /* [nrank] room: the same over the links of one cut */
	/* With switches: a flow network with a source and a sink. Arcs 2i and 2i+1 are opposite. */
	uint32_t nvertex, narc;
	uint32_t *first, *next, *to; /* arcs, in a list for each vertex */
	double *room;
	uint32_t *depth, *at, *queue;
};

/* The caller frees it, also after false: no memory. */
bool ordo_cut_make(
	struct ordo_cut *cut, const struct ordo_topology *topology, struct ordo_error *error);
void ordo_cut_free(struct ordo_cut *cut);

/* Bytes a second from the ranks with inside[r] == side to the others. */
double ordo_cut_rate(struct ordo_cut *cut, const bool *inside, bool side);

#endif
