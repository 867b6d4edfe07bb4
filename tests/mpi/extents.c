/* extents.c - a program of MPI that knows nothing of us, whose elements lie in memory in odd ways:
 * with a lower bound that is not 0, with data before their address, from back to front, and
 * otherwise on each rank; at absolute addresses; and of a kind of Fortran. It compares sums with
 * the dyadic tree, which it evaluates by itself, and what lies between the elements with what it
 * put there; its exit status is 1 if they differ. With the argument `backwards` it makes one call,
 * of a type of negative extent. */
#include "dyadic.h"
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 90, ROOM = 8 * N, GAP = -77 };

/* Elements of some floats: where the first is, from their address; where their bounds are; the
 * distance from one element to the next, and from float to float. In floats. */
struct way {
	const char *name;
	int at, low, extent, nfloat, stride;
};
static const struct way ways[] = {{"forwards", 0, 0, 1, 1, 0}, {"apart", 0, 0, 2, 1, 0},
	{"a lower bound", 0, 1, 3, 1, 0}, {"a lower bound below", 0, -2, 3, 1, 0},
	{"data before", -2, 0, 2, 1, 0}, {"data behind", 5, 0, 2, 1, 0},
	{"back to front", 0, -4, 5, 3, -2}, {"back to front, between others", 0, -4, 3, 3, -2},
	{"empty", 0, 0, 2, 0, 0}, {"backwards", 0, 0, -2, 1, 0}};
/* Without the last; and those of one float, which may be mixed. */
enum { NWAY = sizeof ways / sizeof *ways - 1, NMIXED = 6 };

static int rank, nrank, nfailed;
static const struct way *way;
static float in[ROOM], out[ROOM];

static void add(void *left, void *right, int *n, MPI_Datatype *datatype)
{
	const float *a = left;
	float *b = right;
	(void)datatype;
	for (int i = 0; i < *n; i++)
		for (int p = 0; p < way->nfloat; p++) {
			const int at = i * way->extent + way->at + p * way->stride;
			b[at] = a[at] + b[at];
		}
}

/* The address of the first element. */
static float *base(float *memory)
{
	return memory + (way->extent < 0 ? ROOM - 10 : 10);
}

static float *element(float *memory, int i, int p)
{
	return base(memory) + i * way->extent + way->at + p * way->stride;
}

static void fill(float *memory)
{
	for (int i = 0; i < ROOM; i++)
		memory[i] = GAP;
	for (int i = 0; i < N; i++)
		for (int p = 0; p < way->nfloat; p++)
			*element(memory, i, p) = value(rank, i, p);
}

/* Elements [0, n) are those of the sum from `first` on; those behind have the rank's own values,
 * and nothing else was written. */
static void expect(const char *what, int first, int n)
{
	for (int i = 0; i < N * way->nfloat; i++) {
		const int e = i / way->nfloat, p = i % way->nfloat;
		const float wanted = e < n ? tree(0, nrank, first + e, p) : value(rank, e, p);
		float *found = element(out, e, p);
		if (*found != wanted) {
			printf("%s, %s: element %d of rank %d is %g, not %g\n", what, way->name, e,
				rank, (double)*found, (double)wanted);
			nfailed++;
			return;
		}
		*found = GAP;
	}
	for (int i = 0; i < ROOM; i++)
		if (out[i] != GAP) {
			printf("%s, %s: rank %d wrote between elements\n", what, way->name, rank);
			nfailed++;
			return;
		}
}

static void start(void)
{
	fill(in);
	fill(out);
}

static void check_blocking(MPI_Datatype type, MPI_Op op)
{
	int counts[64], first = 0;
	start();
	MPI_Allreduce(base(in), base(out), N, type, op, MPI_COMM_WORLD);
	expect("Allreduce", 0, N);
	start();
	MPI_Allreduce(MPI_IN_PLACE, base(out), 3, type, op, MPI_COMM_WORLD);
	expect("Allreduce in place", 0, 3);
	start();
	MPI_Reduce(base(in), base(out), N, type, op, nrank - 1, MPI_COMM_WORLD);
	expect("Reduce", 0, rank == nrank - 1 ? N : 0);
	start();
	MPI_Reduce(rank ? base(out) : MPI_IN_PLACE, base(out), N, type, op, 0, MPI_COMM_WORLD);
	expect("Reduce in place", 0, rank ? 0 : N);
	for (int r = 0; r < nrank; r++)
		counts[r] = r % 2 ? 5 : 2 + r;
	for (int r = 0; r < rank; r++)
		first += counts[r];
	start();
	MPI_Reduce_scatter(base(in), base(out), counts, type, op, MPI_COMM_WORLD);
	expect("Reduce_scatter", first, counts[rank]);
	start();
	MPI_Reduce_scatter_block(base(in), base(out), N / nrank, type, op, MPI_COMM_WORLD);
	expect("Reduce_scatter_block", rank * (N / nrank), N / nrank);
}

