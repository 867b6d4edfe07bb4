/* extra.c - the "x" object: extensions of any author, kept as text in canonical form. */
#include "fields.h"
#include "json/write/printer.h"
#include <errno.h>
#include <ordo/arena.h>
#include <ordo/memory.h>
#include <stdlib.h>
#include <string.h>

/* Values are copied as text, never converted to numbers: they keep every digit. */
struct copy {
	struct ordo_cursor *cursor;
	struct ordo_printer printer;
	struct ordo_arena keys; /* while the object is read */
};

struct member {
	const char *key;
	struct ordo_place place;
};

static const char *decode_key(struct copy *copy, const struct ordo_piece *key)
{
	char *text = ordo_arena_alloc(&copy->keys, key->length);
	if (text)
		ordo_decode(key, text, key->length);
	else
		ordo_fail_memory(copy->cursor->error);
	return text;
}

static int compare_members(const void *one, const void *other)
{
	const struct member *a = one, *b = other;
	int order = strcmp(a->key, b->key);
	if (order)
		return order;
	if (a->place.line != b->place.line)
		return a->place.line < b->place.line ? -1 : 1;
	return (a->place.column > b->place.column) - (a->place.column < b->place.column);
}

static bool check_once(struct copy *copy, struct member *members, size_t count)
{
	if (count)
		qsort(members, count, sizeof *members, compare_members);
	for (size_t i = 1; i < count; i++)
		if (!strcmp(members[i - 1].key, members[i].key))
			return ordo_fail_at(copy->cursor, members[i].place,
				"duplicate key \"%.64s\" in x", members[i].key);
	return true;
}

static bool copy_value(struct copy *copy);

static bool copy_member(struct copy *copy, const struct ordo_piece *key, struct member *member)
{
	*member = (struct member){.key = decode_key(copy, key), .place = key->place};
	if (!member->key)
		return false;
	ordo_printer_string(&copy->printer, member->key);
	ordo_printer_put(&copy->printer, ": ", 2);
	return copy_value(copy);
}

static bool copy_object(struct copy *copy)
{
	struct member *members = NULL;
	size_t count = 0, room = 0;
	struct ordo_piece key;
	enum ordo_item step;
	bool first = true;
	copy->cursor->at++;
	ordo_printer_put(&copy->printer, "{", 1);
	while ((step = ordo_next_member(copy->cursor, &first, &key)) == ORDO_ITEM_FOUND) {
		step = ORDO_ITEM_FAILED;
		if (!ordo_array_reserve(&members, &room, count + 1, sizeof *members)) {
			ordo_fail_memory(copy->cursor->error);
			break;
		}
		if (count)
			ordo_printer_put(&copy->printer, ", ", 2);
		if (!copy_member(copy, &key, &members[count]))
			break;
		count++;
	}
	ordo_printer_put(&copy->printer, "}", 1);
	bool worked = step == ORDO_ITEM_END && check_once(copy, members, count);
	free(members);
	return worked;
}

static bool copy_array(struct copy *copy)
{
	enum ordo_item step;
	bool first = true;
	copy->cursor->at++;
	ordo_printer_put(&copy->printer, "[", 1);
	for (size_t count = 0; (step = ordo_next_element(copy->cursor, &first)) == ORDO_ITEM_FOUND;
		count++) {
		if (count)
			ordo_printer_put(&copy->printer, ", ", 2);
		if (!copy_value(copy))
			return false;
	}
	ordo_printer_put(&copy->printer, "]", 1);
	return step == ORDO_ITEM_END;
}

/* The text and its depth were checked before: it is valid. */
static bool copy_value(struct copy *copy)
{
	ordo_skip_space(copy->cursor);
	if (*copy->cursor->at == '{')
		return copy_object(copy);
	if (*copy->cursor->at == '[')
		return copy_array(copy);
	struct ordo_piece value;
	if (!ordo_skip_value(copy->cursor, &value))
		return false;
	if (value.text[0] != '"') {
		ordo_printer_put(&copy->printer, value.text, value.length);
		return true;
	}
	char *text = malloc(value.length);
	if (!text)
		return ordo_fail_memory(copy->cursor->error);
	ordo_decode(&value, text, value.length);
	ordo_printer_string(&copy->printer, text);
	free(text);
	return true;
}

/* The canonical text, malloc'd; NULL with an error. */
static char *canonical_text(struct ordo_cursor *cursor, size_t *size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, size);
	struct copy *copy = calloc(1, sizeof *copy);
	bool worked = false;
	if (out && copy) {
		copy->cursor = cursor;
		ordo_printer_begin(&copy->printer, out);
		worked = copy_object(copy);
		if (!ordo_printer_end(&copy->printer) && worked)
			worked = ordo_fail_memory(cursor->error);
		ordo_arena_free(&copy->keys);
	} else {
		ordo_fail_memory(cursor->error);
	}
	free(copy);
	if (out)
		fclose(out);
	if (worked)
		return text;
	free(text);
	return NULL;
}

bool ordo_read_extra(struct ordo_cursor *cursor, const struct ordo_field *field, void *into)
{
	const char **text = into;
	struct ordo_piece value;
	ordo_skip_space(cursor);
	struct ordo_cursor again = *cursor;
	size_t size = 0;
	if (!ordo_skip_value(cursor, &value))
		return false;
	if (value.text[0] != '{')
		return ordo_fail_value(cursor, &value, field->key, "an object");
	if (!ordo_memory_allows(3 * (double)value.length, "reading x", cursor->error))
		return false;
	char *canonical = canonical_text(&again, &size);
	if (!canonical)
		return false;
	*text = ordo_arena_text(cursor->arena, canonical, size);
	free(canonical);
	return *text ? true : ordo_fail_memory(cursor->error);
}
