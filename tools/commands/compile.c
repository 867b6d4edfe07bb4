/* compile.c - `ordo compile`: from a problem and an algorithm to a proved document. */
#include "base/clock.h"
#include "base/progress.h"
#include "choose/accumulate_price.h"
#include "choose/order_price.h"
#include "choose/over_bound.h"
#include "choose/rejected.h"
#include "choose/shard_cost.h"
#include "choose/token_price.h"
#include "choose/tuning.h"
#include "cli/memory_limit.h"
#include "cli/overwrite.h"
#include "cli/problem.h"
#include "cli/sizes.h"
#include "commands.h"
#include "failures/failures.h"
#include "moves/moves_file.h"
#include "report/bound.h"
#include "report/plan_set.h"
#include "report/proof.h"
#include <inttypes.h>
#include <ordo/builder.h>
#include <ordo/detail/accumulate.h>
#include <ordo/detail/program_moves.h>
#include <ordo/document.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The size for which an algorithm is chosen without --size. */
enum { USUAL_SIZE = 1 << 20 };

struct args {
	struct problem_options what;
	struct ordo_moves *moves;	/* what is compiled, instead of an algorithm; NULL */
	const char *emit;		/* "moves" or "schedule"; NULL: a schedule */
	const char *algorithm, *output; /* NULL: stdout */
	/* no document, because stdout is a terminal */
	bool summary;
	bool prove_only;	   /* no document */
	struct predicting setting; /* the topology, and the setting of the choice */
	struct conditions conditions;
	const char *sizes;		    /* a plan set for these sizes */
	bool any_link;			    /* a failure set */
	uint32_t max_tokens, staging_slots; /* as in a request */
};

/* A compiled schedule. */
struct product {
	struct ordo_schedule *schedule;
	struct ordo_proof *proof;
	struct ordo_tuning tuning;     /* how it was chosen, if it was */
	struct ordo_wire_bound *bound; /* on the topology; NULL */
	struct token_price price;      /* of the limit of tokens, if there is one */
	struct accumulate_price form;  /* of sums without order, likewise */
	double loads;		       /* seconds of the busiest link; 0: unknown */
	const struct counts *counts;   /* of the choice */
};

struct times {
	double compile, proof, write;
};

static struct ordo_request request_of(
	const struct args *args, const struct ordo_topology *topology, struct progress *progress)
{
	return (struct ordo_request){.problem = args->what.problem,
		.algorithm = args->algorithm,
		.topology = topology,
		/* the proof is a separate step, to be timed and reported */
		.unproved = true,
		.progress = show_progress,
		.closure = progress,
		.max_tokens = args->max_tokens,
		.staging_slots = args->staging_slots,
		.order = args->conditions.order,
		.one_tree = requires_g3(&args->conditions)};
}

/* An algorithm that finds no way on this topology, where none can. */
static void name_lacking_way(const struct ordo_request *request, struct ordo_error *error)
{
	struct ordo_error why;
	const bool notation = !strncmp(error->text, "algorithm: ", strlen("algorithm: "));
	if (error->code == ORDO_USAGE && !notation && lacks_answers(request, &why))
		ordo_hint(error, "%s", why.text);
}

static bool compile_named(struct call *call, const struct args *args,
	const struct ordo_topology *topology, struct product *product, struct times *times)
{
	struct ordo_error error = {0};
	struct progress progress = {0};
	const struct ordo_request request = request_of(args, topology, &progress);
	const struct ordo_verify_options options = {
		.topology = topology, .limits.tokens_in_flight = args->max_tokens};
	struct conditions conditions = args->conditions;
	double began = clock_seconds();
	product->schedule = ordo_compile(&request, &error);
	times->compile = clock_seconds() - began;
	hide_progress(&progress);
	if (!product->schedule)
		name_lacking_way(&request, &error);
	if (!product->schedule)
		return has_conditions(&conditions) && error.code == ORDO_USAGE && !error.hint[0]
			       ? refuse_with_others(call, &request, &args->conditions, &error)
			       : refuse_error(call, &error);
	began = clock_seconds();
	product->proof = prove(call, product->schedule, &options);
	times->proof = clock_seconds() - began;
	if (!product->proof || !product->proof->proved || !has_conditions(&conditions))
		return product->proof;
	if (meets_conditions(product->schedule, product->proof, &conditions, &error))
		return true;
	return error.code == ORDO_REFUTED
		       ? refuse_with_others(call, &request, &args->conditions, &error)
		       : refuse_error(call, &error);
}

