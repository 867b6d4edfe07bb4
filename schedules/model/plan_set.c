/* plan_set.c - ranges of sizes, one after another, and the schedule of each. */
#include "base/source.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <ordo/atomic_file.h>
#include <ordo/plan_set.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct ordo_plan_set *ordo_plan_set_create(
	const struct ordo_problem *problem, struct ordo_error *error)
{
	struct ordo_problem checked = *problem;
	checked.chunks_per_block = 1;
	if (!ordo_problem_check(&checked, error))
		return NULL;
	struct ordo_plan_set *set = calloc(1, sizeof *set);
	if (!set) {
		ordo_fail_memory(error);
		return NULL;
	}
	set->problem = checked;
	set->folder = -1;
	return set;
}

void ordo_plan_set_destroy(struct ordo_plan_set *set)
{
	if (!set)
		return;
	if (set->folder >= 0)
		close(set->folder);
	free(set->ranges);
	ordo_arena_free(&set->arena);
	free(set);
}

/* Checks the two ends of one range. Messages begin with the key they concern. */
static bool check_ends(uint64_t from_bytes, uint64_t to_bytes, struct ordo_error *error)
{
	if (from_bytes > ORDO_BYTES_LIMIT)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"from_bytes: found %" PRIu64 ", wanted at most %" PRIu64, from_bytes,
			ORDO_BYTES_LIMIT);
	if (to_bytes > ORDO_BYTES_LIMIT && to_bytes != ORDO_ENDLESS)
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"to_bytes: found %" PRIu64 ", wanted at most %" PRIu64, to_bytes,
			ORDO_BYTES_LIMIT);
	if (from_bytes <= to_bytes)
		return true;
	ordo_fail(error, ORDO_BAD_INPUT, 1,
		"to_bytes: found %" PRIu64 ", wanted at least from_bytes, %" PRIu64
		": the range is empty",
		to_bytes, from_bytes);
	return ordo_hint(error,
		"both ends belong to a range: {\"from_bytes\": %" PRIu64 ", \"to_bytes\": %" PRIu64
		"} is one size",
		from_bytes, from_bytes);
}

/* "7" or "7..9" */
static const char *print_sizes(char out[64], uint64_t from, uint64_t to)
{
	if (from == to)
		snprintf(out, 64, "size %" PRIu64, from);
	else
		snprintf(out, 64, "sizes %" PRIu64 "..%" PRIu64, from, to);
	return out;
}

static bool check_follows(const struct ordo_plan_range *before, uint64_t from_bytes,
	uint64_t to_bytes, struct ordo_error *error)
{
	char sizes[64];
	if (before->to_bytes == ORDO_ENDLESS) {
		ordo_fail(error, ORDO_BAD_INPUT, 1,
			"from_bytes: found %" PRIu64 ", but the range before it, from %" PRIu64
			", has no end",
			from_bytes, before->from_bytes);
		return ordo_hint(error, "only the last range may leave out to_bytes");
	}
	const uint64_t wanted = before->to_bytes + 1;
	if (from_bytes == wanted)
		return true;
	if (from_bytes > wanted) {
		ordo_fail(error, ORDO_BAD_INPUT, 1,
			"from_bytes: found %" PRIu64 ", wanted %" PRIu64
			": there is a gap, no schedule for %s",
			from_bytes, wanted, print_sizes(sizes, wanted, from_bytes - 1));
		return ordo_hint(
			error, "both ends belong to a range; the next one begins one byte further");
	}
	if (from_bytes < before->from_bytes) {
		ordo_fail(error, ORDO_BAD_INPUT, 1,
			"from_bytes: found %" PRIu64 " after a range from %" PRIu64
			", wanted ranges in ascending order",
			from_bytes, before->from_bytes);
		return ordo_hint(error, "the next range here begins at %" PRIu64, wanted);
	}
	const uint64_t last = to_bytes < before->to_bytes ? to_bytes : before->to_bytes;
	ordo_fail(error, ORDO_BAD_INPUT, 1,
		"from_bytes: found %" PRIu64 ", wanted %" PRIu64
		": ranges overlap, two schedules for %s",
		from_bytes, wanted, print_sizes(sizes, from_bytes, last));
	return ordo_hint(
		error, "both ends belong to a range; the next one begins one byte further");
}

/* C0, DEL, and C1 as UTF-8 has them: names are shown, and a terminal would obey these. */
static bool has_controls(const char *name)
{
	for (const unsigned char *at = (const unsigned char *)name; *at; at++)
		if (*at < ' ' || *at == 0x7f || (at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0))
			return true;
	return false;
}

static bool check_name(const char *name, struct ordo_error *error)
{
	if (has_controls(name))
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"schedule: found control characters in a name, wanted none");
	if (!ordo_is_plain_name(name)) {
		ordo_fail(error, ORDO_BAD_INPUT, 1,
			"schedule: found \"%.200s\", wanted the plain name of a file or folder "
			"beside the set",
			name);
		return ordo_hint(error, "no slash, no backslash, no dot in front: a set and its "
					"schedules stay together");
	}
	if (!strcmp(name, "plan-set.json"))
		return ordo_fail(error, ORDO_BAD_INPUT, 1,
			"schedule: found \"plan-set.json\", which is the name of a set, wanted a "
			"schedule");
	return true;
}

bool ordo_plan_set_add(struct ordo_plan_set *set, uint64_t from_bytes, uint64_t to_bytes,
	const char *schedule, struct ordo_error *error)
{
	if (!check_ends(from_bytes, to_bytes, error) ||
		(set->nrange && !check_follows(&set->ranges[set->nrange - 1], from_bytes, to_bytes,
					error)) ||
		(schedule && !check_name(schedule, error)))
		return false;
	const char *name =
		schedule ? ordo_arena_text(&set->arena, schedule, strlen(schedule)) : NULL;
	if ((schedule && !name) || set->nrange == ORDO_LIMIT ||
		!ordo_array_reserve(
			&set->ranges, &set->room, (size_t)set->nrange + 1, sizeof *set->ranges))
		return ordo_fail_memory(error);
	set->ranges[set->nrange++] = (struct ordo_plan_range){
		.from_bytes = from_bytes, .to_bytes = to_bytes, .schedule = name};
	return true;
}
