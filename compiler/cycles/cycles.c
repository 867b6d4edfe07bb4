/* cycles.c - rings through a topology: the ways to find them, in turn, and why there are none. */
#include "cycles.h"
#include "graph.h"
#include <ordo/arena.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NSTART = 32, MAX_CUT_RANKS = 256 };
#define SEARCH_STEPS 10000000ull
#define SEARCH_WORK 400000000ull /* steps times ranks */

static bool are_neighbours(const struct ordo_topology *topology, uint32_t a, uint32_t b)
{
	return !topology ||
	       (ordo_topology_reaches(topology, a, b) && ordo_topology_reaches(topology, b, a));
}

static uint32_t next_rank(const uint32_t *order, uint32_t n, uint32_t i)
{
	return order[i + 1 < n ? i + 1 : 0];
}

static bool take_natural_order(const struct ordo_topology *topology, uint32_t n, uint32_t *cycle)
{
	for (uint32_t i = 0; i < n; i++)
		cycle[i] = i;
	for (uint32_t i = 0; n > 1 && i < n; i++)
		if (!are_neighbours(topology, cycle[i], next_rank(cycle, n, i)))
			return false;
	return true;
}

/* Rank 0 first, then the smaller of its two neighbours. */
static void normalize(uint32_t *cycle, uint32_t n, uint32_t *room)
{
	uint32_t zero = 0;
	while (cycle[zero])
		zero++;
	bool forward = cycle[(zero + 1) % n] < cycle[(zero + n - 1) % n];
	for (uint32_t i = 0; i < n; i++)
		room[i] = cycle[(forward ? zero + i : zero + n - i) % n];
	memcpy(cycle, room, n * sizeof *cycle);
}

/* One search: the graph, and room for its methods. */
struct search {
	struct ordo_graph graph;
	struct ordo_arena arena;
	uint32_t n, ncycle;
	/* how many disjoint cycles were found at most, when fewer than asked for */
	uint32_t nfound;
	uint32_t *cycles; /* [ncycle][n] */
	uint8_t *seen;	  /* [n] */
	uint32_t *room;	  /* [n] */
};

static bool fail_none(const struct search *search, struct ordo_error *error, const char *why)
{
	if (search->ncycle == 1)
		ordo_fail(error, ORDO_USAGE, 0, "no ring joins all %u ranks: %s", search->n, why);
	else
		ordo_fail(error, ORDO_USAGE, 0,
			"there are no %u link-disjoint rings over %u ranks: %s", search->ncycle,
			search->n, why);
	if (search->nfound)
		return ordo_hint(error, "rings=%u can be had", search->nfound);
	if (search->ncycle > 1)
		return ordo_hint(error, "ask for fewer rings");
	return ordo_hint(error, "a ring needs every link both ways: data one way, acknowledgements "
				"the other; take another topology or algorithm");
}

/* The quick reasons; true if there is none of them. */
static bool is_possible(struct search *search, struct ordo_error *error)
{
	char why[160];
	uint32_t apart[2], n = search->n;
	for (uint32_t v = 0; v < n; v++) {
		uint32_t degree = ordo_graph_degree(&search->graph, v);
		if (degree >= 2 * search->ncycle)
			continue;
		snprintf(why, sizeof why, "rank %u has %u neighbour%s, wanted %u or more", v,
			degree, degree == 1 ? "" : "s", 2 * search->ncycle);
		fail_none(search, error, why);
		return degree < 4 ? false
				  : ordo_hint(error, "ask for rings=%u at most", degree / 2);
	}
	if (!ordo_graph_connected(&search->graph, ORDO_NONE, search->seen, search->room, apart)) {
		snprintf(why, sizeof why, "nothing joins rank %u and rank %u", apart[0], apart[1]);
		return fail_none(search, error, why);
	}
	for (uint32_t v = 0; n <= MAX_CUT_RANKS && v < n; v++)
		if (!ordo_graph_connected(&search->graph, v, search->seen, search->room, apart)) {
			snprintf(why, sizeof why,
				"every path from rank %u to rank %u leads through rank %u",
				apart[0], apart[1], v);
			return fail_none(search, error, why);
		}
	return true;
}

