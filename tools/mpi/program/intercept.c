/* intercept.c - the blocking reductions of a program, and where MPI begins. */
#include "intercept.h"
#include "settings.h"
#include "world/strangers.h"
#include "world/world.h"
#include <limits.h>
#include <ordo/float_mode.h>
#include <stdatomic.h>
#include <stdio.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

void ordo_mpi_mode_begin(struct ordo_mpi_mode *mode)
{
	mode->is_other = !ordo_float_mode_check(NULL);
	if (!mode->is_other)
		return;
	ordo_mpi_count_mode();
	fegetenv(&mode->kept);
	fesetenv(FE_DFL_ENV);
}

void ordo_mpi_mode_end(const struct ordo_mpi_mode *mode)
{
	if (mode->is_other)
		fesetenv(&mode->kept);
}

static _Atomic int nsession; /* that are open */

/* The library's own function reports calls before MPI_Init and after MPI_Finalize. */
static bool is_started(void)
{
	return ordo_mpi_is_registered() || ordo_mpi_has_world() ||
	       (nsession && ordo_mpi_has_settings());
}

/* A communicator was made where we did not notice it. */
static void report_session(MPI_Comm comm)
{
	static atomic_flag is_reported = ATOMIC_FLAG_INIT;
	int rank = 0;
	if (!nsession || comm == MPI_COMM_NULL || atomic_flag_test_and_set(&is_reported))
		return;
	PMPI_Comm_rank(comm, &rank);
	if (!rank)
		fprintf(stderr, "ordo: MPI was started by MPI_Session_init without MPI_Init, "
				"where it is not noticed: reductions are the library's own\n");
}

/* Sums of inputs that wait for others need memory, by the arguments that all ranks share. */
static bool is_too_large(enum ordo_mpi_function function, const struct ordo_mpi_call *call)
{
	int nrank = 0, size = 0;
	MPI_Count most = call->count;
	if (function < ORDO_MPI_F_IALLREDUCE || function == ORDO_MPI_F_ALLREDUCE_SHARDS)
		return false;
	PMPI_Comm_size(call->comm, &nrank);
	PMPI_Type_size(call->datatype, &size);
	for (int r = 0; ordo_mpi_has_counts(call) && r < nrank; r++)
		most = ordo_mpi_block(call, r) > most ? ordo_mpi_block(call, r) : most;
	return most > INT_MAX / nrank ||
	       (uint64_t)most * (uint64_t)nrank * (uint64_t)size > ordo_mpi_settings.memory;
}

static bool is_prefix(enum ordo_mpi_function function)
{
	return function == ORDO_MPI_F_SCAN || function == ORDO_MPI_F_EXSCAN ||
	       (function >= ORDO_MPI_F_ISCAN && function <= ORDO_MPI_F_EXSCAN_INIT);
}

/* Each rank has one shard at least, and its sum is not where they are. */
static bool has_shards(const struct ordo_mpi_call *call)
{
	int nrank = 0;
	PMPI_Comm_size(call->comm, &nrank);
	return call->nshard >= nrank && call->send != MPI_IN_PLACE;
}

static void count_passed(enum ordo_mpi_function function, enum ordo_mpi_class class)
{
	ordo_mpi_count(function, class, 0, 0);
	if (ordo_mpi_settings.strict && ordo_mpi_may_vary(class))
		ordo_mpi_refuse(function, class);
}

void ordo_mpi_pass_too(struct ordo_mpi_passed *passed, enum ordo_mpi_class class)
{
	passed->line.class = class;
	count_passed(passed->function, class);
}

enum ordo_mpi_class ordo_mpi_begin(struct ordo_mpi_passed *passed, enum ordo_mpi_function function,
	const struct ordo_mpi_call *call)
{
	passed->function = function;
	passed->line.is_on = false;
	if (!is_started()) {
		report_session(call->comm);
		return ORDO_MPI_INVALID;
	}
	ordo_mpi_meet_late();
	ordo_mpi_report_at_end();
	enum ordo_mpi_class class = ordo_mpi_classify(call);
	if (class == ORDO_MPI_TAKEN && function == ORDO_MPI_F_ALLREDUCE_SHARDS && !has_shards(call))
		class = ORDO_MPI_INVALID;
	if (class == ORDO_MPI_TAKEN && is_prefix(function))
		class = ORDO_MPI_PREFIX;
	if (class == ORDO_MPI_TAKEN && is_too_large(function, call))
		class = ORDO_MPI_TOO_LARGE;
	if (class != ORDO_MPI_TAKEN)
		count_passed(function, class);
	ordo_mpi_log_begin(&passed->line, function, class, call);
	return class;
}

