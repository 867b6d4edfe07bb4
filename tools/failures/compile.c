/* compile.c - `ordo compile --fail-any-link`: a proved schedule for each single link that is
 * down. */
#include "base/clock.h"
#include "choose/plan_set_files.h"
#include "choose/tuning.h"
#include "failures.h"
#include "report/proof.h"
#include <inttypes.h>
#include <ordo/detail/topologies.h>
#include <stdlib.h>
#include <string.h>

/* The schedules so far; a state owns the first of equal ones. */
struct making {
	const struct failures_request *request;
	struct predicting setting;
	struct predicted whole; /* the topology without a failure */
	struct ordo_failure_set *set;
	struct ordo_schedule **schedules; /* [room] of states */
	char **texts;			  /* their documents; NULL: of an earlier state, or none */
	uint32_t room;
};

/* The document of a schedule; the caller frees it. NULL: call->status. */
static char *document_of(struct call *call, const struct ordo_schedule *schedule)
{
	struct ordo_error error;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const bool worked = out && ordo_schedule_print(schedule, out, &error);
	if (!out)
		refuse_memory(call);
	else if (!worked)
		refuse_error(call, &error);
	if (out && !fclose(out) && worked)
		return text;
	free(text);
	return NULL;
}

/* The name of the file for a state: that of an earlier state with an equal schedule. Owns the
 * schedule. false: call->status. */
static bool name_file(
	struct call *call, struct making *making, struct ordo_schedule *schedule, char name[32])
{
	const uint32_t state = making->set->nstate;
	/* Equal schedules of different topologies are one, so the set names the topologies. */
	schedule->topology_name = schedule->topology_digest = NULL;
	char *text = document_of(call, schedule);
	uint32_t first = 0, nfile = 0;
	making->schedules[state] = schedule;
	if (!text)
		return false;
	for (; first < state; first++) {
		if (making->texts[first] && !strcmp(making->texts[first], text))
			break;
		nfile += making->texts[first] != NULL;
	}
	snprintf(name, 32, "failure-%" PRIu32 ".json", nfile);
	if (first == state)
		making->texts[state] = text;
	else
		free(text);
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
	ordo_topology_digest(making->whole.topology, digest);
	making->set = ordo_failure_set_create(&schedule->problem, making->whole.topology->name,
		digest, making->request->bytes, &error);
	return making->set || refuse_error(call, &error);
}

/* Adds a schedule that the choice has proved on its topology to the set. */
static bool add_proved(struct call *call, struct making *making,
	const struct ordo_topology *topology, struct ordo_selected *chosen,
	struct ordo_failure_state *state)
{
	struct ordo_error error;
	struct ordo_schedule *schedule = chosen->schedule;
	char name[32];
	if (!begin_set(call, making, schedule) ||
		!find_bound(call, &making->request->problem, topology, state))
		return false;
	chosen->schedule = NULL;
	state->algorithm = schedule->algorithm;
	state->order_digest = chosen->digest;
	bool worked = name_file(call, making, schedule, name);
	state->schedule = name;
	state->price = ordo_failure_price(state, making->set->bytes);
	worked = worked &&
		 (ordo_failure_set_add(making->set, state, &error) || refuse_error(call, &error));
	return worked;
}

static bool compile_on(struct call *call, struct making *making, struct ordo_topology *topology,
	struct ordo_failure_state *state)
{
	const struct failures_request *request = making->request;
	struct ordo_tuning tuning = {0};
	const struct predicted predicted = {.topology = topology, .type = making->whole.type};
	const struct tuning_options fastest = {.setting = &making->setting,
		.conditions = request->conditions,
		.problem = request->problem,
		.algorithm = request->algorithm,
		.from_bytes = request->bytes,
		.to_bytes = request->bytes,
		.max_tokens = request->max_tokens,
		.staging_slots = request->staging_slots,
		.lazily = true};
	bool worked = find_fastest(call, &fastest, &predicted, &tuning);
	if (worked) {
		state->time_ns = tuning.ranges[0].times.first * 1e9;
		worked = add_proved(call, making, topology, &tuning.selection.ranges[0], state);
	}
	ordo_tuning_free(&tuning);
	return worked;
}