/* Reports every finding, at the move that it is about. Always false. */
static bool refuse_moves(struct call *call, const struct product *product)
{
	const struct report report = report_of(call, stdout);
	report_proof(&report, product->schedule, product->proof);
	if (!call->json && !product->schedule->ntask)
		note(call, "the program has no moves");
	return refuse(call, ORDO_REFUTED);
}

static bool compile_document(struct call *call, const struct args *args,
	const struct ordo_topology *topology, struct product *product, struct times *times)
{
	struct ordo_error error = {0};
	struct progress progress = {0};
	const struct ordo_request request = request_of(args, topology, &progress);
	const struct ordo_verify_options options = {
		.topology = topology, .limits.tokens_in_flight = args->max_tokens};
	struct conditions conditions = args->conditions;
	double began = clock_seconds();
	product->schedule = ordo_compile_moves(args->moves, &request, &error);
	times->compile = clock_seconds() - began;
	hide_progress(&progress);
	if (!product->schedule)
		return refuse_error(call, &error);
	began = clock_seconds();
	product->proof = prove(call, product->schedule, &options);
	times->proof = clock_seconds() - began;
	if (product->proof && !product->proof->proved)
		return refuse_moves(call, product);
	return product->proof &&
	       (!has_conditions(&conditions) ||
		       meets_conditions(product->schedule, product->proof, &conditions, &error) ||
		       refuse_error(call, &error));
}

/* A named algorithm without --size uses its own K. */
static bool is_chosen(const struct args *args)
{
	const struct predicting *setting = &args->setting;
	if (args->moves)
		return false;
	return !args->algorithm || setting->bytes != UNSET_SIZE || setting->counts ||
	       setting->type_name || sets_costs(setting);
}

static uint64_t size_of(const struct args *args)
{
	return args->setting.bytes == UNSET_SIZE ? USUAL_SIZE : args->setting.bytes;
}

/* Chosen by time, and proved by the choice. */
static bool compile_chosen(struct call *call, const struct args *args,
	const struct predicted *predicted, struct product *product, struct times *times)
{
	const uint64_t bytes = size_of(args);
	const struct tuning_options fastest = {.setting = &args->setting,
		.conditions = &args->conditions,
		.problem = args->what.problem,
		.algorithm = args->algorithm,
		.from_bytes = bytes,
		.to_bytes = bytes,
		.max_tokens = args->max_tokens,
		.staging_slots = args->staging_slots};
	const double began = clock_seconds();
	const bool worked = find_fastest(call, &fastest, predicted, &product->tuning);
	times->compile = clock_seconds() - began;
	if (!worked)
		return false;
	struct ordo_selected *chosen = &product->tuning.selection.ranges[0];
	product->schedule = chosen->schedule;
	product->proof = chosen->proof;
	chosen->schedule = NULL;
	chosen->proof = NULL;
	return true;
}

/* What the algorithm moves, instead of the schedule that it was compiled to. */
static bool write_moves(struct call *call, const struct args *args,
	const struct ordo_schedule *schedule, const struct ordo_topology *topology,
	struct times *times)
{
	struct ordo_error error;
	const double began = clock_seconds();
	struct progress progress = {0};
	const struct ordo_request request = request_of(args, topology, &progress);
	struct ordo_moves *made = args->moves ? NULL : ordo_moves_of(&request, schedule, &error);
	const struct ordo_moves *moves = args->moves ? args->moves : made;
	const bool worked = moves && (args->output ? ordo_moves_write(moves, args->output, &error)
						   : ordo_moves_print(moves, stdout, &error));
	times->write = clock_seconds() - began;
	ordo_moves_destroy(made);
	return worked || refuse_error(call, &error);
}

static bool write_document(struct call *call, const struct ordo_schedule *schedule,
	const char *output, struct times *times)
{
	struct ordo_error error;
	struct progress progress = {0};
	double began = clock_seconds();
	bool worked =
		output ? ordo_schedule_write(schedule, output, show_progress, &progress, &error)
		       : ordo_schedule_print(schedule, stdout, &error);
	times->write = clock_seconds() - began;
	hide_progress(&progress);
	return worked || refuse_error(call, &error);
}

