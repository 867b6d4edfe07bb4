/* explain.c - `ordo explain`: finds the subject of an explanation, and lists all subjects. */
#include "explain/explain.h"
#include "cli/inputs.h"
#include "cli/memory_limit.h"
#include "commands/commands.h"
#include "help/texts.h"
#include "plugin/shared_object.h"
#include "report/aliases.h"
#include <ordo/detail/order.h>
#include <ordo/schedule.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* A heading of the index, and the list of its lines. */
static struct report begin_list(const struct report *report, const char *heading)
{
	report_text(
		report, "%s%s%s\n", paint(report->text, BOLD), heading, paint(report->text, PLAIN));
	return report_list(report, heading);
}

enum { SHORT_NAMES = 4, LONG_NAMES = 18 };

static void add_line(const struct report *list, int width, const char *name, const char *title)
{
	const struct report one = report_item(list);
	report_text(&one, "%-*s<name> %s<title>\n", width, name, title);
}

static void list_rules(const struct report *report)
{
	struct report list = begin_list(report, "rules");
	for (int i = 1; i <= NRULE; i++) {
		char name[8];
		snprintf(name, sizeof name, "R%d", i);
		add_line(&list, SHORT_NAMES, name, rule_text(i, "title"));
	}
	report_text(report, "\n");
	list = begin_list(report, "guarantees");
	for (int i = 0; i < ORDO_NGUARANTEE; i++)
		add_line(&list, SHORT_NAMES, ordo_guarantee_name((enum ordo_guarantee)i),
			ordo_guarantee_title((enum ordo_guarantee)i));
}

static void list_words(const struct report *report)
{
	uint32_t count;
	struct report list = begin_list(report, "tasks");
	for (int i = 0; i < ORDO_NTASK_KIND; i++)
		add_line(&list, LONG_NAMES, ordo_task_kind_name((enum ordo_task_kind)i),
			task_kind_meaning((enum ordo_task_kind)i));
	report_text(report, "\n");
	list = begin_list(report, "operators");
	for (int i = 0; i <= ORDO_CUSTOM; i++)
		add_line(&list, LONG_NAMES, ordo_operator_facts((enum ordo_operator)i)->name,
			ordo_operator_facts((enum ordo_operator)i)->meaning);
	report_text(report, "\n");
	list = begin_list(report, "algorithms");
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count; i++)
		add_line(&list, LONG_NAMES, algorithms[i]->name, algorithms[i]->summary);
	report_text(report, "\n");
	list = begin_list(report, "topologies");
	const struct ordo_topology_facts *topologies = ordo_topologies(&count);
	for (uint32_t i = 0; i < count; i++)
		add_line(&list, LONG_NAMES, topologies[i].name, topologies[i].summary);
	report_text(report, "\n");
	list = begin_list(report, "terms");
	const char *term;
	for (size_t i = 0; (term = help_entry("terms", i)); i++)
		add_line(&list, LONG_NAMES, term, help_text("terms", term, "title"));
}

static int explain_all(struct call *call)
{
	const struct report report = report_of(call, stdout);
	list_rules(&report);
	report_text(&report, "\n");
	list_words(&report);
	say(call, "\n`ordo explain R8`, `ordo explain G3`, `ordo explain ring`: more about one, "
		  "with an example.\n");
	return ORDO_OK;
}

static bool kind_from_typed(const char *name, enum ordo_task_kind *kind)
{
	for (int i = 0; i < ORDO_NTASK_KIND; i++)
		if (!strcasecmp(name, ordo_task_kind_name((enum ordo_task_kind)i))) {
			*kind = (enum ordo_task_kind)i;
			return true;
		}
	return false;
}

/* "R8", "r8". */
static int rule_from_typed(const char *name)
{
	uint64_t number;
	if ((name[0] != 'R' && name[0] != 'r') || !read_wide(name + 1, &number) || number < 1 ||
		number > NRULE)
		return 0;
	return (int)number;
}

static bool is_path(const char *word)
{
	return strpbrk(word, "./") || !strcmp(word, "-");
}

/* All subjects, to find the nearest name. */
static const char *suggest(const char *what)
{
	enum { MOST = 128 };
	const char *names[MOST];
	size_t nname = 0;
	uint32_t count;
	const struct ordo_topology_facts *topologies = ordo_topologies(&count);
	for (uint32_t i = 0; i < count && nname < MOST; i++)
		names[nname++] = topologies[i].name;
	const char *term;
	for (size_t i = 0; nname < MOST && (term = help_entry("terms", i)); i++)
		names[nname++] = term;
	for (int i = 0; i < ORDO_NTASK_KIND && nname < MOST; i++)
		names[nname++] = ordo_task_kind_name((enum ordo_task_kind)i);
	const char *algorithm = ordo_algorithm_suggest(what, UINT32_MAX);
	if (algorithm && nname < MOST)
		names[nname++] = algorithm;
	return ordo_suggest(what, names, (uint32_t)nname);
}

