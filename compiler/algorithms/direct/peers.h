/* peers.h - a stream for each peer, or one for all: a parameter of algorithms in which all ranks
 * communicate with all. */
#ifndef ORDO_COMPILER_ALGORITHMS_DIRECT_PEERS_H
#define ORDO_COMPILER_ALGORITHMS_DIRECT_PEERS_H

#include "algorithm.h"

#define ORDO_PEERS_STREAMS                                                                         \
	{                                                                                          \
		.name = "streams", .values = "peers|one", .fallback = "peers",                     \
		.meaning = "peers: a stream for each peer, for parallel links; one: one stream "   \
			   "for all peers",                                                        \
		.kind = ORDO_WORD                                                                  \
	}

/* The stream for data sent to a peer, and the one for local data. */
void ordo_stream_to_peer(
	struct ordo_builder *b, const struct ordo_resolved_request *request, uint32_t peer);
void ordo_stream_local(struct ordo_builder *b, const struct ordo_resolved_request *request);

#endif
