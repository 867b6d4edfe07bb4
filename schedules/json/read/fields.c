/* fields.c - reads the objects of documents by tables of fields, and single values. */
#include "fields.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/suggest.h>
#include <stdio.h>
#include <string.h>

static bool fail_unknown(const struct ordo_cursor *cursor, const struct ordo_object *object,
	const struct ordo_piece *key, const char *name)
{
	const char *names[ORDO_FIELD_LIMIT];
	for (uint32_t i = 0; i < object->count; i++)
		names[i] = object->fields[i].key;
	const char *meant = ordo_suggest(name, names, object->count);
	ordo_fail_at(cursor, key->place, "unknown key \"%s\" in %s", name, object->name);
	return meant ? ordo_hint(cursor->error, "did you mean \"%s\"?", meant) : false;
}

static bool is_key(const struct ordo_field *field, const char *name)
{
	return field->key[0] == name[0] && !strcmp(field->key, name);
}

int ordo_which_key(const struct ordo_cursor *cursor, const struct ordo_object *object,
	const struct ordo_piece *key, uint32_t *seen)
{
	char name[64];
	uint32_t index = 0;
	ordo_decode(key, name, sizeof name);
	while (index < object->count && !is_key(&object->fields[index], name))
		index++;
	if (index == object->count) {
		fail_unknown(cursor, object, key, name);
		return -1;
	}
	if (*seen >> index & 1) {
		ordo_fail_at(cursor, key->place, "duplicate key \"%s\" in %s", name, object->name);
		return -1;
	}
	*seen |= UINT32_C(1) << index;
	return (int)index;
}

bool ordo_fail_missing(const struct ordo_cursor *cursor, const struct ordo_object *object,
	struct ordo_place place, uint32_t index)
{
	return ordo_fail_at(cursor, place, "the key \"%s\" is missing in %s",
		object->fields[index].key, object->name);
}

bool ordo_read_object(struct ordo_cursor *cursor, const struct ordo_object *object, void *into,
	struct ordo_place *places)
{
	struct ordo_piece key;
	enum ordo_item step;
	uint32_t seen = 0;
	bool first = true;
	if (!ordo_skip_character(cursor, '{', object->wanted))
		return false;
	struct ordo_place place = ordo_cursor_place(cursor);
	place.column--;
	while ((step = ordo_next_member(cursor, &first, &key)) == ORDO_ITEM_FOUND) {
		const int index = ordo_which_key(cursor, object, &key, &seen);
		if (index < 0)
			return false;
		const struct ordo_field *field = &object->fields[index];
		ordo_skip_space(cursor);
		if (places)
			places[index] = ordo_cursor_place(cursor);
		if (!field->read(cursor, field, (char *)into + field->offset))
			return false;
	}
	for (uint32_t i = 0; step == ORDO_ITEM_END && i < object->count; i++)
		if (!object->fields[i].optional && !(seen >> i & 1))
			return ordo_fail_missing(cursor, object, place, i);
	return step == ORDO_ITEM_END;
}

struct ordo_place ordo_place_of(
	const struct ordo_object *object, const struct ordo_place *places, const char *text)
{
	const size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
	for (uint32_t i = 0; i < object->count; i++)
		if (strlen(object->fields[i].key) == length &&
			!memcmp(object->fields[i].key, text, length))
			return places[i];
	return (struct ordo_place){0};
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
	/* The piece was checked, so cJSON fails only without memory. */
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
	const struct ordo_field *field, uint32_t *number)
{
	uint64_t found = 0;
	bool fits = is_plain_integer(value) && value->length <= 10;
	for (size_t i = 0; fits && i < value->length; i++)
		found = found * 10 + (uint64_t)(value->text[i] - '0');
	if (!fits || found < field->least || found > field->most) {
		char wanted[64];
		snprintf(wanted, sizeof wanted, "an integer of %u..%u", (unsigned)field->least,
			(unsigned)field->most);
		return ordo_fail_value(cursor, value, field->key, wanted);
	}
	*number = (uint32_t)found;
	return true;
}

