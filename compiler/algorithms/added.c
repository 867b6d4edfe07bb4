/* added.c - algorithms that are added to the table while the process runs. */
#include "algorithms/registry.h"
#include "request/request.h"
#include <inttypes.h>
#include <ordo/plugin.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A number of 32 bits, twice, and what stands between. */
enum { RANGE_SIZE = 24 };

/* An algorithm of the table that is a plugin. */
struct added {
	struct ordo_algorithm algorithm; /* first, so that one pointer is both */
	const struct ordo_plugin *plugin;
	struct ordo_parameter parameters[ORDO_PLUGIN_PARAMETERS];
	char ranges[ORDO_PLUGIN_PARAMETERS][RANGE_SIZE]; /* "1..64" */
};

/* What a plugin is called with. */
struct wanted {
	const struct ordo_plugin *plugin;
	uint32_t values[ORDO_PLUGIN_PARAMETERS];
};

static struct added added[ORDO_MOST_ADDED];
static uint32_t nadded;

/* The place of a word in "linear|folded". */
static uint32_t place_of_word(const char *words, const char *word)
{
	uint32_t place = 0;
	const size_t length = strlen(word);
	while (strncmp(words, word, length) != 0 || (words[length] && words[length] != '|')) {
		words = strchr(words, '|') + 1; /* it is one of them: the reader saw to that */
		place++;
	}
	return place;
}

static struct wanted wanted_of(const struct ordo_resolved_request *resolved)
{
	const struct added *one = (const void *)resolved->algorithm;
	struct wanted wanted = {.plugin = one->plugin};
	for (uint32_t i = 0; i < one->plugin->nparameter; i++) {
		const struct ordo_plugin_parameter *parameter = &one->plugin->parameters[i];
		const struct ordo_value *value = ordo_parameter_value(resolved, parameter->name);
		wanted.values[i] = parameter->words ? place_of_word(parameter->words, value->word)
						    : value->number;
	}
	return wanted;
}

static bool applicable(const struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	char why[512] = "";
	const struct wanted wanted = wanted_of(resolved);
	return wanted.plugin->applicable(&resolved->problem, wanted.values, why, sizeof why) ||
	       ordo_fail(error, ORDO_USAGE, 0, "algorithm: %s: %s", wanted.plugin->name, why);
}

static uint32_t chunks(const struct ordo_resolved_request *resolved)
{
	const struct wanted wanted = wanted_of(resolved);
	return wanted.plugin->chunks(&resolved->problem, wanted.values);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *resolved)
{
	const struct wanted wanted = wanted_of(resolved);
	wanted.plugin->write(b, &resolved->problem, wanted.values);
}

static uint64_t count_steps(const struct ordo_resolved_request *resolved)
{
	const struct wanted wanted = wanted_of(resolved);
	return wanted.plugin->count_steps(&resolved->problem, wanted.values);
}

static uint64_t count_volume(const struct ordo_resolved_request *resolved)
{
	const struct wanted wanted = wanted_of(resolved);
	return wanted.plugin->count_volume(&resolved->problem, wanted.values);
}

/* The first member that is missing; NULL: none is. */
static const char *missing(const struct ordo_plugin *plugin)
{
	const struct {
		bool is_there;
		const char *name;
	} members[] = {{plugin->name, "name"}, {plugin->summary, "summary"}, {plugin->how, "how"},
		{plugin->when, "when"}, {plugin->operators, "operators"}, {plugin->ranks, "ranks"},
		{plugin->steps, "steps"}, {plugin->volume, "volume"}, {plugin->order, "order"},
		{plugin->topologies, "topologies"}, {plugin->source, "source"},
		{plugin->write, "write"}, {plugin->count_steps, "count_steps"},
		{plugin->count_volume, "count_volume"}};
	for (size_t i = 0; i < sizeof members / sizeof *members; i++)
		if (!members[i].is_there)
			return members[i].name;
	return NULL;
}

/* Of an algorithm, or of a parameter. */
static bool is_name(const char *text)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
	return *text && strlen(text) <= 64 && strspn(text, letters) == strlen(text);
}

/* Is the text one of the words? */
static bool has_word(const char *words, const char *text)
{
	const size_t length = strlen(text);
	for (const char *word = words; word;
		word = strchr(word, '|') ? strchr(word, '|') + 1 : NULL)
		if (!strncmp(word, text, length) && (!word[length] || word[length] == '|'))
			return length;
	return false;
}

static bool has_number(const struct ordo_plugin_parameter *parameter)
{
	char *end;
	const unsigned long long number = strtoull(parameter->fallback, &end, 10);
	return end != parameter->fallback && !*end && number >= parameter->least &&
	       number <= parameter->most;
}

