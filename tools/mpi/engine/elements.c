/* elements.c - the elements of a call: which loops reduce them, and how they lie in memory. */
#include "elements.h"
#include "world/world.h"
#include <float.h>
#include <ordo/detail/interpreter.h>
#include <stdlib.h>
#include <string.h>

/* Elements that one call of MPI takes. */
#define MOST (UINT64_C(1) << 30)

struct known {
	MPI_Datatype datatype;
	enum ordo_type type;
	unsigned per_element;
};

bool ordo_mpi_is_builtin(MPI_Op op)
{
	const MPI_Op all[] = {MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX, MPI_LAND, MPI_LOR, MPI_LXOR,
		MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (op == all[i])
			return true;
	return false;
}

/* Whether our loops sum it; the handles are not constants in every MPI. */
static bool find_known(struct mpi_elements *elements)
{
	const struct known all[] = {{MPI_FLOAT, ORDO_F32, 1}, {MPI_DOUBLE, ORDO_F64, 1},
		{MPI_C_FLOAT_COMPLEX, ORDO_F32, 2}, {MPI_C_DOUBLE_COMPLEX, ORDO_F64, 2},
		{MPI_CXX_FLOAT_COMPLEX, ORDO_F32, 2}, {MPI_CXX_DOUBLE_COMPLEX, ORDO_F64, 2},
		{MPI_REAL4, ORDO_F32, 1}, {MPI_REAL8, ORDO_F64, 1}, {MPI_COMPLEX8, ORDO_F32, 2},
		{MPI_COMPLEX16, ORDO_F64, 2}, {MPI_REAL, ORDO_F32, 1},
		{MPI_DOUBLE_PRECISION, ORDO_F64, 1}, {MPI_COMPLEX, ORDO_F32, 2},
		{MPI_DOUBLE_COMPLEX, ORDO_F64, 2}};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		/* a compiler's option can make Fortran's REAL longer */
		if (elements->datatype != all[i].datatype || all[i].datatype == MPI_DATATYPE_NULL ||
			elements->extent != ordo_type_size(all[i].type) * all[i].per_element)
			continue;
		elements->type = all[i].type;
		elements->per_element = all[i].per_element;
		return true;
	}
	return false;
}

/* The two types of most calls, without a question to MPI. */
static bool is_common(struct mpi_elements *elements)
{
	const bool is_double = elements->datatype == MPI_DOUBLE;
	if (elements->op != MPI_SUM || (!is_double && elements->datatype != MPI_FLOAT))
		return false;
	elements->is_ours = elements->is_packed = true;
	elements->type = is_double ? ORDO_F64 : ORDO_F32;
	elements->size = elements->extent = elements->margin = elements->reach =
		is_double ? sizeof(double) : sizeof(float);
	return true;
}

int ordo_mpi_elements(struct mpi_elements *elements, MPI_Datatype datatype, MPI_Op op)
{
	MPI_Aint low, extent, true_low, true_extent;
	MPI_Count size = 0;
	*elements = (struct mpi_elements){.per_element = 1, .datatype = datatype, .op = op};
	if (is_common(elements))
		return MPI_SUCCESS;
	elements->may_differ = !ordo_mpi_is_builtin(op);
	int code = PMPI_Type_get_extent(datatype, &low, &extent);
	if (code == MPI_SUCCESS)
		code = PMPI_Type_get_true_extent(datatype, &true_low, &true_extent);
	if (code == MPI_SUCCESS)
		code = PMPI_Type_size_x(datatype, &size);
	if (code != MPI_SUCCESS)
		return code;
	if (extent < 0 || true_extent < 0) /* such calls are passed on */
		return MPI_ERR_TYPE;
	elements->size = (uint64_t)size;
	elements->reach = (uint64_t)true_extent;
	elements->extent = extent ? (uint64_t)extent : 1;
	elements->shift = (int64_t)true_low & ~INT64_C(63);
	elements->margin = (uint64_t)(true_low - elements->shift + true_extent);
	elements->is_packed = !true_low && !low && size == extent && true_extent == extent;
	elements->is_ours = op == MPI_SUM && find_known(elements);
	return MPI_SUCCESS;
}

static int copy_ours(void *closure, void *dst, const void *src, uint64_t n)
{
	const struct mpi_elements *elements = closure;
	memmove(dst, src, n * elements->extent);
	return MPI_SUCCESS;
}

