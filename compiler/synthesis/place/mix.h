/* mix.h - many chunks placed like a few. Private to compiler/. */
#ifndef ORDO_SYNTHESIS_PLACE_MIX_H
#define ORDO_SYNTHESIS_PLACE_MIX_H

#include "place.h"

/* The shares of ways to place a chunk, for AllReduce, beginning with the few of the problem. The
 * caller frees it, also after false: no memory. */
bool ordo_place_mix(struct ordo_placement *mixed, const struct ordo_place_problem *problem,
	struct ordo_error *error);
/* As many chunks as the problem has, the few of which are such shares. As above. */
bool ordo_place_divide(struct ordo_placement *divided, const struct ordo_place_problem *problem,
	struct ordo_error *error);
/* The time of a mix of the problem's tree that begins with nothing, and ends at this sharpness, or
 * when the time is no more than `enough`; and the prices of arcs, and behind them of adders, at its
 * end. false: no memory. */
bool ordo_place_mix_alone(const struct ordo_place_problem *problem, uint32_t sharpness,
	const uint64_t enough[2], uint64_t time[2], uint64_t *prices, struct ordo_error *error);

#endif
