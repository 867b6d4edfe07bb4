/* requests.c - a program of MPI that knows nothing of us, and whose reductions do not block. It
 * compares them with the dyadic tree, which it evaluates by itself from the inputs of all ranks,
 * and prints what differs; its exit status is 1 then. */
#include "dyadic.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined OPEN_MPI && MPI_VERSION < 4
#include <mpi-ext.h>
#define PERSISTENT(name) MPIX_##name##_init
#else
#define PERSISTENT(name) MPI_##name##_init
#endif

enum { N = 240, NWAY = 9 };

static int rank, nrank, nfailed;
static MPI_Status ignored[32]; /* gcc takes MPICH's MPI_STATUSES_IGNORE for an empty array */
static int salt;	       /* other inputs in every round */

static void expect(const char *what, int way, const float *out, int first, int n)
{
	for (int i = 0; i < n; i++)
		if (out[i] != tree(0, nrank, first + i, salt)) {
			printf("%s, completed in way %d, root or kind %d: element %d of rank %d "
			       "differs\n",
				what, way % 16, way / 16, first + i, rank);
			nfailed++;
			return;
		}
}

static void expect_true(const char *what, int truth)
{
	if (truth)
		return;
	printf("%s: wrong on rank %d\n", what, rank);
	nfailed++;
}

/* Completes a request in one of the ways that MPI has, among others that are complete or null. */
static void complete(MPI_Request *request, int way)
{
	MPI_Request all[3] = {MPI_REQUEST_NULL, *request, MPI_REQUEST_NULL};
	MPI_Status statuses[3];
	int flag = 0, index = 0, indices[3], n = 0;
	switch (way) {
	case 0:
		MPI_Wait(&all[1], MPI_STATUS_IGNORE);
		break;
	case 1:
		while (!flag)
			MPI_Test(&all[1], &flag, &statuses[0]);
		break;
	case 2:
		MPI_Waitall(3, all, ignored);
		break;
	case 3:
		while (!flag)
			MPI_Testall(3, all, &flag, statuses);
		break;
	case 4:
		MPI_Waitany(3, all, &index, &statuses[0]);
		expect_true("the index of Waitany", index == 1);
		break;
	case 5:
		while (!flag)
			MPI_Testany(3, all, &index, &flag, &statuses[0]);
		expect_true("the index of Testany", index == 1);
		break;
	case 6:
		MPI_Waitsome(3, all, &n, indices, statuses);
		expect_true("the index of Waitsome", n == 1 && indices[0] == 1);
		break;
	case 7:
		while (n == 0)
			MPI_Testsome(3, all, &n, indices, statuses);
		expect_true("the index of Testsome", n == 1 && indices[0] == 1);
		break;
	default:
		while (!flag)
			MPI_Request_get_status(all[1], &flag, &statuses[0]);
		break; /* the request is still to be freed */
	}
	*request = all[1];
}

static void make(float *in)
{
	for (int i = 0; i < N; i++)
		in[i] = value(rank, i, salt);
}

