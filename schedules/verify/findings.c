/* findings.c - collects broken rules, with their tasks. */
#include "verifier.h"
#include <ordo/arena.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool ordo_findings_full(const struct findings *findings)
{
	return findings->proof->nfinding >= findings->max;
}

struct where ordo_where_is(const struct verifier *verifier, uint32_t task)
{
	struct where where;
	ordo_task_locate(verifier->schedule, task, where.text, sizeof where.text);
	return where;
}

/* A deadlock is found last, and may be the cause of all the others: where there is no room it takes
 * the place of the last one. */
static bool has_place(const struct findings *findings, int rule)
{
	const struct ordo_proof *proof = findings->proof;
	return !ordo_findings_full(findings) ||
	       (rule == 7 && proof->nfinding && proof->findings[proof->nfinding - 1].rule != 7);
}

bool ordo_add_finding(struct findings *findings, int rule, const uint32_t *tasks, uint32_t ntask,
	const char *hint, const char *format, ...)
{
	struct ordo_proof *proof = findings->proof;
	if (!has_place(findings, rule))
		return true;
	va_list arguments, again;
	va_start(arguments, format);
	va_copy(again, arguments);
	int length = vsnprintf(NULL, 0, format, arguments);
	va_end(arguments);
	char *text = length < 0 ? NULL : ordo_arena_alloc(&proof->arena, (size_t)length + 1);
	uint32_t *witness = ordo_arena_alloc(&proof->arena, (size_t)ntask * sizeof *witness);
	bool worked = text && witness &&
		      ordo_array_reserve(&proof->findings, &findings->room,
			      (size_t)proof->nfinding + 1, sizeof *proof->findings);
	if (worked) {
		proof->nfinding -= ordo_findings_full(findings);
		vsnprintf(text, (size_t)length + 1, format, again);
		if (ntask)
			memcpy(witness, tasks, (size_t)ntask * sizeof *tasks);
		proof->findings[proof->nfinding++] = (struct ordo_finding){
			.rule = rule, .ntask = ntask, .tasks = witness, .text = text, .hint = hint};
	}
	va_end(again);
	return worked ? true : ordo_fail_memory(findings->error);
}

void ordo_finding_error(const struct ordo_schedule *schedule, const struct ordo_finding *finding,
	struct ordo_error *error)
{
	ordo_fail(error, ORDO_REFUTED, finding->rule, "%s", finding->text);
	if (finding->hint)
		ordo_hint(error, "%s", finding->hint);
	if (!error || !schedule->file)
		return;
	const char *file = schedule->file;
	if (finding->ntask && schedule->program_files) {
		uint32_t rank = schedule->streams[ordo_stream_of(schedule, finding->tasks[0])].rank;
		if (schedule->program_files[rank])
			file = schedule->program_files[rank];
	}
	snprintf(error->file, sizeof error->file, "%s", file);
	if (finding->ntask && schedule->places) {
		error->line = schedule->places[finding->tasks[0]].line;
		error->column = schedule->places[finding->tasks[0]].column;
	}
}
