/* names.c - what a name of an algorithm means: its own, or one that the field has for it. */
#include "request.h"
#include <ctype.h>
#include <ordo/suggest.h>
#include <string.h>

/* The next letter that counts, and behind it. */
static int next_letter(const char **text)
{
	while (**text == '-' || **text == '_')
		++*text;
	return **text ? tolower((unsigned char)*(*text)++) : 0;
}

static bool is_same(const char *a, const char *b)
{
	int letter;
	do {
		letter = next_letter(&a);
		if (letter != next_letter(&b))
			return false;
	} while (letter);
	return true;
}

static uint32_t operators_of(
	const struct ordo_algorithm_facts *facts, const struct ordo_alias *alias)
{
	return alias->operators ? alias->operators : facts->operators;
}

uint32_t ordo_registry_named(const struct ordo_registry *registry, const char *name,
	struct ordo_named named[ORDO_MOST_NAMED])
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < registry->nalgorithm && !count; i++) {
		const struct ordo_algorithm_facts *facts = &registry->algorithms[i]->facts;
		if (is_same(name, facts->name))
			named[count++] = (struct ordo_named){facts, NULL, facts->operators};
	}
	for (uint32_t i = 0; i < registry->nalgorithm; i++) {
		const struct ordo_algorithm_facts *facts = &registry->algorithms[i]->facts;
		for (uint32_t a = 0; a < facts->nalias && count < ORDO_MOST_NAMED; a++) {
			const struct ordo_alias *alias = &facts->aliases[a];
			if (is_same(name, alias->name))
				named[count++] = (struct ordo_named){
					facts, alias, operators_of(facts, alias)};
		}
	}
	return count;
}

const char *ordo_registry_suggest(
	const struct ordo_registry *registry, const char *word, uint32_t operators)
{
	enum { MOST = 256 };
	const char *names[MOST];
	uint32_t count = 0;
	for (uint32_t i = 0; i < registry->nalgorithm; i++) {
		const struct ordo_algorithm_facts *facts = &registry->algorithms[i]->facts;
		if (facts->operators & operators && count < MOST)
			names[count++] = facts->name;
		for (uint32_t a = 0; a < facts->nalias; a++)
			if (operators_of(facts, &facts->aliases[a]) & operators && count < MOST)
				names[count++] = facts->aliases[a].name;
	}
	return ordo_suggest(word, names, count);
}
