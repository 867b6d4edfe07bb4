/* shards.c - what programs call: see <ordo/mpi.h>. */
#define ORDO_MPI_LINKED
#define ORDO_MPI_CALL(name) PMPI_##name
#pragma GCC visibility push(default)
#include <ordo/mpi.h>
#pragma GCC visibility pop
#include "program/intercept.h"
#include "program/settings.h"

int ordo_mpi_allreduce_shards(const void *contributions, void *sum, int count,
	MPI_Datatype datatype, MPI_Op op, int nshard, MPI_Comm comm)
{
	struct ordo_mpi_call call = {.operation = ORDO_MPI_ALLREDUCE,
		.send = contributions,
		.receive = sum,
		.count = count,
		.datatype = datatype,
		.op = op,
		.comm = comm,
		.nshard = nshard};
	struct ordo_mpi_passed passed = {0};
	int code = MPI_SUCCESS;
	if (!ordo_mpi_take(&passed, ORDO_MPI_F_ALLREDUCE_SHARDS, &call, &code))
		code = ordo_mpi_end(&passed, &call,
			ordo_mpi_allreduce_shards_without(
				contributions, sum, count, datatype, op, nshard, comm));
	return code;
}

int ordo_mpi_shards(int otherwise)
{
	return ordo_mpi_settings.shards ? (int)ordo_mpi_settings.shards : otherwise;
}

/* Fortran: `external ordo_mpi_allreduce_shards`, with handles as integers and an error code last.
 */
#pragma GCC visibility push(default)
void ordo_mpi_allreduce_shards_(const void *contributions, void *sum, const MPI_Fint *count,
	const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *nshard, const MPI_Fint *comm,
	MPI_Fint *code);
#pragma GCC visibility pop
void ordo_mpi_allreduce_shards_(const void *contributions, void *sum, const MPI_Fint *count,
	const MPI_Fint *datatype, const MPI_Fint *op, const MPI_Fint *nshard, const MPI_Fint *comm,
	MPI_Fint *code)
{
	*code = ordo_mpi_allreduce_shards(contributions, sum, *count, PMPI_Type_f2c(*datatype),
		PMPI_Op_f2c(*op), *nshard, PMPI_Comm_f2c(*comm));
}
