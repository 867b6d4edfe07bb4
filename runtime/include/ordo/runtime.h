/* runtime.h - what a schedule is bound to before it runs: a type, a reduction and counts.
 *
 * communicator.h runs it, and detail/plans.h runs its tasks one by one. The bits of the result are
 * the same with every compiler, CPU, number of threads and transport.
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
	/* [nblock] elements of each block, instead of count (the V operators); or NULL */
	const uint64_t *block_count;
	/* chunk boundaries are multiples of so many elements in their block; 0 = 1. See
	 * detail/compare.h */
	uint64_t alignment;
	/* plans (detail/plans.h): a call without progress for so long fails; 0 = 10,000 */
	uint32_t watchdog_ms;
	/* longer chunks are moved in rounds of at most so many bytes per chunk; 0 = chosen by the
	 * library, UINT64_MAX = always whole */
	uint64_t tile_bytes;
	/* Of a schedule with staging: a rank has so many bytes of staging memory, its scratch.
	 * Longer chunks are moved in rounds, each of the part of every chunk that its slots hold,
	 * so every element stays in its chunk and has the same bits. At least 64 bytes a slot
	 * (ORDO_USAGE). Not together with tile_bytes; a collective, which runs no tasks, has no
	 * scratch. 0: no limit */
	uint64_t staging_bytes;
	/* Plans: a rank begins a round in the streams that have ended the one before, while other
	 * streams of it are still there. Scratch is two banks, used by turns: staging_bytes hold
	 * both, or else there is twice as much. The bits are the same */
	bool overlapping_rounds;
};

#ifdef __cplusplus
}
#endif
#endif

/* Internal functions, declared here for one release; <ordo/ordo.h> leaves them out. */
#ifndef ORDO_EMBEDDER
#include <ordo/detail/interpreter.h>
#include <ordo/detail/plans.h>
#endif
