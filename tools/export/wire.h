/* wire.h - the wire format of Protocol Buffers: fields of a message, one after another. */
#ifndef ORDO_TOOLS_EXPORT_WIRE_H
#define ORDO_TOOLS_EXPORT_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A message being built; {0} is an empty one. */
struct message {
	unsigned char *bytes;
	size_t size, room;
	bool failed; /* no memory */
};

void put_number(struct message *message, uint32_t field, uint64_t number);
void put_text(struct message *message, uint32_t field, const char *text);
void put_message(struct message *message, uint32_t field, const struct message *part);
/* An item of a packed list of numbers: the list is a message of such items. */
void put_item(struct message *message, uint64_t number);
/* Writes it behind its length. The message is empty afterwards, and keeps its room. */
void write_message(struct message *message, FILE *out);
void free_message(struct message *message);

#endif
