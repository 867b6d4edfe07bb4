/* plan_set_files.c - from the selection for each size to a proved plan set in a folder. */
#include "plan_set_files.h"
#include "report/plan_set.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool read_sizes(struct call *call, const char *text, uint64_t *from_bytes, uint64_t *to_bytes)
{
	char first[32];
	const size_t length = strcspn(text, ":");
	bool worked = text[length] && length < sizeof first, too_many = false;
	if (worked) {
		memcpy(first, text, length);
		first[length] = 0;
		const char *last = text + length + 1;
		*to_bytes = ORDO_ENDLESS;
		worked = is_size(first) && (!*last || is_size(last));
		too_many = worked &&
			   (!read_size(first, from_bytes) || *from_bytes > ORDO_BYTES_LIMIT ||
				   (*last && (!read_size(last, to_bytes) ||
						     *to_bytes > ORDO_BYTES_LIMIT)));
	}
	if (too_many)
		return refuse_usage(call, NULL,
			"--sizes: found %s, wanted sizes of at most %" PRIu64, text,
			ORDO_BYTES_LIMIT);
	if (!worked)
		return refuse_usage(call,
			"KiB, MiB and GiB are powers of 1024; kB, MB and GB of 1000",
			"--sizes: found %s, wanted the first and the last size such as 1:1GiB, or "
			"1: for all sizes from 1",
			*text ? text : "nothing");
	if (*from_bytes > *to_bytes)
		return refuse_usage(
			call, NULL, "--sizes: found %s, wanted the smaller size first", text);
	return true;
}

bool read_set_output(struct call *call, const char *output)
{
	const size_t length = output ? strlen(output) : 0;
	if (output && !(length >= 5 && !strcmp(output + length - 5, ".json")))
		return true;
	return refuse_usage(call, "the set and its schedules are written into it",
		"--output: found %s, wanted the name of a folder", output ? output : "none");
}

bool prove_selection(struct call *call, struct made_set *made,
	const struct ordo_selection *selection, const struct ordo_selection_wish *args,
	const struct conditions *conditions)
{
	const struct ordo_verify_options options = {
		.topology = args->topology, .limits.tokens_in_flight = args->max_tokens};
	struct ordo_error error;
	made->set = ordo_selection_plan_set(selection, &args->problem, &error);
	if (!made->set)
		return refuse_error(call, &error);
	const struct arithmetic sums = usual_sums(&args->problem);
	if (!open_set_proof(call, &made->set_proof, made->set, &sums))
		return false;
	for (uint32_t i = 0; i < made->set->nrange; i++)
		if (!prove_range(
			    call, &made->set_proof, i, selection->ranges[i].schedule, &options))
			return false;
	conclude_set_proof(&made->set_proof);
	return set_meets_conditions(call, &made->set_proof, conditions);
}

bool write_selection(struct call *call, const struct made_set *made,
	const struct ordo_selection *selection, const char *output)
{
	struct ordo_error error;
	const struct ordo_schedule **schedules = calloc(selection->nrange, sizeof *schedules);
	bool worked = schedules ? true : ordo_fail_memory(&error);
	for (uint32_t i = 0; worked && i < selection->nrange; i++)
		schedules[i] = selection->ranges[i].schedule;
	worked = worked && ordo_plan_set_write(made->set, schedules, output, &error);
	free(schedules);
	return worked ? true : refuse_error(call, &error);
}

void end_made(struct made_set *made)
{
	free(made->costs);
	close_set_proof(&made->set_proof);
	ordo_plan_set_destroy(made->set);
}

void report_made(const struct report *report, const struct made_set *made)
{
	const struct ordo_problem *problem = &made->set->problem;
	report_text(report, "%s on %u rank%s: %u schedule%s, %sproved%s in every interleaving\n",
		ordo_operator_facts(problem->op)->name, problem->nrank, plural(problem->nrank),
		made->set->nrange, plural(made->set->nrange), paint(report->text, GREEN),
		paint(report->text, PLAIN));
	report_set(&(struct report){.json = report->json}, made->set);
	report_ranges(report, &made->set_proof, made->costs);
}
