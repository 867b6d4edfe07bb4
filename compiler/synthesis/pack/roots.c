/* roots.c - spanning trees from other roots, so that all ranks add equally much.
 *
 * A rank adds once for each child: of a tree used up and down once less than it has neighbours
 * there, but for the root, which adds once more. Any rank may be the root.
 */
#include "pack.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_HIGHER = 1 }; /* than from the best root */

/* parents: [nrank] of the tree; turned: [nrank], it becomes the same tree from this root. Returns
 * its height. */
static uint32_t turn(uint32_t root, const uint32_t *parents, uint32_t *turned, uint32_t nrank)
{
	uint32_t v = root, before = root, height = 0;
	memcpy(turned, parents, nrank * sizeof *turned);
	for (bool top = false; !top;) {
		const uint32_t next = parents[v];
		top = next == v;
		turned[v] = before;
		before = v;
		v = next;
	}
	for (uint32_t leaf = 0; leaf < nrank; leaf++) {
		uint32_t depth = 0;
		for (uint32_t at = leaf; at != root; at = turned[at])
			depth++;
		height = depth > height ? depth : height;
	}
	return height;
}

bool ordo_rooted_trees_make(struct ordo_rooted_trees *rooted, const struct ordo_packing *packing)
{
	const size_t nrank = packing->nrank, ntree = packing->ntree;
	*rooted = (struct ordo_rooted_trees){.packing = packing,
		.parents = ordo_array_make(ntree * nrank * nrank, sizeof(uint32_t), 0),
		.heights = ordo_array_make(ntree * nrank, sizeof(uint32_t), 0)};
	if (!rooted->parents || !rooted->heights)
		return false;
	for (size_t i = 0; i < ntree * nrank; i++)
		rooted->heights[i] =
			turn((uint32_t)(i % nrank), packing->parents + i / nrank * nrank,
				rooted->parents + i * nrank, (uint32_t)nrank);
	return true;
}

void ordo_rooted_trees_free(struct ordo_rooted_trees *rooted)
{
	free(rooted->parents);
	free(rooted->heights);
}

uint32_t ordo_choose_root(const struct ordo_rooted_trees *rooted, uint32_t tree, uint64_t *adds)
{
	const struct ordo_packed_tree *packed = &rooted->packing->trees[tree];
	const uint32_t nrank = rooted->packing->nrank,
		       *heights = rooted->heights + (size_t)tree * nrank,
		       *parents = rooted->packing->parents + (size_t)tree * nrank;
	uint32_t best = packed->root;
	for (uint32_t v = 0; v < nrank; v++)
		adds[parents[v]] += v != packed->root;
	adds[packed->root]--;
	for (uint32_t v = 0; v < nrank; v++)
		if (heights[v] <= packed->height + MOST_HIGHER && adds[v] < adds[best])
			best = v;
	adds[best]++;
	return best;
}
