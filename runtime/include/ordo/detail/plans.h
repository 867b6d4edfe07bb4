/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* plans.h - runs the tasks of schedules on buffers.
 *
 * A plan is a schedule bound to an element type, a reduction, counts and buffers: bind once, run
 * many times. A run allocates nothing, takes no lock and prints nothing. The bits of the result are
 * the same with every compiler, CPU, number of threads and transport.
 * */
#ifndef ORDO_PLANS_H
#define ORDO_PLANS_H

#include <ordo/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_plan;

/* Creates a plan, and allocates its scratch. The schedule must outlive the plan and should have
 * been verified: an unproved one may fail, deadlock (an error) or give wrong data, but never
 * accesses memory outside the bound buffers. Threads that create or run a plan must compute floats
 * in the standard mode (float_mode.h), or get an error. NULL: see error. The caller destroys it. */
ORDO_API struct ordo_plan *ordo_plan_create(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error);
ORDO_API void ordo_plan_destroy(struct ordo_plan *plan); /* takes NULL; no run may be in progress */

/* The sizes of a rank's buffers. */
ORDO_API uint64_t ordo_plan_input_bytes(const struct ordo_plan *plan, uint32_t rank);
ORDO_API uint64_t ordo_plan_output_bytes(const struct ordo_plan *plan, uint32_t rank);
/* Bytes of scratch that the plan holds for each rank. */
ORDO_API uint64_t ordo_plan_scratch_bytes(const struct ordo_plan *plan);
/* The rounds of one run: 1, unless chunks are too long for tile_bytes or staging_bytes. */
ORDO_API uint64_t ordo_plan_rounds(const struct ordo_plan *plan);

/* Binds one rank's buffers, which the caller owns; they need no alignment, and may be NULL where
 * the rank needs no byte. Out of place they must not overlap. In place, one memory holds both, and
 * one of the pointers may be NULL: AllReduce, Reduce and Broadcast take either; ReduceScatter, and
 * Scatter at the root, take the input; AllGather, and Gather at the root, take the output; the
 * inner buffer begins at the rank's own block. Not while that rank runs; may be called again
 * between runs. */
ORDO_API bool ordo_plan_bind(
	struct ordo_plan *plan, uint32_t rank, void *input, void *output, struct ordo_error *error);

/* Runs the part of one rank on the calling thread, and returns when the rank may use its buffers
 * again. All ranks must call, each on its own thread, in any order and at any time; the next call
 * may follow at once, without a barrier.
 *
 * A deadlock is an error that names who waits for whom: at once if all ranks are inside, otherwise
 * after watchdog_ms without progress (so ranks must not enter further apart than that). Every rank
 * that is not complete gets the error after all ranks have stopped, so no memory is accessed any
 * more. From then on the plan can only be destroyed; every other call fails with the same error. */
ORDO_API bool ordo_plan_run_rank(struct ordo_plan *plan, uint32_t rank, struct ordo_error *error);

/* Runs all ranks once on nworker threads, the caller's among them, which multiplex the streams of
 * all ranks (0: one thread per rank). The first such run starts the threads, and later runs reuse
 * them, until a run needs another number or the plan is destroyed. A deadlock is an error at once.
 * One run at a time. */
ORDO_API bool ordo_plan_run_threads(
	struct ordo_plan *plan, uint32_t nworker, struct ordo_error *error);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API struct ordo_plan *ordo_plan_create_sized(size_t size, const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error);
#define ordo_plan_create(...) ordo_plan_create_sized(sizeof(struct ordo_plan_options), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
