/* counts.h - counts of blocks as people write them: a list of one count for each rank's block, or
 * for AllToAll a matrix, whose row i has what rank i sends to each rank; as CSV or JSON.
 */
#ifndef ORDO_TOOLS_COUNTS_H
#define ORDO_TOOLS_COUNTS_H

#include <ordo/detail/slots.h>
#include <stddef.h>

/* Consecutive counts of a line of CSV, or of a JSON list. */
struct counts_row {
	size_t first, end;     /* of the counts */
	uint32_t line, column; /* where it begins */
};

struct counts_table {
	char file[512];	  /* empty: written on the command line */
	uint64_t *counts; /* all rows, one after another */
	size_t ncount, count_room;
	struct counts_row *rows;
	size_t nrow, row_room;
};

/* Reads CSV or, if the first character is [, JSON:
 *
 *   CSV    rows are lines, or end at a semicolon; counts are separated by commas or blanks; lines
 *          that are empty or begin with # are skipped
 *   JSON   [3,0,5], or [[0,1],[2,0]]
 *
 * Counts are elements: digits, at most ORDO_COUNTS_LIMIT. file: the name for errors; NULL: the text
 * is of the command line. The caller frees the table, also after false: ORDO_BAD_INPUT with line
 * and column (ORDO_USAGE without a file), or no memory. */
bool counts_read(struct counts_table *table, const char *text, size_t size, const char *file,
	struct ordo_error *error);
void counts_free(struct counts_table *table);

/* The counts of a problem's blocks, [nblock], which the caller frees. NULL: the problem has no V
 * form (ORDO_USAGE), or the rows are not those of its ranks, or sum up to more than
 * ORDO_COUNTS_LIMIT (as counts_read), or no memory. */
uint64_t *counts_of_blocks(const struct counts_table *table, const struct ordo_problem *problem,
	struct ordo_error *error);

/* Is the text the counts themselves (digits, separators, signs and brackets only), and not a file's
 * name? */
bool is_counts(const char *text);

#endif
