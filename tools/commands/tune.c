/* tune.c - `ordo tune`: the fastest schedule for every size of a range, by simulation, as a plan
 * set. */
#include "base/clock.h"
#include "choose/plan_set_files.h"
#include "choose/tuning.h"
#include "cli/memory_limit.h"
#include "cli/problem.h"
#include "commands.h"
#include "plugin/shared_object.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct args {
	struct problem_options what;
	struct predicting setting; /* without its size */
	struct conditions conditions;
	const char *algorithm; /* of a shared object: it competes with the others; NULL */
	const char *sizes, *output;
	uint32_t max_tokens, staging_slots; /* as in a request */
	bool candidates;		    /* list the candidates too */
};

/* The selection and the plan set made of it. */
struct making {
	struct predicted predicted;
	struct ordo_tuning tuning;
	struct made_set made;
};

static bool find_costs(struct call *call, struct making *making)
{
	const uint32_t nrange = making->tuning.selection.nrange;
	struct range_cost *costs = calloc(nrange, sizeof *costs);
	for (uint32_t i = 0; costs && i < nrange; i++)
		costs[i] = (struct range_cost){making->tuning.ranges[i].times.first,
			making->tuning.ranges[i].times.last, NULL};
	making->made.costs = costs;
	return costs ? true : refuse_memory(call);
}

/* The longest name in the tables of a tuning. */
static int widest_shown(const struct ordo_tuning *tuning)
{
	int width = 9;
	for (uint32_t i = 0; i < tuning->selection.nrange; i++) {
		const uint32_t shown[] = {tuning->ranges[i].contender, tuning->ranges[i].runner_up};
		for (int k = 0; k < 2; k++) {
			char text[128];
			const int length =
				shown[k] == ORDO_NONE
					? 0
					: (int)strlen(contender_text(text, tuning, shown[k]));
			width = length > width ? length : width;
		}
	}
	return width;
}

/* Both sides of each size at which the fastest changes. */
static void report_crossovers(const struct report *report, const struct ordo_tuning *tuning)
{
	const uint32_t nrange = tuning->selection.nrange;
	const int width = widest_shown(tuning);
	if (nrange > 1)
		report_text(report, "  %14s  %-*s  %12s  %12s\n", "crossover", width, "fastest",
			"before, us", "after, us");
	for (uint32_t i = 1; i < nrange; i++) {
		const struct ordo_tuned *range = &tuning->ranges[i], *before = range - 1;
		const uint64_t bytes = tuning->selection.ranges[i].from_bytes;
		char name[128];
		report_text(report, "  %14" PRIu64 "  %-*s  %12.6f  %12.6f\n", bytes - 1, width,
			contender_text(name, tuning, before->contender), before->times.last * 1e6,
			range->early * 1e6);
		report_text(report, "  %14" PRIu64 "  %-*s  %12.6f  %12.6f\n", bytes, width,
			contender_text(name, tuning, range->contender), range->before * 1e6,
			range->times.first * 1e6);
	}
}

static void report_runner_up(const struct report *row, const struct ordo_tuning *tuning,
	const struct ordo_tuned *range, int width)
{
	const struct ordo_contender *second = &tuning->contenders[range->runner_up];
	const double middle = range->runner_up_times.middle;
	const struct report other = report_object(row, "runner_up");
	char name[128];
	report_members(&other, "%s<algorithm> %u<chunks_per_block>", second->algorithm,
		second->chunks_per_block);
	report_text(&other, "  %-*s  %10g<middle_seconds:time>  %6.2f", width,
		contender_text(name, tuning, range->runner_up), middle,
		range->times.middle > 0 ? middle / range->times.middle : 1);
}

