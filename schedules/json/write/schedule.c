/* schedule.c - schedules as canonical JSON: equal schedules give equal bytes on every machine. */
#include "members.h"
#include <inttypes.h>
#include <ordo/atomic_file.h>
#include <ordo/detail/schedules.h>
#include <ordo/document.h>
#include <string.h>
#include <sys/stat.h>

#define PUT(at, literal) (memcpy(at, literal, sizeof literal - 1), (at) + sizeof literal - 1)

/* One end of a move: `, "src": ["input", 2]`. */
static char *put_end(char *at, bool source, uint32_t buffer, uint32_t slot)
{
	at = source ? PUT(at, ", \"src\": [\"") : PUT(at, ", \"dst\": [\"");
	switch ((enum ordo_buffer)buffer) {
	case ORDO_INPUT:
		at = PUT(at, "input\", ");
		break;
	case ORDO_OUTPUT:
		at = PUT(at, "output\", ");
		break;
	case ORDO_SCRATCH:
		at = PUT(at, "scratch\", ");
		break;
	}
	at = ordo_put_number(at, slot);
	*at = ']';
	return at + 1;
}

static char *put_kind(char *at, uint32_t kind)
{
	switch ((enum ordo_task_kind)kind) {
	case ORDO_LOCAL_COPY:
		return PUT(at, "    {\"task\": \"LocalCopy\"");
	case ORDO_LOCAL_REDUCE:
		return PUT(at, "    {\"task\": \"LocalReduce\"");
	case ORDO_SEND:
		return PUT(at, "    {\"task\": \"Send\", \"peer\": ");
	case ORDO_SEND_REDUCE:
		return PUT(at, "    {\"task\": \"SendReduce\", \"peer\": ");
	case ORDO_NOTIFY:
		return PUT(at, "    {\"task\": \"Notify\", \"peer\": ");
	case ORDO_WAIT:
		return PUT(at, "    {\"task\": \"Wait\", \"peer\": ");
	}
	return at;
}

static char *put_move(char *at, const struct ordo_task *task)
{
	at = PUT(at, ", \"chunk\": ");
	at = ordo_put_number(at, task->chunk);
	if (task->count != 1) {
		at = PUT(at, ", \"count\": ");
		at = ordo_put_number(at, task->count);
	}
	at = put_end(at, true, task->src_buffer, task->src);
	return put_end(at, false, task->dst_buffer, task->dst);
}

/* The line of one task, without what ends it: at most 200 bytes. */
static char *put_task(char *at, const struct ordo_task *task)
{
	at = put_kind(at, task->kind);
	if (ordo_task_crosses(task))
		at = ordo_put_number(at, task->peer);
	if (ordo_task_moves(task)) {
		at = put_move(at, task);
	} else {
		at = PUT(at, ", \"signal\": ");
		at = ordo_put_number(at, task->signal);
	}
	if (task->phase != ORDO_NO_PHASE) {
		at = PUT(at, ", \"phase\": ");
		at = ordo_put_number(at, task->phase);
	}
	*at = '}';
	return at + 1;
}

static bool fits(const struct ordo_schedule *schedule, const struct ordo_task *task)
{
	return task->kind < ORDO_NTASK_KIND && task->src_buffer < ORDO_NBUFFER &&
	       task->dst_buffer < ORDO_NBUFFER &&
	       (task->phase < schedule->nphase || task->phase == ORDO_NO_PHASE) &&
	       (task->count || !ordo_task_moves(task)) &&
	       (task->peer | task->chunk | task->count | task->src | task->dst) <= ORDO_LIMIT;
}

/* Each switch once, none a rank's number, and no more than a reader takes. */
static bool via_fits(const struct ordo_via *via, uint32_t nrank)
{
	bool fits = via->nswitch <= ORDO_MOST_VIA;
	for (uint32_t i = 0; fits && i < via->nswitch; i++) {
		fits = via->switches[i] >= nrank && via->switches[i] <= ORDO_LIMIT;
		for (uint32_t k = 0; fits && k < i; k++)
			fits = via->switches[k] != via->switches[i];
	}
	return fits;
}

