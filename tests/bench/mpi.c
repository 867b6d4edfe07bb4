/* mpi.c - the cells under MPI: mpirun ... PROGRAM CONTENDER SECONDS OPERATOR:BYTES...
 *
 * One process a rank. Rank 0 prints a line of JSON for every cell.
 */
#include "cell.h"
#include "timing.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void touch(void *closure, bool called)
{
	owner_touch(closure, called);
}

static void call(void *closure)
{
	const struct owner *owner = closure;
	const int count = (int)owner->cell.count, block = (int)cell_block(&owner->cell);
	switch (owner->cell.operator) {
	case CELL_ALLREDUCE:
		MPI_Allreduce(
			owner->input, owner->output, count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		break;
	case CELL_REDUCESCATTER:
		MPI_Reduce_scatter_block(
			owner->input, owner->output, block, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
		break;
	case CELL_ALLGATHER:
		MPI_Allgather(owner->input, block, MPI_FLOAT, owner->output, block, MPI_FLOAT,
			MPI_COMM_WORLD);
		break;
	case CELL_BROADCAST:
		MPI_Bcast(owner->output, count, MPI_FLOAT, 0, MPI_COMM_WORLD);
		break;
	case CELL_ALLTOALL:
		MPI_Alltoall(owner->input, block, MPI_FLOAT, owner->output, block, MPI_FLOAT,
			MPI_COMM_WORLD);
		break;
	}
}

static uint64_t agree(void *closure, uint64_t value)
{
	(void)closure;
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Bcast(&value, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD);
	return value;
}

static void meet(void *closure)
{
	(void)closure;
	MPI_Barrier(MPI_COMM_WORLD);
}

static void measure(const char *contender, const struct cell *cell, uint32_t rank, double budget_s)
{
	struct owner owner;
	if (!owner_create(&owner, cell, rank)) {
		fprintf(stderr, "no memory\n");
		MPI_Abort(MPI_COMM_WORLD, 5);
	}
	const struct member member = {
		&owner, touch, cell_may_run_ahead(cell) ? meet : NULL, call, agree, rank == 0};
	const double seconds = time_calls(&member, budget_s);
	owner_check(&owner);
	uint64_t nwrong = 0;
	MPI_Reduce(&owner.nwrong, &nwrong, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		cell_report(contender, cell, seconds, nwrong, NULL);
	owner_destroy(&owner);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int rank, nrank;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	int status = argc > 3 ? 0 : 2;
	for (int i = 3; i < argc && !status; i++) {
		struct cell cell;
		if (cell_read(argv[i], (uint32_t)nrank, &cell))
			measure(argv[1], &cell, (uint32_t)rank, strtod(argv[2], NULL));
		else
			status = 2;
	}
	MPI_Finalize();
	return status;
}
