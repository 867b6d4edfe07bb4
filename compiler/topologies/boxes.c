/* boxes.c - servers with eight accelerators and a network card for each. */
#include "boxes.h"
#include "generator.h"
#include "sizes.h"
#include <ordo/plural.h>
#include <stdio.h>

enum { R = ORDO_BOX_RANKS, MAX_SERVERS = 8192 };

/* Half of the way inside a server: a rank to its switch. */
#define TO_SWITCH_NS 500.0
#define TO_RANK_NS 1000.0

static bool join_inside(struct ordo_topology *topology, const struct ordo_box *box, uint32_t server,
	uint32_t first_switch, struct ordo_error *error)
{
	const uint32_t first = server * R;
	for (uint32_t rank = first; rank < first + R; rank++) {
		if (box->switched) {
			if (!ordo_join(topology, rank, first_switch + server, box->class_name,
				    TO_SWITCH_NS, box->link_gbs, error))
				return false;
			continue;
		}
		for (uint32_t other = rank + 1; other < first + R; other++)
			if (!ordo_join(topology, rank, other, box->class_name, TO_RANK_NS,
				    box->link_gbs, error))
				return false;
	}
	return true;
}

static bool join_servers(struct ordo_topology *topology, const struct ordo_box *box,
	uint32_t servers, struct ordo_error *error)
{
	const uint32_t leaves = topology->nrank, spine = leaves + R;
	for (uint32_t rank = 0; rank < topology->nrank; rank++)
		if (!ordo_join(topology, rank, leaves + rank % R, "RDMA", ORDO_RDMA_LATENCY_NS,
			    box->card_gbs, error))
			return false;
	for (uint32_t leaf = leaves; leaf < spine; leaf++)
		if (!ordo_join(topology, leaf, spine, "RDMA", ORDO_RDMA_LATENCY_NS,
			    servers * box->card_gbs, error))
			return false;
	return true;
}

/* The name has both sizes, as for other servers, because levels are derived from it. */
static struct ordo_topology *make(
	const struct ordo_box *box, uint32_t servers, struct ordo_error *error)
{
	char name[64];
	const uint32_t between = servers > 1 ? R + 1 : 0;
	snprintf(name, sizeof name, "%s:%ux%d", box->name, servers, R);
	struct ordo_topology *topology = ordo_topology_create(
		name, servers * R, between + (box->switched ? servers : 0), 0, error);
	bool worked = topology && (!between || join_servers(topology, box, servers, error));
	for (uint32_t server = 0; worked && server < servers; server++)
		worked = join_inside(topology, box, server, servers * R + between, error);
	if (!worked) {
		ordo_topology_destroy(topology);
		return NULL;
	}
	/* To add is to read two vectors and to write one. */
	topology->reduce_gbs = box->memory_gbs / 3;
	return topology;
}

static bool fail_sizes(const struct ordo_box *box, const char *found, struct ordo_error *error)
{
	ordo_fail(error, ORDO_USAGE, 0,
		"topology %s: found %.200s, wanted servers of %d ranks, up to %d", box->name, found,
		R, MAX_SERVERS);
	return ordo_hint(error, "%s:4 is four servers, 32 ranks", box->name);
}

struct ordo_topology *ordo_box_make(const struct ordo_box *box, uint32_t nrank,
	const char *parameters, struct ordo_error *error)
{
	struct ordo_sizes sizes = {.count = 1, .at = {nrank / R}};
	char found[32];
	snprintf(found, sizeof found, "%u rank%s", nrank, ordo_plural(nrank));
	if (!parameters && nrank % R) {
		fail_sizes(box, found, error);
		return NULL;
	}
	const char *rest =
		parameters ? ordo_sizes_read(box->name, parameters, 0, 1, 2, &sizes, error) : "";
	if (!rest)
		return NULL;
	if (*rest || sizes.at[0] > MAX_SERVERS || (sizes.count == 2 && sizes.at[1] != R)) {
		fail_sizes(box, parameters, error);
		return NULL;
	}
	if (nrank && nrank != sizes.at[0] * R) {
		ordo_fail(error, ORDO_USAGE, 0, "topology %s:%u: found %u rank%s, wanted %u",
			box->name, sizes.at[0], sizes.at[0] * R, ordo_plural(sizes.at[0] * R),
			nrank);
		ordo_hint(error,
			"ask for %u ranks, or name other servers: %s:S has %d ranks in each",
			sizes.at[0] * R, box->name, R);
		return NULL;
	}
	return make(box, sizes.at[0], error);
}
