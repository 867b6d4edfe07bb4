/* plan_set.c - plan sets as canonical JSON, and folders of them. */
#include "members.h"
#include <inttypes.h>
#include <ordo/atomic_file.h>
#include <ordo/plan_set.h>
#include <string.h>

static void print_range(struct ordo_printer *printer, const struct ordo_plan_range *range)
{
	ordo_print_key(printer, "\n  {", "from_bytes");
	ordo_print_wide(printer, range->from_bytes);
	if (range->to_bytes != ORDO_ENDLESS) {
		ordo_print_key(printer, ", ", "to_bytes");
		ordo_print_wide(printer, range->to_bytes);
	}
	if (range->schedule) {
		ordo_print_string(printer, ", ", "schedule", range->schedule);
	} else {
		ordo_print_key(printer, ", ", "schedule");
		ordo_printer_text(printer, "null");
	}
	ordo_printer_put(printer, "}", 1);
}

static void print_head(struct ordo_printer *printer, const struct ordo_plan_set *set)
{
	const struct ordo_problem *problem = &set->problem;
	ordo_print_string(printer, "{", "schema", "ordo/plan-set/1");
	ordo_print_string(printer, ",\n ", "operator", ordo_operator_facts(problem->op)->name);
	ordo_print_ranks(printer, problem);
	ordo_print_in_place(printer, problem);
	ordo_print_extra(printer, set->extra);
}

static bool print_set(
	const struct ordo_plan_set *set, FILE *out, const char *name, struct ordo_error *error)
{
	struct ordo_printer printer;
	if (!set->nrange)
		return ordo_fail(
			error, ORDO_USAGE, 1, "a plan set without ranges cannot be written");
	ordo_printer_begin(&printer, out);
	print_head(&printer, set);
	ordo_printer_text(&printer, ",\n \"ranges\": [");
	for (uint32_t i = 0; i < set->nrange && !printer.failure; i++) {
		if (i)
			ordo_printer_put(&printer, ",", 1);
		print_range(&printer, &set->ranges[i]);
	}
	ordo_printer_text(&printer, "\n ]}\n");
	return ordo_print_end(&printer, name, error);
}

bool ordo_plan_set_print(const struct ordo_plan_set *set, FILE *out, struct ordo_error *error)
{
	return print_set(set, out, "", error);
}

/* Only files with these names can be replaced later (atomic_file.c). */
static bool check_names(const struct ordo_plan_set *set, struct ordo_error *error)
{
	for (uint32_t i = 0; i < set->nrange; i++)
		if (set->ranges[i].schedule && !ordo_is_range_name(set->ranges[i].schedule))
			return ordo_fail(error, ORDO_USAGE, 0,
				"the schedule \"%.200s\" cannot be written into the folder of a "
				"set: wanted a name such as range-0.json",
				set->ranges[i].schedule);
	return true;
}

bool ordo_plan_set_write(const struct ordo_plan_set *set,
	const struct ordo_schedule *const *schedules, const char *path, struct ordo_error *error)
{
	struct ordo_atomic_file file;
	if (!check_names(set, error) || !ordo_atomic_begin_folder(&file, path, error))
		return false;
	bool worked = ordo_atomic_open(&file, "plan-set.json", error) &&
		      print_set(set, file.out, path, error) && ordo_atomic_close(&file, error);
	for (uint32_t i = 0; worked && i < set->nrange; i++)
		if (set->ranges[i].schedule && ordo_plan_set_first(set, i) == i)
			worked = ordo_atomic_open(&file, set->ranges[i].schedule, error) &&
				 ordo_schedule_print(schedules[i], file.out, error) &&
				 ordo_atomic_close(&file, error);
	return ordo_atomic_end(&file, worked, error);
}
