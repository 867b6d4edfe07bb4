/* list.c - `ordo list`: the algorithms, topologies, operators and types. */
#include "commands/commands.h"
#include "explain/explain.h"
#include "failures/failures.h"
#include "plugin/shared_object.h"
#include "report/aliases.h"
#include "report/plan_set.h"
#include <ordo/compiler.h>
#include <ordo/runtime.h>
#include <string.h>

static void heading(const struct report *report, const char *text)
{
	report_text(
		report, "%s%s%s\n", paint(report->text, BOLD), text, paint(report->text, PLAIN));
}

/* The claims of an algorithm, one per line. */
static void list_claims(const struct report *one, const struct ordo_algorithm_facts *facts)
{
	const struct {
		const char *name, *text;
	} claims[] = {{"steps", facts->steps}, {"volume", facts->volume}, {"order", facts->order},
		{"topologies", facts->topologies},
		{"survey", facts->never_fastest ? ORDO_NEVER_FASTEST : NULL}};
	for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
		add_text(one->json, claims[i].name, claims[i].text);
		if (claims[i].text)
			report_text(one, "  %-18s %-10s %s\n", "", claims[i].name, claims[i].text);
	}
}

static void list_algorithm(const struct report *one, const struct ordo_algorithm_facts *facts)
{
	const struct report operators = report_list(one, "operators");
	report_text(one, "  %-18s<name> %s<summary>\n  %-18s %-10s %s<ranks>\n  %-18s %-10s",
		facts->name, facts->summary, "", "ranks", facts->ranks, "", "operators");
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		if (facts->operators >> op & 1)
			report_text(&operators, " %s<>",
				ordo_operator_facts((enum ordo_operator)op)->name);
	report_text(one, "\n");
	list_claims(one, facts);
	list_aliases(one, facts);
}

static void list_algorithms(const struct report *report)
{
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	const struct report list = report_list(report, "algorithms");
	heading(report, "algorithms");
	for (uint32_t i = 0; i < count; i++) {
		const struct report one = report_item(&list);
		list_algorithm(&one, algorithms[i]);
	}
}

static void list_topologies(const struct report *report)
{
	uint32_t count;
	const struct ordo_topology_facts *topologies = ordo_topologies(&count);
	const struct report list = report_list(report, "topologies");
	heading(report, "topologies");
	for (uint32_t i = 0; i < count; i++) {
		const struct report one = report_item(&list);
		report_text(&one, "  %-18s<name> %s<summary> (ranks %s<ranks>)\n",
			topologies[i].name, topologies[i].summary, topologies[i].ranks);
	}
	report_text(report, "  %-18s a document ordo/topology/1\n", "FILE.json");
	report_text(report, "  %-18s a machine as NCCL or RCCL dumps it (NCCL_TOPO_DUMP_FILE)\n",
		"FILE.xml");
}

static void list_operators(const struct report *report)
{
	const struct report list = report_list(report, "operators");
	heading(report, "operators");
	for (int op = 0; op <= ORDO_CUSTOM; op++) {
		const struct ordo_operator_facts *facts =
			ordo_operator_facts((enum ordo_operator)op);
		const struct report one = report_item(&list);
		report_text(&one, "  %-18s<name> %s<meaning>\n", facts->name, facts->meaning);
	}
}

static void list_types(const struct report *report)
{
	const struct report types = report_list(report, "types"),
			    reductions = report_list(report, "reductions");
	heading(report, "types and reductions");
	report_text(report, " ");
	for (int i = 0; i < ORDO_NTYPE; i++)
		report_text(&types, " %s<>", ordo_type_name((enum ordo_type)i));
	report_text(report, "\n ");
	for (int i = 0; i < ORDO_NREDUCTION; i++)
		report_text(&reductions, " %s<>", ordo_reduction_name((enum ordo_reduction)i));
	report_text(report, "\n");
}

static const struct {
	const char *name;
	void (*list)(const struct report *report);
} lists[] = {
	{"algorithms", list_algorithms},
	{"topologies", list_topologies},
	{"operators", list_operators},
	{"types", list_types},
};
enum { NLIST = sizeof lists / sizeof *lists };

static int refuse_list(struct call *call, const char *what)
{
	char hint[128];
	const char *names[NLIST];
	for (int i = 0; i < NLIST; i++)
		names[i] = lists[i].name;
	const char *like = ordo_suggest(what, names, NLIST);
	like = like ? like : ordo_algorithm_suggest(what, UINT32_MAX);
	snprintf(hint, sizeof hint, "did you mean %s?", like ? like : "");
	return fail_usage(call,
		like ? hint
		     : "algorithms, topologies, operators, types, or the name of an algorithm",
		"there is no list of %s", what);
}

static int list(struct call *call)
{
	if (!read_options(call, NULL, 0))
		return call->status;
	const char *what = call->noperand ? call->operands[0] : NULL;
	const struct report report = report_of(call, stdout);
	bool found = false;
	if (call->noperand > 1)
		return fail_usage(call, NULL, "one list at a time: found %s and %s",
			call->operands[0], call->operands[1]);
	if (!load_algorithm(call, &what))
		return call->status;
	struct ordo_named named;
	if (what && find_named(what, ORDO_NOPERATOR, &named))
		return explain_algorithm(call, what, false, NULL);
	if (what && ordo_is_plan_set(what))
		return list_set(call, what);
	if (what && ordo_is_failure_set(what))
		return list_failures(call, what);
	for (int i = 0; i < NLIST; i++)
		if (!what || !strcmp(what, lists[i].name)) {
			report_text(&report, "%s", found ? "\n" : "");
			lists[i].list(&report);
			found = true;
		}
	return found ? ORDO_OK : refuse_list(call, what);
}

const struct command list_command = {
	.name = "list",
	.summary = "lists algorithms, topologies, operators and types",
	.usage = "[algorithms|topologies|operators|types|ALGORITHM|SET]",
	.examples = "  ordo list\n"
		    "  ordo list operators\n"
		    "  ordo list ring\n"
		    "  ordo list pairwise",
	.reads = true,
	.run = list,
};
