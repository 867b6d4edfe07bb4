/* collectives.h - collective operations called by name.
 *
 * Schedules are bound to a communicator first; then every operator with a schedule is called by its
 * name, with buffers, a count, a type and a reduction, as in NCCL or MPI:
 *
 *   ordo_allreduce(communicator, rank, input, output, count, ORDO_F32, ORDO_SUM, &error)
 *       by every rank, each on a thread of its own
 *   ordo_allreduce_all(communicator, inputs, outputs, count, ORDO_F32, ORDO_SUM, &error)
 *       by one thread for all ranks
 *
 * A call does what ordo_communicator_run (or run_all) does with the collective for its count, type
 * and reduction; communicator.h documents calls, buffers and failures, and calls of both kinds may
 * be mixed. The first rank that needs a collective creates it, while the others wait, and the
 * communicator keeps it: a repeated call allocates nothing and takes no lock. The communicator
 * keeps as many as the option `nkept` allows, and evicts the least recently used first.
 */
#ifndef ORDO_COLLECTIVES_H
#define ORDO_COLLECTIVES_H

#include <ordo/communicator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Binds a schedule for all sizes of its operator and root, in place of one bound before for the
 * same. Proves the schedule, which must outlive the communicator or its own replacement. No rank
 * may be inside a call. false: the schedule is refuted or for another number of ranks, or see
 * error. */
ORDO_API bool ordo_communicator_bind(struct ordo_communicator *communicator,
	const struct ordo_schedule *schedule, struct ordo_error *error);
/* The same for the schedules of a group; the size of each call chooses one. Each is proved on first
 * use. The group must outlive the communicator. */
ORDO_API bool ordo_communicator_bind_group(
	struct ordo_communicator *communicator, struct ordo_group *group, struct ordo_error *error);
/* The same for a document: a schedule or a plan set, a file or a folder. The communicator owns what
 * it reads. */
ORDO_API bool ordo_communicator_bind_document(
	struct ordo_communicator *communicator, const char *path, struct ordo_error *error);

/* `count` is that of ordo_plan_options: the elements of a block. With N ranks:
 *
 *   AllReduce, Reduce, Broadcast   count elements in and out
 *   ReduceScatter, Scatter         N * count in (Scatter: at the root), count out
 *   AllGather, Gather              count in, N * count out (Gather: at the root)
 *   AllToAll                       N * count in and out
 *
 * The input is only read, unless it is also the output (in place). A buffer that the rank does not
 * need may be NULL. A plan set chooses by the size of plan_set.h: count elements for AllReduce,
 * Reduce and Broadcast, N * count for the others. With virtual shards (operator.h) the input holds
 * one vector per shard. false: see error; ORDO_USAGE also if no schedule is bound for the operator
 * and root. */
ORDO_API bool ordo_allreduce(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, uint64_t count, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error);
ORDO_API bool ordo_reduce(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	uint32_t root, struct ordo_error *error);
ORDO_API bool ordo_broadcast(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error);
ORDO_API bool ordo_reducescatter(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, uint64_t count, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error);
ORDO_API bool ordo_allgather(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, uint64_t count, enum ordo_type type,
	struct ordo_error *error);
ORDO_API bool ordo_scatter(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, uint32_t root, struct ordo_error *error);
ORDO_API bool ordo_gather(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, uint32_t root, struct ordo_error *error);
ORDO_API bool ordo_alltoall(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, uint64_t count, enum ordo_type type,
	struct ordo_error *error);

/* The same for all ranks: inputs[nrank], outputs[nrank]. */
ORDO_API bool ordo_allreduce_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	struct ordo_error *error);
ORDO_API bool ordo_reduce_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	uint32_t root, struct ordo_error *error);
ORDO_API bool ordo_broadcast_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error);
ORDO_API bool ordo_reducescatter_all(struct ordo_communicator *communicator,
	const void *const *inputs, void *const *outputs, uint64_t count, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error);
ORDO_API bool ordo_allgather_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, struct ordo_error *error);
ORDO_API bool ordo_scatter_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error);
ORDO_API bool ordo_gather_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error);
ORDO_API bool ordo_alltoall_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
