/* notation.c - reads `name(key=value)` and `name(algorithm,algorithm)`: an algorithm of the
 * registry and the values of its parameters. */
#include "request.h"
#include <ctype.h>
#include <ordo/arena.h>
#include <ordo/suggest.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is being read. */
struct notation {
	struct ordo_resolved_request *resolved;
	const char *text; /* whole, without spaces */
	struct ordo_error *error;
};

/* "a, b, c" of the names that `name` gives for 0..count-1; NULL ones are left out. */
static const char *list_names(struct ordo_arena *arena, const char *const *names, uint32_t count)
{
	const char *list = "";
	for (uint32_t i = 0; i < count && list; i++)
		if (names[i])
			list = ordo_arena_format(
				arena, "%s%s%s", list, *list ? ", " : "", names[i]);
	return list ? list : "";
}

static bool suggest(
	struct ordo_error *error, const char *found, const char *const *names, uint32_t count)
{
	const char *near = ordo_suggest(found, names, count);
	return near ? ordo_hint(error, "did you mean %s?", near) : false;
}

static bool takes_algorithms(const struct ordo_algorithm_facts *facts, uint32_t *index)
{
	for (*index = 0; *index < facts->nparameter; ++*index)
		if (facts->parameters[*index].kind == ORDO_ALGORITHMS)
			return true;
	return false;
}

/* The names of all algorithms; with an operator, NULL for those that lack it, and for those that
 * are made of others. */
static const char **algorithm_names(
	struct ordo_resolved_request *resolved, const enum ordo_operator *op)
{
	const struct ordo_registry *registry = resolved->registry;
	const char **names = ordo_arena_alloc(
		&resolved->arena, ((size_t)registry->nalgorithm + 1) * sizeof *names);
	for (uint32_t i = 0, parameter; names && i < registry->nalgorithm; i++) {
		const struct ordo_algorithm_facts *facts = &registry->algorithms[i]->facts;
		if (!op || (facts->operators >> *op & 1 && !takes_algorithms(facts, &parameter)))
			names[i] = facts->name;
	}
	return names;
}

/* "alltoall (AllToAll), mesh(streams=one) (ReduceScatter)". */
static const char *list_meanings(
	struct ordo_arena *arena, const struct ordo_named *named, uint32_t count)
{
	const char *list = "";
	for (uint32_t i = 0; i < count && list; i++) {
		const char *operators = "",
			   *settings = named[i].alias ? named[i].alias->settings : "";
		for (int op = 0; op < ORDO_NOPERATOR && operators; op++)
			if (named[i].operators >> op & 1)
				operators = ordo_arena_format(arena, "%s%s%s", operators,
					*operators ? ", " : "",
					ordo_operator_facts((enum ordo_operator)op)->name);
		list = operators ? ordo_arena_format(arena, "%s%s%s%s%s%s (%s)", list,
					   *list ? ", " : "", named[i].facts->name,
					   *settings ? "(" : "", settings, *settings ? ")" : "",
					   operators)
				 : NULL;
	}
	return list ? list : "";
}

static bool hint_operator(struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	const char **names = algorithm_names(resolved, &resolved->problem.op);
	if (!names)
		return ordo_fail_memory(error);
	return ordo_hint(error, "algorithms that have it: %s",
		list_names(&resolved->arena, names, resolved->registry->nalgorithm));
}

/* The name is one, but not for this operator. */
static bool fail_operator(const struct notation *notation, const char *name,
	const struct ordo_named *named, uint32_t count)
{
	struct ordo_resolved_request *resolved = notation->resolved;
	ordo_fail(notation->error, ORDO_USAGE, 0, "algorithm: %s has no %s; it is a name for %s",
		name, ordo_operator_facts(resolved->problem.op)->name,
		list_meanings(&resolved->arena, named, count));
	return hint_operator(resolved, notation->error);
}

