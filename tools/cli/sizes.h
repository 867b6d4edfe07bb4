/* sizes.h - how large a run is: from bytes to the elements of a block, and the sizes of a table. */
#ifndef ORDO_TOOLS_CLI_SIZES_H
#define ORDO_TOOLS_CLI_SIZES_H

#include "base/report.h"
#include <ordo/element.h>
#include <ordo/operator.h>

/* Blocks in the larger buffer of a rank. */
uint64_t blocks_of_rank(const struct ordo_problem *problem);
/* The bytes of a size are those of the blocks in the larger buffer of a rank (or in one shard); all
 * blocks have `count` elements. */
uint64_t bytes_of_count(const struct ordo_problem *problem, enum ordo_type type, uint64_t count);
/* The largest count that fits. */
uint64_t count_of_bytes(const struct ordo_problem *problem, enum ordo_type type, uint64_t bytes);
/* Says that a size was cut: "1003 B cut to 1000 B, equally many f64 in each of 5 blocks". */
void note_cut(struct call *call, const struct ordo_problem *problem, enum ordo_type type,
	uint64_t bytes, uint64_t cut);
/* What must be added to one size to have another count. */
uint64_t bytes_of_one(const struct ordo_problem *problem, enum ordo_type type);

/* What makes of the size over the time, algbw, a bandwidth of links whatever the number of ranks,
 * busbw; see table.h. */
double bus_factor(const struct ordo_problem *problem);

/* Memory for the inputs and outputs of all ranks, in bytes. */
double bytes_of_buffers(const struct ordo_problem *problem, enum ordo_type type, uint64_t count);
/* Says so if this machine has not that much. false: call->status. */
bool fits_memory(
	struct call *call, const struct ordo_problem *problem, enum ordo_type type, uint64_t count);

/* begin, then each by `factor` or `step` more than the one before, up to end. */
struct size_range {
	uint64_t begin, end, factor, step; /* UNSET_SIZE: not written */
};
#define UNSET_SIZE UINT64_MAX
/* Fills in what was not written, and refuses what has no end or no sense. false: call->status. */
bool read_size_range(struct call *call, struct size_range *range);
/* false: *size was the last one. */
bool next_size(const struct size_range *range, uint64_t *size);
uint64_t count_sizes(const struct size_range *range);

#endif
