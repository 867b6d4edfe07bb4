/* messenger.c - messages of a part as messages of MPI. */
#include "messenger.h"
#include <stdlib.h>

static bool succeeded(struct messenger *messenger, int code)
{
	if (code != MPI_SUCCESS)
		messenger->code = code;
	return code == MPI_SUCCESS;
}

static MPI_Datatype datatype_of(const struct messenger *messenger, bool is_wide)
{
	return is_wide ? messenger->wide : messenger->datatype;
}

/* A message has fewer than 2^31 elements: see bound.c. */
static bool start_send(void *closure, uint32_t request, uint32_t peer, uint32_t tag,
	const void *src, uint64_t n, bool is_wide)
{
	struct messenger *m = closure;
	return succeeded(
		m, (m->synchronous ? PMPI_Issend : PMPI_Isend)(src, (int)n, datatype_of(m, is_wide),
			   (int)peer, (int)tag, m->comm, &m->requests[request]));
}

static bool start_receive(void *closure, uint32_t request, uint32_t peer, uint32_t tag, void *dst,
	uint64_t n, bool is_wide)
{
	struct messenger *m = closure;
	return succeeded(m, PMPI_Irecv(dst, (int)n, datatype_of(m, is_wide), (int)peer, (int)tag,
				    m->comm, &m->requests[request]));
}

static bool wait(void *closure, uint32_t request)
{
	struct messenger *m = closure;
	return succeeded(m, PMPI_Wait(&m->requests[request], MPI_STATUS_IGNORE));
}

static bool reduce(void *closure, void *dst, const void *src, uint64_t n)
{
	struct messenger *m = closure;
	return succeeded(m, PMPI_Reduce_local(src, dst, (int)n, m->datatype, m->op));
}

/* A copy of elements with gaps must not touch the gaps, so the library makes it. */
static bool copy(void *closure, void *dst, const void *src, uint64_t n)
{
	struct messenger *m = closure;
	if (dst == src)
		return true;
	return succeeded(m, PMPI_Sendrecv(src, (int)n, m->datatype, 0, 0, dst, (int)n, m->datatype,
				    0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE));
}

bool ordo_mpi_messenger_open(
	struct messenger *messenger, MPI_Comm comm, MPI_Datatype datatype, uint32_t nrequest)
{
	*messenger = (struct messenger){.calls = {.closure = messenger,
						.send = start_send,
						.receive = start_receive,
						.wait = wait},
		.comm = comm,
		.datatype = datatype,
		.wide = MPI_FLOAT,
		.op = MPI_OP_NULL,
		.nrequest = nrequest,
		.requests = malloc(((size_t)nrequest + 1) * sizeof(MPI_Request)),
		.code = MPI_SUCCESS};
	for (uint32_t i = 0; messenger->requests && i < nrequest; i++)
		messenger->requests[i] = MPI_REQUEST_NULL;
	return messenger->requests;
}

bool ordo_mpi_messenger_open_opaque(struct messenger *messenger, MPI_Comm comm,
	MPI_Datatype datatype, MPI_Op op, uint32_t nrequest)
{
	if (!ordo_mpi_messenger_open(messenger, comm, datatype, nrequest))
		return false;
	messenger->op = op;
	messenger->calls.reduce = reduce;
	messenger->calls.copy = copy;
	return true;
}

void ordo_mpi_messenger_close(struct messenger *messenger)
{
	free(messenger->requests);
	messenger->requests = NULL;
}
