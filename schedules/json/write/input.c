/* input.c - inputs as canonical JSON. */
#include "members.h"
#include <inttypes.h>
#include <ordo/atomic_file.h>
#include <ordo/detail/input.h>

static void print_head(struct ordo_printer *printer, const struct ordo_input *input)
{
	const struct ordo_problem *problem = &input->problem;
	ordo_print_string(printer, "{", "schema", "ordo/input/1");
	ordo_print_string(printer, ",\n ", "operator", ordo_operator_facts(problem->op)->name);
	ordo_print_ranks(printer, problem);
	ordo_print_number(printer, ", ", "chunks_per_block", problem->chunks_per_block);
	ordo_print_string(printer, ",\n ", "type", ordo_type_name(input->type));
	ordo_print_string(printer, ", ", "reduction", ordo_reduction_name(input->reduction));
	ordo_print_number(printer, ", ", "count", (uint32_t)input->count);
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
	ordo_print_number(printer, "\n  {", who, number);
	ordo_print_number(printer, ", ", "chunk", chunk);
	ordo_print_number(printer, ", ", "offset", (uint32_t)offset);
}

static bool print_input(
	const struct ordo_input *input, FILE *out, const char *name, struct ordo_error *error)
{
	struct ordo_printer printer;
	ordo_printer_begin(&printer, out);
	print_head(&printer, input);
	ordo_print_key(&printer, ",\n ", "elements");
	ordo_printer_put(&printer, "[", 1);
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
	return ordo_print_end(&printer, name, error);
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
