/* cmd_compile.c - `ordo compile`: from a problem and an algorithm to a proved document. */
#include "choosing.h"
#include "sets.h"
#include "shards.h"
#include "verdict.h"
#include <ordo/compiler.h>
#include <ordo/document.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct wish {
	struct ordo_problem problem;
	const char *algorithm, *output;
	const char *accumulate;
	bool prove_only; /* no document */
	struct topology_choice topology;
	struct conditions conditions;
	const char *sizes;					/* a plan set for these */
	double latency_ns, bandwidth_gbs, reduce_bandwidth_gbs; /* 0: not given */
};

/* What compiling made. */
struct product {
	struct ordo_schedule *schedule;
	struct ordo_proof *proof;
};

struct times {
	double compile, proof, write;
};

static void operators_hint(char *hint, size_t size)
{
	size_t length = 0;
	hint[0] = 0;
	for (int i = 0; i < ORDO_NOPERATOR && length < size; i++)
		length += (size_t)snprintf(hint + length, size - length, "%s%s", i ? ", " : "one of ",
			ordo_operator_facts((enum ordo_operator)i)->name);
}

static bool refuse(struct call *call, int status)
{
	call->status = status;
	return false;
}

static bool read_operator(struct call *call, enum ordo_operator *op)
{
	char hint[256];
	const char *names[ORDO_NOPERATOR];
	operators_hint(hint, sizeof hint);
	if (!call->noperand)
		return refuse(call, fail_usage(call, hint, "which operator?"));
	if (call->noperand > 1)
		return refuse(call, fail_usage(call, NULL, "one operator at a time: found %s and %s",
					    call->operands[0], call->operands[1]));
	if (ordo_operator_from_typed(call->operands[0], op))
		return true;
	for (int i = 0; i < ORDO_NOPERATOR; i++)
		names[i] = ordo_operator_facts((enum ordo_operator)i)->name;
	const char *like = ordo_suggest(call->operands[0], names, ORDO_NOPERATOR);
	if (like)
		snprintf(hint, sizeof hint, "did you mean %s?", like);
	return refuse(call, fail_usage(call, hint, "%s is no operator", call->operands[0]));
}

static bool read_accumulate(struct call *call, struct wish *wish)
{
	wish->problem.accumulate_f32 = wish->accumulate;
	if (!wish->accumulate || !strcmp(wish->accumulate, "f32"))
		return true;
	return refuse(call, fail_usage(call, NULL, "--accumulate: found %s, wanted f32", wish->accumulate));
}

/* Which algorithms have the operator, for the one who named none. */
static int ask_algorithm(struct call *call, enum ordo_operator op)
{
	uint32_t count;
	char hint[512] = "none has it yet";
	size_t length = 0;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count && length < sizeof hint; i++)
		if (algorithms[i]->operators >> op & 1)
			length += (size_t)snprintf(hint + length, sizeof hint - length, "%s%s",
				length ? ", " : "one of ", algorithms[i]->name);
	return fail_usage(call, hint,
		"which algorithm? --algorithm A, or what its order must be: --require G3, --order dyadic");
}

static struct ordo_request request_of(
	const struct wish *wish, const struct ordo_topology *topology, struct progress *progress)
{
	return (struct ordo_request){.problem = wish->problem,
		.algorithm = wish->algorithm,
		.topology = topology,
		.unproved = true, /* the proof is done apart, so that it can be timed and told about */
		.progress = show_progress,
		.closure = progress};
}

static bool compile_named(struct call *call, const struct wish *wish, const struct ordo_topology *topology,
	struct product *product, struct times *times)
{
	struct ordo_error error = {0};
	struct progress progress = {0};
	const struct ordo_request request = request_of(wish, topology, &progress);
	const struct ordo_verify_options options = {.topology = topology};
	struct conditions conditions = wish->conditions;
	double began = seconds();
	product->schedule = ordo_compile(&request, &error);
	times->compile = seconds() - began;
	hide_progress(&progress);
	if (!product->schedule)
		return has_conditions(&conditions) && error.code == ORDO_USAGE && !error.hint[0]
			       ? refuse_with_others(call, &request, &wish->conditions, &error)
			       : refuse(call, fail(call, &error));
	began = seconds();
	product->proof = prove(call, product->schedule, &options);
	times->proof = seconds() - began;
	if (!product->proof || !product->proof->proved || !has_conditions(&conditions))
		return product->proof;
	if (meets_conditions(product->schedule, product->proof, &conditions, &error))
		return true;
	return error.code == ORDO_REFUTED ? refuse_with_others(call, &request, &wish->conditions, &error)
					  : refuse(call, fail(call, &error));
}

