/* oracle_moves.h - what a program of moves means: a memory on which moves are run one by one.
 *
 * Written from the meaning alone, as the other oracles: it shares the oracles' table of operators,
 * and no code with the builder, the passes or the verifier.
 */
#ifndef ORDO_TESTS_ORACLE_MOVES_H
#define ORDO_TESTS_ORACLE_MOVES_H

#include <ordo/schedule.h>

enum { ORACLE_MOST_SHARDS = 32 };

/* What a cell holds. */
struct oracle_content {
	uint32_t chunk; /* ORDO_NONE: nothing */
	uint64_t tree;	/* a hash of how it was added up; the sides of a sum commute */
	uint8_t times[ORACLE_MOST_SHARDS]; /* how often each contribution is in it */
};

struct oracle_memory {
	struct ordo_problem problem;
	uint32_t scratch_slots;
	uint32_t *first_cell; /* [nrank + 1] */
	struct oracle_content *cells;
};

struct oracle_place {
	uint32_t rank;
	enum ordo_buffer buffer;
	uint32_t slot;
};

/* The memory when the call begins; to be closed. */
struct oracle_memory oracle_open_memory(const struct ordo_problem *problem, uint32_t scratch_slots);
void oracle_close_memory(struct oracle_memory *memory);

/* Runs one move. Returns the rule that it breaks, or 0; then the memory is as the move left it. */
int oracle_move(struct oracle_memory *memory, struct oracle_place to, struct oracle_place from,
	uint32_t count, bool reduces);
/* Has every output slot what the operator demands? */
bool oracle_is_result(const struct oracle_memory *memory);
/* A hash of the trees of all output slots. */
uint64_t oracle_orders(const struct oracle_memory *memory);

#endif
