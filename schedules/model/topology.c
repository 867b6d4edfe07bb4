/* topology.c - building topologies: links by vertex, their order, and the digest. */
#include "switch_reachability.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/memory.h>
#include <ordo/topology.h>
#include <stdlib.h>
#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

/* More than any machine has; a document of a few bytes must not allocate gigabytes. */
enum { VERTEX_LIMIT = 1 << 22, CLASS_LIMIT = 256 };

static uint32_t nvertex(const struct ordo_topology *topology)
{
	return topology->nrank + topology->nswitch;
}

struct ordo_topology *ordo_topology_create(const char *name, uint32_t nrank, uint32_t nswitch,
	uint32_t ports, struct ordo_error *error)
{
	if (nrank < 1 || nrank > VERTEX_LIMIT) {
		ordo_fail(error, ORDO_BAD_INPUT, 1, "ranks: found %u, wanted 1..%d", nrank,
			VERTEX_LIMIT);
		return NULL;
	}
	if (nswitch > VERTEX_LIMIT - nrank) {
		ordo_fail(error, ORDO_BAD_INPUT, 1,
			"switches: found %u beside %u ranks, wanted at most %d vertices in all",
			nswitch, nrank, VERTEX_LIMIT);
		return NULL;
	}
	struct ordo_topology *topology = calloc(1, sizeof *topology);
	if (topology) {
		topology->name = ordo_arena_text(&topology->arena, name, strlen(name));
		topology->class_names = ordo_arena_alloc(
			&topology->arena, CLASS_LIMIT * sizeof *topology->class_names);
	}
	if (!topology || !topology->name || !topology->class_names) {
		ordo_topology_destroy(topology);
		ordo_fail_memory(error);
		return NULL;
	}
	topology->nrank = nrank;
	topology->nswitch = nswitch;
	topology->ports = ports;
	return topology;
}

static void free_index(struct ordo_topology *topology)
{
	ordo_switch_reachability_destroy(topology->reach);
	free(topology->first_link);
	topology->reach = NULL;
	topology->first_link = NULL;
}

void ordo_topology_destroy(struct ordo_topology *topology)
{
	if (!topology)
		return;
	free_index(topology);
	free(topology->links);
	ordo_arena_free(&topology->arena);
	free(topology);
}

/* The id of a class, which is added if it is new; ORDO_NONE with an error if there are too many. */
static uint32_t class_of(struct ordo_topology *topology, const char *name, struct ordo_error *error)
{
	for (uint32_t i = 0; i < topology->nclass; i++)
		if (!strcmp(topology->class_names[i], name))
			return i;
	if (topology->nclass == CLASS_LIMIT) {
		ordo_fail(error, ORDO_BAD_INPUT, 1,
			"class: \"%.64s\" is one too many, wanted at most %d classes of links",
			name, CLASS_LIMIT);
		return ORDO_NONE;
	}
	const char *kept = ordo_arena_text(&topology->arena, name, strlen(name));
	if (!kept) {
		ordo_fail_memory(error);
		return ORDO_NONE;
	}
	topology->class_names[topology->nclass] = kept;
	return topology->nclass++;
}

bool ordo_topology_add(struct ordo_topology *topology, uint32_t from, uint32_t to,
	const char *class_name, double latency_ns, double bandwidth_gbs, struct ordo_error *error)
{
	uint32_t class_id = class_of(topology, class_name ? class_name : "link", error);
	if (class_id == ORDO_NONE)
		return false;
	if (topology->nlink == topology->link_room &&
		!ordo_memory_allows(2.0 * (double)topology->nlink * sizeof *topology->links,
			"the topology", error))
		return false;
	if (topology->nlink == ORDO_LIMIT ||
		!ordo_array_reserve(&topology->links, &topology->link_room,
			(size_t)topology->nlink + 1, sizeof *topology->links))
		return ordo_fail_memory(error);
	topology->links[topology->nlink++] = (struct ordo_link){.from = from,
		.to = to,
		.class_name = class_id,
		.latency_ns = latency_ns,
		.bandwidth_gbs = bandwidth_gbs};
	return true;
}

static int compare_links(const void *one, const void *other)
{
	const struct ordo_link *a = one, *b = other;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	if (a->to != b->to)
		return a->to < b->to ? -1 : 1;
	return (a->class_name > b->class_name) - (a->class_name < b->class_name);
}

static int compare_texts(const void *one, const void *other)
{
	const char *const *a = one, *const *b = other;
	return strcmp(*a, *b);
}

/* Numbers the classes by their names, so that their order does not depend on the order of
 * insertion. */