int ordo_mpi_end(struct ordo_mpi_passed *passed, const struct ordo_mpi_call *call, int code)
{
	ordo_mpi_log_end(&passed->line, call, code);
	return code;
}

int ordo_mpi_end_begun(struct ordo_mpi_passed *passed, const struct ordo_mpi_call *call, int code)
{
	ordo_mpi_log_end(&passed->line, call, MPI_ERR_PENDING);
	return code;
}

uint64_t ordo_mpi_bytes(const struct ordo_mpi_call *call)
{
	int size = 0, nrank = 0, rank;
	if (call->datatype == MPI_DOUBLE)
		size = sizeof(double);
	else
		PMPI_Type_size(call->datatype, &size);
	const bool has_blocks = call->operation == ORDO_MPI_REDUCE_SCATTER ||
				call->operation == ORDO_MPI_REDUCE_SCATTER_BLOCK;
	if (has_blocks && !ordo_mpi_last(call->comm, &rank, &nrank))
		PMPI_Comm_size(call->comm, &nrank);
	return (uint64_t)ordo_mpi_length(call, nrank) * (uint64_t)size;
}

/* A call in words, the same on two ranks if their arguments fit each other. */
static void describe(char *text, size_t size, enum ordo_mpi_function function,
	const struct ordo_mpi_call *call, const char *where)
{
	char datatype[MPI_MAX_OBJECT_NAME + 1] = "a derived type";
	int n, nrank = 0;
	if (!ordo_mpi_is_derived(call->datatype))
		PMPI_Type_get_name(call->datatype, datatype, &n);
	n = snprintf(text, size, "%s of %s%s, %s", ordo_mpi_function_name(function), datatype,
		where, ordo_mpi_op_name(call->op));
	if (call->nshard)
		n += snprintf(text + n, size - (size_t)n, ", %d shards", call->nshard);
	if (call->operation == ORDO_MPI_REDUCE)
		n += snprintf(text + n, size - (size_t)n, ", root %d", call->root);
	if (!ordo_mpi_has_counts(call)) {
		snprintf(text + n, size - (size_t)n, ", count %lld", (long long)call->count);
		return;
	}
	PMPI_Comm_size(call->comm, &nrank);
	uint64_t hash = 0;
	for (int r = 0; r < nrank; r++) {
		const MPI_Count block = ordo_mpi_block(call, r);
		hash = XXH3_64bits_withSeed(&block, sizeof block, hash);
	}
	n += snprintf(text + n, size - (size_t)n,
		", counts with hash %016llx:", (unsigned long long)hash);
	for (int r = 0; r < nrank && n < (int)size; r++)
		n += snprintf(
			text + n, size - (size_t)n, " %lld", (long long)ordo_mpi_block(call, r));
}

/* Integers are passed on before anything is known of their communicator. */
static bool is_compared(enum ordo_mpi_class class, MPI_Comm comm)
{
	return ordo_mpi_settings.check && class != ORDO_MPI_INVALID && ordo_mpi_all_meet(comm);
}

/* With `check`: all ranks make this call, and pass it on if one does for a reason of its own. */
static int compare(struct ordo_mpi_passed *passed, enum ordo_mpi_class *class,
	const struct ordo_mpi_call *call)
{
	char text[ORDO_MPI_WORDS];
	int reason = ordo_mpi_is_own_reason(*class) ? (int)*class : 0;
	if (!is_compared(*class, call->comm))
		return MPI_SUCCESS;
	describe(text, sizeof text, passed->function, call, "");
	const int code = ordo_mpi_compare_calls(call->comm, text, &reason);
	if (code == MPI_SUCCESS && *class == ORDO_MPI_TAKEN && reason) {
		*class = (enum ordo_mpi_class)reason;
		ordo_mpi_pass_too(passed, *class);
	}
	return code;
}

