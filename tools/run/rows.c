/* rows.c - the rows of a table of measured times, for people, as CSV or as JSON. */
#include "rows.h"
#include <inttypes.h>

static const char *reduction_of(const struct row *row)
{
	return ordo_operator_facts(row->problem->op)->reduces ? ordo_reduction_name(row->reduction)
							      : "none";
}

/* -1 without a root, as nccl-tests prints it. */
static int64_t root_of(const struct row *row)
{
	return ordo_operator_facts(row->problem->op)->rooted ? (int64_t)row->problem->root : -1;
}

static const char *const forms[] = {"out_of_place", "in_place"};

static void report_head(const struct report *report)
{
	report_text(
		report, "#\n#%57s%-36s%s\n", "", "          out-of-place", "            in-place");
	report_text(
		report, "# %11s  %12s  %8s  %6s  %6s", "size", "count", "type", "redop", "root");
	for (int i = 0; i < 2; i++)
		report_text(report, "  %9s %7s %7s %8s", "time", "algbw", "busbw", "#wrong");
	report_text(report, "\n# %11s  %12s  %8s  %6s  %6s", "(B)", "(elements)", "", "", "");
	report_text(report, "  %9s %7s %7s %8s  %9s %7s %7s\n", "(us)", "(GB/s)", "(GB/s)", "",
		"(us)", "(GB/s)", "(GB/s)");
}

static void report_timed(const struct report *report, const struct cell *cell)
{
	if (!cell->ntimed) {
		report_text(report, "  %9s %7s %7s", "N/A", "N/A", "N/A");
		return;
	}
	report_text(report,
		"  %9.*f %7.2f<algbw_gigabytes_per_second> %7.2f<busbw_gigabytes_per_second>",
		cell->seconds < 1e-4   ? 2
		: cell->seconds < 1e-2 ? 1
				       : 0,
		cell->seconds * 1e6, cell->algbw * 1e-9, cell->busbw * 1e-9);
	report_members(report, "%g<mean_seconds> %g<best_seconds>", cell->seconds, cell->best);
}

static void report_cell(const struct report *row, const char *name, const struct cell *cell)
{
	struct report one = *row;
	if (cell->there)
		one = report_object(row, name);
	else
		add_text(row->json, name, NULL);
	if (!cell->there)
		one.json = NULL;
	report_timed(&one, cell);
	if (cell->checked)
		report_text(&one, " %s%8" PRIu64 "<wrong>%s",
			cell->wrong ? paint(one.text, RED) : "", cell->wrong,
			cell->wrong ? paint(one.text, PLAIN) : "");
	else
		report_text(&one, " %8s", "N/A");
	if (!cell->checked)
		add_text(one.json, "wrong", NULL);
}

static void report_row(const struct rows *rows, const struct row *row)
{
	const struct report one = report_item(&rows->list);
	if (row->schedule && row->schedule != rows->schedule)
		report_text(&one, "# %s%s%s\n", row->schedule,
			*row->digest ? ", order digest " : "", row->digest);
	if (row->schedule)
		report_members(&one, "%s<schedule>", row->schedule);
	report_members(&one, "%s<order_digest>", text_or_null(row->digest));
	report_text(&one,
		"%13" PRIu64 "<bytes>  %12" PRIu64 "<count>  %8s<type>  %6s<op>  %6d<root>",
		row->bytes, row->count, ordo_type_name(row->type), reduction_of(row),
		(int)root_of(row));
	for (int i = 0; i < 2; i++)
		report_cell(&one, forms[i], &row->cells[i]);
	report_text(&one, "\n");
}

static void print_csv_head(void)
{
	printf("operator,ranks,schedule,bytes,count,type,op,root");
	for (int i = 0; i < 2; i++)
		printf(",%s_us,%s_best_us,%s_algbw,%s_busbw,%s_wrong", forms[i], forms[i], forms[i],
			forms[i], forms[i]);
	putchar('\n');
}

/* Names in a set are plain: letters, digits, dots, hyphens and underscores. */
static void print_csv_row(const struct row *row)
{
	printf("%s,%" PRIu32 ",%s,%" PRIu64 ",%" PRIu64 ",%s,%s,%" PRId64,
		ordo_operator_facts(row->problem->op)->name, row->problem->nrank,
		row->schedule ? row->schedule : "", row->bytes, row->count,
		ordo_type_name(row->type), reduction_of(row), root_of(row));
	for (int i = 0; i < 2; i++) {
		const struct cell *cell = &row->cells[i];
		if (cell->ntimed)
			printf(",%.9g,%.9g,%.9g,%.9g", cell->seconds * 1e6, cell->best * 1e6,
				cell->algbw * 1e-9, cell->busbw * 1e-9);
		else
			printf(",,,,");
		putchar(',');
		if (cell->checked)
			printf("%" PRIu64, cell->wrong);
	}
	putchar('\n');
}

void begin_rows(struct rows *rows, const struct report *report, bool csv)
{
	*rows = (struct rows){.csv = csv, .list = report_list(report, "rows")};
	if (csv)
		print_csv_head();
	else
		report_head(report);
}

void add_row(struct rows *rows, const struct row *row)
{
	if (rows->csv)
		print_csv_row(row);
	else
		report_row(rows, row);
	fflush(stdout);
	rows->schedule = row->schedule;
	rows->nrow++;
	for (int i = 0; i < 2; i++) {
		rows->wrong += row->cells[i].wrong;
		rows->ncell += row->cells[i].ntimed > 0;
		rows->busbw_sum += row->cells[i].busbw;
	}
}

double average_busbw(const struct rows *rows)
{
	return rows->ncell ? rows->busbw_sum / rows->ncell : 0;
}
