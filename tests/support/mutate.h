/* mutate.h - schedules with one fault put in on purpose.
 *
 * The table is the whole list; each fault has a function that puts it into an editable copy at one
 * task, or says that it has no place there.
 */
#ifndef ORDO_TESTS_MUTATE_H
#define ORDO_TESTS_MUTATE_H

#include <ordo/schedule.h>

#define FAULTS(X)                                                                                  \
	X(DROP_PAIR, drop_pair, "a Notify and its Wait dropped")                                   \
	X(DROP_NOTIFY, drop_notify, "a Notify dropped")                                            \
	X(DROP_WAIT, drop_wait, "a Wait dropped")                                                  \
	X(DOUBLE_NOTIFY, double_notify, "a Notify given twice: a token left over")                 \
	X(NOTIFY_EARLY, notify_early, "a Notify before the data it announces")                     \
	X(NOTIFY_LATE, notify_late, "a Notify after the next move")                                \
	X(WAIT_EARLY, wait_early, "a Wait before the move it stood after")                         \
	X(WAIT_LATE, wait_late, "a Wait after the move it protects")                               \
	X(WAIT_LAST, wait_last, "a Wait at the end of its stream")                                 \
	X(NOTIFY_FIRST, notify_first, "a Notify at the head of its stream")                        \
	X(NOTIFY_PEER, notify_peer, "an acknowledgement to the wrong neighbour")                   \
	X(WAIT_PEER, wait_peer, "a Wait for the wrong neighbour")                                  \
	X(PAIR_PEER, pair_peer, "a Wait moved to another rank, its Notify after it")               \
	X(SIGNAL_ID, signal_id, "a Notify on another signal")                                      \
	X(TWO_PRODUCERS, two_producers, "a Notify in another stream: two producers")               \
	X(TWO_CONSUMERS, two_consumers, "a Wait in another stream: two consumers")                 \
	X(SEND_PEER, send_peer, "a Send to another rank")                                          \
	X(SOURCE_SLOT, source_slot, "another source slot")                                         \
	X(TARGET_SLOT, target_slot, "another target slot")                                         \
	X(SLICE_SHIFTED, slice_shifted, "a slice cut one chunk off, as by ceil against floor")     \
	X(CHUNK, chunk_id, "another chunk id")                                                     \
	X(COUNT_MORE, count_more, "one chunk too many")                                            \
	X(COUNT_LESS, count_less, "one chunk too few")                                             \
	X(KIND, kind_flipped, "copy instead of reduce or reduce instead of copy")                  \
	X(MOVE_DROPPED, move_dropped, "a move dropped")                                            \
	X(MOVE_DOUBLED, move_doubled, "a move done twice")                                         \
	X(SIDE_ELIDED, side_elided, "a Send and its Notify elided, the Wait left")                 \
	X(SWAPPED, swapped, "two neighbouring tasks swapped")                                      \
	X(SOURCE_BUFFER, source_buffer, "another source buffer")                                   \
	X(TARGET_BUFFER, target_buffer, "another target buffer")                                   \
	X(SOURCE_REUSED, source_reused, "a source overwritten before it was read")                 \
	X(TAIL_MOVED, tail_moved, "the end of a stream moved to another stream")                   \
	X(STREAM_SPLIT, stream_split, "the end of a stream in a stream of its own")                \
	X(ROOT, root_changed, "another root")                                                      \
	X(IN_PLACE, in_place_flipped, "in place and out of place exchanged")                       \
	X(SCRATCH, scratch_reduced, "one scratch slot too few")

enum fault {
#define X(name, function, meaning) FAULT_##name,
	FAULTS(X)
#undef X
		NFAULT
};

const char *fault_meaning(enum fault fault);

/* A copy of the schedule with the fault at a task; choice picks among the ways to put it in there.
 * NULL: it has no place there. Faults of the whole document (root, in place, scratch) have a place
 * at task 0 only. */
struct ordo_schedule *with_fault(
	const struct ordo_schedule *schedule, enum fault fault, uint32_t task, uint64_t choice);

/* The next number of a sequence fixed by its state; the same on every machine. */
uint64_t next_random(uint64_t *state);
/* A number below n (n >= 1). */
uint32_t below(uint64_t *state, uint32_t n);

#endif
