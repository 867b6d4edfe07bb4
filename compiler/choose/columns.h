/* columns.h - the sizes that were simulated, and what each entrant took there. Private to
 * compiler/tune/. */
#ifndef ORDO_COMPILER_CHOOSE_COLUMNS_H
#define ORDO_COMPILER_CHOOSE_COLUMNS_H

#include "contest.h"

struct ordo_columns {
	struct ordo_contest *contest;
	struct ordo_column *items; /* [count], ascending */
	uint32_t count;
	size_t room;
	uint32_t nplanned; /* how many there will be at least, for the progress */
};

void ordo_columns_free(struct ordo_columns *columns);
/* Simulates at one more size, every entrant. */
bool ordo_columns_add(struct ordo_columns *columns, uint64_t bytes, struct ordo_error *error);
/* The same between two columns, but only those that may be the fastest there (of those with the
 * digest) if times grow with bytes. */
bool ordo_columns_add_between(
	struct ordo_columns *columns, uint64_t bytes, const char *digest, struct ordo_error *error);
/* Simulates what was left out of a column. */
bool ordo_columns_complete(struct ordo_columns *columns, uint32_t at, struct ordo_error *error);

/* May an entrant be taken? digest: only those with that order; NULL: any. */
bool ordo_may_win(const struct ordo_contest *contest, uint32_t entrant, const char *digest);
/* The fastest of those that may be taken; ORDO_NONE. */
uint32_t ordo_fastest(const struct ordo_columns *columns, uint32_t at, const char *digest);
/* Is it as fast as the fastest, to 1e-9? */
bool ordo_is_fastest(
	const struct ordo_columns *columns, uint32_t at, const char *digest, uint32_t entrant);

#endif
