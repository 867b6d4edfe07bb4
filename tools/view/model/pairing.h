/* pairing.h - which Wait takes the token of which Notify, and how far one run of a schedule gets.
 *
 * Nothing is asked of the schedule but that it was read: it may break every rule.
 */
#ifndef ORDO_TOOLS_VIEW_MODEL_PAIRING_H
#define ORDO_TOOLS_VIEW_MODEL_PAIRING_H

#include <ordo/schedule.h>

/* [ntask]: of each Notify its Wait, of each Wait its Notify (the j-th of a signal belong together);
 * ORDO_NONE: a move, or nobody's. The caller frees it. Linear. NULL: no memory. */
uint32_t *pair_tasks(const struct ordo_schedule *schedule);

/* A run in which every stream goes on until it ends, waits in vain, or is held. */
struct greedy_run {
	const struct ordo_schedule *schedule;
	const uint32_t *partners;
	uint32_t *next; /* [nstream] the task each stream is at; its end: it is over */
	uint32_t *ready;
	uint32_t nready;
	bool *parked; /* [nstream] it waits for a token */
	bool *given;  /* [ntask] the Notify was given */
};

/* Told of every task of the run, in its order. false: the stream is held before this task, until it
 * is put back with greedy_resume. */
typedef bool greedy_step(void *closure, uint32_t stream, uint32_t task);

/* All streams are at their first tasks. false: no memory. To be closed in any case. */
bool greedy_open(
	struct greedy_run *run, const struct ordo_schedule *schedule, const uint32_t *partners);
void greedy_close(struct greedy_run *run);
void greedy_resume(struct greedy_run *run, uint32_t stream);
/* Goes on until nobody can. */
void greedy_go(struct greedy_run *run, greedy_step *step, void *closure);

/* The length of the longest chain of tasks up to each task; those that never run count on from the
 * task before in their stream. Of moves only if `moves`: then a Notify or Wait is as deep as what
 * is before it. [ntask], the caller frees it. NULL: no memory. */
uint32_t *find_depths(const struct ordo_schedule *schedule, const uint32_t *partners, bool moves);

#endif
