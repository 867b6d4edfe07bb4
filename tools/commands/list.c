/* list.c - `ordo list`: the algorithms, topologies, operators and types there are. */
#include "help/explain.h"
#include "report/aliases.h"
#include "report/plan_set.h"
#include <ordo/compiler.h>
#include <ordo/runtime.h>
#include <string.h>

static void heading(struct call *call, const char *text)
{
	say(call, "%s%s%s\n", paint(stdout, BOLD), text, paint(stdout, PLAIN));
}

/* What is claimed of an algorithm, a line each. */
static void list_claims(struct call *call, const struct ordo_algorithm_facts *facts, cJSON *one)
{
	const struct {
		const char *name, *text;
	} claims[] = {{"steps", facts->steps}, {"volume", facts->volume}, {"order", facts->order},
		{"topologies", facts->topologies}};
	for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
		add_text(one, claims[i].name, claims[i].text);
		say(call, "  %-18s %-10s %s\n", "", claims[i].name, claims[i].text);
	}
}

static void list_algorithms(struct call *call)
{
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	cJSON *list = cJSON_AddArrayToObject(call->answer, "algorithms");
	heading(call, "algorithms");
	for (uint32_t i = 0; i < count; i++) {
		cJSON *one = cJSON_CreateObject(),
		      *operators = cJSON_AddArrayToObject(one, "operators");
		add_text(one, "name", algorithms[i]->name);
		add_text(one, "summary", algorithms[i]->summary);
		add_text(one, "ranks", algorithms[i]->ranks);
		cJSON_AddItemToArray(list, one);
		say(call, "  %-18s %s\n  %-18s %-10s %s\n  %-18s %-10s", algorithms[i]->name,
			algorithms[i]->summary, "", "ranks", algorithms[i]->ranks, "", "operators");
		for (int op = 0; op < ORDO_NOPERATOR; op++)
			if (algorithms[i]->operators >> op & 1) {
				const char *name =
					ordo_operator_facts((enum ordo_operator)op)->name;
				cJSON_AddItemToArray(operators, cJSON_CreateString(name));
				say(call, " %s", name);
			}
		say(call, "\n");
		list_claims(call, algorithms[i], one);
		list_aliases(call, algorithms[i], one);
	}
}

static void list_topologies(struct call *call)
{
	uint32_t count;
	const struct ordo_topology_facts *topologies = ordo_topologies(&count);
	cJSON *list = cJSON_AddArrayToObject(call->answer, "topologies");
	heading(call, "topologies");
	for (uint32_t i = 0; i < count; i++) {
		cJSON *one = cJSON_CreateObject();
		add_text(one, "name", topologies[i].name);
		add_text(one, "summary", topologies[i].summary);
		add_text(one, "ranks", topologies[i].ranks);
		cJSON_AddItemToArray(list, one);
		say(call, "  %-18s %s (ranks %s)\n", topologies[i].name, topologies[i].summary,
			topologies[i].ranks);
	}
	say(call, "  %-18s a document ordo/topology/1\n", "FILE.json");
}

static void list_operators(struct call *call)
{
	cJSON *list = cJSON_AddArrayToObject(call->answer, "operators");
	heading(call, "operators");
	for (int op = 0; op < ORDO_NOPERATOR; op++) {
		const struct ordo_operator_facts *facts =
			ordo_operator_facts((enum ordo_operator)op);
		cJSON *one = cJSON_CreateObject();
		add_text(one, "name", facts->name);
		add_text(one, "meaning", facts->meaning);
		cJSON_AddItemToArray(list, one);
		say(call, "  %-18s %s\n", facts->name, facts->meaning);
	}
}

static void list_types(struct call *call)
{
	cJSON *types = cJSON_AddArrayToObject(call->answer, "types");
	cJSON *reductions = cJSON_AddArrayToObject(call->answer, "reductions");
	heading(call, "types and reductions");
	say(call, " ");
	for (int i = 0; i < ORDO_NTYPE; i++) {
		cJSON_AddItemToArray(types, cJSON_CreateString(ordo_type_name((enum ordo_type)i)));
		say(call, " %s", ordo_type_name((enum ordo_type)i));
	}
	say(call, "\n ");
	for (int i = 0; i < ORDO_NREDUCTION; i++) {
		cJSON_AddItemToArray(reductions,
			cJSON_CreateString(ordo_reduction_name((enum ordo_reduction)i)));
		say(call, " %s", ordo_reduction_name((enum ordo_reduction)i));
	}
	say(call, "\n");
}

static const struct {
	const char *name;
	void (*list)(struct call *call);
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
	bool found = false;
	if (call->noperand > 1)
		return fail_usage(call, NULL, "one list at a time: found %s and %s",
			call->operands[0], call->operands[1]);
	struct ordo_named named;
	if (what && find_named(what, ORDO_NOPERATOR, &named))
		return explain_algorithm(call, what, false, NULL);
	if (what && ordo_is_plan_set(what))
		return list_set(call, what);
	for (int i = 0; i < NLIST; i++)
		if (!what || !strcmp(what, lists[i].name)) {
			say(call, "%s", found ? "\n" : "");
			lists[i].list(call);
			found = true;
		}
	return found ? ORDO_OK : refuse_list(call, what);
}

const struct command list_command = {
	.name = "list",
	.summary = "lists the algorithms, topologies, operators and types there are",
	.usage = "[algorithms|topologies|operators|types|ALGORITHM|SET]",
	.examples = "  ordo list\n"
		    "  ordo list operators\n"
		    "  ordo list ring\n"
		    "  ordo list pairwise",
	.reads = true,
	.run = list,
};
