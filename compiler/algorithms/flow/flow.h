/* flow.h - algorithms in few steps whose operators are all made of one ReduceScatter.
 *
 * n members own a slice of the data each. In every step of the ReduceScatter a member sends several
 * slices to one peer, which adds them to its own; after the last step each slice is summed at its
 * owner. Backwards, with copies, that is an AllGather. Along the way on which a root's part of a
 * slice comes to the owner it is a Scatter, and that way backwards a Gather. AllReduce, Reduce and
 * Broadcast are two of these.
 *
 * An operator with blocks has a member's block as its slice; AllReduce, Reduce and Broadcast cut
 * their block into n slices, which may lie in any order (`place`), so that those of a step come to
 * lie together.
 */
#ifndef ORDO_COMPILER_ALGORITHMS_FLOW_FLOW_H
#define ORDO_COMPILER_ALGORITHMS_FLOW_FLOW_H

#include "algorithm.h"

/* The slices that go to `peer` in a step: first, first + stride, ... modulo n; or those listed. */
struct ordo_cargo {
	uint32_t peer, first, stride, count;
	const uint32_t *listed; /* [count]; NULL */
};

/* What was counted of a flow with so many chunks a block; 0: nothing yet. */
struct ordo_flow_counts {
	uint32_t chunks;
	uint64_t steps, volume;
};

struct ordo_flow {
	struct ordo_problem problem;
	uint32_t n, nstep;
	bool variant; /* of the pattern: see there */
	/* Every slice is cut into as many parts, which go their own ways at the same time; `lane`
	 * is the one that the functions below are asked about. More than one: no pairs. */
	uint32_t nlane, lane;
	const void *pattern; /* what `sends` and `lies_at` know */
	/* What a member sends in a step of the ReduceScatter. */
	struct ordo_cargo (*sends)(const struct ordo_flow *flow, uint32_t step, uint32_t member);
	/* The member that holds a slice before a step, on its way from member `from` to its owner.
	 * NULL: the algorithm has no Scatter and Gather. */
	uint32_t (*lies_at)(
		const struct ordo_flow *flow, uint32_t step, uint32_t from, uint32_t slice);
	/* How many links a message of a step goes over, and the member that it comes to over the
	 * first `hop` of them on its way from a member to that one's peer. Those between keep it in
	 * scratch. NULL: messages go over one link. */
	uint32_t (*hops)(const struct ordo_flow *flow, uint32_t step);
	uint32_t (*via)(const struct ordo_flow *flow, uint32_t step, uint32_t member, uint32_t hop);
	/* [nlane][n] where a slice lies among the slices of one block; NULL: slice i at i */
	const uint32_t *place;
	/* The first `npair` members stand for two ranks each, so that there are n + npair ranks:
	 * member j for 2j and 2j+1, and its slice is both blocks. The others stand for one. */
	uint32_t npair;
	uint32_t *places;		 /* [n], */
	struct ordo_slice *runs;	 /* [n] and */
	bool *marks;			 /* [n] scratch, all false between uses */
	struct ordo_flow_counts *counts; /* one walk counts both, and each is asked for */
};

/* Reserves the room, in request->arena, for a flow with n members and one lane. NULL: no memory.
 * The caller sets sends, lies_at, nstep, and what differs from {0}. */
struct ordo_flow *ordo_flow_make(struct ordo_resolved_request *request, uint32_t n);
/* AllReduce, Reduce and Broadcast have one block, which is cut into slices. */
bool ordo_flow_cuts(enum ordo_operator op);
/* The flow that `prepare` made, with the problem as it is now that K is settled. */
struct ordo_flow ordo_flow_of(const struct ordo_resolved_request *request);

/* Over how many links a message of a step of the ReduceScatter goes, and who passes it on. */
uint32_t ordo_flow_hops(const struct ordo_flow *flow, uint32_t step);
uint32_t ordo_flow_via(const struct ordo_flow *flow, uint32_t step, uint32_t member, uint32_t hop);
/* A rank has places for so many messages that it passes on, which take turns. */
enum { ORDO_FLOW_TURNS = 2 };

/* Builds the whole operator, with the exchanges of pairs before and after. */
void ordo_flow_build(struct ordo_builder *b, const struct ordo_resolved_request *request);
/* As many chunks as slices where a block is cut into slices, else 1. */
uint32_t ordo_flow_chunks(const struct ordo_resolved_request *request);
/* The claims, by counting along the flow. */
uint64_t ordo_flow_steps(const struct ordo_resolved_request *request);
uint64_t ordo_flow_volume(const struct ordo_resolved_request *request);

/* For flow.c and flow_claims.c. */

enum ordo_flow_part {
	ORDO_FLOW_SUM,
	ORDO_FLOW_SPREAD,
	ORDO_FLOW_SCATTER,
	ORDO_FLOW_GATHER,
	ORDO_FLOW_NO_PART
};

/* The parts of an operator. */
struct ordo_flow_parts {
	enum ordo_flow_part first, second;
};
struct ordo_flow_parts ordo_flow_parts(enum ordo_operator op);

/* The step of the ReduceScatter that a step of a part is, or is backwards. */
uint32_t ordo_flow_forward(const struct ordo_flow *flow, enum ordo_flow_part part, uint32_t step);

/* The runs of consecutive chunks that go from one member to another in a step of a part. */
struct ordo_transfer {
	uint32_t from, to;
	const struct ordo_slice *runs; /* in flow->runs, until the next transfer is asked for */
	uint32_t nrun;
	const uint32_t *places; /* in flow->places: of the slices, ascending */
	uint32_t nplace;
};
/* `number` 0..n-1: each is at most one transfer. */
struct ordo_transfer ordo_flow_transfer(
	const struct ordo_flow *flow, enum ordo_flow_part part, uint32_t step, uint32_t number);
/* The chunks at places first..end-1 that belong to the lane; `end` may be n. With lanes, and blocks
 * for slices: one place. */
struct ordo_slice ordo_flow_places(const struct ordo_flow *flow, uint32_t first, uint32_t end);

/* The rank that acts for a member, and the other rank of its pair (it must have one). A root acts
 * itself. */
uint32_t ordo_flow_rank(const struct ordo_flow *flow, uint32_t member);
uint32_t ordo_flow_partner(const struct ordo_flow *flow, uint32_t member);

#endif
