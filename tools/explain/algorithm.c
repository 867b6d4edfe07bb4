/* algorithm.c - the facts of one algorithm. */
#include "base/output.h"
#include "explain.h"
#include "report/aliases.h"
#include "report/proof.h"
#include "view/text/contents_table.h"
#include <errno.h>
#include <ordo/document.h>
#include <string.h>

static void explain_parameters(struct call *call, const struct ordo_algorithm_facts *facts)
{
	cJSON *list = cJSON_AddArrayToObject(call->answer, "parameters");
	const struct ordo_parameter *first = ordo_parameter_at(facts, 0);
	const bool keyed = first->kind != ORDO_ALGORITHMS;
	say(call, "\nparameters, as in \"%s(%s%s%s)\":\n", facts->name, keyed ? first->name : "",
		keyed ? "=" : "", first->fallback);
	for (uint32_t i = 0; i < ordo_parameter_count(facts); i++) {
		const struct ordo_parameter *parameter = ordo_parameter_at(facts, i);
		cJSON *one = cJSON_CreateObject();
		add_text(one, "name", parameter->name);
		add_text(one, "values", parameter->values);
		add_text(one, "fallback", parameter->fallback);
		add_text(one, "meaning", parameter->meaning);
		cJSON_AddItemToArray(list, one);
		say(call, "  %-12s %s\n  %-12s values %s; %s if left out\n", parameter->name,
			parameter->meaning, "", parameter->values, parameter->fallback);
	}
}

static const char *where_tried(const struct ordo_variant *variant)
{
	if (variant->parallel)
		return ", if links lie side by side, or with via=spread";
	if (variant->slow)
		return ", if links are slower than a path over a third rank";
	if (variant->one_way)
		return ", if links lead one way only";
	if (variant->sparse)
		return ", if some ranks lack links to others";
	if (variant->owners)
		return ", if some ranks have links to all others, and some do not";
	if (variant->rings)
		return ", with # the number of rings for which every rank has links";
	if (!variant->servers)
		return "";
	return strchr(variant->settings, '#') ? ", with # the number of servers of the topology"
					      : ", if the topology has servers";
}

/* The variants that are candidates where an algorithm is chosen by order, time or cost. */
static void explain_variants(struct call *call, const struct ordo_algorithm_facts *facts)
{
	cJSON *list = cJSON_AddArrayToObject(call->answer, "variants");
	if (!facts->variants)
		return;
	say(call, "\ntried when no algorithm is named, and for --sizes:\n");
	for (uint32_t i = 0; i < facts->nvariant; i++) {
		const struct ordo_variant *variant = &facts->variants[i];
		char text[128];
		const bool plain = !*variant->settings;
		snprintf(text, sizeof text, "%s%s%s%s", facts->name, plain ? "" : "(",
			variant->settings, plain ? "" : ")");
		cJSON_AddItemToArray(list, cJSON_CreateString(text));
		say(call, "  %s%s%s%s", text, where_tried(variant),
			variant->adds ? ", if sums take time" : "",
			variant->pipelines ? ", by time with several K" : "");
		if (variant->most_ranks)
			say(call, ", up to %u ranks", variant->most_ranks);
		say(call, "\n");
	}
}

enum { EXAMPLE_RANKS = 4 };

/* AllReduce, or else the first operator of the algorithm, on four ranks. NULL: call->status. */
static struct ordo_schedule *compile_example(struct call *call, const struct ordo_named *named)
{
	struct ordo_error error;
	char text[128];
	enum ordo_operator op = ORDO_ALLREDUCE;
	while (!(named->operators >> op & 1))
		op++;
	const struct ordo_request request = {.problem = {.op = op, .nrank = EXAMPLE_RANKS},
		.algorithm = write_notation(named, text, sizeof text),
		.unproved = true};
	struct ordo_schedule *schedule = ordo_compile(&request, &error);
	if (!schedule)
		call->status = fail(call, &error);
	return schedule;
}

