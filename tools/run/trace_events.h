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

/* Reads a file up to its first event; the file stays open. The caller closes events, also after
 * false. */
bool open_events(struct events *events, FILE *in, const char *name, struct ordo_error *error);
void close_events(struct events *events);
/* The next event, which the caller deletes. NULL with code ORDO_OK: there is none, and the file is
 * complete. */
cJSON *next_event(struct events *events, struct ordo_error *error);
/* Fails at the position of the last event. Returns false. */
bool fail_event(const struct events *events, struct ordo_error *error, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