/* The advantage of each range's fastest over the next best, in its middle. */
static void report_margins(const struct report *report, const struct ordo_tuning *tuning)
{
	const int width = widest_shown(tuning);
	const struct report list = report_list(report, "tuned");
	report_text(report, "  %14s  %-*s  %10s  %-*s  %10s  %6s\n", "in the middle", width,
		"fastest", "predicted", width, "runner-up", "predicted", "ratio");
	for (uint32_t i = 0; i < tuning->selection.nrange; i++) {
		const struct ordo_tuned *range = &tuning->ranges[i];
		const struct ordo_contender *one = &tuning->contenders[range->contender];
		const struct report row = report_item(&list);
		char name[128];
		report_members(&row,
			"%" PRIu64 "<from_bytes> %s<algorithm> %u<chunks_per_block> "
			"%g<first_seconds> %g<last_seconds>",
			tuning->selection.ranges[i].from_bytes, one->algorithm,
			one->chunks_per_block, range->times.first, range->times.last);
		if (i)
			report_members(&row, "%g<before_at_first_seconds> %g<a_byte_less_seconds>",
				range->before, range->early);
		report_text(&row, "  %14" PRIu64 "<middle_bytes>  %-*s  %10g<middle_seconds:time>",
			range->middle_bytes, width, contender_text(name, tuning, range->contender),
			range->times.middle);
		if (range->runner_up != ORDO_NONE)
			report_runner_up(&row, tuning, range, width);
		report_text(&row, "\n");
	}
}

static void report_tuning(
	const struct report *report, const struct args *args, const struct ordo_tuning *tuning)
{
	struct report price = report_object(report, "price");
	report_crossovers(report, tuning);
	report_margins(report, tuning);
	if (!has_conditions(&args->conditions) && !args->conditions.constant)
		price.text = NULL;
	report_line(&price, "price of conditions",
		"at most %.4g<most> times the fastest of all, at %" PRIu64 "<bytes> bytes",
		tuning->selection.price, tuning->selection.price_bytes);
	report_members(report, "%u<sizes_simulated> %" PRIu64 "<predictions>", tuning->nsize,
		tuning->nprediction);
}

static void report_candidates(const struct report *report, const struct ordo_tuning *tuning)
{
	report_text(report, "at %" PRIu64 " bytes:\n", tuning->first_bytes);
	report_contenders(report, tuning);
}

/* What the sizes mean where blocks are unequal. */
static void report_proportions(const struct report *report, const struct counts *counts)
{
	if (!counts->given)
		return;
	report_counts(report, counts);
	report_line(report, "sizes", "each in these proportions, elements divisible");
}

static bool report_making(
	struct call *call, const struct args *args, struct making *making, double taken)
{
	const struct ordo_tuning *tuning = &making->tuning;
	const struct ordo_topology *topology = making->predicted.topology;
	const struct report report = report_of(call, stdout), effort = report_of(call, stderr);
	report_made(&report, &making->made);
	report_proportions(&report, &making->predicted.counts);
	report_tuning(&report, args, tuning);
	if (!report_set_proof(call, &report, &making->made.set_proof))
		return false;
	if (call->json || args->candidates)
		report_candidates(&report, tuning);
	if (!call->json)
		note(call, "%u candidates at %u sizes on %s: %" PRIu64 " schedules simulated",
			tuning->ncontender, tuning->nsize,
			topology ? topology->name : "a link between every two ranks",
			tuning->nprediction);
	report_text(&effort, "chosen, compiled%s in %g<seconds:time>%s",
		args->output ? ", proved and written" : " and proved", taken,
		args->output ? " to " : "; --output FOLDER keeps it\n");
	if (args->output)
		report_text(&effort, "%s\n", args->output);
	report_members(&effort, "%s<output>", args->output);
	return true;
}

