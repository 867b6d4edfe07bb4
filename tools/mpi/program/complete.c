/* complete.c - the calls of a program that complete requests, start persistent ones or free what
 * reductions need. */
#include "request.h"

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	struct mpi_waited waited;
	ordo_mpi_wait_begin(&waited, MPI_WAIT_ALL, 1, request);
	const int code = PMPI_Wait(request, status);
	return ordo_mpi_wait_end(&waited, code);
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
	struct mpi_waited waited;
	ordo_mpi_wait_begin(&waited, MPI_WAIT_TEST, 1, request);
	const int code = PMPI_Test(request, flag, status);
	return ordo_mpi_wait_end(&waited, code);
}

int MPI_Waitall(int n, MPI_Request requests[], MPI_Status statuses[])
{
	struct mpi_waited waited;
	ordo_mpi_wait_begin(&waited, MPI_WAIT_ALL, n, requests);
	const int code = PMPI_Waitall(n, requests, statuses);
	return ordo_mpi_wait_end(&waited, code);
}

int MPI_Testall(int n, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
	struct mpi_waited waited;
	ordo_mpi_wait_begin(&waited, MPI_WAIT_TEST, n, requests);
	const int code = PMPI_Testall(n, requests, flag, statuses);
	return ordo_mpi_wait_end(&waited, code);
}

int MPI_Waitany(int n, MPI_Request requests[], int *index, MPI_Status *status)
{
	struct mpi_waited waited;
	int code, is_done = 0;
	for (;;) {
		ordo_mpi_wait_begin(&waited, MPI_WAIT_TEST, n, requests);
		if (waited.failed >= 0) {
			*index = waited.failed;
			return ordo_mpi_wait_end(&waited, MPI_SUCCESS);
		}
		if (!waited.hides)
			break;
		code = PMPI_Testany(n, requests, index, &is_done, status);
		code = ordo_mpi_wait_end(&waited, code);
		if (is_done || code != MPI_SUCCESS)
			return code;
	}
	code = PMPI_Waitany(n, requests, index, status);
	return ordo_mpi_wait_end(&waited, code);
}

int MPI_Testany(int n, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
	struct mpi_waited waited;
	ordo_mpi_wait_begin(&waited, MPI_WAIT_TEST, n, requests);
	if (waited.failed >= 0) {
		*flag = 1;
		*index = waited.failed;
		return ordo_mpi_wait_end(&waited, MPI_SUCCESS);
	}
	const int code = PMPI_Testany(n, requests, index, flag, status);
	return ordo_mpi_wait_end(&waited, code);
}

int MPI_Waitsome(int n, MPI_Request requests[], int *ndone, int indices[], MPI_Status statuses[])
{
	struct mpi_waited waited;
	int code;
	for (;;) {
		ordo_mpi_wait_begin(&waited, MPI_WAIT_TEST, n, requests);
		if (waited.failed >= 0) {
			*ndone = 1;
			indices[0] = waited.failed;
			return ordo_mpi_wait_end(&waited, MPI_SUCCESS);
		}
		if (!waited.hides)
			break;
		code = PMPI_Testsome(n, requests, ndone, indices, statuses);
		code = ordo_mpi_wait_end(&waited, code);
		if (*ndone || code != MPI_SUCCESS)
			return code;
	}
	code = PMPI_Waitsome(n, requests, ndone, indices, statuses);
	return ordo_mpi_wait_end(&waited, code);
}

int MPI_Testsome(int n, MPI_Request requests[], int *ndone, int indices[], MPI_Status statuses[])
{
	struct mpi_waited waited;
	ordo_mpi_wait_begin(&waited, MPI_WAIT_TEST, n, requests);
	if (waited.failed >= 0) {
		*ndone = 1;
		indices[0] = waited.failed;
		return ordo_mpi_wait_end(&waited, MPI_SUCCESS);
	}
	const int code = PMPI_Testsome(n, requests, ndone, indices, statuses);
	return ordo_mpi_wait_end(&waited, code);
}

int MPI_Request_get_status(MPI_Request request, int *flag, MPI_Status *status)
{
	struct mpi_waited waited;
	ordo_mpi_wait_begin(&waited, MPI_WAIT_TEST, 1, &request);
	const int code = PMPI_Request_get_status(request, flag, status);
	return ordo_mpi_wait_end_status(&waited, code == MPI_SUCCESS && *flag, code);
}

int MPI_Request_free(MPI_Request *request)
{
	int code;
	return ordo_mpi_free(request, &code) ? code : PMPI_Request_free(request);
}

int MPI_Cancel(MPI_Request *request)
{
	int code;
	return request && ordo_mpi_cancel(*request, &code) ? code : PMPI_Cancel(request);
}

int MPI_Start(MPI_Request *request)
{
	int code;
	return request && ordo_mpi_start(*request, &code) ? code : PMPI_Start(request);
}

/* One by one: ours may stand between others. */
int MPI_Startall(int n, MPI_Request requests[])
{
	int code = MPI_SUCCESS;
	if (n < 1 || !requests)
		return PMPI_Startall(n, requests);
	for (int i = 0; code == MPI_SUCCESS && i < n; i++)
		if (!ordo_mpi_start(requests[i], &code))
			code = PMPI_Start(&requests[i]);
	return code;
}

int MPI_Op_free(MPI_Op *op)
{
	if (!op || !ordo_mpi_keep_op(*op))
		return PMPI_Op_free(op);
	*op = MPI_OP_NULL;
	return MPI_SUCCESS;
}

int MPI_Type_free(MPI_Datatype *datatype)
{
	if (!datatype || !ordo_mpi_keep_datatype(*datatype))
		return PMPI_Type_free(datatype);
	*datatype = MPI_DATATYPE_NULL;
	return MPI_SUCCESS;
}

/* Of this thread: functions that delete attributes may free others meanwhile. */
struct freeing {
	MPI_Comm comm;
	const struct freeing *next;
};
static _Thread_local const struct freeing *freeing;

bool ordo_mpi_is_being_freed(MPI_Comm comm)
{
	const struct freeing *one = freeing;
	while (one && one->comm != comm)
		one = one->next;
	return one;
}

static int free_by(int (*function)(MPI_Comm *), MPI_Comm *comm)
{
	const struct freeing own = {comm ? *comm : MPI_COMM_NULL, freeing};
	freeing = &own;
	const int code = function(comm);
	freeing = own.next;
	return code;
}

int MPI_Comm_free(MPI_Comm *comm)
{
	return free_by(PMPI_Comm_free, comm);
}

int MPI_Comm_disconnect(MPI_Comm *comm)
{
	return free_by(PMPI_Comm_disconnect, comm);
}
