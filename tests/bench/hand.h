/* hand.h - the collectives as one writes them by hand for threads that share memory: no schedule,
 * no proof, two barriers.
 *
 * What is held against the library. Every operator is a fold: k inputs are read once, and the
 * result is written to m outputs.
 */
#ifndef BENCH_HAND_H
#define BENCH_HAND_H

#include "cell.h"
#include "team.h"

/* The part of one thread of a team that has all the ranks between them: inputs[nrank],
 * outputs[nrank]. Returns when all have returned. */
void hand_collective(struct team *team, uint32_t thread, const struct cell *cell,
	float *const *inputs, float *const *outputs);

#endif
