/* Internal: for the command and the tests. Exported for one release; may change or go after it. */
/* replay.h - interleavings that show what is wrong: the document `ordo/replay/1`.
 *
 * An interleaving says which stream goes next: runs of (stream, how many tasks). Streams are
 * numbered as they stand in the schedule's document. With several calls a stream goes through its
 * tasks once for each; a rank enters its next call when one of its streams begins it, which none
 * may before all of them have ended the call before, and it leaves a call with the last task of its
 * last stream. How the interleavings are found is written in schedules/verify/witness.c.
 */
#ifndef ORDO_REPLAY_H
#define ORDO_REPLAY_H

#include <ordo/verify.h>

#ifdef __cplusplus
extern "C" {
#endif

/* So many tasks of a stream, one after another. */
struct ordo_run {
	uint32_t stream, count;
};

struct ordo_interleaving {
	struct ordo_run *runs; /* [nrun] */
	uint32_t nrun;
	size_t room;
};

/* A task in one of the calls. */
struct ordo_replay_task {
	uint32_t call;
	uint32_t task; /* id in the schedule */
};

struct ordo_replay {
	char digest[33];  /* of the schedule */
	char shows[8];	  /* "R8", "G2", ... */
	const char *text; /* what was found, for people */
	uint32_t ncall;	  /* back to back */
	struct ordo_replay_task
		tasks[2]; /* the ones to look at: of two, in the order of the first interleaving */
	uint32_t ntask;
	/* the slot they meet in; rank ORDO_NONE: none is named */
	uint32_t memory_rank, memory_slot;
	enum ordo_buffer memory_buffer;
	struct ordo_interleaving interleavings[2]; /* to be compared, if there are two */
	uint32_t ninterleaving;
	struct ordo_arena arena; /* private */
};

/* The digest of all that a schedule does: the problem, streams and tasks, in their order; neither
 * names nor phases. */
ORDO_API bool ordo_schedule_digest(
	const struct ordo_schedule *schedule, char digest[33], struct ordo_error *error);

/* A replay of a finding of `ordo_verify` on this schedule: R6 (tokens left over or missing), R7 (to
 * where nobody can go on), R8 and R9 (two interleavings, with the two accesses in either order),
 * R10 and R11. NULL: ORDO_USAGE if a finding of that rule has no interleaving, for R1..R5, R12 and
 * R13 are about the document itself; or if R5 is broken as well. Linear in tasks. The caller
 * destroys it. */
ORDO_API struct ordo_replay *ordo_replay_of_finding(const struct ordo_schedule *schedule,
	const struct ordo_finding *finding, struct ordo_error *error);
/* Likewise of two reduces in no fixed order (G2): ordo_proof.unordered. */
ORDO_API struct ordo_replay *ordo_replay_of_order(const struct ordo_schedule *schedule,
	const uint32_t tasks[2], const char *text, struct ordo_error *error);
ORDO_API void ordo_replay_destroy(struct ordo_replay *replay); /* takes NULL */

/* Writes the document; "-" is not special. */
ORDO_API bool ordo_replay_write(const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, const char *path, struct ordo_error *error);
ORDO_API bool ordo_replay_print(const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, FILE *out, struct ordo_error *error);
/* Reads one that belongs to the schedule: the digests are equal, and every number is in its range.
 * Whether the steps can be taken, only a run tells. NULL: see error (ORDO_BAD_INPUT, with the
 * place). */
ORDO_API struct ordo_replay *ordo_replay_read(
	const struct ordo_schedule *schedule, const char *path, struct ordo_error *error);
ORDO_API struct ordo_replay *ordo_replay_read_text(const struct ordo_schedule *schedule,
	const char *text, size_t size, const char *name, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
