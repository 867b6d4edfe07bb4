/* events.h - the moves of a schedule as local events: sends, receives, and what a rank does alone.
 */
#ifndef ORDO_TOOLS_EXPORT_MSCCL_EVENTS_H
#define ORDO_TOOLS_EXPORT_MSCCL_EVENTS_H

#include "msccl/program.h"
#include <ordo/schedule.h>

/* What a rank does to slots of its own. */
struct msccl_event {
	uint32_t rank;
	enum msccl_type type;	    /* s, r, rrc, cpy or re */
	struct msccl_slot src, dst; /* of s the destination, of r the source are the peer's */
	uint32_t count;
	uint32_t connection; /* of s, r, rrc; else ORDO_NONE */
	uint32_t partner;    /* the receive of a send, and the reverse; else ORDO_NONE */
	uint32_t previous;   /* on the same side of the connection; ORDO_NONE: it is the first */
	/* of s: the receive that wrote exactly what is sent, as its last writer; else ORDO_NONE */
	uint32_t source;
};

struct msccl_route {
	uint32_t from, to, channel;
	uint32_t nmessage;
};

struct msccl_events {
	const struct ordo_schedule *schedule;
	struct msccl_route *routes; /* [nroute] by sender */
	uint32_t nroute, nchannel;
	struct msccl_event *events; /* in a legal order of the moves: a send, then its receive */
	uint32_t nevent;
	/* earlier events of the same rank that access the same slots, one of both writing: those of
	 * event e are before[first[e]..first[e + 1]) */
	uint32_t *first, *before;

	/* Private: growth. */
	size_t route_room, event_room, first_room, before_room;
};

/* most_messages: of one connection. The schedule was proved, and outlives the events. false: no
 * memory, or a connection has more (ORDO_UNDECIDED). To be closed in any case. */
bool msccl_events_open(struct msccl_events *events, const struct ordo_schedule *schedule,
	uint32_t most_messages, struct ordo_error *error);
void msccl_events_close(struct msccl_events *events);

#endif
