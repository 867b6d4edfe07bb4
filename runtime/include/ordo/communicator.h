/* communicator.h - collectives between the ranks of one process, proved when they are created.
 *
 * A collective is a schedule bound to an element type, a reduction and counts. Creating one proves
 * the schedule and derives each output's reduction tree over the inputs. A call evaluates these
 * trees: it folds each output directly from its inputs, in the proved order, without the copies
 * that only separate address spaces need. The bits equal those of the tasks (which detail/plans.h
 * runs as written), with any number of threads.
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

/* Makes a collective: proves the schedule, and derives from the proof what runs.
 *
 *   schedule   of the operator and the number of ranks that are wanted; not needed afterwards
 *   options    type, reduction, count or block_count, alignment; its other members are not looked
 *              at. Not NULL
 *   error      filled if the result is NULL; may be NULL
 *
 * Returns a collective that the caller destroys. Any number of threads, calls and communicators
 * may use it at the same time. NULL: ORDO_REFUTED, the schedule breaks a rule; ORDO_USAGE, the
 * options do not suit it; or ORDO_ENVIRONMENT. Takes the time and memory of a proof, and keeps
 * 32 bytes for each pair of an output chunk and an input that it is made of. */
ORDO_API struct ordo_collective *ordo_collective_create(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error);

/* Frees a collective.
 *
 *   collective   made by ordo_collective_create, and in no call; those of a group belong to the
 *                group. NULL: nothing is done */
ORDO_API void ordo_collective_destroy(struct ordo_collective *collective);

/* The size of the input of one rank.
 *
 *   collective   not NULL
 *   rank         0..nrank-1
 *
 * Returns bytes; 0: the rank needs no input, and it may be NULL. */
ORDO_API uint64_t ordo_collective_input_bytes(
	const struct ordo_collective *collective, uint32_t rank);

/* The size of the output of one rank.
 *
 *   collective   not NULL
 *   rank         0..nrank-1
 *
 * Returns bytes; 0: the rank needs no output, and it may be NULL. */
ORDO_API uint64_t ordo_collective_output_bytes(
	const struct ordo_collective *collective, uint32_t rank);

/* The order digest of the proof: collectives with equal digests give equal bits
 * (detail/compare.h has the exception, for alignments above 1).
 *
 *   collective   not NULL
 *
 * Returns 32 hexadecimal digits, which live as long as the collective; empty if the operator or
 * the type has no order. */
ORDO_API const char *ordo_collective_digest(const struct ordo_collective *collective);

/* Groups: several schedules of one operator, each for a range of sizes. */

struct ordo_group;

/* Makes a group of a plan set, and reads its schedules.
 *
 *   set     read from a path; not needed afterwards
 *   error   filled if the result is NULL; may be NULL
 *
 * Returns a group that the caller destroys. NULL: a schedule is missing or cannot be read
 * (ORDO_BAD_INPUT), or ORDO_ENVIRONMENT. A schedule is proved when it is first needed. */
ORDO_API struct ordo_group *ordo_group_create(
	const struct ordo_plan_set *set, struct ordo_error *error);

/* Makes a group of a plan set whose schedules are in memory, such as those that `ordo embed`
 * compiled in. Reads nothing.
 *
 *   set         not needed afterwards
 *   schedules   [set->nrange] the schedule of each range, NULL where the set names none; the array
 *               is not needed afterwards, but the schedules must outlive the group
 *   error       filled if the result is NULL; may be NULL
 *
 * Returns a group that the caller destroys. NULL: no memory. */
ORDO_API struct ordo_group *ordo_group_of_schedules(const struct ordo_plan_set *set,
	const struct ordo_schedule *const *schedules, struct ordo_error *error);

/* Frees a group and all of its collectives, which are in no call.
 *
 *   group   bound to no communicator any more. NULL: nothing is done */
ORDO_API void ordo_group_destroy(struct ordo_group *group);

/* The collective of a group for these options. It is made when it is first asked for, and kept.
 *
 *   group     any thread may ask
 *   options   as for ordo_collective_create; block_count is compared by content, and not needed
 *             afterwards. The size of the vector chooses the schedule. Not NULL
 *   error     filled if the result is NULL; may be NULL
 *
 * Returns a collective that belongs to the group. NULL: as ordo_collective_create; also
 * ORDO_USAGE, the set has no range for this size. */
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

/* Makes a communicator, and starts its helping threads.
 *
 *   options   nrank must be set; of the others 0 is the default. Not NULL
 *   error     filled if the result is NULL; may be NULL
 *
 * Returns a communicator that the caller destroys. NULL: ORDO_USAGE, no ranks or a depth above
 * 4096; or ORDO_ENVIRONMENT, no memory or no more threads. */
ORDO_API struct ordo_communicator *ordo_communicator_create(
	const struct ordo_communicator_options *options, struct ordo_error *error);

/* Frees a communicator and ends its helping threads.
 *
 *   communicator   no call is in progress. NULL: nothing is done */
