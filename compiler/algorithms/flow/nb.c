/* nb.c - nonuniform Bruck: the mirror image of the nonuniform hierarchical ring.
 *
 * Where one block is cut into slices they are renumbered, as in nhr. Natural K: N where one block
 * is cut, else 1.
 *
 * steps   rounds q = ceil(log2 N) a phase; the longest chain of arrivals floor(log2 N), AllReduce
 *         twice that
 * volume  (N-1)/N of the vector a phase: AllReduce 2(N-1)/N
 * order   N trees, N/2 if N is a power of two
 * source  the published collectives of Ascend; after Bruck et al., IEEE Trans. Parallel Distrib.
 *         Syst. 8(11),
 * 1997
 */
#include "algorithms/direct/closed_form.h"
#include "nonuniform.h"

static bool prepare(struct ordo_resolved_request *request, struct ordo_error *error)
{
	return ordo_nonuniform_make(request, true) ? true : ordo_fail_memory(error);
}

static bool closed_form(const struct ordo_resolved_request *request, struct ordo_cost *cost)
{
	return ordo_form_phases(
		request, ORDO_COST_TABLE, ordo_form_rounds(request->problem.nrank), cost);
}

static const struct ordo_parameter parameters[] = {ORDO_NONUNIFORM_SLICES};

static const struct ordo_alias aliases[] = {
	{"nonuniform-bruck", 0, "", NULL},
};

const struct ordo_algorithm ordo_algorithm_nb = {
	.facts = {.name = "nb",
		.summary = "nonuniform Bruck: few steps for any number of ranks",
		.how = "The mirror image of nhr: step k of the reduce-scatter phase sends to the "
		       "rank 2^k places ahead.",
		.when = "In the same cases as nhr: few steps for any number of ranks, on switched "
			"networks.",
		.operators = 1u << ORDO_ALLREDUCE | 1u << ORDO_BROADCAST |
			     1u << ORDO_REDUCESCATTER | 1u << ORDO_ALLGATHER | 1u << ORDO_SCATTER,
		.ranks = "any",
		.steps = "q = ceil(log2 N) rounds; AllReduce, Broadcast 2q",
		.volume = "(N-1)/N n; AllReduce, Broadcast 2(N-1)/N n",
		.order = "N trees; N/2 if N = 2^k",
		.topologies = "full mesh, switched, or the links r to r + 2^k",
		.source = "Bruck et al. 1997; published collectives of Ascend",
		.parameters = parameters,
		.nparameter = sizeof parameters / sizeof *parameters,
		.aliases = aliases,
		.nalias = sizeof aliases / sizeof *aliases},
	.applicable = ordo_nonuniform_slices_apply,
	.prepare = prepare,
	.chunks = ordo_flow_chunks,
	.build = ordo_flow_build,
	.steps = ordo_flow_steps,
	.volume = ordo_flow_volume,
	.closed_form = closed_form,
};
