/* phase.c - packs the trees of one phase, and keeps them with all that they depend on, in words of
 * 64 bits.
 *
 * A choice packs the same trees for a candidate's claims, for each number of chunks, and for its
 * variants: with switches that takes longer than all else of a candidate.
 */
#include "phase.h"
#include "ways/parallel.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

struct kept {
	uint64_t *problem; /* [nword] */
	size_t nword;
	struct ordo_phase phase;
};

struct ordo_kept_phases {
	struct kept *items; /* [count] */
	size_t count, room;
};

void ordo_phase_free(struct ordo_phase *phase)
{
	ordo_packing_free(&phase->packing);
	ordo_logical_links_free(&phase->logical);
}

/* Packs trees into the logical links between ranks that take the place of switches. */
static bool pack_split(struct ordo_phase *phase, const struct ordo_capacities *graph,
	const uint32_t *capacities, const uint32_t *roots, struct ordo_error *error)
{
	struct ordo_capacities between = {0};
	uint32_t *units = NULL;
	bool worked = ordo_split_switches(&phase->logical, graph, capacities, roots, error) &&
		      ordo_logical_graph_make(&between, &phase->logical, graph->nrank, error);
	if (worked) {
		units = ordo_array_make(between.narc, sizeof *units, 0);
		worked = units || ordo_fail_memory(error);
	}
	for (uint32_t i = 0; worked && i < between.narc; i++)
		units[i] = (uint32_t)between.arcs[i].units;
	worked = worked && ordo_pack_from_roots(&phase->packing, &between, units, roots, error);
	free(units);
	ordo_capacities_free(&between);
	return worked;
}

static bool pack(struct ordo_phase *phase, const void *closure, struct ordo_error *error)
{
	const struct ordo_phase_problem *problem = closure;
	const struct ordo_capacities *graph = problem->graph;
	const uint32_t nrank = graph->nrank, root = problem->root;
	uint32_t *capacities = ordo_array_make(graph->narc, sizeof *capacities, 0),
		 *roots = ordo_array_make(nrank, sizeof *roots, 0), k = problem->k;
	bool worked = (capacities && roots) || ordo_fail_memory(error);
	worked = worked && ordo_units_from_roots(graph, root, problem->even, &k, problem->most,
				   capacities, error);
	for (uint32_t rank = 0; worked && rank < nrank; rank++)
		roots[rank] = root == ORDO_NONE || root == rank ? k : 0;
	worked = worked &&
		 (graph->nvertex > nrank ? pack_split(phase, graph, capacities, roots, error)
					 : ordo_pack_from_roots(&phase->packing, graph, capacities,
						   roots, error));
	phase->packing.k = worked ? k : 0;
	free(roots);
	free(capacities);
	return worked;
}

/* Spanning trees; where there are none, phase->packing has none. */
static bool span(struct ordo_phase *phase, const void *closure, struct ordo_error *error)
{
	const struct ordo_spanning_problem *problem = closure;
	const struct ordo_capacities *graph = problem->graph;
	uint32_t *capacities = ordo_array_make(graph->narc, sizeof *capacities, 0), k = problem->k;
	struct ordo_error why = {0};
	bool worked = capacities || ordo_fail_memory(&why);
	if (worked && graph->nvertex > graph->nrank)
		worked = ordo_pack_switched(&phase->packing, &phase->logical, graph,
			problem->names_ways, problem->one_class, k, problem->most, &why);
	else if (worked)
		worked = ordo_units_spanning(graph, &k, problem->most, capacities, &why) &&
			 ordo_pack_spanning(&phase->packing, graph, capacities, k, &why);
	free(capacities);
	if (worked)
		return true;
	ordo_phase_free(phase);
	*phase = (struct ordo_phase){.packing.nrank = graph->nrank};
	return why.code != ORDO_ENVIRONMENT || ordo_fail_memory(error);
}

/* All that trees depend on: the numbers, and the links. NULL: no memory. */
static uint64_t *write_problem(
	const struct ordo_capacities *graph, const uint64_t *numbers, size_t nnumber, size_t *nword)
{
	const struct ordo_parallel_links *parallel = graph->parallel;
	const uint64_t of_graph[] = {graph->nrank, graph->nplace, graph->nvertex, graph->narc,
		graph->unit, (uint64_t)graph->unit_digits, graph->backwards, graph->rounded,
		parallel ? parallel->count : 0};
	const size_t nof_graph = sizeof of_graph / sizeof *of_graph,
		     nlink = parallel ? parallel->given->nlink : 0;
	*nword = nnumber + nof_graph + 2 * ((size_t)graph->narc + nlink);
	uint64_t *words = ordo_array_make(*nword, sizeof *words, 0), *next = words;
	if (!words)
		return NULL;
	for (size_t i = 0; i < nnumber; i++)
		*next++ = numbers[i];
	for (size_t i = 0; i < nof_graph; i++)
		*next++ = of_graph[i];
	for (uint32_t a = 0; a < graph->narc; a++) {
		*next++ = (uint64_t)graph->arcs[a].from << 32 | graph->arcs[a].to;
		*next++ = (uint64_t)graph->arcs[a].units;
	}
	for (size_t i = 0; i < nlink; i++) {
		const struct ordo_link *link = &parallel->given->links[i];
		*next++ = (uint64_t)link->from << 32 | link->to;
		*next++ = (uint64_t)link->class_name << 1 | link->down;
	}
	return words;
}

