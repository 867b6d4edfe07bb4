/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* programs.h - the programs of a schedule, one rank at a time.
 *
 * A source of programs is a problem and a way to ask for any rank's streams and tasks. Nobody holds
 * more than the program at hand: the tasks of large schedules would not fit into memory, nor into
 * the 32 bits of a task id. Where programs come from: a schedule in memory, or a generator that
 * knows them in closed form (generators.h).
 */
#ifndef ORDO_PROGRAMS_H
#define ORDO_PROGRAMS_H

#include <ordo/schedule.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One rank's program: stream s is tasks[ends[s-1] .. ends[s]), beginning with tasks[0]. */
struct ordo_rank_program {
	const struct ordo_task *tasks;
	uint32_t ntask;
	const uint32_t *ends;
	const char *const *names; /* owned by the source */
	uint32_t nstream;

	/* Private: where a source writes its tasks, kept from rank to rank. {0} at the
	 * beginning. */
	struct {
		struct ordo_task *tasks;
		uint32_t *ends;
		const char **names;
		size_t task_room, end_room, name_room;
	} own;
};

/* Fills `program`, which stays valid until it is filled again or freed. false: see error. A program
 * {0} a thread makes it safe to ask from any number of threads. */
struct ordo_programs;
typedef bool ordo_give_program(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_program *program, struct ordo_error *error);

/* The level of a task that moves data, by which the tasks of all ranks have one order although no
 * rank knows the others' tasks: no stream decreases it, and from the tasks before a Notify to those
 * after its Wait it increases. So tasks of one level on different ranks are unordered, and by
 * ascending level, within one level rank by rank and each rank's in its own order, all tasks are in
 * a linear extension of happens-before. In one level no two tasks access the same memory, unless
 * both only read. */
typedef uint32_t ordo_task_level(const struct ordo_task *task);

struct ordo_programs {
	struct ordo_problem problem; /* passed ordo_problem_check */
	const char *algorithm;
	uint32_t scratch_slots; /* on every rank */
	bool staging;		/* as in a schedule */
	uint32_t nphase;
	const char *const *phases; /* [nphase]; NULL: they have no names */
	ordo_give_program *give;
	const void *closure;
	ordo_task_level *level; /* NULL: unknown, and so is most_chunks */
	uint32_t most_chunks;	/* of one Send or SendReduce of any rank */
};

/* The programs of a schedule, which must outlive them. */
ORDO_API struct ordo_programs ordo_programs_of(const struct ordo_schedule *schedule);
/* All programs in one schedule; phases without names get their numbers. The caller destroys it.
 * NULL: no memory, or too many tasks. */
ORDO_API struct ordo_schedule *ordo_programs_gather(
	const struct ordo_programs *programs, struct ordo_error *error);

/* A task that moves data, and touches the memory of one rank. */
struct ordo_rank_move {
	struct ordo_task task;
	bool receives;	   /* the task is another rank's */
	uint32_t sender;   /* the rank whose task it is */
	uint32_t level;	   /* see ordo_task_level */
	uint32_t position; /* in the sender's program */
};

/* What one rank takes part in, without the other ranks: its own tasks but for Notify and Wait, and
 * the tasks of others that write to it. Ordered by level; in a level its own first, then by sender,
 * and of one sender in its order, so that both ranks of a pair have their messages in one order.
 *
 *   programs   with levels; each rank that sends to another is named in some task of that one
 *   rank       0..nrank-1
 *   moves      [*count], allocated here; the caller frees it with free
 *
 * Takes the time and memory of the programs of the ranks that this one names, one at a time. false:
 * no memory, or the programs have no levels (ORDO_USAGE). */
ORDO_API bool ordo_programs_moves(const struct ordo_programs *programs, uint32_t rank,
	struct ordo_rank_move **moves, uint32_t *count, struct ordo_error *error);

/* For sources that write: begin with `clear`, then streams and their tasks in order. The name must
 * live as long as the source. false: no memory. */
ORDO_API void ordo_rank_program_clear(struct ordo_rank_program *program);
ORDO_API bool ordo_rank_program_stream(
	struct ordo_rank_program *program, const char *name, struct ordo_error *error);
ORDO_API bool ordo_rank_program_append(
	struct ordo_rank_program *program, const struct ordo_task *task, struct ordo_error *error);
ORDO_API void ordo_rank_program_free(struct ordo_rank_program *program);

#ifdef __cplusplus
}
#endif
#endif
