/* agree.c - compares recovered trees with each other and with the proof. */
#include "agree.h"
#include <stdlib.h>

/* Children precede their nodes. ORDO_NONE: no memory. */
static uint32_t plant(
	struct ordo_forest *forest, uint32_t (*nodes)[2], uint32_t nleaf, uint32_t *planted)
{
	for (uint32_t i = 0; i < 2 * nleaf - 1; i++) {
		planted[i] = nodes[i][0] == ORDO_NONE
				     ? ordo_forest_leaf(forest, nodes[i][1])
				     : ordo_forest_add(
					       forest, planted[nodes[i][0]], planted[nodes[i][1]]);
		if (planted[i] == ORDO_NONE)
			return ORDO_NONE;
	}
	return planted[2 * nleaf - 2];
}

static bool plant_classes(struct probe *probe, uint32_t nleaf, struct ordo_forest *forest)
{
	const struct recovered *recovered = &probe->recovered;
	uint32_t *planted = malloc(2 * (size_t)nleaf * sizeof *planted);
	probe->trees = malloc(((size_t)recovered->nclass + 1) * sizeof *probe->trees);
	bool worked = planted && probe->trees;
	for (uint32_t c = 0; worked && c < recovered->nclass; c++) {
		probe->trees[c] = ORDO_NONE;
		if (!recovered->classes[c].nodes)
			continue;
		probe->trees[c] = plant(forest, recovered->classes[c].nodes, nleaf, planted);
		worked = probe->trees[c] != ORDO_NONE;
	}
	free(planted);
	return worked;
}

bool probe_machine(struct probe *probe, const struct machine *machine, struct ordo_forest *forest,
	struct ordo_error *error)
{
	if (!recover_trees(machine, &probe->recovered, error))
		return false;
	return plant_classes(probe, machine->nleaf, forest) ? true : ordo_fail_memory(error);
}

bool make_probe(struct probe *probe, struct live *live, const struct drive *drive,
	struct ordo_forest *forest, struct ordo_error *error)
{
	const struct machine machine = live_machine(live);
	*probe = (struct probe){.drive = *drive};
	live->drive = *drive;
	return probe_machine(probe, &machine, forest, error);
}

void free_probe(struct probe *probe)
{
	free_recovered(&probe->recovered);
	free(probe->trees);
}

uint32_t tree_seen(const struct probe *probe, uint64_t element)
{
	return probe->trees[probe->recovered.class_of[element]];
}

bool is_whole(const struct probe *probe, struct difference *difference)
{
	for (uint32_t c = 0; c < probe->recovered.nclass; c++)
		if (probe->trees[c] == ORDO_NONE) {
			*difference = (struct difference){
				probe->recovered.classes[c].first, ORDO_NONE, ORDO_NONE};
			return false;
		}
	return true;
}

static bool are_same(const struct ordo_forest *forest, uint32_t a, uint32_t b)
{
	if (a == ORDO_NONE || b == ORDO_NONE)
		return a == b;
	return ordo_same_tree(&forest->trees, a) == ordo_same_tree(&forest->trees, b);
}

bool agree_with_each_other(const struct probe *first, const struct probe *second,
	const struct ordo_forest *forest, uint64_t nelement, struct difference *difference)
{
	for (uint64_t e = 0; e < nelement; e++)
		if (!are_same(forest, tree_seen(first, e), tree_seen(second, e))) {
			*difference =
				(struct difference){e, tree_seen(second, e), tree_seen(first, e)};
			return false;
		}
	return true;
}

bool agree_with_order(const struct probe *probe, const struct live *live,
	const struct ordo_order *order, struct difference *difference)
{
	const struct ordo_problem *problem = &live->schedule->problem;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
			const uint32_t wanted = ordo_order_tree(
				order, ordo_output_chunk(problem, rank, slot), rank);
			const uint64_t end = live_slot(live, rank, slot + 1);
			for (uint64_t e = live_slot(live, rank, slot); e < end; e++)
				if (!are_same(order->forest, tree_seen(probe, e), wanted)) {
					*difference =
						(struct difference){e, tree_seen(probe, e), wanted};
					return false;
				}
		}
	return true;
}
