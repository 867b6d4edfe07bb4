/* communicators.c - a program of MPI that reduces on communicators of every kind, and compares
 * with the dyadic tree. communicators N: makes and frees N of them instead. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 300 };

static int rank, nrank, nfailed;
static float in[N], out[N];

static float value(int r, int i)
{
	return (float)((i * 7919 + r * 104729) % 1000003) * (i % 2 ? 1e-4F : 3e3F);
}

static float tree(const int *members, int n, int i)
{
	int half = 1;
	if (n == 1)
		return value(members[0], i);
	while (half * 2 < n)
		half *= 2;
	const float left = tree(members, half, i), right = tree(members + half, n - half, i);
	return left + right;
}

static void fill(void)
{
	for (int i = 0; i < N; i++)
		in[i] = value(rank, i);
	memset(out, 0, sizeof out);
}

/* The dyadic tree over the ranks of a communicator, in its own order. */
static void reduce(const char *what, MPI_Comm comm)
{
	int members[64], n;
	MPI_Comm_size(comm, &n);
	MPI_Allgather(&rank, 1, MPI_INT, members, 1, MPI_INT, comm);
	for (int time = 0; time < 3; time++) {
		fill();
		MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_SUM, comm);
		for (int i = 0; i < N; i++)
			if (out[i] != tree(members, n, i)) {
				fprintf(stderr, "%s: element %d of rank %d differs\n", what, i,
					rank);
				nfailed++;
				return;
			}
	}
}

static void reduce_on_grids(void)
{
	MPI_Comm grid, row, torus;
	int sizes[2] = {0, 0}, periods[2] = {1, 0}, keeps[2] = {0, 1};
	MPI_Dims_create(nrank, 2, sizes);
	MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
	reduce("grid", grid);
	MPI_Cart_sub(grid, keeps, &row);
	reduce("row", row);
	MPI_Comm_dup(grid, &torus);
	reduce("duplicate of a grid", torus);
	MPI_Comm_free(&row);
	MPI_Comm_free(&torus);
	MPI_Comm_free(&grid);
}

static int ncopied;

/* An error in a copy is one of MPI_Comm_dup. */
static int refuse_copy(MPI_Comm comm, int key, void *extra, void *value, void *copy, int *is_copied)
{
	(void)comm;
	(void)key;
	(void)extra;
	(void)value;
	(void)copy;
	*is_copied = 0;
	ncopied++;
	return MPI_ERR_OTHER;
}

/* Reductions on the communicator that is being freed, and on another. */
static int reduce_at_end(MPI_Comm comm, int key, void *value, void *extra)
{
	(void)key;
	(void)value;
	(void)extra;
	const int one = 1;
	float sum = 0;
	int n, number = 0;
	MPI_Comm_size(comm, &n);
	for (int time = 0; time < 3; time++) {
		in[0] = 1;
		MPI_Allreduce(in, &sum, 1, MPI_FLOAT, MPI_SUM, comm);
		MPI_Allreduce(&one, &number, 1, MPI_INT, MPI_SUM, comm);
		nfailed += sum != (float)n || number != n;
	}
	reduce("at the end of another", MPI_COMM_WORLD);
	return MPI_SUCCESS;
}

/* The program does not make a copy, so nobody copies its attributes; and its promises bind nobody
 * else, such as that it never receives from any rank. */
static void reduce_beside_attributes(void)
{
	static const char *const promises[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source",
		"mpi_assert_exact_length", "mpi_assert_allow_overtaking"};
	MPI_Comm comm;
	MPI_Info info;
	int key;
	MPI_Info_create(&info);
	for (int i = 0; i < 4; i++)
		MPI_Info_set(info, promises[i], "true");
	MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
	MPI_Info_free(&info);
	MPI_Comm_create_keyval(refuse_copy, reduce_at_end, &key, NULL);
	MPI_Comm_set_attr(comm, key, NULL);
	MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
	MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &key, NULL);
	reduce("attributes", comm);
	MPI_Comm_set_attr(comm, key, NULL); /* deleted before ours */
	if (ncopied) {
		printf("attributes were copied %d times\n", ncopied);
		nfailed++;
	}
	MPI_Comm_free(&comm);
}

static void reduce_on_splits(void)
{
	MPI_Comm other;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &other); /* in reverse */
	reduce("split", other);
	MPI_Comm_free(&other);
#if MPI_VERSION >= 4
	MPI_Session session;
	MPI_Group group;
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
	MPI_Comm_create_from_group(group, "ordo", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &other);
	reduce("session", other);
	MPI_Comm_free(&other);
	MPI_Group_free(&group);
	MPI_Session_finalize(&session);
#endif
}

