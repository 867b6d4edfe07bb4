/* json.h - a strict parser of JSON (RFC 8259), which refuses texts that parsers read differently.
 * Independent of libordo. */
#ifndef ORDO_TOOLS_CHECKER_JSON_H
#define ORDO_TOOLS_CHECKER_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value as it is written, from its first byte to behind its last. */
struct value {
	const char *key; /* of a member: the quote it begins with */
	const char *text, *end;
	struct value *child, *next;
};

struct json {
	const char *begin, *end, *at; /* at: how far it was read, or where it is wrong */
	const char *wrong;	      /* what is wrong; NULL: nothing */
	struct value *root;
	struct block *blocks;
};

/* Lives as long as the text. false: json->wrong. json_free gives its memory back in any case. */
bool json_read(struct json *json, const char *text, size_t size);
void json_free(struct json *json);

/* By the letters of their keys, however these are escaped: as strcmp. */
int json_compare(const struct value *one, const struct value *other);
/* The letters of a string in UTF-8. false: they do not fit. */
bool json_decode(const struct value *string, char *out, size_t size);
/* Does a string, from its quote on and before `end`, hold these letters, which are ASCII? */
bool json_is(const char *string, const char *end, const char *letters);

#endif