static void sort_classes(struct ordo_topology *topology)
{
	const char *sorted[CLASS_LIMIT];
	uint32_t renamed[CLASS_LIMIT];
	if (!topology->nclass)
		return;
	memcpy(sorted, topology->class_names, topology->nclass * sizeof *sorted);
	qsort(sorted, topology->nclass, sizeof *sorted, compare_texts);
	for (uint32_t i = 0; i < topology->nclass; i++) {
		const char *const *place = bsearch(&topology->class_names[i], sorted,
			topology->nclass, sizeof *sorted, compare_texts);
		renamed[i] = (uint32_t)(place - sorted);
	}
	for (uint32_t i = 0; i < topology->nlink; i++)
		topology->links[i].class_name = renamed[topology->links[i].class_name];
	memcpy(topology->class_names, sorted, topology->nclass * sizeof *sorted);
}

static void sort_links(struct ordo_topology *topology)
{
	for (uint32_t i = 1; i < topology->nlink; i++)
		if (compare_links(&topology->links[i - 1], &topology->links[i]) > 0) {
			qsort(topology->links, topology->nlink, sizeof *topology->links,
				compare_links);
			return;
		}
}

static bool check_links(const struct ordo_topology *topology, struct ordo_error *error)
{
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (link->from >= nvertex(topology) || link->to >= nvertex(topology))
			return ordo_fail(error, ORDO_BAD_INPUT, 1,
				"link %u -> %u: wanted vertices of 0..%u (%u ranks, %u switches)",
				link->from, link->to, nvertex(topology) - 1, topology->nrank,
				topology->nswitch);
		if (link->from == link->to)
			return ordo_fail(error, ORDO_BAD_INPUT, 1,
				"link %u -> %u: leads from a vertex to itself", link->from,
				link->to);
		if (!isfinite(link->latency_ns) || link->latency_ns < 0)
			return ordo_fail(error, ORDO_BAD_INPUT, 1,
				"link %u -> %u: latency_ns: found %g, wanted 0 or more", link->from,
				link->to, link->latency_ns);
		if (!isfinite(link->bandwidth_gbs) || link->bandwidth_gbs <= 0)
			return ordo_fail(error, ORDO_BAD_INPUT, 1,
				"link %u -> %u: bandwidth_gbs: found %g, wanted more than 0",
				link->from, link->to, link->bandwidth_gbs);
		if (!isfinite(link->reduce_gbs) || link->reduce_gbs < 0)
			return ordo_fail(error, ORDO_BAD_INPUT, 1,
				"link %u -> %u: reduce_gbs: found %g, wanted 0 or more", link->from,
				link->to, link->reduce_gbs);
		if (i && !compare_links(link - 1, link))
			return ordo_fail(error, ORDO_BAD_INPUT, 1,
				"duplicate link %u -> %u of class \"%.64s\"", link->from, link->to,
				topology->class_names[link->class_name]);
	}
	return true;
}

static bool check_costs(const struct ordo_topology *topology, struct ordo_error *error)
{
	const struct {
		const char *name;
		double value;
	} costs[] = {{"task_ns", topology->task_ns}, {"reduce_gbs", topology->reduce_gbs},
		{"copy_gbs", topology->copy_gbs},
		{"exact_gbs", topology->sum_gbs[ORDO_ACCUMULATE_EXACT]},
		{"binned2_gbs", topology->sum_gbs[ORDO_ACCUMULATE_BINNED2]},
		{"binned3_gbs", topology->sum_gbs[ORDO_ACCUMULATE_BINNED3]}};
	for (size_t i = 0; i < sizeof costs / sizeof *costs; i++)
		if (!isfinite(costs[i].value) || costs[i].value < 0)
			return ordo_fail(error, ORDO_BAD_INPUT, 1, "%s: found %g, wanted 0 or more",
				costs[i].name, costs[i].value);
	return true;
}

bool ordo_topology_finish(struct ordo_topology *topology, struct ordo_error *error)
{
	free_index(topology);
	sort_classes(topology);
	sort_links(topology);
	if (!check_costs(topology, error) || !check_links(topology, error))
		return false;
	topology->first_link = calloc((size_t)nvertex(topology) + 1, sizeof *topology->first_link);
	if (!topology->first_link)
		return ordo_fail_memory(error);
	for (uint32_t i = 0; i < topology->nlink; i++)
		topology->first_link[topology->links[i].from + 1]++;
	for (uint32_t v = 0; v < nvertex(topology); v++)
		topology->first_link[v + 1] += topology->first_link[v];
	topology->reach = ordo_switch_reachability_create(topology, error);
	return topology->reach;
}

bool ordo_topology_fail_link(
	struct ordo_topology *topology, uint32_t a, uint32_t b, struct ordo_error *error)
{
	bool found = false;
	for (uint32_t i = 0; i < topology->nlink; i++) {
		struct ordo_link *link = &topology->links[i];
		if ((link->from == a && link->to == b) || (link->from == b && link->to == a))
			found = link->down = true;
	}
	if (found)
		return true;
	return ordo_fail(error, ORDO_USAGE, 0, "%s: there is no link between %u and %u",
		topology->name, a, b);
}

