/* classify.c - which calls are made in the proved order, and why others are passed on. */
#include "classify.h"
#include "accelerator/device.h"
#include "engine/elements.h"
#include "settings.h"
#include "world/strangers.h"
#include <stddef.h>

const char *ordo_mpi_class_name(enum ordo_mpi_class class)
{
	static const char *const names[ORDO_MPI_NCLASS] = {"taken", "integers", "one rank",
		"invalid arguments", "operation does not commute", "inter-communicator",
		"processes without the library", "communicator being freed", "device memory",
		"negative extent", "prefix sums", "more memory than memory= allows",
		"order=library"};
	return names[class];
}

static bool is_one_of(MPI_Datatype datatype, const MPI_Datatype *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (datatype == all[i] && all[i] != MPI_DATATYPE_NULL)
			return true;
	return false;
}

/* How a type was made; -1: it is none. */
static int combiner_of(MPI_Datatype datatype)
{
	int integers, addresses, datatypes, combiner;
	const int code =
		PMPI_Type_get_envelope(datatype, &integers, &addresses, &datatypes, &combiner);
	return code == MPI_SUCCESS ? combiner : -1;
}

/* Integers, logicals and pairs of integers: every builtin operation is associative. */
static bool is_exact(MPI_Datatype datatype)
{
	const MPI_Datatype all[] = {MPI_INT, MPI_LONG, MPI_LONG_LONG, MPI_UNSIGNED,
		MPI_UNSIGNED_LONG, MPI_UNSIGNED_LONG_LONG, MPI_INTEGER, MPI_LOGICAL, MPI_INT32_T,
		MPI_INT64_T, MPI_UINT32_T, MPI_UINT64_T, MPI_SHORT, MPI_UNSIGNED_SHORT,
		MPI_SIGNED_CHAR, MPI_UNSIGNED_CHAR, MPI_CHAR, MPI_BYTE, MPI_INT8_T, MPI_INT16_T,
		MPI_UINT8_T, MPI_UINT16_T, MPI_AINT, MPI_OFFSET, MPI_COUNT, MPI_C_BOOL,
		MPI_CXX_BOOL, MPI_2INT, MPI_2INTEGER, MPI_LONG_INT, MPI_SHORT_INT, MPI_CHARACTER,
		MPI_INTEGER1, MPI_INTEGER2, MPI_INTEGER4, MPI_INTEGER8};
	return is_one_of(datatype, all, sizeof all / sizeof *all) ||
	       combiner_of(datatype) == MPI_COMBINER_F90_INTEGER;
}

static bool is_complex(MPI_Datatype datatype)
{
	const MPI_Datatype all[] = {MPI_C_COMPLEX, MPI_C_FLOAT_COMPLEX, MPI_C_DOUBLE_COMPLEX,
		MPI_C_LONG_DOUBLE_COMPLEX, MPI_CXX_FLOAT_COMPLEX, MPI_CXX_DOUBLE_COMPLEX,
		MPI_CXX_LONG_DOUBLE_COMPLEX, MPI_COMPLEX, MPI_DOUBLE_COMPLEX, MPI_COMPLEX8,
		MPI_COMPLEX16, MPI_COMPLEX32};
	return is_one_of(datatype, all, sizeof all / sizeof *all) ||
	       combiner_of(datatype) == MPI_COMBINER_F90_COMPLEX;
}

/* A value and where it stands. */
static bool is_pair(MPI_Datatype datatype)
{
	const MPI_Datatype all[] = {MPI_FLOAT_INT, MPI_DOUBLE_INT, MPI_LONG_DOUBLE_INT, MPI_2REAL,
		MPI_2DOUBLE_PRECISION};
	return is_one_of(datatype, all, sizeof all / sizeof *all);
}

/* Whether MPI defines a builtin operation on a type that is not exact. */
static bool is_defined(MPI_Op op, MPI_Datatype datatype)
{
	if (op == MPI_SUM || op == MPI_PROD)
		return !is_pair(datatype);
	if (op == MPI_MIN || op == MPI_MAX)
		return !is_pair(datatype) && !is_complex(datatype);
	return (op == MPI_MINLOC || op == MPI_MAXLOC) && is_pair(datatype);
}

/* Types of Fortran's kinds, by MPI_Type_create_f90_real and so on, are no derived types. */
bool ordo_mpi_is_derived(MPI_Datatype datatype)
{
	const int combiner = combiner_of(datatype);
	return combiner != MPI_COMBINER_NAMED && combiner != MPI_COMBINER_F90_REAL &&
	       combiner != MPI_COMBINER_F90_COMPLEX && combiner != MPI_COMBINER_F90_INTEGER;
}

/* Either vector that this rank has. */
static bool is_on_device(const struct ordo_mpi_call *call, int rank)
{
	const bool receives = call->operation != ORDO_MPI_REDUCE || rank == call->root;
	return ordo_mpi_is_on_device(
		call->send == MPI_IN_PLACE ? NULL : call->send, receives ? call->receive : NULL);
}

