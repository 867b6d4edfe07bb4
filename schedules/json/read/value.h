/* value.h - keys and small values of a document, with errors that point at them. Private to
 * schedules/. */
#ifndef ORDO_SCHEDULES_JSON_READ_VALUE_H
#define ORDO_SCHEDULES_JSON_READ_VALUE_H

#include "scan.h"
#include <cjson/cJSON.h>

/* cJSON gets pieces up to this size: it needs many times their memory. */
enum { ORDO_VALUE_LIMIT = 64 * 1024 };

/* The keys of one kind of object, at most 32 of them; a set of keys is a word of bits (1 <<
 * index). */
struct ordo_keys {
	const char *const *names;
	uint32_t count;
	const char *object; /* for messages: "a task" */
};

/* The index of a key; -1 with an error if it is unknown (with a suggestion) or already in *seen, to
 * which it is added. */
int ordo_which_key(const struct ordo_cursor *cursor, const struct ordo_keys *keys,
	const struct ordo_piece *key, uint32_t *seen);
/* Fails at `place`, where the object begins, if one of the required keys was not seen. */
bool ordo_require_keys(const struct ordo_cursor *cursor, const struct ordo_keys *keys,
	struct ordo_place place, uint32_t seen, uint32_t required);

/* A walk over the members of one object: begin, then next until it gives no key, then end. */
struct ordo_members {
	struct ordo_cursor *cursor;
	const struct ordo_keys *keys;
	struct ordo_place place; /* where the object begins */
	uint32_t seen;		 /* keys so far */
	enum ordo_item step;
	bool first;
};

/* `wanted` is for the message if there is no object: "a task, an object". */
bool ordo_members_begin(struct ordo_members *members, struct ordo_cursor *cursor,
	const struct ordo_keys *keys, const char *wanted);
/* The index of the next key, whose value is then the caller's to read; -1: there is none, or it is
 * not one of the keys, or was there before. */
int ordo_members_next(struct ordo_members *members);
/* Whether the object came to its end with all the required keys. */
bool ordo_members_end(const struct ordo_members *members, uint32_t required);

/* Fails with `key: found <what is there>, wanted <wanted>`. */
bool ordo_fail_value(const struct ordo_cursor *cursor, const struct ordo_piece *value,
	const char *key, const char *wanted);

/* The next value through cJSON; the caller deletes it with cJSON_Delete. NULL: see the cursor's
 * error. */
cJSON *ordo_parse_value(struct ordo_cursor *cursor, const char *key, struct ordo_piece *value);

/* The value of a piece that was checked: written with digits alone, in least..most, most at most
 * 2^31-1. */
bool ordo_piece_integer(const struct ordo_cursor *cursor, const struct ordo_piece *value,
	const char *key, uint32_t least, uint32_t most, uint32_t *number);
/* Whether a value that cJSON read is a string; it lives as long as json. */
bool ordo_as_string(const struct ordo_cursor *cursor, const cJSON *json,
	const struct ordo_piece *value, const char *key, const char **text);

/* Read the next value whole. Texts are copied to the arena. */
bool ordo_read_integer(struct ordo_cursor *cursor, const char *key, uint32_t least, uint32_t most,
	uint32_t *number);
/* An integer of 0..most, most below 2^63: as a number up to 2^53, wider ones as a string of its
 * digits. */
bool ordo_read_wide(struct ordo_cursor *cursor, const char *key, uint64_t most, uint64_t *number);
bool ordo_read_string(
	struct ordo_cursor *cursor, const char *key, struct ordo_arena *arena, const char **text);
bool ordo_read_boolean(struct ordo_cursor *cursor, const char *key, bool *truth);
bool ordo_read_real(struct ordo_cursor *cursor, const char *key, double *number);
/* The value of "schema". */
bool ordo_read_schema(struct ordo_cursor *cursor, const char *wanted);
/* The value of "x": any object, kept as text in canonical form (one space after commas and colons,
 * strings escaped the shortest way, numbers as they are). */
bool ordo_read_extra(struct ordo_cursor *cursor, struct ordo_arena *arena, const char **text);

#endif
