/* aliases.c - reports the established names of algorithms. */
#include "aliases.h"
#include <string.h>

bool find_named(const char *name, int op, struct ordo_named *named)
{
	struct ordo_named all[ORDO_MOST_NAMED];
	const uint32_t count = ordo_algorithms_named(name, all);
	for (uint32_t i = 0; i < count; i++)
		if (op == ORDO_NOPERATOR || all[i].operators >> op & 1) {
			*named = all[i];
			return true;
		}
	return false;
}

char *write_notation(const struct ordo_named *named, char *text, size_t size)
{
	const char *settings = named->alias ? named->alias->settings : "";
	snprintf(text, size, "%s%s%s%s", named->facts->name, *settings ? "(" : "", settings,
		*settings ? ")" : "");
	return text;
}

char *write_operators(uint32_t operators, char *text, size_t size)
{
	size_t used = 0;
	*text = 0;
	for (int op = 0; op < ORDO_NOPERATOR && used < size; op++)
		if (operators >> op & 1)
			used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
				ordo_operator_facts((enum ordo_operator)op)->name);
	return text;
}

void add_operators(cJSON *list, uint32_t operators)
{
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		if (operators >> op & 1)
			add_text(list, NULL, ordo_operator_facts((enum ordo_operator)op)->name);
}

static struct ordo_named meaning_of(const struct ordo_algorithm_facts *facts, uint32_t i)
{
	const struct ordo_alias *alias = &facts->aliases[i];
	return (struct ordo_named){
		facts, alias, alias->operators ? alias->operators : facts->operators};
}

static void add_meaning(const struct report *list, const struct ordo_named *named)
{
	char text[128];
	const struct report one = report_item(list), operators = report_list(&one, "operators");
	report_members(&one, "%s<name> %s<algorithm>",
		named->alias ? named->alias->name : named->facts->name,
		write_notation(named, text, sizeof text));
	add_operators(operators.json, named->operators);
	add_text(one.json, "note", named->alias ? named->alias->note : NULL);
}

static bool is_new(const struct ordo_algorithm_facts *facts, uint32_t i)
{
	for (uint32_t before = 0; before < i; before++)
		if (!strcmp(facts->aliases[before].name, facts->aliases[i].name))
			return false;
	return true;
}

void list_aliases(const struct report *algorithm, const struct ordo_algorithm_facts *facts)
{
	const struct report list = report_list(algorithm, "aliases");
	if (facts->nalias)
		report_text(&list, "  %-18s %-10s ", "", "also");
	for (uint32_t i = 0; i < facts->nalias; i++) {
		const struct ordo_named named = meaning_of(facts, i);
		add_meaning(&list, &named);
		if (is_new(facts, i))
			report_text(&list, "%s%s", i ? ", " : "", named.alias->name);
	}
	report_text(&list, "%s", facts->nalias ? "\n" : "");
}

/* "mesh(streams=one) for ReduceScatter (what arrives is folded...)"; operators only if the alias is
 * not for all of the algorithm's, or if requested. */
static void report_meaning(const struct report *list, const struct ordo_named *named, bool wanted)
{
	char text[128], operators[128];
	const bool shown = wanted || named->operators != named->facts->operators;
	add_meaning(list, named);
	report_text(list, "%s%s%s", write_notation(named, text, sizeof text), shown ? " for " : "",
		shown ? write_operators(named->operators, operators, sizeof operators) : "");
	if (named->alias && named->alias->note)
		report_text(list, " (%s)", named->alias->note);
	report_text(list, "\n");
}

void explain_aliases(struct call *call, const struct ordo_algorithm_facts *facts)
{
	const struct report report = report_of(call, stdout),
			    list = report_list(&report, "aliases");
	for (uint32_t i = 0; i < facts->nalias; i++) {
		const struct ordo_named named = meaning_of(facts, i);
		report_text(&list, "%s  %-28s ", i ? "" : "\nalso called:\n", named.alias->name);
		report_meaning(&list, &named, false);
	}
}

void explain_alias(
	struct call *call, const char *name, const struct ordo_named *named, uint32_t count)
{
	const struct report report = report_of(call, stdout);
	report_members(&report, "%s<name>", name);
	const struct report list = report_list(&report, "means");
	const char *known = named[0].alias ? named[0].alias->name : named[0].facts->name;
	for (uint32_t i = 0; i < count; i++) {
		report_text(
			&list, "%*s%s ", i ? (int)strlen(known) : 0, i ? "" : known, i ? " " : ":");
		report_meaning(&list, &named[i], count > 1);
	}
	report_text(&list, "\n");
}
