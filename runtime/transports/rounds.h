/* rounds.h - when the streams of a rank may begin the next round of a run. Private to runtime/.
 *
 * A run of long chunks is many rounds, each of another part of every chunk; to the signals a round
 * is a call of its own. A rank is in at most `window` rounds at one time: a stream may begin round
 * r when all streams of its rank have ended round r - window, and parks until then.
 *
 * window is 1: the calls are back to back, and rule R9 lets them follow each other without a
 * barrier.
 *
 * window is 2, with two banks of scratch: neighbouring rounds touch no common memory, because
 * parts of input and output differ, and so do the banks. Rounds of one parity are back to back
 * among themselves, as above. A signal has one stream that notifies it and one that waits, both
 * take round after round, and every round notifies it as often as it waits; so every Wait takes
 * the token of its own round. And no round waits for a later one, so nothing deadlocks that did
 * not before. Only the tokens that a signal may hold (R13) are more: with flags the window is 1.
 */
#ifndef ORDO_RUNTIME_TRANSPORTS_ROUNDS_H
#define ORDO_RUNTIME_TRANSPORTS_ROUNDS_H

#include "tasks/plan.h"

/* A rank enters a run: its streams are at their first tasks. */
void ordo_begin_run(struct ordo_plan *plan, uint32_t rank);

/* A stream has ended its round. Returns the streams of its rank that may begin another now, at
 * their first tasks, as a list by `next` (ORDO_NONE: none). *complete: the rank has ended the run,
 * and this is told once. */
uint32_t ordo_end_stream(struct ordo_plan *plan, uint32_t stream, bool *complete);

#endif