static bool check_parameters(const struct ordo_plugin *plugin, struct ordo_error *error)
{
	const uint32_t count = plugin->nparameter;
	if (count > ORDO_PLUGIN_PARAMETERS || (count && !plugin->parameters))
		return ordo_fail(error, ORDO_USAGE, 0, "parameters: found %s%u, wanted at most %d",
			count > ORDO_PLUGIN_PARAMETERS ? "" : "none of ", count,
			ORDO_PLUGIN_PARAMETERS);
	for (uint32_t i = 0; i < count; i++) {
		const struct ordo_plugin_parameter *one = &plugin->parameters[i];
		if (!one->name || !one->meaning || !one->fallback)
			return ordo_fail(error, ORDO_USAGE, 0,
				"parameter %u: found no %s, but it is needed", i,
				!one->name	? "name"
				: !one->meaning ? "meaning"
						: "fallback");
		bool taken = !strcmp(one->name, "map") || !strcmp(one->name, "via");
		for (uint32_t k = 0; k < i; k++)
			taken |= !strcmp(one->name, plugin->parameters[k].name);
		if (!is_name(one->name) || taken)
			return ordo_fail(error, ORDO_USAGE, 0,
				"parameter %u: name: found \"%.80s\", wanted a new one of up to 64 "
				"lower-case letters, digits and hyphens",
				i, one->name);
		if (one->words ? !has_word(one->words, one->fallback) : !has_number(one))
			return ordo_fail(error, ORDO_USAGE, 0,
				"parameter %s: fallback: found \"%.80s\", wanted a value that it "
				"may have",
				one->name, one->fallback);
	}
	return true;
}

static bool check(const struct ordo_plugin *plugin, struct ordo_error *error)
{
	struct ordo_named named[ORDO_MOST_NAMED];
	if (plugin->version != ORDO_PLUGIN_VERSION)
		return ordo_fail(error, ORDO_USAGE, 0, "version: found %u, wanted %u",
			plugin->version, ORDO_PLUGIN_VERSION);
	if (plugin->size != sizeof *plugin)
		return ordo_fail(error, ORDO_USAGE, 0, "size: found %u, wanted %zu", plugin->size,
			sizeof *plugin);
	if (missing(plugin))
		return ordo_fail(
			error, ORDO_USAGE, 0, "%s: found none, but it is needed", missing(plugin));
	if (!is_name(plugin->name))
		return ordo_fail(error, ORDO_USAGE, 0,
			"name: found \"%.80s\", wanted up to 64 lower-case letters, digits and "
			"hyphens",
			plugin->name);
	if (ordo_registry_named(&ordo_registry, plugin->name, named))
		return ordo_fail(error, ORDO_USAGE, 0,
			"name: found \"%s\", which is the name of another algorithm", plugin->name);
	if (plugin->operators >> ORDO_CUSTOM)
		return ordo_fail(error, ORDO_USAGE, 0,
			"operators: found 0x%x, wanted bits of operators other than Custom",
			plugin->operators);
	if (!check_parameters(plugin, error))
		return false;
	return nadded < ORDO_MOST_ADDED ||
	       ordo_fail(
		       error, ORDO_USAGE, 0, "more than %d algorithms were added", ORDO_MOST_ADDED);
}

static void declare_parameters(struct added *one)
{
	for (uint32_t i = 0; i < one->plugin->nparameter; i++) {
		const struct ordo_plugin_parameter *parameter = &one->plugin->parameters[i];
		snprintf(one->ranges[i], RANGE_SIZE, "%" PRIu32 "..%" PRIu32, parameter->least,
			parameter->most);
		one->parameters[i] = (struct ordo_parameter){.name = parameter->name,
			.values = parameter->words ? parameter->words : one->ranges[i],
			.fallback = parameter->fallback,
			.meaning = parameter->meaning,
			.kind = parameter->words ? ORDO_WORD : ORDO_NUMBER,
			.least = parameter->least,
			.most = parameter->most};
	}
}

bool ordo_plugin_add(const struct ordo_plugin *plugin, struct ordo_error *error)
{
	for (uint32_t i = 0; i < nadded; i++)
		if (added[i].plugin == plugin)
			return true;
	if (!check(plugin, error))
		return false;
	added[nadded] = (struct added){.plugin = plugin,
		.algorithm = {.facts = {.name = plugin->name,
				      .summary = plugin->summary,
				      .operators = plugin->operators,
				      .ranks = plugin->ranks,
				      .steps = plugin->steps,
				      .volume = plugin->volume,
				      .order = plugin->order,
				      .topologies = plugin->topologies,
				      .source = plugin->source,
				      .parameters = added[nadded].parameters,
				      .nparameter = plugin->nparameter,
				      .how = plugin->how,
				      .when = plugin->when},
			.applicable = plugin->applicable ? applicable : NULL,
			.chunks = plugin->chunks ? chunks : NULL,
			.build = build,
			.steps = count_steps,
			.volume = count_volume}};
	declare_parameters(&added[nadded]);
	ordo_registry_append(&added[nadded++].algorithm);
	return true;
}