/* MPI's own reductions fail on such types, or end the program. */
static bool is_backwards(MPI_Datatype datatype)
{
	MPI_Aint low, extent;
	return datatype != MPI_DOUBLE && datatype != MPI_FLOAT &&
	       PMPI_Type_get_extent(datatype, &low, &extent) == MPI_SUCCESS && extent < 0;
}

static bool has_valid_counts(const struct ordo_mpi_call *call, int nrank)
{
	for (int r = 0; ordo_mpi_has_counts(call) && r < nrank; r++)
		if (ordo_mpi_block(call, r) < 0)
			return false;
	return call->count >= 0 &&
	       (call->operation == ORDO_MPI_REDUCE_SCATTER) == ordo_mpi_has_counts(call);
}

/* Arguments that the library refuses; whatever is doubtful goes there. */
static bool is_valid(const struct ordo_mpi_call *call, int rank, int nrank)
{
	const bool is_rooted = call->operation == ORDO_MPI_REDUCE;
	const bool receives = !is_rooted || rank == call->root;
	if (!has_valid_counts(call, nrank) || call->datatype == MPI_DATATYPE_NULL ||
		call->op == MPI_OP_NULL || call->op == MPI_REPLACE || call->op == MPI_NO_OP ||
		(is_rooted && (call->root < 0 || call->root >= nrank)))
		return false;
	if (call->send == MPI_IN_PLACE && !receives)
		return false;
	if (receives &&
		(call->receive == MPI_IN_PLACE || (call->receive == call->send && call->count)))
		return false;
	return !call->count || (call->send && (call->receive || !receives)) ||
	       ordo_mpi_is_derived(call->datatype); /* of absolute addresses */
}

/* ORDO_MPI_TAKEN, or the class of a call on another kind of communicator. */
static enum ordo_mpi_class find_ranks(MPI_Comm comm, int *rank, int *nrank)
{
	int is_inter = 0;
	if (ordo_mpi_last(comm, rank, nrank))
		return ORDO_MPI_TAKEN;
	if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS)
		return ORDO_MPI_INVALID;
	PMPI_Comm_rank(comm, rank);
	PMPI_Comm_size(comm, nrank);
	return is_inter			      ? ORDO_MPI_INTERCOMMUNICATOR
	       : ordo_mpi_has_strangers(comm) ? ORDO_MPI_STRANGERS
					      : ORDO_MPI_TAKEN;
}

/* Of an operation on valid arguments. */
static enum ordo_mpi_class classify_operation(MPI_Datatype datatype, MPI_Op op)
{
	int commutes = 0;
	if (op == MPI_SUM && (datatype == MPI_DOUBLE || datatype == MPI_FLOAT))
		return ORDO_MPI_TAKEN;
	if (ordo_mpi_is_builtin(op))
		return !ordo_mpi_is_derived(datatype) && datatype != MPI_PACKED &&
				       is_defined(op, datatype)
			       ? ORDO_MPI_TAKEN
			       : ORDO_MPI_INVALID;
	if (PMPI_Op_commutative(op, &commutes) != MPI_SUCCESS)
		return ORDO_MPI_INVALID;
	return commutes ? ORDO_MPI_TAKEN : ORDO_MPI_NOT_COMMUTATIVE;
}

enum ordo_mpi_class ordo_mpi_classify(const struct ordo_mpi_call *call)
{
	int rank = 0, nrank = 0;
	if (call->comm == MPI_COMM_NULL)
		return ORDO_MPI_INVALID;
	const bool is_common = call->datatype == MPI_DOUBLE || call->datatype == MPI_FLOAT,
		   is_associative =
			   !is_common && ordo_mpi_is_builtin(call->op) && is_exact(call->datatype);
	if (is_associative && !ordo_mpi_settings.log[0])
		return ORDO_MPI_INTEGERS; /* valid or not */
	if (ordo_mpi_is_being_freed(call->comm))
		return ORDO_MPI_BEING_FREED;
	enum ordo_mpi_class class = find_ranks(call->comm, &rank, &nrank);
	if (class == ORDO_MPI_TAKEN && !is_valid(call, rank, nrank))
		class = ORDO_MPI_INVALID;
	if (class == ORDO_MPI_TAKEN && is_associative)
		return ORDO_MPI_INTEGERS;
	if (class == ORDO_MPI_TAKEN)
		class = classify_operation(call->datatype, call->op);
	if (class == ORDO_MPI_TAKEN && nrank == 1 && !call->nshard)
		class = ORDO_MPI_ONE_RANK;
	if (class == ORDO_MPI_TAKEN && is_on_device(call, rank))
		class = ORDO_MPI_DEVICE_MEMORY;
	if (class == ORDO_MPI_TAKEN && is_backwards(call->datatype))
		class = ORDO_MPI_BACKWARDS;
	return class == ORDO_MPI_TAKEN && ordo_mpi_settings.is_library ? ORDO_MPI_AS_IT_IS : class;
}
