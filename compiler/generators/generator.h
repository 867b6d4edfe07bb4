/* generator.h - how a generator is written. Private to compiler/generators/. */
#ifndef ORDO_GENERATOR_H
#define ORDO_GENERATOR_H

#include <ordo/detail/generators.h>

struct generator {
	struct ordo_generator_facts facts;
	bool power_of_two; /* N must be one, at least 2 */
	bool near_first;   /* peers that differ in one bit: the lowest bit first */
	bool in_place;	   /* also in place */
	uint32_t (*chunks)(const struct ordo_problem *problem); /* K; NULL: 1 */
	uint32_t (*scratch)(const struct ordo_problem *problem);
	uint32_t (*phases)(const struct ordo_problem *problem);
	ordo_give_program *give;
	ordo_task_level *level;
	/* of one Send or SendReduce; NULL: 1 */
	uint32_t (*most_chunks)(const struct ordo_problem *problem);
};

extern const struct generator ordo_generate_ring, ordo_generate_halving_doubling,
	ordo_generate_halving_doubling_near, ordo_generate_recursive_doubling,
	ordo_generate_recursive_doubling_near, ordo_generate_tree, ordo_generate_binary_blocks;

/* The program being written; once it failed it stays failed. */
struct writing {
	struct ordo_rank_program *program;
	struct ordo_error *error;
	bool failed;
};

/* One slice of a buffer. */
struct place {
	enum ordo_buffer buffer;
	uint32_t slot;
};

/* A level for programs in which every Send carries on what came in an earlier phase: two for each
 * phase, Sends and then copies; what is copied in phase 0 is there before anything is sent. */
uint32_t ordo_level_by_phase(const struct ordo_task *task);

void ordo_write_stream(struct writing *writing, const char *name);
void ordo_write_notify(struct writing *writing, uint32_t peer, uint32_t signal, uint32_t phase);
void ordo_write_wait(struct writing *writing, uint32_t peer, uint32_t signal, uint32_t phase);
void ordo_write_copy(struct writing *writing, uint32_t chunk, uint32_t count, struct place src,
	struct place dst, uint32_t phase);
/* Send, or SendReduce. */
void ordo_write_send(struct writing *writing, bool reduces, uint32_t peer, uint32_t chunk,
	uint32_t count, struct place src, struct place dst, uint32_t phase);
void ordo_write_reduce(struct writing *writing, uint32_t chunk, struct place src, struct place dst,
	uint32_t phase);

#endif
