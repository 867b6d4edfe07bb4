/* slots.h - how many free slots a connection needs, so that no gpu waits for ever.
 *
 * Runtimes have so many, by protocol, and cut a step of many chunks into pieces as messages grow: a
 * file can be safe at 1 MiB and hang at 100 MiB.
 */
#ifndef ORDO_TOOLS_MSCCL_SLOTS_H
#define ORDO_TOOLS_MSCCL_SLOTS_H

#include "links.h"

/* The slots that runtimes have: messages that a sender can be ahead. */
uint32_t msccl_slots_of(enum msccl_protocol protocol);

struct msccl_capacity {
	uint32_t slots; /* of the file's protocol */
	/* the least number with which nothing waits for ever, each step in one piece; 0: none */
	uint32_t least_slots;
	/* with the slots of the protocol: the largest size at which nothing waits for ever, in
	 * bytes as minBytes and maxBytes count; 0: it hangs at every size; UINT64_MAX: no limit.
	 * For the default sizes of the runtimes' buffers, to which it is proportional */
	uint64_t safe_bytes;
	/* with the slots of the protocol, each step in one piece: steps that are never run */
	uint32_t stuck_steps;
};

/* false: no memory. */
bool msccl_find_capacity(const struct msccl_program *program, const struct msccl_links *links,
	struct msccl_capacity *capacity, struct ordo_error *error);

#endif
