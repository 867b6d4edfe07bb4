/* trace_write.c - writes runs as Chrome trace-event JSON, one event per line as it goes, so that
 * memory does not grow with the number of events. */
#include "trace_write.h"
#include "base/output.h"
#include "base/progress.h"
#include "report/execution.h"
#include <errno.h>
#include <inttypes.h>
#include <ordo/detail/trace.h>
#include <stdlib.h>
#include <string.h>

/* Tasks between two updates of the progress bar. */
enum { PROGRESS_STEP = 4096 };

/* The state of writing one plan's trace. Processes and threads are numbered after those of earlier
 * plans. */
struct tracing {
	FILE *out;
	const struct ordo_schedule *schedule;
	const struct ordo_plan *plan;
	const char *const *phases; /* [nphase] as JSON strings */
	struct ordo_trace_extent extent;
	uint64_t origin_ns, end_ns; /* of all tasks */
	uint32_t nth, nplan;
	uint64_t *ntask, *narrow; /* written */
	struct progress *progress;
};

bool accept_trace(struct call *call, const char *path)
{
	if (!path || (*path && strcmp(path, "-") != 0))
		return true;
	return refuse_usage(call, NULL,
		"--trace: found \"%s\", wanted the name of a file; stdout has the report", path);
}

/* As JSON, with its quotes. The caller frees it. NULL: no memory. */
static char *quote(const char *text)
{
	cJSON *string = cJSON_CreateStringReference(text);
	char *quoted = string ? cJSON_PrintUnformatted(string) : NULL;
	cJSON_Delete(string);
	return quoted;
}

static uint32_t process_of(const struct tracing *tracing, uint32_t rank)
{
	return tracing->nth * tracing->schedule->problem.nrank + rank;
}

/* From 1, because viewers treat thread 0 as idle. */
static uint64_t thread_of(const struct tracing *tracing, uint32_t stream)
{
	return (uint64_t)tracing->nth * tracing->schedule->nstream + stream + 1;
}

static void put_time(const struct tracing *tracing, const char *name, uint64_t ns)
{
	fprintf(tracing->out, ",\"%s\":%" PRIu64 ".%03u", name, ns / 1000, (unsigned)(ns % 1000));
}

static void put_place(const struct tracing *tracing, uint32_t stream)
{
	fprintf(tracing->out, ",\"pid\":%" PRIu32 ",\"tid\":%" PRIu64,
		process_of(tracing, tracing->schedule->streams[stream].rank),
		thread_of(tracing, stream));
}

static void name_rank(const struct tracing *tracing, uint32_t rank)
{
	const uint32_t process = process_of(tracing, rank);
	fprintf(tracing->out,
		"%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%" PRIu32
		",\"args\":{\"name\":\"rank %" PRIu32,
		process ? "," : "", process, rank);
	if (tracing->nplan > 1)
		fprintf(tracing->out, ", interleaving %" PRIu32, tracing->nth + 1);
	fprintf(tracing->out,
		"\"}},\n{\"ph\":\"M\",\"name\":\"process_sort_index\",\"pid\":%" PRIu32
		",\"args\":{\"sort_index\":%" PRIu32 "}}",
		process, process);
}

static bool name_stream(const struct tracing *tracing, uint32_t stream)
{
	char *name = quote(tracing->schedule->streams[stream].name);
	if (!name)
		return false;
	fputs(",\n{\"ph\":\"M\",\"name\":\"thread_name\"", tracing->out);
	put_place(tracing, stream);
	fprintf(tracing->out,
		",\"args\":{\"name\":%s}},\n{\"ph\":\"M\",\"name\":\"thread_sort_index\"", name);
	put_place(tracing, stream);
	fprintf(tracing->out, ",\"args\":{\"sort_index\":%" PRIu64 "}}",
		thread_of(tracing, stream));
	free(name);
	return true;
}

static bool name_all(const struct tracing *tracing)
{
	const struct ordo_schedule *schedule = tracing->schedule;
	bool worked = true;
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++)
		name_rank(tracing, rank);
	for (uint32_t stream = 0; worked && stream < schedule->nstream; stream++)
		worked = name_stream(tracing, stream);
	return worked;
}

