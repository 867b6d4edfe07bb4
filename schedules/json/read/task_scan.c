/* task_scan.c - a fast scanner of canonical task lines.
 *
 * Whatever it accepts, the general reader accepts with the same result; it may leave any task to
 * that reader. The fuzz target fuzz_schedule_reader compares the two.
 */
#include "task_scan.h"
#include <string.h>

/* Steps over a literal; at becomes NULL if it is not there. */
#define SKIP(at, literal)                                                                          \
	((at) && !memcmp(at, literal, sizeof literal - 1) ? (at) + sizeof literal - 1 : NULL)

/* A plain integer of 0..2^31-1; NULL for anything else. */
static inline const char *scan_number(const char *at, uint32_t *number)
{
	if (!at)
		return NULL;
	unsigned digit = (unsigned char)*at - (unsigned)'0';
	if (digit > 9)
		return NULL;
	uint64_t value = digit;
	const char *first = at++;
	for (; (digit = (unsigned char)*at - (unsigned)'0') <= 9; at++) {
		value = value * 10 + digit;
		if (at - first >= 10)
			return NULL;
	}
	if ((*first == '0' && at - first > 1) || value > ORDO_LIMIT)
		return NULL;
	*number = (uint32_t)value;
	return at;
}

/* `["input", 2]` */
static inline const char *scan_slice(const char *at, uint32_t *buffer, uint32_t *slot)
{
	at = SKIP(at, "[\"");
	if (!at)
		return NULL;
	switch (*at) {
	case 'i':
		*buffer = ORDO_INPUT;
		at = SKIP(at, "input\", ");
		break;
	case 'o':
		*buffer = ORDO_OUTPUT;
		at = SKIP(at, "output\", ");
		break;
	case 's':
		*buffer = ORDO_SCRATCH;
		at = SKIP(at, "scratch\", ");
		break;
	default:
		return NULL;
	}
	at = scan_number(at, slot);
	return SKIP(at, "]");
}

static inline const char *scan_kind(const char *at, uint32_t *kind)
{
	at = SKIP(at, "{\"task\": \"");
	if (!at)
		return NULL;
	switch (*at) {
	case 'S':
		*kind = at[4] == '"' ? ORDO_SEND : ORDO_SEND_REDUCE;
		return at[4] == '"' ? SKIP(at, "Send\", \"peer\": ")
				    : SKIP(at, "SendReduce\", \"peer\": ");
	case 'N':
		*kind = ORDO_NOTIFY;
		return SKIP(at, "Notify\", \"peer\": ");
	case 'W':
		*kind = ORDO_WAIT;
		return SKIP(at, "Wait\", \"peer\": ");
	case 'L':
		*kind = at[5] == 'C' ? ORDO_LOCAL_COPY : ORDO_LOCAL_REDUCE;
		return at[5] == 'C' ? SKIP(at, "LocalCopy\", \"") : SKIP(at, "LocalReduce\", \"");
	default:
		return NULL;
	}
}

/* From `chunk` (its opening quote behind) to behind the `]` of dst. */
static inline const char *scan_move(const char *at, struct ordo_task *task)
{
	uint32_t buffer = 0;
	at = SKIP(at, "chunk\": ");
	at = scan_number(at, &task->chunk);
	at = SKIP(at, ", \"");
	task->count = 1;
	if (at && *at == 'c') {
		at = SKIP(at, "count\": ");
		at = scan_number(at, &task->count);
		at = SKIP(at, ", \"");
		if (!task->count)
			return NULL;
	}
	at = SKIP(at, "src\": ");
	at = scan_slice(at, &buffer, &task->src);
	task->src_buffer = buffer & 3;
	at = SKIP(at, ", \"dst\": ");
	at = scan_slice(at, &buffer, &task->dst);
	task->dst_buffer = buffer & 3;
	return at;
}

const char *ordo_scan_task(const char *at, const char *end, struct ordo_task *task)
{
	uint32_t kind = 0, phase = ORDO_NO_PHASE;
	if (end - at < ORDO_TASK_SCAN_ROOM)
		return NULL;
	*task = (struct ordo_task){0};
	at = scan_kind(at, &kind);
	task->kind = kind & 7;
	if (ordo_task_crosses(task)) {
		at = scan_number(at, &task->peer);
		at = SKIP(at, ", \"");
	}
	if (ordo_task_moves(task)) {
		at = scan_move(at, task);
	} else {
		at = SKIP(at, "signal\": ");
		at = scan_number(at, &task->signal);
	}
	if (at && *at == ',') {
		at = SKIP(at, ", \"phase\": ");
		at = scan_number(at, &phase);
		if (phase >= ORDO_NO_PHASE)
			return NULL;
	}
	task->phase = phase & ORDO_NO_PHASE;
	return SKIP(at, "}");
}
