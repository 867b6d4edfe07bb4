/* complete.c - what may be typed at a place of a command line. */
#include "complete.h"
#include "explain/explain.h"
#include "help/texts.h"
#include "report/aliases.h"
#include <ordo/detail/order.h>
#include <ordo/element.h>
#include <ordo/schedule.h>
#include <string.h>

static bool goes_on(const struct offers *offers, const char *value)
{
	const char *typed = offers->word + offers->kept;
	return !strncmp(value, typed, strlen(typed));
}

void offer(struct offers *offers, const char *value, const char *meaning)
{
	if (!goes_on(offers, value))
		return;
	if (!offers->list) {
		printf("%.*s%s%s%s\n", (int)offers->kept, offers->word, value, meaning ? "\t" : "",
			meaning ? meaning : "");
		return;
	}
	char whole[1024];
	snprintf(whole, sizeof whole, "%.*s%s", (int)offers->kept, offers->word, value);
	cJSON *one = cJSON_CreateObject();
	add_text(one, "value", whole);
	add_text(one, "meaning", meaning);
	cJSON_AddItemToArray(offers->list, one);
}

/* Words with bars between them: "auto|1|2". What is in brackets or a range ("1..64") is no word to
 * be typed. */
static void offer_words(struct offers *offers, const char *words, const char *ending)
{
	while (*words) {
		const size_t length = strcspn(words, "|");
		char word[64];
		if (length + strlen(ending) < sizeof word && words[0] != '[' &&
			!memchr(words, '.', length)) {
			snprintf(word, sizeof word, "%.*s%s", (int)length, words, ending);
			offer(offers, word, NULL);
		}
		words += length + (words[length] == '|');
	}
}

/* An alias of several meanings is offered once. */
static void offer_aliases(struct offers *offers, const struct ordo_algorithm_facts *facts, int op)
{
	for (uint32_t i = 0; i < facts->nalias; i++) {
		const char *name = facts->aliases[i].name;
		char text[128], meaning[160];
		struct ordo_named named;
		if (!find_named(name, op, &named) || named.alias != &facts->aliases[i])
			continue;
		snprintf(meaning, sizeof meaning, "is %s",
			write_notation(&named, text, sizeof text));
		offer(offers, name, meaning);
	}
}

/* All own names; the others only to who has typed a letter, for they are many. */
static void offer_algorithm_names(struct offers *offers, int op)
{
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count; i++)
		if (op == ORDO_NOPERATOR || algorithms[i]->operators >> op & 1)
			offer(offers, algorithms[i]->name, algorithms[i]->summary);
	for (uint32_t i = 0; i < count && offers->word[offers->kept]; i++)
		offer_aliases(offers, algorithms[i], op);
}

static const struct ordo_parameter *find_parameter(
	const struct ordo_algorithm_facts *facts, const char *name, size_t length)
{
	for (uint32_t i = 0; i < facts->nparameter; i++)
		if (strlen(facts->parameters[i].name) == length &&
			!strncmp(facts->parameters[i].name, name, length))
			return &facts->parameters[i];
	return NULL;
}

/* After "mesh(" or "mesh(shots=1,": the names of parameters, and after "fold=" what that may be. */
static void offer_parameters(
	struct offers *offers, const struct ordo_algorithm_facts *facts, size_t start)
{
	const char *word = offers->word, *comma = strrchr(word + start, ',');
	offers->kept = comma ? (size_t)(comma - word) + 1 : start;
	const char *setting = word + offers->kept, *equals = strchr(setting, '=');
	if (equals) {
		const struct ordo_parameter *parameter =
			find_parameter(facts, setting, (size_t)(equals - setting));
		offers->kept = (size_t)(equals - word) + 1;
		if (parameter)
			offer_words(offers, parameter->values, ")");
		return;
	}
	for (uint32_t i = 0; i < facts->nparameter; i++) {
		const struct ordo_parameter *parameter = &facts->parameters[i];
		char name[64];
		snprintf(name, sizeof name, "%s=", parameter->name);
		if (parameter->kind == ORDO_ALGORITHMS)
			offer_algorithm_names(offers, ORDO_NOPERATOR);
		else
			offer(offers, name, parameter->meaning);
	}
}

/* A name, and where it has parameters and is whole, the name with a parenthesis. */
static void offer_algorithms(struct offers *offers)
{
	const char *typed = offers->word + offers->kept;
	const size_t length = strcspn(typed, "(");
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)length, typed);
	struct ordo_named named;
	const struct ordo_algorithm_facts *facts =
		find_named(name, offers->op, &named) ? named.facts : NULL;
	if (typed[length] && facts) {
		offer_parameters(offers, facts, offers->kept + length + 1);
		return;
	}
	offer_algorithm_names(offers, offers->op);
	if (facts && facts->nparameter) {
		snprintf(name, sizeof name, "%.*s(", (int)length, typed);
		offer(offers, name, "with parameters");
	}
}

