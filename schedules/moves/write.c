/* write.c - programs of moves as canonical JSON, one move a line. */
#include "json/write/members.h"
#include <ordo/atomic_file.h>
#include <ordo/detail/schedules.h>
#include <ordo/read_moves.h>
#include <string.h>

static void print_way(struct ordo_printer *printer, const struct ordo_moves_way *way)
{
	ordo_print_number(printer, "\n  {", "rank", way->rank);
	ordo_print_number(printer, ", ", "stream", way->stream);
	ordo_print_via(printer, way->via);
	ordo_printer_put(printer, "}", 1);
}

static void print_ways(struct ordo_printer *printer, const struct ordo_moves *moves)
{
	for (uint32_t i = 0; i < moves->nway; i++) {
		ordo_printer_text(printer, i ? "," : ",\n \"ways\": [");
		print_way(printer, &moves->ways[i]);
	}
	if (moves->nway)
		ordo_printer_put(printer, "]", 1);
}

/* Everything before the moves, up to and with the bracket that opens them. */
static void print_head(struct ordo_printer *printer, const struct ordo_moves *moves)
{
	const bool usual = moves->nstream == 1 && !strcmp(moves->streams[0], "main");
	ordo_print_program_head(
		printer, "ordo/moves/1", &moves->problem, moves->algorithm, moves->scratch_slots);
	ordo_print_topology(printer, moves->topology_name, moves->topology_digest);
	if (moves->source)
		ordo_print_string(printer, ",\n ", "source", moves->source);
	ordo_print_names(printer, "phases", moves->phases, moves->nphase);
	ordo_print_names(printer, "streams", moves->streams, usual ? 0 : moves->nstream);
	print_ways(printer, moves);
	ordo_print_extra(printer, moves->extra);
	ordo_printer_text(printer, ",\n \"moves\": [");
}

/* `, "from": [0, "input", 2]` */
static void print_end(struct ordo_printer *printer, const char *key, uint32_t rank, uint32_t buffer,
	uint32_t slot)
{
	ordo_print_key(printer, ", ", key);
	ordo_print_item(printer, "[", rank);
	ordo_printer_text(printer, ", \"");
	ordo_printer_text(printer, ordo_buffer_name((enum ordo_buffer)buffer));
	ordo_print_item(printer, "\", ", slot);
	ordo_printer_put(printer, "]", 1);
}

static void print_move(struct ordo_printer *printer, const struct ordo_moves_item *item)
{
	ordo_print_string(printer, "\n  {", "move", item->reduces ? "reduce" : "copy");
	print_end(printer, "from", item->src_rank, item->src_buffer, item->src);
	print_end(printer, "to", item->dst_rank, item->dst_buffer, item->dst);
	if (item->count != 1)
		ordo_print_number(printer, ", ", "count", item->count);
	if (item->stream)
		ordo_print_number(printer, ", ", "stream", item->stream);
	if (item->phase != ORDO_NO_PHASE)
		ordo_print_number(printer, ", ", "phase", item->phase);
	if (item->line)
		ordo_print_number(printer, ", ", "line", item->line);
	ordo_printer_put(printer, "}", 1);
}

static bool print_moves(
	const struct ordo_moves *moves, FILE *out, const char *name, struct ordo_error *error)
{
	struct ordo_printer printer;
	ordo_printer_begin(&printer, out);
	print_head(&printer, moves);
	for (uint32_t i = 0; i < moves->nitem && !printer.failure; i++) {
		if (i)
			ordo_printer_put(&printer, ",", 1);
		print_move(&printer, &moves->items[i]);
	}
	ordo_printer_text(&printer, "]}\n");
	return ordo_print_end(&printer, name, error);
}

bool ordo_moves_print(const struct ordo_moves *moves, FILE *out, struct ordo_error *error)
{
	return print_moves(moves, out, "", error);
}

bool ordo_moves_write(const struct ordo_moves *moves, const char *path, struct ordo_error *error)
{
	struct ordo_atomic_file file;
	if (!ordo_atomic_begin_file(&file, path, error))
		return false;
	const bool worked = print_moves(moves, file.out, path, error);
	return ordo_atomic_end(&file, worked, error);
}
