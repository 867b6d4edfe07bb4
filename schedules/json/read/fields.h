/* fields.h - the objects of documents as tables of fields, and how their values are read.
 *
 * A table has one line for each key: its reader, its offset in the struct, its range.
 * ordo_read_object reads an object by its table. Errors are R1 and point at the key or the value.
 * Private to schedules/.
 */
#ifndef ORDO_SCHEDULES_JSON_READ_FIELDS_H
#define ORDO_SCHEDULES_JSON_READ_FIELDS_H

#include "scan.h"
#include <cjson/cJSON.h>
#include <stddef.h>

enum {
	/* cJSON gets pieces up to this size: it needs many times their memory. */
	ORDO_VALUE_LIMIT = 64 * 1024,
	/* Fields of one object: a set of them is a word of bits (1 << index). */
	ORDO_FIELD_LIMIT = 32
};

struct ordo_field;
/* Reads the value at the cursor, which stands before it or before space, to *value. */
typedef bool ordo_field_reader(
	struct ordo_cursor *cursor, const struct ordo_field *field, void *value);

struct ordo_field {
	const char *key;
	ordo_field_reader *read;
	size_t offset;		    /* of the value in the struct that the object is read to */
	uint64_t least, most;	    /* of an integer */
	const char *wanted;	    /* a schema; of an array, its description in errors */
	ordo_field_reader *element; /* of an array: reads one element, to the array's value */
	bool optional;
};

struct ordo_object {
	const char *name;   /* for messages: "a task" */
	const char *wanted; /* if there is no object: "a task, an object" */
	const struct ordo_field *fields;
	uint32_t count; /* at most ORDO_FIELD_LIMIT */
};

#define ORDO_OBJECT(name, wanted, fields)                                                          \
	{                                                                                          \
		name, wanted, fields, sizeof(fields) / sizeof *(fields)                            \
	}

/* The index of a key; -1 with an error if it is unknown (with a suggestion) or already in *seen, to
 * which it is added. */
int ordo_which_key(const struct ordo_cursor *cursor, const struct ordo_object *object,
	const struct ordo_piece *key, uint32_t *seen);
/* Fails for a missing key at `place`, the begin of the object. Always false. */
bool ordo_fail_missing(const struct ordo_cursor *cursor, const struct ordo_object *object,
	struct ordo_place place, uint32_t index);
/* Reads an object to *into; places[count], where each value begins, may be NULL. */
bool ordo_read_object(struct ordo_cursor *cursor, const struct ordo_object *object, void *into,
	struct ordo_place *places);
/* The place of the value whose key the text begins with; line 0 if it was not read. */
struct ordo_place ordo_place_of(
	const struct ordo_object *object, const struct ordo_place *places, const char *text);

/* Fails with `key: found <what is there>, wanted <wanted>`. */
bool ordo_fail_value(const struct ordo_cursor *cursor, const struct ordo_piece *value,
	const char *key, const char *wanted);

/* The next value through cJSON; the caller deletes it with cJSON_Delete. NULL: see the cursor's
 * error. */
cJSON *ordo_parse_value(struct ordo_cursor *cursor, const char *key, struct ordo_piece *value);

/* The value of a piece that was checked: written with digits alone, in the field's range, which
 * ends at most at 2^31-1. */
bool ordo_piece_integer(const struct ordo_cursor *cursor, const struct ordo_piece *value,
	const struct ordo_field *field, uint32_t *number);
/* The index of the word that a checked string is, among so many; `wanted` is for the error. */
bool ordo_piece_word(const struct ordo_cursor *cursor, const struct ordo_piece *value,
	const char *key, const char *const *words, uint32_t count, const char *wanted,
	uint32_t *index);
/* Whether a value that cJSON read is a string; it lives as long as json. */
bool ordo_as_string(const struct ordo_cursor *cursor, const cJSON *json,
	const struct ordo_piece *value, const char *key, const char **text);

/* The readers of fields. Texts are copied to the cursor's arena. */
ordo_field_reader ordo_read_integer; /* uint32_t */
/* uint64_t of 0..most, most below 2^63: as a number up to 2^53, wider ones as a string of its
 * digits. */
ordo_field_reader ordo_read_wide;
ordo_field_reader ordo_read_string;   /* const char * */
ordo_field_reader ordo_read_nullable; /* const char *, NULL for null */
ordo_field_reader ordo_read_boolean;  /* bool */
ordo_field_reader ordo_read_true;     /* bool; what is not true is left out */
ordo_field_reader ordo_read_real;     /* double, not below 0 */
ordo_field_reader ordo_read_schema;   /* nothing: only checked */
ordo_field_reader ordo_read_array;    /* what its elements are */
/* const char *, any object, kept as text in canonical form (one space after commas and colons,
 * strings escaped the shortest way, numbers as they are). */
ordo_field_reader ordo_read_extra;

#endif
