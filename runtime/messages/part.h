/* part.h - one rank's part of a schedule. Private to runtime/. */
#ifndef ORDO_RUNTIME_MESSAGES_PART_H
#define ORDO_RUNTIME_MESSAGES_PART_H

#include <ordo/detail/messages.h>

/* Consecutive chunks in consecutive slots, which move together. */
struct piece {
	/* of the rank's own memory: a send has no dst, a receive no src. src_buffer of a receive is
	 * that of the sender, and dst_buffer of a send that of the receiver */
	uint32_t src_buffer : 2; /* enum ordo_buffer */
	uint32_t dst_buffer : 2;
	uint32_t request : 28; /* of a part: of a message that is this piece alone */
	uint32_t chunk, count;
	uint32_t src, dst; /* first slots */
};

/* What a rank does at one place of the linear extension. A send is received as its kind says: as
 * RECEIVE, or (STEP_SEND_REDUCE) as RECEIVE_REDUCE. */
enum step_kind {
	STEP_COPY,
	STEP_REDUCE,
	STEP_SEND,
	STEP_SEND_REDUCE,
	STEP_RECEIVE,
	STEP_RECEIVE_REDUCE
};
struct step {
	enum step_kind kind;
	uint32_t peer;
	uint32_t tag; /* the number of the first of its pieces among those of its pair of ranks */
	uint32_t level;
	uint32_t first, npiece; /* in pieces of struct steps */
};

/* The steps of a rank, in order. */
struct steps {
	const struct ordo_problem *problem;
	uint32_t rank, scratch_slots;
	struct step *items;
	struct piece *pieces;
	uint32_t count, npiece;
	uint32_t most_chunks; /* of one task of the schedule that sends */
};

/* A part has buffers of one message each, numbered like the requests: for pieces packed into one
 * message, and for data that is combined on arrival. */
enum instruction_kind { POST, WAIT, SEND, COPY, REDUCE };
struct instruction {
	uint32_t kind : 3;	   /* enum instruction_kind */
	uint32_t is_wide : 1;	   /* the message is of the accumulator's type */
	uint32_t from_message : 1; /* the source is the buffer of the request, not slots */
	uint32_t to_message : 1;   /* so is the destination */
	uint32_t request : 26;	   /* that of its first piece */
	uint32_t peer, tag;
	uint32_t first, npiece; /* in the part's pieces */
};

struct ordo_part {
	uint64_t bytes; /* of all of it */
	struct ordo_problem problem;
	uint32_t rank, scratch_slots;
	uint32_t nrequest;
	uint32_t most_chunks; /* of one piece, between any two ranks */
	uint32_t ninstruction, npiece;
	struct instruction instructions[]; /* and behind them the pieces */
};

static inline const struct piece *pieces_of(
	const struct ordo_part *part, const struct instruction *instruction)
{
	const void *pieces = &part->instructions[part->ninstruction];
	return (const struct piece *)pieces + instruction->first;
}

/* Makes room for so many steps of one piece each. false: no memory; then, too, free it. */
bool ordo_steps_open(struct steps *steps);
void ordo_steps_free(struct steps *steps);
/* Writes a task that moves data as the step at this place: of the rank itself, or of `sender`, from
 * which it receives. */
void ordo_steps_set(struct steps *steps, uint32_t at, const struct ordo_task *task, uint32_t level,
	bool receives, uint32_t sender);
/* Numbers the messages, after those that one message can be were made one: see gather.c. false: no
 * memory. */
bool ordo_steps_gather(struct steps *steps);

/* The part of a rank that takes these steps, before they are gathered. The caller destroys it.
 * NULL: no memory. */
struct ordo_part *ordo_part_of_steps(struct steps *steps, struct ordo_error *error);

#endif
