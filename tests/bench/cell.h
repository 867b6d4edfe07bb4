/* cell.h - what is measured: one operator, between so many ranks, at one size; and what the owner
 * of a rank does between two calls.
 *
 * Compiled into every program that is measured, MPI's among them, so that all do the same.
 */
#ifndef BENCH_CELL_H
#define BENCH_CELL_H

#include <stdbool.h>
#include <stdint.h>

enum cell_operator {
	CELL_ALLREDUCE,
	CELL_REDUCESCATTER,
	CELL_ALLGATHER,
	CELL_BROADCAST,
	CELL_ALLTOALL
};
#define CELL_NOPERATOR 5

/* Elements are f32 and are summed. The vector is the largest buffer of a rank; ReduceScatter,
 * AllGather and AllToAll cut it into nrank blocks of one element or more. Broadcast goes from rank
 * 0 and is in place, as MPI has it. */
struct cell {
	enum cell_operator operator;
	uint32_t nrank;
	uint64_t count; /* of the vector, in elements */
};

const char *cell_operator_name(enum cell_operator operator);
/* "AllReduce:1024": operator and bytes, rounded up to whole blocks. false: no such thing. */
bool cell_read(const char *text, uint32_t nrank, struct cell *cell);

uint64_t cell_block(const struct cell *cell); /* elements of one block */
/* Elements that a rank gives (0: none), and gets. */
uint64_t cell_input_count(const struct cell *cell, uint32_t rank);
uint64_t cell_output_count(const struct cell *cell, uint32_t rank);
bool cell_in_place(const struct cell *cell);
/* Does the operator let a rank return that nobody else has called yet? */
bool cell_may_run_ahead(const struct cell *cell);
/* Bytes read and bytes written by all ranks together, when each input is read once and each output
 * written once. */
uint64_t cell_traffic(const struct cell *cell);

/* Prints what was measured as a line of JSON. schedule: what ran it; NULL: none. */
void cell_report(const char *contender, const struct cell *cell, double seconds, uint64_t nwrong,
	const char *schedule);

#define CELL_NPHASE 2 /* what inputs hold alternates between so many patterns */

/* One rank of a cell and its buffers. */
struct owner {
	struct cell cell;
	uint32_t rank;
	float *input, *output;		/* one memory, in place */
	uint32_t expected[CELL_NPHASE]; /* checksum of the right output */
	uint32_t written, delivered;	/* phases of input and output */
	bool called;			/* a call was made, so that there is an output */
	uint64_t nwrong;		/* outputs found wrong */
};

/* Makes the buffers, written first by the calling thread, and what is expected of them. false: no
 * memory. */
bool owner_create(struct owner *owner, const struct cell *cell, uint32_t rank);
void owner_destroy(struct owner *owner);
/* Reads the whole output and compares its checksum, then rewrites the whole input. called: a call
 * was made since the last time. */
void owner_touch(struct owner *owner, bool called);
/* After a call: compares every element. */
void owner_check(struct owner *owner);

#endif
