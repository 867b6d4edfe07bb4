/* demand.c - the bytes that must leave a set S of ranks, of blocks that are unequal: c(b) bytes are
 * in block b, c(i, j) in that from rank i to rank j.
 *
 *   ReduceScatter  the sum of c(b) over b outside S
 *   AllGather      the sum of c(b) over b in S
 *   Scatter        the sum of c(b) over b outside S, if the root is in S
 *   Gather         the sum of c(b) over b in S, if the root is outside
 *   AllToAll       the sum of c(i, j) over i in S and j outside
 */
#include "demand.h"
#include <ordo/arena.h>
#include <stdlib.h>

bool ordo_demand_between(const struct ordo_demand *demand, uint32_t from, uint32_t to)
{
	const struct ordo_problem *problem = demand->problem;
	if (from == to)
		return false;
	switch (problem->op) {
	case ORDO_REDUCESCATTER:
		return demand->block[to] > 0;
	case ORDO_ALLGATHER:
		return demand->block[from] > 0;
	case ORDO_SCATTER:
		return from == problem->root && demand->block[to] > 0;
	case ORDO_GATHER:
		return to == problem->root && demand->block[from] > 0;
	case ORDO_ALLTOALL:
		return demand->block[(size_t)from * problem->nrank + to] > 0;
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
	case ORDO_CUSTOM:
		break;
	}
	return false;
}

static void add_alltoall(struct ordo_demand *demand, uint32_t rank)
{
	const uint32_t N = demand->problem->nrank;
	uint32_t targets = 0, sources = 0;
	for (uint32_t other = 0; other < N; other++) {
		if (other == rank)
			continue;
		demand->out[rank] += demand->block[(size_t)rank * N + other];
		demand->in[rank] += demand->block[(size_t)other * N + rank];
		targets += ordo_demand_between(demand, rank, other);
		sources += ordo_demand_between(demand, other, rank);
	}
	const uint32_t most = 1 + (targets > sources ? targets : sources);
	demand->involved = most > demand->involved ? most : demand->involved;
	demand->sent += demand->out[rank];
}

static void add_rank(struct ordo_demand *demand, uint32_t rank)
{
	const struct ordo_problem *problem = demand->problem;
	const bool root = rank == problem->root;
	const double own = problem->op == ORDO_ALLTOALL ? 0 : demand->block[rank],
		     others = demand->total - own;
	switch (problem->op) {
	case ORDO_REDUCESCATTER:
		demand->out[rank] = others;
		demand->in[rank] = problem->nrank > 1 ? own : 0;
		break;
	case ORDO_ALLGATHER:
		demand->out[rank] = problem->nrank > 1 ? own : 0;
		demand->in[rank] = others;
		break;
	case ORDO_SCATTER:
		demand->out[rank] = root ? others : 0;
		demand->in[rank] = root ? 0 : own;
		break;
	case ORDO_GATHER:
		demand->out[rank] = root ? 0 : own;
		demand->in[rank] = root ? others : 0;
		break;
	case ORDO_ALLTOALL:
		add_alltoall(demand, rank);
		break;
	case ORDO_ALLREDUCE:
	case ORDO_REDUCE:
	case ORDO_BROADCAST:
	case ORDO_CUSTOM:
		break;
	}
}

/* Every block of a ReduceScatter or AllGather is sent N-1 times, and one of a Scatter or Gather
 * once, unless it is the root's own. */
static void count_vector(struct ordo_demand *demand)
{
	const struct ordo_problem *problem = demand->problem;
	const bool rooted = problem->op == ORDO_SCATTER || problem->op == ORDO_GATHER;
	uint32_t filled = 0;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		filled += demand->block[rank] > 0 && (!rooted || rank != problem->root);
	demand->involved = rooted ? filled + 1 : filled ? problem->nrank : 1;
	demand->sent = rooted ? demand->total - demand->block[problem->root]
			      : (problem->nrank - 1.0) * demand->total;
}

bool ordo_demand_make(struct ordo_demand *demand, const struct ordo_problem *problem,
	const double *block, struct ordo_error *error)
{
	*demand = (struct ordo_demand){.problem = problem,
		.block = block,
		.involved = 1,
		.out = ordo_array_make(problem->nrank, sizeof *demand->out, 0),
		.in = ordo_array_make(problem->nrank, sizeof *demand->in, 0)};
	if (!demand->out || !demand->in)
		return ordo_fail_memory(error);
	for (uint32_t b = 0; b < ordo_nblock(problem); b++)
		demand->total += block[b];
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		add_rank(demand, rank);
	if (problem->op != ORDO_ALLTOALL && ordo_has_counts(problem->op))
		count_vector(demand);
	return true;
}

void ordo_demand_free(struct ordo_demand *demand)
{
	free(demand->out);
	free(demand->in);
	demand->out = demand->in = NULL;
}

static double leaving_alltoall(const struct ordo_demand *demand, const bool *inside, bool side)
{
	const uint32_t N = demand->problem->nrank;
	double bytes = 0;
	for (uint32_t from = 0; from < N; from++)
		for (uint32_t to = 0; inside[from] == side && to < N; to++)
			bytes += inside[to] == side ? 0 : demand->block[(size_t)from * N + to];
	return bytes;
}

double ordo_demand_leaving(const struct ordo_demand *demand, const bool *inside, bool side)
{
	const struct ordo_problem *problem = demand->problem;
	const bool root_inside = inside[problem->root] == side,
		   of_outside = problem->op == ORDO_REDUCESCATTER || problem->op == ORDO_SCATTER;
	double bytes = 0;
	if (problem->op == ORDO_ALLTOALL)
		return leaving_alltoall(demand, inside, side);
	if ((problem->op == ORDO_SCATTER && !root_inside) ||
		(problem->op == ORDO_GATHER && root_inside))
		return 0;
	for (uint32_t rank = 0; rank < problem->nrank; rank++)
		bytes += (inside[rank] == side) != of_outside ? demand->block[rank] : 0;
	return bytes;
}