bool ordo_piece_word(const struct ordo_cursor *cursor, const struct ordo_piece *value,
	const char *key, const char *const *words, uint32_t count, const char *wanted,
	uint32_t *index)
{
	char text[64];
	if (value->text[0] != '"')
		return ordo_fail_value(cursor, value, key, "a string");
	ordo_decode(value, text, sizeof text);
	for (*index = 0; *index < count; ++*index)
		if (!strcmp(words[*index], text))
			return true;
	ordo_fail_value(cursor, value, key, wanted);
	const char *meant = ordo_suggest(text, words, count);
	return meant ? ordo_hint(cursor->error, "did you mean \"%s\"?", meant) : false;
}

bool ordo_as_string(const struct ordo_cursor *cursor, const cJSON *json,
	const struct ordo_piece *value, const char *key, const char **text)
{
	if (!cJSON_IsString(json))
		return ordo_fail_value(cursor, value, key, "a string");
	*text = json->valuestring;
	return true;
}

bool ordo_read_integer(struct ordo_cursor *cursor, const struct ordo_field *field, void *number)
{
	struct ordo_piece value;
	return ordo_skip_value(cursor, &value) && ordo_piece_integer(cursor, &value, field, number);
}

/* Parses digits without a leading zero; false also for a number above `most`. */
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

bool ordo_read_wide(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const uint64_t widest =
		UINT64_C(1)
		<< 53; /* the largest integer that every JSON reader represents exactly */
	const uint64_t most = field->most;
	uint64_t *number = into;
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
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
		ordo_fail_value(cursor, &value, field->key, wanted);
	}
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_string(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const char **text = into;
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	bool worked = json && ordo_as_string(cursor, json, &value, field->key, text);
	if (worked) {
		*text = ordo_arena_text(cursor->arena, *text, strlen(*text));
		worked = *text ? true : ordo_fail_memory(cursor->error);
	}
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_nullable(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const struct ordo_cursor before = *cursor;
	const char **text = into;
	struct ordo_piece value;
	if (!ordo_skip_value(cursor, &value))
		return false;
	*text = NULL;
	if (value.length == 4 && !memcmp(value.text, "null", 4))
		return true;
	*cursor = before;
	return ordo_read_string(cursor, field, into);
}

bool ordo_read_boolean(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	bool *truth = into;
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	bool worked = json && (cJSON_IsBool(json) ? true
						  : ordo_fail_value(cursor, &value, field->key,
							    "true or false"));
	*truth = cJSON_IsTrue(json);
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_true(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	bool *truth = into;
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	const bool worked =
		json && (cJSON_IsTrue(json) || ordo_fail_value(cursor, &value, field->key, "true"));
	*truth = worked;
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_real(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	double *number = into;
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	bool worked = json;
	if (json && (!cJSON_IsNumber(json) || !isfinite(json->valuedouble) || value.text[0] == '-'))
		worked = ordo_fail_value(cursor, &value, field->key, "a number, not below 0");
	*number = worked ? json->valuedouble : 0;
	cJSON_Delete(json);
	return worked;
}

bool ordo_read_schema(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	struct ordo_piece value;
	cJSON *json = ordo_parse_value(cursor, field->key, &value);
	bool same = json && cJSON_IsString(json) && !strcmp(json->valuestring, field->wanted);
	(void)into;
	if (json && !same) {
		char quoted[64];
		snprintf(quoted, sizeof quoted, "\"%s\"", field->wanted);
		ordo_fail_value(cursor, &value, field->key, quoted);
		ordo_hint(cursor->error, "%s",
			cJSON_IsString(json) && !strcmp(json->valuestring, "ordo/topology/1")
				? "this is a topology: --topology FILE takes it"
				: "this is a document of another kind or version");
	}
	cJSON_Delete(json);
	return same;
}

bool ordo_read_array(struct ordo_cursor *cursor, const struct ordo_field *field, void *value)
{
	enum ordo_item step;
	bool first = true;
	if (!ordo_skip_character(cursor, '[', field->wanted))
		return false;
	while ((step = ordo_next_element(cursor, &first)) == ORDO_ITEM_FOUND)
		if (!field->element(cursor, field, value))
			return false;
	return step == ORDO_ITEM_END;
}
