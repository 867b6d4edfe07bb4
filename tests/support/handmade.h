/* handmade.h - schedules written by hand, for tests that want no compiler. */
#ifndef ORDO_TESTS_HANDMADE_H
#define ORDO_TESTS_HANDMADE_H

#include <ordo/schedule.h>

/* Builds a schedule from lines, each `rank R` (begins a stream) or a task in the form of
 * ordo_task_print: `Wait 1 signal 0`, `LocalCopy chunks 0..1 input 0 -> output 0`, `Send 1 chunk 0
 * input 0 -> scratch 0`. Aborts on anything else. */
struct ordo_schedule *handmade(
	const struct ordo_problem *problem, uint32_t scratch_slots, const char *lines);

/* AllReduce round the ring of nrank ranks, one stream a rank, sound; out of place it begins with a
 * LocalCopy.
 */
struct ordo_schedule *handmade_ring(uint32_t nrank, bool in_place);
/* Broadcast of K chunks down a chain from the root, the scratch slot in between used again for each
 * chunk, sound. */
struct ordo_schedule *handmade_chain(uint32_t nrank, uint32_t root, uint32_t chunks);

#endif