static bool fail_name(const struct notation *notation, const char *name)
{
	struct ordo_resolved_request *resolved = notation->resolved;
	const char **names = algorithm_names(resolved, NULL);
	if (!names)
		return ordo_fail_memory(notation->error);
	ordo_fail(notation->error, ORDO_USAGE, 0, "algorithm: found \"%s\", wanted one of %s", name,
		list_names(&resolved->arena, names, resolved->registry->nalgorithm));
	const char *near =
		ordo_registry_suggest(resolved->registry, name, 1u << resolved->problem.op);
	near = near ? near : ordo_registry_suggest(resolved->registry, name, UINT32_MAX);
	return near ? ordo_hint(notation->error, "did you mean %s?", near) : false;
}

/* What the name means for the operator; *settings are those that it stands for. */
static bool find_algorithm(const struct notation *notation, const char *name, const char **settings)
{
	struct ordo_resolved_request *resolved = notation->resolved;
	struct ordo_named named[ORDO_MOST_NAMED];
	const uint32_t count = ordo_registry_named(resolved->registry, name, named);
	uint32_t i = 0;
	if (!count)
		return fail_name(notation, name);
	while (i < count && !(named[i].operators >> resolved->problem.op & 1))
		i++;
	if (i == count && named[0].alias)
		return fail_operator(notation, name, named, count);
	i = i == count ? 0 : i;
	const struct ordo_registry *registry = resolved->registry;
	for (uint32_t a = 0; a < registry->nalgorithm; a++)
		if (&registry->algorithms[a]->facts == named[i].facts)
			resolved->algorithm = registry->algorithms[a];
	*settings = named[i].alias ? named[i].alias->settings : "";
	return true;
}

static bool find_parameter(const struct notation *notation, const char *name, uint32_t *index)
{
	const struct ordo_algorithm_facts *facts = &notation->resolved->algorithm->facts;
	const uint32_t count = ordo_parameter_count(facts);
	for (*index = 0; *index < count; ++*index)
		if (!strcmp(name, ordo_parameter_at(facts, *index)->name))
			return true;
	struct ordo_arena *arena = &notation->resolved->arena;
	const char **names = ordo_arena_alloc(arena, ((size_t)count + 1) * sizeof *names);
	if (!names)
		return ordo_fail_memory(notation->error);
	for (uint32_t i = 0; i < count; i++)
		names[i] = ordo_parameter_at(facts, i)->name;
	ordo_fail(notation->error, ORDO_USAGE, 0,
		"algorithm: %s has no parameter \"%s\", wanted %s", facts->name, name,
		list_names(arena, names, count));
	return suggest(notation->error, name, names, count);
}

/* Digits only, at most ORDO_LIMIT. *text is moved past them. */
static bool read_number(const char **text, uint32_t *number)
{
	uint64_t value = 0;
	const char *at = *text;
	for (; isdigit((unsigned char)*at) && value <= ORDO_LIMIT; at++)
		value = value * 10 + (uint64_t)(*at - '0');
	if (at == *text || value > ORDO_LIMIT)
		return false;
	*number = (uint32_t)value;
	*text = at;
	return true;
}

/* `[0,2,1]`, its items appended to items. */
static bool read_list(const char **text, uint32_t *items, uint32_t *nitem)
{
	if (*(*text)++ != '[')
		return false;
	do {
		if (!read_number(text, &items[*nitem]))
			return false;
		++*nitem;
	} while (*(*text)++ == ',');
	return (*text)[-1] == ']';
}

/* `[0,2,1]` or `[[0,2,1],[0,1,2]]`, the whole of the text. The arrays have room for as many numbers
 * as the text has characters. */
static bool read_lists(const char *text, uint32_t *items, uint32_t *ends, uint32_t *nlist)
{
	const bool several = !strncmp(text, "[[", 2);
	uint32_t nitem = 0;
	text += several;
	do {
		if (!read_list(&text, items, &nitem))
			return false;
		ends[(*nlist)++] = nitem;
	} while (several && *text == ',' && text++);
	return !strcmp(text, several ? "]" : "");
}

