/* input_write.c - inputs as canonical JSON. */
#include "printer.h"
#include <errno.h>
#include <inttypes.h>
#include <ordo/atomic_file.h>
#include <ordo/detail/input.h>

/* `, "key": 7`, or as a string. */
static void print_member(struct ordo_printer *printer, const char *key, uint32_t number)
{
	ordo_printer_text(printer, ", \"");
	ordo_printer_text(printer, key);
	ordo_printer_text(printer, "\": ");
	ordo_printer_number(printer, number);
}

static void print_head(struct ordo_printer *printer, const struct ordo_input *input)
{
	const struct ordo_problem *problem = &input->problem;
	const struct ordo_operator_facts *facts = ordo_operator_facts(problem->op);
	ordo_printer_text(printer, "{\"schema\": \"ordo/input/1\",\n \"operator\": ");
	ordo_printer_string(printer, facts->name);
	print_member(printer, "ranks", problem->nrank);
	if (facts->rooted)
		print_member(printer, "root", problem->root);
	if (problem->nshard != problem->nrank)
		print_member(printer, "shards", problem->nshard);
	print_member(printer, "chunks_per_block", problem->chunks_per_block);
	ordo_printer_text(printer, ",\n \"type\": ");
	ordo_printer_string(printer, ordo_type_name(input->type));
	ordo_printer_text(printer, ", \"reduction\": ");
	ordo_printer_string(printer, ordo_reduction_name(input->reduction));
	print_member(printer, "count", (uint32_t)input->count);
}

/* Floats in hexadecimal: every bit is seen, and nothing is rounded. */
static void print_value(
	struct ordo_printer *printer, const struct ordo_input *input, union ordo_number number)
{
	char text[48];
	if (ordo_type_facts(input->type)->is_float)
		snprintf(text, sizeof text, "\"%a\"", number.real);
	else
		snprintf(text, sizeof text, "\"%" PRId64 "\"", number.integer);
	ordo_printer_text(printer, text);
}

static void print_place(struct ordo_printer *printer, const struct ordo_input *input,
	const char *who, uint32_t number, uint64_t position)
{
	uint32_t chunk;
	uint64_t offset;
	ordo_chunk_at(&input->problem, input->count, position, &chunk, &offset);
	ordo_printer_text(printer, "\n  {\"");
	ordo_printer_text(printer, who);
	ordo_printer_text(printer, "\": ");
	ordo_printer_number(printer, number);
	print_member(printer, "chunk", chunk);
	print_member(printer, "offset", (uint32_t)offset);
}

static bool print_input(
	const struct ordo_input *input, FILE *out, const char *name, struct ordo_error *error)
{
	struct ordo_printer printer;
	ordo_printer_begin(&printer, out);
	print_head(&printer, input);
	ordo_printer_text(&printer, ",\n \"elements\": [");
	for (uint32_t i = 0; i < input->nelement; i++) {
		print_place(&printer, input, "rank", input->elements[i].rank,
			input->elements[i].position);
		ordo_printer_text(&printer, i + 1 < input->nelement ? "}," : "}\n ]");
	}
	ordo_printer_text(&printer, ",\n \"rest\": ");
	print_value(&printer, input, input->rest);
	ordo_printer_text(&printer, ",\n \"values\": [");
	for (size_t i = 0; i < input->nvalue && !printer.failure; i++) {
		const struct ordo_input_value *value = &input->values[i];
		if (i)
			ordo_printer_put(&printer, ",", 1);
		print_place(&printer, input, "shard", value->shard, value->position);
		ordo_printer_text(&printer, ", \"value\": ");
		print_value(&printer, input, value->number);
		ordo_printer_put(&printer, "}", 1);
	}
	ordo_printer_text(&printer, input->nvalue ? "\n ]}\n" : "]}\n");
	return ordo_printer_end(&printer) ? true
					  : ordo_fail_file(error, name, "cannot write", errno);
}

bool ordo_input_print(const struct ordo_input *input, FILE *out, struct ordo_error *error)
{
	return print_input(input, out, "", error);
}

bool ordo_input_write(const struct ordo_input *input, const char *path, struct ordo_error *error)
{
	struct ordo_atomic_file file;
	if (!ordo_atomic_begin_file(&file, path, error))
		return false;
	const bool worked = print_input(input, file.out, path, error);
	return ordo_atomic_end(&file, worked, error);
}