/* The chosen algorithm, the number of candidates, and the setting. */
static void report_choice(const struct report *report, const struct args *args,
	const struct product *product, const struct ordo_topology *topology)
{
	if (!is_chosen(args))
		return;
	report_counts(report, product->counts);
	report_text(report, "the fastest at %g<:bytes>%s, %s, of %u candidate%s, simulated\n",
		(double)size_of(args),
		args->setting.bytes == UNSET_SIZE ? " (--size was not given)" : "",
		topology ? topology->name : "a link between every two ranks",
		product->tuning.ncontender, plural(product->tuning.ncontender));
	report_members(report, "%" PRIu64 "<size_bytes>", size_of(args));
	report_contenders(report, &product->tuning);
}

/* How many times longer than the bound the busiest link takes; 0: unknown. */
static double loads_over_bound(const struct args *args, const struct product *product)
{
	const double least = ordo_wire_bound_seconds(product->bound, (double)size_of(args));
	return least > 0 ? product->loads / least : 0;
}

/* The bound of the wire, on a topology. */
static void report_bound(const struct report *report, const struct args *args,
	const struct product *product, const struct ordo_topology *topology)
{
	const struct ordo_tuning *tuning = &product->tuning;
	if (args->setting.counts) /* it is of equal blocks */
		return;
	const struct bound_ratios ratios = {
		product->loads, tuning->selection.nrange ? tuning->ranges[0].times.first : 0};
	report_least_time(report, product->bound, size_of(args), &ratios);
	if (product->bound)
		report_packed_trees(
			report, product->schedule, topology, loads_over_bound(args, product));
}

/* Once all else is reported; not at sizes where latencies take longer than the links. */
static void hint_ways(struct call *call, const struct args *args, const struct product *product,
	const struct ordo_topology *topology)
{
	const struct ordo_tuning *tuning = &product->tuning;
	if (!args->algorithm || !product->bound || args->setting.counts ||
		(tuning->selection.nrange && 2 * product->loads < tuning->ranges[0].times.first))
		return;
	struct ordo_request request = request_of(args, topology, NULL);
	request.progress = NULL;
	hint_spread(call, &request, product->schedule, product->bound, size_of(args),
		loads_over_bound(args, product));
}

/* What sums without order cost, the limit of tokens, and staging. */
static void report_prices(
	const struct report *report, const struct args *args, const struct product *product)
{
	if (product->form.bytes)
		report_accumulate_price(report, &product->schedule->problem, &product->form);
	if (args->max_tokens)
		report_token_price(report, args->max_tokens, &product->price, !args->staging_slots);
	if (args->staging_slots)
		report_staging_price(report, &product->price, args->max_tokens);
}

/* `compiled in 9.4 s, proved in 5.1 s`, without the end of the line. Of a choice the first time is
 * that of both. */
static void report_compiled(
	const struct report *report, const struct args *args, const struct times *times)
{
	const struct report list = report_object(report, "seconds");
	if (is_chosen(args)) {
		report_text(
			&list, "chosen, compiled and proved in %g<compile:time>", times->compile);
		report_members(&list, "%g<proof> %g<write>", 0., times->write);
	} else {
		report_text(&list, "compiled in %g<compile:time>, proved in %g<proof:time>",
			times->compile, times->proof);
		report_members(&list, "%g<write>", times->write);
	}
	report_members(report, "%s<output> %" PRIu64 "<peak_bytes>", args->output, peak_bytes());
}

static void report_document(struct call *call, const struct args *args,
	const struct product *product, const struct ordo_topology *topology,
	const struct times *times)
{
	if (call->json && !args->output)
		return;
	const struct report report = report_of(call, args->summary ? stdout : stderr);
	report_choice(&report, args, product, topology);
	report_schedule(&report, product->schedule);
	report_text(&report, "%sproved%s in every interleaving; order digest %s\n",
		paint(report.text, GREEN), paint(report.text, PLAIN), product->proof->digest);
	report_proof(&report, product->schedule, product->proof);
	const struct arithmetic sums = usual_sums(&product->schedule->problem);
	if (call->json)
		check_and_report_guarantees(call, &sums, product->schedule, product->proof);
	report_bound(&report, args, product, topology);
	report_order_price(&report, product->schedule, topology);
	report_shard_price(call, product->schedule, topology);
	report_prices(&report, args, product);
	report_compiled(&report, args, times);
	if (args->summary)
		report_text(&report,
			"\nnot written: -o FILE.json writes the document, -o - prints it\n");
	else
		report_text(&report, ", written in %g<:time>%s%s\n", times->write,
			args->output ? " to " : "", args->output ? args->output : "");
}