/* One reduction of each kind, begun and completed. */
static void check_way(int way, int in_place)
{
	float in[N] = {0}, out[N];
	MPI_Request request;
	int counts[64], first = 0;
	const void *send = in_place ? MPI_IN_PLACE : in;
	make(in);
	make(out);
	MPI_Iallreduce(send, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	complete(&request, way);
	expect("Iallreduce", way, out, 0, N);
	if (way == NWAY - 1)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_true("a request after its completion", request == MPI_REQUEST_NULL);
	expect("Iallreduce, once more", way, out, 0, N);
	for (int root = 0; root < nrank; root++) {
		make(out);
		MPI_Ireduce(in_place && rank == root ? MPI_IN_PLACE : in, rank == root ? out : NULL,
			N, MPI_FLOAT, MPI_SUM, root, MPI_COMM_WORLD, &request);
		complete(&request, way);
		if (rank == root)
			expect("Ireduce", way + 16 * root, out, 0, N);
		if (way == NWAY - 1)
			MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	make(out);
	MPI_Ireduce_scatter_block(
		send, out, N / nrank, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	complete(&request, way);
	expect("Ireduce_scatter_block", way, out, rank * (N / nrank), N / nrank);
	if (way == NWAY - 1)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	for (int r = 0; r < nrank; r++) {
		counts[r] = r % 3 == 1 ? 0 : N / nrank - r;
		first += r < rank ? counts[r] : 0;
	}
	make(out);
	MPI_Ireduce_scatter(send, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	complete(&request, way);
	expect("Ireduce_scatter", way, out, first, rank % 3 == 1 ? 0 : N / nrank - rank);
	if (way == NWAY - 1)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Several at once, completed out of order, with messages between them. */
static void check_many(void)
{
	enum { K = 20 };
	static float in[K][N], out[K][N];
	MPI_Request all[K + 2];
	int left = K + 2, to = (rank + 1) % nrank, from = (rank + nrank - 1) % nrank, got = -1;
	for (int k = 0; k < K; k++) {
		make(in[k]);
		MPI_Iallreduce(
			in[k], out[k], N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &all[K - 1 - k]);
	}
	MPI_Irecv(&got, 1, MPI_INT, from, 5, MPI_COMM_WORLD, &all[K]);
	MPI_Isend(&rank, 1, MPI_INT, to, 5, MPI_COMM_WORLD, &all[K + 1]);
	while (left > 0) {
		int n, done[K + 2];
		MPI_Waitsome(K + 2, all, &n, done, ignored);
		left -= n;
		for (int i = 0; i < n; i++)
			if (done[i] < K)
				expect("one of many", 0, out[K - 1 - done[i]], 0, N);
	}
	expect_true("a message among reductions", got == from);
}

/* Rank 0 waits for a message of a rank that begins its reduction only afterwards. */
static void check_progress(void)
{
	float in[N] = {0}, out[N];
	MPI_Request request;
	int token = 7;
	make(in);
	if (rank == 0) {
		MPI_Comm other;
		MPI_Iallreduce(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
		MPI_Recv(&token, 1, MPI_INT, nrank - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Comm_dup(MPI_COMM_SELF, &other);
		MPI_Comm_free(&other);
	} else {
		if (rank == nrank - 1)
			MPI_Ssend(&token, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
		MPI_Iallreduce(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	}
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect("Iallreduce before a Recv", 0, out, 0, N);
	/* and where the other one waits first */
	make(in);
	if (rank == 0) {
		MPI_Iallreduce(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
		MPI_Recv(&token, 1, MPI_INT, nrank - 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Iallreduce(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		if (rank == nrank - 1)
			MPI_Ssend(&token, 1, MPI_INT, 0, 6, MPI_COMM_WORLD);
	}
	expect("Iallreduce of one that waits first", 0, out, 0, N);
}

static void add(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
	(void)datatype;
	for (int i = 0; i < 2 * *n; i++)
		((float *)inout)[i] = ((float *)inout)[i] + ((float *)in)[i];
}

/* The program may free all that a reduction uses before it is complete. */
static void check_freed(void)
{
	float in[N] = {0}, out[N];
	MPI_Request requests[2];
	MPI_Datatype pair;
	MPI_Comm comm;
	MPI_Op op;
	float more[N];
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Type_contiguous(2, MPI_FLOAT, &pair);
	MPI_Type_commit(&pair);
	MPI_Op_create(add, 1, &op);
	make(in);
	MPI_Iallreduce(in, out, N / 2, pair, op, comm, &requests[0]);
	MPI_Iallreduce(in, more, N / 2, pair, op, comm, &requests[1]);
	MPI_Op_free(&op);
	MPI_Type_free(&pair);
	MPI_Comm_free(&comm);
	expect_true("handles after they are freed", op == MPI_OP_NULL && pair == MPI_DATATYPE_NULL);
	MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
	MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
	expect("pairs", 0, out, 0, N);
	expect("more pairs", 0, more, 0, N);
}

/* A matrix by columns, whose elements lie between those of the other columns: the extent of a
 * column is that of one float. */
enum { ROWS = 256, COLUMNS = 60 };
static float matrix[ROWS * COLUMNS], sums[ROWS * COLUMNS];

static void add_columns(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
	(void)datatype;
	for (int row = 0; row < ROWS; row++)
		for (int i = 0; i < *n; i++) {
			float *to = (float *)inout + row * COLUMNS + i;
			*to = *to + ((const float *)in)[row * COLUMNS + i];
		}
}

static void make_columns(void)
{
	memset(sums, 0, sizeof sums);
	for (int i = 0; i < ROWS * COLUMNS; i++)
		matrix[i] = value(rank, i, salt);
}

/* The first columns of sums are those from `first` on. */
static void expect_columns(const char *what, int first, int n)
{
	for (int i = 0; i < ROWS * n; i++) {
		const int row = i / n, column = i % n;
		if (sums[row * COLUMNS + column] ==
			tree(0, nrank, row * COLUMNS + first + column, salt))
			continue;
		printf("%s of columns: row %d, column %d of rank %d differs\n", what, row,
			first + column, rank);
		nfailed++;
		return;
	}
}

static void check_columns(void)
{
	const int block = COLUMNS / nrank;
	int counts[64];
	MPI_Datatype apart, column;
	MPI_Request request;
	MPI_Op op;
	MPI_Type_vector(ROWS, 1, COLUMNS, MPI_FLOAT, &apart);
	MPI_Type_create_resized(apart, 0, sizeof(float), &column);
	MPI_Type_commit(&column);
	MPI_Op_create(add_columns, 1, &op);
	for (int r = 0; r < nrank; r++)
		counts[r] = block;
	make_columns();
	MPI_Allreduce(matrix, sums, COLUMNS, column, op, MPI_COMM_WORLD);
	expect_columns("Allreduce", 0, COLUMNS);
	make_columns();
	MPI_Allreduce(matrix, sums, 3, column, op, MPI_COMM_WORLD);
	expect_columns("short Allreduce", 0, 3);
	make_columns();
	MPI_Reduce(matrix, sums, COLUMNS, column, op, nrank - 1, MPI_COMM_WORLD);
	if (rank == nrank - 1)
		expect_columns("Reduce", 0, COLUMNS);
	make_columns();
	MPI_Reduce_scatter(matrix, sums, counts, column, op, MPI_COMM_WORLD);
	expect_columns("Reduce_scatter", rank * block, block);
	make_columns();
	MPI_Iallreduce(matrix, sums, COLUMNS, column, op, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_columns("Iallreduce", 0, COLUMNS);
	make_columns();
	MPI_Ireduce(matrix, sums, COLUMNS, column, op, 0, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (!rank)
		expect_columns("Ireduce", 0, COLUMNS);
	make_columns();
	MPI_Ireduce_scatter_block(matrix, sums, block, column, op, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_columns("Ireduce_scatter_block", rank * block, block);
	make_columns();
	MPI_Ireduce_scatter(matrix, sums, counts, column, op, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	expect_columns("Ireduce_scatter", rank * block, block);
	MPI_Op_free(&op);
	MPI_Type_free(&column);
	MPI_Type_free(&apart);
}

/* Columns on rank 0, which reach beyond their extent; elsewhere the same elements one after
 * another. Only the operation tells them apart. */
static void add_either(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
	MPI_Aint low, extent;
	MPI_Type_get_extent(*datatype, &low, &extent);
	const int is_column = extent == (MPI_Aint)sizeof(float), step = is_column ? COLUMNS : 1;
	for (int i = 0; i < *n; i++)
		for (int row = 0; row < ROWS; row++) {
			const int at = row * step + i * (is_column ? 1 : ROWS);
			float *to = (float *)inout + at;
			*to = *to + ((const float *)in)[at];
		}
}

static void check_columns_of_one_rank(void)
{
	MPI_Datatype apart, column, other;
	MPI_Request request;
	MPI_Op op;
	MPI_Type_vector(ROWS, 1, COLUMNS, MPI_FLOAT, &apart);
	MPI_Type_create_resized(apart, 0, sizeof(float), &column);
	MPI_Type_contiguous(ROWS, MPI_FLOAT, &other);
	MPI_Type_commit(&column);
	MPI_Type_commit(&other);
	MPI_Op_create(add_either, 1, &op);
	for (int blocking = 0; blocking < 2; blocking++) {
		int ndiffer = 0;
		make_columns();
		for (int i = 0; i < ROWS * COLUMNS && rank; i++) /* transposed */
			matrix[i] = value(rank, i % ROWS * COLUMNS + i / ROWS, salt);
		if (blocking)
			MPI_Allreduce(
				matrix, sums, COLUMNS, rank ? other : column, op, MPI_COMM_WORLD);
		else {
			MPI_Iallreduce(matrix, sums, COLUMNS, rank ? other : column, op,
				MPI_COMM_WORLD, &request);
			MPI_Wait(&request, MPI_STATUS_IGNORE);
		}
		for (int i = 0; i < ROWS * COLUMNS; i++) {
			const int place = rank ? i % ROWS * COLUMNS + i / ROWS : i;
			ndiffer += sums[i] != tree(0, nrank, place, salt);
		}
		expect_true("columns of one rank", !ndiffer);
	}
	MPI_Op_free(&op);
	MPI_Type_free(&column);
	MPI_Type_free(&other);
	MPI_Type_free(&apart);
}

/* A long vector whose elements have gaps on rank 0 alone. */
enum { LONG = 240000, GAP = 4 };
static float spaced[LONG * GAP], spaced_sums[LONG * GAP];

static void add_spaced(void *in, void *inout, int *n, MPI_Datatype *datatype)
{
	MPI_Aint low, extent;
	MPI_Type_get_extent(*datatype, &low, &extent);
	const size_t step = (size_t)extent / sizeof(float);
	for (size_t i = 0; i < (size_t)*n * step; i += step)
		((float *)inout)[i] = ((float *)inout)[i] + ((const float *)in)[i];
}

static void check_long_with_gaps(void)
{
	MPI_Datatype datatype;
	MPI_Op op;
	const int step = rank ? 1 : GAP;
	int ndiffer = 0;
	MPI_Type_create_resized(MPI_FLOAT, 0, step * (MPI_Aint)sizeof(float), &datatype);
	MPI_Type_commit(&datatype);
	MPI_Op_create(add_spaced, 1, &op);
	for (int i = 0; i < LONG; i++)
		spaced[i * step] = value(rank, i, salt);
	MPI_Allreduce(spaced, spaced_sums, LONG, datatype, op, MPI_COMM_WORLD);
	for (int i = 0; i < LONG; i++)
		ndiffer += spaced_sums[i * step] != tree(0, nrank, i, salt);
	expect_true("a long vector with gaps on one rank", !ndiffer);
	MPI_Op_free(&op);
	MPI_Type_free(&datatype);
}

/* Four persistent reductions, started twice with other inputs, alone and together. */
static void check_persistent(void)
{
	float in[N] = {0}, out[4][N];
	int counts[64], flag;
	MPI_Request all[4];
	for (int r = 0; r < nrank; r++)
		counts[r] = N / nrank;
	PERSISTENT(Allreduce)
	(in, out[0], N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &all[0]);
	PERSISTENT(Reduce)
	(in, rank == nrank - 1 ? out[1] : NULL, N, MPI_FLOAT, MPI_SUM, nrank - 1, MPI_COMM_WORLD,
		MPI_INFO_NULL, &all[1]);
	PERSISTENT(Reduce_scatter)
	(in, out[2], counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &all[2]);
	PERSISTENT(Reduce_scatter_block)
	(in, out[3], N / nrank, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &all[3]);
	for (int round = 0; round < 6; round++) {
		salt++;
		make(in);
		memset(out, 0, sizeof out);
		if (round % 2)
			MPI_Startall(4, all);
		else
			for (int k = 0; k < 4; k++)
				MPI_Start(&all[rank % 2 ? 3 - k : k]); /* in any order */
		if (round < 2)
			MPI_Waitall(4, all, ignored);
		else if (round < 4)
			for (int k = 3; k >= 0; k--)
				MPI_Wait(&all[k], MPI_STATUS_IGNORE);
		else
			for (int k = 0; k < 4; k++)
				for (flag = 0; !flag;)
					MPI_Test(&all[k], &flag, ignored);
		expect("Allreduce_init", round, out[0], 0, N);
		if (rank == nrank - 1)
			expect("Reduce_init", round, out[1], 0, N);
		expect("Reduce_scatter_init", round, out[2], rank * (N / nrank), N / nrank);
		expect("Reduce_scatter_block_init", round, out[3], rank * (N / nrank), N / nrank);
		memset(out, 1, sizeof out); /* complete requests change nothing */
		/* not Testall: MPICH 4.0 fails there, with us or without */
		MPI_Test(&all[0], &flag, ignored);
		expect_true("a request that is not started", flag && all[0] != MPI_REQUEST_NULL);
		float ones;
		memset(&ones, 1, sizeof ones);
		expect_true("memory after the completion", out[0][0] == ones && out[3][0] == ones);
	}
	for (int k = 0; k < 4; k++)
		MPI_Request_free(&all[k]);
	expect_true("a freed request", all[0] == MPI_REQUEST_NULL);
}

/* A request that is active can be neither started nor freed nor cancelled, and is none the worse
 * for it. */
static void check_active(void)
{
	float in[N] = {0}, out[N];
	MPI_Comm comm;
	MPI_Request request;
	MPI_Comm_dup(MPI_COMM_WORLD, &comm);
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	PERSISTENT(Allreduce)
	(in, out, N, MPI_FLOAT, MPI_SUM, comm, MPI_INFO_NULL, &request);
	for (int round = 0; round < 2; round++) {
		salt++;
		make(in);
		memset(out, 0, sizeof out);
		MPI_Start(&request);
		expect_true("a second start", MPI_Start(&request) == MPI_ERR_REQUEST);
		expect_true("a start among others", MPI_Startall(1, &request) == MPI_ERR_REQUEST);
		expect_true(
			"a free of what is active", MPI_Request_free(&request) == MPI_ERR_REQUEST &&
							    request != MPI_REQUEST_NULL);
		expect_true("a cancel", MPI_Cancel(&request) == MPI_ERR_REQUEST);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
		expect("Allreduce_init, misused", round, out, 0, N);
	}
	expect_true("a free", MPI_Request_free(&request) == MPI_SUCCESS);
	MPI_Comm_free(&comm);
}

/* Open MPI lets the request of a complete nonblocking call be freed: its sum is there, and nothing
 * that gets the same request later writes to it. PMPI: we do not notice that it is complete. */
static void check_freed_request(void)
{
	float in[N] = {0}, out[N], kept[N];
	MPI_Request request, others[16];
	int flag = 0;
	salt++;
	make(in);
	memset(out, 0, sizeof out);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Iallreduce(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request);
	while (!flag)
		PMPI_Request_get_status(request, &flag, ignored);
	MPI_Request own = request;
	if (MPI_Request_free(&own) != MPI_SUCCESS)
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
	expect("Iallreduce, freed", 0, out, 0, N);
	memset(out, 1, sizeof out);
	memcpy(kept, out, sizeof kept);
	for (int i = 0; i < 16; i++)
		MPI_Iallgather(&rank, 0, MPI_INT, in, 0, MPI_INT, MPI_COMM_WORLD, &others[i]);
	MPI_Waitall(16, others, ignored);
	expect_true("memory of a freed request", !memcmp(out, kept, sizeof out));
}

#if MPI_VERSION >= 4
static void check_large(void)
{
	float in[N] = {0}, out[N];
	MPI_Count counts[64];
	MPI_Request all[2];
	make(in);
	for (int r = 0; r < nrank; r++)
		counts[r] = N / nrank;
	MPI_Iallreduce_c(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &all[0]);
	MPI_Wait(&all[0], MPI_STATUS_IGNORE);
	expect("Iallreduce_c", 0, out, 0, N);
	MPI_Ireduce_c(in, out, N, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD, &all[0]);
	MPI_Wait(&all[0], MPI_STATUS_IGNORE);
	if (!rank)
		expect("Ireduce_c", 0, out, 0, N);
	MPI_Ireduce_scatter_c(in, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &all[0]);
	MPI_Wait(&all[0], MPI_STATUS_IGNORE);
	expect("Ireduce_scatter_c", 0, out, rank * (N / nrank), N / nrank);
	MPI_Ireduce_scatter_block_c(
		in, out, N / nrank, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &all[0]);
	MPI_Wait(&all[0], MPI_STATUS_IGNORE);
	expect("Ireduce_scatter_block_c", 0, out, rank * (N / nrank), N / nrank);
	MPI_Allreduce_init_c(
		in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &all[0]);
	MPI_Start(&all[0]);
	MPI_Wait(&all[0], MPI_STATUS_IGNORE);
	expect("Allreduce_init_c", 0, out, 0, N);
	MPI_Request_free(&all[0]);
	MPI_Allreduce_c(in, out, N, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	expect("Allreduce_c", 0, out, 0, N);
	MPI_Reduce_scatter_c(in, out, counts, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	expect("Reduce_scatter_c", 0, out, rank * (N / nrank), N / nrank);
	MPI_Reduce_scatter_block_c(in, out, N / nrank, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
	expect("Reduce_scatter_block_c", 0, out, rank * (N / nrank), N / nrank);
}
#endif

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	for (int way = 0; way < NWAY; way++)
		for (int in_place = 0; in_place < 2; in_place++) {
			salt++;
			check_way(way, in_place);
		}
	check_many();
	check_progress();
	check_freed();
	check_columns();
	check_columns_of_one_rank();
	check_long_with_gaps();
	if (argc == 1) { /* MPICH's own, if they are passed on, must be started in one order */
		check_persistent();
		check_active();
		check_freed_request();
	}
#if MPI_VERSION >= 4
	check_large();
#endif
	int all;
	MPI_Allreduce(&nfailed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("%s\n", all ? "some differ" : "all agree");
	MPI_Finalize();
	return all != 0;
}
