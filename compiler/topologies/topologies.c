/* topologies.c - a topology from its name: the table of generators, and documents by path. */
#include "generators.h"
#include <ordo/compiler.h>
#include <ordo/suggest.h>
#include <stdio.h>
#include <string.h>

/* name, generator, whether it takes parameters after ':', summary, condition on the number of
 * ranks */
#define TOPOLOGIES(X)                                                                              \
	X("full-mesh", ordo_full_mesh_make, false, "a link between every two ranks", "any")        \
	X("ring", ordo_ring_make, false,                                                           \
		"links between rank r and rank r+1, and between the last and the first", "any")    \
	X("star", ordo_star_make, false, "one switch in the middle, one port a rank", "any")       \
	X("a3", ordo_a3_make, true,                                                                \
		"SIO pairs and HCCS lanes in each server, a switch for each rank number between "  \
		"them: "                                                                           \
		"a3:8, "                                                                           \
		"a3:2x8",                                                                          \
		"even in a server")                                                                \
	X("servers", ordo_servers_make, true,                                                      \
		"a full mesh in each server, rails over leaf and spine switches: servers:4x8, "    \
		"servers:4x8,spines=2,oversubscription=4",                                         \
		"any")                                                                             \
	X("dgx-a100", ordo_dgx_a100_make, true,                                                    \
		"NVIDIA DGX A100: 8 GPUs at a switch of 300 GB/s, rails of 200 Gb/s: dgx-a100:4 "  \
		"is 4 "                                                                            \
		"servers",                                                                         \
		"8 a server")                                                                      \
	X("dgx-h100", ordo_dgx_h100_make, true,                                                    \
		"NVIDIA DGX H100: 8 GPUs at a switch of 450 GB/s, rails of 400 Gb/s: dgx-h100:4",  \
		"8 a "                                                                             \
		"server")                                                                          \
	X("mi300x", ordo_mi300x_make, true,                                                        \
		"AMD Instinct MI300X: 8 GPUs, 64 GB/s between every two, rails of 400 Gb/s: "      \
		"mi300x:4",                                                                        \
		"8 a server")                                                                      \
	X("torus", ordo_torus_make, true,                                                          \
		"links round each of two or three dimensions: torus:4x4, torus:2x3x4", "any")      \
	X("hypercube", ordo_hypercube_make, false,                                                 \
		"links to the ranks that differ in one binary digit", "2^k")

#define FACTS(name, make, parameters, summary, ranks) {name, summary, ranks},
#define GENERATOR(name, make, parameters, summary, ranks) {make, parameters},

static const struct ordo_topology_facts facts[] = {TOPOLOGIES(FACTS)};
static const struct {
	ordo_topology_generator *make;
	bool takes_parameters;
} generators[] = {TOPOLOGIES(GENERATOR)};

enum { NTOPOLOGY = sizeof facts / sizeof *facts };

const struct ordo_topology_facts *ordo_topologies(uint32_t *count)
{
	*count = NTOPOLOGY;
	return facts;
}

static bool fail_unknown(const char *typed, size_t length, struct ordo_error *error)
{
	char list[256] = "", word[64] = "";
	const char *names[NTOPOLOGY];
	size_t used = 0;
	for (size_t i = 0; i < NTOPOLOGY; i++) {
		names[i] = facts[i].name;
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
	ordo_fail(error, ORDO_USAGE, 0, "topology %s: found %u ranks, wanted %u", path,
		topology->nrank, nrank);
	ordo_hint(error, "ask for %u ranks, or give a topology of %u", topology->nrank, nrank);
	ordo_topology_destroy(topology);
	return NULL;
}

static struct ordo_topology *finish(struct ordo_topology *topology, struct ordo_error *error)
{
	if (topology && !ordo_topology_finish(topology, error)) {
		ordo_topology_destroy(topology);
		return NULL;
	}
	return topology;
}

struct ordo_topology *ordo_topology_make(const char *name, uint32_t nrank, struct ordo_error *error)
{
	if (is_path(name))
		return read_document(name, nrank, error);
	size_t length = strcspn(name, ":");
	const char *parameters = name[length] ? name + length + 1 : NULL;
	for (size_t i = 0; i < NTOPOLOGY; i++) {
		if (length != strlen(facts[i].name) || memcmp(name, facts[i].name, length) != 0)
			continue;
		if (parameters && !generators[i].takes_parameters) {
			ordo_fail(error, ORDO_USAGE, 0,
				"topology: found \"%s\", wanted \"%s\" (it takes no parameters)",
				name, facts[i].name);
			return NULL;
		}
		if ((nrank < 1 && !parameters) || nrank > ORDO_LIMIT) {
			ordo_fail(error, ORDO_USAGE, 0, "topology %s: found %u ranks, wanted 1..%u",
				name, nrank, ORDO_LIMIT);
			return NULL;
		}
		return finish(generators[i].make(name, nrank, parameters, error), error);
	}
	fail_unknown(name, length, error);
	return NULL;
}