/* Without a document: the verdict and its cost. */
static void report_verdict(struct call *call, const struct args *args,
	const struct product *product, const struct ordo_topology *topology,
	const struct times *times)
{
	const struct ordo_limits limits = {.tokens_in_flight = args->max_tokens};
	const struct ordo_schedule *schedule = product->schedule;
	const struct report report = report_of(call, stdout);
	report_choice(&report, args, product, topology);
	report_schedule(&report, schedule);
	report_proof(&report, schedule, product->proof);
	report_rules(&report, &limits, topology, false, false);
	const struct arithmetic sums = usual_sums(&schedule->problem);
	check_and_report_guarantees(call, &sums, schedule, product->proof);
	report_bound(&report, args, product, topology);
	report_order_price(&report, schedule, topology);
	report_shard_price(call, schedule, topology);
	report_prices(&report, args, product);
	report_compiled(&report, args, times);
	/* Processor time, because other load on the machine does not count. */
	const double ntask = schedule->ntask ? schedule->ntask : 1, bytes = (double)peak_bytes();
	report_text(&report,
		"; %.0f ns of one core a task; at most %g<:bytes>, %.0f bytes a task\n",
		(double)clock() / CLOCKS_PER_SEC * 1e9 / ntask, bytes, bytes / ntask);
}

/* Of sums without order, the limit of tokens, and staging: the same schedule is compiled without.
 * false: call->status. */
static bool find_price(struct call *call, const struct args *args,
	const struct ordo_topology *topology, struct product *product)
{
	struct predicting setting = args->setting;
	setting.bytes = size_of(args);
	if ((args->max_tokens || args->staging_slots) &&
		!find_token_price(
			call, &setting, topology, args->moves, product->schedule, &product->price))
		return false;
	const struct ordo_request request = {.topology = topology,
		.max_tokens = args->max_tokens,
		.staging_slots = args->staging_slots};
	return !ordo_is_order_free(&product->schedule->problem) || args->setting.counts ||
	       find_accumulate_price(call, &setting, &request, args->moves, product->schedule,
		       product->proof, &product->form);
}

/* The bound of the wire, and what the schedule loads on the busiest link. false: call->status. */
static bool find_bounds(struct call *call, const struct args *args, struct product *product,
	const struct ordo_topology *topology)
{
	struct ordo_error error;
	if (!find_least_time(call, &product->schedule->problem, topology, &product->bound))
		return false;
	return !product->bound ||
	       ordo_wire_load(
		       product->schedule, topology, size_of(args), &product->loads, &error) ||
	       refuse_error(call, &error);
}

/* Writes only what was proved. */
static int write_product(struct call *call, const struct args *args, struct product *product,
	const struct ordo_topology *topology, struct times *times)
{
	if (!product->proof->proved) {
		struct ordo_error error;
		ordo_finding_error(product->schedule, &product->proof->findings[0], &error);
		ordo_hint(&error,
			"this is a bug in the compiler, and nothing was written; please report it");
		return fail(call, &error);
	}
	if (!find_bounds(call, args, product, topology) ||
		!find_price(call, args, topology, product))
		return call->status;
	if (args->prove_only) {
		report_verdict(call, args, product, topology, times);
		hint_ways(call, args, product, topology);
		return ORDO_OK;
	}
	if (!args->summary &&
		!(args->emit && !strcmp(args->emit, "moves")
				? write_moves(call, args, product->schedule, topology, times)
				: write_document(call, product->schedule, args->output, times)))
		return call->status;
	report_document(call, args, product, topology, times);
	hint_ways(call, args, product, topology);
	return ORDO_OK;
}

/* Moves may name a topology that is known here. */
static bool open_setting(struct call *call, const struct args *args, struct predicted *predicted)
{
	if (!open_predicted(call, &args->setting, &args->what.problem, predicted))
		return false;
	if (args->moves && !predicted->topology)
		return choose_moves_topology(call, NULL, args->moves, &predicted->topology);
	if (!args->moves)
		note_assumption(call, &args->setting, args->what.problem.nrank, predicted);
	return true;
}

static int compile_with(struct call *call, struct args *args)
{
	struct predicted predicted;
	struct product product = {0};
	struct times times = {0};
	int status = ORDO_OK;
	const bool opened = open_setting(call, args, &predicted);
	product.counts = &predicted.counts;
	if (opened && args->setting.counts)
		args->setting.bytes = predicted.bytes;
	if (!opened ||
		!(args->moves ? compile_document(call, args, predicted.topology, &product, &times)
			: is_chosen(args)
				? compile_chosen(call, args, &predicted, &product, &times)
				: compile_named(call, args, predicted.topology, &product, &times)))
		status = call->status;
	else
		status = write_product(call, args, &product, predicted.topology, &times);
	ordo_proof_destroy(product.proof);
	ordo_schedule_destroy(product.schedule);
	ordo_tuning_free(&product.tuning);
	ordo_wire_bound_destroy(product.bound);
	close_predicted(&predicted);
	return status;
}

