/* min_cut.h - how many bytes a second can leave a set of ranks for the others. Private to
 * predict/. */
#ifndef ORDO_COMPILER_PREDICT_MIN_CUT_H
#define ORDO_COMPILER_PREDICT_MIN_CUT_H

#include <ordo/topology.h>

struct ordo_crossing {
	const struct ordo_topology *topology;
	double *send,
		/* [nrank] bytes a second of a rank over all its links, or as many of the widest as
		 * it has ports */
		*receive;
	/* A network of flows, if there are switches: vertices, a source and a sink. An arc and its
	 * opposite are 2i and 2i+1. */
	uint32_t nvertex, narc;
	uint32_t *first, *next, *to; /* of arcs: by vertex, chained */
	double *room;
	uint32_t *depth, *at, *queue;
};

/* To be freed, also after false: no memory. */
bool ordo_crossing_make(struct ordo_crossing *crossing, const struct ordo_topology *topology,
	struct ordo_error *error);
void ordo_crossing_free(struct ordo_crossing *crossing);

/* From the ranks with inside[r] == side to those of the other side. */
double ordo_crossing_rate(struct ordo_crossing *crossing, const bool *inside, bool side);

#endif