static int copy_opaque(void *closure, void *dst, const void *src, uint64_t n)
{
	const struct mpi_elements *elements = closure;
	if (elements->is_packed)
		return copy_ours(closure, dst, src, n);
	for (uint64_t done = 0; done < n; done += MOST) {
		const int part = (int)(n - done < MOST ? n - done : MOST);
		const char *from = (const char *)src + done * elements->extent;
		char *to = (char *)dst + done * elements->extent;
		const int code = PMPI_Sendrecv(ordo_mpi_elements_given(elements, from), part,
			elements->datatype, 0, 0, ordo_mpi_elements_given(elements, to), part,
			elements->datatype, 0, 0, ordo_mpi_self(), MPI_STATUS_IGNORE);
		if (code != MPI_SUCCESS)
			return code;
	}
	return MPI_SUCCESS;
}

int ordo_mpi_elements_reduce(
	const struct mpi_elements *elements, void *dst, const void *src, uint64_t n)
{
	for (uint64_t done = 0; done < n; done += MOST) {
		const char *from = (const char *)src + done * elements->extent;
		char *to = (char *)dst + done * elements->extent;
		const int code = PMPI_Reduce_local(ordo_mpi_elements_given(elements, from),
			ordo_mpi_elements_given(elements, to),
			(int)(n - done < MOST ? n - done : MOST), elements->datatype, elements->op);
		if (code != MPI_SUCCESS)
			return code;
	}
	return MPI_SUCCESS;
}

/* The sum of two numbers, as our loops make it: a NaN is the plain one. */
static void add_floats(void *dst, const void *left, const void *right)
{
	const uint32_t plain_nan = 0x7fc00000;
	float a, b;
	memcpy(&a, left, sizeof a);
	memcpy(&b, right, sizeof b);
	a += b;
	memcpy(dst, a == a ? (const void *)&a : &plain_nan, sizeof a);
}

static void add_doubles(void *dst, const void *left, const void *right)
{
	const uint64_t plain_nan = UINT64_C(0x7ff8000000000000);
	double a, b;
	memcpy(&a, left, sizeof a);
	memcpy(&b, right, sizeof b);
	a += b;
	memcpy(dst, a == a ? (const void *)&a : &plain_nan, sizeof a);
}

/* Loops are prepared for many; a compiler with wider registers might round twice. */
static bool is_one_number(const struct mpi_elements *elements, uint64_t n)
{
	return n == 1 && elements->per_element == 1 && FLT_EVAL_METHOD == 0;
}

static int combine_ours(void *closure, void *dst, const void *left, const void *right, uint64_t n)
{
	const struct mpi_elements *elements = closure;
	const void *const sources[] = {left, right};
	if (is_one_number(elements, n)) {
		(elements->type == ORDO_F32 ? add_floats : add_doubles)(dst, left, right);
		return MPI_SUCCESS;
	}
	ordo_fold_elements(elements->type, ORDO_SUM, dst, sources, 2, n * elements->per_element);
	return MPI_SUCCESS;
}

/* MPI_Reduce_local writes to its right operand. */
static int combine_opaque(void *closure, void *dst, const void *left, const void *right, uint64_t n)
{
	int code = MPI_SUCCESS;
	if (dst == right)
		return ordo_mpi_elements_reduce(closure, dst, left, n);
	if (dst != left)
		code = copy_opaque(closure, dst, left, n);
	return code == MPI_SUCCESS ? ordo_mpi_elements_reduce(closure, dst, right, n) : code;
}

int ordo_mpi_elements_copy(
	const struct mpi_elements *elements, void *dst, const void *src, uint64_t n)
{
	struct mpi_elements own = *elements;
	if (dst == src || !n)
		return MPI_SUCCESS;
	return (elements->is_ours ? copy_ours : copy_opaque)(&own, dst, src, n);
}

void *ordo_mpi_elements_allocate(const struct mpi_elements *elements, uint64_t n, void **base)
{
	const uint64_t margin = (elements->margin + 63) / 64 * 64;
	if (n > (SIZE_MAX / 2 - 2 * margin) / elements->extent)
		return *base = NULL;
	*base = aligned_alloc(64, (n * elements->extent + 63) / 64 * 64 + 2 * margin + 64);
	return *base ? (char *)*base + margin : NULL;
}

struct mpi_arithmetic ordo_mpi_elements_arithmetic(struct mpi_elements *elements)
{
	return (struct mpi_arithmetic){.closure = elements,
		.extent = elements->extent,
		.margin = (elements->margin + 63) / 64 * 64,
		.type = elements->type,
		.per_element = elements->per_element,
		.combine = elements->is_ours ? combine_ours : combine_opaque,
		.copy = elements->is_ours ? copy_ours : copy_opaque};
}
