/* pairing.h - which Wait takes the token of which Notify, and how far one run of a schedule gets.
 *
 * Nothing is asked of the schedule but that it was read: it may break every rule.
 */
#ifndef ORDO_TOOLS_VIEW_MODEL_PAIRING_H
#define ORDO_TOOLS_VIEW_MODEL_PAIRING_H

#include <ordo/greedy.h>
#include <ordo/schedule.h>

/* [ntask]: of each Notify its Wait, of each Wait its Notify (the j-th of a signal belong together);
 * ORDO_NONE: a move, or nobody's. The caller frees it. Linear. NULL: no memory. */
uint32_t *pair_tasks(const struct ordo_schedule *schedule);

/* A run (greedy.h) in which every Wait takes the token of its own Notify, so that the schedule may
 * break rules. */
struct paired_run {
	struct ordo_greedy greedy;
	uint32_t *signals; /* [ntask] one for each pair: that of its Notify */
};

/* false: no memory. To be closed in any case. */
bool open_paired_run(
	struct paired_run *run, const struct ordo_schedule *schedule, const uint32_t *partners);
void close_paired_run(struct paired_run *run);

/* The length of the longest chain of tasks up to each task; those that never run count on from the
 * task before in their stream. Of moves only if `moves`: then a Notify or Wait is as deep as what
 * is before it. [ntask], the caller frees it. NULL: no memory. */
uint32_t *find_depths(const struct ordo_schedule *schedule, const uint32_t *partners, bool moves);

#endif
