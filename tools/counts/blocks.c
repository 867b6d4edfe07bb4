/* blocks.c - the counts of a problem's blocks, from a table of any form. */
#include "counts.h"
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>

struct fitting {
	const struct counts_table *table;
	const struct ordo_problem *problem;
	const char *name; /* of the operator */
	struct ordo_error *error;
};

static size_t length_of(const struct counts_table *table, size_t row)
{
	return table->rows[row].end - table->rows[row].first;
}

/* After an error was filled: adds the place of a row. */
static bool refuse_at(const struct fitting *fitting, size_t row)
{
	const struct counts_table *table = fitting->table;
	struct ordo_error *error = fitting->error;
	if (!error || !*table->file)
		return false;
	memcpy(error->file, table->file, sizeof error->file);
	if (row >= table->nrow)
		return false;
	error->line = table->rows[row].line;
	error->column = table->rows[row].column;
	return false;
}

static enum ordo_code code_of(const struct fitting *fitting)
{
	return *fitting->table->file ? ORDO_BAD_INPUT : ORDO_USAGE;
}

/* One row, or one column. */
static bool is_list(const struct fitting *fitting)
{
	const struct counts_table *table = fitting->table;
	const uint32_t nrank = fitting->problem->nrank;
	const bool row = table->nrow == 1, column = table->nrow == table->ncount;
	if (!row && !column && table->nrow) {
		ordo_fail(fitting->error, code_of(fitting), 0,
			"counts: found a matrix of %zu rows, wanted a list of %" PRIu32
			": %s has one block for each rank",
			table->nrow, nrank, fitting->name);
		return refuse_at(fitting, 1);
	}
	if (table->ncount == nrank)
		return true;
	ordo_fail(fitting->error, code_of(fitting), 0,
		"counts: found %zu, wanted %" PRIu32 ": %s has one block for each rank",
		table->ncount, nrank, fitting->name);
	return refuse_at(fitting, 0);
}

static bool is_matrix(const struct fitting *fitting)
{
	const struct counts_table *table = fitting->table;
	const uint32_t nrank = fitting->problem->nrank;
	if (table->nrow != nrank) {
		ordo_fail(fitting->error, code_of(fitting), 0,
			"counts: found %zu row%s, wanted a matrix of %" PRIu32
			": in row i what rank i sends to each rank",
			table->nrow, table->nrow == 1 ? "" : "s", nrank);
		return refuse_at(fitting, table->nrow > nrank ? nrank : 0);
	}
	for (size_t row = 0; row < nrank; row++)
		if (length_of(table, row) != nrank) {
			ordo_fail(fitting->error, code_of(fitting), 0,
				"counts: found %zu in row %zu, wanted %" PRIu32
				", one for each rank",
				length_of(table, row), row, nrank);
			return refuse_at(fitting, row);
		}
	return true;
}

/* The first row at which the sum of all exceeds the limit. */
static bool keep_sum(const struct fitting *fitting)
{
	const struct counts_table *table = fitting->table;
	uint64_t sum = 0;
	for (size_t row = 0; row < table->nrow; row++)
		for (size_t i = table->rows[row].first; i < table->rows[row].end; i++) {
			if (table->counts[i] > ORDO_COUNTS_LIMIT - sum) {
				ordo_fail(fitting->error, code_of(fitting), 0,
					"counts: they sum up to 2^59 elements or more");
				return refuse_at(fitting, row);
			}
			sum += table->counts[i];
		}
	return true;
}

uint64_t *counts_of_blocks(const struct counts_table *table, const struct ordo_problem *problem,
	struct ordo_error *error)
{
	const struct fitting fitting = {
		table, problem, ordo_operator_facts(problem->op)->name, error};
	if (!ordo_has_counts(problem->op)) {
		ordo_fail(error, ORDO_USAGE, 0,
			"counts: found %zu, wanted none: %s has no form with unequal blocks",
			table->ncount, fitting.name);
		return NULL;
	}
	if (!(problem->op == ORDO_ALLTOALL ? is_matrix(&fitting) : is_list(&fitting)) ||
		!keep_sum(&fitting))
		return NULL;
	uint64_t *counts = malloc(table->ncount * sizeof *counts);
	if (counts)
		memcpy(counts, table->counts, table->ncount * sizeof *counts);
	else
		ordo_fail_memory(error);
	return counts;
}
