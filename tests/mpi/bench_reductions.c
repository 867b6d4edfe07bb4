/* bench_reductions.c SETTINGS ROUNDS WHAT... - the library's own call and the same in the proved
 * order, in turns. SETTINGS is ORDO_MPI; WHAT is AllReduce:BYTES, Reduce:BYTES, ReduceScatter:BYTES
 * or PassedOn. Rank 0 prints a line of JSON for each: medians of the rounds, in microseconds.
 *
 * Every rank writes its input anew before each call and reads its output after it, as programs do;
 * a time is that of (touch + call) less that of touch alone. */
#include "engine/call.h"
#include "program/intercept.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROUNDS = 1001, NTURN = 3 };
enum turn { LIBRARY, OURS, TOUCH };

static int rank, nrank;
static volatile float seen; /* results are read */
static double times[NTURN][MOST_ROUNDS];

struct cell {
	enum ordo_mpi_operation operation;
	float *in, *out;
	int n, nout; /* elements */
};

static int compare_doubles(const void *left, const void *right)
{
	const double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double median(double *values, int n)
{
	qsort(values, (size_t)n, sizeof *values, compare_doubles);
	return values[n / 2];
}

static int call(const struct cell *cell, bool ours)
{
	const MPI_Comm comm = MPI_COMM_WORLD;
	if (cell->operation == ORDO_MPI_REDUCE)
		return (ours ? MPI_Reduce : PMPI_Reduce)(
			cell->in, cell->out, cell->n, MPI_FLOAT, MPI_SUM, 0, comm);
	if (cell->operation == ORDO_MPI_REDUCE_SCATTER_BLOCK)
		return (ours ? MPI_Reduce_scatter_block : PMPI_Reduce_scatter_block)(
			cell->in, cell->out, cell->nout, MPI_FLOAT, MPI_SUM, comm);
	return (ours ? MPI_Allreduce : PMPI_Allreduce)(
		cell->in, cell->out, cell->n, MPI_FLOAT, MPI_SUM, comm);
}

/* Seconds of the slowest rank for so many calls. Who calls Reduce could run ahead of its root. */
static double time_batch(const struct cell *cell, enum turn turn, int ncall)
{
	const bool meets = cell->operation == ORDO_MPI_REDUCE;
	PMPI_Barrier(MPI_COMM_WORLD);
	double elapsed = -PMPI_Wtime(), slowest;
	for (int i = 0; i < ncall; i++) {
		for (int j = 0; j < cell->n; j++)
			cell->in[j] = (float)(j + i + rank);
		if (meets)
			PMPI_Barrier(MPI_COMM_WORLD);
		if (turn != TOUCH && call(cell, turn == OURS) != MPI_SUCCESS)
			PMPI_Abort(MPI_COMM_WORLD, 1);
		float sum = 0;
		for (int j = 0; j < cell->nout; j++)
			sum += cell->out[j];
		seen = sum;
	}
	elapsed += PMPI_Wtime();
	PMPI_Allreduce(&elapsed, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return slowest;
}

/* So many that a batch of them takes two milliseconds. */
static int calls_in_batch(const struct cell *cell)
{
	double longest = 0;
	for (enum turn turn = LIBRARY; turn <= OURS; turn++) {
		time_batch(cell, turn, 3); /* compiles, makes the window, connects */
		const double t = time_batch(cell, turn, 3) / 3;
		longest = t > longest ? t : longest;
	}
	int n = longest < 1e-6 ? 2000 : longest > 2e-3 ? 1 : (int)(2e-3 / longest);
	PMPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
	return n;
}

static void print(const char *operator, size_t bytes, double library, double ours)
{
	if (!rank)
		printf("{\"operator\": \"%s\", \"ranks\": %d, \"bytes\": %zu, \"library_us\": "
		       "%.4f, "
		       "\"ours_us\": %.4f}\n",
			operator, nrank, bytes, library * 1e6, ours * 1e6);
	fflush(stdout);
}

static void time_cell(const char *operator, size_t bytes, int rounds)
{
	struct cell cell = {.operation = !strcmp(operator, "Reduce") ? ORDO_MPI_REDUCE
					 : !strcmp(operator, "AllReduce")
						 ? ORDO_MPI_ALLREDUCE
						 : ORDO_MPI_REDUCE_SCATTER_BLOCK};
	const bool scatters = cell.operation == ORDO_MPI_REDUCE_SCATTER_BLOCK;
	cell.n = (int)(bytes / sizeof(float));
	if (scatters) /* blocks have one element at least */
		cell.n = cell.n < nrank ? nrank : cell.n / nrank * nrank;
	cell.nout = scatters ? cell.n / nrank : cell.n;
	cell.in = malloc((size_t)cell.n * sizeof(float));
	cell.out = calloc((size_t)cell.nout, sizeof(float));
	const int ncall = calls_in_batch(&cell);
	rounds = bytes > 4 << 20 && rounds > 12 ? rounds / 4 : rounds;
	for (int round = 0; round < rounds; round++)
		for (int i = 0; i < NTURN; i++) {
			const enum turn turn = (enum turn)((round + i) % NTURN);
			times[turn][round] = time_batch(&cell, turn, ncall) / ncall;
		}
	const double touch = median(times[TOUCH], rounds);
	print(operator, bytes, median(times[LIBRARY], rounds) - touch,
		median(times[OURS], rounds) - touch);
	free(cell.in);
	free(cell.out);
}

/* What the library takes of a call that it passes on: of one integer, on one rank. */
static void time_passed_on(int rounds)
{
	enum { NCALL = 20000 };
	int in = 1, out = 0;
	for (int round = 0; round < rounds; round++)
		for (int ours = 0; ours < 2; ours++) {
			const double began = PMPI_Wtime();
			for (int i = 0; i < NCALL; i++)
				(ours ? MPI_Allreduce : PMPI_Allreduce)(
					&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
			times[ours][round] = (PMPI_Wtime() - began) / NCALL;
		}
	print("PassedOn", sizeof in, median(times[LIBRARY], rounds), median(times[OURS], rounds));
}

int main(int argc, char **argv)
{
	const int rounds = argc > 2 ? atoi(argv[2]) : 0;
	if (rounds < 1 || rounds > MOST_ROUNDS) {
		fprintf(stderr, "wanted SETTINGS ROUNDS WHAT..., with 1 to %d rounds\n",
			MOST_ROUNDS);
		return 2;
	}
	setenv("ORDO_MPI", argv[1], 1);
	MPI_Init(&argc, &argv);
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &nrank);
	for (int i = 3; i < argc; i++) {
		char operator[32] = "";
		unsigned long long bytes = 0;
		if (!strcmp(argv[i], "PassedOn"))
			time_passed_on(rounds);
		else if (sscanf(argv[i], "%31[A-Za-z]:%llu", operator, & bytes) == 2)
			time_cell(operator, bytes, rounds);
		else
			PMPI_Abort(MPI_COMM_WORLD, 2);
	}
	MPI_Finalize();
	return 0;
}