ORDO_API void ordo_communicator_destroy(struct ordo_communicator *communicator);

/* A rank's part in a call. The caller owns the buffers, and must not access them until the call is
 * over. They need no alignment, and may be NULL where the rank needs no byte. In place, one memory
 * holds both, and one of the pointers may be NULL: AllReduce, Reduce and Broadcast take either;
 * ReduceScatter, and Scatter at the root, take the input; AllGather, and Gather at the root, take
 * the output; the inner buffer begins at the rank's own block. Otherwise they must not overlap. */
struct ordo_part {
	const struct ordo_collective *collective;
	const void *input; /* only read, unless it is also the output */
	void *output;
	/* how long this rank waits for others; 0: deadline_ms of the communicator */
	uint32_t deadline_ms;
};

/* Runs the part of one rank on the calling thread, and returns when the call is over for it: all
 * ranks have entered, its output is written, and its input is no longer read. (In a call of a
 * few bytes, other ranks may still be reading theirs.)
 *
 *   communicator   not broken
 *   rank           0..nrank-1; one thread at a time acts for a rank
 *   part           the collective and the buffers; not needed afterwards
 *   error          filled if the result is false; may be NULL
 *
 * false: the buffers are as they were. ORDO_USAGE, a rank passed another collective or aborted,
 * or the arguments do not fit; ORDO_ENVIRONMENT, a rank did not enter within the deadline, or
 * the thread has another floating-point mode (float_mode.h). */
ORDO_API bool ordo_communicator_run(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_error *error);

/* Runs the parts of all ranks, on the calling thread and the helping threads.
 *
 *   communicator   not broken; every rank has made the same number of calls before
 *   parts          [nrank] the part of each rank; not needed afterwards
 *   error          filled if the result is false; may be NULL
 *
 * Returns when the call is over. false: as ordo_communicator_run. */
ORDO_API bool ordo_communicator_run_all(struct ordo_communicator *communicator,
	const struct ordo_part *parts, struct ordo_error *error);

/* A call that a rank has started. It is valid until the communicator is reset or destroyed. */
struct ordo_ticket {
	uint32_t rank, epoch;
	uint64_t call;
};
enum ordo_call_state { ORDO_UNDER_WAY, ORDO_OVER, ORDO_FAILED };

/* Starts the part of one rank, and returns at once; but if `depth` calls of the rank are in
 * progress, it waits for the oldest one.
 *
 *   communicator   not broken
 *   rank           0..nrank-1; one thread at a time acts for a rank
 *   part           the collective and the buffers, which are not touched until the call is over;
 *                  the struct is not needed afterwards
 *   ticket         filled, for ordo_communicator_test and ordo_communicator_wait
 *   error          filled if the result is false; may be NULL
 *
 * false: as ordo_communicator_run. The call is over when one of these two says so, and not
 * before. */
ORDO_API bool ordo_communicator_start(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_ticket *ticket, struct ordo_error *error);

/* Says whether a call is over, after doing a little of its work if there is some.
 *
 *   communicator   on which it was started
 *   ticket         of ordo_communicator_start; any thread may use it, one thread a rank at a time
 *   error          filled if the result is ORDO_FAILED; may be NULL
 *
 * ORDO_FAILED: as ordo_communicator_run; or ORDO_USAGE, the ticket is from before a reset. A
 * thread with another floating-point mode is refused, and the call stays in progress. */
ORDO_API enum ordo_call_state ordo_communicator_test(struct ordo_communicator *communicator,
	const struct ordo_ticket *ticket, struct ordo_error *error);

/* Works on a call until it is over.
 *
 *   communicator   on which it was started
 *   ticket         of ordo_communicator_start; any thread may use it, one thread a rank at a time
 *   error          filled if the result is false; may be NULL
 *
 * false: as ordo_communicator_test with ORDO_FAILED. */
ORDO_API bool ordo_communicator_wait(struct ordo_communicator *communicator,
	const struct ordo_ticket *ticket, struct ordo_error *error);

/* Breaks a communicator for a rank that gives up: all calls that have not begun, and all later
 * ones, fail on every rank with this reason.
 *
 *   communicator   any thread may break it, at any time
 *   rank           which gives up
 *   reason         text for the error of all ranks; copied. NULL: "it gave no reason" */
ORDO_API void ordo_communicator_abort(
	struct ordo_communicator *communicator, uint32_t rank, const char *reason);

/* Makes a broken communicator usable again, with all ranks at their first call. Tickets from
 * before are void.
 *
 *   communicator   any thread, and every rank, may call this; if it is not broken, nothing is done
 *   error          filled if the result is false; may be NULL
 *
 * Waits for ranks that are still inside a call. false: one of them is, after the deadline of the
 * communicator (ORDO_USAGE). */
ORDO_API bool ordo_communicator_reset(
	struct ordo_communicator *communicator, struct ordo_error *error);

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

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/communicators.h>
#endif
