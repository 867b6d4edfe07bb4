/* sweep.h - `ordo run --end`: a table in the format of nccl-tests, over sizes, types and
 * reductions.
 *
 * algbw is the size over the time. busbw is algbw times what makes it a bandwidth of links whatever
 * the number of ranks n: AllReduce 2(n-1)/n; ReduceScatter, AllGather, AllToAll, Scatter and Gather
 * (n-1)/n; Broadcast and Reduce 1 (PERFORMANCE.md of nccl-tests).
 */
#ifndef ORDO_TOOLS_RUN_SWEEP_H
#define ORDO_TOOLS_RUN_SWEEP_H

#include "check/execution.h"
#include "cli/sizes.h"
#include "cli/type_op.h"
#include "counts/option.h"
#include "input_set.h"

struct sweep_options {
	struct execution_options execution; /* but for type, reduction and count */
	const struct arithmetics *arithmetics;
	struct size_range sizes; /* read */
	struct counts *counts;	 /* scaled to each size; without the option all is NULL */
	bool csv, unproved;
};

/* Runs, and prints each row when it is complete. Returns the exit code: 1 if any result was
 * wrong. */
int run_table(struct call *call, const struct sweep_options *args, struct subject *subject);

#endif
