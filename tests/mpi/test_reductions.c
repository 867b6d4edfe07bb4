/* test_reductions.c - every reduction, on every kind of element, against trees that are evaluated
 * here: recursively, from the inputs of all ranks, which any rank can make. */
#include "engine/call.h"
#include "engine/communicator.h"
#include "engine/plan.h"
#include "engine/window.h"
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, nrank, nfailed;

/* The value of element i of rank r: floats of many magnitudes, whose sums depend on their order. */
static double value(int r, size_t i)
{
	uint64_t z =
		((uint64_t)r + 1) * UINT64_C(0x9e3779b97f4a7c15) + i * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 29) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 32;
	return ((double)(z & 0xffffff) + 1) * (z >> 40 & 1 ? 1e-7 : 1e3) * (z >> 41 & 1 ? 1 : -1);
}

/* A pair with a gap, which only its operation understands. */
struct pair {
	float sum;
	char gap[4];
	double product;
};

struct kind {
	const char *name;
	MPI_Datatype datatype;
	MPI_Op op;
	size_t extent;
	void (*make)(void *at, int r, size_t i);
	void (*add)(void *left, const void *right); /* left = left op right */
	bool (*equal)(const void *left, const void *right);
};

/* CMPLX is not in every compiler's header. */
static float complex make_complex_float(float real, float imaginary)
{
	const float parts[] = {real, imaginary};
	float complex z;
	memcpy(&z, parts, sizeof z);
	return z;
}

static double complex make_complex_double(double real, double imaginary)
{
	const double parts[] = {real, imaginary};
	double complex z;
	memcpy(&z, parts, sizeof z);
	return z;
}

#define FLOATING(name, type, cast)                                                                 \
	static void make_##name(void *at, int r, size_t i)                                         \
	{                                                                                          \
		*(type *)at = (type)(cast);                                                        \
	}                                                                                          \
	static void add_##name(void *left, const void *right)                                      \
	{                                                                                          \
		*(type *)left = *(type *)left + *(const type *)right;                              \
	}                                                                                          \
	static bool equal_##name(const void *left, const void *right)                              \
	{                                                                                          \
		return !memcmp(left, right,                                                        \
			sizeof(type) > 10 && sizeof(type) == sizeof(long double) &&                \
					_Generic((type)0, long double : 1, default : 0)            \
				? 10                                                               \
				: sizeof(type));                                                   \
	}
FLOATING(float, float, value(r, i))
FLOATING(double, double, value(r, i) / 3)
FLOATING(complex, float complex,
	make_complex_float((float)value(r, i), (float)value(r, i + 1000003)))
FLOATING(dcomplex, double complex, make_complex_double(value(r, i) / 3, value(r, i + 1000003) / 7))
FLOATING(long_double, long double, value(r, i) / 3)

static void make_pair(void *at, int r, size_t i)
{
	struct pair *pair = at;
	memset(pair->gap, 'g', sizeof pair->gap);
	pair->sum = (float)value(r, i);
	pair->product = value(r, i + 17) / 3;
}

static void add_pair(void *left, const void *right)
{
	struct pair *a = left;
	const struct pair *b = right;
	a->sum += b->sum;
	a->product += b->product;
}

/* The gap keeps what the receiver had there. */
static bool equal_pair(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;
	return !memcmp(&a->sum, &b->sum, sizeof a->sum) &&
	       !memcmp(&a->product, &b->product, sizeof a->product);
}

static void sum_pairs(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
	(void)datatype;
	for (int i = 0; i < *n; i++)
		add_pair((struct pair *)inout + i, (struct pair *)in + i);
}

/* The least float. -0 and 0 are equal: which of them survives depends on the order. */
static void add_least(void *left, const void *right)
{
	const float a = *(const float *)right;
	if (a < *(float *)left)
		*(float *)left = a;
}

static bool equal_value(const void *left, const void *right)
{
	return *(const float *)left == *(const float *)right;
}

/* D(N): split at the largest power of two below the number of ranks. */
static void fold(const struct kind *kind, size_t i, int begin, int end, void *out)
{
	char other[32];
	if (end - begin == 1) {
		kind->make(out, begin, i);
		return;
	}
	int half = 1;
	while (half * 2 < end - begin)
		half *= 2;
	fold(kind, i, begin, begin + half, out);
	fold(kind, i, begin + half, end, other);
	kind->add(out, other);
}

