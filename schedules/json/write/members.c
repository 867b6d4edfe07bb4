/* members.c - members of the objects of documents, as canonical JSON. */
#include "members.h"
#include <errno.h>
#include <inttypes.h>
#include <ordo/atomic_file.h>
#include <ordo/detail/accumulate.h>

void ordo_print_key(struct ordo_printer *printer, const char *before, const char *key)
{
	ordo_printer_text(printer, before);
	ordo_printer_put(printer, "\"", 1);
	ordo_printer_text(printer, key);
	ordo_printer_put(printer, "\": ", 3);
}

void ordo_print_number(
	struct ordo_printer *printer, const char *before, const char *key, uint32_t number)
{
	ordo_print_key(printer, before, key);
	ordo_printer_number(printer, number);
}

void ordo_print_wide(struct ordo_printer *printer, uint64_t number)
{
	char text[32];
	const char *quote = number > UINT64_C(1) << 53 ? "\"" : "";
	snprintf(text, sizeof text, "%s%" PRIu64 "%s", quote, number, quote);
	ordo_printer_text(printer, text);
}

void ordo_print_string(
	struct ordo_printer *printer, const char *before, const char *key, const char *text)
{
	ordo_print_key(printer, before, key);
	ordo_printer_string(printer, text);
}

void ordo_print_item(struct ordo_printer *printer, const char *before, uint32_t number)
{
	ordo_printer_text(printer, before);
	ordo_printer_number(printer, number);
}

void ordo_print_ranks(struct ordo_printer *printer, const struct ordo_problem *problem)
{
	ordo_print_number(printer, ", ", "ranks", problem->nrank);
	if (ordo_operator_facts(problem->op)->rooted)
		ordo_print_number(printer, ", ", "root", problem->root);
	if (problem->nshard != problem->nrank)
		ordo_print_number(printer, ", ", "shards", problem->nshard);
}

void ordo_print_in_place(struct ordo_printer *printer, const struct ordo_problem *problem)
{
	ordo_print_key(printer, ", ", "in_place");
	ordo_printer_text(printer, problem->in_place ? "true" : "false");
	if (problem->accumulate)
		ordo_print_string(
			printer, ", ", "accumulate", ordo_accumulation_name(problem->accumulate));
}

void ordo_print_program_head(struct ordo_printer *printer, const char *schema,
	const struct ordo_problem *problem, const char *algorithm, uint32_t scratch_slots)
{
	ordo_print_string(printer, "{", "schema", schema);
	ordo_print_string(printer, ",\n ", "operator", ordo_operator_facts(problem->op)->name);
	ordo_print_string(printer, ", ", "algorithm", algorithm);
	ordo_print_ranks(printer, problem);
	ordo_print_number(printer, ",\n ", "chunks_per_block", problem->chunks_per_block);
	ordo_print_number(printer, ", ", "scratch_slots", scratch_slots);
	ordo_print_in_place(printer, problem);
}

void ordo_print_topology(struct ordo_printer *printer, const char *name, const char *digest)
{
	if (!name || !digest)
		return;
	ordo_print_string(printer, ",\n \"topology\": {", "name", name);
	ordo_print_string(printer, ", ", "digest", digest);
	ordo_printer_put(printer, "}", 1);
}

static void print_strings(struct ordo_printer *printer, const char *before, const char *key,
	const char *const *strings, uint32_t count)
{
	ordo_print_key(printer, before, key);
	for (uint32_t i = 0; i < count; i++) {
		ordo_printer_text(printer, i ? ", " : "[");
		ordo_printer_string(printer, strings[i]);
	}
	ordo_printer_put(printer, "]", 1);
}

void ordo_print_names(
	struct ordo_printer *printer, const char *key, const char *const *names, uint32_t count)
{
	if (count)
		print_strings(printer, ",\n ", key, names, count);
}

void ordo_print_via(struct ordo_printer *printer, const struct ordo_via *via)
{
	ordo_print_key(printer, ", ", "via");
	ordo_printer_put(printer, "[", 1);
	for (uint32_t i = 0; i < via->nswitch; i++)
		ordo_print_item(printer, i ? ", " : "", via->switches[i]);
	ordo_printer_put(printer, "]", 1);
	if (via->hop_classes)
		print_strings(printer, ", ", "class", via->hop_classes, via->nswitch + 1);
	else if (via->class_name)
		ordo_print_string(printer, ", ", "class", via->class_name);
}

void ordo_print_extra(struct ordo_printer *printer, const char *extra)
{
	if (!extra)
		return;
	ordo_print_key(printer, ",\n ", "x");
	ordo_printer_text(printer, extra);
}

bool ordo_print_end(struct ordo_printer *printer, const char *name, struct ordo_error *error)
{
	return ordo_printer_end(printer) ? true
					 : ordo_fail_file(error, name, "cannot write", errno);
}