/* A plan set instead of a schedule. */
static int compile_sizes(struct call *call, const struct args *args)
{
	const struct set_request request = {.problem = args->what.problem,
		.setting = &args->setting,
		.conditions = &args->conditions,
		.sizes = args->sizes,
		.output = args->output,
		.max_tokens = args->max_tokens};
	if (args->algorithm)
		return fail_usage(call, NULL,
			"--sizes chooses an algorithm for each size, found --algorithm %s",
			args->algorithm);
	if (args->staging_slots)
		return fail_usage(call, "`ordo tune` simulates, and takes --staging",
			"--sizes chooses by closed forms, which do not cover staging: found "
			"--staging");
	if (args->setting.counts)
		return fail_usage(call, "`ordo tune` simulates, and takes counts",
			"--sizes chooses by closed forms for equal blocks: found --counts");
	if (args->setting.bytes != UNSET_SIZE || args->setting.type_name)
		return fail_usage(call, "`ordo tune` simulates, and accepts types",
			"--sizes chooses by closed forms, which use neither --size nor --type");
	const struct predicted anywhere = {.topology = NULL};
	if (!has_topology(&args->setting.topology))
		note_assumption(call, &args->setting, args->what.problem.nrank, &anywhere);
	return compile_set(call, &request);
}

/* Refuses options that only a choice uses. */
static bool refuse_without_choice(struct call *call, const struct args *args)
{
	if (args->conditions.constant)
		return refuse_usage(call, NULL,
			"--require constant needs several sizes, such as --sizes 1:1GiB");
	return true;
}

/* A failure set instead of a schedule. */
static int compile_links(struct call *call, const struct args *args)
{
	const struct failures_request request = {.problem = args->what.problem,
		.setting = &args->setting,
		.conditions = &args->conditions,
		.algorithm = args->algorithm,
		.bytes = size_of(args),
		.output = args->output,
		.max_tokens = args->max_tokens,
		.staging_slots = args->staging_slots};
	if (args->sizes || args->prove_only || args->setting.counts)
		return fail_usage(call, NULL, "--fail-any-link cannot be combined with %s",
			args->sizes	   ? "--sizes"
			: args->prove_only ? "--prove-only"
					   : "--counts");
	return refuse_without_choice(call, args) ? compile_failures(call, &request) : call->status;
}

/* The option that moves leave no choice for; NULL: none was given. */
static const char *refused_for_moves(const struct args *args)
{
	const struct ordo_problem *problem = &args->what.problem;
	const struct {
		bool given;
		const char *name;
	} options[] = {{args->algorithm, "algorithm"}, {problem->nrank, "ranks"},
		{problem->root, "root"}, {problem->chunks_per_block, "chunks"},
		{problem->nshard, "shards"}, {problem->in_place, "in-place"},
		{args->what.accumulate, "accumulate"}, {args->sizes, "sizes"},
		{args->any_link, "fail-any-link"}, {args->setting.bytes != UNSET_SIZE, "size"},
		{args->setting.type_name, "type"}};
	for (size_t i = 0; i < sizeof options / sizeof *options; i++)
		if (options[i].given)
			return options[i].name;
	return NULL;
}

/* A program of moves instead of an operator. */
static bool read_moves(struct call *call, struct args *args)
{
	const char *refused = refused_for_moves(args), *file = call->operands[0];
	if (refused)
		return refuse_usage(call, "the document of the moves says it",
			"--%s: found it with %s, which is a file, not an operator", refused, file);
	if (!keep_file(call, file))
		return false;
	args->moves = open_moves(call, file);
	if (args->moves)
		args->what.problem = args->moves->problem;
	return args->moves;
}

static bool read_what(struct call *call, struct args *args)
{
	const bool emits = args->emit && !strcmp(args->emit, "moves");
	if (args->emit && !emits && strcmp(args->emit, "schedule"))
		return refuse_usage(
			call, NULL, "--emit: found %s, wanted moves or schedule", args->emit);
	if (emits && (args->sizes || args->any_link || args->prove_only))
		return refuse_usage(call, NULL, "--emit moves writes one program, found --%s",
			args->sizes	 ? "sizes"
			: args->any_link ? "fail-any-link"
					 : "prove-only");
	if (call->noperand == 1 && names_moves(call->operands[0]))
		return read_moves(call, args);
	return read_problem(call, &args->setting.topology, &args->what);
}

