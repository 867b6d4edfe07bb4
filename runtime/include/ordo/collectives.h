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
 *
 * Of every call: `count` is the elements of a block, as in ordo_plan_options; there are N blocks,
 * but one for AllReduce, Reduce and Broadcast. The calls that end in v take a count for each block
 * instead; they use the schedules of the operators that they are named after, and a repeated one
 * takes a lock to find its collective. Buffers need no alignment, and overlap only where a
 * comment says that they may; an input is only read, unless it is also the output. With virtual
 * shards (operator.h) the input holds one vector per shard. The bytes of all blocks (of AllToAllV
 * the most that a rank sends or receives) choose the schedule of a plan set. false: as
 * ordo_communicator_run; also ORDO_USAGE, if no schedule is bound for the operator and root.
 */
#ifndef ORDO_COLLECTIVES_H
#define ORDO_COLLECTIVES_H

#include <ordo/communicator.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Binds a schedule, for calls of its operator and root, of all sizes.
 *
 *   communicator   no rank is inside a call
 *   schedule       for as many ranks; proved here. Must outlive the communicator, or what it is
 *                  bound until
 *   error          filled if the result is false; may be NULL
 *
 * What was bound before for the same operator and root is replaced. false: ORDO_REFUTED, the
 * schedule breaks a rule; ORDO_USAGE, it is for another number of ranks, or a rank is inside a
 * call; or ORDO_ENVIRONMENT. */
ORDO_API bool ordo_communicator_bind(struct ordo_communicator *communicator,
	const struct ordo_schedule *schedule, struct ordo_error *error);

/* Binds the schedules of a group; the size of each call chooses one.
 *
 *   communicator   no rank is inside a call
 *   group          for as many ranks; must outlive the communicator, or what it is bound until
 *   error          filled if the result is false; may be NULL
 *
 * A schedule is proved when it is first needed. Otherwise as ordo_communicator_bind. */
ORDO_API bool ordo_communicator_bind_group(
	struct ordo_communicator *communicator, struct ordo_group *group, struct ordo_error *error);

/* Reads a schedule or a plan set, and binds it.
 *
 *   communicator   no rank is inside a call
 *   path           of the document: a file or a folder
 *   error          filled if the result is false, with file, line and column; may be NULL
 *
 * What is read belongs to the communicator. false: ORDO_BAD_INPUT, it cannot be read; otherwise
 * as ordo_communicator_bind and ordo_communicator_bind_group. */
ORDO_API bool ordo_communicator_bind_document(
	struct ordo_communicator *communicator, const char *path, struct ordo_error *error);

