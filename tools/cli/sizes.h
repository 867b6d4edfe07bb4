/* sizes.h - sizes: from bytes to the elements of a block, and the sizes of a table. */
#ifndef ORDO_TOOLS_CLI_SIZES_H
#define ORDO_TOOLS_CLI_SIZES_H

#include "base/report.h"
#include <ordo/element.h>
#include <ordo/operator.h>

/* Blocks in the larger buffer of a rank. */
uint64_t blocks_of_rank(const struct ordo_problem *problem);
/* A size in bytes counts the blocks in the larger buffer of a rank (or in one shard); all blocks
 * have `count` elements. */
uint64_t bytes_of_count(const struct ordo_problem *problem, enum ordo_type type, uint64_t count);
/* The largest count that fits. */
uint64_t count_of_bytes(const struct ordo_problem *problem, enum ordo_type type, uint64_t bytes);
/* Prints a note if a size was rounded down: "1003 B cut to 1000 B, equally many f64 in each of 5
 * blocks". */
void note_cut(struct call *call, const struct ordo_problem *problem, enum ordo_type type,
	uint64_t bytes, uint64_t cut);
/* The bytes by which a size grows with each element of a block. */
uint64_t bytes_of_one(const struct ordo_problem *problem, enum ordo_type type);

/* The factor from algbw (size over time) to busbw, a bandwidth of links that does not depend on the
 * number of ranks; see table.h. */
double bus_factor(const struct ordo_problem *problem);

/* Memory for the inputs and outputs of all ranks, in bytes. */
double bytes_of_buffers(const struct ordo_problem *problem, enum ordo_type type, uint64_t count);
/* Reports sizes that exceed the memory of this machine. false: call->status. */
bool fits_memory(
	struct call *call, const struct ordo_problem *problem, enum ordo_type type, uint64_t count);
/* The same of buffers that need so many bytes, with blocks of up to `count` elements. */
bool bytes_fit_memory(
	struct call *call, const struct ordo_problem *problem, uint64_t count, double needed);

/* begin, then each size `factor` times or `step` more than the one before, up to end. */
struct size_range {
	uint64_t begin, end, factor, step; /* UNSET_SIZE: not given */
};
#define UNSET_SIZE UINT64_MAX
/* Sets defaults, and refuses ranges that never end. false: call->status. */
bool read_size_range(struct call *call, struct size_range *range);
/* false: *size was the last one. */
bool next_size(const struct size_range *range, uint64_t *size);
uint64_t count_sizes(const struct size_range *range);

#endif
