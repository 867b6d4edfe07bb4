/* communicator.h - collectives between the ranks of one process, proved when they are created.
 *
 * A collective is a schedule bound to an element type, a reduction and counts. Creating one proves
 * the schedule and derives each output's reduction tree over the inputs. A call evaluates these
 * trees: it folds each output directly from its inputs, in the proved order, without the copies
 * that only separate address spaces need. The bits equal those of the tasks (which runtime.h runs
 * as written), with any number of threads.
 *
 * A communicator joins N ranks. Each rank calls on a thread of its own, as with NCCL or MPI; or one
 * thread starts the calls of several ranks and waits for them; or one call acts for all ranks.
 * Threads that wait also work; helper threads are optional. The k-th calls of all ranks form one
 * collective call, so all ranks must make the same calls in the same order; several may be in
 * progress.
 *
 * A call accesses no buffer before every rank has entered it with the same collective, and then it
 * runs to its end. So a failed call (a rank did not enter in time, passed another collective, or
 * aborted) has changed nothing. The first failure breaks the communicator: every rank gets the same
 * error, which names the rank at fault, until ordo_communicator_reset.
 */
#ifndef ORDO_COMMUNICATOR_H
#define ORDO_COMMUNICATOR_H

#include <ordo/plan_set.h>
#include <ordo/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collectives are immutable: any number of threads, calls and communicators may use one at the same
 * time. */

struct ordo_collective;

/* Proves the schedule and derives the reduction trees. Uses only count, block_count, alignment,
 * type and reduction of the options. The schedule is not needed afterwards. Time and memory: those
 * of a proof, plus 32 bytes for each pair of an output chunk and one of its inputs. NULL:
 * ORDO_REFUTED, the schedule breaks a rule; or another error. The caller destroys it. */
ORDO_API struct ordo_collective *ordo_collective_create(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error);
/* takes NULL; no call may use it */
ORDO_API void ordo_collective_destroy(struct ordo_collective *collective);

ORDO_API const struct ordo_problem *ordo_collective_problem(
	const struct ordo_collective *collective);
ORDO_API enum ordo_type ordo_collective_type(const struct ordo_collective *collective);
ORDO_API enum ordo_reduction ordo_collective_reduction(const struct ordo_collective *collective);
/* The sizes of a rank's buffers. */
ORDO_API uint64_t ordo_collective_input_bytes(
	const struct ordo_collective *collective, uint32_t rank);
ORDO_API uint64_t ordo_collective_output_bytes(
	const struct ordo_collective *collective, uint32_t rank);
/* The order digest of the proof: equal digests, equal bits (but see compare.h for alignments
 * above 1). Empty if the operator or the type has no order. */
ORDO_API const char *ordo_collective_digest(const struct ordo_collective *collective);

/* Groups: several schedules of one operator, each for a range of sizes. */

struct ordo_group;

/* A plan set read from a path, or one schedule for all sizes. The set is not needed afterwards, the
 * schedule must outlive the group. The caller destroys it. NULL: see error. */
ORDO_API struct ordo_group *ordo_group_create(
	const struct ordo_plan_set *set, struct ordo_error *error);
/* A plan set and the schedule of each of its ranges: schedules[nrange], which must outlive the
 * group. Reads no file, so the schedules may be compiled in by `ordo embed`. */
ORDO_API struct ordo_group *ordo_group_of_schedules(const struct ordo_plan_set *set,
	const struct ordo_schedule *const *schedules, struct ordo_error *error);
ORDO_API struct ordo_group *ordo_group_of_schedule(
	const struct ordo_schedule *schedule, struct ordo_error *error);
/* takes NULL; destroys its collectives too */
ORDO_API void ordo_group_destroy(struct ordo_group *group);
/* The collective for these options. Created on first use, kept until the group is destroyed, and
 * shared by all callers (block_count is compared by content). Any thread. NULL: see error. */
ORDO_API const struct ordo_collective *ordo_group_collective(struct ordo_group *group,
	const struct ordo_plan_options *options, struct ordo_error *error);

/* Communicators. */

struct ordo_communicator_options {
	uint32_t nrank;
	/* helper threads that work beside the callers, until the communicator is destroyed */
	uint32_t nhelper;
	uint32_t deadline_ms; /* a call fails after waiting so long for a rank; 0 = 10,000 */
	uint32_t depth;	      /* calls of a rank that may be in progress; 0 = 16 */
	/* collectives kept for calls by name (collectives.h); 0 = 64 */
	uint32_t nkept;
};

struct ordo_communicator;

/* The caller destroys it when no call is in progress. NULL: see error. */
ORDO_API struct ordo_communicator *ordo_communicator_create(
	const struct ordo_communicator_options *options, struct ordo_error *error);
ORDO_API void ordo_communicator_destroy(struct ordo_communicator *communicator); /* takes NULL */

/* A rank's part in a call. Buffers as for ordo_plan_bind: owned by the caller, of any alignment, in
 * place or not; the caller must not access them until the call is over. */
