/* bound.h - a part bound to a type and counts. Private to runtime/. */
#ifndef ORDO_RUNTIME_MESSAGES_BOUND_H
#define ORDO_RUNTIME_MESSAGES_BOUND_H

#include "part.h"
#include "tasks/layout.h"

struct message_buffer {
	unsigned char *memory;
	uint64_t bytes; /* without the margins */
};

struct ordo_bound_part {
	const struct ordo_part *part;
	struct layout layout; /* with an extent: of elements of one byte */
	enum ordo_type type;
	enum ordo_reduction reduction;
	uint32_t divisor;
	uint64_t extent; /* bytes of an element of input and output */
	uint64_t wide;	 /* and of scratch */
	uint64_t size;	 /* of the data in it, the same on all ranks */
	uint64_t margin; /* bytes before and behind the elements of a buffer */
	bool is_opaque;	 /* only the messenger knows the type */
	bool converts;	 /* scratch holds another type */
	unsigned char *scratch;
	struct message_buffer *buffers; /* [nrequest] */
	/* [nrequest] the POST or SEND that has more to be completed than this request; ORDO_NONE:
	 * none */
	uint32_t *unpacks;
	uint64_t skip; /* elements of every chunk done in earlier rounds */
};

/* Pieces of a message that have together no more bytes are copied into one; of more, each is a
 * message. Set by tests, on all ranks and before parts are bound. */
extern uint64_t ordo_messages_most_packed;

/* Memory for all messages, so that a run needs none: the others would wait for a rank that has
 * none. */
bool ordo_bound_part_reserve(struct ordo_bound_part *bound, struct ordo_error *error);

static inline uint64_t element_in(const struct ordo_bound_part *bound, unsigned buffer)
{
	return buffer == ORDO_SCRATCH ? bound->wide : bound->extent;
}

#endif
