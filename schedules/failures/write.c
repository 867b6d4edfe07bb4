/* write.c - failure sets as canonical JSON, and folders of them. */
#include "json/write/members.h"
#include <ordo/atomic_file.h>
#include <ordo/failure_sets.h>

static void print_table(struct ordo_printer *printer, const struct ordo_failure_state *state)
{
	ordo_print_string(printer, ", ", "algorithm", state->algorithm);
	ordo_print_string(printer, ",\n   ", "order_digest", state->order_digest);
	ordo_print_key(printer, ", ", "bound");
	ordo_print_key(printer, "{", "numerator");
	ordo_print_wide(printer, state->numerator);
	ordo_print_key(printer, ", ", "denominator");
	ordo_print_wide(printer, state->denominator);
	ordo_print_key(printer, ", ", "bandwidth_gbs");
	ordo_printer_real(printer, state->bandwidth_gbs);
	ordo_print_key(printer, "},\n   ", "time_ns");
	ordo_printer_real(printer, state->time_ns);
	ordo_print_key(printer, ", ", "price");
	ordo_printer_real(printer, state->price);
}

static void print_state(struct ordo_printer *printer, const struct ordo_failure_state *state)
{
	ordo_printer_text(printer, "\n  {");
	if (state->a != ORDO_NONE) {
		ordo_print_key(printer, "", "link");
		ordo_print_item(printer, "[", state->a);
		ordo_print_item(printer, ", ", state->b);
		ordo_printer_text(printer, "], ");
	}
	if (state->schedule) {
		ordo_print_string(printer, "", "schedule", state->schedule);
		print_table(printer, state);
	} else {
		ordo_print_key(printer, "", "schedule");
		ordo_printer_text(printer, "null");
	}
	ordo_printer_put(printer, "}", 1);
}

static bool print_set(
	const struct ordo_failure_set *set, FILE *out, const char *name, struct ordo_error *error)
{
	struct ordo_printer printer;
	if (!set->nstate)
		return ordo_fail(
			error, ORDO_USAGE, 1, "a failure set without states cannot be written");
	ordo_printer_begin(&printer, out);
	ordo_print_string(&printer, "{", "schema", "ordo/failure-set/1");
	ordo_print_string(&printer, ",\n ", "operator", ordo_operator_facts(set->problem.op)->name);
	ordo_print_ranks(&printer, &set->problem);
	ordo_print_in_place(&printer, &set->problem);
	ordo_print_key(&printer, ",\n ", "topology");
	ordo_print_string(&printer, "{", "name", set->topology_name);
	ordo_print_string(&printer, ", ", "digest", set->topology_digest);
	ordo_print_key(&printer, "}, ", "bytes");
	ordo_print_wide(&printer, set->bytes);
	ordo_print_extra(&printer, set->extra);
	ordo_printer_text(&printer, ",\n \"states\": [");
	for (uint32_t i = 0; i < set->nstate && !printer.failure; i++) {
		if (i)
			ordo_printer_put(&printer, ",", 1);
		print_state(&printer, &set->states[i]);
	}
	ordo_printer_text(&printer, "\n ]}\n");
	return ordo_print_end(&printer, name, error);
}

bool ordo_failure_set_print(const struct ordo_failure_set *set, FILE *out, struct ordo_error *error)
{
	return print_set(set, out, "", error);
}

bool ordo_failure_set_write(const struct ordo_failure_set *set,
	const struct ordo_topology *topology, const struct ordo_schedule *const *schedules,
	const char *path, struct ordo_error *error)
{
	struct ordo_atomic_file file;
	if (!ordo_atomic_begin_folder(&file, path, error))
		return false;
	bool worked = ordo_atomic_open(&file, "failure-set.json", error) &&
		      print_set(set, file.out, path, error) && ordo_atomic_close(&file, error) &&
		      ordo_atomic_open(&file, "topology.json", error) &&
		      ordo_topology_print(topology, file.out, error) &&
		      ordo_atomic_close(&file, error);
	for (uint32_t i = 0; worked && i < set->nstate; i++)
		if (set->states[i].schedule && ordo_failure_set_first(set, i) == i)
			worked = ordo_atomic_open(&file, set->states[i].schedule, error) &&
				 ordo_schedule_print(schedules[i], file.out, error) &&
				 ordo_atomic_close(&file, error);
	return ordo_atomic_end(&file, worked, error);
}
