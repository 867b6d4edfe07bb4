/* fortran_request.c - the calls of requests as Fortran makes them that does not call C.
 *
 * The library's own bindings convert statuses and indices; what they found complete is reduced
 * after them. Open MPI's mpif.h and f08 module call mpi_wait_ and ompi_wait_f, and the latter
 * pmpi_test_ where there is a flag. MPICH's mpif.h calls C, and its f08 module PMPI_Wait. */
#include "collect.h"
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdlib.h>

#define EXPORTED __attribute__((visibility("default")))
#define UNDER(symbol, name, parameters, arguments)                                                 \
	EXPORTED void symbol parameters;                                                           \
	void symbol parameters                                                                     \
	{                                                                                          \
		take_##name arguments;                                                             \
	}
/* Defines a binding under its names; those with a flag have one more. */
#ifdef OPEN_MPI
#define BINDING(name, parameters, arguments)                                                       \
	UNDER(mpi_##name##_, name, parameters, arguments)                                          \
	UNDER(ompi_##name##_f, name, parameters, arguments)
#define BINDING_OF_TEST(name, parameters, arguments)                                               \
	BINDING(name, parameters, arguments)                                                       \
	UNDER(pmpi_##name##_, name, parameters, arguments)
#define OWN_NAME(name) "ompi_" #name "_f"
#else
#define BINDING(name, parameters, arguments) UNDER(mpi_##name##_f08_, name, parameters, arguments)
#define BINDING_OF_TEST BINDING
#define OWN_NAME(name) "mpi_" #name "_f08_"
#endif

static void *find_next(_Atomic(void *) *kept, const char *name)
{
	void *object = atomic_load_explicit(kept, memory_order_acquire);
	if (!object && !(object = dlsym(RTLD_NEXT, name)))
		abort(); /* its caller was linked with it */
	atomic_store_explicit(kept, object, memory_order_release);
	return object;
}

/* next_wait() is the library's own binding, found once. */
#define NEXT(name, parameters)                                                                     \
	typedef void name##_function parameters;                                                   \
	static name##_function *next_##name(void)                                                  \
	{                                                                                          \
		static _Atomic(void *) kept;                                                       \
		union {                                                                            \
			void *object;                                                              \
			name##_function *function;                                                 \
		} symbol = {find_next(&kept, OWN_NAME(name))};                                     \
		return symbol.function;                                                            \
	}

static void give(MPI_Fint *error, int code)
{
	if (error)
		*error = (MPI_Fint)code;
}

NEXT(wait, (MPI_Fint * request, MPI_Fint *status, MPI_Fint *error))
static void take_wait(MPI_Fint *request, MPI_Fint *status, MPI_Fint *error)
{
	struct mpi_waited waited;
	MPI_Fint code = MPI_SUCCESS;
	ordo_mpi_wait_begin_fortran(&waited, MPI_WAIT_ALL, 1, request);
	next_wait()(request, status, &code);
	give(error, ordo_mpi_wait_end(&waited, code));
}
BINDING(wait, (MPI_Fint * request, MPI_Fint *status, MPI_Fint *error), (request, status, error))

NEXT(test, (MPI_Fint * request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *error))
static void take_test(MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *error)
{
	struct mpi_waited waited;
	MPI_Fint code = MPI_SUCCESS;
	ordo_mpi_wait_begin_fortran(&waited, MPI_WAIT_TEST, 1, request);
	next_test()(request, flag, status, &code);
	give(error, ordo_mpi_wait_end(&waited, code));
}
BINDING_OF_TEST(test, (MPI_Fint * request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *error),
	(request, flag, status, error))

NEXT(request_get_status, (MPI_Fint * request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *error))
static void take_request_get_status(
	MPI_Fint *request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *error)
{
	struct mpi_waited waited;
	MPI_Fint code = MPI_SUCCESS, asked = *request;
	ordo_mpi_wait_begin_fortran(&waited, MPI_WAIT_TEST, 1, &asked);
	next_request_get_status()(&asked, flag, status, &code);
	give(error, ordo_mpi_wait_end_status(&waited, code == MPI_SUCCESS && *flag, code));
}
BINDING_OF_TEST(request_get_status,
	(MPI_Fint * request, MPI_Fint *flag, MPI_Fint *status, MPI_Fint *error),
	(request, flag, status, error))

NEXT(waitall, (MPI_Fint * n, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *error))
static void take_waitall(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *error)
{
	struct mpi_waited waited;
	MPI_Fint code = MPI_SUCCESS;
	ordo_mpi_wait_begin_fortran(&waited, MPI_WAIT_ALL, *n, requests);
	next_waitall()(n, requests, statuses, &code);
	give(error, ordo_mpi_wait_end(&waited, code));
}
BINDING(waitall, (MPI_Fint * n, MPI_Fint *requests, MPI_Fint *statuses, MPI_Fint *error),
	(n, requests, statuses, error))

NEXT(testall,
	(MPI_Fint * n, MPI_Fint *requests, MPI_Fint *flag, MPI_Fint *statuses, MPI_Fint *error))
static void take_testall(
	MPI_Fint *n, MPI_Fint *requests, MPI_Fint *flag, MPI_Fint *statuses, MPI_Fint *error)
{
	struct mpi_waited waited;
	MPI_Fint code = MPI_SUCCESS;
	ordo_mpi_wait_begin_fortran(&waited, MPI_WAIT_TEST, *n, requests);
	next_testall()(n, requests, flag, statuses, &code);
	give(error, ordo_mpi_wait_end(&waited, code));
}
BINDING_OF_TEST(testall,
	(MPI_Fint * n, MPI_Fint *requests, MPI_Fint *flag, MPI_Fint *statuses, MPI_Fint *error),
	(n, requests, flag, statuses, error))

NEXT(waitany,
	(MPI_Fint * n, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *status, MPI_Fint *error))
static void take_waitany(
	MPI_Fint *n, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *status, MPI_Fint *error)
{
	struct mpi_waited waited;
	MPI_Fint code = MPI_SUCCESS;
	ordo_mpi_wait_begin_fortran(&waited, MPI_WAIT_ANY, *n, requests);
	next_waitany()(n, requests, index, status, &code);
	give(error, ordo_mpi_wait_end(&waited, code));
}
BINDING(waitany,
	(MPI_Fint * n, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *status, MPI_Fint *error),
	(n, requests, index, status, error))

NEXT(testany, (MPI_Fint * n, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, MPI_Fint *status,
		      MPI_Fint *error))
static void take_testany(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag,
	MPI_Fint *status, MPI_Fint *error)
{
	struct mpi_waited waited;
	MPI_Fint code = MPI_SUCCESS;
	ordo_mpi_wait_begin_fortran(&waited, MPI_WAIT_TEST, *n, requests);
	next_testany()(n, requests, index, flag, status, &code);
	give(error, ordo_mpi_wait_end(&waited, code));
}
BINDING_OF_TEST(testany,
	(MPI_Fint * n, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, MPI_Fint *status,
		MPI_Fint *error),
	(n, requests, index, flag, status, error))

NEXT(waitsome, (MPI_Fint * n, MPI_Fint *requests, MPI_Fint *ndone, MPI_Fint *indices,
		       MPI_Fint *statuses, MPI_Fint *error))
static void take_waitsome(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *ndone, MPI_Fint *indices,
	MPI_Fint *statuses, MPI_Fint *error)
{
	struct mpi_waited waited;
	MPI_Fint code = MPI_SUCCESS;
	ordo_mpi_wait_begin_fortran(&waited, MPI_WAIT_ANY, *n, requests);
	next_waitsome()(n, requests, ndone, indices, statuses, &code);
	give(error, ordo_mpi_wait_end(&waited, code));
}
BINDING(waitsome,
	(MPI_Fint * n, MPI_Fint *requests, MPI_Fint *ndone, MPI_Fint *indices, MPI_Fint *statuses,
		MPI_Fint *error),
	(n, requests, ndone, indices, statuses, error))

NEXT(testsome, (MPI_Fint * n, MPI_Fint *requests, MPI_Fint *ndone, MPI_Fint *indices,
		       MPI_Fint *statuses, MPI_Fint *error))
static void take_testsome(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *ndone, MPI_Fint *indices,
	MPI_Fint *statuses, MPI_Fint *error)
{
	struct mpi_waited waited;
	MPI_Fint code = MPI_SUCCESS;
	ordo_mpi_wait_begin_fortran(&waited, MPI_WAIT_TEST, *n, requests);
	next_testsome()(n, requests, ndone, indices, statuses, &code);
	give(error, ordo_mpi_wait_end(&waited, code));
}
BINDING_OF_TEST(testsome,
	(MPI_Fint * n, MPI_Fint *requests, MPI_Fint *ndone, MPI_Fint *indices, MPI_Fint *statuses,
		MPI_Fint *error),
	(n, requests, ndone, indices, statuses, error))

static void take_op_free(MPI_Fint *op, MPI_Fint *error)
{
	MPI_Op own = PMPI_Op_f2c(*op);
	const int code = MPI_Op_free(&own);
	if (code == MPI_SUCCESS)
		*op = PMPI_Op_c2f(own);
	give(error, code);
}
BINDING(op_free, (MPI_Fint * op, MPI_Fint *error), (op, error))

static void take_type_free(MPI_Fint *type, MPI_Fint *error)
{
	MPI_Datatype own = PMPI_Type_f2c(*type);
	const int code = MPI_Type_free(&own);
	if (code == MPI_SUCCESS)
		*type = PMPI_Type_c2f(own);
	give(error, code);
}
BINDING(type_free, (MPI_Fint * type, MPI_Fint *error), (type, error))

#ifdef OPEN_MPI
static void take_iallreduce(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = MPI_Iallreduce(ordo_mpi_fortran_buffer(send),
		ordo_mpi_fortran_buffer(receive), *count, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING(iallreduce,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, request, error))

static void take_ireduce(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = MPI_Ireduce(ordo_mpi_fortran_buffer(send),
		ordo_mpi_fortran_buffer(receive), *count, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), *root, PMPI_Comm_f2c(*comm), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING(ireduce,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *root, MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error),
	(send, receive, count, datatype, op, root, comm, request, error))

static void take_ireduce_scatter(void *send, void *receive, MPI_Fint *counts, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = MPI_Ireduce_scatter(ordo_mpi_fortran_buffer(send),
		ordo_mpi_fortran_buffer(receive), counts, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING(ireduce_scatter,
	(void *send, void *receive, MPI_Fint *counts, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error),
	(send, receive, counts, datatype, op, comm, request, error))

static void take_ireduce_scatter_block(void *send, void *receive, MPI_Fint *count,
	MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = MPI_Ireduce_scatter_block(ordo_mpi_fortran_buffer(send),
		ordo_mpi_fortran_buffer(receive), *count, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING(ireduce_scatter_block,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, request, error))

static void take_iscan(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
	MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = MPI_Iscan(ordo_mpi_fortran_buffer(send), ordo_mpi_fortran_buffer(receive),
		*count, PMPI_Type_f2c(*datatype), PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING(iscan,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, request, error))

static void take_iexscan(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code =
		MPI_Iexscan(ordo_mpi_fortran_buffer(send), ordo_mpi_fortran_buffer(receive), *count,
			PMPI_Type_f2c(*datatype), PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING(iexscan,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *request, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, request, error))

/* Persistent forms have names of Open MPI's own. */
#if MPI_VERSION < 4
#define BINDING_X(name, parameters, arguments)                                                     \
	UNDER(mpix_##name##_, name, parameters, arguments)                                         \
	UNDER(ompix_##name##_f, name, parameters, arguments)
#else
#define BINDING_X BINDING
#endif

static void take_allreduce_init(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = PERSISTENT(Allreduce)(ordo_mpi_fortran_buffer(send),
		ordo_mpi_fortran_buffer(receive), *count, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING_X(allreduce_init,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, info, request, error))

static void take_reduce_init(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *root, MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request,
	MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = PERSISTENT(Reduce)(ordo_mpi_fortran_buffer(send),
		ordo_mpi_fortran_buffer(receive), *count, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), *root, PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING_X(reduce_init,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *root, MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request, MPI_Fint *error),
	(send, receive, count, datatype, op, root, comm, info, request, error))

static void take_reduce_scatter_init(void *send, void *receive, MPI_Fint *counts,
	MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request,
	MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = PERSISTENT(Reduce_scatter)(ordo_mpi_fortran_buffer(send),
		ordo_mpi_fortran_buffer(receive), counts, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING_X(reduce_scatter_init,
	(void *send, void *receive, MPI_Fint *counts, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request, MPI_Fint *error),
	(send, receive, counts, datatype, op, comm, info, request, error))

static void take_reduce_scatter_block_init(void *send, void *receive, MPI_Fint *count,
	MPI_Fint *datatype, MPI_Fint *op, MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request,
	MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = PERSISTENT(Reduce_scatter_block)(ordo_mpi_fortran_buffer(send),
		ordo_mpi_fortran_buffer(receive), *count, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING_X(reduce_scatter_block_init,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, info, request, error))

static void take_scan_init(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = PERSISTENT(Scan)(ordo_mpi_fortran_buffer(send),
		ordo_mpi_fortran_buffer(receive), *count, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING_X(scan_init,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, info, request, error))

static void take_exscan_init(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype,
	MPI_Fint *op, MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request made = MPI_REQUEST_NULL;
	const int code = PERSISTENT(Exscan)(ordo_mpi_fortran_buffer(send),
		ordo_mpi_fortran_buffer(receive), *count, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), PMPI_Comm_f2c(*comm), PMPI_Info_f2c(*info), &made);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(made);
	give(error, code);
}
BINDING_X(exscan_init,
	(void *send, void *receive, MPI_Fint *count, MPI_Fint *datatype, MPI_Fint *op,
		MPI_Fint *comm, MPI_Fint *info, MPI_Fint *request, MPI_Fint *error),
	(send, receive, count, datatype, op, comm, info, request, error))

static void take_start(MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request own = PMPI_Request_f2c(*request);
	const int code = MPI_Start(&own);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(own);
	give(error, code);
}
BINDING(start, (MPI_Fint * request, MPI_Fint *error), (request, error))

static void take_startall(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *error)
{
	MPI_Fint code = MPI_SUCCESS;
	for (int i = 0; code == MPI_SUCCESS && i < *n; i++)
		take_start(&requests[i], &code);
	give(error, code);
}
BINDING(startall, (MPI_Fint * n, MPI_Fint *requests, MPI_Fint *error), (n, requests, error))

static void take_request_free(MPI_Fint *request, MPI_Fint *error)
{
	MPI_Request own = PMPI_Request_f2c(*request);
	const int code = MPI_Request_free(&own);
	if (code == MPI_SUCCESS)
		*request = PMPI_Request_c2f(own);
	give(error, code);
}
BINDING(request_free, (MPI_Fint * request, MPI_Fint *error), (request, error))

#else
/* MPICH's handles are those of C. */
static void take_start(MPI_Fint *request, MPI_Fint *error)
{
	give(error, MPI_Start(request));
}
BINDING(start, (MPI_Fint * request, MPI_Fint *error), (request, error))

static void take_startall(MPI_Fint *n, MPI_Fint *requests, MPI_Fint *error)
{
	give(error, MPI_Startall(*n, requests));
}
BINDING(startall, (MPI_Fint * n, MPI_Fint *requests, MPI_Fint *error), (n, requests, error))

static void take_request_free(MPI_Fint *request, MPI_Fint *error)
{
	give(error, MPI_Request_free(request));
}
BINDING(request_free, (MPI_Fint * request, MPI_Fint *error), (request, error))
#endif
