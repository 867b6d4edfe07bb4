/* runtime.h - runs schedules on buffers.
 *
 * Bind once, run many times: a plan is a schedule bound to an element type, a reduction, counts and
 * buffers. After binding, a run allocates nothing, takes no lock and prints nothing. The bits of
 * the result are the same with every compiler, CPU, number of threads and transport.
 */
#ifndef ORDO_RUNTIME_H
#define ORDO_RUNTIME_H

#include <ordo/element.h>
#include <ordo/float_mode.h>
#include <ordo/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

struct ordo_plan_options {
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint64_t count; /* elements of each block (AllReduce: of the vector) */
	/* [nblock] elements of each block, instead of count: the V operators; NULL */
	const uint64_t *block_count;
	/* of chunk boundaries in their block, in elements; 0 = 1. See compare.h */
	uint64_t alignment;
	/* ordo_plan_run_rank: a call in which nothing moved for so long is stuck; 0 = 10,000 */
	uint32_t watchdog_ms;
	/* longer chunks are moved in rounds of at most so many bytes a chunk; 0 = chosen,
	 * UINT64_MAX = never */
	uint64_t tile_bytes;
};

struct ordo_plan;

/* Makes a plan; scratch is allocated here. The schedule must outlive the plan and should have been
 * verified: an unproved one may fail, be stuck (an error) or give wrong data, but never touches
 * memory outside the bound buffers. Every thread
 * that makes or runs a plan must compute floats in the standard mode (float_mode.h), or gets an
 * error. NULL: error. The caller destroys it. */
ORDO_API struct ordo_plan *ordo_plan_create(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error);
ORDO_API void ordo_plan_destroy(struct ordo_plan *plan); /* takes NULL; no run may be under way */

/* How large a rank's buffers must be. */
ORDO_API uint64_t ordo_plan_input_bytes(const struct ordo_plan *plan, uint32_t rank);
ORDO_API uint64_t ordo_plan_output_bytes(const struct ordo_plan *plan, uint32_t rank);
/* How much scratch the plan itself holds for each rank. */
ORDO_API uint64_t ordo_plan_scratch_bytes(const struct ordo_plan *plan);

/* Binds one rank's buffers; they stay the caller's, need no alignment, and may be NULL where no
 * byte is needed. Out of place they must not overlap. In place, input and output name one memory,
 * and the other may be NULL: AllReduce, Reduce and Broadcast take either; ReduceScatter and Scatter
 * at the root take the input, AllGather and Gather at the root take the output, and the inner
 * buffer begins at the rank's own block. Must not be called while that rank runs; may be called
 * again between runs. */
ORDO_API bool ordo_plan_bind(
	struct ordo_plan *plan, uint32_t rank, void *input, void *output, struct ordo_error *error);

/* Runs the part of one rank, on the calling thread, and returns when the rank may use its buffers
 * again: the embedding call. All ranks must be called, each on its own thread, in any order and at
 * any time; the next call may follow at once, with no barrier.
 *
 * A run that is stuck is an error that says who waits for whom: at once if all ranks are inside,
 * otherwise when nothing moved for watchdog_ms (so ranks must not enter further apart than that).
 * The error is returned to every rank that is not complete, after all have stopped: nobody touches
 * anybody's memory any more. From then on the plan only can be destroyed; every other call fails
 * with the same error. */
ORDO_API bool ordo_plan_run_rank(struct ordo_plan *plan, uint32_t rank, struct ordo_error *error);

/* Runs all ranks once on nworker threads, the calling one among them (0: one thread a rank),
 * workers multiplexing the streams of all ranks. The threads are started by the first such run and
 * kept for the next ones, until a run asks for another number or the plan is destroyed. A stuck run
 * is an error at once. One run at a time. */
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
/* What was declared here and is internal now, for one release. */
#include <ordo/detail/interpreter.h>

#endif