/* Rejects what a document cannot express, so that everything written can be read. */
static bool check_writable(const struct ordo_schedule *schedule, struct ordo_error *error)
{
	for (uint32_t i = 0; schedule->vias && i < schedule->nstream; i++)
		if (schedule->vias[i] && !via_fits(schedule->vias[i], schedule->problem.nrank))
			return ordo_fail(error, ORDO_USAGE, 1,
				"stream \"%s\" of rank %" PRIu32
				" cannot be written: its way needs up to %d switches, each once, "
				"of %" PRIu32 " and above",
				schedule->streams[i].name, schedule->streams[i].rank, ORDO_MOST_VIA,
				schedule->problem.nrank);
	for (uint32_t i = 0; i < schedule->ntask; i++) {
		const struct ordo_task *task = &schedule->tasks[i];
		if (!fits(schedule, task)) {
			char text[128] = "of unknown kind";
			if (task->kind < ORDO_NTASK_KIND && task->src_buffer < ORDO_NBUFFER &&
				task->dst_buffer < ORDO_NBUFFER)
				ordo_task_print(task, text, sizeof text);
			return ordo_fail(error, ORDO_USAGE, 1,
				"task %" PRIu32 " (%s) cannot be written: wanted numbers up to %u, "
				"a count of 1 or more and a phase of the %" PRIu32 " there are",
				i, text, ORDO_LIMIT, schedule->nphase);
		}
	}
	return true;
}

/* Everything before the programs, up to and with the bracket that opens them. */
static void print_head(struct ordo_printer *printer, const struct ordo_schedule *schedule)
{
	ordo_print_program_head(printer, "ordo/schedule/1", &schedule->problem, schedule->algorithm,
		schedule->scratch_slots);
	if (schedule->staging)
		ordo_printer_text(printer, ", \"staging\": true");
	ordo_print_topology(printer, schedule->topology_name, schedule->topology_digest);
	ordo_print_names(printer, "phases", schedule->phases, schedule->nphase);
	ordo_print_extra(printer, schedule->extra);
	ordo_printer_text(printer, ",\n \"programs\": [");
}

static void print_stream(
	struct ordo_printer *printer, const struct ordo_schedule *schedule, uint32_t number)
{
	const struct ordo_stream *stream = &schedule->streams[number];
	ordo_print_string(printer, "\n   {", "name", stream->name);
	if (ordo_via_of(schedule, number))
		ordo_print_via(printer, ordo_via_of(schedule, number));
	ordo_printer_text(printer, ", \"tasks\": [");
	for (uint32_t i = stream->first; i < stream->end; i++) {
		ordo_printer_room(printer);
		char *at = printer->at;
		if (i > stream->first)
			*at++ = ',';
		*at++ = '\n';
		printer->at = put_task(at, &schedule->tasks[i]);
	}
	ordo_printer_text(printer, stream->first == stream->end ? "]}" : "\n   ]}");
}

static void print_program(
	struct ordo_printer *printer, const struct ordo_schedule *schedule, uint32_t rank)
{
	const struct ordo_program *program = &schedule->programs[rank];
	ordo_print_number(printer, "{", "rank", rank);
	ordo_printer_text(printer, ", \"streams\": [");
	for (uint32_t i = program->first_stream; i < program->end_stream; i++) {
		if (i > program->first_stream)
			ordo_printer_put(printer, ",", 1);
		print_stream(printer, schedule, i);
	}
	ordo_printer_text(printer, "]}");
}

/* The progress callback of the caller, which may be NULL. */
struct progress_call {
	ordo_progress *report;
	void *closure;
};

static void report(const struct progress_call *progress, uint32_t done, uint32_t total)
{
	if (progress->report && (done % 16 == 0 || done == total))
		progress->report(progress->closure, "writing", done, total);
}

