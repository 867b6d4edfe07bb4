/* reductions.c DRIVER KIND... - a program of MPI whose vectors are in memory of CUDA, by the driver
 * of that name. It prints for every kind of memory and every function which order the sums have:
 * the dyadic, or the ranks' own, in which its MPI adds. Its MPI reads memory of devices, which
 * Debian's does not: the functions that reduce are defined here, under their PMPI names.
 * Exits with 77 without the driver or a device. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include "cuda.h"
#include "dyadic.h"
#include <dlfcn.h>
#pragma GCC visibility push(default) /* the library is to find what is defined here */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined OPEN_MPI && MPI_VERSION < 4
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name##_init
#define OWN_PERSISTENT(name) PMPIX_##name##_init
#else
#define PERSISTENT(name) MPI_##name##_init
#define OWN_PERSISTENT(name) PMPI_##name##_init
#endif
#pragma GCC visibility pop

/* Floats: as many as a page holds, and some megabytes. */
enum { SHORT = 960, LONG = 500 * SHORT, STEP = 97, SKIPPED = 77 };

/* MPI that reads memory of devices. */

static size_t extent_of(MPI_Datatype datatype)
{
	MPI_Aint low, extent;
	PMPI_Type_get_extent(datatype, &low, &extent);
	return (size_t)extent;
}

static void *reserve(size_t bytes)
{
	void *memory = malloc(bytes + 1);
	if (!memory)
		MPI_Abort(MPI_COMM_WORLD, 1);
	return memory;
}

/* Adds the vectors of all ranks in their order; n elements, of which those from `first` on are
 * copied to receive. */
static int add(const void *send, void *receive, int n, int first, int nown, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm)
{
	int nrank, code;
	PMPI_Comm_size(comm, &nrank);
	const size_t extent = extent_of(datatype), bytes = (size_t)n * extent;
	char *own = reserve(bytes), *all = reserve(bytes * (size_t)nrank);
	cuda_copy(own, send == MPI_IN_PLACE ? receive : send, bytes);
	code = PMPI_Allgather(own, n, datatype, all, n, datatype, comm);
	for (int r = 1; code == MPI_SUCCESS && r < nrank; r++)
		code = PMPI_Reduce_local(
			all + bytes * (size_t)(r - 1), all + bytes * (size_t)r, n, datatype, op);
	cuda_copy(receive, all + bytes * (size_t)(nrank - 1) + (size_t)first * extent,
		(size_t)nown * extent);
	free(own);
	free(all);
	return code;
}

int PMPI_Allreduce(
	const void *send, void *receive, int n, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return add(send, receive, n, 0, n, datatype, op, comm);
}

int PMPI_Reduce(const void *send, void *receive, int n, MPI_Datatype datatype, MPI_Op op, int root,
	MPI_Comm comm)
{
	int rank;
	PMPI_Comm_rank(comm, &rank);
	return add(send, receive, n, 0, rank == root ? n : 0, datatype, op, comm);
}

int PMPI_Reduce_scatter(const void *send, void *receive, const int counts[], MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm)
{
	int rank, nrank, n = 0, first = 0;
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &nrank);
	for (int r = 0; r < nrank; r++) {
		first += r < rank ? counts[r] : 0;
		n += counts[r];
	}
	return add(send, receive, n, first, counts[rank], datatype, op, comm);
}

int PMPI_Reduce_scatter_block(
	const void *send, void *receive, int n, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	int rank, nrank;
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &nrank);
	return add(send, receive, n * nrank, n * rank, n, datatype, op, comm);
}

/* It is complete at once, as MPI allows. */
int PMPI_Iallreduce(const void *send, void *receive, int n, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Request *request)
{
	const int code = add(send, receive, n, 0, n, datatype, op, comm);
	return code != MPI_SUCCESS ? code
				   : PMPI_Isend(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request);
}

/* One at a time: a message to nobody, whose start adds. */
static struct {
	const void *send;
	void *receive;
	int n;
	MPI_Datatype datatype;
	MPI_Op op;
	MPI_Comm comm;
	MPI_Request request;
} persistent;

int OWN_PERSISTENT(Allreduce)(const void *send, void *receive, int n, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	(void)info;
	const int code = PMPI_Send_init(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, comm, request);
	persistent.send = send;
	persistent.receive = receive;
	persistent.n = n;
	persistent.datatype = datatype;
	persistent.op = op;
	persistent.comm = comm;
	persistent.request = *request;
	return code;
}

int PMPI_Start(MPI_Request *request)
{
	static int (*next)(MPI_Request *);
	if (!next) {
		void *found = dlsym(RTLD_NEXT, "PMPI_Start");
		memcpy(&next, &found, sizeof found);
	}
	if (persistent.n && *request == persistent.request)
		add(persistent.send, persistent.receive, persistent.n, 0, persistent.n,
			persistent.datatype, persistent.op, persistent.comm);
	return next(request);
}

/* The program. */

static int rank, nrank;
static enum kind own_kind; /* of this rank's vectors */
static int is_left;	   /* its thread has no device when it reduces */
static int n;
static float *host, *in, *out;

static float by_rank(int i)
{
	float sum = value(0, i % SHORT, 0);
	for (int r = 1; r < nrank; r++)
		sum += value(r, i % SHORT, 0);
	return sum;
}

/* Elements [first, first + number) of the result, in `out` on this rank; the rest has not changed
 * if that is none. */
