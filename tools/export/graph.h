/* graph.h - a schedule as operations of its ranks, with messages instead of access to the memory of
 * others: what formats of traces and simulators want.
 *
 * A Send is a send, and a receive on the other rank; a SendReduce also an addition there. All
 * accesses to the memory of a rank are then its own, and dependences order them as the schedule
 * does. They are
 *
 *   the order of every stream;
 *   of a Wait: what the Sends before its Notify delivered comes before what follows the Wait,
 *   and, within a rank, what else comes before the Notify;
 *   of two accesses to one slot, one of them a write: the one that happens before the other.
 *
 * So a Notify that only says that a slot is free, or a rank has entered, needs no message: the
 * receive of the next message into that slot depends on the last access. With `signals` it is a
 * message of one byte, and a rank sends no earlier than the schedule lets it.
 */
#ifndef ORDO_TOOLS_EXPORT_GRAPH_H
#define ORDO_TOOLS_EXPORT_GRAPH_H

#include <ordo/element.h>
#include <ordo/schedule.h>

enum operation_kind { OPERATION_SEND, OPERATION_RECEIVE, OPERATION_ADD, OPERATION_COPY };

/* Operations are in one linear extension of the schedule; a receive stands after its send. */
struct operation {
	enum operation_kind kind;
	uint32_t rank;
	uint32_t task;	 /* whose it is: of a receive, a task of the rank that sends */
	uint32_t stream; /* of the task; ORDO_NONE: it delivers a message, in no stream */
	uint32_t peer;	 /* of a send or receive */
	uint32_t tag;	 /* of a send or receive: the number of the message at its receiver */
	uint64_t bytes;	 /* sent, added or copied */
	double seconds;	 /* of adding or copying */
	uint32_t place;	 /* among the operations of its rank */
	uint32_t first_dependence, ndependence;
};

/* What the sizes and times of operations depend on. */
struct graph_options {
	uint64_t count; /* elements of a block */
	enum ordo_type type;
	double reduce_bandwidth_gbs, copy_bandwidth_gbs; /* 0: no time */
	bool signals;
};

struct graph {
	const struct ordo_schedule *schedule; /* not owned */
	struct operation *operations;	      /* [count] */
	uint32_t count;
	uint32_t *dependences; /* indices of operations, of the same rank and earlier */
	uint32_t ndependence;
	uint32_t *first_of_rank; /* [nrank + 1] into of_rank */
	uint32_t *of_rank;	 /* [count] the operations of each rank, in order */
	uint32_t nmessage;
};

/* The operations of a schedule.
 *
 *   schedule   proved; must outlive the graph
 *
 * false: ORDO_REFUTED, a deadlock; or no memory. Free it in any case. */
bool make_graph(struct graph *graph, const struct ordo_schedule *schedule,
	const struct graph_options *options, struct ordo_error *error);
void free_graph(struct graph *graph);

#endif
