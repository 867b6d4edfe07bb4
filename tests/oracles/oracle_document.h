/* oracle_document.h - what the oracles know of a document: cells of memory, accesses, signals,
 * values. */
#ifndef ORDO_TESTS_ORACLE_DOCUMENT_H
#define ORDO_TESTS_ORACLE_DOCUMENT_H

#include "oracle.h"

enum touch { TOUCH_READ, TOUCH_WRITE, TOUCH_ADD };

struct access {
	uint32_t cell;
	enum touch touch;
};

/* A value a cell can hold: nothing, one contribution, or the sum of two values. */
struct value {
	uint32_t chunk;
	uint32_t shard;	      /* of a leaf; ORDO_NONE otherwise */
	uint32_t left, right; /* of a sum, left <= right; 0 otherwise */
};
#define UNDEFINED 0

struct oracle_document {
	const struct ordo_schedule *schedule;
	uint32_t ncell;
	uint32_t *first_cell; /* [nrank + 1] */
	uint32_t *stream_of;  /* [ntask] */
	/* [ntask] the signal's number in this document, for Notify and Wait */
	uint32_t *signal_of;
	uint32_t nsignal;
	struct access *accesses; /* those of task t are first_access[t] .. first_access[t + 1] */
	uint32_t *first_access;	 /* [ntask + 1] */
	struct value *values;
	uint32_t nvalue;
	size_t value_room;
	uint32_t *table; /* value ids by hash; 0 is free */
	size_t table_size;
};

/* Notes that a rule is broken; the first text stays. */
void note(struct oracle_opinion *opinion, int rule, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Judges R1..R6. If they hold, fills the document, which must then be freed. */
bool open_document(const struct ordo_schedule *schedule, struct oracle_document *document,
	struct oracle_opinion *opinion);
/* The same for schedules that may break R5 and R6, but no rule before. */
void open_document_unbalanced(const struct ordo_schedule *schedule,
	struct oracle_document *document, struct oracle_opinion *opinion);
void close_document(struct oracle_document *document);

/* Do two tasks touch one cell so that their order matters? Adding and adding commutes if adds are
 * atomic. */
bool tasks_conflict(
	const struct oracle_document *document, uint32_t a, uint32_t b, bool atomic_reduce);
/* Does a move read a cell that it writes? Then it depends on the order in which it moves its
 * elements. */
bool races_with_itself(const struct oracle_document *document, uint32_t task);
/* The rank, other than the task's own, whose memory it touches, or ORDO_NONE. */
uint32_t foreign_rank(const struct oracle_document *document, uint32_t task);

/* memory[ncell] as it is before anything ran. */
void fill_memory(struct oracle_document *document, uint32_t *memory);
/* Runs one move on memory; notes R10. */
void run_move(struct oracle_document *document, uint32_t task, uint32_t *memory,
	struct oracle_opinion *opinion);
/* Notes R11 about a final memory. */
void judge_output(
	struct oracle_document *document, const uint32_t *memory, struct oracle_opinion *opinion);
/* Fills rank_equal and ntree from a final memory without fault. */
void judge_orders(
	struct oracle_document *document, const uint32_t *memory, struct oracle_opinion *opinion);

/* Meaning of an operator's slots; exported so that a test can compare it with the operator
 * table. */
uint32_t slots_in(const struct ordo_problem *problem, uint32_t rank, enum ordo_buffer buffer,
	uint32_t scratch_slots);
uint32_t chunk_given(const struct ordo_problem *problem, uint32_t rank, uint32_t slot);
uint32_t shard_given(const struct ordo_problem *problem, uint32_t rank, uint32_t slot);
uint32_t chunk_wanted(const struct ordo_problem *problem, uint32_t rank, uint32_t slot);
/* The cell of a slot, counted from the rank's first. */
uint32_t cell_in_rank(
	const struct ordo_problem *problem, uint32_t rank, enum ordo_buffer buffer, uint32_t slot);

void *must_alloc(size_t count, size_t size);

#endif
