/* device.c - a program of MPI that loads CUDA's driver or HIP (a stub, its argument) after its
 * first reduction, and then reduces vectors of which one is in memory of a device; with a second
 * argument, on the last rank alone: `blocking`, by calls that block, `some`, also by one that does
 * not. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { N = 100, LONG = 20000, DEVICE = 1, MANAGED = 2 };
typedef void mark_function(const void *memory, size_t bytes, int kind);
typedef int error_function(void);

static double in[N], out[N], long_in[LONG], long_out[LONG];

static void *find(void *stub, const char *name)
{
	void *object = stub ? dlsym(stub, name) : NULL;
	if (!object)
		fprintf(stderr, "%s\n", dlerror());
	return object;
}

static void reduce(void)
{
	MPI_Allreduce(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

static void reduce_to_zero(void)
{
	MPI_Reduce(in, out, N, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
}

static void expect(const char *what, const double *at, int first, int n, int nrank)
{
	for (int i = 0; i < n; i++)
		if (at[i] != (double)(first + i) * nrank) {
			printf("%s: element %d is %g\n", what, i, at[i]);
			return;
		}
	printf("%s: right\n", what);
}

static void reduce_long(const char *what, int nrank)
{
	memset(long_out, 0, sizeof long_out);
	MPI_Allreduce(long_in, long_out, LONG, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	expect(what, long_out, 0, LONG, nrank);
}

static void add(void *left, void *right, int *n, MPI_Datatype *datatype)
{
	const double *a = left;
	double *b = right;
	(void)datatype;
	for (int i = 0; i < *n; i++)
		b[i] += a[i];
}

/* By the program's operation, and at the first reduction of a communicator. */
static void reduce_otherwise(int nrank)
{
	MPI_Op op;
	MPI_Comm other;
	MPI_Op_create(add, 1, &op);
	memset(out, 0, sizeof out);
	MPI_Allreduce(in, out, N, MPI_DOUBLE, op, MPI_COMM_WORLD);
	expect("the program's operation", out, 0, N, nrank);
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	memset(out, 0, sizeof out);
	MPI_Allreduce(in, out, N, MPI_DOUBLE, MPI_SUM, other);
	expect("first", out, 0, N, nrank);
	MPI_Comm_free(&other);
	MPI_Op_free(&op);
}

/* Some of these are of the last rank's memory of a device. */
static int block_on_one(mark_function *mark, int rank, int nrank)
{
	const int is_last = rank == nrank - 1;
	for (int i = 0; i < N; i++)
		in[i] = i;
	for (int i = 0; i < LONG; i++)
		long_in[i] = i;
	for (int i = 0; i < 3; i++) {
		memset(out, 0, sizeof out);
		reduce();
		expect("short", out, 0, N, nrank);
	}
	if (is_last)
		mark(long_in, sizeof long_in, DEVICE);
	reduce_long("long", nrank); /* there is no memory for these yet */
	if (is_last)
		mark(in, sizeof in, DEVICE);
	reduce_long("long, taken", nrank);
	if (is_last)
		mark(long_in, sizeof long_in, DEVICE);
	reduce_long("long, passed on", nrank);
	if (is_last)
		mark(in, sizeof in, DEVICE);
	MPI_Reduce_scatter_block(in, out, N / nrank, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	expect("blocks", out, rank * (N / nrank), N / nrank, nrank);
	reduce_to_zero();
	if (!rank)
		expect("to one", out, 0, N, nrank);
	reduce_otherwise(nrank);
	fflush(stdout);
	MPI_Finalize();
	return 0;
}

static int reduce_on_one(void)
{
	MPI_Request request;
	int nrank;
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	for (int i = 0; i < N; i++)
		in[i] = i;
	reduce();
	double sum = 0;
	for (int i = 0; i < N; i++)
		sum += out[i] / nrank;
	printf("sum %g\n", sum);
	int code = MPI_Iallreduce(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	if (code == MPI_SUCCESS)
		code = MPI_Wait(&request, MPI_STATUS_IGNORE);
	printf("nonblocking: %s\n", code == MPI_SUCCESS ? "success" : "error");
	fflush(stdout);
	MPI_Finalize();
	return 0;
}

int main(int argc, char **argv)
{
	int rank, nrank;
	union {
		void *object;
		mark_function *mark;
		error_function *error;
	} mark, error;
	MPI_Init(&argc, &argv);
	reduce(); /* taken */
	void *stub = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
	mark.object = find(stub, "stub_mark");
	error.object = find(stub, "stub_error");
	if (!mark.object || !error.object)
		return 1;
	reduce(); /* taken */
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	if (argc < 3 || rank == nrank - 1)
		mark.mark(in, sizeof in, DEVICE);
	if (argc > 2)
		return strcmp(argv[2], "blocking") ? reduce_on_one()
						   : block_on_one(mark.mark, rank, nrank);
	reduce(); /* passed on */
	reduce_to_zero();
	mark.mark(out, sizeof out, DEVICE);
	reduce(); /* passed on */
	MPI_Allreduce(MPI_IN_PLACE, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	mark.mark(out, sizeof out, MANAGED);
	reduce(); /* taken */
	printf("error %d\n", error.error());
	MPI_Finalize();
	return 0;
}