/* Without the link some ranks may not reach others any more: then no schedule is possible. */
static bool compile_state(struct call *call, struct making *making, uint32_t a, uint32_t b)
{
	struct ordo_error error;
	struct ordo_failure_state state = {.a = a, .b = b};
	struct ordo_topology *topology = fail_state(call, making->whole.topology, a, b);
	bool worked = topology;
	if (worked && a != ORDO_NONE && cuts_off_ranks(topology))
		worked = ordo_failure_set_add(making->set, &state, &error) ||
			 refuse_error(call, &error);
	else if (worked && !(worked = compile_on(call, making, topology, &state)) && a != ORDO_NONE)
		note(call,
			"nothing was written: no schedule with the link %" PRIu32 "-%" PRIu32
			" down",
			a, b);
	ordo_topology_destroy(topology);
	return worked;
}

struct pair {
	uint32_t a, b;
};

static int compare_pairs(const void *one, const void *other)
{
	const struct pair *a = one, *b = other;
	return a->a != b->a ? (a->a > b->a) - (a->a < b->a) : (a->b > b->b) - (a->b < b->b);
}

/* The links that are up, without direction, ascending and once each. */
static struct pair *find_pairs(const struct ordo_topology *topology, uint32_t *count)
{
	struct pair *pairs = calloc((size_t)topology->nlink + 1, sizeof *pairs);
	uint32_t n = 0;
	*count = 0;
	for (uint32_t i = 0; pairs && i < topology->nlink; i++) {
		const struct ordo_link *link = &topology->links[i];
		if (!link->down)
			pairs[n++] = link->from < link->to ? (struct pair){link->from, link->to}
							   : (struct pair){link->to, link->from};
	}
	if (pairs)
		qsort(pairs, n, sizeof *pairs, compare_pairs);
	for (uint32_t i = 0; i < n; i++)
		if (!*count || compare_pairs(&pairs[i], &pairs[*count - 1]))
			pairs[(*count)++] = pairs[i];
	return pairs;
}

/* Before hours pass in silence. */
static void note_effort(struct call *call, uint32_t count, double first_seconds)
{
	enum { PATIENCE_SECONDS = 30 };
	const double all = first_seconds * count;
	if (all > PATIENCE_SECONDS)
		note(call,
			"%" PRIu32 " links; the schedule for no failure took %.2g s, so all take "
			"about %.0f %s",
			count, first_seconds, all < 120 ? all : all / 60, all < 120 ? "s" : "min");
}

static bool compile_states(struct call *call, struct making *making)
{
	const double began = clock_seconds();
	uint32_t count;
	struct pair *pairs = find_pairs(making->whole.topology, &count);
	making->room = count + 1;
	making->schedules = calloc(making->room, sizeof *making->schedules);
	making->texts = calloc(making->room, sizeof *making->texts);
	bool worked = pairs && making->schedules && making->texts ? true : refuse_memory(call);
	worked = worked && compile_state(call, making, ORDO_NONE, ORDO_NONE);
	if (worked)
		note_effort(call, count, clock_seconds() - began);
	for (uint32_t i = 0; worked && i < count; i++)
		worked = compile_state(call, making, pairs[i].a, pairs[i].b);
	free(pairs);
	return worked;
}

static bool begin_making(struct call *call, struct making *making)
{
	const struct failures_request *request = making->request;
	making->setting = *request->setting;
	if (!has_topology(&making->setting.topology))
		making->setting.topology.name = "full-mesh";
	return read_set_output(call, request->output) &&
	       open_predicted(call, &making->setting, &request->problem, &making->whole);
}

static void end_making(struct making *making)
{
	for (uint32_t i = 0; i < making->room; i++) {
		free(making->texts ? making->texts[i] : NULL);
		ordo_schedule_destroy(making->schedules ? making->schedules[i] : NULL);
	}
	free(making->texts);
	free(making->schedules);
	ordo_failure_set_destroy(making->set);
	close_predicted(&making->whole);
}

int compile_failures(struct call *call, const struct failures_request *request)
{
	const double began = clock_seconds();
	struct making making = {.request = request};
	struct ordo_error error;
	bool worked = begin_making(call, &making) && compile_states(call, &making);
	if (worked)
		worked = ordo_failure_set_write(making.set, making.whole.topology,
				 (const struct ordo_schedule *const *)making.schedules,
				 request->output, &error) ||
			 refuse_error(call, &error);
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
