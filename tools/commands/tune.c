/* tune.c - `ordo tune`: the fastest schedule for every size of a range, by simulation, as a plan
 * set. */
#include "choose/plan_set_files.h"
#include "choose/tuning.h"
#include "cli/memory_limit.h"
#include "cli/problem.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct wish {
	struct problem_wish what;
	struct predicting setting; /* its size is not looked at */
	struct conditions conditions;
	const char *sizes, *output;
	bool candidates; /* list them too */
};

/* What was found, and made of it. */
struct making {
	struct predicted predicted;
	struct ordo_tuning tuning;
	struct made_set made;
	struct range_cost *costs; /* [nrange] */
};

static bool find_costs(struct call *call, struct making *making)
{
	struct ordo_error error;
	const uint32_t nrange = making->tuning.selection.nrange;
	making->costs = calloc(nrange, sizeof *making->costs);
	for (uint32_t i = 0; making->costs && i < nrange; i++)
		making->costs[i] = (struct range_cost){making->tuning.ranges[i].times.first,
			making->tuning.ranges[i].times.last, NULL};
	if (making->costs)
		return true;
	ordo_fail_memory(&error);
	call->status = fail(call, &error);
	return false;
}

/* The longest name that the tables of a tuning show. */
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
static void print_crossovers(const struct ordo_tuning *tuning)
{
	const uint32_t nrange = tuning->selection.nrange;
	const int width = widest_shown(tuning);
	if (nrange > 1)
		printf("  %14s  %-*s  %12s  %12s\n", "crossover", width, "fastest", "before, us",
			"after, us");
	for (uint32_t i = 1; i < nrange; i++) {
		const struct ordo_tuned *range = &tuning->ranges[i], *before = range - 1;
		const uint64_t bytes = tuning->selection.ranges[i].from_bytes;
		char name[128];
		printf("  %14" PRIu64 "  %-*s  %12.6f  %12.6f\n", bytes - 1, width,
			contender_text(name, tuning, before->contender), before->times.last * 1e6,
			range->early * 1e6);
		printf("  %14" PRIu64 "  %-*s  %12.6f  %12.6f\n", bytes, width,
			contender_text(name, tuning, range->contender), range->before * 1e6,
			range->times.first * 1e6);
	}
}

/* By how much each range's fastest is faster than the next best, in its middle. */
static void print_margins(const struct ordo_tuning *tuning)
{
	const int width = widest_shown(tuning);
	printf("  %14s  %-*s  %10s  %-*s  %10s  %6s\n", "in the middle", width, "fastest",
		"predicted", width, "runner-up", "predicted", "ratio");
	for (uint32_t i = 0; i < tuning->selection.nrange; i++) {
		const struct ordo_tuned *range = &tuning->ranges[i];
		char name[128], text[32];
		printf("  %14" PRIu64 "  %-*s  %10s", range->middle_bytes, width,
			contender_text(name, tuning, range->contender),
			time_text(text, range->times.middle));
		if (range->runner_up != ORDO_NONE)
			printf("  %-*s  %10s  %6.2f", width,
				contender_text(name, tuning, range->runner_up),
				time_text(text, range->runner_up_times.middle),
				range->times.middle > 0
					? range->runner_up_times.middle / range->times.middle
					: 1);
		putchar('\n');
	}
}

static void add_tuned(struct call *call, const struct ordo_tuning *tuning)
{
	cJSON *list = cJSON_AddArrayToObject(call->answer, "tuned");
	for (uint32_t i = 0; i < tuning->selection.nrange; i++) {
		const struct ordo_tuned *range = &tuning->ranges[i];
		const struct ordo_contender *one = &tuning->contenders[range->contender];
		cJSON *json = cJSON_CreateObject();
		cJSON_AddItemToArray(list, json);
		add_count(json, "from_bytes", tuning->selection.ranges[i].from_bytes);
		add_text(json, "algorithm", one->algorithm);
		add_count(json, "chunks_per_block", one->chunks_per_block);
		add_number(json, "first_seconds", range->times.first);
		add_number(json, "last_seconds", range->times.last);
		if (i) {
			add_number(json, "before_at_first_seconds", range->before);
			add_number(json, "a_byte_less_seconds", range->early);
		}
		add_count(json, "middle_bytes", range->middle_bytes);
		add_number(json, "middle_seconds", range->times.middle);
		if (range->runner_up == ORDO_NONE)
			continue;
		const struct ordo_contender *second = &tuning->contenders[range->runner_up];
		cJSON *other = cJSON_AddObjectToObject(json, "runner_up");
		add_text(other, "algorithm", second->algorithm);
		add_count(other, "chunks_per_block", second->chunks_per_block);
		add_number(other, "middle_seconds", range->runner_up_times.middle);
	}
	cJSON *price = cJSON_AddObjectToObject(call->answer, "price");
	add_number(price, "most", tuning->selection.price);
	add_count(price, "bytes", tuning->selection.price_bytes);
	add_count(call->answer, "sizes_simulated", tuning->nsize);
	add_count(call->answer, "predictions", tuning->nprediction);
}

