/* microbenchmarks.h - schedules that are no collectives, but repeat one kind of task, to be
 * measured. */
#ifndef ORDO_TOOLS_CALIBRATE_MICROBENCHMARKS_H
#define ORDO_TOOLS_CALIBRATE_MICROBENCHMARKS_H

#include <ordo/document.h>

/* Every rank moves nchunk chunks from its input to its neighbour's output (Send, SendReduce) or its
 * own (LocalCopy, LocalReduce), one task per chunk, without waiting; `nround` times. NULL: no
 * memory. The caller destroys it. */
struct ordo_schedule *make_moves_benchmark(uint32_t nrank, uint32_t nchunk, uint32_t nround,
	enum ordo_task_kind kind, struct ordo_error *error);
/* A ping-pong: one chunk goes back and forth between two ranks, `nhop` hops in all (even); each hop
 * is a Send, a Notify and a Wait. */
struct ordo_schedule *make_pingpong(uint32_t nhop, struct ordo_error *error);

#endif
