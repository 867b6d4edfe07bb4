/* order_table.c - `ordo order --table`: the number of trees of every variant of every algorithm,
 * their name, and the variants with equal trees. */
#include "order_table.h"
#include "base/progress.h"
#include "cli/inputs.h"
#include <ordo/arena.h>
#include <ordo/compiler.h>
#include <ordo/detail/order.h>
#include <stdlib.h>
#include <string.h>

/* The orders of one algorithm on one number of ranks. */
struct cell {
	uint32_t ntree; /* 0: it does not apply */
	struct ordo_tree_name name;
	char digest[33];
};

struct table {
	enum ordo_operator op;
	const char **algorithms; /* [nrow] with their parameters */
	uint32_t nrow;
	const uint32_t *ranks; /* [ncolumn] */
	uint32_t ncolumn;
	struct cell *cells; /* [nrow][ncolumn] */
	struct ordo_arena arena;
};

static struct cell *cell_at(const struct table *table, uint32_t row, uint32_t column)
{
	return &table->cells[(size_t)row * table->ncolumn + column];
}

/* Rows: every variant worth trying that needs no topology with servers. */

static bool add_row(
	struct table *table, const struct ordo_algorithm_facts *facts, const char *settings)
{
	const char *text =
		*settings ? ordo_arena_format(&table->arena, "%s(%s)", facts->name, settings)
			  : facts->name;
	if (text)
		table->algorithms[table->nrow++] = text;
	return text;
}

static bool add_rows(struct table *table)
{
	uint32_t count, most = 0;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count; i++)
		most += algorithms[i]->nvariant + 1;
	table->algorithms = ordo_arena_alloc(&table->arena, (most + 1) * sizeof *table->algorithms);
	bool worked = table->algorithms;
	for (uint32_t i = 0; worked && i < count; i++) {
		const struct ordo_algorithm_facts *facts = algorithms[i];
		if (!(facts->operators >> table->op & 1))
			continue;
		if (!facts->variants)
			worked = add_row(table, facts, "");
		for (uint32_t v = 0; worked && facts->variants && v < facts->nvariant; v++) {
			const struct ordo_variant *variant = &facts->variants[v];
			const bool has_it =
				!variant->operators || variant->operators >> table->op & 1;
			const bool needs_topology = variant->servers || variant->rings ||
						    variant->owners || variant->sparse ||
						    variant->slow || variant->one_way ||
						    variant->parallel;
			if (has_it && !needs_topology)
				worked = add_row(table, facts, variant->settings);
		}
	}
	table->cells =
		worked ? ordo_arena_alloc(&table->arena,
				 ((size_t)table->nrow * table->ncolumn + 1) * sizeof *table->cells)
		       : NULL;
	return table->cells;
}

static bool check_cell(
	struct cell *cell, const struct ordo_schedule *schedule, struct ordo_error *error)
{
	struct ordo_proof *proof = ordo_verify(schedule, NULL, error);
	struct ordo_forest *forest = proof ? ordo_forest_create(error) : NULL;
	struct ordo_order *order =
		forest ? ordo_order_create(forest, schedule, proof, error) : NULL;
	bool worked = order;
	if (worked) {
		cell->ntree = order->nclass;
		memcpy(cell->digest, order->digest, sizeof cell->digest);
		if (order->nclass == 1 &&
			!ordo_forest_name(forest, order->classes[0].tree, &cell->name))
			worked = ordo_fail_memory(error);
	}
	ordo_order_destroy(order);
	ordo_forest_destroy(forest);
	ordo_proof_destroy(proof);
	return worked;
}

static bool fill_cell(struct call *call, const struct table *table, uint32_t row, uint32_t column)
{
	struct ordo_error error;
	const struct ordo_request request = {.problem = {.op = table->op,
						     .nrank = table->ranks[column],
						     .nshard = table->ranks[column]},
		.algorithm = table->algorithms[row],
		.unproved = true};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		return error.code == ORDO_USAGE ? true : refuse_error(call, &error);
	const bool worked = check_cell(cell_at(table, row, column), schedule, &error);
	ordo_schedule_destroy(schedule);
	return worked ? true : refuse_error(call, &error);
}

