/* added.c - algorithms that are added to the table while the process runs. */
#include "algorithms/registry.h"
#include "request/request.h"
#include <ordo/plugin.h>
#include <string.h>

/* An algorithm of the table that is a plugin. */
struct added {
	struct ordo_algorithm algorithm; /* first, so that one pointer is both */
	const struct ordo_plugin *plugin;
};

static struct added added[ORDO_MOST_ADDED];
static uint32_t nadded;

static const struct ordo_plugin *plugin_of(const struct ordo_resolved_request *resolved)
{
	const struct added *one = (const void *)resolved->algorithm;
	return one->plugin;
}

static bool applicable(const struct ordo_resolved_request *resolved, struct ordo_error *error)
{
	char why[512] = "";
	const struct ordo_plugin *plugin = plugin_of(resolved);
	return plugin->applicable(&resolved->problem, why, sizeof why) ||
	       ordo_fail(error, ORDO_USAGE, 0, "algorithm: %s: %s", plugin->name, why);
}

static uint32_t chunks(const struct ordo_resolved_request *resolved)
{
	return plugin_of(resolved)->chunks(&resolved->problem);
}

static void build(struct ordo_builder *b, const struct ordo_resolved_request *resolved)
{
	plugin_of(resolved)->write(b, &resolved->problem);
}

static uint64_t count_steps(const struct ordo_resolved_request *resolved)
{
	return plugin_of(resolved)->count_steps(&resolved->problem);
}

static uint64_t count_volume(const struct ordo_resolved_request *resolved)
{
	return plugin_of(resolved)->count_volume(&resolved->problem);
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

static bool check(const struct ordo_plugin *plugin, struct ordo_error *error)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
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
	if (!*plugin->name || strlen(plugin->name) > 64 ||
		strspn(plugin->name, letters) != strlen(plugin->name))
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
	return nadded < ORDO_MOST_ADDED ||
	       ordo_fail(
		       error, ORDO_USAGE, 0, "more than %d algorithms were added", ORDO_MOST_ADDED);
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
				      .how = plugin->how,
				      .when = plugin->when},
			.applicable = plugin->applicable ? applicable : NULL,
			.chunks = plugin->chunks ? chunks : NULL,
			.build = build,
			.steps = count_steps,
			.volume = count_volume}};
	ordo_registry_append(&added[nadded++].algorithm);
	return true;
}
