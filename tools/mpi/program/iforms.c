/* iforms.c - MPI_Iallreduce and so on: reductions that do not block. */
#include "collect.h"

int MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_IALLREDUCE, &call, false, request, &code))
		code = ordo_mpi_end_passed(&passed, &call, request,
			PMPI_Iallreduce(send, receive, count, datatype, op, comm, request));
	return code;
}

int MPI_Ireduce(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	int root, MPI_Comm comm, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_IREDUCE, &call, false, request, &code))
		code = ordo_mpi_end_passed(&passed, &call, request,
			PMPI_Ireduce(send, receive, count, datatype, op, root, comm, request));
	return code;
}

int MPI_Ireduce_scatter(const void *send, void *receive, const int counts[], MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_IREDUCE_SCATTER, &call, false, request, &code))
		code = ordo_mpi_end_passed(&passed, &call, request,
			PMPI_Ireduce_scatter(send, receive, counts, datatype, op, comm, request));
	return code;
}

int MPI_Ireduce_scatter_block(const void *send, void *receive, int count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Request *request)
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
		    &passed, ORDO_MPI_F_IREDUCE_SCATTER_BLOCK, &call, false, request, &code))
		code = ordo_mpi_end_passed(&passed, &call, request,
			PMPI_Ireduce_scatter_block(
				send, receive, count, datatype, op, comm, request));
	return code;
}

int MPI_Iscan(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Request *request)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_ISCAN, &call);
	return ordo_mpi_end_begun(
		&passed, &call, PMPI_Iscan(send, receive, count, datatype, op, comm, request));
}

int MPI_Iexscan(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Request *request)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_IEXSCAN, &call);
	return ordo_mpi_end_begun(
		&passed, &call, PMPI_Iexscan(send, receive, count, datatype, op, comm, request));
}

#if MPI_VERSION >= 4
int MPI_Iallreduce_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_IALLREDUCE, &call, false, request, &code))
		code = ordo_mpi_end_passed(&passed, &call, request,
			PMPI_Iallreduce_c(send, receive, count, datatype, op, comm, request));
	return code;
}

int MPI_Ireduce_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, int root, MPI_Comm comm, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_IREDUCE, &call, false, request, &code))
		code = ordo_mpi_end_passed(&passed, &call, request,
			PMPI_Ireduce_c(send, receive, count, datatype, op, root, comm, request));
	return code;
}

int MPI_Ireduce_scatter_c(const void *send, void *receive, const MPI_Count counts[],
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
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
	if (!ordo_mpi_collect(&passed, ORDO_MPI_F_IREDUCE_SCATTER, &call, false, request, &code))
		code = ordo_mpi_end_passed(&passed, &call, request,
			PMPI_Ireduce_scatter_c(send, receive, counts, datatype, op, comm, request));
	return code;
}

int MPI_Ireduce_scatter_block_c(const void *send, void *receive, MPI_Count count,
	MPI_Datatype datatype, MPI_Op op, MPI_Comm comm, MPI_Request *request)
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
		    &passed, ORDO_MPI_F_IREDUCE_SCATTER_BLOCK, &call, false, request, &code))
		code = ordo_mpi_end_passed(&passed, &call, request,
			PMPI_Ireduce_scatter_block_c(
				send, receive, count, datatype, op, comm, request));
	return code;
}

int MPI_Iscan_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype, MPI_Op op,
	MPI_Comm comm, MPI_Request *request)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_ISCAN, &call);
	return ordo_mpi_end_begun(
		&passed, &call, PMPI_Iscan_c(send, receive, count, datatype, op, comm, request));
}

int MPI_Iexscan_c(const void *send, void *receive, MPI_Count count, MPI_Datatype datatype,
	MPI_Op op, MPI_Comm comm, MPI_Request *request)
{
	const struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = send,
		.receive = receive,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm};
	struct ordo_mpi_passed passed = {0};
	ordo_mpi_begin(&passed, ORDO_MPI_F_IEXSCAN, &call);
	return ordo_mpi_end_begun(
		&passed, &call, PMPI_Iexscan_c(send, receive, count, datatype, op, comm, request));
}
#endif