static bool fill_table(struct call *call, struct table *table)
{
	struct ordo_error error;
	struct progress progress = {0};
	if (!add_rows(table)) {
		ordo_fail_memory(&error);
		return refuse_error(call, &error);
	}
	bool worked = true;
	for (uint32_t column = 0; worked && column < table->ncolumn; column++)
		for (uint32_t row = 0; worked && row < table->nrow; row++) {
			show_progress(&progress, "proving", column * table->nrow + row,
				(uint64_t)table->ncolumn * table->nrow);
			worked = fill_cell(call, table, row, column);
		}
	hide_progress(&progress);
	return worked;
}

/* `1 dyadic`, `4`, `-`. */
static const char *cell_text(char out[96], const struct cell *cell)
{
	char name[64];
	ordo_tree_name_print(cell->name, name, sizeof name);
	if (!cell->ntree)
		return "-";
	if (cell->ntree > 1 || cell->name.kind == ORDO_UNNAMED)
		snprintf(out, 96, "%u", cell->ntree);
	else
		snprintf(out, 96, "1 %s", name);
	return out;
}

/* Groups: rows of one column with equal digests. */

/* Is it the first row of its column with this digest? */
static bool begins_group(const struct table *table, uint32_t row, uint32_t column)
{
	const struct cell *cell = cell_at(table, row, column);
	for (uint32_t above = 0; above < row; above++)
		if (!strcmp(cell_at(table, above, column)->digest, cell->digest))
			return false;
	return cell->ntree;
}

static uint32_t group_size(const struct table *table, uint32_t row, uint32_t column)
{
	uint32_t size = 0;
	for (uint32_t below = row; below < table->nrow; below++)
		size += !strcmp(
			cell_at(table, below, column)->digest, cell_at(table, row, column)->digest);
	return size;
}

static void report_group(
	const struct report *groups, const struct table *table, uint32_t row, uint32_t column)
{
	const struct report group = report_list(groups, NULL);
	const char *digest = cell_at(table, row, column)->digest;
	report_text(&group, "%s<>", table->algorithms[row]);
	for (uint32_t below = row + 1; below < table->nrow; below++)
		if (!strcmp(cell_at(table, below, column)->digest, digest))
			report_text(&group, " = %s<>", table->algorithms[below]);
}

static void report_groups(const struct report *list, const struct table *table, uint32_t column)
{
	const struct report one = report_item(list);
	const char *between = "";
	report_text(&one, "| %u<ranks> | ", table->ranks[column]);
	const struct report groups = report_list(&one, "groups");
	for (uint32_t row = 0; row < table->nrow; row++) {
		if (!begins_group(table, row, column) || group_size(table, row, column) < 2)
			continue;
		report_text(&groups, "%s", between);
		report_group(&groups, table, row, column);
		between = "; ";
	}
	report_text(&one, "%s |\n", *between ? "" : "none");
}

static void report_cell(
	const struct report *list, const struct table *table, uint32_t row, uint32_t column)
{
	const struct cell *cell = cell_at(table, row, column);
	const struct report one = report_item(list);
	char text[96], name[64];
	report_text(&one, " %s |", cell_text(text, cell));
	report_members(&one, "%u<ranks> %d<applies?>", table->ranks[column], cell->ntree > 0);
	if (!cell->ntree)
		return;
	ordo_tree_name_print(cell->name, name, sizeof name);
	report_members(&one, "%u<trees>", cell->ntree);
	add_text(one.json, "order",
		cell->ntree > 1 || cell->name.kind == ORDO_UNNAMED ? NULL : name);
	report_members(&one, "%s<order_digest>", cell->digest);
}

static void report_rows(const struct report *report, const struct table *table)
{
	const struct report rows = report_list(report, "rows");
	for (uint32_t row = 0; row < table->nrow; row++) {
		const struct report one = report_item(&rows);
		report_text(&one, "\n| %s<algorithm> |", table->algorithms[row]);
		const struct report cells = report_list(&one, "cells");
		for (uint32_t column = 0; column < table->ncolumn; column++)
			report_cell(&cells, table, row, column);
	}
}

