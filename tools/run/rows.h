/* rows.h - the rows of a table, for people, as CSV or as JSON. */
#ifndef ORDO_TOOLS_RUN_ROWS_H
#define ORDO_TOOLS_RUN_ROWS_H

#include "base/report.h"
#include <ordo/element.h>
#include <ordo/operator.h>

/* The measurement of one form, out of place or in place. */
struct cell {
	bool there;	      /* false: the operator has no such form */
	uint32_t ntimed;      /* timed runs; 0: a result was wrong before */
	double seconds, best; /* of a run: mean and least */
	double algbw, busbw;  /* bytes a second */
	bool checked;
	uint64_t wrong; /* elements of the first run that had any, over all ranks */
};

struct row {
	const char *schedule; /* of a plan set; NULL: there is one */
	const char *digest;   /* of its order; empty: it has none */
	const struct ordo_problem *problem;
	uint64_t bytes, count; /* elements of a block; with counts, of the largest */
	enum ordo_type type;
	enum ordo_reduction reduction;
	struct cell cells[2]; /* out of place, in place */
};

struct rows {
	bool csv;
	struct report list;   /* of rows; nothing with csv */
	const char *schedule; /* of the last row */
	uint64_t nrow, wrong; /* wrong elements in all */
	uint32_t ncell;	      /* that were timed */
	double busbw_sum;
};

void begin_rows(struct rows *rows, const struct report *report, bool csv);
void add_row(struct rows *rows, const struct row *row);
/* Bytes a second; 0 if nothing was timed. */
double average_busbw(const struct rows *rows);

#endif