static void *copy_of(const void *items, size_t count, size_t size)
{
	void *copy = ordo_array_make(count, size, 0);
	if (copy && count)
		memcpy(copy, items, count * size);
	return copy;
}

/* The caller frees the copy, also after false: no memory. */
static bool copy_phase(struct ordo_phase *copy, const struct ordo_phase *phase, uint32_t nvertex)
{
	const struct ordo_packing *packing = &phase->packing;
	const struct ordo_logical_links *logical = &phase->logical;
	const size_t nparent = (size_t)packing->ntree * packing->nrank;
	*copy = (struct ordo_phase){.packing.nrank = packing->nrank};
	if (!packing->ntree)
		return true;
	copy->packing = *packing;
	copy->packing.trees = copy_of(packing->trees, packing->ntree, sizeof *packing->trees);
	copy->packing.parents = copy_of(packing->parents, nparent, sizeof *packing->parents);
	copy->packing.tree_room = packing->ntree;
	copy->packing.parent_room = nparent;
	if (!copy->packing.trees || !copy->packing.parents)
		return false;
	if (!logical->first)
		return true;
	copy->logical = *logical;
	copy->logical.links = copy_of(logical->links, logical->nlink, sizeof *logical->links);
	copy->logical.via = copy_of(logical->via, logical->nvia, sizeof *logical->via);
	copy->logical.first = copy_of(logical->first, nvertex, sizeof *logical->first);
	copy->logical.link_room = logical->nlink;
	copy->logical.via_room = logical->nvia;
	return copy->logical.links && copy->logical.via && copy->logical.first;
}

static const struct ordo_phase *find(
	const struct ordo_kept_phases *kept, const uint64_t *words, size_t nword)
{
	for (size_t i = 0; i < kept->count; i++)
		if (kept->items[i].nword == nword &&
			!memcmp(kept->items[i].problem, words, nword * sizeof *words))
			return &kept->items[i].phase;
	return NULL;
}

/* Takes the words, and keeps a copy of the phase. false: no memory. */
static bool keep(struct ordo_kept_phases *kept, uint64_t *words, size_t nword,
	const struct ordo_phase *phase, uint32_t nvertex)
{
	if (!ordo_array_reserve(&kept->items, &kept->room, kept->count + 1, sizeof *kept->items)) {
		free(words);
		return false;
	}
	struct kept *item = &kept->items[kept->count++];
	*item = (struct kept){.problem = words, .nword = nword};
	return copy_phase(&item->phase, phase, nvertex);
}

/* What a kind of trees needs to be packed once. */
struct wanted {
	const struct ordo_capacities *graph;
	uint64_t numbers[5]; /* all else that the trees depend on, the kind first */
	const void *problem;
	bool (*make)(struct ordo_phase *phase, const void *problem, struct ordo_error *error);
};

static bool make_once(struct ordo_kept_phases *kept, struct ordo_phase *phase,
	const struct wanted *wanted, struct ordo_error *error)
{
	const uint32_t nvertex = wanted->graph->nvertex;
	const size_t nnumber = sizeof wanted->numbers / sizeof *wanted->numbers;
	size_t nword;
	*phase = (struct ordo_phase){.packing.nrank = wanted->graph->nrank};
	if (!kept)
		return wanted->make(phase, wanted->problem, error);
	uint64_t *words = write_problem(wanted->graph, wanted->numbers, nnumber, &nword);
	if (!words)
		return ordo_fail_memory(error);
	const struct ordo_phase *found = find(kept, words, nword);
	if (found) {
		free(words);
		return copy_phase(phase, found, nvertex) || ordo_fail_memory(error);
	}
	if (wanted->make(phase, wanted->problem, error))
		return keep(kept, words, nword, phase, nvertex) || ordo_fail_memory(error);
	free(words);
	return false;
}

bool ordo_phase_pack(struct ordo_kept_phases *kept, struct ordo_phase *phase,
	const struct ordo_phase_problem *problem, struct ordo_error *error)
{
	const struct wanted wanted = {problem->graph,
		{false, problem->root, problem->k, problem->most, problem->even}, problem, pack};
	return make_once(kept, phase, &wanted, error);
}

bool ordo_phase_span(struct ordo_kept_phases *kept, struct ordo_phase *phase,
	const struct ordo_spanning_problem *problem, struct ordo_error *error)
{
	const struct wanted wanted = {problem->graph,
		{true, problem->k, problem->most, problem->names_ways, problem->one_class}, problem,
		span};
	return make_once(kept, phase, &wanted, error) && phase->packing.ntree;
}

struct ordo_kept_phases *ordo_kept_phases_create(struct ordo_error *error)
{
	struct ordo_kept_phases *kept = calloc(1, sizeof *kept);
	if (!kept)
		ordo_fail_memory(error);
	return kept;
}

void ordo_kept_phases_destroy(struct ordo_kept_phases *kept)
{
	if (!kept)
		return;
	for (size_t i = 0; i < kept->count; i++) {
		free(kept->items[i].problem);
		ordo_phase_free(&kept->items[i].phase);
	}
	free(kept->items);
	free(kept);
}
