/* refused.c - reductions while one rank is refused memory: no rank waits for ever, and each gets
 * an error or the right result.
 *
 * refused STRIDE: refuses every STRIDE-th request of each call. refused begin N: the N-th request
 * of an MPI_Iallreduce, which may end the program. refused copy: MPI cannot copy on the last rank.
 * The linker sends the requests of our code, and
 * no others, to failing.c. */
#include "engine/communicator.h"
#include "program/settings.h"
#include "support/failing.h"
#define ORDO_MPI_LINKED
#include <ordo/mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SHORT = 300, LONG = 9000, MOST = 4, SECONDS = 60, NTIME = 3 };

static int rank, nrank, nfailed, ntrial, nerror;
static int salt; /* another number of shards in each trial: their plans are kept */
static MPI_Comm comm;
static MPI_Op user_sum;
static MPI_Datatype user_type; /* a double; on rank 0 with a gap behind it */
static double in[LONG * MOST * 2], out[LONG * MOST * 2];
static const char *now = "";

static void at_alarm(int number)
{
	(void)number;
	static const char text[] = "refused: a rank waits for ever: ";
	if (write(2, text, sizeof text - 1) < 0 || write(2, now, strlen(now)) < 0)
		_exit(3);
	_exit(3);
}

/* Sums are exact: any order gives these bits. */
static double value(int contribution, int i)
{
	return (contribution + 1) * (double)(i % 100 + 1);
}

static void fill(int n)
{
	memset(out, 0, sizeof out);
	for (int i = 0; i < n; i++)
		in[i] = out[i] = value(rank, i);
}

static void expect(int code, const double *found, int first, int n, int ncontribution, int step)
{
	if (code != MPI_SUCCESS) {
		nerror++;
		return;
	}
	for (int i = 0; i < n; i++)
		if (found[(size_t)i * (size_t)step] !=
			value(ncontribution * (ncontribution + 1) / 2 - 1, first + i)) {
			fprintf(stderr, "%s: element %d of rank %d differs\n", now, i, rank);
			nfailed++;
			return;
		}
}

static void allreduce(int n)
{
	fill(n);
	expect(MPI_Allreduce(in, out, n, MPI_DOUBLE, MPI_SUM, comm), out, 0, n, nrank, 1);
}

static void allreduce_short(void)
{
	allreduce(SHORT);
}

static void allreduce_long(void)
{
	allreduce(LONG);
}

static void reduce_to(int root)
{
	fill(SHORT);
	const int code = MPI_Reduce(in, out, SHORT, MPI_DOUBLE, MPI_SUM, root, comm);
	expect(code, out, 0, rank == root ? SHORT : 0, nrank, 1);
}

static void reduce_to_first(void)
{
	reduce_to(0);
}

static void reduce_to_last(void)
{
	reduce_to(nrank - 1);
}

static void reduce_in_place(void)
{
	fill(SHORT);
	const int code =
		MPI_Reduce(rank ? in : MPI_IN_PLACE, out, SHORT, MPI_DOUBLE, MPI_SUM, 0, comm);
	expect(code, out, 0, rank ? 0 : SHORT, nrank, 1);
}

static void reduce_scatter(void)
{
	int counts[16];
	for (int r = 0; r < nrank; r++)
		counts[r] = SHORT + r;
	fill(nrank * (SHORT + nrank));
	const int code = MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, comm);
	expect(code, out, rank * SHORT + rank * (rank - 1) / 2, counts[rank], nrank, 1);
}

static void reduce_scatter_in_place(void)
{
	fill(nrank * SHORT);
	const int code =
		MPI_Reduce_scatter_block(MPI_IN_PLACE, out, SHORT, MPI_DOUBLE, MPI_SUM, comm);
	expect(code, out, rank * SHORT, SHORT, nrank, 1);
}

static void shards(void)
{
	const int nshard = nrank + salt % 40, each = SHORT / 10;
	int n = 0;
	for (int s = (int)((long)rank * nshard / nrank); s < (rank + 1L) * nshard / nrank; s++)
		for (int i = 0; i < each; i++)
			in[n++] = value(s, i);
	const int code =
		ordo_mpi_allreduce_shards(in, out, each, MPI_DOUBLE, MPI_SUM, nshard, comm);
	expect(code, out, 0, each, nshard, 1);
}

static void add(void *from, void *to, int *n, MPI_Datatype *datatype)
{
	MPI_Aint low, extent;
	MPI_Type_get_extent(*datatype, &low, &extent);
	const size_t step = (size_t)extent / sizeof(double);
	for (size_t i = 0; i < (size_t)*n; i++)
		((double *)to)[i * step] += ((double *)from)[i * step];
}

static void allreduce_of_user(void)
{
	const int step = rank ? 1 : 2;
	fill(2 * SHORT);
	for (int i = SHORT; i-- > 0;)
		in[i * step] = value(rank, i);
	const int code = MPI_Allreduce(in, out, SHORT, user_type, user_sum, comm);
	expect(code, out, 0, SHORT, nrank, step);
}

static void persistent(void)
{
#if MPI_VERSION >= 4
	MPI_Request request;
	fill(SHORT);
	int code = MPI_Allreduce_init(
		in, out, SHORT, MPI_DOUBLE, MPI_SUM, comm, MPI_INFO_NULL, &request);
	if (code == MPI_SUCCESS) {
		MPI_Start(&request);
		code = MPI_Wait(&request, MPI_STATUS_IGNORE);
		MPI_Request_free(&request);
	}
	expect(code, out, 0, SHORT, nrank, 1);
#endif
}

