/* complete.c - the candidates at a place of a command line. */
#include "complete.h"
#include "explain/explain.h"
#include "help/texts.h"
#include "report/aliases.h"
#include <ordo/detail/order.h>
#include <ordo/element.h>
#include <ordo/schedule.h>
#include <string.h>

static bool continues_typed(const struct completion *completion, const char *value)
{
	const char *typed = completion->word + completion->kept;
	return !strncmp(value, typed, strlen(typed));
}

void print_candidate(struct completion *completion, const char *value, const char *meaning)
{
	if (!continues_typed(completion, value))
		return;
	if (!completion->list) {
		printf("%.*s%s%s%s\n", (int)completion->kept, completion->word, value,
			meaning ? "\t" : "", meaning ? meaning : "");
		return;
	}
	char whole[1024];
	snprintf(whole, sizeof whole, "%.*s%s", (int)completion->kept, completion->word, value);
	cJSON *one = cJSON_CreateObject();
	add_text(one, "value", whole);
	add_text(one, "meaning", meaning);
	cJSON_AddItemToArray(completion->list, one);
}

/* Words separated by bars: "auto|1|2". A placeholder in brackets or a range ("1..64") is no
 * candidate. */
static void complete_words(struct completion *completion, const char *words, const char *ending)
{
	while (*words) {
		const size_t length = strcspn(words, "|");
		char word[64];
		if (length + strlen(ending) < sizeof word && words[0] != '[' &&
			!memchr(words, '.', length)) {
			snprintf(word, sizeof word, "%.*s%s", (int)length, words, ending);
			print_candidate(completion, word, NULL);
		}
		words += length + (words[length] == '|');
	}
}

/* An alias with several meanings is printed once. */
static void complete_aliases(
	struct completion *completion, const struct ordo_algorithm_facts *facts, int op)
{
	for (uint32_t i = 0; i < facts->nalias; i++) {
		const char *name = facts->aliases[i].name;
		char text[128], meaning[160];
		struct ordo_named named;
		if (!find_named(name, op, &named) || named.alias != &facts->aliases[i])
			continue;
		snprintf(meaning, sizeof meaning, "is %s",
			write_notation(&named, text, sizeof text));
		print_candidate(completion, name, meaning);
	}
}

/* All own names; aliases only after the first letter, because there are many. */
static void complete_algorithm_names(struct completion *completion, int op)
{
	uint32_t count;
	const struct ordo_algorithm_facts *const *algorithms = ordo_algorithms(&count);
	for (uint32_t i = 0; i < count; i++)
		if (op == ORDO_NOPERATOR || algorithms[i]->operators >> op & 1)
			print_candidate(completion, algorithms[i]->name, algorithms[i]->summary);
	for (uint32_t i = 0; i < count && completion->word[completion->kept]; i++)
		complete_aliases(completion, algorithms[i], op);
}

static const struct ordo_parameter *find_parameter(
	const struct ordo_algorithm_facts *facts, const char *name, size_t length)
{
	for (uint32_t i = 0; i < ordo_parameter_count(facts); i++) {
		const struct ordo_parameter *parameter = ordo_parameter_at(facts, i);
		if (strlen(parameter->name) == length && !strncmp(parameter->name, name, length))
			return parameter;
	}
	return NULL;
}

/* After "mesh(" or "mesh(shots=1,": the names of parameters; after "fold=": its values. */
static void complete_parameters(
	struct completion *completion, const struct ordo_algorithm_facts *facts, size_t start)
{
	const char *word = completion->word, *comma = strrchr(word + start, ',');
	completion->kept = comma ? (size_t)(comma - word) + 1 : start;
	const char *setting = word + completion->kept, *equals = strchr(setting, '=');
	if (equals) {
		const struct ordo_parameter *parameter =
			find_parameter(facts, setting, (size_t)(equals - setting));
		completion->kept = (size_t)(equals - word) + 1;
		if (parameter)
			complete_words(completion, parameter->values, ")");
		return;
	}
	for (uint32_t i = 0; i < ordo_parameter_count(facts); i++) {
		const struct ordo_parameter *parameter = ordo_parameter_at(facts, i);
		char name[64];
		snprintf(name, sizeof name, "%s=", parameter->name);
		if (parameter->kind == ORDO_ALGORITHMS)
			complete_algorithm_names(completion, ORDO_NOPERATOR);
		else
			print_candidate(completion, name, parameter->meaning);
	}
}

/* Names; for a complete name also the name with an opening parenthesis. */
static void complete_algorithms(struct completion *completion)
{
	const char *typed = completion->word + completion->kept;
	const size_t length = strcspn(typed, "(");
	char name[64];
	snprintf(name, sizeof name, "%.*s", (int)length, typed);
	struct ordo_named named;
	const struct ordo_algorithm_facts *facts =
		find_named(name, completion->op, &named) ? named.facts : NULL;
	if (typed[length] && facts) {
		complete_parameters(completion, facts, completion->kept + length + 1);
		return;
	}
	complete_algorithm_names(completion, completion->op);
	if (facts) {
		snprintf(name, sizeof name, "%.*s(", (int)length, typed);
		print_candidate(completion, name, "with parameters");
	}
}