/* Is it one of the words of `a|b|[0,1]`? Examples of lists are no words. */
static bool is_word_of(const char *values, const char *word)
{
	const size_t length = strcspn(word, "|");
	if (word[length])
		return false;
	for (const char *at = values; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
		if (length && !strchr("[(", *at) && !strncmp(at, word, length) &&
			(at[length] == '|' || !at[length]))
			return true;
	return false;
}

static bool fail_value(
	const struct notation *notation, const struct ordo_parameter *parameter, const char *found)
{
	return ordo_fail(notation->error, ORDO_USAGE, 0,
		"algorithm: %s of %s: found \"%s\", wanted %s", parameter->name,
		notation->resolved->algorithm->facts.name, found, parameter->values);
}

/* "1.." does not say where it ends. */
static bool fail_number(
	const struct notation *notation, const struct ordo_parameter *parameter, const char *found)
{
	fail_value(notation, parameter, found);
	return strspn(found, "0123456789") == strlen(found) && strtod(found, NULL) > parameter->most
		       ? ordo_hint(notation->error, "at most %u", parameter->most)
		       : false;
}

/* Suggests one of the words of a|b|c. */
static bool suggest_word(
	const struct notation *notation, const struct ordo_parameter *parameter, const char *found)
{
	const char *words[16];
	uint32_t nword = 0;
	for (const char *at = parameter->values; at && nword < 16;
		at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
		const char *word =
			ordo_arena_text(&notation->resolved->arena, at, strcspn(at, "|"));
		if (word && !strchr("[(", *word))
			words[nword++] = word;
	}
	return suggest(notation->error, found, words, nword);
}

static bool fail_shape(const struct notation *notation)
{
	ordo_fail(notation->error, ORDO_USAGE, 0, "algorithm: cannot read \"%.500s\"",
		notation->text);
	return ordo_hint(notation->error, "wanted a name, or name(key=value,key=value) with lists "
					  "in brackets: order=[0,2,1]");
}

/* Where the value that begins at `text` ends: at a comma or parenthesis outside brackets and
 * parentheses of its own, or at the end. */
static size_t value_length(const char *text)
{
	size_t length = 0;
	int depth = 0;
	for (; text[length]; length++) {
		if (!depth && strchr(",)", text[length]))
			break;
		depth += strchr("[(", text[length]) ? 1 : strchr("])", text[length]) ? -1 : 0;
	}
	return length;
}

/* One more algorithm, which takes none itself. */
static bool read_algorithm(
	const struct notation *notation, struct ordo_value *value, const char *text, size_t length)
{
	struct ordo_arena *arena = &notation->resolved->arena;
	const char *outer = notation->resolved->algorithm->facts.name;
	struct ordo_resolved_request inner = {.problem.op = notation->resolved->problem.op,
		.registry = notation->resolved->registry};
	uint32_t index;
	const char *plain = ordo_arena_text(arena, text, length);
	if (!value->algorithms)
		value->algorithms = ordo_arena_alloc(
			arena, (strlen(notation->text) + 1) * sizeof *value->algorithms);
	if (!plain || !value->algorithms)
		return ordo_fail_memory(notation->error);
	bool worked = ordo_notation_read(&inner, plain, notation->error);
	if (worked && takes_algorithms(&inner.algorithm->facts, &index))
		worked = ordo_fail(notation->error, ORDO_USAGE, 0,
			"found %s in %s; name all levels in one", inner.algorithm->facts.name,
			outer);
	if (worked && strcmp(ordo_parameter_value(&inner, "map")->word, "none") != 0)
		worked = ordo_fail(notation->error, ORDO_USAGE, 0,
			"found a map of %s; %s renumbers all ranks: %s(...,map=...)",
			inner.algorithm->facts.name, outer, outer);
	if (worked && strcmp(ordo_parameter_value(&inner, "via")->word, "none") != 0)
		worked = ordo_fail(notation->error, ORDO_USAGE, 0,
			"found via=spread of %s; %s spreads all streams: %s(...,via=spread)",
			inner.algorithm->facts.name, outer, outer);
	if (worked) {
		plain = ordo_arena_text(arena, inner.notation, strlen(inner.notation));
		value->word =
			value->word ? ordo_arena_format(arena, "%s,%s", value->word, plain) : plain;
		value->algorithms[value->nalgorithm++] = plain;
		worked = plain && value->word ? true : ordo_fail_memory(notation->error);
	} else {
		ordo_error_in(notation->error, "%s, level %u", outer, value->nalgorithm);
	}
	ordo_arena_free(&inner.arena);
	return worked;
}

static bool read_algorithms(
	const struct notation *notation, const char *text, struct ordo_value *value)
{
	for (;; text++) {
		const size_t length = value_length(text);
		if (!read_algorithm(notation, value, text, length))
			return false;
		text += length;
		if (*text != ',')
			return !*text ? true : fail_shape(notation);
	}
}

static bool read_value(const struct notation *notation, const struct ordo_parameter *parameter,
	const char *text, struct ordo_value *value)
{
	struct ordo_arena *arena = &notation->resolved->arena;
	if (parameter->kind == ORDO_ALGORITHMS)
		return read_algorithms(notation, text, value);
	value->word = text;
	if (parameter->kind == ORDO_NUMBER) {
		const char *end = text;
		value->number = ORDO_NONE;
		if (isalpha((unsigned char)*text) && is_word_of(parameter->values, text))
			return true;
		if (!read_number(&end, &value->number) || *end ||
			value->number < parameter->least || value->number > parameter->most)
			return fail_number(notation, parameter, text);
		value->word = ordo_arena_format(arena, "%u", value->number);
		return value->word ? true : ordo_fail_memory(notation->error);
	}
	if (is_word_of(parameter->values, text))
		return true;
	if (parameter->kind == ORDO_SUMS && strchr(text, '+'))
		return true; /* the algorithm reads it */
	if (parameter->kind != ORDO_LISTS || *text != '[') {
		fail_value(notation, parameter, text);
		return suggest_word(notation, parameter, text);
	}
	uint32_t *items = ordo_arena_alloc(arena, (strlen(text) + 1) * sizeof *items);
	uint32_t *ends = ordo_arena_alloc(arena, (strlen(text) + 1) * sizeof *ends);
	if (!items || !ends)
		return ordo_fail_memory(notation->error);
	value->items = items;
	value->ends = ends;
	return read_lists(text, items, ends, &value->nlist) ? true
							    : fail_value(notation, parameter, text);
}

/* An algorithm where there is no key; *text is moved past it. */
static bool read_level(const struct notation *notation, const char **text)
{
	struct ordo_resolved_request *resolved = notation->resolved;
	const size_t length = value_length(*text);
	uint32_t index;
	if (!length || !takes_algorithms(&resolved->algorithm->facts, &index))
		return fail_shape(notation);
	const char *begin = *text;
	*text += length;
	return read_algorithm(notation, &resolved->values[index], begin, length);
}

/* key=value; *text is moved past it. */
static bool read_setting(const struct notation *notation, const char **text)
{
	struct ordo_resolved_request *resolved = notation->resolved;
	const size_t key_length = strcspn(*text, "=,()[]");
	if (key_length && (*text)[key_length] != '=')
		return read_level(notation, text);
	if (!key_length)
		return fail_shape(notation);
	const size_t length = value_length(*text + key_length + 1);
	const char *key = ordo_arena_text(&resolved->arena, *text, key_length);
	const char *value = ordo_arena_text(&resolved->arena, *text + key_length + 1, length);
	uint32_t index;
	if (!key || !value)
		return ordo_fail_memory(notation->error);
	if (!find_parameter(notation, key, &index))
		return false;
	if (resolved->values[index].word)
		return ordo_fail(notation->error, ORDO_USAGE, 0,
			"algorithm: %s is given twice in \"%.500s\"", key, notation->text);
	*text += key_length + 1 + length;
	return read_value(notation, ordo_parameter_at(&resolved->algorithm->facts, index), value,
		&resolved->values[index]);
}

static bool read_settings(const struct notation *notation, const char *text)
{
	if (!*text)
		return true;
	do {
		text++;
		if (!read_setting(notation, &text))
			return false;
	} while (*text == ',');
	return !strcmp(text, ")") ? true : fail_shape(notation);
}

/* A notation with one more setting. */
static const char *add_setting(
	struct ordo_arena *arena, const char *text, const char *key, const char *word)
{
	const size_t length = strlen(text);
	const bool open = text[length - 1] == ')';
	return ordo_arena_format(arena, "%.*s%s%s%s%s)", (int)(length - open), text,
		open ? "," : "(", key, *key ? "=" : "", word);
}

const char *ordo_notation_with_map(struct ordo_resolved_request *resolved, const uint32_t *map)
{
	struct ordo_arena *arena = &resolved->arena;
	const char *list = "";
	bool moves = false;
	for (uint32_t i = 0; list && i < resolved->problem.nrank; i++) {
		moves = moves || map[i] != i;
		list = ordo_arena_format(arena, "%s%s%u", list, i ? "," : "[", map[i]);
	}
	if (!moves)
		return resolved->unmapped;
	list = list ? ordo_arena_format(arena, "%s]", list) : NULL;
	return list ? add_setting(arena, resolved->unmapped, "map", list) : NULL;
}

static char *without_spaces(struct ordo_arena *arena, const char *text)
{
	char *plain = ordo_arena_text(arena, text, strlen(text));
	size_t length = 0;
	for (const char *at = text; plain && *at; at++)
		if (!isspace((unsigned char)*at))
			plain[length++] = *at;
	if (plain)
		plain[length] = 0;
	return plain;
}

/* Whether the algorithm is to choose the tree of its sums. */
static bool leaves_order_open(
	const struct ordo_parameter *parameter, const struct ordo_value *value)
{
	return parameter->kind == ORDO_SUMS &&
	       (!value->word || !strcmp(value->word, "auto") || !strcmp(value->word, "searched"));
}

/* The order that is demanded, fallbacks, and the canonical notation. */
static bool complete(const struct notation *notation)
{
	struct ordo_resolved_request *resolved = notation->resolved;
	const struct ordo_algorithm_facts *facts = &resolved->algorithm->facts;
	resolved->notation = facts->name;
	for (uint32_t i = 0; i < ordo_parameter_count(facts); i++) {
		const struct ordo_parameter *parameter = ordo_parameter_at(facts, i);
		struct ordo_value *value = &resolved->values[i];
		const char *word = parameter->fallback;
		if (resolved->order && leaves_order_open(parameter, value)) {
			word = without_spaces(&resolved->arena, resolved->order);
			value->word = NULL;
		}
		if (!word)
			return ordo_fail_memory(notation->error);
		if (!value->word && !read_value(notation, parameter, word, value))
			return false;
		resolved->unmapped = resolved->notation;
		if (!strcmp(value->word, parameter->fallback))
			continue;
		resolved->notation = add_setting(&resolved->arena, resolved->notation,
			parameter->kind == ORDO_ALGORITHMS ? "" : parameter->name, value->word);
		if (!resolved->notation)
			return ordo_fail_memory(notation->error);
	}
	return true;
}

/* "(a=1,b=2)" of the settings that a name stands for, "a=1", and those written, "(b=2)". */
static const char *merge_settings(struct ordo_arena *arena, const char *meant, const char *written)
{
	if (!*meant)
		return written;
	return ordo_arena_format(
		arena, "(%s%s%s", meant, *written ? "," : ")", *written ? written + 1 : "");
}

bool ordo_notation_read(
	struct ordo_resolved_request *resolved, const char *text, struct ordo_error *error)
{
	const struct notation notation = {resolved, without_spaces(&resolved->arena, text), error};
	if (!notation.text)
		return ordo_fail_memory(error);
	const size_t length = strcspn(notation.text, "(");
	const char *name = ordo_arena_text(&resolved->arena, notation.text, length);
	if (!name)
		return ordo_fail_memory(error);
	const char *settings = "";
	if (!find_algorithm(&notation, name, &settings))
		return false;
	settings = merge_settings(&resolved->arena, settings, notation.text + length);
	if (!settings)
		return ordo_fail_memory(error);
	resolved->values = ordo_arena_alloc(&resolved->arena,
		ordo_parameter_count(&resolved->algorithm->facts) * sizeof *resolved->values);
	if (!resolved->values)
		return ordo_fail_memory(error);
	return read_settings(&notation, settings) && complete(&notation);
}

bool ordo_has_operator(struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	const enum ordo_operator op = resolved->problem.op;
	if (resolved->algorithm->facts.operators >> op & 1)
		return true;
	ordo_fail(error, ORDO_USAGE, 0, "algorithm: %s has no %s", resolved->algorithm->facts.name,
		ordo_operator_facts(op)->name);
	return hint_operator(resolved, error);
}
