/* sweep.c - `ordo run --end`: the table that nccl-tests prints, of a range of sizes, types
 * and reductions. */
#include "sweep.h"
#include "base/progress.h"
#include "report/execution.h"
#include "report/plan_set.h"
#include "report/proof.h"
#include "rows.h"
#include <inttypes.h>

struct table {
	struct call *call;
	const struct sweep_options *args;
	struct subject *subject;
	struct report report; /* of what stands above and below the rows */
	struct rows rows;
	struct progress progress;
	/* for the progress bar: of all cells, and of the cells before this one */
	uint64_t effort, done;
	uint64_t nrounded; /* sizes that do not fill all blocks */
	char wrong[640];   /* what the first wrong element is */
};

/* The effort of a cell, in bytes; small ones have a minimum. */
static uint64_t effort_of(uint64_t bytes)
{
	return bytes + (1 << 16);
}

static void show_cell_progress(struct table *table, uint64_t bytes)
{
	show_progress(&table->progress, "running", table->done, table->effort);
	table->done += effort_of(bytes);
}

static uint64_t effort_of_all(const struct size_range *sizes, uint64_t times)
{
	uint64_t size = sizes->begin, effort = 0;
	do
		effort += times * effort_of(size);
	while (next_size(sizes, &size));
	return effort;
}

static void note_wrong(struct table *table, const struct row *row, const struct check *check)
{
	if (!table->wrong[0])
		snprintf(table->wrong, sizeof table->wrong, "%" PRIu64 " bytes of %s: %s",
			row->bytes, ordo_type_name(row->type), check->text);
}

static void fill_cell(struct table *table, const struct row *row, struct cell *cell,
	const struct execution *execution)
{
	*cell = (struct cell){.there = true,
		.ntimed = execution->ntimed,
		.best = execution->best,
		.checked = table->args->execution.check,
		.wrong = execution->check.wrong};
	if (cell->checked && is_wrong(&execution->check)) {
		cell->wrong += !cell->wrong;
		note_wrong(table, row, &execution->check);
	}
	if (!cell->ntimed)
		return;
	cell->seconds = execution->total / cell->ntimed;
	cell->algbw = (double)row->bytes / cell->seconds;
	cell->busbw = cell->algbw * bus_factor(row->problem);
}

/* Collectives run in either form that the operator has; tasks are written for one. */
static bool has_form(const struct table *table, const struct ordo_problem *problem, bool in_place)
{
	struct ordo_problem other = *problem;
	other.in_place = in_place;
	return in_place == problem->in_place ||
	       (table->args->execution.folded && ordo_problem_check(&other, NULL));
}

static bool run_cell(
	struct table *table, const struct proved_schedule *found, struct row *row, bool in_place)
{
	struct ordo_error error;
	struct execution execution;
	struct execution_options args = table->args->execution;
	show_cell_progress(table, row->bytes);
	if (!has_form(table, &found->schedule->problem, in_place))
		return true;
	args.other_form = in_place != found->schedule->problem.in_place;
	args.type = row->type;
	args.reduction = row->reduction;
	args.count = row->count;
	args.block_count = table->args->counts->block_count;
	const bool worked = execute(&execution, found->schedule, found->proof, &args, &error);
	if (worked)
		fill_cell(table, row, &row->cells[in_place], &execution);
	close_execution(&execution);
	if (worked)
		return true;
	hide_progress(&table->progress);
	return refuse_error(table->call, &error);
}

/* Takes the elements of a size, and the schedule for it. NULL: call->status. */
static struct proved_schedule *choose_size(struct table *table, struct row *row, uint64_t size)
{
	struct call *call = table->call;
	struct counts *counts = table->args->counts;
	if (!counts->given) {
		row->count = count_of_bytes(row->problem, row->type, size);
		row->bytes = bytes_of_count(row->problem, row->type, row->count);
		return find_schedule(call, table->subject, row->type, row->count);
	}
	if (!scale_counts(call, counts, row->type, size))
		return NULL;
	row->count = counts->largest;
	row->bytes = bytes_of_counts(counts, row->type);
	return find_schedule_of_size(call, table->subject, row->bytes);
}

static bool run_row(
	struct table *table, enum ordo_type type, enum ordo_reduction reduction, uint64_t size)
{
	const struct ordo_problem *problem = &table->subject->problem;
	struct row row = {.problem = problem, .type = type, .reduction = reduction};
	const struct proved_schedule *found = choose_size(table, &row, size);
	if (!found)
		return false;
	table->nrounded += row.bytes != size;
	row.schedule = found->name;
	row.digest = found->proof->digest;
	if (!run_cell(table, found, &row, false) || !run_cell(table, found, &row, true))
		return false;
	hide_progress(&table->progress);
	add_row(&table->rows, &row);
	return true;
}

static bool run_sizes(struct table *table, enum ordo_type type, enum ordo_reduction reduction)
{
	const struct size_range *sizes = &table->args->sizes;
	uint64_t size = sizes->begin;
	do {
		if (!run_row(table, type, reduction, size))
			return false;
		if (reader_left()) {
			table->call->status = ORDO_ENVIRONMENT;
			return false;
		}
	} while (next_size(sizes, &size));
	return true;
}

