/* log_file.c - reads the log of one rank. */
#include "log_file.h"
#include <errno.h>
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/detail/fail.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_text(const char *path, char **text, struct ordo_error *error)
{
	FILE *file = fopen(path, "re");
	long size = -1;
	if (file && !fseek(file, 0, SEEK_END))
		size = ftell(file);
	if (size >= 0 && (*text = malloc((size_t)size + 1))) {
		rewind(file);
		(*text)[fread(*text, 1, (size_t)size, file)] = 0;
	} else if (size >= 0) {
		ordo_fail_memory(error);
	} else {
		ordo_fail(error, ORDO_BAD_INPUT, 0, "cannot read %s: %s", path, strerror(errno));
	}
	if (file)
		fclose(file);
	return *text;
}

/* "12 0/8 MPI_Allreduce MPI_SUM MPI_DOUBLE 6 HASH HASH taken". */
static bool read_line(char *line, struct logged_call *found)
{
	const char **fields[] = {&found->communicator, &found->function, &found->operation,
		&found->datatype, &found->count, &found->input, &found->output, &found->class};
	char *rest = NULL, *end;
	const char *number = strtok_r(line, " ", &rest);
	if (!number)
		return false;
	found->number = strtoull(number, &end, 10);
	if (*end)
		return false;
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
		if (!(*fields[i] = strtok_r(NULL, " ", &rest)))
			return false;
	return !strtok_r(NULL, " ", &rest);
}

static int by_number(const void *one, const void *other)
{
	const struct logged_call *a = one, *b = other;
	return (a->number > b->number) - (a->number < b->number);
}

static bool refuse_line(struct ordo_error *error, const char *path, size_t line, const char *wanted)
{
	return ordo_fail(error, ORDO_BAD_INPUT, 0, "%s: line %zu: wanted %s", path, line, wanted);
}

/* The last line of a rank that was killed may be cut: it has no end, and does not count. */
static bool read_lines(struct log_file *log, char *at, const char *path, struct ordo_error *error)
{
	char *end;
	for (size_t line = 2; (end = strchr(at, '\n')); line++, at = end + 1) {
		*end = 0;
		if (!ordo_array_reserve(
			    &log->calls, &log->room, log->ncall + 1, sizeof *log->calls))
			return ordo_fail_memory(error);
		if (!read_line(at, &log->calls[log->ncall++]))
			return refuse_line(error, path, line, "a call with 9 fields");
	}
	if (log->ncall)
		qsort(log->calls, log->ncall, sizeof *log->calls, by_number);
	return true;
}

bool open_log(struct log_file *log, const char *folder, uint32_t rank, struct ordo_error *error)
{
	char path[4096];
	*log = (struct log_file){0};
	snprintf(path, sizeof path, "%s/rank-%" PRIu32 ".log", folder, rank);
	if (!read_text(path, &log->text, error))
		return false;
	char *end = strchr(log->text, '\n');
	if (!end ||
		sscanf(log->text, "# ordo mpi log 1, rank %" SCNu32 " of %" SCNu32, &log->rank,
			&log->nrank) != 2 ||
		log->rank != rank || rank >= log->nrank)
		return refuse_line(error, path, 1, "\"# ordo mpi log 1, rank R of N\"");
	return read_lines(log, end + 1, path, error);
}

void close_log(struct log_file *log)
{
	free(log->calls);
	free(log->text);
	*log = (struct log_file){0};
}
