/* part.h - one rank's part of a schedule. Private to runtime/. */
#ifndef ORDO_RUNTIME_MESSAGES_PART_H
#define ORDO_RUNTIME_MESSAGES_PART_H

#include <ordo/detail/messages.h>

/* What a rank does at one place of the linear extension. */
enum step_kind { STEP_COPY, STEP_REDUCE, STEP_SEND, STEP_RECEIVE, STEP_RECEIVE_REDUCE };
struct step {
	enum step_kind kind;
	/* of the rank's own memory: a send has no dst, a receive no src. src_buffer of a receive is
	 * that of the sender, and dst_buffer of a send that of the receiver */
	enum ordo_buffer src_buffer, dst_buffer;
	uint32_t peer;
	uint32_t tag; /* the number of a message among those of its pair */
	uint32_t chunk, count;
	uint32_t src, dst; /* first slots */
	uint32_t level;
};

/* The steps of a rank, in order. */
struct steps {
	const struct ordo_problem *problem;
	uint32_t rank, scratch_slots;
	struct step *items;
	uint32_t count;
	uint32_t most_chunks; /* of one message of the schedule */
};

/* A buffer of a request, which holds one message: pieces packed into one, or data that is combined
 * on arrival. Its slot is the number of the request. */
#define MESSAGE_BUFFER ORDO_NBUFFER

enum instruction_kind { POST, WAIT, SEND, COPY, REDUCE };
struct instruction {
	uint32_t kind : 3;	 /* enum instruction_kind */
	uint32_t src_buffer : 2; /* enum ordo_buffer, or MESSAGE_BUFFER */
	uint32_t dst_buffer : 2;
	uint32_t is_wide : 1; /* POST, SEND: the message is of the accumulator's type */
	uint32_t request : 24;
	uint32_t peer, tag;
	uint32_t chunk, count;
	uint32_t src, dst; /* first slots */
};

struct ordo_part {
	uint64_t bytes; /* of all of it */
	struct ordo_problem problem;
	uint32_t rank, scratch_slots;
	uint32_t nrequest;
	uint32_t nsend;
	uint32_t most_chunks; /* of one message, between any two ranks */
	uint32_t ninstruction;
	struct instruction instructions[];
};

/* The next number of a message to and from each other rank. */
struct message_numbers {
	uint32_t *sent, *received; /* [nrank] at first 0 */
};
/* A task that moves data as a step: of the rank itself, or of `sender`, from which it receives. */
struct step ordo_step_of(const struct ordo_task *task, uint32_t level, bool receives,
	uint32_t sender, struct message_numbers *numbers);

/* The part of a rank that takes these steps. The caller destroys it. NULL: no memory. */
struct ordo_part *ordo_part_of_steps(const struct steps *steps, struct ordo_error *error);

#endif
