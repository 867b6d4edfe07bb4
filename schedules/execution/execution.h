/* execution.h - running a schedule by its order alone, stream by stream, as far as wanted. Private
 * to schedules/verify/.
 *
 * Every stream goes through its tasks once for each call; step p of a stream of L tasks is task p %
 * L of call p / L. Needs R1..R5; R6 may be broken.
 */
#ifndef ORDO_SCHEDULES_EXECUTION_EXECUTION_H
#define ORDO_SCHEDULES_EXECUTION_EXECUTION_H

#include <ordo/detail/replay.h>

struct course_signal {
	uint32_t from, to, number;
	uint32_t notifier, waiter; /* streams; ORDO_NONE: none */
	uint32_t nnotify, nwait;   /* in one call */
	uint32_t first_notify,
		/* its Notify and Wait in course.notifies and course.waits, in order */
		first_wait;
	uint64_t posted, taken; /* so far */
	uint32_t parked;	/* the waiting stream waits for it: that stream, or ORDO_NONE */
};

struct course {
	const struct ordo_schedule *schedule;
	struct ordo_error *error;
	uint32_t ncall;
	uint32_t *signal_of; /* [ntask] Notify and Wait */
	uint32_t *ordinal;   /* [ntask] of this Notify or Wait in its signal */
	struct course_signal *signals;
	size_t signal_room;
	uint32_t nsignal;
	uint32_t *notifies, *waits; /* tasks, by signal */

	uint32_t *done; /* [nstream] steps taken */
	uint32_t *want; /* [nstream] steps to be taken at most */
	uint32_t *ready, nready;
	uint8_t *is_ready; /* [nstream] */
	/* [nrank] streams of the rank that have not ended the call it is in */
	uint32_t *unfinished;
	uint64_t ndone;
	struct ordo_interleaving *out; /* what is run is written here */
};

/* false: no memory, or R5 is broken (ORDO_USAGE). To be closed in any case. */
bool course_open(struct course *course, const struct ordo_schedule *schedule, uint32_t ncall,
	struct ordo_error *error);
void course_close(struct course *course);
/* Begins again, with nothing done and nothing wanted. */
void course_begin(struct course *course, struct ordo_interleaving *out);

/* Steps of a stream in all calls. */
uint32_t course_length(const struct course *course, uint32_t stream);
/* Wants what must come before that step, and not the step itself. false: it waits for a token that
 * never comes, or there is no memory (course.error tells). */
bool course_want_before(struct course *course, uint32_t stream, uint32_t step);
void course_want_all(struct course *course);
/* Runs as far as wanted and possible. */
bool course_run(struct course *course);
/* Takes the next step of that stream. false: it cannot be taken (ORDO_OK), or there is no
 * memory. */
bool course_step(struct course *course, uint32_t stream);
bool course_is_complete(const struct course *course);

/* The stream and the step of a task of a call. */
struct course_place {
	uint32_t stream, step;
};
struct course_place course_place_of(const struct course *course, uint32_t task, uint32_t call);
/* The Notify whose token a Wait takes; ORDO_NONE: there is none. Within one call. */
uint32_t course_notify_of(const struct course *course, uint32_t wait);

#endif