static void expect_tree(const struct kind *kind, const char *what, int nleaf, const char *out,
	size_t first, size_t n)
{
	char wanted[32];
	for (size_t i = 0; i < n; i++) {
		fold(kind, first + i, 0, nleaf, wanted);
		if (kind->equal(out + i * kind->extent, wanted))
			continue;
		fprintf(stderr, "%s of %s: element %zu of rank %d differs\n", what, kind->name,
			first + i, rank);
		nfailed++;
		return;
	}
}

static void expect(
	const struct kind *kind, const char *what, const char *out, size_t first, size_t n)
{
	expect_tree(kind, what, nrank, out, first, n);
}

static char *inputs(const struct kind *kind, size_t n)
{
	char *memory = malloc(n * kind->extent + 1);
	for (size_t i = 0; i < n; i++)
		kind->make(memory + i * kind->extent, rank, i);
	return memory;
}

static void check_code(const char *what, int code)
{
	if (code != MPI_SUCCESS)
		fprintf(stderr, "%s: error %d\n", what, code), nfailed++;
}

static struct ordo_mpi_call call_of(const struct kind *kind, enum ordo_mpi_operation operation,
	MPI_Count count, const void *send, void *receive)
{
	return (struct ordo_mpi_call){.operation = operation,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = kind->datatype,
		.op = kind->op,
		.comm = MPI_COMM_WORLD};
}

static void check_allreduce(const struct kind *kind, size_t n, bool in_place)
{
	char *in = inputs(kind, n), *out = in_place ? inputs(kind, n) : calloc(n + 1, kind->extent);
	const struct ordo_mpi_call call =
		call_of(kind, ORDO_MPI_ALLREDUCE, (MPI_Count)n, in_place ? MPI_IN_PLACE : in, out);
	check_code("Allreduce", ordo_mpi_reduce(&call));
	expect(kind, "Allreduce", out, 0, n);
	free(in);
	free(out);
}

static void check_reduce(const struct kind *kind, size_t n, int root, bool in_place)
{
	char *in = inputs(kind, n), *out = in_place ? inputs(kind, n) : calloc(n + 1, kind->extent);
	const bool is_root = rank == root;
	struct ordo_mpi_call call = call_of(kind, ORDO_MPI_REDUCE, (MPI_Count)n,
		in_place && is_root ? MPI_IN_PLACE : in, is_root ? out : NULL);
	call.root = root;
	check_code("Reduce", ordo_mpi_reduce(&call));
	if (is_root)
		expect(kind, "Reduce", out, 0, n);
	char *again = inputs(kind, n); /* the input of nobody was changed */
	for (size_t i = 0; i < n; i++)
		if (!kind->equal(in + i * kind->extent, again + i * kind->extent))
			nfailed++;
	free(again);
	free(in);
	free(out);
}

static void check_scatter(
	const struct kind *kind, const MPI_Count *counts, MPI_Count block, bool in_place)
{
	size_t total = 0, first = 0;
	for (int r = 0; r < nrank; r++) {
		first = r == rank ? total : first;
		total += (size_t)(counts ? counts[r] : block);
	}
	const size_t own = (size_t)(counts ? counts[rank] : block);
	char *in = inputs(kind, total), *out = calloc(own + 1, kind->extent);
	struct ordo_mpi_call call =
		call_of(kind, counts ? ORDO_MPI_REDUCE_SCATTER : ORDO_MPI_REDUCE_SCATTER_BLOCK,
			block, in_place ? MPI_IN_PLACE : in, in_place ? in : out);
	call.counts = counts;
	check_code("Reduce_scatter", ordo_mpi_reduce(&call));
	expect(kind, "Reduce_scatter", in_place ? in : out, first, own);
	free(in);
	free(out);
}

static void check_fold(const struct kind *kind, size_t n)
{
	char *all = malloc((size_t)nrank * n * kind->extent + 1),
	     *out = malloc(n * kind->extent + 1);
	for (int r = 0; r < nrank; r++)
		for (size_t i = 0; i < n; i++)
			kind->make(all + ((size_t)r * n + i) * kind->extent, r, i);
	const struct ordo_mpi_call call =
		call_of(kind, ORDO_MPI_ALLREDUCE, (MPI_Count)n, NULL, NULL);
	check_code("fold", ordo_mpi_fold(&call, rank, nrank, all, (MPI_Count)n, (MPI_Count)n, out));
	expect(kind, "fold", out, 0, n);
	free(all);
	free(out);
}

