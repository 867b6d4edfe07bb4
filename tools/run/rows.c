/* rows.c - the rows of a table, for people, as CSV or as JSON. */
#include "rows.h"
#include <inttypes.h>

static const char *reduction_of(const struct row *row)
{
	return ordo_operator_facts(row->problem->op)->reduces ? ordo_reduction_name(row->reduction)
							      : "none";
}

/* -1, as nccl-tests has it: there is none. */
static int64_t root_of(const struct row *row)
{
	return ordo_operator_facts(row->problem->op)->rooted ? (int64_t)row->problem->root : -1;
}

static void print_head(void)
{
	printf("#\n#%57s%-36s%s\n", "", "          out-of-place", "            in-place");
	printf("# %11s  %12s  %8s  %6s  %6s", "size", "count", "type", "redop", "root");
	for (int i = 0; i < 2; i++)
		printf("  %9s %7s %7s %8s", "time", "algbw", "busbw", "#wrong");
	printf("\n# %11s  %12s  %8s  %6s  %6s", "(B)", "(elements)", "", "", "");
	printf("  %9s %7s %7s %8s  %9s %7s %7s\n", "(us)", "(GB/s)", "(GB/s)", "", "(us)", "(GB/s)",
		"(GB/s)");
}

static void print_cell(const struct cell *cell)
{
	if (cell->ntimed)
		printf("  %9.*f %7.2f %7.2f",
			cell->seconds < 1e-4   ? 2
			: cell->seconds < 1e-2 ? 1
					       : 0,
			cell->seconds * 1e6, cell->algbw * 1e-9, cell->busbw * 1e-9);
	else
		printf("  %9s %7s %7s", "N/A", "N/A", "N/A");
	if (cell->checked)
		printf(" %s%8" PRIu64 "%s", cell->wrong ? paint(stdout, RED) : "", cell->wrong,
			cell->wrong ? paint(stdout, PLAIN) : "");
	else
		printf(" %8s", "N/A");
}

static void print_row(struct rows *rows, const struct row *row)
{
	if (row->schedule && row->schedule != rows->schedule)
		printf("# %s%s%s\n", row->schedule, *row->digest ? ", order digest " : "",
			row->digest);
	printf("%13" PRIu64 "  %12" PRIu64 "  %8s  %6s  %6" PRId64, row->bytes, row->count,
		ordo_type_name(row->type), reduction_of(row), root_of(row));
	for (int i = 0; i < 2; i++)
		print_cell(&row->cells[i]);
	putchar('\n');
}

static const char *const forms[] = {"out_of_place", "in_place"};

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

static void add_cell(cJSON *object, const char *name, const struct cell *cell)
{
	if (!cell->there) {
		cJSON_AddNullToObject(object, name);
		return;
	}
	cJSON *json = cJSON_AddObjectToObject(object, name);
	if (cell->ntimed) {
		add_number(json, "mean_seconds", cell->seconds);
		add_number(json, "best_seconds", cell->best);
		add_number(json, "algbw_gigabytes_per_second", cell->algbw * 1e-9);
		add_number(json, "busbw_gigabytes_per_second", cell->busbw * 1e-9);
	}
	if (cell->checked)
		add_count(json, "wrong", cell->wrong);
	else
		cJSON_AddNullToObject(json, "wrong");
}

static void add_json_row(cJSON *list, const struct row *row)
{
	cJSON *json = cJSON_CreateObject();
	cJSON_AddItemToArray(list, json);
	if (row->schedule)
		add_text(json, "schedule", row->schedule);
	add_text(json, "order_digest", text_or_null(row->digest));
	add_count(json, "bytes", row->bytes);
	add_count(json, "count", row->count);
	add_text(json, "type", ordo_type_name(row->type));
	add_text(json, "op", reduction_of(row));
	add_number(json, "root", (double)root_of(row));
	for (int i = 0; i < 2; i++)
		add_cell(json, forms[i], &row->cells[i]);
}

void begin_rows(struct rows *rows, struct call *call, enum row_form form)
{
	*rows = (struct rows){.form = form};
	if (form == ROWS_FOR_PEOPLE)
		print_head();
	else if (form == ROWS_AS_CSV)
		print_csv_head();
	else
		rows->list = cJSON_AddArrayToObject(call->answer, "rows");
}

void add_row(struct rows *rows, const struct row *row)
{
	if (rows->form == ROWS_FOR_PEOPLE)
		print_row(rows, row);
	else if (rows->form == ROWS_AS_CSV)
		print_csv_row(row);
	else
		add_json_row(rows->list, row);
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
