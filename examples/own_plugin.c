/* own_plugin.c - an algorithm in a shared object: AllReduce along a chain of ranks.
 *
 *	cc -shared -fPIC $(pkg-config --cflags libordo) own_plugin.c -o own_plugin.so
 *	ordo compile allreduce --ranks 4 --algorithm ./own_plugin.so -o chain.json
 */
#include <ordo/plugin.h>

/* The sum grows from the last rank to rank 0, and the result goes back along the chain. */
static void write_chain(struct ordo_builder *b, const struct ordo_problem *problem)
{
	const uint32_t n = problem->nrank, nchunk = problem->chunks_per_block;
	for (uint32_t rank = 0; rank < n; rank++)
		ordo_contribute(b, rank, 0, nchunk);
	for (uint32_t rank = n - 1; rank > 0; rank--) {
		ordo_phase(b, "reduce", n - 1 - rank);
		ordo_builder_reduce(b, ordo_work(b, rank - 1, 0), ordo_work(b, rank, 0), nchunk);
	}
	for (uint32_t rank = 1; rank < n; rank++) {
		ordo_phase(b, "broadcast", rank - 1);
		ordo_copy(b, ordo_output_of(b, rank, 0), ordo_output_of(b, rank - 1, 0), nchunk);
	}
}

static uint64_t count_steps(const struct ordo_problem *problem)
{
	return 2 * ((uint64_t)problem->nrank - 1);
}

/* A rank in the middle passes sums on in one direction and results in the other. */
static uint64_t count_volume(const struct ordo_problem *problem)
{
	const uint64_t times = problem->nrank > 2 ? 2 : problem->nrank - 1;
	return times * problem->chunks_per_block;
}

ORDO_PLUGIN(.name = "chain-sum", .summary = "along a chain of ranks and back",
	.how = "The sum grows from the last rank to the first, and the result goes back.",
	.when = "Where only neighbours have links.", .operators = 1u << ORDO_ALLREDUCE,
	.ranks = "any", .steps = "2(N-1)", .volume = "2", .order = "linear, from the last rank",
	.topologies = "any with links from rank to rank", .source = "folklore",
	.write = write_chain, .count_steps = count_steps, .count_volume = count_volume);
