/* read.c - reads a table of counts, CSV or JSON. */
#include "counts.h"
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>

struct reader {
	struct counts_table *table;
	const char *text;
	size_t size, at;
	size_t line_begin; /* where the line begins */
	uint32_t line;
	struct ordo_error *error;
};

static char here(const struct reader *reader)
{
	return reader->at < reader->size ? reader->text[reader->at] : 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

static bool at_end(const struct reader *reader)
{
	return reader->at >= reader->size;
}

static void step(struct reader *reader)
{
	if (reader->text[reader->at++] != '\n')
		return;
	reader->line++;
	reader->line_begin = reader->at;
}

static void skip_blanks(struct reader *reader)
{
	while (!at_end(reader) && is_blank(here(reader)))
		step(reader);
}

static void skip_space(struct reader *reader)
{
	while (!at_end(reader) && (is_blank(here(reader)) || here(reader) == '\n'))
		step(reader);
}

/* At the reader's place: `what`, and what was found there. */
static bool refuse_here(struct reader *reader, const char *wanted)
{
	enum { MOST = 20 };
	char found[MOST + 4] = "";
	size_t length = 0;
	const size_t place = reader->at - reader->line_begin + 1;
	for (size_t i = reader->at; i < reader->size && !strchr(",;[] \t\r\n", reader->text[i]) &&
				    reader->text[i] && length < MOST;
		i++)
		found[length++] =
			reader->text[i] < ' ' || reader->text[i] > '~' ? '?' : reader->text[i];
	if (!length && !at_end(reader))
		found[length++] = here(reader) < ' ' || here(reader) > '~' ? '?' : here(reader);
	const bool line_ends = at_end(reader) || here(reader) == '\n' || here(reader) == '\r';
	ordo_fail(reader->error, *reader->table->file ? ORDO_BAD_INPUT : ORDO_USAGE, 0,
		"counts: found %s, wanted %s",
		at_end(reader) ? "the end"
		: line_ends    ? "the end of the line"
			       : found,
		wanted);
	if (reader->error && *reader->table->file) {
		memcpy(reader->error->file, reader->table->file, sizeof reader->error->file);
		reader->error->line = reader->line;
		reader->error->column = (uint32_t)(place < UINT32_MAX ? place : UINT32_MAX);
	}
	return false;
}

#define A_COUNT "a count of elements: digits, below 2^59"

static bool read_count(struct reader *reader)
{
	struct counts_table *table = reader->table;
	const size_t begin = reader->at;
	size_t end = begin;
	uint64_t count = 0;
	for (; end < reader->size && reader->text[end] >= '0' && reader->text[end] <= '9'; end++) {
		count = 10 * count + (uint64_t)(reader->text[end] - '0');
		if (count > ORDO_COUNTS_LIMIT)
			return refuse_here(reader, A_COUNT);
	}
	const bool ends = end == reader->size || !reader->text[end] ||
			  strchr(",;[] \t\r\n", reader->text[end]);
	if (end == begin || !ends || (end < reader->size && !reader->text[end]))
		return refuse_here(reader, A_COUNT);
	if (!ordo_array_reserve(
		    &table->counts, &table->count_room, table->ncount + 1, sizeof *table->counts))
		return ordo_fail_memory(reader->error);
	table->counts[table->ncount++] = count;
	reader->at = end;
	return true;
}

static bool begin_row(struct reader *reader)
{
	struct counts_table *table = reader->table;
	if (!ordo_array_reserve(
		    &table->rows, &table->row_room, table->nrow + 1, sizeof *table->rows))
		return ordo_fail_memory(reader->error);
	table->rows[table->nrow++] = (struct counts_row){.first = table->ncount,
		.end = table->ncount,
		.line = reader->line,
		.column = (uint32_t)(reader->at - reader->line_begin + 1)};
	return true;
}

static void end_row(struct reader *reader)
{
	reader->table->rows[reader->table->nrow - 1].end = reader->table->ncount;
}

/* Up to the end of the line, or behind its semicolon. */
static bool read_csv_row(struct reader *reader)
{
	if (!begin_row(reader))
		return false;
	for (;;) {
		if (!read_count(reader))
			return false;
		skip_blanks(reader);
		const char next = here(reader);
		if (at_end(reader) || next == '\n' || next == ';')
			break;
		if (next != ',')
			continue;
		step(reader);
		skip_blanks(reader);
	}
	end_row(reader);
	if (here(reader) == ';')
		step(reader);
	return true;
}

static bool read_csv(struct reader *reader)
{
	for (;;) {
		skip_space(reader);
		if (at_end(reader))
			return true;
		if (here(reader) == '#')
			while (!at_end(reader) && here(reader) != '\n')
				step(reader);
		else if (!read_csv_row(reader))
			return false;
	}
}

/* The counts of a JSON list behind its bracket, and the one that ends it. */
static bool read_json_row(struct reader *reader)
{
	if (!begin_row(reader))
		return false;
	skip_space(reader);
	for (bool first = true; first || here(reader) != ']'; first = false) {
		if (!first && here(reader) != ',')
			return refuse_here(reader, "a comma, or ] at the end of the list");
		if (!first)
			step(reader);
		skip_space(reader);
		if (first && here(reader) == ']')
			break;
		if (!read_count(reader))
			return false;
		skip_space(reader);
	}
	end_row(reader);
	step(reader);
	return true;
}

static bool read_json_rows(struct reader *reader)
{
	for (bool first = true; first || here(reader) != ']'; first = false) {
		if (!first && here(reader) != ',')
			return refuse_here(reader, "a comma, or ] at the end of the matrix");
		if (!first)
			step(reader);
		skip_space(reader);
		if (here(reader) != '[')
			return refuse_here(reader, "[, the begin of a row");
		step(reader);
		if (!read_json_row(reader))
			return false;
		skip_space(reader);
	}
	step(reader);
	return true;
}

static bool read_json(struct reader *reader)
{
	step(reader);
	skip_space(reader);
	if (here(reader) == '[' ? !read_json_rows(reader) : !read_json_row(reader))
		return false;
	skip_space(reader);
	return at_end(reader) || refuse_here(reader, "nothing behind the list");
}

bool counts_read(struct counts_table *table, const char *text, size_t size, const char *file,
	struct ordo_error *error)
{
	static const char mark[] = "\xef\xbb\xbf"; /* of UTF-8, which spreadsheets write */
	struct reader reader = {
		.table = table, .text = text, .size = size, .line = 1, .error = error};
	*table = (struct counts_table){.counts = NULL};
	snprintf(table->file, sizeof table->file, "%s", file ? file : "");
	if (size >= 3 && !memcmp(text, mark, 3))
		reader.at = reader.line_begin = 3;
	skip_space(&reader);
	return here(&reader) == '[' ? read_json(&reader) : read_csv(&reader);
}

void counts_free(struct counts_table *table)
{
	free(table->counts);
	free(table->rows);
	*table = (struct counts_table){.counts = NULL};
}

bool is_counts(const char *text)
{
	return text[strspn(text, "0123456789,;[]+-. \t\r\n")] == 0;
}
