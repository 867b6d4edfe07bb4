/* agree.c - whether the trees that were seen are those of each other, and those of the proof. */
#include "agree.h"
#include <stdlib.h>
#include <string.h>

bool make_probe(struct probe *probe, struct live *live, const struct drive *drive, struct ordo_arena *arena,
	struct ordo_error *error)
{
	const struct machine machine = live_machine(live);
	*probe = (struct probe){.drive = *drive};
	live->drive = *drive;
	if (!recover_trees(&machine, &probe->recovered, error))
		return false;
	probe->orders = calloc((size_t)probe->recovered.nclass + 1, sizeof *probe->orders);
	if (!probe->orders)
		return ordo_fail_memory(error);
	for (uint32_t c = 0; c < probe->recovered.nclass; c++) {
		const struct ordo_trees trees = {probe->recovered.classes[c].nodes, 2 * machine.nleaf - 1};
		if (!trees.nodes)
			continue;
		probe->orders[c] = ordo_tree_print(arena, &trees, trees.nnode - 1, ORDO_LIMIT);
		if (!probe->orders[c])
			return ordo_fail_memory(error);
	}
	return true;
}

void free_probe(struct probe *probe)
{
	free_recovered(&probe->recovered);
	free(probe->orders);
}

const char *order_of(const struct probe *probe, uint64_t element)
{
	const uint32_t class = probe->recovered.class_of[element];
	return probe->orders[class] ? probe->orders[class] : probe->recovered.classes[class].why;
}

bool is_whole(const struct probe *probe, struct difference *difference)
{
	for (uint32_t c = 0; c < probe->recovered.nclass; c++)
		if (!probe->orders[c]) {
			const struct element_class *class = &probe->recovered.classes[c];
			*difference = (struct difference){class->first, class->why, "a tree"};
			return false;
		}
	return true;
}

bool agree_with_each_other(const struct probe *first, const struct probe *second, uint64_t nelement,
	struct difference *difference)
{
	for (uint64_t e = 0; e < nelement; e++) {
		const char *found = order_of(second, e), *wanted = order_of(first, e);
		if (!strcmp(found, wanted))
			continue;
		*difference = (struct difference){e, found, wanted};
		return false;
	}
	return true;
}

/* The trees of the proof as texts, each printed once. */
struct reference {
	const struct ordo_proof *proof;
	struct ordo_arena *arena;
	const char **texts; /* [nnode] */
};

static const char *print_once(struct reference *reference, uint32_t tree)
{
	if (!reference->texts[tree])
		reference->texts[tree] =
			ordo_tree_print(reference->arena, &reference->proof->trees, tree, ORDO_LIMIT);
	return reference->texts[tree];
}

/* The elements of one output slot. */
static enum agreement compare_slot(const struct probe *probe, const char *wanted, uint64_t first,
	uint64_t end, struct difference *difference)
{
	if (!wanted)
		return NO_MEMORY;
	for (uint64_t e = first; e < end; e++) {
		const char *found = order_of(probe, e);
		if (!strcmp(found, wanted))
			continue;
		*difference = (struct difference){e, found, wanted};
		return DIFFERS;
	}
	return AGREES;
}

static enum agreement compare_all(const struct probe *probe, const struct live *live,
	struct reference *reference, uint8_t *seen, struct difference *difference)
{
	const struct ordo_problem *problem = &live->schedule->problem;
	const bool rank_equal = reference->proof->rank_equal == ORDO_HOLDS;
	bool unequal = false;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		for (uint32_t slot = 0; slot < ordo_output_slots(problem, rank); slot++) {
			const uint32_t chunk = ordo_output_chunk(problem, rank, slot);
			const uint64_t first = live->first[rank] +
					       element_of_slot(problem, live->options.count, slot),
				       end = live->first[rank] +
					     element_of_slot(problem, live->options.count, slot + 1);
			const enum agreement answer = compare_slot(probe,
				print_once(reference, reference->proof->chunk_tree[chunk]), first, end,
				difference);
			if (answer == NO_MEMORY || (answer == DIFFERS && (rank_equal || !seen[chunk])))
				return answer;
			unequal |= answer == DIFFERS;
			seen[chunk] = 1;
		}
	if (rank_equal || unequal || !live->first[problem->nrank])
		return AGREES;
	*difference =
		(struct difference){0, "the same trees on every rank", "different ones (G1 does not hold)"};
	return DIFFERS;
}

enum agreement agree_with_proof(const struct probe *probe, const struct live *live,
	const struct ordo_proof *proof, struct ordo_arena *arena, struct difference *difference)
{
	struct reference reference = {proof, arena, calloc((size_t)proof->trees.nnode + 1, sizeof(char *))};
	uint8_t *seen = calloc(ordo_nchunk(&live->schedule->problem), 1);
	const enum agreement answer =
		reference.texts && seen ? compare_all(probe, live, &reference, seen, difference) : NO_MEMORY;
	free(reference.texts);
	free(seen);
	return answer;
}
