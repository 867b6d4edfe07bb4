/* transport.c - what the command runs a schedule with: see transport.h. */
#include "transport.h"
#include "engine/messenger.h"
#include <inttypes.h>
#include <ordo/detail/fail.h>
#include <stdlib.h>
#include <string.h>

static MPI_Comm world; /* a duplicate, so that nothing meets the messages of a program */

static bool begin(uint32_t *rank, uint32_t *nrank, struct ordo_error *error)
{
	int is_on, own, all;
	if (PMPI_Initialized(&is_on) != MPI_SUCCESS ||
		(!is_on && PMPI_Init(NULL, NULL) != MPI_SUCCESS))
		return ordo_fail(error, ORDO_ENVIRONMENT, 0, "MPI could not be started");
	PMPI_Comm_dup(MPI_COMM_WORLD, &world);
	PMPI_Comm_rank(world, &own);
	PMPI_Comm_size(world, &all);
	*rank = (uint32_t)own;
	*nrank = (uint32_t)all;
	return true;
}

static void end(void)
{
	PMPI_Comm_free(&world);
	PMPI_Finalize();
}

static void abort_all(int status)
{
	PMPI_Abort(world, status);
}

static const char *library(void)
{
	static char text[MPI_MAX_LIBRARY_VERSION_STRING];
	int length;
	PMPI_Get_library_version(text, &length);
	for (char *p = text; *p; p++)
		*p = *p == '\t' ? ' ' : *p;
	text[strcspn(text, ",\n")] = 0;
	return text;
}

static bool agree(uint64_t number)
{
	uint64_t own[2] = {number, ~number}, all[2];
	PMPI_Allreduce(own, all, 2, MPI_UINT64_T, MPI_MAX, world);
	return all[0] == number && all[1] == ~number;
}

static void broadcast(void *data, size_t size, uint32_t root)
{
	for (size_t done = 0; done < size; done += 1u << 30)
		PMPI_Bcast((char *)data + done,
			(int)(size - done < 1u << 30 ? size - done : 1u << 30), MPI_BYTE, (int)root,
			world);
}

static void gather(const void *own, size_t size, void *all)
{
	PMPI_Gather(own, (int)size, MPI_BYTE, all, (int)size, MPI_BYTE, 0, world);
}

static void barrier(void)
{
	PMPI_Barrier(world);
}

static double seconds(void)
{
	return PMPI_Wtime();
}

/* f16, bf16 and fp8 travel as integers of their size, pairs as numbers of theirs. */
static MPI_Datatype datatype_of(enum ordo_type type)
{
	switch (type) {
	case ORDO_F16:
	case ORDO_BF16:
	case ORDO_U16:
		return MPI_UINT16_T;
	case ORDO_I16:
		return MPI_INT16_T;
	case ORDO_U32:
		return MPI_UINT32_T;
	case ORDO_U64:
	case ORDO_F32_I32:
	case ORDO_I32_I32:
		return MPI_UINT64_T;
	case ORDO_C64:
		return MPI_C_FLOAT_COMPLEX;
	case ORDO_C128:
	case ORDO_F64_I32:
	case ORDO_I64_I32:
		return MPI_C_DOUBLE_COMPLEX;
	case ORDO_F32:
		return MPI_FLOAT;
	case ORDO_F64:
		return MPI_DOUBLE;
	case ORDO_I8:
		return MPI_INT8_T;
	case ORDO_I32:
		return MPI_INT32_T;
	case ORDO_I64:
		return MPI_INT64_T;
	case ORDO_U8:
	case ORDO_F8E4M3:
	case ORDO_F8E5M2:
	case ORDO_EXACT_F8E4M3: /* accumulators only */
	case ORDO_EXACT_F8E5M2:
	case ORDO_EXACT_F16:
	case ORDO_BINNED2_F32:
	case ORDO_BINNED3_F32:
	case ORDO_BINNED2_F64:
	case ORDO_BINNED3_F64:
		break;
	}
	return MPI_UINT8_T;
}

static struct ordo_messenger *make_messenger(
	uint32_t nrequest, enum ordo_type type, enum ordo_type accumulator, bool synchronous)
{
	struct messenger *messenger = malloc(sizeof *messenger);
	if (!messenger || !ordo_mpi_messenger_open(messenger, world, datatype_of(type), nrequest)) {
		free(messenger);
		return NULL;
	}
	ordo_mpi_messenger_accumulate(messenger, accumulator);
	messenger->synchronous = synchronous;
	return &messenger->calls;
}

static void free_messenger(struct ordo_messenger *messenger)
{
	if (!messenger)
		return;
	struct messenger *own = messenger->closure;
	ordo_mpi_messenger_close(own);
	free(own);
}

/* Exported. */
ORDO_API extern const struct ordo_mpi_transport ordo_mpi_transport;
const struct ordo_mpi_transport ordo_mpi_transport = {
	.version = ORDO_MPI_TRANSPORT_VERSION,
	.begin = begin,
	.end = end,
	.abort = abort_all,
	.library = library,
	.agree = agree,
	.broadcast = broadcast,
	.gather = gather,
	.barrier = barrier,
	.seconds = seconds,
	.make_messenger = make_messenger,
	.free_messenger = free_messenger,
};