static int compile_what(struct call *call, struct args *args)
{
	if (args->any_link)
		return compile_links(call, args);
	if (args->prove_only && (args->output || args->sizes))
		return fail_usage(call, NULL, "--prove-only writes no document, found %s",
			args->sizes ? "--sizes" : "--output");
	if (args->sizes)
		return compile_sizes(call, args);
	return refuse_without_choice(call, args) ? compile_with(call, args) : call->status;
}

static int compile(struct call *call)
{
	struct args args = {.setting.bytes = UNSET_SIZE};
	const struct option options[] = {
		{"algorithm", 'a', TEXT, &args.algorithm, "A",
			"the algorithm, with its parameters: ring, \"ring(rings=3)\", ..."},
		PROBLEM_OPTIONS(args.what),
		CONDITION_OPTIONS(args.conditions),
		TOPOLOGY_OPTIONS(args.setting.topology),
		{"sizes", 0, TEXT, &args.sizes, "A:B",
			"write a plan set: the cheapest algorithm for each size of A..B "
			"bytes; A: has no end"},
		{"fail-any-link", 0, SWITCH, &args.any_link, NULL,
			"write a failure set: a schedule for each single link down, and for none"},
		{"size", 0, SIZE, &args.setting.bytes, "SIZE",
			"choose the fastest for this many bytes of a rank's larger buffer (1MiB), "
			"or its K"},
		COUNTS_OPTION(args.setting.counts),
		COST_OPTIONS(args.setting),
		DEVICE_OPTIONS(args),
		{"output", 'o', WRITTEN, &args.output, "OUT",
			"a name ending in .json: one file; other names: a folder; - or none: "
			"stdout"},
		{"emit", 0, TEXT, &args.emit, "schedule|moves",
			"what OUT gets: the schedule, or the moves of the algorithm"},
		{"prove-only", 0, SWITCH, &args.prove_only, NULL,
			"write no document; print the result of the proof, with time and memory "
			"per task"},
		MEMORY_LIMIT_OPTION,
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	args.summary = !args.output && !call->json && isatty(STDOUT_FILENO);
	if (args.output && !strcmp(args.output, "-"))
		args.output = NULL;
	int status;
	/* The document is the answer then, and nothing may stand beside it. */
	call->noted_ranks = call->json && !args.output && !args.prove_only;
	if (!read_what(call, &args))
		status = call->status;
	else if (!read_conditions(call, &args.conditions, &args.what.problem))
		status = call->status;
	else
		status = compile_what(call, &args);
	ordo_moves_destroy(args.moves);
	free_topology_choice(&args.setting.topology);
	free_texts(&args.conditions.required);
	return status;
}

const struct command compile_command = {
	.name = "compile",
	.summary = "compiles an operator by an algorithm into a proved schedule",
	.usage = "OPERATOR --ranks N|--topology T [--algorithm A] [OPTION]... | MOVES.json "
		 "[OPTION]...",
	.examples =
		"  ordo compile allreduce --ranks 8 --algorithm ring -o ring.json\n"
		"  ordo compile reduce-scatter --ranks 6 --algorithm mesh -o mesh.json\n"
		"  ordo compile allreduce --ranks 8 --algorithm ring --fail-link 0-1 -o "
		"around.json\n"
		"  ordo compile allreduce --ranks 8 --topology hypercube --require G1,G3 -o "
		"invariant.json\n"
		"  ordo compile allreduce --topology torus:4x4 --size 16MiB -o "
		"fastest.json\n"
		"  ordo compile allreduce --ranks 8 --fail-any-link -o failures\n"
		"  ordo compile reduce-scatter --ranks 6 --order dyadic -o blocks.json\n"
		"  ordo compile allreduce --ranks 8 --algorithm ring --max-tokens 1 -o "
		"flags.json\n"
		"  ordo compile allreduce --ranks 8 --algorithm ring --staging 8 -o staged.json\n"
		"  ordo compile allreduce --ranks 4096 --algorithm ring --prove-only\n"
		"  ordo compile broadcast --ranks 4 --algorithm ring --root 2 --chunks 4 | "
		"ordo verify -",
	.run = compile,
};