struct mpi_comparison *ordo_mpi_begin_comparison(enum ordo_mpi_function function,
	enum ordo_mpi_class class, const struct ordo_mpi_call *call, MPI_Comm comm, bool *worked)
{
	char text[ORDO_MPI_WORDS];
	*worked = true;
	if (!is_compared(class, call->comm))
		return NULL;
	/* who passes a call on begins another collective than the others */
	describe(text, sizeof text, function, call,
		class == ORDO_MPI_DEVICE_MEMORY ? " in memory of a device"
		: class == ORDO_MPI_BACKWARDS	? " of negative extent"
						: "");
	struct mpi_comparison *one = ordo_mpi_comparison_begin(comm, text);
	*worked = one;
	return one;
}

bool ordo_mpi_take(struct ordo_mpi_passed *passed, enum ordo_mpi_function function,
	const struct ordo_mpi_call *call, int *code)
{
	struct ordo_mpi_mode mode;
	enum ordo_mpi_class class = ordo_mpi_begin(passed, function, call);
	*code = compare(passed, &class, call);
	if (*code == MPI_SUCCESS && class == ORDO_MPI_DEVICE_MEMORY &&
		!is_compared(class, call->comm) && !ordo_mpi_settings.is_library) {
		*code = ordo_mpi_pass_on(call);
		if (*code == ORDO_MPI_PASS_ON)
			return false;
	} else if (*code == MPI_SUCCESS && class != ORDO_MPI_TAKEN) {
		return false;
	} else if (*code == MPI_SUCCESS) {
		const uint64_t bytes = ordo_mpi_bytes(call);
		const unsigned ncall = ordo_mpi_timed_calls(function, bytes);
		const double began = ncall ? PMPI_Wtime() : 0;
		ordo_mpi_mode_begin(&mode);
		*code = ordo_mpi_reduce(call);
		ordo_mpi_mode_end(&mode);
		if (*code == ORDO_MPI_PASS_ON) {
			ordo_mpi_pass_too(passed, ORDO_MPI_DEVICE_MEMORY);
			return false;
		}
		ordo_mpi_count(function, ORDO_MPI_TAKEN, bytes,
			ncall ? (PMPI_Wtime() - began) * ncall : 0);
	}
	ordo_mpi_end(passed, call, *code);
	if (*code != MPI_SUCCESS)
		PMPI_Comm_call_errhandler(call->comm, *code);
	return true;
}

static void begin_world(void)
{
	ordo_mpi_report_again();
	ordo_mpi_meet(MPI_COMM_WORLD);
}

int MPI_Init(int *argc, char ***argv)
{
	const int code = PMPI_Init(argc, argv);
	if (code == MPI_SUCCESS)
		begin_world();
	return code;
}

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
	const int code = PMPI_Init_thread(argc, argv, required, provided);
	if (code == MPI_SUCCESS)
		begin_world();
	return code;
}

#if MPI_VERSION >= 4
int MPI_Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
	const int code = PMPI_Session_init(info, handler, session);
	nsession += code == MPI_SUCCESS;
	return code;
}

/* Here the ranks of a program without MPI_Init meet: nothing else concerns several of them. */
int MPI_Comm_create_from_group(
	MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *comm)
{
	const int code = PMPI_Comm_create_from_group(group, tag, info, handler, comm);
	if (code == MPI_SUCCESS && *comm != MPI_COMM_NULL) {
		ordo_mpi_world_open();
		ordo_mpi_meet(*comm);
	}
	return code;
}

int MPI_Intercomm_create_from_groups(MPI_Group group, int leader, MPI_Group remote_group,
	int remote_leader, const char *tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm *comm)
{
	MPI_Comm both;
	const int code = PMPI_Intercomm_create_from_groups(
		group, leader, remote_group, remote_leader, tag, info, handler, comm);
	if (code == MPI_SUCCESS && PMPI_Intercomm_merge(*comm, 0, &both) == MPI_SUCCESS) {
		ordo_mpi_world_open();
		ordo_mpi_meet(both);
		PMPI_Comm_free(&both);
	}
	return code;
}