/* AllReduce: every rank gets the reduction of all inputs, element by element.
 *
 *   communicator   with a schedule of this operator bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [count] elements; may be the output
 *   output         [count] elements
 *   count          elements of a block
 *   type           of each element
 *   reduction      sum, prod, min, max or avg
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_allreduce(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, uint64_t count, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error);

/* Reduce: the root gets the reduction of all inputs, element by element.
 *
 *   communicator   with a schedule of this operator and root bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [count] elements; may be the output
 *   output         [count] elements at the root; NULL elsewhere, or not used
 *   count          elements of a block
 *   type           of each element
 *   reduction      sum, prod, min, max or avg
 *   root           the rank that gets the result
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_reduce(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	uint32_t root, struct ordo_error *error);

/* Broadcast: every rank gets the input of the root.
 *
 *   communicator   with a schedule of this operator and root bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [count] elements at the root; may be the output. NULL elsewhere, or not used
 *   output         [count] elements
 *   count          elements of a block
 *   type           of each element
 *   root           the rank that has the input
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_broadcast(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error);

/* ReduceScatter: each rank gets its own block of the reduction of all inputs.
 *
 *   communicator   with a schedule of this operator bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [nrank][count] elements
 *   output         [count] elements; may be block `rank` of the input
 *   count          elements of a block
 *   type           of each element
 *   reduction      sum, prod, min, max or avg
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_reducescatter(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, uint64_t count, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error);

/* AllGather: every rank gets the inputs of all ranks, one after another.
 *
 *   communicator   with a schedule of this operator bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [count] elements; may be block `rank` of the output
 *   output         [nrank][count] elements
 *   count          elements of a block
 *   type           of each element
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_allgather(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, uint64_t count, enum ordo_type type,
	struct ordo_error *error);

/* Scatter: each rank gets its own block of the input of the root.
 *
 *   communicator   with a schedule of this operator and root bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [nrank][count] elements at the root; NULL elsewhere, or not used
 *   output         [count] elements; at the root it may be block `rank` of the input
 *   count          elements of a block
 *   type           of each element
 *   root           the rank that has the input
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_scatter(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, uint32_t root, struct ordo_error *error);

/* Gather: the root gets the inputs of all ranks, one after another.
 *
 *   communicator   with a schedule of this operator and root bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [count] elements; at the root it may be block `rank` of the output
 *   output         [nrank][count] elements at the root; NULL elsewhere, or not used
 *   count          elements of a block
 *   type           of each element
 *   root           the rank that gets the result
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_gather(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, uint64_t count, enum ordo_type type, uint32_t root, struct ordo_error *error);

/* AllToAll: each rank gets one block of every rank. Block j of the input of rank i becomes block
 * i of the output of rank j.
 *
 *   communicator   with a schedule of this operator bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [nrank][count] elements
 *   output         [nrank][count] elements; not the input
 *   count          elements of a block
 *   type           of each element
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_alltoall(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, uint64_t count, enum ordo_type type,
	struct ordo_error *error);

/* ReduceScatterV: each rank gets its own block of the reduction of all inputs; block r has
 * counts[r] elements.
 *
 *   communicator   with a schedule of ReduceScatter bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [sum of counts] elements, the blocks one after another
 *   output         [counts[rank]] elements; may be block `rank` of the input
 *   counts         [nrank] elements of each block, the same on all ranks; copied
 *   type           of each element
 *   reduction      sum, prod, min, max or avg
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_reducescatterv(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, const uint64_t *counts, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error);

/* AllGatherV: every rank gets the inputs of all ranks, one after another; that of rank r has
 * counts[r] elements.
 *
 *   communicator   with a schedule of AllGather bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [counts[rank]] elements; may be block `rank` of the output
 *   output         [sum of counts] elements
 *   counts         [nrank] elements of each block, the same on all ranks; copied
 *   type           of each element
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_allgatherv(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, const uint64_t *counts, enum ordo_type type,
	struct ordo_error *error);

/* ScatterV: each rank gets its own block of the input of the root; block r has counts[r] elements.
 *
 *   communicator   with a schedule of Scatter and root bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [sum of counts] elements at the root; NULL elsewhere, or not used
 *   output         [counts[rank]] elements; at the root it may be block `rank` of the input
 *   counts         [nrank] elements of each block, the same on all ranks; copied
 *   type           of each element
 *   root           the rank that has the input
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_scatterv(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, const uint64_t *counts, enum ordo_type type, uint32_t root,
	struct ordo_error *error);

/* GatherV: the root gets the inputs of all ranks, one after another; that of rank r has counts[r]
 * elements.
 *
 *   communicator   with a schedule of Gather and root bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [counts[rank]] elements; at the root it may be block `rank` of the output
 *   output         [sum of counts] elements at the root; NULL elsewhere, or not used
 *   counts         [nrank] elements of each block, the same on all ranks; copied
 *   type           of each element
 *   root           the rank that gets the result
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_gatherv(struct ordo_communicator *communicator, uint32_t rank, const void *input,
	void *output, const uint64_t *counts, enum ordo_type type, uint32_t root,
	struct ordo_error *error);

/* AllToAllV: each rank gets one block of every rank; that from rank i for rank j has counts[i *
 * nrank + j] elements. Unlike in MPI every rank passes the counts of all ranks.
 *
 *   communicator   with a schedule of AllToAll bound
 *   rank           that calls, 0..nrank-1; one thread at a time acts for a rank
 *   input          [sum of row `rank` of counts] elements, in the order of the ranks they are for
 *   output         [sum of column `rank` of counts] elements, in the order of the ranks they are
 *                  from; not the input
 *   counts         [nrank][nrank] elements of each block, the same on all ranks; copied
 *   type           of each element
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_alltoallv(struct ordo_communicator *communicator, uint32_t rank,
	const void *input, void *output, const uint64_t *counts, enum ordo_type type,
	struct ordo_error *error);

/* AllReduce for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_allreduce takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   count, type, reduction   as ordo_allreduce
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_allreduce_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	struct ordo_error *error);

/* Reduce for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_reduce takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   count, type, reduction, root   as ordo_reduce
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_reduce_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, enum ordo_reduction reduction,
	uint32_t root, struct ordo_error *error);

/* Broadcast for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_broadcast takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   count, type, root   as ordo_broadcast
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_broadcast_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error);

/* ReduceScatter for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_reducescatter takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   count, type, reduction   as ordo_reducescatter
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_reducescatter_all(struct ordo_communicator *communicator,
	const void *const *inputs, void *const *outputs, uint64_t count, enum ordo_type type,
	enum ordo_reduction reduction, struct ordo_error *error);

/* AllGather for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_allgather takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   count, type   as ordo_allgather
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_allgather_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, struct ordo_error *error);

/* Scatter for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_scatter takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   count, type, root   as ordo_scatter
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_scatter_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error);

/* Gather for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_gather takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   count, type, root   as ordo_gather
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_gather_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, uint32_t root,
	struct ordo_error *error);

/* AllToAll for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_alltoall takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   count, type   as ordo_alltoall
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_alltoall_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, uint64_t count, enum ordo_type type, struct ordo_error *error);

/* ReduceScatterV for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_reducescatterv takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   counts, type, reduction   as ordo_reducescatterv
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_reducescatterv_all(struct ordo_communicator *communicator,
	const void *const *inputs, void *const *outputs, const uint64_t *counts,
	enum ordo_type type, enum ordo_reduction reduction, struct ordo_error *error);

/* AllGatherV for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_allgatherv takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   counts, type   as ordo_allgatherv
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_allgatherv_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, const uint64_t *counts, enum ordo_type type,
	struct ordo_error *error);

/* ScatterV for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_scatterv takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   counts, type, root   as ordo_scatterv
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_scatterv_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, const uint64_t *counts, enum ordo_type type, uint32_t root,
	struct ordo_error *error);

/* GatherV for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_gatherv takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   counts, type, root   as ordo_gatherv
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_gatherv_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, const uint64_t *counts, enum ordo_type type, uint32_t root,
	struct ordo_error *error);

/* AllToAllV for all ranks, by one thread, as ordo_communicator_run_all.
 *
 *   communicator   every rank has made the same number of calls before
 *   inputs         [nrank] what ordo_alltoallv takes as the input of each rank
 *   outputs        [nrank] what it takes as the output of each rank
 *   counts, type   as ordo_alltoallv
 *   error          filled if the result is false; may be NULL */
ORDO_API bool ordo_alltoallv_all(struct ordo_communicator *communicator, const void *const *inputs,
	void *const *outputs, const uint64_t *counts, enum ordo_type type,
	struct ordo_error *error);

#ifdef __cplusplus
}
#endif
#endif
