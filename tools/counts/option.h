/* option.h - the option --counts: blocks of unequal sizes, as they are or scaled to a size. */
#ifndef ORDO_TOOLS_COUNTS_OPTION_H
#define ORDO_TOOLS_COUNTS_OPTION_H

#include "base/report.h"
#include <ordo/element.h>
#include <ordo/operator.h>

#define COUNTS_OPTION(counts)                                                                      \
	{                                                                                          \
		"counts", 0, READ, &(counts), "COUNTS",                                            \
			"elements of each block: 3,0,5 (alltoall: a matrix), or a file; a size "   \
			"scales them"                                                              \
	}

/* The blocks of a problem. Without the option all is NULL, and blocks are equal. */
struct counts {
	const struct ordo_problem *problem;
	uint64_t *given;	     /* [nblock] elements, of the option */
	uint64_t *scaled;	     /* [nblock] */
	const uint64_t *block_count; /* [nblock] those in use: either; NULL: equal blocks */
	uint64_t elements; /* of the largest buffer of a rank (ordo/detail/slots.h), in use */
	uint64_t largest,
		nempty; /* blocks in use: elements of the largest, and how many have none */
};

/* From the text of the option, for a problem that outlives the counts; NULL: no counts. false:
 * call->status. The caller frees them, also after false. */
bool read_counts(struct call *call, const char *text, const struct ordo_problem *problem,
	struct counts *counts);
void free_counts(struct counts *counts);
/* Uses the counts in the same proportions, with at most so many bytes in the largest buffer of a
 * rank. false: call->status. */
bool scale_counts(struct call *call, struct counts *counts, enum ordo_type type, uint64_t bytes);
/* Memory for the inputs and outputs of all ranks, in bytes. */
double bytes_of_counted_buffers(const struct counts *counts, enum ordo_type type);
/* Prints a note that the proportions left bytes out. */
void note_scaled(struct call *call, enum ordo_type type, uint64_t bytes, uint64_t cut);
/* Bytes of the largest buffer of a rank. */
uint64_t bytes_of_counts(const struct counts *counts, enum ordo_type type);
/* `8 blocks of 0 to 5 elements, 2 of them empty`, and members. */
void report_counts(const struct report *report, const struct counts *counts);

#endif