uint32_t ordo_topology_links(
	const struct ordo_topology *topology, uint32_t from, uint32_t to, uint32_t *first)
{
	const uint32_t end = topology->first_link[from + 1];
	uint32_t low = topology->first_link[from], high = end;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (topology->links[middle].to < to)
			low = middle + 1;
		else
			high = middle;
	}
	*first = low;
	while (low < end && topology->links[low].to == to)
		low++;
	return low;
}

uint32_t ordo_topology_best_of(const struct ordo_topology *topology, uint32_t first, uint32_t end)
{
	uint32_t best = ORDO_NONE;
	for (uint32_t i = first; i < end; i++) {
		const struct ordo_link *link = &topology->links[i],
				       *other = best == ORDO_NONE ? NULL : &topology->links[best];
		if (!link->down && (!other || link->bandwidth_gbs > other->bandwidth_gbs ||
					   (!(link->bandwidth_gbs < other->bandwidth_gbs) &&
						   link->latency_ns < other->latency_ns)))
			best = i;
	}
	return best;
}

uint32_t ordo_topology_best_link(const struct ordo_topology *topology, uint32_t from, uint32_t to)
{
	uint32_t first;
	const uint32_t end = ordo_topology_links(topology, from, to, &first);
	return ordo_topology_best_of(topology, first, end);
}

bool ordo_topology_reaches(const struct ordo_topology *topology, uint32_t a, uint32_t b)
{
	if (a == b || ordo_topology_best_link(topology, a, b) != ORDO_NONE)
		return true;
	return ordo_switch_reachability_joined(topology->reach, a, b);
}

/* Appends the low `size` bytes of a number, smallest first, so that every machine digests the
 * same. */
static size_t put_bytes(unsigned char *out, uint64_t number, size_t size)
{
	for (size_t i = 0; i < size; i++)
		out[i] = (unsigned char)(number >> (8 * i));
	return size;
}

static uint64_t bits_of(double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	return bits;
}

/* Optional costs: absent, they do not change the digest, which is that of the format without
 * them. */
static void digest_costs(XXH3_state_t *state, const struct ordo_topology *topology)
{
	unsigned char bytes[32];
	bool given = topology->cores || topology->task_ns > 0 || topology->reduce_gbs > 0 ||
		     topology->copy_gbs > 0;
	if (given) {
		size_t size = put_bytes(bytes, topology->cores, 4);
		size += put_bytes(bytes + size, bits_of(topology->task_ns), 8);
		size += put_bytes(bytes + size, bits_of(topology->reduce_gbs), 8);
		size += put_bytes(bytes + size, bits_of(topology->copy_gbs), 8);
		XXH3_128bits_update(state, bytes, size);
	}
	for (uint32_t form = 0; form < ORDO_NACCUMULATION; form++)
		if (topology->sum_gbs[form] > 0) {
			/* no number of a link, so nothing below has the same bytes */
			size_t size = put_bytes(bytes, ORDO_NONE - form, 4);
			size += put_bytes(bytes + size, bits_of(topology->sum_gbs[form]), 8);
			XXH3_128bits_update(state, bytes, size);
		}
	for (uint32_t i = 0; i < topology->nlink; i++)
		if (topology->links[i].reduce_gbs > 0) {
			size_t size = put_bytes(bytes, i, 4);
			size += put_bytes(bytes + size, bits_of(topology->links[i].reduce_gbs), 8);
			XXH3_128bits_update(state, bytes, size);
		}
}

void ordo_topology_digest(const struct ordo_topology *topology, char digest[33])
{
	unsigned char bytes[64];
	XXH3_state_t state;
	XXH3_128bits_reset(&state);
	size_t size = put_bytes(bytes, topology->nrank, 4);
	size += put_bytes(bytes + size, topology->nswitch, 4);
	size += put_bytes(bytes + size, topology->ports, 4);
	XXH3_128bits_update(&state, bytes, size);
	for (uint32_t i = 0; i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		const char *class_name = topology->class_names[link->class_name];
		size = put_bytes(bytes, link->from, 4);
		size += put_bytes(bytes + size, link->to, 4);
		size += put_bytes(bytes + size, link->down, 1);
		size += put_bytes(bytes + size, bits_of(link->latency_ns), 8);
		size += put_bytes(bytes + size, bits_of(link->bandwidth_gbs), 8);
		size += put_bytes(bytes + size, strlen(class_name), 4);
		XXH3_128bits_update(&state, bytes, size);
		XXH3_128bits_update(&state, class_name, strlen(class_name));
	}
	digest_costs(&state, topology);
	XXH128_canonical_t canonical;
	XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(&state));
	for (int i = 0; i < 16; i++) {
		digest[2 * i] = "0123456789abcdef"[canonical.digest[i] >> 4];
		digest[2 * i + 1] = "0123456789abcdef"[canonical.digest[i] & 15];
	}
	digest[32] = '\0';
}
