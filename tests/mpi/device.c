/* device.c - a program of MPI that loads CUDA's driver or HIP (a stub, its argument) after its
 * first reduction, and then reduces vectors of which one is in memory of a device; with a second
 * argument, on the last rank alone. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

enum { N = 100, DEVICE = 1, MANAGED = 2 };
typedef void mark_function(const void *memory, size_t bytes, int kind);
typedef int error_function(void);

static double in[N], out[N];

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
	printf("I-form: %s\n", code == MPI_SUCCESS ? "success" : "error");
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
		return reduce_on_one();
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