static bool compile_chosen(struct call *call, const struct wish *wish, const struct ordo_topology *topology,
	struct product *product, struct times *times)
{
	struct ordo_error error = {0};
	struct progress progress = {0};
	struct conditions conditions = wish->conditions;
	struct ordo_candidates passed;
	char wanted[128];
	const struct ordo_request request = request_of(wish, topology, &progress);
	double began = seconds();
	product->schedule =
		ordo_choose(&request, meets_conditions, &conditions, &passed, &product->proof, &error);
	times->compile = seconds() - began;
	times->proof = 0;
	hide_progress(&progress);
	if (product->schedule || error.code == ORDO_REFUTED)
		report_passed_over(call, &passed);
	ordo_candidates_free(&passed);
	if (product->schedule)
		return true;
	if (error.code != ORDO_REFUTED)
		return refuse(call, fail(call, &error));
	print_conditions(&conditions, wanted, sizeof wanted);
	ordo_fail(&error, ORDO_REFUTED, 0, "no algorithm holds %s: %s on %u ranks%s%s", wanted,
		ordo_operator_facts(wish->problem.op)->name, wish->problem.nrank,
		topology ? ", topology " : "", topology ? topology->name : "");
	return refuse_with_others(call, &request, &wish->conditions, &error);
}

static bool write_document(
	struct call *call, const struct ordo_schedule *schedule, const char *output, struct times *times)
{
	struct ordo_error error;
	struct progress progress = {0};
	double began = seconds();
	bool worked = output ? ordo_schedule_write(schedule, output, show_progress, &progress, &error)
			     : ordo_schedule_print(schedule, stdout, &error);
	times->write = seconds() - began;
	hide_progress(&progress);
	if (!worked)
		call->status = fail(call, &error);
	return worked;
}

static void add_report(
	struct call *call, const struct wish *wish, const struct product *product, const struct times *times)
{
	add_schedule(call->answer, product->schedule);
	add_proof(call->answer, product->schedule, product->proof);
	tell_guarantees(call, &sums_of_floats, product->schedule, product->proof);
	add_text(call->answer, "output", wish->output);
	cJSON *json = cJSON_AddObjectToObject(call->answer, "seconds");
	add_number(json, "compile", times->compile);
	add_number(json, "proof", times->proof);
	add_number(json, "write", times->write);
	add_count(call->answer, "peak_bytes", peak_bytes());
}

/* `compiled in 9.4 s, proved in 5.1 s`, without the end of the line. */
static void print_compiled(FILE *out, const struct wish *wish, const struct times *times)
{
	fprintf(out, wish->algorithm ? "compiled in " : "chosen, compiled and proved in ");
	print_seconds(out, times->compile);
	if (!wish->algorithm)
		return;
	fprintf(out, ", proved in ");
	print_seconds(out, times->proof);
}

static void report(struct call *call, const struct wish *wish, const struct product *product,
	const struct ordo_topology *topology, const struct times *times)
{
	if (call->json && wish->output) {
		add_report(call, wish, product, times);
		tell_shard_price(call, product->schedule, topology);
	}
	if (call->json)
		return;
	print_schedule_line(stderr, product->schedule);
	fprintf(stderr, "%sproved%s in every interleaving; order digest %s\n", paint(stderr, GREEN),
		paint(stderr, PLAIN), product->proof->digest);
	tell_shard_price(call, product->schedule, topology);
	print_compiled(stderr, wish, times);
	fprintf(stderr, ", written in ");
	print_seconds(stderr, times->write);
	fprintf(stderr, "%s%s\n", wish->output ? " to " : "", wish->output ? wish->output : "");
}