static int refuse_word(struct call *call, const char *what)
{
	char hint[160];
	const char *like = suggest(what);
	snprintf(hint, sizeof hint,
		"did you mean %s? `ordo explain all` lists what can be explained",
		like ? like : "");
	return fail_usage(call,
		like ? hint
		     : "a rule (R8), a guarantee (G3), an operator (AllReduce), an algorithm "
		       "(ring), a topology (torus), a task (Wait), a term (slot), or the file or "
		       "folder of a schedule; `ordo explain all` lists them",
		"there is no explanation of %s", what);
}

/* "ring" is an algorithm and a topology. */
static int explain_names(struct call *call, const char *algorithm,
	const struct ordo_topology_facts *topology, const char *output)
{
	const int status = algorithm ? explain_algorithm(call, algorithm, true, output) : ORDO_OK;
	if (status != ORDO_OK || !topology || output)
		return status;
	say(call, "%s", algorithm ? "\n" : "");
	return explain_topology(call, topology);
}

static int explain_subject(struct call *call, const char *what, const char *output, uint32_t trees)
{
	enum ordo_operator op;
	enum ordo_task_kind kind;
	enum ordo_guarantee guarantee;
	const int rule = rule_from_typed(what);
	if (rule)
		return explain_rule(call, rule, output);
	if (ordo_guarantee_read(what, &guarantee))
		return explain_guarantee(call, guarantee, output);
	struct ordo_named named;
	const char *algorithm = find_named(what, ORDO_NOPERATOR, &named) ? what : NULL;
	const struct ordo_topology_facts *topology = find_topology(what);
	if (algorithm || (topology && !output))
		return explain_names(call, algorithm, topology, output);
	if (output)
		return fail_usage(call, "rules, G1, G2 and algorithms have one",
			"--write-example: %s has no example schedule", what);
	if (ordo_operator_from_typed(what, &op))
		return explain_operator(call, op);
	if (kind_from_typed(what, &kind))
		return explain_kind(call, kind);
	if (help_find("terms", what))
		return explain_term(call, help_find("terms", what));
	return is_path(what) || is_folder(what) ? explain_schedule(call, what, trees)
						: refuse_word(call, what);
}

static int explain_words(struct call *call, const char *output, uint32_t trees)
{
	const char *what = call->noperand ? call->operands[0] : "all";
	if (!is_path(what) && !is_folder(what) && !took_topology(call))
		return call->status;
	if (call->noperand == 2 && !strcasecmp(call->operands[0], "plan") &&
		!strcasecmp(call->operands[1], "set"))
		return explain_term(call, "plan set");
	if (call->noperand > 1)
		return fail_usage(call, NULL, "one thing at a time: found %s and %s",
			call->operands[0], call->operands[1]);
	if (!load_algorithm(call, &what))
		return call->status;
	return !strcasecmp(what, "all") && !output ? explain_all(call)
						   : explain_subject(call, what, output, trees);
}

static int explain(struct call *call)
{
	uint32_t trees = 8;
	const char *output = NULL;
	struct topology_choice topology = {.name = NULL};
	const struct option options[] = {
		TOPOLOGY_OPTIONS(topology),
		{"trees", 0, NUMBER, &trees, "N",
			"print at most N different reduction trees of a schedule (8)"},
		{"write-example", 0, WRITTEN, &output, "OUT",
			"write the schedule of the example there, and print nothing"},
		MEMORY_LIMIT_OPTION,
	};
	const int status =
		READ_OPTIONS(call, options) ? explain_words(call, output, trees) : call->status;
	free_topology_choice(&topology);
	return status;
}

const struct command explain_command = {
	.name = "explain",
	.summary =
		"explains a rule, a guarantee, an algorithm, a term or a schedule, with an example",
	.usage = "[all|RULE|GUARANTEE|TASK|OPERATOR|ALGORITHM|TOPOLOGY|TERM|FILE] [OPTION]...",
	.examples = "  ordo explain R8\n"
		    "  ordo explain R8 --write-example R8.json\n"
		    "  ordo explain G3\n"
		    "  ordo explain reduce-scatter\n"
		    "  ordo explain ring\n"
		    "  ordo explain SendReduce\n"
		    "  ordo explain slot\n"
		    "  ordo explain ring.json\n"
		    "  ordo explain moves.json --topology cluster.json",
	.run = explain,
};
