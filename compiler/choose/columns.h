/* columns.h - the simulated sizes, and the times of all candidates there. Private to
 * compiler/choose/. */
#ifndef ORDO_COMPILER_CHOOSE_COLUMNS_H
#define ORDO_COMPILER_CHOOSE_COLUMNS_H

#include "evaluated.h"
#include <ordo/detail/tune.h>

/* One size, and the time of each candidate. */
struct ordo_column {
	uint64_t bytes;
	bool full;	 /* no candidate that could be the fastest was left out */
	double *seconds; /* [count]; negative: not simulated to the end */
	/* [count] the limit at which its simulation was given up; negative: it was not */
	double *over;
};

struct ordo_columns {
	struct ordo_table *table;
	const struct ordo_tune_wish *wish;
	/* of any link, in seconds; of any rank, in bytes a second */
	double least_latency, most_bandwidth;
	struct ordo_column *items; /* [count], ascending */
	uint32_t count;
	size_t room;
	uint64_t nprediction;
	uint32_t nplanned; /* least number of columns there will be, for the progress */
};

/* Sets least_latency and most_bandwidth; table and wish are set. */
void ordo_columns_find_limits(struct ordo_columns *columns);
void ordo_columns_free(struct ordo_columns *columns);
/* Simulates every candidate at one more size. */
bool ordo_columns_add(struct ordo_columns *columns, uint64_t bytes, struct ordo_error *error);
/* The same between two columns, but only the candidates (with this digest) that may be the fastest
 * there, if times grow with bytes. */
bool ordo_columns_add_between(
	struct ordo_columns *columns, uint64_t bytes, const char *digest, struct ordo_error *error);
/* Simulates the candidates that were left out of a column. */
bool ordo_columns_complete(struct ordo_columns *columns, uint32_t at, struct ordo_error *error);

/* A lower bound on a candidate's prediction, in seconds. */
double ordo_columns_bound(const struct ordo_columns *columns, uint32_t i, uint64_t bytes);
/* The fastest candidate that may win (ordo_may_win), or ORDO_NONE. */
uint32_t ordo_fastest(const struct ordo_columns *columns, uint32_t at, const char *digest);
/* Whether a candidate is as fast as the fastest, within 1e-9. */
bool ordo_is_fastest(
	const struct ordo_columns *columns, uint32_t at, const char *digest, uint32_t i);

#endif
