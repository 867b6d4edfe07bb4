/* program.c - a program of MPI that knows nothing of us: prints a hash of the bits of every
 * reduction it makes, and calls each in several ways. Its inputs are those of test_programs.py. */
#include <complex.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 600 };

static int rank, nrank;

/* Small integers over powers of two, exact in both languages; the sums are not. */
static double value(int r, int i)
{
	const int a = (i * 7919 + r * 104729) % 1000003;
	return a * (i % 3 == 0 ? 16384.0 : i % 3 == 1 ? 1.0 / 1024 : 1.0) / (r % 2 ? 3 : 7);
}

static uint64_t hash(const void *data, size_t bytes)
{
	const unsigned char *at = data;
	uint64_t h = UINT64_C(1469598103934665603);
	for (size_t i = 0; i < bytes; i++)
		h = (h ^ at[i]) * UINT64_C(1099511628211);
	return h;
}

static void print(const char *name, int writes, const void *data, size_t bytes)
{
	if (writes)
		printf("%s %016llx\n", name, (unsigned long long)hash(data, bytes));
	fflush(stdout);
}

/* All on one communicator. */
static void reduce_floats(MPI_Comm comm, const char *where)
{
	float in[N], out[N];
	int r, n, writes;
	char name[64];
	MPI_Comm_rank(comm, &r);
	MPI_Comm_size(comm, &n);
	for (int i = 0; i < N; i++)
		in[i] = (float)value(r, i);
	writes = rank == 0;
	MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_SUM, comm);
	snprintf(name, sizeof name, "%s-allreduce", where);
	print(name, writes, out, sizeof out);
	memcpy(out, in, sizeof out);
	MPI_Allreduce(MPI_IN_PLACE, out, N, MPI_FLOAT, MPI_SUM, comm);
	snprintf(name, sizeof name, "%s-in-place", where);
	print(name, writes, out, sizeof out);
	for (int root = 0; root < n; root++) {
		memset(out, 0, sizeof out);
		MPI_Reduce(in, out, N, MPI_FLOAT, MPI_SUM, root, comm);
		if (root) { /* to where it is printed */
			if (r == root)
				MPI_Send(out, N, MPI_FLOAT, 0, 1, comm);
			if (r == 0)
				MPI_Recv(out, N, MPI_FLOAT, root, 1, comm, MPI_STATUS_IGNORE);
		}
		snprintf(name, sizeof name, "%s-reduce-%d", where, root);
		print(name, writes, out, sizeof out);
	}
}

static void reduce_types(void)
{
	double in[N], out[N];
	double complex z[N], sum[N];
	long double l[N], all[N];
	for (int i = 0; i < N; i++) {
		in[i] = value(rank, i) / 11;
		const double parts[] = {value(rank, i) / 11, value(rank, i + 1)};
		memcpy(&z[i], parts, sizeof z[i]); /* CMPLX is not in every compiler's header */
		l[i] = (long double)value(rank, i) / 11;
	}
	MPI_Allreduce(in, out, N, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	print("double", !rank, out, sizeof out);
	MPI_Allreduce(z, sum, N, MPI_C_DOUBLE_COMPLEX, MPI_SUM, MPI_COMM_WORLD);
	print("complex", !rank, sum, sizeof sum);
	MPI_Allreduce(in, out, N, MPI_DOUBLE, MPI_PROD, MPI_COMM_WORLD);
	print("product", !rank, out, sizeof out);
	memset(all, 0, sizeof all);
	MPI_Allreduce(l, all, N, MPI_LONG_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	for (int i = 0; i < N; i++)
		out[i] = (double)all[i];
	print("long-double", !rank, out, sizeof out);
	for (int i = 0; i < N; i += 97) { /* an element alone is as it is among others */
		double alone;
		MPI_Allreduce(&in[i], &alone, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		print("alone", !rank, &alone, sizeof alone);
	}
}

static void scatter(void)
{
	float in[N], out[N], whole[N];
	int counts[64], places[64], total = 0;
	for (int r = 0; r < nrank; r++) {
		counts[r] = r == nrank - 1 ? N - total : r % 2 ? 0 : N / nrank;
		places[r] = total;
		total += counts[r];
	}
	for (int i = 0; i < N; i++)
		in[i] = (float)value(rank, i);
	MPI_Reduce_scatter(in, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Gatherv(
		out, counts[rank], MPI_FLOAT, whole, counts, places, MPI_FLOAT, 0, MPI_COMM_WORLD);
	print("reduce-scatter", !rank, whole, sizeof whole);
	const int block = N / nrank;
	MPI_Reduce_scatter_block(in, out, block, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	MPI_Gather(out, block, MPI_FLOAT, whole, block, MPI_FLOAT, 0, MPI_COMM_WORLD);
	print("reduce-scatter-block", !rank, whole, (size_t)block * (size_t)nrank * sizeof *whole);
}

int main(int argc, char **argv)
{
	MPI_Comm other;
	int sum, wanted = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	reduce_floats(MPI_COMM_WORLD, "world");
	MPI_Comm_dup(MPI_COMM_WORLD, &other);
	reduce_floats(other, "dup");
	MPI_Comm_free(&other);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &other); /* in the opposite order */
	float one = (float)value(rank, 1), all;
	MPI_Allreduce(&one, &all, 1, MPI_FLOAT, MPI_SUM, other);
	print("split", !rank, &all, sizeof all);
	MPI_Comm_free(&other);
	reduce_types();
	scatter();
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	for (int r = 0; r < nrank; r++)
		wanted += r;
	MPI_Finalize();
	return sum != wanted;
}
