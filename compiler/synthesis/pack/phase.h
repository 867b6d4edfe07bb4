/* phase.h - trees from each root for one phase, of sums or of results, or spanning trees for both;
 * kept for other requests of one choice. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_PACK_PHASE_H
#define ORDO_SYNTHESIS_PACK_PHASE_H

#include "pack.h"
#include "synthesis/split.h"

struct ordo_kept_phases;

struct ordo_phase_problem {
	const struct ordo_capacities *graph;
	uint32_t root;	  /* ORDO_NONE: each rank is one */
	uint32_t k, most; /* units of each root; 0: chosen, up to `most` */
	bool even;	  /* as for ordo_units_from_roots */
};

struct ordo_phase {
	struct ordo_packing packing;
	struct ordo_logical_links logical; /* in place of switches; {0} without them */
};

/* The caller frees it, also after false.
 *
 *   kept   what was packed for an equal problem before is packed at once. NULL: nothing is kept */
bool ordo_phase_pack(struct ordo_kept_phases *kept, struct ordo_phase *phase,
	const struct ordo_phase_problem *problem, struct ordo_error *error);
void ordo_phase_free(struct ordo_phase *phase);

struct ordo_spanning_problem {
	const struct ordo_capacities *graph;
	uint32_t k, most;	    /* trees in all; 0: chosen, up to `most` */
	bool names_ways, one_class; /* as for ordo_pack_switched */
};

/* Likewise spanning trees of a symmetric graph. false without a code in `error`: there are too
 * many, or none of this k, or over switches they are no faster than trees of both phases. */
bool ordo_phase_span(struct ordo_kept_phases *kept, struct ordo_phase *phase,
	const struct ordo_spanning_problem *problem, struct ordo_error *error);

/* NULL: no memory. One thread at a time. */
struct ordo_kept_phases *ordo_kept_phases_create(struct ordo_error *error);
void ordo_kept_phases_destroy(struct ordo_kept_phases *kept);

#endif