/* There is no document: the verdict is what was asked for, and what it took. */
static void report_verdict(struct call *call, const struct wish *wish, const struct product *product,
	const struct ordo_topology *topology, const struct times *times)
{
	static const struct ordo_limits unlimited;
	const struct ordo_schedule *schedule = product->schedule;
	if (call->json) {
		add_report(call, wish, product, times);
		tell_shard_price(call, schedule, topology);
		return;
	}
	print_schedule_line(stdout, schedule);
	print_rules(stdout, &unlimited, topology);
	tell_guarantees(call, &sums_of_floats, schedule, product->proof);
	tell_shard_price(call, schedule, topology);
	print_compiled(stdout, wish, times);
	/* Of the processor: what else the machine does is not the schedule's. */
	const double ntask = schedule->ntask ? schedule->ntask : 1, bytes = (double)peak_bytes();
	printf("; %.0f ns of one core a task; at most ", (double)clock() / CLOCKS_PER_SEC * 1e9 / ntask);
	print_bytes(stdout, bytes);
	printf(", %.0f bytes a task\n", bytes / ntask);
}

/* Nothing is written that was not proved. */
static int write_product(struct call *call, const struct wish *wish, const struct product *product,
	const struct ordo_topology *topology, struct times *times)
{
	if (!product->proof->proved) {
		struct ordo_error error;
		ordo_finding_error(product->schedule, &product->proof->findings[0], &error);
		ordo_hint(&error, "this is a bug of the compiler, and nothing was written; please report it");
		return fail(call, &error);
	}
	if (wish->prove_only) {
		report_verdict(call, wish, product, topology, times);
		return ORDO_OK;
	}
	if (!write_document(call, product->schedule, wish->output, times))
		return call->status;
	report(call, wish, product, topology, times);
	return ORDO_OK;
}

static int compile_wish(struct call *call, const struct wish *wish)
{
	struct ordo_topology *topology;
	struct product product = {0};
	struct times times = {0};
	if (!choose_topology(call, &wish->topology, wish->problem.nrank, &topology))
		return call->status;
	const bool worked = wish->algorithm ? compile_named(call, wish, topology, &product, &times)
					    : compile_chosen(call, wish, topology, &product, &times);
	const int status = worked ? write_product(call, wish, &product, topology, &times) : call->status;
	ordo_proof_destroy(product.proof);
	ordo_schedule_destroy(product.schedule);
	ordo_topology_destroy(topology);
	return status;
}

/* A plan set instead of a schedule. */
static int compile_sizes(struct call *call, const struct wish *wish)
{
	const struct set_request request = {.problem = wish->problem,
		.topology = &wish->topology,
		.conditions = &wish->conditions,
		.sizes = wish->sizes,
		.output = wish->output,
		.latency_ns = wish->latency_ns,
		.bandwidth_gbs = wish->bandwidth_gbs,
		.reduce_bandwidth_gbs = wish->reduce_bandwidth_gbs};
	if (wish->algorithm)
		return fail_usage(call, NULL,
			"--sizes chooses an algorithm for each size, found --algorithm %s", wish->algorithm);
	return compile_set(call, &request);
}

/* What only a plan set takes. */
static bool refuse_without_sizes(struct call *call, const struct wish *wish)
{
	if (wish->conditions.constant)
		return refuse(call,
			fail_usage(call, NULL, "--require constant is about several sizes: --sizes 1:1GiB"));
	if (wish->latency_ns > 0 || wish->bandwidth_gbs > 0 || wish->reduce_bandwidth_gbs > 0)
		return refuse(call, fail_usage(call, NULL,
					    "--alpha-ns, --bandwidth and --reduce-bandwidth choose by cost: "
					    "--sizes 1:1GiB"));
	return true;
}