/* Over virtual shards, of which ranks have whole subtrees or not. */
static void check_shards(const struct kind *kind, size_t n, int nshard)
{
	const int begin = (int)((long)rank * nshard / nrank),
		  own = (int)((rank + 1L) * nshard / nrank) - begin;
	char *in = malloc((size_t)own * n * kind->extent + 1), *out = calloc(n + 1, kind->extent);
	for (int s = 0; s < own; s++)
		for (size_t i = 0; i < n; i++)
			kind->make(in + ((size_t)s * n + i) * kind->extent, begin + s, i);
	struct ordo_mpi_call call = call_of(kind, ORDO_MPI_ALLREDUCE, (MPI_Count)n, in, out);
	call.nshard = nshard;
	check_code("shards", ordo_mpi_reduce(&call));
	expect_tree(kind, "a sum over shards", nshard, out, 0, n);
	free(in);
	free(out);
}

static void check_kind(const struct kind *kind)
{
	static const size_t counts[] = {0, 1, 5, 1000, 70000};
	MPI_Count uneven[16];
	for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
		for (int in_place = 0; in_place < 2; in_place++) {
			check_allreduce(kind, counts[c], in_place);
			for (int root = 0; root<nrank; root += nrank> 3 ? nrank - 1 : 1)
				check_reduce(kind, counts[c], root, in_place);
			check_scatter(kind, NULL, (MPI_Count)counts[c] / 3, in_place);
			for (int r = 0; r < nrank; r++)
				uneven[r] = r % 3 ? (MPI_Count)counts[c] / (r + 1) : 0;
			check_scatter(kind, uneven, 0, in_place);
			/* the last rank's result overlaps its input, if in place */
			for (int r = 0; r < nrank; r++)
				uneven[r] = r == nrank - 1 ? (MPI_Count)counts[c] : r == 0;
			check_scatter(kind, uneven, 0, in_place);
		}
		check_fold(kind, counts[c]);
		if (counts[c] <= 5000)
			check_shards(kind, counts[c], 2 * nrank);
		check_shards(kind, counts[c] / 7, 3 * nrank - 1);
	}
}

/* The report lists every plan that was used, also those without a proof at this size. */
static void check_report(bool is_generated)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	ordo_mpi_plans_print(out);
	fclose(out);
	const bool lists = strstr(text, "AllReduce, long") &&
			   !strstr(text, "generated for each rank") == !is_generated;
	if (!lists && nrank > 1) {
		fprintf(stderr, "the report has: %s\n", text);
		nfailed++;
	}
	free(text);
}

int main(int argc, char **argv)
{
	MPI_Datatype fields, pair;
	MPI_Op sum;
	PMPI_Init(&argc, &argv);
	ordo_mpi_wants_window = argc < 2; /* else by messages */
	if (argc > 2)			  /* generated, or made by rank 0 for all */
		ordo_mpi_most_compiled = ordo_mpi_most_alone = 1;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &nrank);
	PMPI_Type_create_struct(2, (int[]){1, 1},
		(MPI_Aint[]){offsetof(struct pair, sum), offsetof(struct pair, product)},
		(MPI_Datatype[]){MPI_FLOAT, MPI_DOUBLE}, &fields);
	PMPI_Type_create_resized(fields, 0, sizeof(struct pair), &pair);
	PMPI_Type_commit(&pair);
	PMPI_Op_create(sum_pairs, 1, &sum);
	const struct kind kinds[] = {
		{"float", MPI_FLOAT, MPI_SUM, sizeof(float), make_float, add_float, equal_float},
		{"double", MPI_DOUBLE, MPI_SUM, sizeof(double), make_double, add_double,
			equal_double},
		{"complex", MPI_C_FLOAT_COMPLEX, MPI_SUM, sizeof(float complex), make_complex,
			add_complex, equal_complex},
		{"double complex", MPI_C_DOUBLE_COMPLEX, MPI_SUM, sizeof(double complex),
			make_dcomplex, add_dcomplex, equal_dcomplex},
		{"long double", MPI_LONG_DOUBLE, MPI_SUM, sizeof(long double), make_long_double,
			add_long_double, equal_long_double},
		{"pair", pair, sum, sizeof(struct pair), make_pair, add_pair, equal_pair},
		{"least float", MPI_FLOAT, MPI_MIN, sizeof(float), make_float, add_least,
			equal_value}};
	for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
		check_kind(&kinds[k]);
	if (!ordo_mpi_wants_window)
		check_report(ordo_mpi_most_compiled == 1);
	PMPI_Allreduce(MPI_IN_PLACE, &nfailed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	PMPI_Op_free(&sum);
	PMPI_Type_free(&fields);
	PMPI_Type_free(&pair);
	PMPI_Finalize();
	return nfailed != 0;
}
