/* pairing.h - pairs Notify and Wait tasks, and runs a schedule as far as possible. A schedule may
 * break every rule that a reader accepts. */
#ifndef ORDO_TOOLS_VIEW_MODEL_PAIRING_H
#define ORDO_TOOLS_VIEW_MODEL_PAIRING_H

#include <ordo/greedy.h>
#include <ordo/schedule.h>

/* [ntask]: of each Notify its Wait, of each Wait its Notify (the j-th of a signal belong together);
 * ORDO_NONE: a move, or no partner. The caller frees it. Linear. NULL: no memory. */
uint32_t *pair_tasks(const struct ordo_schedule *schedule);

/* A run (greedy.h) in which every Wait takes the token of its own Notify, so that the schedule may
 * break rules. */
struct paired_run {
	struct ordo_greedy greedy;
	uint32_t *signals; /* [ntask] one for each pair: that of its Notify */
};

/* false: no memory. Close it in any case. */
bool open_paired_run(
	struct paired_run *run, const struct ordo_schedule *schedule, const uint32_t *partners);
void close_paired_run(struct paired_run *run);

/* The length of the longest chain of tasks up to each task; tasks that never run continue from the
 * task before in their stream. With `moves` only moves count: a Notify or Wait then has the depth
 * of its predecessors. [ntask], the caller frees it. NULL: no memory. */
uint32_t *find_depths(const struct ordo_schedule *schedule, const uint32_t *partners, bool moves);

#endif
