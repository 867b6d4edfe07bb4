/* explain_rule.c - a rule with a schedule that breaks it and what the verifier says of that; a
 * guarantee with one that lacks it. */
#include "cli/inputs.h"
#include "cli/output.h"
#include "explain.h"
#include "report/proof.h"
#include "rule_documents.h"
#include "rules.h"
#include <ordo/document.h>
#include <string.h>

static const char *const documents[NRULE + 1] = {NULL, document_R1, document_R2, document_R3,
	document_R4, document_R5, document_R6, document_R7, document_R8, document_R9, document_R10,
	document_R11, document_R12, document_R13};
static const char *const guarantee_documents[ORDO_NGUARANTEE] = {document_G1, document_G2};

static bool write_text(struct call *call, const char *path, const char *text)
{
	struct ordo_error error;
	struct output output;
	if (!begin_output(&output, path, &error)) {
		call->status = fail(call, &error);
		return false;
	}
	const bool whole = fputs(text, output.file) >= 0 && !ferror(output.file);
	if (end_output(&output, whole, &error))
		return true;
	call->status = fail(call, &error);
	return false;
}

/* The lines of a document that have tasks, streams and ranks, with their numbers; the rest is
 * always alike. */
static void say_tasks(struct call *call, const char *document)
{
	unsigned line = 1;
	for (const char *at = document; *at; line++) {
		const size_t length = strcspn(at, "\n"), indent = strspn(at, " ");
		if (indent >= 2 && length > indent + 3)
			say(call, "%9u %.*s\n", line, (int)length, at);
		at += length + (at[length] == '\n');
	}
}

/* What the verifier finds first, as it prints it. */
static bool say_findings(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options)
{
	struct ordo_proof *proof = prove(call, schedule, options);
	if (!proof)
		return false;
	add_proof(call->answer, schedule, proof);
	if (!call->json)
		print_findings(stdout, schedule, proof);
	ordo_proof_destroy(proof);
	return true;
}

/* R12 is about links, R13 about limits: those that rules[] asks for. */
static bool judge(struct call *call, int rule, const struct ordo_schedule *schedule)
{
	static const char *link = "0-1";
	const struct topology_choice choice = {.failed = {.items = &link, .count = 1}};
	struct ordo_verify_options options = {.max_findings = 1};
	struct ordo_topology *topology = NULL;
	if (rule == 12 && !choose_topology(call, &choice, schedule->problem.nrank, &topology))
		return false;
	options.topology = topology;
	options.limits.tokens_in_flight = rule == 13;
	const bool worked = say_findings(call, schedule, &options);
	ordo_topology_destroy(topology);
	return worked;
}

static int say_example(struct call *call, int number, const char *name)
{
	struct ordo_error error;
	char file[16];
	const struct rule *rule = &rules[number];
	const char *gap = *rule->ask ? " " : "";
	snprintf(file, sizeof file, "%s.json", name);
	add_text(call->answer, "example", rule->story);
	add_text(call->answer, "document", documents[number]);
	say(call, "\n");
	say_field(call, "example", rule->story);
	say(call, "\n");
	say_tasks(call, documents[number]);
	say(call, "\n$ ordo explain %s --write-example %s\n$ ordo verify %s%s%s\n", name, file,
		file, gap, rule->ask);
	struct ordo_schedule *schedule = ordo_schedule_read_text(
		documents[number], strlen(documents[number]), file, NULL, &error);
	if (!schedule) {
		cJSON_AddItemToArray(
			cJSON_AddArrayToObject(call->answer, "findings"), error_json(&error));
		if (!call->json)
			print_error(stdout, &error);
		return ORDO_OK;
	}
	const bool worked = judge(call, number, schedule);
	ordo_schedule_destroy(schedule);
	return worked ? ORDO_OK : call->status;
}

int explain_rule(struct call *call, int number, const char *output)
{
	const struct rule *rule = &rules[number];
	char name[8];
	snprintf(name, sizeof name, "R%d", number);
	if (output && !write_text(call, output, documents[number]))
		return call->status;
	if (output)
		return ORDO_OK;
	add_text(call->answer, "rule", name);
	add_text(call->answer, "title", rule->title);
	add_text(call->answer, "text", rule->text);
	add_text(call->answer, "why", rule->why);
	add_text(call->answer, "cure", rule->cure);
	say(call, "%s%s, %s%s\n\n", paint(stdout, BOLD), name, rule->title, paint(stdout, PLAIN));
	say_field(call, "demands", rule->text);
	say_field(call, "why", rule->why);
	say_field(call, "if broken", rule->cure);
	return say_example(call, number, name);
}

int explain_guarantee(struct call *call, enum ordo_guarantee guarantee, const char *output)
{
	const char *name = ordo_guarantee_name(guarantee), *title = ordo_guarantee_title(guarantee),
		   *meaning = ordo_guarantee_meaning(guarantee);
	const struct guarantee *words = &guarantees[guarantee];
	if (output && !guarantee_documents[guarantee])
		return fail_usage(call, "the commands below its example make them",
			"%s has no document of its own: compilers write schedules that lack it",
			name);
	if (output)
		return write_text(call, output, guarantee_documents[guarantee]) ? ORDO_OK
										: call->status;
	add_text(call->answer, "guarantee", name);
	add_text(call->answer, "title", title);
	add_text(call->answer, "meaning", meaning);
	add_text(call->answer, "text", words->text);
	add_text(call->answer, "why", words->why);
	add_text(call->answer, "ask", words->ask);
	add_text(call->answer, "example", words->story);
	add_text(call->answer, "document", guarantee_documents[guarantee]);
	add_text(call->answer, "transcript", words->transcript);
	say(call, "%s%s, %s%s: %s\n\n", paint(stdout, BOLD), name, title, paint(stdout, PLAIN),
		meaning);
	say_field(call, "of trees", words->text);
	say_field(call, "why", words->why);
	say_field(call, "ask", words->ask);
	say(call, "\n");
	say_field(call, "example", words->story);
	say(call, "\n%s", words->transcript);
	return ORDO_OK;
}