static void report_table(const struct report *tables, const struct table *table)
{
	const struct report one = report_item(tables);
	report_text(
		&one, "\n## %s<operator>\n\n| algorithm |", ordo_operator_facts(table->op)->name);
	for (uint32_t column = 0; column < table->ncolumn; column++)
		report_text(&one, " %u |", table->ranks[column]);
	report_text(&one, "\n|---|");
	for (uint32_t column = 0; column < table->ncolumn; column++)
		report_text(&one, "---|");
	report_rows(&one, table);
	report_text(&one, "\n\nBit-interchangeable are those with equal order digests:\n\n"
			  "| ranks | algorithms |\n|---|---|\n");
	const struct report groups = report_list(&one, "interchangeable");
	for (uint32_t column = 0; column < table->ncolumn; column++)
		report_groups(&groups, table, column);
}

/* ` --ranks 4-8,12`, as on the command line; nothing if it was not given. */
static void report_typed(const struct report *report, const char *option, const struct texts *texts)
{
	for (size_t i = 0; i < texts->count; i++)
		report_text(report, "%s%s", i ? "," : option, texts->items[i]);
}

static void report_head(const struct report *report, const struct order_table_options *args)
{
	report_text(report,
		"# The order of every sum\n\n"
		"How many different trees each algorithm makes over the elements of its output, "
		"and, of one, its name: a column for\n"
		"each number of ranks. One tree for all elements is position-invariant (G3); `-`: "
		"the algorithm does not apply. Every\n"
		"cell is compiled and proved. Written by\n\n    ordo order --table");
	report_typed(report, " --operator ", &args->operators);
	report_typed(report, " --ranks ", &args->ranks);
	report_text(report, "\n");
}

enum { MOST_RANKS = 4096 };

static bool read_table_operator(struct call *call, const char *text, enum ordo_operator *op)
{
	static const char wanted[] = "wanted ReduceScatter, AllReduce or Reduce";
	if (!ordo_operator_from_typed(text, op))
		return refuse_usage(call, wanted, "--operator: unknown operator %s", text);
	if (ordo_operator_facts(*op)->reduces)
		return true;
	return refuse_usage(call, wanted, "--operator: %s adds nothing, so it has no order",
		ordo_operator_facts(*op)->name);
}

static bool make_table(struct call *call, const struct report *tables, enum ordo_operator op,
	const uint32_t *ranks, uint32_t nrank)
{
	struct table table = {.op = op, .ranks = ranks, .ncolumn = nrank};
	const bool worked = fill_table(call, &table);
	if (worked)
		report_table(tables, &table);
	ordo_arena_free(&table.arena);
	return worked;
}

static bool make_tables(struct call *call, const struct order_table_options *args,
	const uint32_t *ranks, uint32_t nrank)
{
	enum ordo_operator operators[ORDO_NOPERATOR] = {ORDO_REDUCESCATTER};
	size_t noperator = 0;
	for (; noperator < args->operators.count && noperator < ORDO_NOPERATOR; noperator++)
		if (!read_table_operator(
			    call, args->operators.items[noperator], &operators[noperator]))
			return false;
	for (uint32_t i = 0; i < nrank; i++)
		if (!ranks[i])
			return refuse_usage(call, NULL, "--ranks: found 0, wanted at least 1");
	const struct report report = report_of(call, stdout);
	report_head(&report, args);
	const struct report tables = report_list(&report, "tables");
	for (size_t i = 0; i < (noperator ? noperator : 1); i++)
		if (!make_table(call, &tables, operators[i], ranks, nrank))
			return false;
	return true;
}

int print_order_table(struct call *call, const struct order_table_options *args)
{
	static const char *usual = "4-16";
	const struct texts usual_ranks = {.items = &usual, .count = 1};
	uint32_t nrank;
	uint32_t *ranks = read_numbers(call, "ranks",
		args->ranks.count ? &args->ranks : &usual_ranks, MOST_RANKS + 1, &nrank);
	const bool worked = ranks && make_tables(call, args, ranks, nrank);
	free(ranks);
	return worked ? ORDO_OK : call->status;
}
