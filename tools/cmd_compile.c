/* cmd_compile.c - `ordo compile`: from a problem and an algorithm to a proved document. */
#include "inputs.h"
#include "verdict.h"
#include <ordo/compiler.h>
#include <ordo/document.h>
#include <stdlib.h>
#include <string.h>

struct wish {
	struct ordo_problem problem;
	const char *algorithm, *output;
	struct topology_choice topology;
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
	return fail_usage(call, hint, "which algorithm? --algorithm A");
}

static struct ordo_schedule *compile_problem(
	struct call *call, const struct wish *wish, const struct ordo_topology *topology, struct times *times)
{
	struct ordo_error error;
	struct progress progress = {0};
	/* The proof is done apart, so that both can be timed and the proof can be told about. */
	const struct ordo_request request = {.problem = wish->problem,
		.algorithm = wish->algorithm,
		.topology = topology,
		.unproved = true,
		.progress = show_progress,
		.closure = &progress};
	double began = seconds();
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	times->compile = seconds() - began;
	hide_progress(&progress);
	if (!schedule)
		call->status = fail(call, &error);
	return schedule;
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

static void report(struct call *call, const struct wish *wish, const struct ordo_schedule *schedule,
	const struct ordo_proof *proof, const struct times *times)
{
	if (call->json && wish->output) {
		add_schedule(call->answer, schedule);
		add_proof(call->answer, schedule, proof);
		add_text(call->answer, "output", wish->output);
		cJSON *json = cJSON_AddObjectToObject(call->answer, "seconds");
		add_number(json, "compile", times->compile);
		add_number(json, "proof", times->proof);
		add_number(json, "write", times->write);
		add_count(call->answer, "peak_bytes", peak_bytes());
	}
	if (call->json)
		return;
	print_schedule_line(stderr, schedule);
	fprintf(stderr, "%sproved%s in every interleaving; order digest %s\n", paint(stderr, GREEN),
		paint(stderr, PLAIN), proof->digest);
	fprintf(stderr, "compiled in ");
	print_seconds(stderr, times->compile);
	fprintf(stderr, ", proved in ");
	print_seconds(stderr, times->proof);
	fprintf(stderr, ", written in ");
	print_seconds(stderr, times->write);
	fprintf(stderr, "%s%s\n", wish->output ? " to " : "", wish->output ? wish->output : "");
}

/* Nothing is written that was not proved. */
static int prove_and_write(struct call *call, const struct wish *wish, const struct ordo_schedule *schedule,
	const struct ordo_topology *topology, struct times *times)
{
	const struct ordo_verify_options options = {.topology = topology};
	double began = seconds();
	struct ordo_proof *proof = prove(call, schedule, &options);
	times->proof = seconds() - began;
	if (!proof)
		return call->status;
	int status = ORDO_OK;
	if (!proof->proved) {
		struct ordo_error error;
		ordo_finding_error(schedule, &proof->findings[0], &error);
		ordo_hint(&error, "this is a bug of the compiler, and nothing was written; please report it");
		status = fail(call, &error);
	} else if (write_document(call, schedule, wish->output, times)) {
		report(call, wish, schedule, proof, times);
	} else {
		status = call->status;
	}
	ordo_proof_destroy(proof);
	return status;
}

static int compile_wish(struct call *call, const struct wish *wish)
{
	struct ordo_topology *topology;
	struct times times;
	if (!choose_topology(call, &wish->topology, wish->problem.nrank, &topology))
		return call->status;
	struct ordo_schedule *schedule = compile_problem(call, wish, topology, &times);
	int status = schedule ? prove_and_write(call, wish, schedule, topology, &times) : call->status;
	ordo_schedule_destroy(schedule);
	ordo_topology_destroy(topology);
	return status;
}

static int compile(struct call *call)
{
	struct wish wish = {.problem.nrank = 0};
	const struct option options[] = {
		{"ranks", 'n', NUMBER, &wish.problem.nrank, "N", "how many ranks"},
		{"algorithm", 'a', TEXT, &wish.algorithm, "A",
			"the algorithm, with its parameters: ring, \"ring(rings=3)\", ..."},
		TOPOLOGY_OPTIONS(wish.topology),
		{"root", 'r', NUMBER, &wish.problem.root, "R",
			"the root of Reduce, Broadcast, Scatter and Gather (0)"},
		{"chunks", 'k', POSITIVE, &wish.problem.chunks_per_block, "K",
			"chunks per block (the algorithm chooses)"},
		{"shards", 0, POSITIVE, &wish.problem.nshard, "V",
			"virtual shards to be summed (as many as ranks)"},
		{"in-place", 0, SWITCH, &wish.problem.in_place, NULL, "input and output are one memory"},
		{"output", 'o', TEXT, &wish.output, "OUT",
			"a name ending in .json: one file; another: a folder; none: stdout"},
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
	else if (!wish.algorithm)
		status = ask_algorithm(call, wish.problem.op);
	else
		status = compile_wish(call, &wish);
	free_texts(&wish.topology.failed);
	return status;
}

const struct command compile_command = {
	.name = "compile",
	.summary = "compiles an operator by an algorithm into a proved schedule",
	.usage = "OPERATOR --ranks N --algorithm A [OPTION]...",
	.description = "The document goes to OUT or to stdout, a summary to stderr. Nothing is written that "
		       "was not proved.\n"
		       "Operators are read without regard to case, hyphens and underscores. `ordo list` "
		       "shows algorithms, topologies and\n"
		       "operators; `ordo list ring` the parameters of one.",
	.examples = "  ordo compile allreduce --ranks 8 --algorithm ring -o ring.json\n"
		    "  ordo compile reduce-scatter --ranks 6 --algorithm mesh -o mesh.json\n"
		    "  ordo compile allreduce --ranks 8 --algorithm ring --fail-link 0-1 -o around.json\n"
		    "  ordo compile broadcast --ranks 4 --algorithm ring --root 2 --chunks 4 | ordo verify -",
	.run = compile,
};
