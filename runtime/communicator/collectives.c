/* collectives.c - calls by name: looks up the collective, then makes the call. */
#include "abort.h"
#include "bound.h"
#include "communicator.h"
#include "kernels/arithmetic.h"
#include <ordo/collectives.h>

/* A call by name, without the rank and its buffers. */
struct request {
	enum ordo_operator op;
	uint32_t root;
	uint64_t count;
	enum ordo_type type;
	enum ordo_reduction reduction;
	const uint64_t *counts; /* [nblock] */
	bool has_counts;	/* instead of count */
};

/* The collective, for a rank that the caller acts for. */
static const struct ordo_collective *find(struct ordo_communicator *communicator, uint32_t rank,
	const struct request *request, struct ordo_error *error)
{
	const struct ordo_plan_options options = {
		.type = request->type, .reduction = request->reduction};
	if (((unsigned)request->type >= ORDO_NTYPE_AND_STATE ||
		    (unsigned)request->reduction >= ORDO_NREDUCTION) &&
		!ordo_plan_options_check(&options, error))
		return NULL;
	if (atomic_load_explicit(&communicator->broken, memory_order_relaxed)) {
		ordo_communicator_fail(communicator, error);
		return NULL;
	}
	if (request->has_counts && !request->counts) {
		ordo_fail(error, ORDO_USAGE, 0, "%sV: found no counts, wanted one for each block",
			ordo_operator_facts(request->op)->name);
		return NULL;
	}
	struct key key = ordo_call_key(
		request->op, request->root, request->type, request->reduction, request->count);
	if (request->has_counts)
		key = ordo_call_key_unequal(&key, request->counts, communicator->nrank);
	return ordo_bound_find(communicator, rank, &key, error);
}

static bool call(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, const struct request *request, struct ordo_error *error)
{
	if (!ordo_float_mode_check(error) || !ordo_enter(communicator, rank, error))
		return false;
	const struct ordo_part part = {.collective = find(communicator, rank, request, error),
		.input = input,
		.output = output};
	const bool worked = part.collective && ordo_run_entered(communicator, rank, &part, error);
	ordo_leave(communicator, rank);
	return worked;
}

static bool call_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, const struct request *request, struct ordo_error *error)
{
	if (!ordo_float_mode_check(error) || !ordo_enter_all(communicator, error))
		return false;
	const struct ordo_collective *collective = find(communicator, 0, request, error);
	for (uint32_t r = 0; collective && r < communicator->nrank; r++)
		communicator->bound->parts[r] = (struct ordo_part){
			.collective = collective, .input = inputs[r], .output = outputs[r]};
	const bool worked =
		collective && ordo_run_all_entered(communicator, communicator->bound->parts, error);
	ordo_leave_all(communicator);
	return worked;
}

bool ordo_allreduce(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	struct ordo_error *error)
{
	const struct request request = {ORDO_ALLREDUCE, 0, count, type, reduction, NULL, false};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_reduce(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	uint32_t root, struct ordo_error *error)
{
	const struct request request = {ORDO_REDUCE, root, count, type, reduction, NULL, false};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_broadcast(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, uint32_t root, struct ordo_error *error)
{
	const struct request request = {ORDO_BROADCAST, root, count, type, ORDO_SUM, NULL, false};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_reducescatter(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	struct ordo_error *error)
{
	const struct request request = {ORDO_REDUCESCATTER, 0, count, type, reduction, NULL, false};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_allgather(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, struct ordo_error *error)
{
	const struct request request = {ORDO_ALLGATHER, 0, count, type, ORDO_SUM, NULL, false};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_scatter(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, uint32_t root, struct ordo_error *error)
{
	const struct request request = {ORDO_SCATTER, root, count, type, ORDO_SUM, NULL, false};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_gather(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, uint32_t root, struct ordo_error *error)
{
	const struct request request = {ORDO_GATHER, root, count, type, ORDO_SUM, NULL, false};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_alltoall(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, struct ordo_error *error)
{
	const struct request request = {ORDO_ALLTOALL, 0, count, type, ORDO_SUM, NULL, false};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_allreduce_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	struct ordo_error *error)
{
	const struct request request = {ORDO_ALLREDUCE, 0, count, type, reduction, NULL, false};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_reduce_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	uint32_t root, struct ordo_error *error)
{
	const struct request request = {ORDO_REDUCE, root, count, type, reduction, NULL, false};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_broadcast_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error)
{
	const struct request request = {ORDO_BROADCAST, root, count, type, ORDO_SUM, NULL, false};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_reducescatter_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	struct ordo_error *error)
{
	const struct request request = {ORDO_REDUCESCATTER, 0, count, type, reduction, NULL, false};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_allgather_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, struct ordo_error *error)
{
	const struct request request = {ORDO_ALLGATHER, 0, count, type, ORDO_SUM, NULL, false};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_scatter_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error)
{
	const struct request request = {ORDO_SCATTER, root, count, type, ORDO_SUM, NULL, false};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_gather_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error)
{
	const struct request request = {ORDO_GATHER, root, count, type, ORDO_SUM, NULL, false};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_alltoall_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, struct ordo_error *error)
{
	const struct request request = {ORDO_ALLTOALL, 0, count, type, ORDO_SUM, NULL, false};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_reducescatterv(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, const uint64_t *counts, enum ordo_type type, enum ordo_reduction reduction,
	struct ordo_error *error)
{
	const struct request request = {ORDO_REDUCESCATTER, 0, 0, type, reduction, counts, true};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_reducescatterv_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, const uint64_t *counts, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error)
{
	const struct request request = {ORDO_REDUCESCATTER, 0, 0, type, reduction, counts, true};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_allgatherv(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, const uint64_t *counts, enum ordo_type type, struct ordo_error *error)
{
	const struct request request = {ORDO_ALLGATHER, 0, 0, type, ORDO_SUM, counts, true};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_allgatherv_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, const uint64_t *counts, enum ordo_type type, struct ordo_error *error)
{
	const struct request request = {ORDO_ALLGATHER, 0, 0, type, ORDO_SUM, counts, true};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_scatterv(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, const uint64_t *counts, enum ordo_type type, uint32_t root,
	struct ordo_error *error)
{
	const struct request request = {ORDO_SCATTER, root, 0, type, ORDO_SUM, counts, true};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_scatterv_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, const uint64_t *counts, enum ordo_type type, uint32_t root,
	struct ordo_error *error)
{
	const struct request request = {ORDO_SCATTER, root, 0, type, ORDO_SUM, counts, true};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_gatherv(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, const uint64_t *counts, enum ordo_type type, uint32_t root,
	struct ordo_error *error)
{
	const struct request request = {ORDO_GATHER, root, 0, type, ORDO_SUM, counts, true};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_gatherv_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, const uint64_t *counts, enum ordo_type type, uint32_t root,
	struct ordo_error *error)
{
	const struct request request = {ORDO_GATHER, root, 0, type, ORDO_SUM, counts, true};
	return call_all(communicator, inputs, outputs, &request, error);
}

bool ordo_alltoallv(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, const uint64_t *counts, enum ordo_type type, struct ordo_error *error)
{
	const struct request request = {ORDO_ALLTOALL, 0, 0, type, ORDO_SUM, counts, true};
	return call(communicator, rank, input, output, &request, error);
}

bool ordo_alltoallv_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, const uint64_t *counts, enum ordo_type type, struct ordo_error *error)
{
	const struct request request = {ORDO_ALLTOALL, 0, 0, type, ORDO_SUM, counts, true};
	return call_all(communicator, inputs, outputs, &request, error);
}