static bool tune_sizes(struct call *call, const struct args *args,
	const struct tuning_options *fastest, struct making *making)
{
	const double began = clock_seconds();
	const struct ordo_selection_wish selected = {.problem = args->what.problem,
		.topology = making->predicted.topology,
		.max_tokens = args->max_tokens};
	struct ordo_selection *selection = &making->tuning.selection;
	note_assumption(call, &args->setting, args->what.problem.nrank, &making->predicted);
	return find_fastest(call, fastest, &making->predicted, &making->tuning) &&
	       find_costs(call, making) &&
	       prove_selection(call, &making->made, selection, &selected, &args->conditions) &&
	       (!args->output || write_selection(call, &making->made, selection, args->output)) &&
	       report_making(call, args, making, clock_seconds() - began);
}

static int tune_with(struct call *call, struct args *args)
{
	struct making making = {.made = {.set = NULL}};
	struct tuning_options fastest = {.setting = &args->setting,
		.conditions = &args->conditions,
		.max_tokens = args->max_tokens,
		.staging_slots = args->staging_slots};
	if (!read_problem(call, &args->setting.topology, &args->what) ||
		!read_conditions(call, &args->conditions, &args->what.problem) ||
		!read_sizes(call, args->sizes, &fastest.from_bytes, &fastest.to_bytes) ||
		(args->output && !read_set_output(call, args->output)))
		return call->status;
	fastest.problem = args->what.problem;
	const bool worked =
		open_predicted(call, &args->setting, &args->what.problem, &making.predicted) &&
		tune_sizes(call, args, &fastest, &making);
	end_made(&making.made);
	ordo_tuning_free(&making.tuning);
	close_predicted(&making.predicted);
	return worked ? ORDO_OK : call->status;
}

static int tune(struct call *call)
{
	struct args args = {.setting.bytes = UNSET_SIZE, .sizes = "1:1GiB"};
	const struct option options[] = {
		{"algorithm", 'a', TEXT, &args.algorithm, "OBJECT",
			"also try the algorithm of a shared object, ./mine.so"},
		PROBLEM_OPTIONS(args.what),
		TOPOLOGY_OPTIONS(args.setting.topology),
		CONDITION_OPTIONS(args.conditions),
		{"sizes", 0, TEXT, &args.sizes, "A:B",
			"the sizes, in bytes of a rank's larger buffer; A: has no end (1:1GiB)"},
		COUNTS_OPTION(args.setting.counts),
		COST_OPTIONS(args.setting),
		DEVICE_OPTIONS(args),
		{"candidates", 0, SWITCH, &args.candidates, NULL,
			"also list all candidates with their times at the smallest size, and why "
			"others were rejected"},
		{"output", 'o', WRITTEN, &args.output, "FOLDER",
			"write the plan set there (without it, only a summary is printed)"},
		MEMORY_LIMIT_OPTION,
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	const bool is_known = !args.algorithm || is_added(args.algorithm);
	const int status =
		is_known
			? tune_with(call, &args)
			: fail_usage(call, "`ordo tune` tries all algorithms that it knows",
				  "--algorithm: found %s, wanted a shared object such as ./mine.so",
				  args.algorithm);
	free_topology_choice(&args.setting.topology);
	free_texts(&args.conditions.required);
	return status;
}

const struct command tune_command = {
	.name = "tune",
	.summary = "finds the fastest algorithm for every size, by simulation, as a plan set",
	.usage = "OPERATOR --ranks N|--topology T [--sizes A:B] [-o FOLDER] [OPTION]...",
	.examples =
		"  ordo tune allreduce --ranks 8 --topology hypercube -o fast\n"
		"  ordo tune allreduce --ranks 8 --fail-link 0-1 --sizes 1KiB:64MiB --require G1\n"
		"  ordo tune alltoallv --ranks 3 --counts \"0,9,1;4,0,0;2,2,2\" --sizes 1KiB:1MiB\n"
		"  ordo tune allreduce --ranks 8 --staging 8 --max-tokens 1 -o device\n"
		"  ordo tune broadcast --ranks 16 --topology torus:4x4 --type bf16 --candidates\n"
		"  ordo calibrate --ranks 8 -o machine.json && ordo tune allreduce --ranks 8 "
		"--topology ./machine.json",
	.run = tune,
};
