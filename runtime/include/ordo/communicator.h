/* communicator.h - collectives between the ranks of one process: proved when they are made, then as
 * fast as their bytes allow.
 *
 * A collective is a schedule bound to an element type, a reduction and counts. Making one proves
 * the schedule, and what the proof says (which tree of which inputs each output is) is what runs:
 * an output is folded straight from the inputs it is made of, in the proved order, so no copy is
 * made that only another address space would need. The bits are those of the tasks (runtime.h runs
 * them as they are written), with any number of threads.
 *
 * A communicator joins N ranks. Each rank calls on a thread of its own, as with NCCL or MPI; or one
 * thread starts the calls of several ranks and waits for them; or one call drives them all. Whoever
 * waits works: threads of the library help only if wanted. The k-th call of every rank is one call,
 * so all ranks make the same calls in the same order; several may be under way.
 *
 * Nothing of a call's buffers is touched before every rank has come with the same collective, and
 * then the call runs to its end. So a call that fails (a rank that does not come in time, comes
 * with something else, or aborts) has changed nothing. The first failure breaks the communicator:
 * every rank gets the same error, which names who was at fault, until ordo_communicator_reset.
 */
#ifndef ORDO_COMMUNICATOR_H
#define ORDO_COMMUNICATOR_H

#include <ordo/plan_set.h>
#include <ordo/runtime.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Collectives: read-only once made, so any number of threads, calls and communicators may use one
 * at the same time. */

struct ordo_collective;

/* Proves the schedule and derives what runs. Only count, block_count, alignment, type and reduction
 * of the options are looked at. The schedule is not needed afterwards. Time and memory: as a proof,
 * plus 32 bytes for each pair of an output chunk and an input it is made of. NULL: ORDO_REFUTED,
 * the schedule breaks a rule; or another error. The caller destroys it. */
ORDO_API struct ordo_collective *ordo_collective_create(const struct ordo_schedule *schedule,
	const struct ordo_plan_options *options, struct ordo_error *error);
/* takes NULL; in no call */
ORDO_API void ordo_collective_destroy(struct ordo_collective *collective);

ORDO_API const struct ordo_problem *ordo_collective_problem(
	const struct ordo_collective *collective);
ORDO_API enum ordo_type ordo_collective_type(const struct ordo_collective *collective);
ORDO_API enum ordo_reduction ordo_collective_reduction(const struct ordo_collective *collective);
/* How large a rank's buffers must be. */
ORDO_API uint64_t ordo_collective_input_bytes(
	const struct ordo_collective *collective, uint32_t rank);
ORDO_API uint64_t ordo_collective_output_bytes(
	const struct ordo_collective *collective, uint32_t rank);
/* The order digest of the proof: equal digests, equal bits (but see compare.h for alignments
 * above 1). Empty if the operator or the type has no order. */
ORDO_API const char *ordo_collective_digest(const struct ordo_collective *collective);

/* Groups: one collective operation in several schedules, each for the sizes it is best at. */

struct ordo_group;

/* A plan set read from a path, or one schedule for all sizes. The set is not needed afterwards, the
 * schedule must outlive the group. The caller destroys it. NULL: see error. */
ORDO_API struct ordo_group *ordo_group_create(
	const struct ordo_plan_set *set, struct ordo_error *error);
/* A plan set and the schedule of each of its ranges: schedules[nrange], which must outlive the
 * group and may be those that `ordo embed` compiled in: this reads nothing. */
ORDO_API struct ordo_group *ordo_group_of_schedules(const struct ordo_plan_set *set,
	const struct ordo_schedule *const *schedules, struct ordo_error *error);
ORDO_API struct ordo_group *ordo_group_of_schedule(
	const struct ordo_schedule *schedule, struct ordo_error *error);
/* takes NULL; and all its collectives */
ORDO_API void ordo_group_destroy(struct ordo_group *group);
/* The collective for these options: made when it is asked for first, kept until the group is
 * destroyed, and the same for all who ask (block_count: compared by content). Any thread. NULL: see
 * error. */
ORDO_API const struct ordo_collective *ordo_group_collective(struct ordo_group *group,
	const struct ordo_plan_options *options, struct ordo_error *error);

/* Communicators. */

struct ordo_communicator_options {
	uint32_t nrank;
	/* threads of the library that work beside the callers, kept until it is destroyed */
	uint32_t nhelper;
	uint32_t deadline_ms; /* a call in which a rank is missing for so long fails; 0 = 10,000 */
	uint32_t depth;	      /* calls of a rank that may be under way; 0 = 16 */
	/* collectives that calls by name keep ready (collectives.h); 0 = 64 */
	uint32_t nkept;
};

struct ordo_communicator;

/* The caller destroys it, when no call is under way. NULL: see error. */
ORDO_API struct ordo_communicator *ordo_communicator_create(
	const struct ordo_communicator_options *options, struct ordo_error *error);
ORDO_API void ordo_communicator_destroy(struct ordo_communicator *communicator); /* takes NULL */

/* A rank's part in a call. Buffers as for ordo_plan_bind: the caller's, not aligned, in place or
 * not; they are not to be touched until the call is over. */
struct ordo_part {
	const struct ordo_collective *collective;
	const void *input; /* only read, unless it is also the output */
	void *output;
	/* how long this rank waits for others; 0: as long as the communicator says */
	uint32_t deadline_ms;
};

/* Runs the part of one rank on the calling thread and returns when the call is over for it: all
 * ranks have come, its output is written and its input is no longer read. (Other ranks may still be
 * about to read theirs, if the call is one of a few bytes.) false: see error; the buffers are as
 * they were. */
ORDO_API bool ordo_communicator_run(struct ordo_communicator *communicator, uint32_t rank,
	const struct ordo_part *part, struct ordo_error *error);
/* Runs the parts of all ranks: parts[nrank]. All ranks must have made the same number of calls
 * before. */
ORDO_API bool ordo_communicator_run_all(struct ordo_communicator *communicator,
	const struct ordo_part *parts, struct ordo_error *error);

/* The same without waiting. Start returns at once, unless `depth` calls of the rank are under way
 * (then it waits for the oldest one). The ticket is good for any thread, until the communicator is
 * reset or destroyed; outputs are there when it says that the call is over. Test works a little, if
 * there is something to do, and says whether the call is over; wait returns when it is. One thread
 * a rank at a time. Both refuse a thread whose floating-point mode changes bits (float_mode.h), and
 * the call stays under way. */
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

/* A rank gives up: all calls that have not begun, and all later ones, fail with its reason on every
 * rank. Any thread. */
ORDO_API void ordo_communicator_abort(
	struct ordo_communicator *communicator, uint32_t rank, const char *reason);
/* Makes a broken communicator usable again, with all ranks at their first call; tickets from before
 * are void. Waits for ranks that are still inside a call, at most for the deadline. Does nothing if
 * it is not broken, so every rank may call it. */
ORDO_API bool ordo_communicator_reset(
	struct ordo_communicator *communicator, struct ordo_error *error);

/* Calls visit(closure, rank) once for every rank, on the caller's and the helpers' threads, a
 * thread having neighbouring ranks and the same ones each time: where their buffers are best
 * written first, or worked on between calls. Returns when all have returned. Not while a call is
 * under way. */
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
