/* value.c - keys and small values of a document, with errors that point at them. */
#include "value.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/suggest.h>
#include <stdio.h>
#include <string.h>

static int index_of(const struct ordo_keys *keys, const char *name)
{
	for (uint32_t i = 0; i < keys->count; i++)
		if (!strcmp(keys->names[i], name))
			return (int)i;
	return -1;
}

int ordo_which_key(const struct ordo_cursor *cursor, const struct ordo_keys *keys,
	const struct ordo_piece *key, uint32_t *seen)
{
	char name[64];
	ordo_decode(key, name, sizeof name);
	int index = index_of(keys, name);
	if (index < 0) {
		const char *meant = ordo_suggest(name, keys->names, keys->count);
		ordo_fail_at(cursor, key->place, "unknown key \"%s\" in %s", name, keys->object);
		if (meant)
			ordo_hint(cursor->error, "did you mean \"%s\"?", meant);
		return -1;
	}
	if (*seen >> index & 1) {
		ordo_fail_at(cursor, key->place, "the key \"%s\" is there twice in %s", name,
			keys->object);
		return -1;
	}
	*seen |= UINT32_C(1) << index;
	return index;
}

bool ordo_require_keys(const struct ordo_cursor *cursor, const struct ordo_keys *keys,
	struct ordo_place place, uint32_t seen, uint32_t required)
{
	for (uint32_t i = 0; i < keys->count; i++)
		if (required >> i & 1 && !(seen >> i & 1))
			return ordo_fail_at(cursor, place, "the key \"%s\" is missing in %s",
				keys->names[i], keys->object);
	return true;
}

bool ordo_members_begin(struct ordo_members *members, struct ordo_cursor *cursor,
	const struct ordo_keys *keys, const char *wanted)
{
	*members = (struct ordo_members){.cursor = cursor, .keys = keys, .first = true};
	if (!ordo_skip_character(cursor, '{', wanted))
		return false;
	members->place = ordo_cursor_place(cursor);
	members->place.column--;
	return true;
}

int ordo_members_next(struct ordo_members *members)
{
	struct ordo_piece key;
	members->step = ordo_next_member(members->cursor, &members->first, &key);
	return members->step == ORDO_ITEM_FOUND
		       ? ordo_which_key(members->cursor, members->keys, &key, &members->seen)
		       : -1;
}

bool ordo_members_end(const struct ordo_members *members, uint32_t required)
{
	return members->step == ORDO_ITEM_END && ordo_require_keys(members->cursor, members->keys,
							 members->place, members->seen, required);
}

bool ordo_fail_value(const struct ordo_cursor *cursor, const struct ordo_piece *value,
	const char *key, const char *wanted)
{
	const size_t shown = 40;
	switch (value->text[0]) {
	case '{':
		return ordo_fail_at(
			cursor, value->place, "%s: found an object, wanted %s", key, wanted);
	case '[':
		return ordo_fail_at(
			cursor, value->place, "%s: found an array, wanted %s", key, wanted);
	default:
		return ordo_fail_at(cursor, value->place, "%s: found %.*s%s, wanted %s", key,
			(int)(value->length < shown ? value->length : shown), value->text,
			value->length > shown ? "..." : "", wanted);
	}
}

cJSON *ordo_parse_value(struct ordo_cursor *cursor, const char *key, struct ordo_piece *value)
{
	if (!ordo_skip_value(cursor, value))
		return NULL;
	if (value->length > ORDO_VALUE_LIMIT) {
		ordo_fail_at(cursor, value->place,
			"%s: found a value of %zu bytes, wanted at most %d", key, value->length,
			ORDO_VALUE_LIMIT);
		return NULL;
	}
	cJSON *json = cJSON_ParseWithLengthOpts(value->text, value->length, NULL, false);
	/* The piece was checked: cJSON fails for want of memory only. */
	if (!json)
		ordo_fail_memory(cursor->error);
	return json;
}

static bool is_plain_integer(const struct ordo_piece *value)
{
	size_t digits = 0;
	while (digits < value->length && value->text[digits] >= '0' && value->text[digits] <= '9')
		digits++;
	return digits && digits == value->length;
}

