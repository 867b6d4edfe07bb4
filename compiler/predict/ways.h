/* ways.h - shortest ways over the links of a topology that are up. Private to predict/. */
#ifndef ORDO_PREDICT_WAYS_H
#define ORDO_PREDICT_WAYS_H

#include <ordo/topology.h>

/* How far it is to a target from the vertices that may lie between. */
struct ordo_distances {
	uint32_t *from;		/* [nvertex]; ORDO_NONE: no way, or it may not lie between */
	uint32_t *queue;	/* [nvertex + 1] those that have a distance, the nearest first */
	uint32_t nqueue, ndone; /* so many of them have told their neighbours */
	uint32_t target;
	bool through_ranks;
};

struct ordo_ways {
	const struct ordo_topology *topology;
	uint32_t *taken; /* [nlink] by how many pairs so far */
	/* The links that are up and end at a vertex: their begins, by end. */
	uint32_t *first_in, *in;
	struct ordo_distances distances[2]; /* through switches, through everything; as far as wanted */
	uint32_t ndistances;
	/* What was aimed for. */
	const struct ordo_distances *aim; /* NULL: a link leads there */
	uint32_t target;
};

/* To be freed, also after false: no memory. */
bool ordo_ways_make(struct ordo_ways *ways, const struct ordo_topology *topology, bool through_ranks,
	struct ordo_error *error);
void ordo_ways_free(struct ordo_ways *ways);

/* Looks for a way: first without anything between, then through switches, then, if wanted, through ranks. Cheapest if targets come one after another. */
bool ordo_ways_aim(struct ordo_ways *ways, uint32_t from, uint32_t target);
/* The next link of the way that was aimed for; it is taken by one pair more. */
uint32_t ordo_ways_next(struct ordo_ways *ways, uint32_t at);

#endif
