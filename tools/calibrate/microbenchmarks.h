/* microbenchmarks.h - schedules that are no collectives, but each do one thing over and over, to be
 * measured. */
#ifndef ORDO_TOOLS_CALIBRATE_MICROBENCHMARKS_H
#define ORDO_TOOLS_CALIBRATE_MICROBENCHMARKS_H

#include <ordo/document.h>

/* Every rank moves all of nchunk chunks from its input: to its neighbour's output (Send,
 * SendReduce) or its own (LocalCopy, LocalReduce), one task a chunk, waiting for nobody; `nround`
 * times. NULL: no memory. The caller destroys it. */
struct ordo_schedule *practise_moves(uint32_t nrank, uint32_t nchunk, uint32_t nround,
	enum ordo_task_kind kind, struct ordo_error *error);
/* One chunk goes to and fro between two ranks, `nhop` times in all (even): each hop is a Send, a
 * Notify and a Wait. */
struct ordo_schedule *practise_hops(uint32_t nhop, struct ordo_error *error);

#endif
