/* own_algorithm.c - an algorithm that is not part of the library: AllReduce along a chain of ranks.
 * It is written, compiled, proved, and run. */
#include <ordo/builder.h>
#include <ordo/ordo.h>

#define NRANK 4
#define COUNT 1000

/* The sum grows from the last rank to rank 0, and the result goes back along the chain. */
static void write_chain(struct ordo_builder *b, const struct ordo_problem *problem, void *closure)
{
	const uint32_t n = problem->nrank, nchunk = problem->chunks_per_block;
	(void)closure;
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

static bool run(const struct ordo_schedule *schedule, struct ordo_error *error)
{
	static float in[NRANK][COUNT] = {{1}, {2}, {3}, {4}}, out[NRANK][COUNT];
	const void *inputs[] = {in[0], in[1], in[2], in[3]};
	void *outputs[] = {out[0], out[1], out[2], out[3]};
	static struct ordo_communicator_options size;
	size.nrank = NRANK;
	struct ordo_communicator *ranks = ordo_communicator_create(&size, error);
	const bool worked =
		ranks && ordo_communicator_bind(ranks, schedule, error) &&
		ordo_allreduce_all(ranks, inputs, outputs, COUNT, ORDO_F32, ORDO_SUM, error);
	if (worked)
		printf("1 + 2 + 3 + 4 = %g\n", (double)out[NRANK - 1][0]);
	ordo_communicator_destroy(ranks);
	return worked;
}

int main(void)
{
	static struct ordo_request request;
	request.problem.op = ORDO_ALLREDUCE;
	request.problem.nrank = NRANK;
	request.algorithm = "chain";
	struct ordo_error error;
	struct ordo_schedule *schedule = ordo_compile_program(&request, write_chain, NULL, &error);
	const bool worked = schedule && run(schedule, &error);
	if (!worked)
		ordo_error_write(&error, stderr);
	ordo_schedule_destroy(schedule);
	return !worked;
}
