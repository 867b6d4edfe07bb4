/* aliases.c - the names that the field has for algorithms: as text, and in --json. */
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

static struct ordo_named meaning_of(const struct ordo_algorithm_facts *facts, uint32_t i)
{
	const struct ordo_alias *alias = &facts->aliases[i];
	return (struct ordo_named){
		facts, alias, alias->operators ? alias->operators : facts->operators};
}

static void add_meaning(cJSON *list, const struct ordo_named *named)
{
	char text[128];
	cJSON *one = cJSON_CreateObject(), *operators = cJSON_AddArrayToObject(one, "operators");
	add_text(one, "name", named->alias ? named->alias->name : named->facts->name);
	add_text(one, "algorithm", write_notation(named, text, sizeof text));
	for (int op = 0; op < ORDO_NOPERATOR; op++)
		if (named->operators >> op & 1)
			cJSON_AddItemToArray(operators,
				cJSON_CreateString(
					ordo_operator_facts((enum ordo_operator)op)->name));
	add_text(one, "note", named->alias ? named->alias->note : NULL);
	cJSON_AddItemToArray(list, one);
}

static bool is_new(const struct ordo_algorithm_facts *facts, uint32_t i)
{
	for (uint32_t before = 0; before < i; before++)
		if (!strcmp(facts->aliases[before].name, facts->aliases[i].name))
			return false;
	return true;
}

void list_aliases(struct call *call, const struct ordo_algorithm_facts *facts, cJSON *one)
{
	cJSON *list = cJSON_AddArrayToObject(one, "aliases");
	for (uint32_t i = 0; i < facts->nalias; i++) {
		const struct ordo_named named = meaning_of(facts, i);
		add_meaning(list, &named);
		if (!i)
			say(call, "  %-18s %-10s ", "", "also");
		if (is_new(facts, i))
			say(call, "%s%s", i ? ", " : "", named.alias->name);
	}
	say(call, "%s", facts->nalias ? "\n" : "");
}

/* "mesh(streams=one) for ReduceScatter (what arrives is folded...)"; the operators only where they
 * are some of the algorithm's, or must be told. */
static void say_meaning(struct call *call, const struct ordo_named *named, bool tell)
{
	char text[128], operators[128];
	tell = tell || named->operators != named->facts->operators;
	say(call, "%s%s%s", write_notation(named, text, sizeof text), tell ? " for " : "",
		tell ? write_operators(named->operators, operators, sizeof operators) : "");
	if (named->alias && named->alias->note)
		say(call, " (%s)", named->alias->note);
	say(call, "\n");
}

void explain_aliases(struct call *call, const struct ordo_algorithm_facts *facts)
{
	cJSON *list = cJSON_AddArrayToObject(call->answer, "aliases");
	for (uint32_t i = 0; i < facts->nalias; i++) {
		const struct ordo_named named = meaning_of(facts, i);
		add_meaning(list, &named);
		say(call, "%s  %-28s ", i ? "" : "\nalso called:\n", named.alias->name);
		say_meaning(call, &named, false);
	}
}

void explain_alias(
	struct call *call, const char *name, const struct ordo_named *named, uint32_t count)
{
	add_text(call->answer, "name", name);
	cJSON *list = cJSON_AddArrayToObject(call->answer, "means");
	const char *told = named[0].alias ? named[0].alias->name : named[0].facts->name;
	for (uint32_t i = 0; i < count; i++) {
		add_meaning(list, &named[i]);
		say(call, "%*s%s ", i ? (int)strlen(told) : 0, i ? "" : told, i ? " " : ":");
		say_meaning(call, &named[i], count > 1);
	}
	say(call, "\n");
}