/* One cycle after another by repair, each without the links of those before. Returns how many. */
static uint32_t repair_in_turn(struct search *search, uint64_t *number)
{
	uint32_t found = 0, n = search->n;
	for (; found < search->ncycle; found++) {
		uint32_t *cycle = search->cycles + (size_t)found * n;
		for (uint32_t i = 0; i < n; i++)
			cycle[i] = i;
		if (*number)
			ordo_shuffle(cycle, n, number);
		if (!ordo_cycle_repair(&search->graph, cycle))
			break;
		ordo_graph_flip_cycle(&search->graph, cycle);
	}
	for (uint32_t c = 0; c < found; c++)
		ordo_graph_flip_cycle(&search->graph, search->cycles + (size_t)c * n);
	return found;
}

static enum ordo_code repair_from_many_starts(struct search *search)
{
	uint64_t number = 0;
	for (int start = 0; start < NSTART; start++) {
		uint32_t found = repair_in_turn(search, &number);
		if (found == search->ncycle)
			return ORDO_OK;
		if (found > search->nfound)
			search->nfound = found;
		if (!number)
			number = 1;
	}
	return ORDO_UNDECIDED;
}

static enum ordo_code find(struct search *search)
{
	enum ordo_code code = ORDO_UNDECIDED;
	uint64_t limit = SEARCH_WORK / search->n;
	if (search->ncycle > 1)
		code = ordo_cycles_decompose(
			&search->graph, &search->arena, search->ncycle, search->cycles);
	if (code == ORDO_UNDECIDED)
		code = repair_from_many_starts(search);
	if (code == ORDO_UNDECIDED)
		code = ordo_cycles_search(&search->graph, &search->arena, search->ncycle,
			limit < SEARCH_STEPS ? limit : SEARCH_STEPS, search->cycles);
	return code;
}

static bool answer(struct search *search, enum ordo_code code, struct ordo_error *error)
{
	if (code == ORDO_ENVIRONMENT)
		return ordo_fail_memory(error);
	if (code == ORDO_REFUTED)
		return fail_none(search, error,
			"every order of the ranks was tried, and each needs a missing link "
			"or one link twice");
	if (code == ORDO_UNDECIDED) {
		ordo_fail(error, ORDO_UNDECIDED, 0,
			"found no %u link-disjoint ring%s over %u ranks within the limit of the "
			"search, and no proof that there %s",
			search->ncycle, search->ncycle == 1 ? "" : "s", search->n,
			search->ncycle == 1 ? "is none" : "are none");
		if (search->nfound)
			return ordo_hint(error,
				"rings=%u can be had; or give the rings with order=",
				search->nfound);
		return ordo_hint(error, "give a ring you know with order=");
	}
	for (uint32_t c = 0; c < search->ncycle; c++)
		normalize(search->cycles + (size_t)c * search->n, search->n, search->room);
	return true;
}

static bool find_by_search(
	struct search *search, const struct ordo_topology *topology, struct ordo_error *error)
{
	search->seen = ordo_arena_alloc(&search->arena, search->n);
	search->room = ordo_arena_alloc(&search->arena, search->n * sizeof *search->room);
	if (!search->seen || !search->room ||
		!ordo_graph_make(&search->graph, &search->arena, topology, search->n))
		return ordo_fail_memory(error);
	if (!is_possible(search, error))
		return false;
	return answer(search, find(search), error);
}

static bool find_with_two(const struct ordo_topology *topology, uint32_t ncycle, uint32_t *cycles,
	struct ordo_error *error)
{
	struct search search = {.n = 2, .ncycle = ncycle};
	if (!are_neighbours(topology, 0, 1))
		return fail_none(&search, error, "rank 0 and rank 1 are no neighbours");
	if (ncycle > 1)
		return fail_none(&search, error, "two ranks have one link");
	cycles[0] = 0;
	cycles[1] = 1;
	return true;
}

