/* rehearsal.h - an interleaving carried out on buffers of its own, and what came of it.
 *
 * Every call has inputs of its own: a rank's caller fills them, and spoils outputs, when the rank
 * enters, and takes the outputs away when it leaves. So what is written too early or too late is
 * missed or found, as it would be by a program.
 */
#ifndef ORDO_TOOLS_REHEARSAL_H
#define ORDO_TOOLS_REHEARSAL_H

#include "buffers.h"
#include "check.h"
#include <ordo/detail/replay.h>

enum { ELEMENT_SIZE = 8 };

/* A task of the replay, as it ran. The values are the first element of the slot looked at. */
struct sight {
	uint64_t step; /* how many tasks ran before it; UINT64_MAX: it did not run */
	unsigned char before[ELEMENT_SIZE], after[ELEMENT_SIZE];
};

/* An element of an output of a call, and what it is in one interleaving and in the other, or should
 * be. */
struct odd_element {
	uint64_t count; /* of such elements; 0: there is none, and nothing else is valid */
	uint32_t call, rank, slot;
	uint64_t element; /* of the slot */
	unsigned char values[2][ELEMENT_SIZE];
};

struct rehearsal {
	bool completed;
	struct ordo_error error; /* if not */
	uint64_t nstep;
	struct sight sights[2]; /* of replay.tasks */
	/* first; the values are what was found and what the operator means, float sums without
	 * rounding */
	struct odd_element wrong;
	struct {
		uint32_t nsignal;		   /* that still have tokens */
		uint32_t from, to, number, ntoken; /* the first */
	} left_over;
	/* with a trace of all calls, and without buffers; NULL: none could be made */
	struct ordo_plan *plan;
	unsigned char *outputs; /* of all calls and ranks, as they left */
	uint64_t size;
};

/* The type of the values seen: scratch may hold another than that of the run. */
enum ordo_type sight_type(const struct ordo_schedule *schedule, const struct ordo_replay *replay,
	enum ordo_type type);

/* Carries out interleaving `which`. count: elements of each block. A run that stops on the way is
 * no error but not `completed`. false: no memory, or no plan can be made. To be closed in any
 * case. */
bool rehearse(struct rehearsal *rehearsal, const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, uint32_t which, const struct values *values,
	uint64_t count, struct ordo_error *error);
void close_rehearsal(struct rehearsal *rehearsal);

/* Where the outputs of two complete rehearsals differ. */
struct odd_element compare_rehearsals(const struct ordo_schedule *schedule,
	const struct ordo_replay *replay, const struct rehearsal rehearsals[2],
	const struct values *values, uint64_t count);

#endif
