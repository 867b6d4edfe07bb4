/* isomorphism.c - numbers of ranks in which two topologies are one.
 *
 * Every vertex has a colour, which becomes a hash of it and of the colours at the other ends of its
 * links, until there are no more colours than before. While several vertices have one colour, one
 * of them, and in the other topology each of that colour in turn, gets a colour of its own. Hashes
 * may be equal by chance: what is found is compared link by link.
 */
#include "isomorphism.h"
#include <ordo/detail/topologies.h>
#include <ordo/mix.h>
#include <stdlib.h>
#include <string.h>

/* Links that a search looks at, at most: about a second. */
#define MOST_WORK (INT64_C(1) << 27)

struct search {
	const struct ordo_topology *topologies[2];
	uint32_t nvertex;
	int64_t work;			 /* left */
	uint64_t *next, *sorted, *other; /* [nvertex] */
	uint32_t *vertex_map;		 /* [nvertex] */
};

static uint64_t bits_of(double number)
{
	uint64_t bits;
	memcpy(&bits, &number, sizeof bits);
	return bits;
}

static uint64_t key_of(const struct ordo_link *link)
{
	const uint64_t numbers =
		ordo_mix(bits_of(link->latency_ns)) + 3 * ordo_mix(bits_of(link->bandwidth_gbs));
	return ordo_mix(numbers + 5 * ordo_mix(bits_of(link->reduce_gbs)) + link->class_name);
}

static int compare_colours(const void *one, const void *other)
{
	const uint64_t *a = one, *b = other;
	return (*a > *b) - (*a < *b);
}

static void sort_colours(const struct search *search, const uint64_t *colours, uint64_t *sorted)
{
	memcpy(sorted, colours, search->nvertex * sizeof *sorted);
	qsort(sorted, search->nvertex, sizeof *sorted, compare_colours);
}

static uint32_t count_colours(const struct search *search, const uint64_t *colours)
{
	uint32_t count = 1;
	sort_colours(search, colours, search->sorted);
	for (uint32_t v = 1; v < search->nvertex; v++)
		count += search->sorted[v] != search->sorted[v - 1];
	return count;
}

static void refine(struct search *search, int side, uint64_t *colours)
{
	const struct ordo_topology *topology = search->topologies[side];
	uint32_t count = count_colours(search, colours), before;
	do {
		before = count;
		for (uint32_t v = 0; v < search->nvertex; v++)
			search->next[v] = ordo_mix(colours[v]);
		for (uint32_t i = 0; i < topology->nlink; i++) {
			const struct ordo_link *link = &topology->links[i];
			const uint64_t key = key_of(link);
			if (link->down)
				continue;
			search->next[link->from] += ordo_mix(key + colours[link->to]);
			search->next[link->to] += ordo_mix(~key + colours[link->from]);
		}
		memcpy(colours, search->next, search->nvertex * sizeof *colours);
		search->work -= topology->nlink;
		count = count_colours(search, colours);
	} while (count > before && count < search->nvertex);
}

static void begin_colours(const struct ordo_topology *topology, uint32_t fixed, uint64_t *colours)
{
	for (uint32_t v = 0; v < topology->nrank + topology->nswitch; v++)
		colours[v] = v == fixed ? 3 : v < topology->nrank ? 1 : 2;
}

static uint32_t count_up(const struct ordo_topology *topology)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < topology->nlink; i++)
		count += !topology->links[i].down;
	return count;
}

static bool has_link(const struct ordo_topology *topology, uint32_t from, uint32_t to,
	const struct ordo_link *like)
{
	uint32_t i;
	for (const uint32_t end = ordo_topology_links(topology, from, to, &i); i < end; i++)
		if (!topology->links[i].down && topology->links[i].class_name == like->class_name &&
			key_of(&topology->links[i]) == key_of(like))
			return true;
	return false;
}

/* Each vertex has a colour of its own: is every link of one topology in the other? */
static bool compare_links(
	const struct search *search, const uint64_t *colours, const uint64_t *others)
{
	const struct ordo_topology *one = search->topologies[0], *other = search->topologies[1];
	for (uint32_t v = 0; v < search->nvertex; v++)
		for (uint32_t w = 0; w < search->nvertex; w++)
			if (colours[v] == others[w])
				search->vertex_map[v] = w;
	bool same = count_up(one) == count_up(other);
	for (uint32_t i = 0; same && i < one->nlink; i++) {
		const struct ordo_link *link = &one->links[i];
		same = link->down || has_link(other, search->vertex_map[link->from],
					     search->vertex_map[link->to], link);
	}
	return same;
}

