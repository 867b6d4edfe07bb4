/* random_schedule.h - random programs that do what an operator means, and random schedules made of
 * them. */
#ifndef ORDO_TESTS_RANDOM_SCHEDULE_H
#define ORDO_TESTS_RANDOM_SCHEDULE_H

#include <ordo/schedule.h>

/* One move of a sequential program. */
struct random_step {
	uint32_t rank, target; /* who does it, and where it writes */
	struct ordo_task task;
};

/* Run from top to bottom it does what the problem asks. */
struct random_program {
	struct ordo_problem problem;
	uint32_t scratch_slots;
	struct random_step steps[512];
	uint32_t nstep;
};

struct random_shape {
	uint32_t max_ranks, max_chunks; /* chunks of a block */
	uint32_t max_streams;		/* of a rank */
	bool shards;			/* virtual shards now and then */
	/* leave adds to one slot unordered: sound only if adds are atomic */
	bool atomic_adds;
};

/* Fills the program; the same seed gives the same program. */
void random_program(
	struct random_program *program, const struct random_shape *shape, uint64_t seed);

/* A program's moves on random streams, with Notify and Wait where order matters, and now and then
 * where it does not. Sound. */
struct ordo_schedule *random_schedule(
	const struct random_program *program, const struct random_shape *shape, uint64_t seed);

/* A few tasks with random fields that fit the buffers, on random streams: nearly never sound. */
struct ordo_schedule *random_garbage(const struct random_shape *shape, uint64_t seed);

#endif
