/* rig.h - buffers around a plan: filled, run and compared with what the operator means. */
#ifndef RIG_H
#define RIG_H

#include <ordo/runtime.h>

struct rig {
	const struct ordo_schedule *schedule;
	struct ordo_plan_options options;
	struct ordo_plan *plan;
	uint64_t *block_begin;		   /* [nblock + 1] in elements */
	unsigned char **inputs, **outputs; /* [nrank]; in place they point into `wholes` */
	unsigned char **wholes;		   /* [nrank] what was allocated */
};

/* How a run is driven. */
enum drive { BY_SEED, BY_RANK_THREADS, BY_1_WORKER, BY_2_WORKERS, BY_3_WORKERS };
#define NDRIVE 5

/* Makes and binds a plan with buffers of exactly the size it asks for. Fails the test if that does
 * not work.
 */
struct rig rig_create(const struct ordo_schedule *schedule, struct ordo_plan_options options);
void rig_destroy(struct rig *rig);

/* What element i of a rank's input is in a call: 0..7, so that sums of 32 ranks are exact in every
 * type. */
int rig_value(uint32_t rank, uint64_t i, uint32_t call);
/* Writes the inputs of a rank and spoils its output. */
void rig_fill(const struct rig *rig, uint32_t rank, uint32_t call);
/* Is the output of a rank what the operator means? From any thread. If not, *element is the first
 * that is wrong. */
bool rig_is_right(const struct rig *rig, uint32_t rank, uint32_t call, uint64_t *element);
/* Fills, runs, checks all ranks. */
void rig_run(const struct rig *rig, enum drive drive, uint64_t seed, uint32_t call);
/* Runs it by the collective that is derived from its proof, on what the inputs have. */
void rig_run_folded(const struct rig *rig);

bool run_plan(struct ordo_plan *plan, enum drive drive, uint64_t seed, struct ordo_error *error);

#endif
