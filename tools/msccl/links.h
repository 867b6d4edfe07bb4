/* links.h - what joins the blocks of a program: connections, with their messages, and dependences.
 */
#ifndef ORDO_TOOLS_MSCCL_LINKS_H
#define ORDO_TOOLS_MSCCL_LINKS_H

#include "program.h"

/* One direction between two gpus on a channel, a FIFO: the k-th send matches the k-th receive. */
struct msccl_connection {
	uint32_t from, to, channel;
	uint32_t sender, receiver; /* blocks */
	uint32_t first, end;	   /* its messages */
	uint32_t most_chunks;	   /* of one message */
};

/* A step waits until another block of its gpu has done one. */
struct msccl_dependence {
	uint32_t waiting; /* step */
	/* the step that it waits for: the one named, or the next announced one (hasdep) of that
	 * block; ORDO_NONE: there is none, and it waits for ever */
	uint32_t target;
	uint32_t
		pair; /* of a block waited for and a block that waits; ORDO_NONE without a target */
	uint32_t number; /* of the target among the targets of that pair, from 0 */
};

struct msccl_links {
	struct msccl_connection *connections;
	uint32_t nconnection;
	uint32_t *sends_by, *receives_by;     /* [nblock] a connection, or ORDO_NONE */
	uint32_t *message_chunks;	      /* [nmessage], by connection */
	struct msccl_dependence *dependences; /* in the order of the waiting steps */
	uint32_t nmessage, ndependence, npair;
};

/* Joins the blocks, and checks what the form of the file does not: peers, channels, sends without
 * receives, slots within their buffers, dependences. Mistakes that leave no meaning are errors;
 * what runtimes take otherwise than it looks is warned about. To be closed in any case. */
bool msccl_link(struct msccl_links *links, struct msccl_program *program, struct ordo_error *error);
void msccl_links_close(struct msccl_links *links);

#endif
