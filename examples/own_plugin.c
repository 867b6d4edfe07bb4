/* own_plugin.c - an algorithm in a shared object: AllReduce along a chain of ranks.
 *
 *	cc -shared -fPIC $(pkg-config --cflags libordo) own_plugin.c -o own_plugin.so
 *	ordo compile allreduce --ranks 4 --algorithm ./own_plugin.so -o chain.json
 */
#include <ordo/plugin.h>

/* The result goes back along the chain, or from rank 0 to each by itself. */
enum { CHAIN, STAR };
static const struct ordo_plugin_parameter parameters[] = {{.name = "back",
	.meaning = "how the result goes back: from rank to rank, or from the first to each",
	.words = "chain|star",
	.fallback = "chain"}};

/* The sum grows from the last rank to rank 0. */
static void write_chain(
	struct ordo_builder *b, const struct ordo_problem *problem, const uint32_t *values)
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
		ordo_copy(b, ordo_output_of(b, rank, 0),
			ordo_output_of(b, values[0] == STAR ? 0 : rank - 1, 0), nchunk);
	}
}

static uint64_t count_steps(const struct ordo_problem *problem, const uint32_t *values)
{
	const uint64_t chain = problem->nrank - 1, back = values[0] == STAR ? chain > 0 : chain;
	return chain + back;
}

/* A rank in the middle of a chain passes sums on in one direction and results in the other; rank 0
 * sends the result to all. */
static uint64_t count_volume(const struct ordo_problem *problem, const uint32_t *values)
{
	const uint64_t others = problem->nrank - 1, chain = others > 1 ? 2 : others;
	return (values[0] == STAR ? others : chain) * problem->chunks_per_block;
}

ORDO_PLUGIN(.name = "chain-sum", .summary = "along a chain of ranks and back",
	.how = "The sum grows from the last rank to the first, and the result goes back.",
	.when = "Where only neighbours have links.", .parameters = parameters, .nparameter = 1,
	.operators = 1u << ORDO_ALLREDUCE, .ranks = "any", .steps = "2(N-1); back=star: N",
	.volume = "2; back=star: N-1", .order = "linear, from the last rank",
	.topologies = "any with links from rank to rank", .source = "folklore",
	.write = write_chain, .count_steps = count_steps, .count_volume = count_volume);