static bool print_file(const struct ordo_schedule *schedule, FILE *out, const char *name,
	const struct progress_call *progress, struct ordo_error *error)
{
	struct ordo_printer printer;
	ordo_printer_begin(&printer, out);
	print_head(&printer, schedule);
	for (uint32_t rank = 0; rank < schedule->problem.nrank && !printer.failure; rank++) {
		ordo_printer_text(&printer, rank ? ",\n  " : "\n  ");
		print_program(&printer, schedule, rank);
		report(progress, rank + 1, schedule->problem.nrank);
	}
	ordo_printer_text(&printer, "]}\n");
	return ordo_print_end(&printer, name, error);
}

bool ordo_schedule_print(const struct ordo_schedule *schedule, FILE *out, struct ordo_error *error)
{
	return check_writable(schedule, error) &&
	       print_file(schedule, out, "", &(struct progress_call){0}, error);
}

static bool write_file(const struct ordo_schedule *schedule, const char *path,
	const struct progress_call *progress, struct ordo_error *error)
{
	struct ordo_atomic_file file;
	if (!ordo_atomic_begin_file(&file, path, error))
		return false;
	bool worked = print_file(schedule, file.out, path, progress, error);
	return ordo_atomic_end(&file, worked, error);
}

/* The name of a rank's file, as wide as the largest rank: `rank-007.json`. */
static const char *name_program(char name[32], uint32_t rank, uint32_t nrank)
{
	int width = snprintf(NULL, 0, "%" PRIu32, nrank - 1);
	snprintf(name, 32, "rank-%0*" PRIu32 ".json", width, rank);
	return name;
}

/* `schedule.json` of the folder form: `programs` lists the files. */
static bool print_index(
	const struct ordo_schedule *schedule, FILE *out, const char *name, struct ordo_error *error)
{
	struct ordo_printer printer;
	ordo_printer_begin(&printer, out);
	print_head(&printer, schedule);
	for (uint32_t rank = 0; rank < schedule->problem.nrank; rank++) {
		char file[32];
		ordo_printer_text(&printer, rank ? ",\n  " : "\n  ");
		ordo_printer_string(&printer, name_program(file, rank, schedule->problem.nrank));
	}
	ordo_printer_text(&printer, "]}\n");
	return ordo_print_end(&printer, name, error);
}

static bool print_rank(const struct ordo_schedule *schedule, uint32_t rank, FILE *out,
	const char *name, struct ordo_error *error)
{
	struct ordo_printer printer;
	ordo_printer_begin(&printer, out);
	print_program(&printer, schedule, rank);
	ordo_printer_put(&printer, "\n", 1);
	return ordo_print_end(&printer, name, error);
}

static bool write_folder(const struct ordo_schedule *schedule, const char *path,
	const struct progress_call *progress, struct ordo_error *error)
{
	struct ordo_atomic_file file;
	if (!ordo_atomic_begin_folder(&file, path, error))
		return false;
	bool worked = ordo_atomic_open(&file, "schedule.json", error) &&
		      print_index(schedule, file.out, path, error) &&
		      ordo_atomic_close(&file, error);
	for (uint32_t rank = 0; worked && rank < schedule->problem.nrank; rank++) {
		char name[32];
		worked = ordo_atomic_open(
				 &file, name_program(name, rank, schedule->problem.nrank), error) &&
			 print_rank(schedule, rank, file.out, path, error) &&
			 ordo_atomic_close(&file, error);
		report(progress, rank + 1, schedule->problem.nrank);
	}
	return ordo_atomic_end(&file, worked, error);
}

static bool ends_in_json(const char *path)
{
	size_t length = strlen(path);
	return length >= 5 && !strcmp(path + length - 5, ".json");
}

/* A device or a pipe takes one file, whatever its name. */
static bool is_device(const char *path)
{
	struct stat facts;
	return !stat(path, &facts) && !S_ISDIR(facts.st_mode) && !S_ISREG(facts.st_mode);
}

bool ordo_schedule_write(const struct ordo_schedule *schedule, const char *path,
	ordo_progress *progress, void *closure, struct ordo_error *error)
{
	struct progress_call call = {progress, closure};
	if (!check_writable(schedule, error))
		return false;
	return ends_in_json(path) || is_device(path) ? write_file(schedule, path, &call, error)
						     : write_folder(schedule, path, &call, error);
}