static void complete_topologies(struct completion *completion)
{
	uint32_t count;
	const struct ordo_topology_facts *topologies = ordo_topologies(&count);
	for (uint32_t i = 0; i < count; i++)
		print_candidate(completion, topologies[i].name, topologies[i].summary);
}

/* In lower case with hyphens; in their own spelling once a capital letter was typed. */
static void complete_operators(struct completion *completion)
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
	const char first = completion->word[completion->kept];
	for (int op = 0; op < ORDO_NOPERATOR; op++) {
		const struct ordo_operator_facts *facts =
			ordo_operator_facts((enum ordo_operator)op);
		print_candidate(completion, first >= 'A' && first <= 'Z' ? facts->name : typed[op],
			facts->meaning);
	}
}

static void complete_types(struct completion *completion)
{
	for (int i = 0; i < ORDO_NTYPE; i++)
		print_candidate(completion, ordo_type_name((enum ordo_type)i), NULL);
	if (completion->repeats)
		print_candidate(completion, "all", NULL);
}

static void complete_reductions(struct completion *completion)
{
	for (int i = 0; i < ORDO_NREDUCTION; i++)
		print_candidate(completion, ordo_reduction_name((enum ordo_reduction)i), NULL);
	if (completion->repeats)
		print_candidate(completion, "all", NULL);
}

static void complete_guarantees_below(struct completion *completion, enum ordo_guarantee end)
{
	for (int i = 0; i < (int)end; i++)
		print_candidate(completion, ordo_guarantee_name((enum ordo_guarantee)i),
			ordo_guarantee_title((enum ordo_guarantee)i));
}

static void complete_guarantees(struct completion *completion)
{
	complete_guarantees_below(completion, ORDO_NGUARANTEE);
}

static void complete_rules(struct completion *completion)
{
	for (int i = 1; i <= NRULE; i++) {
		char name[8];
		snprintf(name, sizeof name, "R%d", i);
		print_candidate(completion, name, rule_text(i, "title"));
	}
}

static void complete_tasks(struct completion *completion)
{
	for (int i = 0; i < ORDO_NTASK_KIND; i++)
		print_candidate(completion, ordo_task_kind_name((enum ordo_task_kind)i),
			task_kind_meaning((enum ordo_task_kind)i));
}

static void complete_terms(struct completion *completion)
{
	const char *term;
	for (size_t i = 0; (term = help_entry("terms", i)); i++)
		print_candidate(completion, term, help_text("terms", term, "title"));
}

static void complete_commands(struct completion *completion)
{
	const struct command_table *table = completion->call->table;
	for (size_t i = 0; i < table->count; i++)
		print_candidate(completion, table->commands[i]->name, table->commands[i]->summary);
}

static void complete_listed_words(struct completion *completion)
{
	complete_words(completion, completion->argument, "");
}

static void complete_files(struct completion *completion)
{
	completion->files = true;
}

static void complete_folders(struct completion *completion)
{
	completion->folders = true;
}

static void complete_topology_files(struct completion *completion)
{
	complete_topologies(completion);
	complete_files(completion);
}

static void complete_conditions(struct completion *completion)
{
	complete_guarantees_below(completion, ORDO_G4);
	print_candidate(completion, "constant", "one order for all sizes of a plan set");
}

/* NULL: no candidates. */
static void (*const complete_kind[])(struct completion *completion) = {
	[ANYTHING] = NULL,
	[WORDS] = complete_listed_words,
	[FILES] = complete_files,
	[FOLDERS] = complete_folders,
	[ALGORITHMS] = complete_algorithms,
	[TOPOLOGIES] = complete_topologies,
	[TOPOLOGY_FILES] = complete_topology_files,
	[OPERATORS] = complete_operators,
	[TYPES] = complete_types,
	[REDUCTIONS] = complete_reductions,
	[GUARANTEES] = complete_guarantees,
	[CONDITIONS] = complete_conditions,
	[RULES] = complete_rules,
	[TASKS] = complete_tasks,
	[TERMS] = complete_terms,
	[COMMANDS] = complete_commands,
};

void complete_values(struct completion *completion, const char *argument, bool list, int op)
{
	enum value_kind kind;
	const char *comma = list ? strrchr(completion->word + completion->kept, ',') : NULL;
	value_kind_of(argument, &kind);
	if (comma && kind != ALGORITHMS)
		completion->kept = (size_t)(comma - completion->word) + 1;
	completion->argument = argument;
	completion->repeats = list;
	completion->op = op;
	if (complete_kind[kind])
		complete_kind[kind](completion);
}
