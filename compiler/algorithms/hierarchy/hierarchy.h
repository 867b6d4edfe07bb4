/* hierarchy.h - an operator over levels of ranks as stages: in each, all groups of one level do an
 * operator of their own, side by side, by an algorithm that knows only their group.
 */
#ifndef ORDO_COMPILER_ALGORITHMS_HIERARCHY_HIERARCHY_H
#define ORDO_COMPILER_ALGORITHMS_HIERARCHY_HIERARCHY_H

#include "levels.h"
#include "program/sequence.h"

/* What the groups of one level do.
 *
 * A member's block, in the group, is made of chunks of the whole problem. Where the operator has
 * blocks these are all blocks whose ranks have the member's digit in this level, any digits in the
 * levels of `free`, and the group's digits in the others. Where it has one block, it is cut level
 * by level, the innermost first, but for the outermost: a group has the part that its digits of the
 * inner levels say, a member a part of that.
 */
struct ordo_stage {
	enum ordo_operator op;
	uint32_t level;
	ordo_level_set done;	/* blocks: the levels dealt with before */
	ordo_level_set free;	/* blocks: see above */
	ordo_level_set at_root; /* only the groups with the root's digits in these take part */
	uint32_t natural;	/* K of the group's problem, if it were free to choose */
	struct ordo_resolved_request request; /* the same for all groups, except K */
};

struct ordo_hierarchy {
	struct ordo_levels levels;
	/* of a group of each level; NULL without one */
	struct ordo_topology *topologies[ORDO_MAX_LEVELS];
	struct ordo_stage stages[2 * ORDO_MAX_LEVELS];
	uint32_t nstage;
	bool cut; /* one block, which is cut; else blocks for every rank */
};

/* The group's problem, with K large enough for the largest block of any group. */
struct ordo_problem ordo_stage_problem(
	const struct ordo_resolved_request *request, const struct ordo_stage *stage);

/* The moves of one group, over its own ranks, chunks and slots. The caller frees the sequence, also
 * after false. */
bool ordo_stage_sequence(const struct ordo_resolved_request *request,
	const struct ordo_stage *stage, struct ordo_sequence *sequence, struct ordo_error *error);

/* The number of groups of the level, and the rank of member 0 of the g-th; ORDO_NONE: it takes no
 * part. */
uint32_t ordo_stage_groups(
	const struct ordo_resolved_request *request, const struct ordo_stage *stage);
uint32_t ordo_stage_group(
	const struct ordo_resolved_request *request, const struct ordo_stage *stage, uint32_t g);

/* chunks[c] is the chunk of the whole problem that a group has as its chunk c; ORDO_NONE: it has
 * none there. `problem` is the group's, `group` the rank of its member 0. */
void ordo_stage_chunks(const struct ordo_resolved_request *request, const struct ordo_stage *stage,
	const struct ordo_problem *problem, uint32_t group, uint32_t *chunks);

/* `build` of the hierarchical algorithm; request->prepared is the hierarchy. */
void ordo_hierarchy_build(struct ordo_builder *b, const struct ordo_resolved_request *request);

/* Its claims, counted along the stages: how each level's own schedule carries chunks from member to
 * member, one stage after another. 0 if there is no memory. */
uint64_t ordo_hierarchy_steps(const struct ordo_resolved_request *request);
uint64_t ordo_hierarchy_volume(const struct ordo_resolved_request *request);

#endif
