/* compile.c - `ordo compile --fail-any-link`: a proved schedule for each single link that is
 * down. */
#include "base/clock.h"
#include "choice.h"
#include "choose/plan_set_files.h"
#include "report/proof.h"
#include <inttypes.h>
#include <ordo/detail/replay.h>
#include <ordo/detail/topologies.h>
#include <stdlib.h>
#include <string.h>

struct made_state {
	struct ordo_schedule *schedule; /* owned; NULL: none is possible */
	char digest[33];		/* of the schedule */
	bool is_first;			/* of the states with this schedule */
};

struct making {
	struct choosing choosing;
	struct failed_links failed;
	struct ordo_failure_set *set;
	struct made_state *states; /* [room] */
	uint32_t room;
};

/* The name of the file for a state: that of an earlier state with an equal schedule. Owns the
 * schedule. false: call->status. */
static bool name_file(
	struct call *call, struct making *making, struct ordo_schedule *schedule, char name[32])
{
	struct ordo_error error;
	const uint32_t state = making->set->nstate;
	struct made_state *made = &making->states[state];
	uint32_t first = 0, nfile = 0;
	/* Equal schedules of different topologies are one, so the set names the topologies. */
	schedule->topology_name = schedule->topology_digest = NULL;
	made->schedule = schedule;
	if (!ordo_schedule_digest(schedule, made->digest, &error))
		return refuse_error(call, &error);
	for (; first < state; first++) {
		const struct made_state *one = &making->states[first];
		if (one->schedule && !strcmp(one->digest, made->digest) &&
			!strcmp(one->schedule->algorithm, schedule->algorithm))
			break;
		nfile += one->is_first;
	}
	made->is_first = first == state;
	snprintf(name, 32, "failure-%" PRIu32 ".json", nfile);
	return true;
}

/* The first schedule has the problem with all that is implied. */
static bool begin_set(
	struct call *call, struct making *making, const struct ordo_schedule *schedule)
{
	struct ordo_error error;
	char digest[33];
	if (making->set)
		return true;
	ordo_topology_digest(making->choosing.whole.topology, digest);
	making->set =
		ordo_failure_set_create(&schedule->problem, making->choosing.whole.topology->name,
			digest, making->choosing.request->bytes, &error);
	return making->set || refuse_error(call, &error);
}

/* Adds a schedule that the choice has proved on its topology to the set, and owns it. */
static bool add_proved(struct call *call, struct making *making,
	const struct ordo_topology *topology, struct made_schedule *made,
	struct ordo_failure_state *state)
{
	struct ordo_error error;
	struct ordo_schedule *schedule = made->schedule;
	char name[32];
	if (!begin_set(call, making, schedule) ||
		!find_bound(call, &making->choosing.request->problem, topology, state)) {
		ordo_schedule_destroy(schedule);
		return false;
	}
	state->time_ns = made->seconds * 1e9;
	state->algorithm = schedule->algorithm;
	state->order_digest = made->digest;
	bool worked = name_file(call, making, schedule, name);
	state->schedule = name;
	state->price = ordo_failure_price(state, making->set->bytes);
	worked = worked &&
		 (ordo_failure_set_add(making->set, state, &error) || refuse_error(call, &error));
	return worked;
}

static bool compile_whole(struct call *call, struct making *making)
{
	struct ordo_failure_state state = {.a = ORDO_NONE, .b = ORDO_NONE};
	struct made_schedule made;
	struct ordo_topology *topology =
		fail_state(call, making->choosing.whole.topology, ORDO_NONE, ORDO_NONE);
	const bool worked = topology && choose_freely(call, &making->choosing, topology, &made) &&
			    add_proved(call, making, topology, &made, &state);
	ordo_topology_destroy(topology);
	return worked;
}

/* Without the link some ranks may not reach others any more: then no schedule is possible. */
static bool compile_link(struct call *call, struct making *making, uint32_t i)
{
	struct ordo_error error;
	const struct failed_link *link = &making->failed.links[i];
	struct ordo_failure_state state = {.a = link->a, .b = link->b};
	struct made_schedule made;
	if (link->class_index == ORDO_NONE)
		return ordo_failure_set_add(making->set, &state, &error) ||
		       refuse_error(call, &error);
	struct ordo_topology *topology =
		fail_state(call, making->choosing.whole.topology, link->a, link->b);
	const bool worked =
		topology &&
		make_for_link(call, &making->choosing, &making->failed, i, topology, &made) &&
		add_proved(call, making, topology, &made, &state);
	ordo_topology_destroy(topology);
	return worked;
}

/* Before hours pass in silence. */
static void note_effort(struct call *call, const struct failed_links *failed, double first_seconds)
{
	enum { PATIENCE_SECONDS = 30 };
	const double all = first_seconds * count_choices(failed);
	if (all > PATIENCE_SECONDS)
		note(call,
			"%" PRIu32 " links, %" PRIu32 " choices; the schedule for no failure took "
			"%.2g s, so all take about %.0f %s",
			failed->count, count_choices(failed), first_seconds,
			all < 120 ? all : all / 60, all < 120 ? "s" : "min");
}

static bool compile_states(struct call *call, struct making *making)
{
	const double began = clock_seconds();
	struct failed_links *failed = &making->failed;
	if (!find_failed_links(call, &making->choosing, failed))
		return false;
	making->room = failed->count + 1;
	making->states = calloc(making->room, sizeof *making->states);
	bool worked = making->states ? true : refuse_memory(call);
	worked = worked && compile_whole(call, making);
	if (worked)
		note_effort(call, failed, clock_seconds() - began);
	worked = worked && choose_for_classes(call, &making->choosing, failed);
	for (uint32_t i = 0; worked && i < failed->count; i++)
		worked = compile_link(call, making, i);
	return worked;
}

static bool begin_making(struct call *call, struct making *making)
{
	struct choosing *choosing = &making->choosing;
	choosing->setting = *choosing->request->setting;
	if (!has_topology(&choosing->setting.topology))
		choosing->setting.topology.name = "full-mesh";
	return read_set_output(call, choosing->request->output) &&
	       open_predicted(
		       call, &choosing->setting, &choosing->request->problem, &choosing->whole);
}

static void end_making(struct making *making)
{
	for (uint32_t i = 0; making->states && i < making->room; i++)
		ordo_schedule_destroy(making->states[i].schedule);
	free(making->states);
	free_failed_links(&making->failed);
	ordo_failure_set_destroy(making->set);
	close_predicted(&making->choosing.whole);
}

static bool write_set(struct call *call, const struct making *making)
{
	struct ordo_error error;
	const struct ordo_schedule **schedules = calloc(making->room, sizeof *schedules);
	if (!schedules)
		return refuse_memory(call);
	for (uint32_t i = 0; i < making->room; i++)
		schedules[i] = making->states[i].schedule;
	const bool worked = ordo_failure_set_write(making->set, making->choosing.whole.topology,
		schedules, making->choosing.request->output, &error);
	free(schedules);
	return worked || refuse_error(call, &error);
}

int compile_failures(struct call *call, const struct failures_request *request)
{
	const double began = clock_seconds();
	struct making making = {.choosing = {.request = request}};
	const bool worked = begin_making(call, &making) && compile_states(call, &making) &&
			    write_set(call, &making);
	if (worked) {
		const struct report report = report_of(call, stderr);
		report_states(&report, making.set, ", proved in every interleaving");
		report_text(&report,
			"chosen, compiled, proved and written in %g<seconds:time> to "
			"%s<output>\n",
			clock_seconds() - began, request->output);
	}
	end_making(&making);
	return worked ? ORDO_OK : call->status;
}