/* When the first task began, and when the last one ended or, in an aborted run, began. */
static void find_bounds(struct tracing *tracing)
{
	struct ordo_traced_task traced;
	tracing->origin_ns = UINT64_MAX;
	tracing->end_ns = 0;
	for (uint64_t round = tracing->extent.begin; round < tracing->extent.end; round++)
		for (uint32_t task = 0; task < tracing->schedule->ntask; task++) {
			if (!ordo_plan_traced_task(tracing->plan, round, task, &traced))
				continue;
			const uint64_t last = traced.end_ns ? traced.end_ns : traced.begin_ns;
			tracing->origin_ns = traced.begin_ns < tracing->origin_ns
						     ? traced.begin_ns
						     : tracing->origin_ns;
			tracing->end_ns = last > tracing->end_ns ? last : tracing->end_ns;
		}
}

static void write_slice(const struct tracing *tracing, uint32_t stream, uint32_t task,
	uint64_t round, const struct ordo_traced_task *traced)
{
	const struct ordo_schedule *schedule = tracing->schedule;
	const struct ordo_task *facts = &schedule->tasks[task];
	const uint64_t per_call = tracing->extent.rounds_per_call,
		       end_ns = traced->end_ns ? traced->end_ns : tracing->end_ns;
	char text[128];
	ordo_task_print(facts, text, sizeof text);
	fprintf(tracing->out, ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":%s",
		ordo_task_kind_name((enum ordo_task_kind)facts->kind),
		facts->phase < schedule->nphase ? tracing->phases[facts->phase] : "\"no phase\"");
	put_place(tracing, stream);
	put_time(tracing, "ts", traced->begin_ns - tracing->origin_ns);
	put_time(tracing, "dur", end_ns - traced->begin_ns);
	fprintf(tracing->out, ",\"args\":{\"task\":\"%s\"", text);
	if (ordo_task_moves(facts))
		fprintf(tracing->out,
			",\"chunk\":%" PRIu32 ",\"chunks\":%" PRIu32 ",\"bytes\":%" PRIu64,
			facts->chunk, facts->count, traced->bytes);
	fprintf(tracing->out,
		",\"index\":%" PRIu32 ",\"call\":%" PRIu64 ",\"round\":%" PRIu64
		",\"worker\":%" PRIu32 "%s}}",
		task - schedule->streams[stream].first, round / per_call, round % per_call,
		traced->worker, traced->end_ns ? "" : ",\"unfinished\":true");
}

static void write_arrow_end(
	const struct tracing *tracing, const char *kind, uint32_t stream, uint64_t ns)
{
	fprintf(tracing->out, ",\n{\"ph\":%s,\"name\":\"token\",\"cat\":\"signal\",\"id\":%" PRIu64,
		kind, *tracing->narrow);
	put_place(tracing, stream);
	put_time(tracing, "ts", ns - tracing->origin_ns);
	fputs("}", tracing->out);
}

/* Perfetto reverses an arrow whose head begins before its tail, as a blocked Wait does; so the
 * arrow points to a separate slice inside the Wait, which begins when the token was sent. */
static void write_token(
	const struct tracing *tracing, uint32_t stream, uint64_t begin_ns, uint64_t end_ns)
{
	fputs(",\n{\"ph\":\"X\",\"name\":\"token\",\"cat\":\"signal\"", tracing->out);
	put_place(tracing, stream);
	put_time(tracing, "ts", begin_ns - tracing->origin_ns);
	put_time(tracing, "dur", end_ns - begin_ns);
	fputs("}", tracing->out);
}

/* Viewers bind the ends of an arrow to the innermost slices open at these times, so both times are
 * inside their slices. */
static void write_arrow(
	const struct tracing *tracing, uint32_t stream, const struct ordo_traced_task *wait)
{
	struct ordo_traced_task notify;
	if (!wait->end_ns || wait->notify == ORDO_NONE ||
		wait->notify_round < tracing->extent.begin ||
		!ordo_plan_traced_task(tracing->plan, wait->notify_round, wait->notify, &notify) ||
		!notify.end_ns)
		return;
	const uint64_t middle = notify.begin_ns + (notify.end_ns - notify.begin_ns) / 2;
	uint64_t to = wait->end_ns > wait->begin_ns ? wait->end_ns - 1 : wait->end_ns;
	uint64_t from = middle < to ? middle : to;
	from = from < notify.begin_ns ? notify.begin_ns : from;
	to = to < from ? from : to;
	++*tracing->narrow;
	if (wait->begin_ns <= notify.begin_ns && from < wait->end_ns)
		write_token(tracing, stream, from, wait->end_ns);
	write_arrow_end(tracing, "\"s\"", ordo_stream_of(tracing->schedule, wait->notify), from);
	write_arrow_end(tracing, "\"f\",\"bp\":\"e\"", stream, to);
}

