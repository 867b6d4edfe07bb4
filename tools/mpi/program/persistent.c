/* persistent.c - persistent reductions: MPI_Allreduce_init and so on. */
#include "collect.h"

#if MPI_VERSION < 4
/* Missing if Open MPI was built without them. */
#define WEAK __attribute__((weak))
WEAK int LIBRARY_PERSISTENT(Allreduce)(const void *send, void *receive, int count,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
WEAK int LIBRARY_PERSISTENT(Reduce)(const void *send, void *receive, int count,
	MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm, MPI_Info info,
	MPI_Request *request);
WEAK int LIBRARY_PERSISTENT(Reduce_scatter)(const void *send, void *receive, const int counts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
WEAK int LIBRARY_PERSISTENT(Reduce_scatter_block)(const void *send, void *receive, int count,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
WEAK int LIBRARY_PERSISTENT(Scan)(const void *send, void *receive, int count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
WEAK int LIBRARY_PERSISTENT(Exscan)(const void *send, void *receive, int count,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request);
#endif

int PERSISTENT(Allreduce)(const void *send, void *receive, int count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_ALLREDUCE_INIT, &call, true, request, &code))
		code = ordo_mpi_end_begun(&passed, &call,
			LIBRARY_PERSISTENT(Allreduce)(
				send, receive, count, datatype, op, comm, info, request));
	return code;
}

int PERSISTENT(Reduce)(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_REDUCE_INIT, &call, true, request, &code))
		code = ordo_mpi_end_begun(&passed, &call,
			LIBRARY_PERSISTENT(Reduce)(
				send, receive, count, datatype, op, root, comm, info, request));
	return code;
}

int PERSISTENT(Reduce_scatter)(const void *send, void *receive, const int counts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_REDUCE_SCATTER_INIT, &call, true, request, &code))
		code = ordo_mpi_end_begun(&passed, &call,
			LIBRARY_PERSISTENT(Reduce_scatter)(
				send, receive, counts, datatype, op, comm, info, request));
	return code;
}

int PERSISTENT(Reduce_scatter_block)(const void *send, void *receive, int count,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
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
	if (!ordo_mpi_collect(
		    &passed, ORDO_MPI_F_REDUCE_SCATTER_BLOCK_INIT, &call, true, request, &code))
		code = ordo_mpi_end_begun(&passed, &call,
			LIBRARY_PERSISTENT(Reduce_scatter_block)(
				send, receive, count, datatype, op, comm, info, request));
	return code;
}

int PERSISTENT(Scan)(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_SCAN_INIT, &call);
	return ordo_mpi_end_begun(&passed, &call,
		LIBRARY_PERSISTENT(Scan)(send, receive, count, datatype, op, comm, info, request));
}

int PERSISTENT(Exscan)(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_EXSCAN_INIT, &call);
	return ordo_mpi_end_begun(&passed, &call,
		LIBRARY_PERSISTENT(Exscan)(
			send, receive, count, datatype, op, comm, info, request));
}

#if MPI_VERSION >= 4
int MPI_Allreduce_init_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_ALLREDUCE_INIT, &call, true, request, &code))
		code = ordo_mpi_end_begun(&passed, &call,
			PMPI_Allreduce_init_c(
				send, receive, count, datatype, op, comm, info, request));
	return code;
}

int MPI_Reduce_init_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, int root, MPI_Comm comm, MPI_Info info, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_REDUCE_INIT, &call, true, request, &code))
		code = ordo_mpi_end_begun(&passed, &call,
			PMPI_Reduce_init_c(
				send, receive, count, datatype, op, root, comm, info, request));
	return code;
}

int MPI_Reduce_scatter_init_c(const void *send, void *receive, const MPI_Count counts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_REDUCE_SCATTER_INIT, &call, true, request, &code))
		code = ordo_mpi_end_begun(&passed, &call,
			PMPI_Reduce_scatter_init_c(
				send, receive, counts, datatype, op, comm, info, request));
	return code;
}

int MPI_Reduce_scatter_block_init_c(const void *send, void *receive, MPI_Count count,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
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
	if (!ordo_mpi_collect(
		    &passed, ORDO_MPI_F_REDUCE_SCATTER_BLOCK_INIT, &call, true, request, &code))
		code = ordo_mpi_end_begun(&passed, &call,
			PMPI_Reduce_scatter_block_init_c(
				send, receive, count, datatype, op, comm, info, request));
	return code;
}

int MPI_Scan_init_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_SCAN_INIT, &call);
	return ordo_mpi_end_begun(&passed, &call,
		PMPI_Scan_init_c(send, receive, count, datatype, op, comm, info, request));
}

int MPI_Exscan_init_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_EXSCAN_INIT, &call);
	return ordo_mpi_end_begun(&passed, &call,
		PMPI_Exscan_init_c(send, receive, count, datatype, op, comm, info, request));
}
#endif