/* A vertex whose colour others have too; ORDO_NONE. Needs the colours sorted. */
static uint32_t find_shared(const struct search *search, const uint64_t *colours)
{
	for (uint32_t v = 0; v < search->nvertex; v++) {
		const uint64_t *at = bsearch(&colours[v], search->sorted, search->nvertex,
			sizeof *search->sorted, compare_colours);
		const uint64_t *end = search->sorted + search->nvertex;
		if ((at + 1 < end && at[1] == *at) || (at > search->sorted && at[-1] == *at))
			return v;
	}
	return ORDO_NONE;
}

static bool match(struct search *search, const uint64_t *colours, const uint64_t *others);

/* With a colour for v, and for w, that no other vertex has. */
static bool match_pair(struct search *search, const uint64_t *colours, const uint64_t *others,
	uint32_t v, uint32_t w)
{
	const size_t n = search->nvertex;
	uint64_t *copies = malloc(2 * n * sizeof *copies);
	if (!copies)
		return false;
	memcpy(copies, colours, n * sizeof *copies);
	memcpy(copies + n, others, n * sizeof *copies);
	copies[v] = copies[n + w] = ordo_mix(colours[v] + 1);
	refine(search, 0, copies);
	refine(search, 1, copies + n);
	const bool found = match(search, copies, copies + n);
	free(copies);
	return found;
}

static bool match(struct search *search, const uint64_t *colours, const uint64_t *others)
{
	const size_t size = search->nvertex * sizeof *colours;
	sort_colours(search, colours, search->sorted);
	sort_colours(search, others, search->other);
	if (search->work < 0 || memcmp(search->sorted, search->other, size) != 0)
		return false;
	const uint32_t v = find_shared(search, colours);
	if (v == ORDO_NONE)
		return compare_links(search, colours, others);
	/* Its own number first, so that few ranks are renumbered. */
	if (others[v] == colours[v] && match_pair(search, colours, others, v, v))
		return true;
	for (uint32_t w = 0; w < search->nvertex; w++)
		if (w != v && others[w] == colours[v] && match_pair(search, colours, others, v, w))
			return true;
	return false;
}

static bool open_search(struct search *search)
{
	const size_t n = search->nvertex;
	search->next = malloc(n * sizeof *search->next);
	search->sorted = malloc(n * sizeof *search->sorted);
	search->other = malloc(n * sizeof *search->other);
	search->vertex_map = malloc(n * sizeof *search->vertex_map);
	return search->next && search->sorted && search->other && search->vertex_map;
}

static void close_search(struct search *search)
{
	free(search->next);
	free(search->sorted);
	free(search->other);
	free(search->vertex_map);
}

bool find_isomorphism(const struct ordo_topology *one, const struct ordo_topology *other,
	uint32_t fixed, uint32_t *map)
{
	struct search search = {.topologies = {one, other},
		.nvertex = one->nrank + one->nswitch,
		.work = MOST_WORK};
	const size_t n = search.nvertex;
	uint64_t *colours = malloc(2 * n * sizeof *colours);
	bool found = open_search(&search) && colours;
	if (found) {
		begin_colours(one, fixed, colours);
		begin_colours(other, fixed, colours + n);
		refine(&search, 0, colours);
		refine(&search, 1, colours + n);
		found = match(&search, colours, colours + n);
	}
	if (found)
		memcpy(map, search.vertex_map, one->nrank * sizeof *map);
	free(colours);
	close_search(&search);
	return found;
}

bool find_isomorphism_key(const struct ordo_topology *topology, uint32_t fixed, uint64_t *key)
{
	struct search search = {.topologies = {topology},
		.nvertex = topology->nrank + topology->nswitch,
		.work = MOST_WORK};
	uint64_t *colours = malloc(search.nvertex * sizeof *colours);
	const bool worked = open_search(&search) && colours;
	*key = 0;
	if (worked) {
		begin_colours(topology, fixed, colours);
		refine(&search, 0, colours);
	}
	for (uint32_t v = 0; worked && v < search.nvertex; v++)
		*key += ordo_mix(colours[v]);
	free(colours);
	close_search(&search);
	return worked;
}
