/* columns.h - the sizes that were simulated, and what each candidate took there. Private to
 * compiler/choose/. */
#ifndef ORDO_COMPILER_CHOOSE_COLUMNS_H
#define ORDO_COMPILER_CHOOSE_COLUMNS_H

#include "evaluated.h"
#include <ordo/detail/tune.h>

/* One size, and what each candidate took there. */
struct ordo_column {
	uint64_t bytes;
	bool full;	 /* every candidate that could be the fastest was simulated */
	double *seconds; /* [count]; negative: not simulated to the end */
	/* [count] it takes longer than that, and was given up; negative: it was not */
	double *over;
};

struct ordo_columns {
	struct ordo_table *table;
	const struct ordo_tune_wish *wish;
	/* seconds of any link; bytes a second that any rank can send */
	double least_latency, most_bandwidth;
	struct ordo_column *items; /* [count], ascending */
	uint32_t count;
	size_t room;
	uint64_t nprediction;
	uint32_t nplanned; /* how many there will be at least, for the progress */
};

/* Sets what no prediction can be faster than; table and wish are set. */
void ordo_columns_find_limits(struct ordo_columns *columns);
void ordo_columns_free(struct ordo_columns *columns);
/* Simulates at one more size, every candidate. */
bool ordo_columns_add(struct ordo_columns *columns, uint64_t bytes, struct ordo_error *error);
/* The same between two columns, but only those that may be the fastest there (of those with the
 * digest) if times grow with bytes. */
bool ordo_columns_add_between(
	struct ordo_columns *columns, uint64_t bytes, const char *digest, struct ordo_error *error);
/* Simulates what was left out of a column. */
bool ordo_columns_complete(struct ordo_columns *columns, uint32_t at, struct ordo_error *error);

/* No prediction of a candidate can be less. Seconds. */
double ordo_columns_bound(const struct ordo_columns *columns, uint32_t i, uint64_t bytes);
/* The fastest of those that may be taken; ORDO_NONE. */
uint32_t ordo_fastest(const struct ordo_columns *columns, uint32_t at, const char *digest);
/* Is it as fast as the fastest, to 1e-9? */
bool ordo_is_fastest(
	const struct ordo_columns *columns, uint32_t at, const char *digest, uint32_t i);

#endif
