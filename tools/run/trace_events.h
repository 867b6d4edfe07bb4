/* trace_events.h - the events of a trace file, one after another, in memory for one of them. */
#ifndef ORDO_TOOLS_RUN_TRACE_EVENTS_H
#define ORDO_TOOLS_RUN_TRACE_EVENTS_H

#include <cjson/cJSON.h>
#include <ordo/error.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct events {
	FILE *in;
	const char *name;		   /* of the file, for messages */
	uint32_t line, column;		   /* of the letter read last */
	uint32_t event_line, event_column; /* where the event read last begins */
	bool begun, ended;		   /* the array of them */
	uint64_t event_count;		   /* read so far */
	char *text;			   /* of one value */
	size_t length, room;
	cJSON *about; /* "otherData", once it was read; NULL: none yet */
};

/* Reads up to the first event of a file, which stays open. To be closed, also after false. */
bool open_events(struct events *events, FILE *in, const char *name, struct ordo_error *error);
void close_events(struct events *events);
/* The next one, which the caller deletes; NULL without an error (code ORDO_OK): there are no more,
 * and the file ended well. */
cJSON *next_event(struct events *events, struct ordo_error *error);
/* Fills an error that lies where the event read last begins. Always false. */
bool fail_event(const struct events *events, struct ordo_error *error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
