/* wire.c - the wire format of Protocol Buffers.
 *
 * A number is a varint: 7 bits a byte, the lowest first, with the high bit in all but the last. A
 * field begins with its number * 8 + 0 (a varint follows), or + 2 (a length and so many bytes). */
#include "wire.h"
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, BYTES = 2, MOST_VARINT = 10 };

static size_t encode(uint64_t number, unsigned char out[MOST_VARINT])
{
	size_t size = 0;
	for (; number > 127; number >>= 7)
		out[size++] = (unsigned char)(number | 128);
	out[size++] = (unsigned char)number;
	return size;
}

static void append(struct message *message, const void *bytes, size_t size)
{
	if (!size || message->failed)
		return;
	if (!ordo_array_reserve(&message->bytes, &message->room, message->size + size, 1)) {
		message->failed = true;
		return;
	}
	memcpy(message->bytes + message->size, bytes, size);
	message->size += size;
}

void put_item(struct message *message, uint64_t number)
{
	unsigned char bytes[MOST_VARINT];
	append(message, bytes, encode(number, bytes));
}

void put_number(struct message *message, uint32_t field, uint64_t number)
{
	put_item(message, field * UINT64_C(8) + VARINT);
	put_item(message, number);
}

static void put_bytes(struct message *message, uint32_t field, const void *bytes, size_t size)
{
	put_item(message, field * UINT64_C(8) + BYTES);
	put_item(message, size);
	append(message, bytes, size);
}

void put_text(struct message *message, uint32_t field, const char *text)
{
	put_bytes(message, field, text, strlen(text));
}

void put_message(struct message *message, uint32_t field, const struct message *part)
{
	put_bytes(message, field, part->bytes, part->size);
	message->failed = message->failed || part->failed;
}

void write_message(struct message *message, FILE *out)
{
	unsigned char bytes[MOST_VARINT];
	fwrite(bytes, 1, encode(message->size, bytes), out);
	if (message->size)
		fwrite(message->bytes, 1, message->size, out);
	message->size = 0;
}

void free_message(struct message *message)
{
	free(message->bytes);
}
