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
	return !is_wide ? messenger->datatype : messenger->state_words ? MPI_UINT64_T : MPI_FLOAT;
}

/* A message has fewer than 2^31 bytes: see bound.c. */
static int count_of(const struct messenger *messenger, bool is_wide, uint64_t n)
{
	return (int)(is_wide && messenger->state_words ? n * messenger->state_words : n);
}

void ordo_mpi_messenger_accumulate(struct messenger *messenger, enum ordo_type accumulator)
{
	messenger->state_words =
		ordo_type_facts(accumulator)->kind == ORDO_STATE
			? (unsigned)(ordo_type_size(accumulator) / sizeof(uint64_t))
			: 0;
}

static bool start_send(void *closure, uint32_t request, uint32_t peer, uint32_t tag,
	const void *src, uint64_t n, bool is_wide)
{
	struct messenger *m = closure;
	return succeeded(m, (m->synchronous ? PMPI_Issend : PMPI_Isend)(
				    ordo_mpi_elements_given(&m->elements, src),
				    count_of(m, is_wide, n), datatype_of(m, is_wide), (int)peer,
				    (int)tag, m->comm, &m->requests[request]));
}

static bool start_receive(void *closure, uint32_t request, uint32_t peer, uint32_t tag, void *dst,
	uint64_t n, bool is_wide)
{
	struct messenger *m = closure;
	return succeeded(m, PMPI_Irecv(ordo_mpi_elements_given(&m->elements, dst),
				    count_of(m, is_wide, n), datatype_of(m, is_wide), (int)peer,
				    (int)tag, m->comm, &m->requests[request]));
}

static bool wait(void *closure, uint32_t request)
{
	struct messenger *m = closure;
	return succeeded(m, PMPI_Wait(&m->requests[request], MPI_STATUS_IGNORE));
}

static bool reduce(void *closure, void *dst, const void *src, uint64_t n)
{
	struct messenger *m = closure;
	m->is_lost = !succeeded(m, ordo_mpi_elements_reduce(&m->elements, dst, src, n));
	return !m->is_lost;
}

static bool copy(void *closure, void *dst, const void *src, uint64_t n)
{
	struct messenger *m = closure;
	m->is_lost = dst != src && !succeeded(m, m->arithmetic.copy(&m->elements, dst, src, n));
	return !m->is_lost;
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
		.nrequest = nrequest,
		.requests = malloc(((size_t)nrequest + 1) * sizeof(MPI_Request)),
		.code = MPI_SUCCESS};
	for (uint32_t i = 0; messenger->requests && i < nrequest; i++)
		messenger->requests[i] = MPI_REQUEST_NULL;
	return messenger->requests;
}

void ordo_mpi_messenger_set(struct messenger *messenger, const struct mpi_elements *elements)
{
	messenger->code = MPI_SUCCESS;
	messenger->is_lost = false;
	messenger->elements = *elements;
	messenger->arithmetic = ordo_mpi_elements_arithmetic(&messenger->elements);
	messenger->datatype = !elements->is_ours	   ? elements->datatype
			      : elements->type == ORDO_F32 ? MPI_FLOAT
							   : MPI_DOUBLE;
	messenger->calls.reduce = elements->is_ours ? NULL : reduce;
	messenger->calls.copy = elements->is_ours ? NULL : copy;
}

void ordo_mpi_messenger_close(struct messenger *messenger)
{
	free(messenger->requests);
	messenger->requests = NULL;
}