static void check_requests(MPI_Datatype type, MPI_Op op)
{
	MPI_Request request;
	int counts[64], first = 0;
	start();
	MPI_Iallreduce(base(in), base(out), N, type, op, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Iallreduce", 0, N);
	start();
	MPI_Ireduce(base(in), base(out), N, type, op, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Ireduce", 0, rank ? 0 : N);
	for (int r = 0; r < nrank; r++)
		counts[r] = r % 2 ? 5 : 2 + r;
	for (int r = 0; r < rank; r++)
		first += counts[r];
	start();
	MPI_Ireduce_scatter(base(in), base(out), counts, type, op, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Ireduce_scatter", first, counts[rank]);
	start();
	MPI_Ireduce_scatter_block(
		base(in), base(out), N / nrank, type, op, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Ireduce_scatter_block", rank * (N / nrank), N / nrank);
}

static void check_way(bool is_backwards)
{
	MPI_Datatype floats, placed, type;
	MPI_Op op;
	const int size = (int)sizeof(float);
	const MPI_Aint at = way->at * size;
	MPI_Type_vector(way->nfloat, 1, way->stride, MPI_FLOAT, &floats);
	MPI_Type_create_hindexed(1, (int[]){1}, &at, floats, &placed);
	MPI_Type_create_resized(placed, way->low * size, way->extent * size, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(add, 1, &op);
	if (is_backwards) {
		start();
		MPI_Allreduce(base(in), base(out), N, type, op, MPI_COMM_WORLD);
	} else {
		check_blocking(type, op);
		check_requests(type, op);
	}
	MPI_Op_free(&op);
	MPI_Type_free(&placed);
	MPI_Type_free(&floats);
	MPI_Type_free(&type);
}

/* From MPI_BOTTOM. */
static MPI_Aint place;
static void add_there(void *left, void *right, int *n, MPI_Datatype *datatype)
{
	add((char *)left + place, (char *)right + place, n, datatype);
}

/* A type has one address, so everything is in place. */
static void check_absolute(void)
{
	MPI_Datatype type;
	MPI_Op op;
	MPI_Request request;
	way = &ways[0];
	MPI_Get_address(base(out), &place);
	MPI_Type_create_hindexed(1, (int[]){1}, &place, MPI_FLOAT, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(add_there, 1, &op);
	start();
	MPI_Allreduce(MPI_IN_PLACE, MPI_BOTTOM, N, type, op, MPI_COMM_WORLD);
	expect("absolute Allreduce", 0, N);
	start();
	MPI_Reduce(rank ? MPI_BOTTOM : MPI_IN_PLACE, MPI_BOTTOM, N, type, op, 0, MPI_COMM_WORLD);
	expect("absolute Reduce", 0, rank ? 0 : N);
	start();
	MPI_Reduce_scatter_block(MPI_IN_PLACE, MPI_BOTTOM, N / nrank, type, op, MPI_COMM_WORLD);
	expect("absolute Reduce_scatter_block", rank * (N / nrank), N / nrank);
	start();
	MPI_Iallreduce(MPI_IN_PLACE, MPI_BOTTOM, N, type, op, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("absolute Iallreduce", 0, N);
	MPI_Op_free(&op);
	MPI_Type_free(&type);
}

/* Of Fortran, which has real(selected_real_kind(6)). */
static void check_kind(void)
{
	MPI_Datatype real, complex;
	way = &ways[0];
	MPI_Type_create_f90_real(6, MPI_UNDEFINED, &real);
	MPI_Type_create_f90_complex(6, MPI_UNDEFINED, &complex);
	start();
	MPI_Allreduce(base(in), base(out), N, real, MPI_SUM, MPI_COMM_WORLD);
	expect("a real of Fortran", 0, N);
	start();
	MPI_Allreduce(base(in), base(out), N / 2, complex, MPI_SUM, MPI_COMM_WORLD);
	expect("a complex of Fortran", 0, N);
}

int main(int argc, char **argv)
{
	const bool is_backwards = argc > 1 && !strcmp(argv[1], "backwards");
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	for (int w = 0; w < NWAY && !is_backwards; w++) {
		way = &ways[w]; /* the same on all ranks */
		check_way(false);
		way = &ways[w < NMIXED ? (w + rank) % NMIXED : w];
		check_way(false);
	}
	way = &ways[NWAY];
	if (is_backwards) {
		check_way(true);
	} else {
		check_absolute();
		check_kind();
	}
	MPI_Allreduce(MPI_IN_PLACE, &nfailed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("%s\n", nfailed ? "some differ" : "all agree");
	MPI_Finalize();
	return nfailed != 0;
}