/* Both groups get the sum of the other one. */
static void reduce_between(void)
{
	MPI_Comm half, between;
	const int cut = nrank / 2, is_low = rank < cut;
	MPI_Comm_split(MPI_COMM_WORLD, is_low, rank, &half);
	MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_low ? cut : 0, 7, &between);
	const double one = rank + 1;
	double sum = 0;
	MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, MPI_SUM, between);
	if (sum != (is_low ? nrank * (nrank + 1) / 2 - cut * (cut + 1) / 2 : cut * (cut + 1) / 2))
		nfailed++;
	int whole = 0;
	MPI_Allreduce(&rank, &whole, 1, MPI_INT, MPI_SUM, between);
	if (whole != (is_low ? nrank * (nrank - 1) / 2 - cut * (cut - 1) / 2 : cut * (cut - 1) / 2))
		nfailed++;
	MPI_Comm_free(&between);
	MPI_Comm_free(&half);
}

/* 2x2 matrices: the library keeps the ranks' order. */
static void multiply(void *left, void *right, int *n, MPI_Datatype *datatype)
{
	(void)datatype;
	for (int i = 0; i < *n; i++) {
		const double *a = (double *)left + 4 * (size_t)i;
		double *b = (double *)right + 4 * (size_t)i;
		const double c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
			a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
		memcpy(b, c, sizeof c);
	}
}

static void reduce_matrices(void)
{
	MPI_Datatype matrix;
	MPI_Op op;
	double own[4] = {1, rank + 1, 0, 1}, all[4], twisted[4] = {rank + 1, 1, 1, 0};
	MPI_Type_contiguous(4, MPI_DOUBLE, &matrix);
	MPI_Type_commit(&matrix);
	MPI_Op_create(multiply, 0, &op);
	MPI_Allreduce(own, all, 1, matrix, op, MPI_COMM_WORLD);
	nfailed += all[1] != nrank * (nrank + 1) / 2 || all[0] != 1;
	MPI_Allreduce(twisted, all, 1, matrix, op, MPI_COMM_WORLD);
	double wanted[4] = {1, 0, 0, 1};
	for (int r = nrank; r-- > 0;) {
		double factor[4] = {r + 1, 1, 1, 0};
		int one = 1;
		multiply(factor, wanted, &one, NULL);
	}
	nfailed += memcmp(all, wanted, sizeof wanted) != 0;
	MPI_Op_free(&op);
	MPI_Type_free(&matrix);
}

static void make_and_free(int n)
{
	MPI_Comm comm;
	for (int i = 0; i < n && !nfailed; i++) {
		if (i % 2)
			MPI_Comm_dup(MPI_COMM_WORLD, &comm);
		else
			MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comm);
		for (int time = 0; time < 1 + i % 3; time++)
			MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_SUM, comm);
		MPI_Comm_free(&comm);
	}
}

#if MPI_VERSION >= 4
static MPI_Comm make(MPI_Session session, const char *set)
{
	MPI_Group group;
	MPI_Comm comm;
	MPI_Group_from_session_pset(session, set, &group);
	MPI_Comm_create_from_group(group, "ordo", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
	MPI_Group_free(&group);
	return comm;
}

#endif

/* Without MPI_Init; MPICH 4.0 knows no other sets and starts once. then_init: with it, later. */
static void reduce_in_session(int then_init)
{
#if MPI_VERSION >= 4
	MPI_Session session;
	MPI_Comm half;
	MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
	MPI_Comm self = make(session, "mpi://SELF"), all = make(session, "mpi://WORLD");
	MPI_Comm_rank(all, &rank);
	MPI_Comm_size(all, &nrank);
	reduce("session", all);
	reduce("self", self);
	MPI_Comm_split(all, rank % 2, -rank, &half);
	reduce("half", half);
	MPI_Request request;
	fill();
	MPI_Iallreduce(in, out, N, MPI_FLOAT, MPI_SUM, all, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	float first[N];
	memcpy(first, out, sizeof first);
	MPI_Allreduce(in, out, N, MPI_FLOAT, MPI_SUM, all);
	nfailed += memcmp(first, out, sizeof first) != 0;
	if (then_init) {
		MPI_Init(NULL, NULL);
		reduce("all, beside a session", MPI_COMM_WORLD);
	}
	MPI_Comm_free(&half);
	MPI_Comm_free(&self);
	MPI_Comm_free(&all);
	MPI_Session_finalize(&session);
	if (then_init) {
		reduce("all, after a session", MPI_COMM_WORLD);
		MPI_Finalize();
	}
	printf("%s\n", nfailed ? "some differ" : "all agree");
#else
	(void)then_init;
#endif
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "session"))
		return reduce_in_session(argc > 2), nfailed != 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &nrank);
	if (argc > 1) {
		make_and_free(atoi(argv[1]));
	} else {
		reduce_on_grids();
		reduce_on_splits();
		reduce_between();
		reduce_matrices();
		reduce_beside_attributes();
	}
	reduce("all", MPI_COMM_WORLD);
	printf("%s\n", nfailed ? "some differ" : "all agree");
	MPI_Finalize();
	return nfailed != 0;
}