struct ordo_part {
	const struct ordo_collective *collective;
	const void *input; /* only read, unless it is also the output */
	void *output;
	/* how long this rank waits for others; 0: deadline_ms of the communicator */
	uint32_t deadline_ms;
};

/* Runs the part of one rank on the calling thread and returns when the call is over for this rank:
 * all ranks have entered, its output is written and its input is no longer read. (In a call of a
 * few bytes, other ranks may still be reading theirs.) false: see error; the buffers are
 * unchanged. */
ORDO_API bool ordo_communicator_run(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_error *error);
/* Runs the parts of all ranks: parts[nrank]. All ranks must have made equally many calls before. */
ORDO_API bool ordo_communicator_run_all(struct ordo_communicator *communicator,
	const struct ordo_part *parts, struct ordo_error *error);

/* The same without blocking. Start returns at once, unless `depth` calls of the rank are in
 * progress (then it waits for the oldest one). Any thread may use the ticket, until the
 * communicator is reset or destroyed; outputs are complete when the call is over. Test runs a small
 * piece of work, if there is any, and returns the state of the call; wait returns when it is over.
 * One thread per rank at a time. Both refuse a thread whose floating-point mode changes bits
 * (float_mode.h), and the call stays in progress. */
struct ordo_ticket {
	uint32_t rank, epoch;
	uint64_t call;
};
enum ordo_call_state { ORDO_UNDER_WAY, ORDO_OVER, ORDO_FAILED };
ORDO_API bool ordo_communicator_start(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_ticket *ticket, struct ordo_error *error);
ORDO_API enum ordo_call_state ordo_communicator_test(struct ordo_communicator *communicator,
	const struct ordo_ticket *ticket, struct ordo_error *error);
ORDO_API bool ordo_communicator_wait(struct ordo_communicator *communicator,
	const struct ordo_ticket *ticket, struct ordo_error *error);

/* Aborts on behalf of a rank: all calls that have not begun, and all later ones, fail on every rank
 * with this reason (NULL: none). Any thread. */
ORDO_API void ordo_communicator_abort(
	struct ordo_communicator *communicator, uint32_t rank, const char *reason);
/* Makes a broken communicator usable again, with all ranks at their first call; earlier tickets are
 * void. Waits at most deadline_ms for ranks that are still inside a call; false: one still is. Does
 * nothing if the communicator is not broken, so every rank may call it. */
ORDO_API bool ordo_communicator_reset(
	struct ordo_communicator *communicator, struct ordo_error *error);

/* Calls visit(closure, rank) once for every rank, on the caller's thread and the helpers'. Each
 * thread visits the same contiguous ranks every time, so this is where to write their buffers first
 * (first touch) and to work on them between calls. Returns when all visits have returned. No call
 * may be in progress. */
ORDO_API void ordo_communicator_visit(struct ordo_communicator *communicator,
	void (*visit)(void *closure, uint32_t rank), void *closure);

/* The calls above pass the size of the options that they are compiled with, so that options can
 * grow (version.h). */
ORDO_API struct ordo_collective *ordo_collective_create_sized(size_t size,
	const struct ordo_schedule *schedule, const struct ordo_plan_options *options,
	struct ordo_error *error);
ORDO_API const struct ordo_collective *ordo_group_collective_sized(size_t size,
	struct ordo_group *group, const struct ordo_plan_options *options,
	struct ordo_error *error);
ORDO_API struct ordo_communicator *ordo_communicator_create_sized(
	size_t size, const struct ordo_communicator_options *options, struct ordo_error *error);
ORDO_API bool ordo_communicator_run_sized(size_t size, struct ordo_communicator *communicator,
	uint32_t rank, const struct ordo_part *part, struct ordo_error *error);
ORDO_API bool ordo_communicator_run_all_sized(size_t size, struct ordo_communicator *communicator,
	const struct ordo_part *parts, struct ordo_error *error);
ORDO_API bool ordo_communicator_start_sized(size_t size, struct ordo_communicator *communicator,
	uint32_t rank, const struct ordo_part *part, struct ordo_ticket *ticket,
	struct ordo_error *error);
#define ordo_collective_create(...)                                                                \
	ordo_collective_create_sized(sizeof(struct ordo_plan_options), __VA_ARGS__)
#define ordo_group_collective(...)                                                                 \
	ordo_group_collective_sized(sizeof(struct ordo_plan_options), __VA_ARGS__)
#define ordo_communicator_create(...)                                                              \
	ordo_communicator_create_sized(sizeof(struct ordo_communicator_options), __VA_ARGS__)
#define ordo_communicator_run(...)                                                                 \
	ordo_communicator_run_sized(sizeof(struct ordo_part), __VA_ARGS__)
#define ordo_communicator_run_all(...)                                                             \
	ordo_communicator_run_all_sized(sizeof(struct ordo_part), __VA_ARGS__)
#define ordo_communicator_start(...)                                                               \
	ordo_communicator_start_sized(sizeof(struct ordo_part), __VA_ARGS__)

#ifdef __cplusplus
}
#endif
#endif
