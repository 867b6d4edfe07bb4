/* topologies.c - a topology from its name: its generator, and documents by path. */
#include "boxes.h"
#include "generator.h"
#include <ordo/compiler.h>
#include <ordo/plural.h>
#include <ordo/suggest.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define ORDO_TOPOLOGY(name) extern const struct ordo_topology_generator ordo_topology_##name;
#include "table.h"
#undef ORDO_TOPOLOGY

#define ORDO_TOPOLOGY(name) &ordo_topology_##name,
static const struct ordo_topology_generator *const generators[] = {
#include "table.h"
};
#undef ORDO_TOPOLOGY

enum { NTOPOLOGY = sizeof generators / sizeof *generators };

/* A copy, because callers get the facts as one array. */
static struct ordo_topology_facts facts[NTOPOLOGY];

static void gather_facts(void)
{
	for (size_t i = 0; i < NTOPOLOGY; i++)
		facts[i] = generators[i]->facts;
}

const struct ordo_topology_facts *ordo_topologies(uint32_t *count)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once(&once, gather_facts);
	*count = NTOPOLOGY;
	return facts;
}

static bool fail_unknown(const char *typed, size_t length, struct ordo_error *error)
{
	char list[256] = "", word[64] = "";
	const char *names[NTOPOLOGY];
	size_t used = 0;
	for (size_t i = 0; i < NTOPOLOGY; i++) {
		names[i] = generators[i]->facts.name;
		used += (size_t)snprintf(
			list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
	}
	snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 0, typed);
	const char *like = ordo_suggest(word, names, NTOPOLOGY);
	ordo_fail(error, ORDO_USAGE, 0,
		"topology: found \"%.*s\", wanted one of %s, or the path of a document (.json)",
		length < 200 ? (int)length : 200, typed, list);
	return like ? ordo_hint(error, "did you mean %s?", like)
		    : ordo_hint(error, "a document's path has a slash or ends in .json");
}

static bool is_path(const char *name)
{
	size_t length = strlen(name);
	return strchr(name, '/') || (length >= 5 && !strcmp(name + length - 5, ".json"));
}

static struct ordo_topology *read_document(
	const char *path, uint32_t nrank, struct ordo_error *error)
{
	struct ordo_topology *topology = ordo_topology_read(path, error);
	if (!topology || !nrank || topology->nrank == nrank)
		return topology;
	ordo_fail(error, ORDO_USAGE, 0, "topology %s: found %u rank%s, wanted %u", path,
		topology->nrank, ordo_plural(topology->nrank), nrank);
	ordo_hint(error, "ask for %u rank%s, or give a topology of %u", topology->nrank,
		ordo_plural(topology->nrank), nrank);
	ordo_topology_destroy(topology);
	return NULL;
}

static struct ordo_topology *make(const struct ordo_topology_generator *generator, const char *name,
	uint32_t nrank, const char *parameters, struct ordo_error *error)
{
	if (generator->make)
		return generator->make(name, nrank, parameters, error);
	if (generator->box)
		return ordo_box_make(generator->box, nrank, parameters, error);
	if (generator->check_ranks && !generator->check_ranks(nrank, error))
		return NULL;
	struct ordo_topology *topology =
		ordo_topology_create(name, nrank, generator->nswitch, generator->ports, error);
	if (!topology || generator->add_links(topology, error))
		return topology;
	ordo_topology_destroy(topology);
	return NULL;
}

static struct ordo_topology *finish(struct ordo_topology *topology, struct ordo_error *error)
{
	if (!topology || ordo_topology_finish(topology, error))
		return topology;
	ordo_topology_destroy(topology);
	return NULL;
}

struct ordo_topology *ordo_topology_make(const char *name, uint32_t nrank, struct ordo_error *error)
{
	if (is_path(name))
		return read_document(name, nrank, error);
	size_t length = strcspn(name, ":");
	const char *parameters = name[length] ? name + length + 1 : NULL;
	for (size_t i = 0; i < NTOPOLOGY; i++) {
		const struct ordo_topology_generator *generator = generators[i];
		if (length != strlen(generator->facts.name) ||
			memcmp(name, generator->facts.name, length) != 0)
			continue;
		if (parameters && generator->add_links) {
			ordo_fail(error, ORDO_USAGE, 0,
				"topology: found \"%s\", wanted \"%s\" (it takes no parameters)",
				name, generator->facts.name);
			ordo_hint(error, "its ranks are those of the problem: --ranks N");
			return NULL;
		}
		if ((nrank < 1 && !parameters) || nrank > ORDO_LIMIT) {
			ordo_fail(error, ORDO_USAGE, 0, "topology %s: found %u ranks, wanted 1..%u",
				name, nrank, ORDO_LIMIT);
			return NULL;
		}
		return finish(make(generator, name, nrank, parameters, error), error);
	}
	fail_unknown(name, length, error);
	return NULL;
}