static void judge(const char *kind, const char *function, int first, int number)
{
	int own[2] = {1, 1}, all[2];
	cuda_copy(host, out, (size_t)n * sizeof *out);
	for (int i = 0; i < number; i += n == LONG ? STEP : 1) {
		own[0] &= host[i] == tree(0, nrank, (first + i) % SHORT, 0);
		own[1] &= host[i] == by_rank(first + i);
	}
	PMPI_Allreduce(own, all, 2, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (!rank)
		printf("%s, %s of %d: %s\n", kind, function, n,
			all[0] && all[1] ? "right"
			: all[0]	 ? "dyadic"
			: all[1]	 ? "by rank"
					 : "wrong");
}

static void set(float *vector)
{
	for (int i = 0; i < n; i++)
		host[i] = value(rank, i % SHORT, 0);
	cuda_copy(vector, host, (size_t)n * sizeof *vector);
}

/* Before every call. */
static void prepare(void)
{
	memset(host, 0, (size_t)n * sizeof *host);
	cuda_copy(out, host, (size_t)n * sizeof *out);
	set(in);
	if (is_left)
		cuda_leave();
}

static void reduce(const char *kind)
{
	prepare();
	MPI_Allreduce(in, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	judge(kind, "MPI_Allreduce", 0, n);
	prepare();
	set(out);
	MPI_Allreduce(MPI_IN_PLACE, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	judge(kind, "MPI_Allreduce in place", 0, n);
	prepare();
	MPI_Reduce(in, out, n, MPI_FLOAT, MPI_SUM, nrank - 1, MPI_COMM_WORLD);
	judge(kind, "MPI_Reduce", 0, rank == nrank - 1 ? n : 0);
}

static void scatter(const char *kind)
{
	int counts[64], first = 0;
	for (int r = 0; r < nrank; r++)
		counts[r] = n / (2 * nrank);
	counts[nrank - 1] = n - n / (2 * nrank) * (nrank - 1);
	for (int r = 0; r < rank; r++)
		first += counts[r];
	prepare();
	MPI_Reduce_scatter(in, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	judge(kind, "MPI_Reduce_scatter", first, counts[rank]);
	prepare();
	MPI_Reduce_scatter_block(in, out, n / nrank, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	judge(kind, "MPI_Reduce_scatter_block", n / nrank * rank, n / nrank);
}

static void reduce_later(const char *kind)
{
	MPI_Request request;
	prepare();
	MPI_Iallreduce(in, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	judge(kind, "MPI_Iallreduce", 0, n);
}

static void reduce_again(const char *kind)
{
	MPI_Request request;
	prepare();
	PERSISTENT(Allreduce)
	(in, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
	for (int time = 0; time < 2; time++) {
		prepare();
		MPI_Start(&request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		judge(kind, "MPI_Allreduce_init", 0, n);
	}
	MPI_Request_free(&request);
}

/* What is passed on whatever its memory is: integers, and one rank. */
static void reduce_exactly(const char *kind)
{
	int own = 1, all;
	unsigned bits, wanted, one;
	prepare();
	MPI_Allreduce(in, out, n, MPI_UNSIGNED, MPI_BXOR, MPI_COMM_WORLD);
	cuda_copy(host, out, (size_t)n * sizeof *out);
	for (int i = 0; i < n; i += STEP) {
		memcpy(&bits, &host[i], sizeof bits);
		wanted = 0;
		for (int r = 0; r < nrank; r++) {
			const float of_rank = value(r, i % SHORT, 0);
			memcpy(&one, &of_rank, sizeof one);
			wanted ^= one;
		}
		own &= bits == wanted;
	}
	prepare();
	MPI_Allreduce(in, out, n, MPI_FLOAT, MPI_SUM, MPI_COMM_SELF);
	cuda_copy(host, out, (size_t)n * sizeof *out);
	for (int i = 0; i < n; i += STEP)
		own &= host[i] == value(rank, i % SHORT, 0);
	PMPI_Allreduce(&own, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (!all && !rank)
		printf("%s: integers, or the sum of one rank, are wrong\n", kind);
}

/* false: there is no such kind. `some`: of a device on the last rank; `left`: see above. */
static int use(const char *kind)
{
	static const struct {
		const char *name;
		enum kind kind;
	} kinds[] = {{"plain", PLAIN}, {"device", DEVICE}, {"left", DEVICE}, {"pool", POOL},
		{"managed", MANAGED}, {"pinned", PINNED}, {"registered", REGISTERED}};
	const int is_some = !strcmp(kind, "some");
	is_left = !strcmp(kind, "left");
	own_kind = rank == nrank - 1 ? DEVICE : PLAIN;
	for (size_t i = 0; !is_some; i++) {
		if (i == sizeof kinds / sizeof *kinds)
			return 0;
		own_kind = kinds[i].kind;
		if (!strcmp(kind, kinds[i].name))
			break;
	}
	for (n = SHORT; n <= LONG; n *= LONG / SHORT) {
		in = cuda_allocate(own_kind, (size_t)n * sizeof *in);
		out = cuda_allocate(own_kind, (size_t)n * sizeof *out);
		reduce(kind);
		scatter(kind);
		if (!is_some)
			reduce_later(kind);
		reduce_again(kind);
		reduce_exactly(kind);
		cuda_free(own_kind, in);
		cuda_free(own_kind, out);
	}
	return 1;
}

int main(int argc, char **argv)
{
	char why[400] = "";
	int own, has_device, code = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	host = reserve(LONG * sizeof *host);
	own = argc > 1 && cuda_open(argv[1], why, sizeof why);
	PMPI_Allreduce(&own, &has_device, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
	if (!own)
		printf("skipped: %s\n", why);
	for (int i = 2; has_device && !code && i < argc; i++)
		code = !use(argv[i]);
	free(host);
	fflush(stdout);
	MPI_Finalize();
	return has_device ? code : SKIPPED;
}