static bool report(struct call *call, const struct wish *wish, struct making *making, double taken)
{
	const struct ordo_tuning *tuning = &making->tuning;
	const struct ordo_topology *topology = making->predicted.topology;
	if (call->json) {
		add_tuned(call, tuning);
		add_contenders(call->answer, tuning);
		add_text(call->answer, "output", wish->output);
		add_number(call->answer, "seconds", taken);
		return add_judged(call, &making->made.judged, making->costs);
	}
	print_made_line(stdout, &making->made);
	print_ranges(stdout, &making->made.judged, making->costs);
	print_crossovers(tuning);
	print_margins(tuning);
	if (has_conditions(&wish->conditions) || wish->conditions.constant)
		printf("  %-23s at most %.4g times the fastest of all, at %" PRIu64 " bytes\n",
			"price of the conditions", tuning->selection.price,
			tuning->selection.price_bytes);
	if (!print_judged(call, stdout, &making->made.judged))
		return false;
	if (wish->candidates) {
		printf("at %" PRIu64 " bytes:\n", tuning->first_bytes);
		print_contenders(stdout, tuning);
	}
	note(call, "%u candidates at %u sizes on %s: %" PRIu64 " schedules simulated",
		tuning->ncontender, tuning->nsize,
		topology ? topology->name : "a link between every two ranks", tuning->nprediction);
	fprintf(stderr, "chosen, compiled%s in ",
		wish->output ? ", proved and written" : " and proved");
	print_seconds(stderr, taken);
	fprintf(stderr, "%s%s\n", wish->output ? " to " : "; --output FOLDER keeps it",
		wish->output ? wish->output : "");
	return true;
}

static bool tune_sizes(struct call *call, const struct wish *wish,
	const struct tuning_wish *fastest, struct making *making)
{
	const double began = seconds();
	const struct ordo_selection_wish selected = {
		.problem = wish->what.problem, .topology = making->predicted.topology};
	struct ordo_selection *selection = &making->tuning.selection;
	note_assumption(call, &wish->setting, wish->what.problem.nrank, &making->predicted);
	return find_fastest(call, fastest, &making->predicted, &making->tuning) &&
	       find_costs(call, making) &&
	       prove_selection(call, &making->made, selection, &selected, &wish->conditions) &&
	       (!wish->output || write_selection(call, &making->made, selection, wish->output)) &&
	       report(call, wish, making, seconds() - began);
}

static int tune_wish(struct call *call, struct wish *wish)
{
	struct making making = {.costs = NULL};
	struct tuning_wish fastest = {.setting = &wish->setting, .conditions = &wish->conditions};
	if (!read_problem(call, &wish->what) ||
		!read_conditions(call, &wish->conditions, wish->what.problem.op) ||
		!read_sizes(call, wish->sizes, &fastest.from_bytes, &fastest.to_bytes) ||
		(wish->output && !read_set_output(call, wish->output)))
		return call->status;
	fastest.problem = wish->what.problem;
	const bool worked =
		open_predicted(call, &wish->setting, &wish->what.problem, &making.predicted) &&
		tune_sizes(call, wish, &fastest, &making);
	free(making.costs);
	end_made(&making.made);
	ordo_tuning_free(&making.tuning);
	close_predicted(&making.predicted);
	return worked ? ORDO_OK : call->status;
}

static int tune(struct call *call)
{
	struct wish wish = {.sizes = "1:1GiB"};
	const struct option options[] = {
		PROBLEM_OPTIONS(wish.what),
		TOPOLOGY_OPTIONS(wish.setting.topology),
		CONDITION_OPTIONS(wish.conditions),
		{"sizes", 0, TEXT, &wish.sizes, "A:B",
			"the sizes, in bytes of a rank's larger buffer; A: has no end (1:1GiB)"},
		COST_OPTIONS(wish.setting),
		{"candidates", 0, SWITCH, &wish.candidates, NULL,
			"also list all candidates with their times at the smallest size, and why "
			"others were refused"},
		{"output", 'o', WRITTEN, &wish.output, "FOLDER",
			"where the plan set goes (nowhere: it is only told)"},
		MEMORY_LIMIT_OPTION,
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	const int status = tune_wish(call, &wish);
	free_texts(&wish.setting.topology.failed);
	free_texts(&wish.conditions.required);
	return status;
}

const struct command tune_command = {
	.name = "tune",
	.summary = "finds the fastest algorithm for every size, by simulation, as a plan set",
	.usage = "OPERATOR --ranks N [--topology T] [--sizes A:B] [-o FOLDER] [OPTION]...",
	.examples =
		"  ordo tune allreduce --ranks 8 --topology hypercube -o fast\n"
		"  ordo tune allreduce --ranks 8 --fail-link 0-1 --sizes 1KiB:64MiB --require G1\n"
		"  ordo tune broadcast --ranks 16 --topology torus:4x4 --type bf16 --candidates\n"
		"  ordo calibrate --ranks 8 -o machine.json && ordo tune allreduce --ranks 8 "
		"--topology ./machine.json",
	.run = tune,
};