int MPI_Session_finalize(MPI_Session *session)
{
	if (session && *session != MPI_SESSION_NULL && --nsession == 0) {
		if (ordo_mpi_is_registered() && !ordo_mpi_has_world()) {
			ordo_mpi_report_now();
			ordo_mpi_report_again();
		}
		ordo_mpi_world_close();
	}
	return PMPI_Session_finalize(session);
}
#endif

int MPI_Allreduce(
	const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	int code;
	if (!ordo_mpi_take(&passed, ORDO_MPI_F_ALLREDUCE, &call, &code))
		code = ordo_mpi_end(
			&passed, &call, PMPI_Allreduce(send, receive, count, datatype, op, comm));
	return code;
}

int MPI_Reduce(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	int root, MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_REDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.root = root,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	int code;
	if (!ordo_mpi_take(&passed, ORDO_MPI_F_REDUCE, &call, &code))
		code = ordo_mpi_end(&passed, &call,
			PMPI_Reduce(send, receive, count, datatype, op, root, comm));
	return code;
}

int MPI_Reduce_scatter(const void *send, void *receive, const int counts[], MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_REDUCE_SCATTER,
		.send = send,
		.receive = receive,
		.narrow_counts = counts,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	int code;
	if (!ordo_mpi_take(&passed, ORDO_MPI_F_REDUCE_SCATTER, &call, &code))
		code = ordo_mpi_end(&passed, &call,
			PMPI_Reduce_scatter(send, receive, counts, datatype, op, comm));
	return code;
}

int MPI_Reduce_scatter_block(
	const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_REDUCE_SCATTER_BLOCK,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	int code;
	if (!ordo_mpi_take(&passed, ORDO_MPI_F_REDUCE_SCATTER_BLOCK, &call, &code))
		code = ordo_mpi_end(&passed, &call,
			PMPI_Reduce_scatter_block(send, receive, count, datatype, op, comm));
	return code;
}

int MPI_Scan(
	const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_SCAN, &call);
	return ordo_mpi_end(&passed, &call, PMPI_Scan(send, receive, count, datatype, op, comm));
}

int MPI_Exscan(
	const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_EXSCAN, &call);
	return ordo_mpi_end(&passed, &call, PMPI_Exscan(send, receive, count, datatype, op, comm));
}

#if MPI_VERSION >= 4
int MPI_Allreduce_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	int code;
	if (!ordo_mpi_take(&passed, ORDO_MPI_F_ALLREDUCE, &call, &code))
		code = ordo_mpi_end(
			&passed, &call, PMPI_Allreduce_c(send, receive, count, datatype, op, comm));
	return code;
}

int MPI_Reduce_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
	int root, MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_REDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.root = root,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	int code;
	if (!ordo_mpi_take(&passed, ORDO_MPI_F_REDUCE, &call, &code))
		code = ordo_mpi_end(&passed, &call,
			PMPI_Reduce_c(send, receive, count, datatype, op, root, comm));
	return code;
}

int MPI_Reduce_scatter_c(const void *send, void *receive, const MPI_Count counts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_REDUCE_SCATTER,
		.send = send,
		.receive = receive,
		.counts = counts,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	int code;
	if (!ordo_mpi_take(&passed, ORDO_MPI_F_REDUCE_SCATTER, &call, &code))
		code = ordo_mpi_end(&passed, &call,
			PMPI_Reduce_scatter_c(send, receive, counts, datatype, op, comm));
	return code;
}

int MPI_Reduce_scatter_block_c(const void *send, void *receive, MPI_Count count,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_REDUCE_SCATTER_BLOCK,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	int code;
	if (!ordo_mpi_take(&passed, ORDO_MPI_F_REDUCE_SCATTER_BLOCK, &call, &code))
		code = ordo_mpi_end(&passed, &call,
			PMPI_Reduce_scatter_block_c(send, receive, count, datatype, op, comm));
	return code;
}

int MPI_Scan_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_SCAN, &call);
	return ordo_mpi_end(&passed, &call, PMPI_Scan_c(send, receive, count, datatype, op, comm));
}

int MPI_Exscan_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_EXSCAN, &call);
	return ordo_mpi_end(
		&passed, &call, PMPI_Exscan_c(send, receive, count, datatype, op, comm));
}

#endif