bool ordo_piece_integer(const struct ordo_cursor *cursor, const struct ordo_piece *value,
	const char *key, uint32_t least, uint32_t most, uint32_t *number)
{
	uint64_t found = 0;
	bool fits = is_plain_integer(value) && value->length <= 10;
	for (size_t i = 0; fits && i < value->length; i++)
		found = found * 10 + (uint64_t)(value->text[i] - '0');
	if (!fits || found < least || found > most) {
		char wanted[64];
		snprintf(wanted, sizeof wanted, "an integer of %u..%u", least, most);
		return ordo_fail_value(cursor, value, key, wanted);
	}
	*number = (uint32_t)found;
	return true;
}

bool ordo_as_string(const struct ordo_cursor *cursor, const cJSON *json,
	const struct ordo_piece *value, const char *key, const char **text)
{
	if (!cJSON_IsString(json))
		return ordo_fail_value(cursor, value, key, "a string");
	*text = json->valuestring;
	return true;
}

bool ordo_read_integer(struct ordo_cursor *cursor, const char *key, uint32_t least, uint32_t most,
	uint32_t *number)
{
	struct ordo_piece value;
	return ordo_skip_value(cursor, &value) &&
	       ordo_piece_integer(cursor, &value, key, least, most, number);
}

/* Digits without a leading zero, as what they say; false also beyond `most`. */
static bool read_digits(const char *text, size_t length, uint64_t most, uint64_t *number)
{
	*number = 0;
	for (size_t i = 0; i < length; i++) {
		const uint64_t digit = (uint64_t)(unsigned char)text[i] - '0';
		if (digit > 9 || *number > (most - digit) / 10)
			return false;
		*number = *number * 10 + digit;
	}
	return length && (text[0] != '0' || length == 1);
}

bool ordo_read_wide(struct ordo_cursor *cursor, const char *key, uint64_t most, uint64_t *number)
{
	const uint64_t widest = UINT64_C(1) << 53; /* that every reader of JSON has exactly */
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, key, &value);
	bool worked = json;
	if (json && cJSON_IsString(json))
		worked = read_digits(json->valuestring, strlen(json->valuestring), most, number) &&
			 *number > widest;
	else if (json)
		worked = read_digits(
			value.text, value.length, most < widest ? most : widest, number);
	if (json && !worked) {
		char wanted[128];
		snprintf(wanted, sizeof wanted,
			"an integer of 0..%llu, or a greater one up to %llu as a string",
			(unsigned long long)widest, (unsigned long long)most);
		ordo_fail_value(cursor, &value, key, wanted);
	}
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_string(
	struct ordo_cursor *cursor, const char *key, struct ordo_arena *arena, const char **text)
{
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, key, &value);
	bool worked = json && ordo_as_string(cursor, json, &value, key, text);
	if (worked) {
		*text = ordo_arena_text(arena, *text, strlen(*text));
		worked = *text ? true : ordo_fail_memory(cursor->error);
	}
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_boolean(struct ordo_cursor *cursor, const char *key, bool *truth)
{
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, key, &value);
	bool worked =
		json &&
		(cJSON_IsBool(json) ? true : ordo_fail_value(cursor, &value, key, "true or false"));
	*truth = cJSON_IsTrue(json);
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_real(struct ordo_cursor *cursor, const char *key, double *number)
{
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, key, &value);
	bool worked = json;
	if (json && (!cJSON_IsNumber(json) || !isfinite(json->valuedouble) || value.text[0] == '-'))
		worked = ordo_fail_value(cursor, &value, key, "a number, not below 0");
	*number = worked ? json->valuedouble : 0;
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_schema(struct ordo_cursor *cursor, const char *wanted)
{
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, "schema", &value);
	bool same = json && cJSON_IsString(json) && !strcmp(json->valuestring, wanted);
	if (json && !same) {
		char quoted[64];
		snprintf(quoted, sizeof quoted, "\"%s\"", wanted);
		ordo_fail_value(cursor, &value, "schema", quoted);
		ordo_hint(cursor->error, "this is a document of another kind or version");
	}
	cJSON_Delete(json);
	return same;
}