bool ordo_cycles_find(const struct ordo_topology *topology, uint32_t nrank, uint32_t ncycle,
	uint32_t *cycles, struct ordo_error *error)
{
	if (nrank == 1) {
		memset(cycles, 0, ncycle * sizeof *cycles);
		return true;
	}
	if (nrank == 2)
		return find_with_two(topology, ncycle, cycles, error);
	if (ncycle == 1 && take_natural_order(topology, nrank, cycles))
		return true;
	struct search search = {.n = nrank, .ncycle = ncycle, .cycles = cycles};
	if (ncycle > (nrank - 1) / 2) {
		char why[80];
		snprintf(
			why, sizeof why, "even with every link there are only %u", (nrank - 1) / 2);
		return fail_none(&search, error, why);
	}
	bool found = find_by_search(&search, topology, error);
	ordo_arena_free(&search.arena);
	return found;
}

static bool check_ranks(
	uint32_t n, const uint32_t *order, uint32_t norder, uint8_t *seen, struct ordo_error *error)
{
	for (uint32_t i = 0; i < norder; i++) {
		if (order[i] >= n)
			return ordo_fail(error, ORDO_USAGE, 0,
				"ring order: found rank %u, wanted ranks 0..%u", order[i], n - 1);
		if (seen[order[i]])
			return ordo_fail(error, ORDO_USAGE, 0,
				"ring order: rank %u appears twice, wanted every rank once",
				order[i]);
		seen[order[i]] = 1;
	}
	for (uint32_t rank = 0; rank < n; rank++)
		if (!seen[rank])
			return ordo_fail(error, ORDO_USAGE, 0,
				"ring order: rank %u is missing, wanted every rank of 0..%u once",
				rank, n - 1);
	return true;
}

static bool check_links(const struct ordo_topology *topology, uint32_t n, const uint32_t *order,
	struct ordo_error *error)
{
	char list[1024] = "";
	uint32_t missing = 0;
	for (uint32_t i = 0; topology && n > 1 && i < n; i++) {
		uint32_t a = order[i], b = next_rank(order, n, i);
		bool there = ordo_topology_reaches(topology, a, b),
		     back = ordo_topology_reaches(topology, b, a);
		if ((there && back) || missing++ >= 8)
			continue;
		size_t used = strlen(list);
		snprintf(list + used, sizeof list - used, "%s%u-%u (%s)", used ? ", " : "", a, b,
			there  ? "not back"
			: back ? "only back"
			       : "neither way");
	}
	if (!missing)
		return true;
	ordo_fail(error, ORDO_USAGE, 0, "ring order: %u of its links are not there or down: %s%s",
		missing, list, missing > 8 ? ", ..." : "");
	return ordo_hint(error, "leave the order out and one is looked for");
}

bool ordo_cycle_check(const struct ordo_topology *topology, uint32_t nrank, const uint32_t *order,
	uint32_t norder, struct ordo_error *error)
{
	uint8_t *seen = calloc(nrank, 1);
	if (!seen)
		return ordo_fail_memory(error);
	bool sound = check_ranks(nrank, order, norder, seen, error) &&
		     check_links(topology, nrank, order, error);
	free(seen);
	return sound;
}

static int compare_links(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	return *a < *b ? -1 : *a > *b;
}

bool ordo_cycles_disjoint(
	uint32_t nrank, uint32_t ncycle, const uint32_t *cycles, struct ordo_error *error)
{
	size_t nlink = 0, total = (size_t)nrank * ncycle;
	if (nrank == 1 || ncycle == 1)
		return true;
	uint64_t *links = malloc(total * sizeof *links);
	if (!links)
		return ordo_fail_memory(error);
	for (size_t i = 0; i < total; i++) {
		uint32_t a = cycles[i],
			 b = next_rank(cycles + i / nrank * nrank, nrank, (uint32_t)(i % nrank));
		links[nlink++] = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
	}
	qsort(links, nlink, sizeof *links, compare_links);
	bool disjoint = true;
	for (size_t i = 1; disjoint && i < nlink; i++)
		if (links[i] == links[i - 1])
			disjoint = ordo_fail(error, ORDO_USAGE, 0,
				"ring order: the link %u-%u is in two rings, wanted link-disjoint "
				"rings",
				(uint32_t)(links[i] >> 32), (uint32_t)links[i]);
	free(links);
	return disjoint;
}
