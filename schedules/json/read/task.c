/* task.c - the general reader of one task: any white space, any order of keys.
 *
 * One pass over the text finds the members; their values are so simple that no tree is built. Only
 * an invalid task is read again, to report its first error.
 */
#include "task.h"
#include <string.h>

enum task_key { TASK, PEER, CHUNK, COUNT, SRC, DST, SIGNAL, PHASE, NTASK_KEY };
/* Values are read after all members are found, because the kind of a task determines its keys. */
static const struct ordo_field task_fields[NTASK_KEY] = {
	{.key = "task"},
	{.key = "peer", .most = ORDO_LIMIT},
	{.key = "chunk", .most = ORDO_LIMIT},
	{.key = "count", .least = 1, .most = ORDO_LIMIT},
	{.key = "src", .most = ORDO_LIMIT},
	{.key = "dst", .most = ORDO_LIMIT},
	{.key = "signal", .most = ORDO_LIMIT},
	{.key = "phase", .most = ORDO_NO_PHASE - 1},
};
static const struct ordo_object task_object = ORDO_OBJECT("a task", "an object", task_fields);

/* Of an array also its first elements, and how many there are. */
struct member {
	struct ordo_piece key, value, items[2];
	uint32_t nitem;
};

/* Which keys a kind of task must have; count and phase are free for those they belong to. */
static uint32_t required_keys(enum ordo_task_kind kind)
{
	const uint32_t slices = 1u << TASK | 1u << CHUNK | 1u << SRC | 1u << DST;
	switch (kind) {
	case ORDO_LOCAL_COPY:
	case ORDO_LOCAL_REDUCE:
		return slices;
	case ORDO_SEND:
	case ORDO_SEND_REDUCE:
		return slices | 1u << PEER;
	case ORDO_NOTIFY:
	case ORDO_WAIT:
		break;
	}
	return 1u << TASK | 1u << PEER | 1u << SIGNAL;
}

static uint32_t allowed_keys(enum ordo_task_kind kind)
{
	uint32_t required = required_keys(kind);
	return required | 1u << PHASE | (required >> CHUNK & 1) << COUNT;
}

/* The elements of an array; the cursor is before it. */
static bool walk_items(struct ordo_cursor *cursor, struct member *member)
{
	struct ordo_piece item;
	enum ordo_item step;
	bool first = true;
	member->value = (struct ordo_piece){.text = cursor->at, .place = ordo_cursor_place(cursor)};
	cursor->at++;
	while ((step = ordo_next_element(cursor, &first)) == ORDO_ITEM_FOUND) {
		if (!ordo_skip_value(cursor, &item))
			return false;
		if (member->nitem < 2)
			member->items[member->nitem] = item;
		member->nitem++;
	}
	member->value.length = (size_t)(cursor->at - member->value.text);
	return step == ORDO_ITEM_END;
}

/* The members of the task's object; the cursor is behind its `{`. */
static bool walk_members(
	struct ordo_cursor *cursor, struct member members[NTASK_KEY], uint32_t *seen)
{
	struct ordo_piece key;
	enum ordo_item step;
	bool first = true;
	while ((step = ordo_next_member(cursor, &first, &key)) == ORDO_ITEM_FOUND) {
		const int index = ordo_which_key(cursor, &task_object, &key, seen);
		if (index < 0)
			return false;
		struct member *member = &members[index];
		member->key = key;
		member->nitem = 0;
		ordo_skip_space(cursor);
		const bool is_array = cursor->at < cursor->end && *cursor->at == '[';
		if (is_array ? !walk_items(cursor, member)
			     : !ordo_skip_value(cursor, &member->value))
			return false;
	}
	return step == ORDO_ITEM_END;
}

static bool find_kind(
	const struct ordo_cursor *cursor, const struct member *member, enum ordo_task_kind *kind)
{
	const char *names[ORDO_NTASK_KIND];
	uint32_t index = 0;
	for (int i = 0; i < ORDO_NTASK_KIND; i++)
		names[i] = ordo_task_kind_name((enum ordo_task_kind)i);
	if (!ordo_piece_word(cursor, &member->value, "task", names, ORDO_NTASK_KIND,
		    "LocalCopy, LocalReduce, Send, SendReduce, Notify or Wait", &index))
		return false;
	*kind = (enum ordo_task_kind)index;
	return true;
}