/* The contents of each slot after each step; with --json a text. */
static bool say_steps(
	struct call *call, const struct ordo_schedule *schedule, const struct ordo_proof *proof)
{
	const struct contents_options args = {0};
	struct ordo_error error;
	if (!call->json) {
		const bool drawn = draw_contents(call, &args, schedule, proof, false, stdout);
		call->status = drawn ? call->status : ORDO_ENVIRONMENT;
		return drawn;
	}
	FILE *table = tmpfile();
	if (!table)
		ordo_fail(&error, ORDO_ENVIRONMENT, 0, "cannot write a temporary file: %s",
			strerror(errno));
	if (table && !draw_contents(call, &args, schedule, proof, false, table)) {
		fclose(table);
		return false;
	}
	const bool worked = table && add_contents(call->answer, "example", table, &error);
	if (table)
		fclose(table);
	return worked || refuse_error(call, &error);
}

static bool print_example(struct call *call, const struct ordo_schedule *schedule, const char *name)
{
	static const struct ordo_verify_options options = {0};
	const char *op = ordo_operator_facts(schedule->problem.op)->name;
	const char *quote = strchr(name, '(') ? "'" : "";
	say(call,
		"\n%sexample%s   ordo compile %s --ranks %d --algorithm %s%s%s | ordo draw - --as "
		"table\n\n",
		paint(stdout, BOLD), paint(stdout, PLAIN), op, EXAMPLE_RANKS, quote, name, quote);
	struct ordo_proof *proof = prove(call, schedule, &options);
	const bool worked = proof && say_steps(call, schedule, proof);
	ordo_proof_destroy(proof);
	return worked;
}

static int give_example(struct call *call, const struct ordo_named *named, const char *output)
{
	struct ordo_error error;
	struct ordo_schedule *schedule = compile_example(call, named);
	if (!schedule)
		return call->status;
	bool worked = true;
	if (!output)
		worked = print_example(call, schedule, schedule->algorithm);
	else if (!ordo_schedule_write(schedule, output, NULL, NULL, &error)) {
		call->status = fail(call, &error);
		worked = false;
	}
	ordo_schedule_destroy(schedule);
	return worked ? ORDO_OK : call->status;
}

int explain_algorithm(struct call *call, const char *name, bool taught, const char *output)
{
	struct ordo_named named[ORDO_MOST_NAMED];
	const uint32_t count = ordo_algorithms_named(name, named);
	const struct ordo_algorithm_facts *facts = named[0].facts;
	if (output)
		return give_example(call, named, output);
	if (named[0].alias || count > 1)
		explain_alias(call, name, named, count);
	const char *const fields[][2] = {{"ranks", facts->ranks}, {"steps", facts->steps},
		{"volume", facts->volume}, {"order", facts->order},
		{"topologies", facts->topologies}, {"source", facts->source},
		{"survey", facts->never_fastest ? ORDO_NEVER_FASTEST : NULL}};
	add_text(call->answer, "algorithm", facts->name);
	add_text(call->answer, "summary", facts->summary);
	say(call, "%s%s%s: %s\n\n", paint(stdout, BOLD), facts->name, paint(stdout, PLAIN),
		facts->summary);
	if (taught && facts->how) {
		add_text(call->answer, "how", facts->how);
		add_text(call->answer, "when", facts->when);
		say_field(call, "how", facts->how);
		say_field(call, "when", facts->when);
		say(call, "\n");
	}
	cJSON *operators = cJSON_AddArrayToObject(call->answer, "operators");
	say(call, "operators ");
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		if (facts->operators >> op & 1) {
			const char *operator_name =
				ordo_operator_facts((enum ordo_operator)op)->name;
			cJSON_AddItemToArray(operators, cJSON_CreateString(operator_name));
			say(call, " %s", operator_name);
		}
	say(call, "\n");
	for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
		add_text(call->answer, fields[i][0], fields[i][1]);
		if (fields[i][1])
			say(call, "%-10s %s\n", fields[i][0], fields[i][1]);
	}
	explain_aliases(call, facts);
	explain_parameters(call, facts);
	explain_variants(call, facts);
	return taught ? give_example(call, named, NULL) : ORDO_OK;
}