struct action {
	const char *name;
	void (*run)(void);
};
static const struct action actions[] = {{"Allreduce", allreduce_short},
	{"long Allreduce", allreduce_long}, {"Reduce", reduce_to_first},
	{"Reduce to the last", reduce_to_last}, {"Reduce in place", reduce_in_place},
	{"Reduce_scatter", reduce_scatter}, {"Reduce_scatter in place", reduce_scatter_in_place},
	{"shards", shards}, {"user's operation", allreduce_of_user},
	{"persistent Allreduce", persistent}};

/* true: a request was refused. */
static bool try(const struct action *action, int failing, int n, bool again)
{
	int nrefused = 0;
	const int before = nerror;
	now = action->name;
	salt++;
	ntrial++;
	alarm(SECONDS);
	PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
	PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	if (rank == failing)
		failing_begin((uint64_t)n, false);
	for (int i = 0; i < NTIME; i++) /* the second call makes the window */
		action->run();
	if (rank == failing)
		nrefused = (int)failing_end();
	PMPI_Bcast(&nrefused, 1, MPI_INT, failing, MPI_COMM_WORLD);
	if (!nrefused && nerror > before) {
		fprintf(stderr, "%s: an error on rank %d without a reason\n", now, rank);
		nfailed++;
	}
	const int failed = nerror;
	if (again)
		action->run();
	if (nerror > failed) {
		fprintf(stderr, "%s: an error on rank %d after the memory is back\n", now, rank);
		nfailed++;
	}
	PMPI_Comm_free(&comm);
	return nrefused;
}

/* Plans are compiled once and kept, or made for each communicator. */
static void try_all(int stride)
{
	static const struct {
		bool has_window;
		int most_compiled, most_alone;
	} modes[] = {{true, 256, 256}, {false, 256, 256}, {false, 256, 1}, {false, 1, 256}};
	for (size_t m = 0; m < sizeof modes / sizeof *modes; m++) {
		ordo_mpi_wants_window = modes[m].has_window;
		ordo_mpi_most_compiled = modes[m].most_compiled;
		ordo_mpi_most_alone = modes[m].most_alone;
		for (size_t a = 0; a < sizeof actions / sizeof *actions; a++)
			for (int failing = 0; failing < nrank; failing += nrank - 1) {
				int n = (int)(m + a) % stride;
				while (try(&actions[a], failing, n, false))
					n += stride;
				for (n = 0; try(&actions[a], failing, n, true);)
					n += stride;
			}
	}
}

/* In place of MPI's, which copies elements with gaps on a rank. */
static bool copies_fail;
int PMPI_Sendrecv(const void *src, int nsrc, MPI_Datatype src_type, int to, int src_tag, void *dst,
	int ndst, MPI_Datatype dst_type, int from, int dst_tag, MPI_Comm on, MPI_Status *status)
{
	MPI_Request request;
	if (copies_fail)
		return MPI_ERR_NO_MEM;
	PMPI_Irecv(dst, ndst, dst_type, from, dst_tag, on, &request);
	PMPI_Send(src, nsrc, src_type, to, src_tag, on);
	return PMPI_Wait(&request, status);
}

static int fail_to_copy(void)
{
	alarm(SECONDS);
	now = "Allreduce of elements with gaps";
	PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
	PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	PMPI_Type_free(&user_type);
	PMPI_Type_create_resized(MPI_DOUBLE, 0, 16, &user_type);
	PMPI_Type_commit(&user_type);
	copies_fail = rank == nrank - 1;
	MPI_Allreduce(in, out, SHORT, user_type, user_sum, comm);
	return 0;
}

/* Nothing here may wait for all ranks, so that they cannot agree. */
static int begin_only(int n)
{
	MPI_Request request;
	alarm(SECONDS);
	now = "Iallreduce";
	PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
	fill(SHORT);
	if (rank == nrank - 1)
		failing_begin((uint64_t)n, false);
	const int code = MPI_Iallreduce(in, out, SHORT, MPI_DOUBLE, MPI_SUM, comm, &request);
	PMPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	PMPI_Comm_free(&comm); /* before the reduction is complete */
	const int waited = MPI_Wait(&request, MPI_STATUS_IGNORE);
	failing_end();
	expect(code == MPI_SUCCESS ? waited : code, out, 0, SHORT, nrank, 1);
	return nerror;
}

int main(int argc, char **argv)
{
	setenv("ORDO_MPI", "report=none", 1);
	signal(SIGALRM, at_alarm);
	MPI_Init(&argc, &argv);
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &nrank);
	PMPI_Op_create(add, 1, &user_sum);
	PMPI_Type_create_resized(MPI_DOUBLE, 0, rank ? 8 : 16, &user_type);
	PMPI_Type_commit(&user_type);
	if (argc > 1 && !strcmp(argv[1], "copy"))
		nfailed = fail_to_copy();
	else if (argc > 2)
		nfailed = begin_only(atoi(argv[2]));
	else
		try_all(argc > 1 ? atoi(argv[1]) : 1);
	PMPI_Allreduce(MPI_IN_PLACE, &nfailed, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	PMPI_Allreduce(MPI_IN_PLACE, &nerror, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!rank)
		printf("%d trials, %d errors\n", ntrial, nerror);
	PMPI_Type_free(&user_type);
	PMPI_Op_free(&user_sum);
	MPI_Finalize();
	return nfailed != 0;
}
