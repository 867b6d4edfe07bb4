/* plan_set.c - plan sets read, listed and verified. */
#include "plan_set.h"
#include "base/progress.h"
#include "cli/overwrite.h"
#include "plan_set_proof.h"
#include "proof.h"
#include <inttypes.h>
#include <ordo/detail/accumulate.h>
#include <string.h>

struct ordo_plan_set *open_set(struct call *call, const char *path)
{
	struct ordo_error error;
	struct ordo_plan_set *set = ordo_plan_set_read(path, &error);
	if (!set)
		call->status = fail(call, &error);
	if (!set || keep_set(call, set))
		return set;
	ordo_plan_set_destroy(set);
	return NULL;
}

struct ordo_schedule *open_range(struct call *call, const struct ordo_plan_set *set, uint32_t range)
{
	struct ordo_error error;
	struct progress progress = {0};
	const struct ordo_read_options options = {.progress = show_progress, .closure = &progress};
	show_progress(&progress, "reading", 0, 0);
	struct ordo_schedule *schedule = ordo_plan_set_open(set, range, &options, &error);
	hide_progress(&progress);
	return tame_schedule(call, schedule, &error);
}

/* One schedule at a time is in memory. */
static bool prove_ranges(
	struct call *call, struct set_proof *set_proof, const struct ordo_verify_options *options)
{
	bool worked = true;
	for (uint32_t i = 0; worked && i < set_proof->set->nrange; i++) {
		if (!set_proof->set->ranges[i].schedule ||
			ordo_plan_set_first(set_proof->set, i) != i)
			continue;
		struct ordo_schedule *schedule = open_range(call, set_proof->set, i);
		worked = schedule && prove_range(call, set_proof, i, schedule, options);
		ordo_schedule_destroy(schedule);
	}
	if (worked)
		conclude_set_proof(set_proof);
	return worked;
}

void report_set(const struct report *report, const struct ordo_plan_set *set)
{
	const struct ordo_problem *problem = &set->problem;
	const uint64_t first = set->ranges[0].from_bytes,
		       last = set->ranges[set->nrange - 1].to_bytes;
	report_text(report, "%s<operator>%s on %u<ranks> rank%s",
		ordo_operator_facts(problem->op)->name, problem->in_place ? " in place" : "",
		problem->nrank, plural(problem->nrank));
	if (ordo_operator_facts(problem->op)->rooted)
		report_text(report, ", root %u<root>", problem->root);
	if (problem->nshard != problem->nrank)
		report_text(report, ", %u<shards> shards", problem->nshard);
	report_members(report, "%d<in_place?>", problem->in_place);
	if (problem->accumulate)
		report_text(report, ", accumulates in %s<accumulate>",
			ordo_accumulation_name(problem->accumulate));
	report_text(report, ": %u range%s of sizes from %" PRIu64 " byte%s on", set->nrange,
		plural(set->nrange), first, plural(first));
	if (last != ORDO_ENDLESS)
		report_text(report, ", up to %" PRIu64, last);
	report_text(report, "\n");
}

static bool report_proved_set(struct call *call, const struct set_question *question,
	struct set_proof *set_proof, bool topology)
{
	const struct report report = report_of(call, stdout);
	report_text(&report, "%s: %s%s%s\n  ", question->path,
		paint(report.text, !set_proof->proved	 ? RED
				   : set_proof->nunknown ? YELLOW
							 : GREEN),
		!set_proof->proved    ? "refuted"
		: set_proof->nunknown ? "proved, but for sizes that it leaves to the library"
				      : "proved",
		paint(report.text, PLAIN));
	report_members(&report, "%s<file>", set_proof->set->file);
	report_set(&report, set_proof->set);
	report_ranges(&report, set_proof, NULL);
	if (set_proof->proved)
		report_line(&report, "rules",
			"R1-R%s hold in every interleaving of every schedule%s",
			topology ? "12" : "11",
			!topology			  ? "; R12 needs --topology"
			: question->options.through_ranks ? "; ranks forward data"
							  : "");
	return report_set_proof(call, &report, set_proof);
}

static int verify_read_set(
	struct call *call, const struct set_question *question, const struct ordo_plan_set *set)
{
	struct ordo_topology *topology;
	struct set_proof set_proof = {0};
	int status = ORDO_OK;
	if (!choose_topology(call, question->topology, set->problem.nrank, &topology))
		return call->status;
	struct ordo_verify_options options = question->options;
	options.topology = topology;
	if (!open_set_proof(call, &set_proof, set, question->arithmetic) ||
		!prove_ranges(call, &set_proof, &options) ||
		!report_proved_set(call, question, &set_proof, topology) ||
		!set_meets_conditions(call, &set_proof, question->conditions))
		status = call->status;
	close_set_proof(&set_proof);
	ordo_topology_destroy(topology);
	return status;
}

int verify_set(struct call *call, const struct set_question *question)
{
	struct ordo_plan_set *set = open_set(call, question->path);
	const int status = set ? verify_read_set(call, question, set) : call->status;
	ordo_plan_set_destroy(set);
	return status;
}

/* A range and the facts of its schedule. */
static bool list_range(
	struct call *call, const struct report *list, const struct ordo_plan_set *set, uint32_t i)
{
	const struct ordo_plan_range *range = &set->ranges[i];
	char sizes[64];
	if (!range->schedule) {
		const struct report one = report_item(list);
		add_sizes(one.json, range);
		report_text(
			&one, "  %s bytes: the library's own choice\n", sizes_text(sizes, range));
		add_text(one.json, "schedule", NULL);
		return true;
	}
	struct ordo_schedule *schedule = open_range(call, set, i);
	if (!schedule)
		return false;
	const struct report one = report_item(list);
	add_sizes(one.json, range);
	report_text(
		&one, "  %s bytes: %s<schedule>\n    ", sizes_text(sizes, range), range->schedule);
	report_schedule(&one, schedule);
	ordo_schedule_destroy(schedule);
	return true;
}

int list_set(struct call *call, const char *path)
{
	struct ordo_plan_set *set = open_set(call, path);
	bool worked = set;
	const struct report report = report_of(call, stdout), list = report_list(&report, "ranges");
	if (set)
		report_set(&(struct report){.text = report.text}, set);
	for (uint32_t i = 0; worked && i < set->nrange; i++)
		worked = list_range(call, &list, set, i);
	ordo_plan_set_destroy(set);
	return worked ? ORDO_OK : call->status;
}
