/* exchanges.h - schedules of every shape the runtime must run, made without the compiler. */
#ifndef EXCHANGES_H
#define EXCHANGES_H

#include <ordo/schedule.h>

/* All end the test if there is no memory. The caller destroys the schedule. */

/* AllReduce round the ring with K = nrank; with two streams a rank, one copies and wakes the other
 * through a signal of its own. */
struct ordo_schedule *exchange_ring(uint32_t nrank, bool in_place, bool two_streams);
/* Broadcast: the root sends to one rank after the other. */
struct ordo_schedule *exchange_broadcast(
	uint32_t nrank, uint32_t root, uint32_t chunks_per_block, bool in_place);
/* AllToAll with one stream for each peer. */
struct ordo_schedule *exchange_alltoall(uint32_t nrank, uint32_t chunks_per_block);
/* ReduceScatter: blocks go to the scratch of their rank, which folds them in rank order. */
struct ordo_schedule *exchange_reduce_scatter(
	uint32_t nrank, uint32_t chunks_per_block, bool in_place);
/* AllGather: everybody sends to everybody. */
struct ordo_schedule *exchange_allgather(uint32_t nrank, uint32_t chunks_per_block, bool in_place);

/* For schedules of a test's own. */
struct ordo_schedule *exchange_create(struct ordo_problem problem, uint32_t scratch_slots);
void exchange_stream(struct ordo_schedule *schedule, uint32_t rank, const char *name);
void exchange_move(struct ordo_schedule *schedule, enum ordo_task_kind kind, uint32_t peer,
	uint32_t chunk, uint32_t count, enum ordo_buffer src_buffer, uint32_t src,
	enum ordo_buffer dst_buffer, uint32_t dst);
void exchange_signal(
	struct ordo_schedule *schedule, enum ordo_task_kind kind, uint32_t peer, uint32_t signal);

#endif