static void offer_topologies(struct offers *offers)
{
	uint32_t count;
	const struct ordo_topology_facts *topologies = ordo_topologies(&count);
	for (uint32_t i = 0; i < count; i++)
		offer(offers, topologies[i].name, topologies[i].summary);
}

/* As people type them: small, with a hyphen; as they are called once a capital is typed. */
static void offer_operators(struct offers *offers)
{
	static const char *const typed[ORDO_NOPERATOR] = {
		[ORDO_ALLREDUCE] = "allreduce",
		[ORDO_REDUCE] = "reduce",
		[ORDO_BROADCAST] = "broadcast",
		[ORDO_REDUCESCATTER] = "reduce-scatter",
		[ORDO_ALLGATHER] = "allgather",
		[ORDO_SCATTER] = "scatter",
		[ORDO_GATHER] = "gather",
		[ORDO_ALLTOALL] = "alltoall",
	};
	const char first = offers->word[offers->kept];
	for (int op = 0; op < ORDO_NOPERATOR; op++) {
		const struct ordo_operator_facts *facts =
			ordo_operator_facts((enum ordo_operator)op);
		offer(offers, first >= 'A' && first <= 'Z' ? facts->name : typed[op],
			facts->meaning);
	}
}

static void offer_types(struct offers *offers)
{
	for (int i = 0; i < ORDO_NTYPE; i++)
		offer(offers, ordo_type_name((enum ordo_type)i), NULL);
	if (offers->repeats)
		offer(offers, "all", NULL);
}

static void offer_reductions(struct offers *offers)
{
	for (int i = 0; i < ORDO_NREDUCTION; i++)
		offer(offers, ordo_reduction_name((enum ordo_reduction)i), NULL);
	if (offers->repeats)
		offer(offers, "all", NULL);
}

static void offer_guarantees_below(struct offers *offers, enum ordo_guarantee end)
{
	for (int i = 0; i < (int)end; i++)
		offer(offers, ordo_guarantee_name((enum ordo_guarantee)i),
			ordo_guarantee_title((enum ordo_guarantee)i));
}

static void offer_guarantees(struct offers *offers)
{
	offer_guarantees_below(offers, ORDO_NGUARANTEE);
}

static void offer_rules(struct offers *offers)
{
	for (int i = 1; i <= NRULE; i++) {
		char name[8];
		snprintf(name, sizeof name, "R%d", i);
		offer(offers, name, rule_text(i, "title"));
	}
}

static void offer_tasks(struct offers *offers)
{
	for (int i = 0; i < ORDO_NTASK_KIND; i++)
		offer(offers, ordo_task_kind_name((enum ordo_task_kind)i),
			task_kind_meaning((enum ordo_task_kind)i));
}

static void offer_terms(struct offers *offers)
{
	const char *term;
	for (size_t i = 0; (term = help_entry("terms", i)); i++)
		offer(offers, term, help_text("terms", term, "title"));
}

static void offer_commands(struct offers *offers)
{
	const struct command_table *table = offers->call->table;
	for (size_t i = 0; i < table->count; i++)
		offer(offers, table->commands[i]->name, table->commands[i]->summary);
}

static void offer_own_words(struct offers *offers)
{
	offer_words(offers, offers->argument, "");
}

static void offer_files(struct offers *offers)
{
	offers->files = true;
}

static void offer_folders(struct offers *offers)
{
	offers->folders = true;
}

static void offer_topology_files(struct offers *offers)
{
	offer_topologies(offers);
	offer_files(offers);
}

static void offer_conditions(struct offers *offers)
{
	offer_guarantees_below(offers, ORDO_G4);
	offer(offers, "constant", "one order for all sizes of a plan set");
}

/* NULL: nothing. */
static void (*const offer_kind[])(struct offers *offers) = {
	[ANYTHING] = NULL,
	[WORDS] = offer_own_words,
	[FILES] = offer_files,
	[FOLDERS] = offer_folders,
	[ALGORITHMS] = offer_algorithms,
	[TOPOLOGIES] = offer_topologies,
	[TOPOLOGY_FILES] = offer_topology_files,
	[OPERATORS] = offer_operators,
	[TYPES] = offer_types,
	[REDUCTIONS] = offer_reductions,
	[GUARANTEES] = offer_guarantees,
	[CONDITIONS] = offer_conditions,
	[RULES] = offer_rules,
	[TASKS] = offer_tasks,
	[TERMS] = offer_terms,
	[COMMANDS] = offer_commands,
};

void offer_values(struct offers *offers, const char *argument, bool list, int op)
{
	enum value_kind kind;
	const char *comma = list ? strrchr(offers->word + offers->kept, ',') : NULL;
	value_kind_of(argument, &kind);
	if (comma && kind != ALGORITHMS)
		offers->kept = (size_t)(comma - offers->word) + 1;
	offers->argument = argument;
	offers->repeats = list;
	offers->op = op;
	if (offer_kind[kind])
		offer_kind[kind](offers);
}
