/* task.c - one task through cJSON: the judge of every task that is not exactly as we write it.
 *
 * cJSON makes the values; a second walk over the same text, in step with cJSON's, knows where each
 * stands and how it is written.
 */
#include "task.h"
#include <ordo/suggest.h>
#include <string.h>

enum task_key { TASK, PEER, CHUNK, COUNT, SRC, DST, SIGNAL, PHASE, NTASK_KEY };
static const char *const task_names[NTASK_KEY] = {
	"task", "peer", "chunk", "count", "src", "dst", "signal", "phase"};
static const struct ordo_keys task_keys = {task_names, NTASK_KEY, "a task"};

struct member {
	const cJSON *json;
	struct ordo_piece key, value;
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

/* The members of the task's object, in step with cJSON's children. */
static bool walk_members(struct ordo_cursor *cursor, const cJSON *json,
	struct member members[NTASK_KEY], uint32_t *seen)
{
	struct ordo_piece key;
	enum ordo_step step;
	bool first = true;
	const cJSON *child = json->child;
	cursor->at++;
	for (; (step = ordo_next_member(cursor, &first, &key)) == ORDO_STEP_MORE;
		child = child->next) {
		int index = ordo_which_key(cursor, &task_keys, &key, seen);
		if (index < 0)
			return false;
		members[index] = (struct member){.json = child, .key = key};
		if (!ordo_skip_value(cursor, &members[index].value))
			return false;
	}
	return step == ORDO_STEP_END;
}

static bool find_kind(
	const struct ordo_cursor *cursor, const struct member *member, enum ordo_task_kind *kind)
{
	const char *names[ORDO_NTASK_KIND], *text;
	if (!ordo_as_string(cursor, member->json, &member->value, "task", &text))
		return false;
	for (int i = 0; i < ORDO_NTASK_KIND; i++) {
		names[i] = ordo_task_kind_name((enum ordo_task_kind)i);
		if (!strcmp(names[i], text)) {
			*kind = (enum ordo_task_kind)i;
			return true;
		}
	}
	ordo_fail_value(cursor, &member->value, "task",
		"LocalCopy, LocalReduce, Send, SendReduce, Notify or Wait");
	const char *meant = ordo_suggest(text, names, ORDO_NTASK_KIND);
	return meant ? ordo_hint(cursor->error, "did you mean \"%s\"?", meant) : false;
}

static bool check_keys(const struct ordo_cursor *cursor, const struct member members[NTASK_KEY],
	uint32_t seen, enum ordo_task_kind kind, struct ordo_place place)
{
	for (int i = 0; i < NTASK_KEY; i++)
		if (seen >> i & 1 && !(allowed_keys(kind) >> i & 1))
			return ordo_fail_at(cursor, members[i].key.place,
				"the key \"%s\" does not belong in a %s", task_names[i],
				ordo_task_kind_name(kind));
	return ordo_require_keys(cursor, &task_keys, place, seen, required_keys(kind));
}

static bool find_buffer(const struct ordo_cursor *cursor, const cJSON *json,
	const struct ordo_piece *value, const char *key, uint32_t *buffer)
{
	const char *names[ORDO_NBUFFER], *text;
	if (!ordo_as_string(cursor, json, value, key, &text))
		return false;
	for (uint32_t i = 0; i < ORDO_NBUFFER; i++) {
		names[i] = ordo_buffer_name((enum ordo_buffer)i);
		if (!strcmp(names[i], text)) {
			*buffer = i;
			return true;
		}
	}
	ordo_fail_value(cursor, value, key, "\"input\", \"output\" or \"scratch\"");
	const char *meant = ordo_suggest(text, names, ORDO_NBUFFER);
	return meant ? ordo_hint(cursor->error, "did you mean \"%s\"?", meant) : false;
}

/* `[buffer, first slot]` */
static bool read_slice(const struct ordo_cursor *cursor, const struct member *member,
	const char *key, uint32_t *buffer, uint32_t *slot)
{
	if (!cJSON_IsArray(member->json) || cJSON_GetArraySize(member->json) != 2)
		return ordo_fail_value(cursor, &member->value, key, "[buffer, first slot]");
	struct ordo_cursor inside = *cursor;
	struct ordo_piece name, number;
	bool first = true;
	inside.at = member->value.text + 1;
	inside.line = member->value.place.line;
	inside.line_begin = member->value.text;
	inside.cut = member->value.place.column - 1;
	const cJSON *json = member->json->child;
	return ordo_next_element(&inside, &first) == ORDO_STEP_MORE &&
	       ordo_skip_value(&inside, &name) && find_buffer(cursor, json, &name, key, buffer) &&
	       ordo_next_element(&inside, &first) == ORDO_STEP_MORE &&
	       ordo_skip_value(&inside, &number) &&
	       ordo_as_integer(cursor, json->next, &number, key, 0, ORDO_LIMIT, slot);
}

/* The integer of a key that is there, or else leaves *number as it is. */
static bool take_integer(const struct ordo_cursor *cursor, const struct member members[NTASK_KEY],
	enum task_key key, uint32_t least, uint32_t most, uint32_t *number)
{
	const struct member *member = &members[key];
	return !member->json || ordo_as_integer(cursor, member->json, &member->value,
					task_names[key], least, most, number);
}

static bool fill_task(const struct ordo_cursor *cursor, const struct member members[NTASK_KEY],
	struct ordo_task *task)
{
	uint32_t phase = ORDO_NO_PHASE, source = 0, target = 0;
	bool worked = take_integer(cursor, members, PEER, 0, ORDO_LIMIT, &task->peer) &&
		      take_integer(cursor, members, CHUNK, 0, ORDO_LIMIT, &task->chunk) &&
		      take_integer(cursor, members, COUNT, 1, ORDO_LIMIT, &task->count) &&
		      take_integer(cursor, members, SIGNAL, 0, ORDO_LIMIT, &task->signal) &&
		      take_integer(cursor, members, PHASE, 0, ORDO_NO_PHASE - 1, &phase);
	if (worked && ordo_task_moves(task))
		worked = read_slice(cursor, &members[SRC], "src", &source, &task->src) &&
			 read_slice(cursor, &members[DST], "dst", &target, &task->dst);
	task->phase = phase & ORDO_NO_PHASE;
	task->src_buffer = source & 3;
	task->dst_buffer = target & 3;
	return worked;
}

bool ordo_read_task(struct ordo_cursor *cursor, struct ordo_task *task)
{
	struct member members[NTASK_KEY] = {{0}};
	struct ordo_piece value;
	enum ordo_task_kind kind = ORDO_LOCAL_COPY;
	uint32_t seen = 0;
	ordo_skip_space(cursor);
	struct ordo_cursor inside = *cursor;
	cJSON *json = ordo_parse_value(cursor, "a task", &value);
	bool worked = json && (cJSON_IsObject(json) ? true
						    : ordo_fail_value(cursor, &value, "a task",
							      "an object"));
	worked = worked && walk_members(&inside, json, members, &seen) &&
		 ordo_require_keys(cursor, &task_keys, value.place, seen, 1u << TASK) &&
		 find_kind(cursor, &members[TASK], &kind) &&
		 check_keys(cursor, members, seen, kind, value.place);
	if (worked) {
		*task = (struct ordo_task){
			.kind = (uint32_t)kind & 7, .count = kind <= ORDO_SEND_REDUCE};
		worked = fill_task(cursor, members, task);
	}
	cJSON_Delete(json);
	return worked;
}