static bool check_keys(const struct ordo_cursor *cursor, const struct member members[NTASK_KEY],
	uint32_t seen, enum ordo_task_kind kind, struct ordo_place place)
{
	for (int i = 0; i < NTASK_KEY; i++)
		if (seen >> i & 1 && !(allowed_keys(kind) >> i & 1))
			return ordo_fail_at(cursor, members[i].key.place,
				"the key \"%s\" does not belong in a %s", task_fields[i].key,
				ordo_task_kind_name(kind));
	for (uint32_t i = 0; i < NTASK_KEY; i++)
		if (required_keys(kind) & ~seen & 1u << i)
			return ordo_fail_missing(cursor, &task_object, place, i);
	return true;
}

/* `[buffer, first slot]` */
static bool read_slice(const struct ordo_cursor *cursor, const struct member members[NTASK_KEY],
	enum task_key key, uint32_t *buffer, uint32_t *slot)
{
	const struct ordo_field *field = &task_fields[key];
	const struct member *member = &members[key];
	const char *names[ORDO_NBUFFER];
	if (member->value.text[0] != '[' || member->nitem != 2)
		return ordo_fail_value(cursor, &member->value, field->key, "[buffer, first slot]");
	for (uint32_t i = 0; i < ORDO_NBUFFER; i++)
		names[i] = ordo_buffer_name((enum ordo_buffer)i);
	return ordo_piece_word(cursor, &member->items[0], field->key, names, ORDO_NBUFFER,
		       "\"input\", \"output\" or \"scratch\"", buffer) &&
	       ordo_piece_integer(cursor, &member->items[1], field, slot);
}

/* The integer of a key that is there, or else leaves *number as it is. */
static bool take_integer(const struct ordo_cursor *cursor, const struct member members[NTASK_KEY],
	enum task_key key, uint32_t *number)
{
	return !members[key].key.text ||
	       ordo_piece_integer(cursor, &members[key].value, &task_fields[key], number);
}

static bool fill_task(const struct ordo_cursor *cursor, const struct member members[NTASK_KEY],
	struct ordo_task *task)
{
	uint32_t phase = ORDO_NO_PHASE, source = 0, target = 0;
	bool worked = take_integer(cursor, members, PEER, &task->peer) &&
		      take_integer(cursor, members, CHUNK, &task->chunk) &&
		      take_integer(cursor, members, COUNT, &task->count) &&
		      take_integer(cursor, members, SIGNAL, &task->signal) &&
		      take_integer(cursor, members, PHASE, &phase);
	if (worked && ordo_task_moves(task))
		worked = read_slice(cursor, members, SRC, &source, &task->src) &&
			 read_slice(cursor, members, DST, &target, &task->dst);
	task->phase = phase & ORDO_NO_PHASE;
	task->src_buffer = source & 3;
	task->dst_buffer = target & 3;
	return worked;
}

/* The cursor is behind the `{` at that place. */
static bool read_members(
	struct ordo_cursor *cursor, struct ordo_place place, struct ordo_task *task)
{
	struct member members[NTASK_KEY];
	enum ordo_task_kind kind = ORDO_LOCAL_COPY;
	uint32_t seen = 0;
	for (int i = 0; i < NTASK_KEY; i++)
		members[i].key.text = NULL;
	if (!walk_members(cursor, members, &seen))
		return false;
	if (!(seen & 1u << TASK))
		return ordo_fail_missing(cursor, &task_object, place, TASK);
	if (!find_kind(cursor, &members[TASK], &kind) ||
		!check_keys(cursor, members, seen, kind, place))
		return false;
	*task = (struct ordo_task){.kind = (uint32_t)kind & 7, .count = kind <= ORDO_SEND_REDUCE};
	return fill_task(cursor, members, task);
}

bool ordo_read_task(struct ordo_cursor *cursor, struct ordo_task *task)
{
	ordo_skip_space(cursor);
	const struct ordo_cursor before = *cursor;
	const struct ordo_place place = ordo_cursor_place(cursor);
	struct ordo_piece value;
	if (cursor->at < cursor->end && *cursor->at == '{') {
		cursor->at++;
		if (read_members(cursor, place, task) &&
			(size_t)(cursor->at - before.at) <= ORDO_VALUE_LIMIT)
			return true;
		*cursor = before;
	}
	/* Errors of syntax come before errors of meaning. */
	if (!ordo_skip_value(cursor, &value))
		return false;
	if (value.length > ORDO_VALUE_LIMIT)
		return ordo_fail_at(cursor, value.place,
			"a task: found a value of %zu bytes, wanted at most %d", value.length,
			ORDO_VALUE_LIMIT);
	if (value.text[0] != '{')
		return ordo_fail_value(cursor, &value, "a task", "an object");
	*cursor = before;
	cursor->at++;
	return read_members(cursor, place, task);
}