static void write_stream(const struct tracing *tracing, uint32_t stream, uint64_t round)
{
	const struct ordo_stream *facts = &tracing->schedule->streams[stream];
	const uint64_t total = tracing->schedule->ntask *
			       (tracing->extent.end - tracing->extent.begin) * tracing->nplan;
	for (uint32_t task = facts->first; task < facts->end; task++) {
		struct ordo_traced_task traced;
		if (!ordo_plan_traced_task(tracing->plan, round, task, &traced))
			continue;
		write_slice(tracing, stream, task, round, &traced);
		if (tracing->schedule->tasks[task].kind == ORDO_WAIT)
			write_arrow(tracing, stream, &traced);
		if (++*tracing->ntask % PROGRESS_STEP == 0)
			show_progress(
				tracing->progress, "writing the trace", *tracing->ntask, total);
	}
}

static bool write_plan(struct tracing *tracing)
{
	tracing->extent = ordo_plan_trace_extent(tracing->plan);
	find_bounds(tracing);
	if (!name_all(tracing))
		return false;
	for (uint64_t round = tracing->extent.begin; round < tracing->extent.end; round++)
		for (uint32_t stream = 0; stream < tracing->schedule->nstream; stream++)
			write_stream(tracing, stream, round);
	return true;
}

/* Writes the description of the schedule. */
static bool write_head(const struct ordo_schedule *schedule, FILE *out)
{
	char *algorithm = quote(schedule->algorithm);
	if (!algorithm)
		return false;
	fprintf(out,
		"{\"otherData\":{\"writer\":\"ordo " ORDO_VERSION
		"\",\"operator\":\"%s\",\"algorithm\":%s,\"ranks\":%" PRIu32
		"},\n\"traceEvents\":[",
		ordo_operator_facts(schedule->problem.op)->name, algorithm,
		schedule->problem.nrank);
	free(algorithm);
	return true;
}

static char **quote_phases(const struct ordo_schedule *schedule)
{
	char **phases = calloc((size_t)schedule->nphase + 1, sizeof *phases);
	for (uint32_t i = 0; phases && i < schedule->nphase; i++)
		if (!(phases[i] = quote(schedule->phases[i]))) {
			while (i)
				free(phases[--i]);
			free(phases);
			return NULL;
		}
	return phases;
}

static void free_phases(const struct ordo_schedule *schedule, char **phases)
{
	for (uint32_t i = 0; phases && i < schedule->nphase; i++)
		free(phases[i]);
	free(phases);
}

static void report_trace(struct call *call, const char *path, uint64_t ntask, uint64_t narrow)
{
	struct report report = report_of(call, stdout);
	report.width = EXECUTION_WIDTH;
	const struct report trace = report_object(&report, "trace");
	report_line(&trace, "trace",
		"%" PRIu64 "<tasks> task%s and %" PRIu64 "<arrows> arrow%s to %s<file>", ntask,
		plural(ntask), narrow, plural(narrow), path);
}

static bool write_trace(struct call *call, const char *path, const struct ordo_schedule *schedule,
	const struct ordo_plan *const *plans, uint32_t nplan, struct ordo_error *error)
{
	struct output output;
	struct progress progress = {0};
	uint64_t ntask = 0, narrow = 0;
	if (!begin_output(&output, path, error))
		return false;
	char **phases = quote_phases(schedule);
	bool worked = phases && write_head(schedule, output.file);
	for (uint32_t i = 0; worked && i < nplan; i++) {
		struct tracing tracing = {.out = output.file,
			.schedule = schedule,
			.plan = plans[i],
			.phases = (const char *const *)phases,
			.nth = i,
			.nplan = nplan,
			.ntask = &ntask,
			.narrow = &narrow,
			.progress = &progress};
		worked = write_plan(&tracing);
	}
	fputs("\n]}\n", output.file);
	hide_progress(&progress);
	free_phases(schedule, phases);
	errno = worked ? errno : ENOMEM;
	if (!end_output(&output, worked, error))
		return false;
	report_trace(call, path, ntask, narrow);
	return true;
}

int deliver_trace(struct call *call, const char *path, const struct ordo_schedule *schedule,
	const struct ordo_plan *const *plans, uint32_t nplan, int status)
{
	struct ordo_error error;
	uint32_t nrecorded = 0;
	while (nrecorded < nplan && plans[nrecorded] &&
		ordo_plan_trace_extent(plans[nrecorded]).end)
		nrecorded++;
	if (!path || !nrecorded || write_trace(call, path, schedule, plans, nrecorded, &error))
		return status;
	if (status == ORDO_OK)
		return fail(call, &error);
	warn(call, "no trace was written: %s", error.text);
	return status;
}
