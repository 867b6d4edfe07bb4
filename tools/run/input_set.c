/* input_set.c - the schedules to run: one, or those of a plan set, each read and proved on first
 * use. */
#include "input_set.h"
#include "cli/sizes.h"
#include "report/plan_set.h"
#include "report/proof.h"
#include <inttypes.h>
#include <stdlib.h>

static bool give_schedules(struct call *call, struct subject *subject)
{
	struct ordo_error error;
	subject->nschedule = subject->set ? subject->set->nrange : 1;
	subject->schedules = calloc(subject->nschedule, sizeof *subject->schedules);
	if (subject->schedules)
		return true;
	ordo_fail_memory(&error);
	return refuse_error(call, &error);
}

bool open_subject(struct call *call, struct subject *subject, const char *path,
	struct topology_choice *choice)
{
	*subject = (struct subject){.path = path, .choice = choice};
	if (ordo_is_plan_set(path)) {
		subject->set = open_set(call, path);
		if (!subject->set || !give_schedules(call, subject))
			return false;
		subject->problem = subject->set->problem;
		return true;
	}
	if (!give_schedules(call, subject))
		return false;
	if (!ordo_is_failure_set(path))
		subject->schedules->schedule = open_schedule(call, path);
	else if (choose_state(call, path, choice, &subject->chosen))
		subject->schedules->schedule = subject->chosen.schedule;
	if (!subject->schedules->schedule)
		return false;
	subject->problem = subject->schedules->schedule->problem;
	return true;
}

void close_subject(struct subject *subject)
{
	for (uint32_t i = 0; i < subject->nschedule && subject->schedules; i++) {
		ordo_proof_destroy(subject->schedules[i].proof);
		ordo_schedule_destroy(subject->schedules[i].schedule);
	}
	free(subject->schedules);
	ordo_plan_set_destroy(subject->set);
	ordo_topology_destroy(subject->topology);
}

/* What was looked for, in messages: `1000 elements of 32 bytes`. */
struct wanted_size {
	char text[96];
	uint64_t bytes; /* UINT64_MAX: too many */
};

/* The range of a set that contains the size. */
static bool find_range(struct call *call, const struct subject *subject,
	const struct wanted_size *size, uint32_t *range)
{
	const struct ordo_plan_set *set = subject->set;
	const struct ordo_plan_range *last = &set->ranges[set->nrange - 1];
	*range = size->bytes > ORDO_BYTES_LIMIT ? ORDO_NONE : ordo_plan_set_find(set, size->bytes);
	if (*range != ORDO_NONE)
		return true;
	if (last->to_bytes == ORDO_ENDLESS)
		return refuse_usage(call, NULL,
			"%s has no schedule for %s, but for sizes from %" PRIu64 " bytes on",
			subject->path, size->text, set->ranges[0].from_bytes);
	return refuse_usage(call, NULL,
		"%s has no schedule for %s, but for sizes of %" PRIu64 "..%" PRIu64 " bytes",
		subject->path, size->text, set->ranges[0].from_bytes, last->to_bytes);
}

static struct proved_schedule *find_size(
	struct call *call, struct subject *subject, const struct wanted_size *size)
{
	uint32_t range;
	if (!find_range(call, subject, size, &range))
		return NULL;
	if (!subject->set->ranges[range].schedule) {
		refuse_usage(call, NULL,
			"%s has no schedule for %" PRIu64
			" bytes: it leaves this size to the library",
			subject->path, size->bytes);
		return NULL;
	}
	range = ordo_plan_set_first(subject->set, range);
	struct proved_schedule *found = &subject->schedules[range];
	found->name = subject->set->ranges[range].schedule;
	if (!found->schedule)
		found->schedule = open_range(call, subject->set, range);
	return found->schedule ? found : NULL;
}

struct proved_schedule *find_schedule(
	struct call *call, struct subject *subject, enum ordo_type type, uint64_t count)
{
	if (!subject->set)
		return subject->schedules;
	const uint64_t one = bytes_of_one(&subject->set->problem, type);
	struct wanted_size size = {
		.bytes = count > ORDO_BYTES_LIMIT / one ? UINT64_MAX : count * one};
	snprintf(size.text, sizeof size.text, "%" PRIu64 " elements of %" PRIu64 " bytes", count,
		one);
	return find_size(call, subject, &size);
}

struct proved_schedule *find_schedule_of_size(
	struct call *call, struct subject *subject, uint64_t bytes)
{
	struct wanted_size size = {.bytes = bytes};
	if (!subject->set)
		return subject->schedules;
	snprintf(size.text, sizeof size.text, "%" PRIu64 " bytes", bytes);
	return find_size(call, subject, &size);
}

static bool choose_once(struct call *call, struct subject *subject)
{
	return subject->topology ||
	       choose_topology(call, subject->choice, subject->problem.nrank, &subject->topology);
}

bool prove_found(
	struct call *call, struct subject *subject, struct proved_schedule *found, bool unproved)
{
	if (found->proof)
		return true;
	if (!choose_once(call, subject))
		return false;
	const struct ordo_verify_options options = {.topology = subject->topology};
	found->proof = prove(call, found->schedule, &options);
	if (!found->proof)
		return false;
	if (found->proof->proved)
		return true;
	if (unproved) {
		warn(call, "running a refuted schedule: it may block, or give wrong results");
		return true;
	}
	const struct report errors = report_of(call, stderr);
	report_proof(&errors, found->schedule, found->proof);
	note(call, "not run, because it is refuted; --unproved runs it anyway");
	return refuse(call, ORDO_REFUTED);
}
