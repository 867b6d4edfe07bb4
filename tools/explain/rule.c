/* rule.c - a rule with a schedule that breaks it and the verifier's finding; a guarantee with a
 * schedule that lacks it. */
#include "base/output.h"
#include "cli/inputs.h"
#include "explain.h"
#include "help/texts.h"
#include "report/proof.h"
#include <ordo/document.h>
#include <string.h>

static bool write_text(struct call *call, const char *path, const char *text)
{
	struct ordo_error error;
	struct output output;
	if (!begin_output(&output, path, &error))
		return refuse_error(call, &error);
	const bool whole = fputs(text, output.file) >= 0 && !ferror(output.file);
	return end_output(&output, whole, &error) || refuse_error(call, &error);
}

/* The lines of a document with tasks, streams and ranks, numbered; the other lines never differ. */
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

/* The first finding, in the form in which `ordo verify` prints it. */
static bool say_findings(struct call *call, const struct ordo_schedule *schedule,
	const struct ordo_verify_options *options)
{
	struct ordo_proof *proof = prove(call, schedule, options);
	if (!proof)
		return false;
	const struct report report = report_of(call, stdout);
	report_proof(&report, schedule, proof);
	ordo_proof_destroy(proof);
	return true;
}

/* R12 needs links and R13 limits: those of the command in rules.txt. */
static bool check_example(struct call *call, int rule, const struct ordo_schedule *schedule)
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
	const char *const story = rule_text(number, "story"), *const ask = rule_text(number, "ask"),
			  *const document = example_document(name);
	snprintf(file, sizeof file, "%s.json", name);
	add_text(call->answer, "example", story);
	add_text(call->answer, "document", document);
	say(call, "\n");
	say_field(call, "example", story);
	say(call, "\n");
	say_tasks(call, document);
	say(call, "\n$ ordo explain %s --write-example %s\n$ ordo verify %s%s%s\n", name, file,
		file, ask ? " " : "", ask ? ask : "");
	struct ordo_schedule *schedule =
		ordo_schedule_read_text(document, strlen(document), file, NULL, &error);
	if (!schedule) {
		cJSON_AddItemToArray(
			cJSON_AddArrayToObject(call->answer, "findings"), error_json(&error));
		if (!call->json)
			print_error(stdout, &error);
		return ORDO_OK;
	}
	const bool worked = check_example(call, number, schedule);
	ordo_schedule_destroy(schedule);
	return worked ? ORDO_OK : call->status;
}

int explain_rule(struct call *call, int number, const char *output)
{
	const char *const title = rule_text(number, "title");
	char name[16];
	snprintf(name, sizeof name, "R%d", number);
	if (output && !write_text(call, output, example_document(name)))
		return call->status;
	if (output)
		return ORDO_OK;
	add_text(call->answer, "rule", name);
	add_text(call->answer, "title", title);
	say(call, "%s%s, %s%s\n\n", paint(stdout, BOLD), name, title, paint(stdout, PLAIN));
	explain_field(call, "text", "demands", rule_text(number, "text"));
	explain_field(call, "why", "why", rule_text(number, "why"));
	explain_field(call, "cure", "if broken", rule_text(number, "cure"));
	return say_example(call, number, name);
}

int explain_guarantee(struct call *call, enum ordo_guarantee guarantee, const char *output)
{
	const char *name = ordo_guarantee_name(guarantee), *title = ordo_guarantee_title(guarantee),
		   *meaning = ordo_guarantee_meaning(guarantee);
	const char *const document = example_document(name), *const transcript = help_text(
								     "rules", name, "transcript");
	if (output && !document)
		return fail_usage(call, "the commands of its example write them",
			"%s has no example schedule: the commands of its example compile two",
			name);
	if (output)
		return write_text(call, output, document) ? ORDO_OK : call->status;
	add_text(call->answer, "guarantee", name);
	add_text(call->answer, "title", title);
	add_text(call->answer, "meaning", meaning);
	say(call, "%s%s, %s%s: %s\n\n", paint(stdout, BOLD), name, title, paint(stdout, PLAIN),
		meaning);
	explain_field(call, "text", "of trees", help_text("rules", name, "text"));
	explain_field(call, "why", "why", help_text("rules", name, "why"));
	explain_field(call, "ask", "ask", help_text("rules", name, "ask"));
	say(call, "\n");
	explain_field(call, "example", "example", help_text("rules", name, "story"));
	add_text(call->answer, "document", document);
	add_text(call->answer, "transcript", transcript);
	say(call, "\n%s\n", transcript);
	return ORDO_OK;
}
