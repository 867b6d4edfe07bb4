/* replay.c - interleavings as canonical JSON. */
#include "members.h"
#include <ordo/atomic_file.h>

enum { RUNS_A_LINE = 16 };

static void print_tasks(struct ordo_printer *printer, const struct ordo_schedule *schedule,
	const struct ordo_replay *replay)
{
	ordo_printer_text(printer, ",\n \"tasks\": [");
	for (uint32_t i = 0; i < replay->ntask; i++) {
		const uint32_t task = replay->tasks[i].task,
			       stream = ordo_stream_of(schedule, task);
		ordo_print_number(printer, i ? ", {" : "{", "call", replay->tasks[i].call);
		ordo_print_number(printer, ", ", "stream", stream);
		ordo_print_number(printer, ", ", "task", task - schedule->streams[stream].first);
		ordo_printer_text(printer, "}");
	}
	ordo_printer_text(printer, "]");
}

void ordo_print_runs(
	struct ordo_printer *printer, const char *line, const struct ordo_interleaving *order)
{
	ordo_printer_put(printer, "[", 1);
	for (uint32_t i = 0; i < order->nrun; i++) {
		ordo_print_item(printer,
			!i		  ? "["
			: i % RUNS_A_LINE ? ", ["
					  : line,
			order->runs[i].stream);
		ordo_print_item(printer, ", ", order->runs[i].count);
		ordo_printer_put(printer, "]", 1);
	}
	ordo_printer_put(printer, "]", 1);
}

bool ordo_replay_print(const struct ordo_schedule *schedule, const struct ordo_replay *replay,
	FILE *out, struct ordo_error *error)
{
	struct ordo_printer printer;
	ordo_printer_begin(&printer, out);
	ordo_print_string(&printer, "{", "schema", "ordo/replay/1");
	ordo_print_string(&printer, ",\n ", "schedule", replay->digest);
	ordo_print_string(&printer, ", ", "shows", replay->shows);
	ordo_print_number(&printer, ", ", "calls", replay->ncall);
	ordo_print_string(&printer, ",\n ", "text", replay->text);
	print_tasks(&printer, schedule, replay);
	if (replay->memory_rank != ORDO_NONE) {
		ordo_print_number(&printer, ",\n \"memory\": {", "rank", replay->memory_rank);
		ordo_print_key(&printer, ", ", "slot");
		ordo_printer_put(&printer, "[", 1);
		ordo_printer_string(&printer, ordo_buffer_name(replay->memory_buffer));
		ordo_print_item(&printer, ", ", replay->memory_slot);
		ordo_printer_text(&printer, "]}");
	}
	ordo_printer_text(&printer, ",\n \"interleavings\": [");
	for (uint32_t i = 0; i < replay->ninterleaving; i++) {
		ordo_printer_text(&printer, i ? ",\n  " : "\n  ");
		ordo_print_runs(&printer, ",\n   [", &replay->interleavings[i]);
	}
	ordo_printer_text(&printer, "\n ]}\n");
	return ordo_print_end(&printer, "", error);
}

bool ordo_replay_write(const struct ordo_schedule *schedule, const struct ordo_replay *replay,
	const char *path, struct ordo_error *error)
{
	struct ordo_atomic_file file;
	return ordo_atomic_begin_file(&file, path, error) &&
	       ordo_atomic_end(&file, ordo_replay_print(schedule, replay, file.out, error), error);
}
