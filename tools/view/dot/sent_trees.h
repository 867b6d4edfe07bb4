/* sent_trees.h - the trees by which the results of one rank reach the others, from the schedule. */
#ifndef ORDO_TOOLS_VIEW_DOT_SENT_TREES_H
#define ORDO_TOOLS_VIEW_DOT_SENT_TREES_H

#include <ordo/schedule.h>

/* A tree of ranks, and the chunks that go along it. */
struct sent_tree {
	const uint32_t *parents; /* [nrank] who sent it last; of the root the root itself */
	uint32_t nchunk, height;
	uint32_t number; /* among all, by parents */
};

struct sent_trees {
	uint32_t root, nrank;
	struct sent_tree *trees; /* [ntree] those of the most chunks first */
	uint32_t ntree;
	uint32_t nchunk;   /* of all trees */
	uint32_t *parents; /* of the trees */
};

/* Those of the chunks that end on every rank, and of which `root` has its copy from nobody: it sent
 * them, or there they were summed up. ntree is 0 if there are none.
 *
 *   schedule   proved
 *
 * Linear in tasks and in the slots of all ranks. false: no memory, or too many slots. Free it in
 * any case. */
bool find_sent_trees(struct sent_trees *trees, const struct ordo_schedule *schedule, uint32_t root,
	struct ordo_error *error);
void free_sent_trees(struct sent_trees *trees);

#endif