static int compile(struct call *call)
{
	struct wish wish = {.problem.nrank = 0};
	const struct option options[] = {
		{"ranks", 'n', NUMBER, &wish.problem.nrank, "N", "how many ranks"},
		{"algorithm", 'a', TEXT, &wish.algorithm, "A",
			"the algorithm, with its parameters: ring, \"ring(rings=3)\", ..."},
		CONDITION_OPTIONS(wish.conditions),
		TOPOLOGY_OPTIONS(wish.topology),
		{"root", 'r', NUMBER, &wish.problem.root, "R",
			"the root of Reduce, Broadcast, Scatter and Gather (0)"},
		{"chunks", 'k', POSITIVE, &wish.problem.chunks_per_block, "K",
			"chunks per block (the algorithm chooses)"},
		{"shards", 0, POSITIVE, &wish.problem.nshard, "V",
			"virtual shards to be summed (as many as ranks)"},
		{"in-place", 0, SWITCH, &wish.problem.in_place, NULL, "input and output are one memory"},
		{"accumulate", 0, TEXT, &wish.accumulate, "f32",
			"f16 and bf16 sums are made in f32 and rounded once, at the end"},
		{"sizes", 0, TEXT, &wish.sizes, "A:B",
			"a plan set: the cheapest algorithm for each size of A..B bytes; A: has no end"},
		{"alpha-ns", 0, REAL, &wish.latency_ns, "NS",
			"of --sizes: latency of a step (the topology's; 1000)"},
		{"bandwidth", 0, REAL, &wish.bandwidth_gbs, "GB/S",
			"of --sizes: of a link (the topology's; 56)"},
		{"reduce-bandwidth", 0, REAL, &wish.reduce_bandwidth_gbs, "GB/S",
			"of --sizes: of adding one vector to another (195)"},
		{"output", 'o', TEXT, &wish.output, "OUT",
			"a name ending in .json: one file; another: a folder; none: stdout"},
		{"prove-only", 0, SWITCH, &wish.prove_only, NULL,
			"no document: the verdict on stdout, and what it took for each task"},
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	if (wish.output && !strcmp(wish.output, "-"))
		wish.output = NULL;
	int status;
	if (!read_operator(call, &wish.problem.op))
		status = call->status;
	else if (!wish.problem.nrank)
		status = fail_usage(call, NULL, "how many ranks? --ranks N, at least 1");
	else if (!read_accumulate(call, &wish))
		status = call->status;
	else if (!read_conditions(call, &wish.conditions, wish.problem.op))
		status = call->status;
	else if (wish.prove_only && (wish.output || wish.sizes))
		status = fail_usage(call, NULL, "--prove-only writes no document, found %s",
			wish.sizes ? "--sizes" : "--output");
	else if (wish.sizes)
		status = compile_sizes(call, &wish);
	else if (!refuse_without_sizes(call, &wish))
		status = call->status;
	else if (!wish.algorithm && !has_conditions(&wish.conditions))
		status = ask_algorithm(call, wish.problem.op);
	else
		status = compile_wish(call, &wish);
	free_texts(&wish.topology.failed);
	free_texts(&wish.conditions.required);
	return status;
}

const struct command compile_command = {
	.name = "compile",
	.summary = "compiles an operator by an algorithm into a proved schedule",
	.usage = "OPERATOR --ranks N [--algorithm A] [OPTION]...",
	.description =
		"The document goes to OUT or to stdout, a summary to stderr. Nothing is written that "
		"was not proved.\n"
		"Operators are read without regard to case, hyphens and underscores. `ordo list` "
		"shows algorithms, topologies and\n"
		"operators; `ordo list ring` the parameters of one. Without --algorithm, --require and "
		"--order choose: of all that apply,\n"
		"least volume first, then fewest steps, the first whose proof holds what is wanted.",
	.examples =
		"  ordo compile allreduce --ranks 8 --algorithm ring -o ring.json\n"
		"  ordo compile reduce-scatter --ranks 6 --algorithm mesh -o mesh.json\n"
		"  ordo compile allreduce --ranks 8 --algorithm ring --fail-link 0-1 -o around.json\n"
		"  ordo compile allreduce --ranks 8 --topology hypercube --require G1,G3 -o invariant.json\n"
		"  ordo compile reduce-scatter --ranks 6 --order dyadic -o blocks.json\n"
		"  ordo compile allreduce --ranks 4096 --algorithm ring --prove-only\n"
		"  ordo compile broadcast --ranks 4 --algorithm ring --root 2 --chunks 4 | ordo verify -",
	.run = compile,
};