/* Without a reduction, one row per type suffices. */
static uint32_t count_reductions(const struct table *table)
{
	return ordo_operator_facts(table->subject->problem.op)->reduces
		       ? table->args->arithmetics->nreduction
		       : 1;
}

/* Reads and proves all schedules, before anything is printed. */
static bool find_all(struct table *table)
{
	const struct arithmetics *arithmetics = table->args->arithmetics;
	const struct size_range *sizes = &table->args->sizes;
	for (uint32_t i = 0; i < arithmetics->ntype; i++) {
		uint64_t size = sizes->begin;
		do {
			struct row row = {
				.problem = &table->subject->problem, .type = arithmetics->types[i]};
			struct proved_schedule *found = choose_size(table, &row, size);
			if (!found || !prove_found(table->call, table->subject, found,
					      table->args->unproved))
				return false;
		} while (next_size(sizes, &size));
	}
	return true;
}

static bool run_all(struct table *table)
{
	const struct arithmetics *arithmetics = table->args->arithmetics;
	for (uint32_t i = 0; i < arithmetics->ntype; i++)
		for (uint32_t k = 0; k < count_reductions(table); k++)
			if (is_row(&table->subject->problem, arithmetics->types[i],
				    arithmetics->reductions[k]) &&
				!run_sizes(
					table, arithmetics->types[i], arithmetics->reductions[k]))
				return false;
	return true;
}

static void report_title(const struct report *report, const struct table *table)
{
	const struct execution_options *how = &table->args->execution;
	const struct size_range *sizes = &table->args->sizes;
	report_text(report, "# ");
	if (table->subject->set)
		report_set(&(struct report){.text = report->text}, table->subject->set);
	else
		report_schedule(report, table->subject->schedules->schedule);
	report_text(report,
		"# %" PRIu64 " to %" PRIu64 " bytes, step %" PRIu64
		" (%s); %u<repeat> run%s each after %u<warmup> for warm-up, on inputs written just "
		"before\n# ",
		sizes->begin, sizes->end, sizes->factor ? sizes->factor : sizes->step,
		sizes->factor ? "factor" : "bytes", how->repeat, plural(how->repeat), how->warmup);
	report_drive(report, how);
	if (table->args->counts->given)
		report_text(report, ", blocks in the proportions of %" PRIu32 " counts",
			ordo_nblock(&table->subject->problem));
	report_text(report, ", seed %" PRIu64 "<seed>\n# executed: %s\n", how->seed,
		form_text(how, true));
	report_members(report, "%d<checked?>", how->check);
}

static void report_end(const struct report *report, const struct table *table)
{
	const char *plain = paint(report->text, PLAIN);
	const double busbw = average_busbw(&table->rows) * 1e-9;
	if (table->wrong[0])
		report_text(
			report, "# %swrong%s: %s\n", paint(report->text, RED), plain, table->wrong);
	else if (table->args->execution.check)
		report_text(report,
			"# check: %severy element of every run is right%s, bit for bit where its "
			"order is proved\n",
			paint(report->text, GREEN), plain);
	report_text(report, "# Avg bus bandwidth: %.4g<average_busbw_gigabytes_per_second> GB/s\n",
		busbw);
	report_members(report, "%" PRIu64 "<wrong>", table->rows.wrong);
}

static void end_table(struct table *table)
{
	hide_progress(&table->progress);
	if (table->nrounded && table->args->counts->given)
		note(table->call,
			"%" PRIu64 " of the sizes are rounded down to whole elements in the "
			"proportions of the counts",
			table->nrounded);
	else if (table->nrounded)
		note(table->call,
			"%" PRIu64 " of the sizes do not fill %" PRIu64
			" blocks evenly and are rounded down",
			table->nrounded, blocks_of_rank(&table->subject->problem));
	report_end(&table->report, table);
}

/* Checks one type only, because sizes are in bytes. */
static bool largest_fits(
	struct call *call, const struct sweep_options *args, const struct subject *subject)
{
	const enum ordo_type type = args->arithmetics->types[0];
	return args->counts->given
		       ? scale_counts(call, args->counts, type, args->sizes.end) &&
				 bytes_fit_memory(call, &subject->problem, args->counts->largest,
					 bytes_of_counted_buffers(args->counts, type))
		       : fits_memory(call, &subject->problem, type,
				 count_of_bytes(&subject->problem, type, args->sizes.end));
}

int run_table(struct call *call, const struct sweep_options *args, struct subject *subject)
{
	struct table table = {.call = call, .args = args, .subject = subject};
	if (!largest_fits(call, args, subject) || !find_all(&table))
		return call->status;
	table.effort = effort_of_all(
		&args->sizes, 2 * (uint64_t)args->arithmetics->ntype * count_reductions(&table));
	table.report = report_of(call, args->csv ? NULL : stdout);
	report_title(&table.report, &table);
	begin_rows(&table.rows, &table.report, args->csv);
	if (!run_all(&table))
		return call->status;
	end_table(&table);
	return table.rows.wrong ? ORDO_REFUTED : ORDO_OK;
}
