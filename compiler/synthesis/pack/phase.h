/* phase.h - the trees of one phase, of sums or of results, from each root; kept for other requests
 * of one choice. Private to compiler/. */
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

/* NULL: no memory. One thread at a time. */
struct ordo_kept_phases *ordo_kept_phases_create(struct ordo_error *error);
void ordo_kept_phases_destroy(struct ordo_kept_phases *kept);

#endif
