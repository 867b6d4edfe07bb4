/* states.c - the states of a failure set: read, selected, and listed. */
#include "base/progress.h"
#include "cli/overwrite.h"
#include "failures.h"
#include "topologies/loss.h"
#include <inttypes.h>
#include <ordo/arena.h>
#include <stdlib.h>
#include <string.h>

/* No output may replace one of its schedules. */
static bool keep_states(struct call *call, const struct ordo_failure_set *set)
{
	char path[4200];
	bool kept = true;
	for (uint32_t i = 0; kept && i < set->nstate && call->nwritten; i++)
		if (set->states[i].schedule) {
			snprintf(path, sizeof path, "%s%s",
				set->folder_name ? set->folder_name : "", set->states[i].schedule);
			kept = keep_file(call, path);
		}
	snprintf(path, sizeof path, "%stopology.json", set->folder_name ? set->folder_name : "");
	return kept && (!call->nwritten || keep_file(call, path));
}

/* Texts of a document are untrusted: control characters must not reach a terminal. */
static bool tame_text(struct ordo_failure_set *set, const char **text)
{
	char *tamed = *text ? ordo_arena_text(&set->arena, *text, strlen(*text)) : NULL;
	if (!*text)
		return true;
	if (tamed)
		tame(tamed, false);
	*text = tamed;
	return tamed;
}

static bool tame_texts(struct call *call, struct ordo_failure_set *set)
{
	bool worked = tame_text(set, &set->topology_name);
	for (uint32_t i = 0; worked && i < set->nstate; i++)
		worked = tame_text(set, &set->states[i].algorithm);
	return worked || refuse_memory(call);
}

struct ordo_failure_set *open_failures(struct call *call, const char *path)
{
	struct ordo_error error;
	struct ordo_failure_set *set = ordo_failure_set_read(path, &error);
	if (!set)
		call->status = fail(call, &error);
	if (!set || (tame_texts(call, set) && keep_states(call, set)))
		return set;
	ordo_failure_set_destroy(set);
	return NULL;
}

struct ordo_topology *fail_state(
	struct call *call, const struct ordo_topology *topology, uint32_t a, uint32_t b)
{
	struct ordo_error error;
	uint32_t *same = calloc(topology->nrank, sizeof *same);
	for (uint32_t i = 0; same && i < topology->nrank; i++)
		same[i] = i;
	struct ordo_topology *failed = same ? ordo_topology_renumber(topology, same, &error) : NULL;
	bool worked = failed;
	if (!same)
		ordo_fail_memory(&error);
	free(same);
	if (worked && a != ORDO_NONE)
		worked = ordo_topology_fail_link(failed, a, b, &error);
	if (worked && ordo_topology_finish(failed, &error))
		return failed;
	ordo_topology_destroy(failed);
	refuse_error(call, &error);
	return NULL;
}

bool cuts_off_ranks(const struct ordo_topology *topology)
{
	struct ordo_error error;
	struct ordo_wire_bound *bound =
		ordo_wire_bound_make(ORDO_ALLGATHER, 0, topology, false, &error);
	ordo_wire_bound_destroy(bound);
	return !bound && error.code == ORDO_USAGE;
}

/* What the set holds. */
static bool refuse_choice(
	struct call *call, const char *path, const struct ordo_failure_set *set, const char *what)
{
	char hint[400];
	snprintf(hint, sizeof hint,
		"%.100s holds a schedule for no failure and for each of %" PRIu32
		" single links of %.60s; `ordo list %.100s` lists them",
		path, set->nstate - 1, set->topology_name, path);
	tame(hint, false);
	return refuse_usage(call, hint, "%s", what);
}

static bool find_state(struct call *call, const char *path, const struct ordo_failure_set *set,
	const struct topology_choice *choice, uint32_t *state)
{
	char what[200];
	uint32_t a = ORDO_NONE, b = ORDO_NONE;
	if (choice->switches.count || choice->ranks.count)
		return refuse_choice(call, path, set,
			choice->ranks.count ? "--fail-rank: a failure set covers links only"
					    : "--fail-switch: a failure set covers links only");
	if (choice->failed.count > 1) {
		snprintf(what, sizeof what,
			"--fail-link: found %zu links, wanted one that a schedule of the set is "
			"for",
			choice->failed.count);
		return refuse_choice(call, path, set, what);
	}
	if (choice->failed.count && !read_link(choice->failed.items[0], &a, &b))
		return refuse_usage(call, NULL,
			"--fail-link: found %s, wanted two ranks such as 0-1",
			choice->failed.items[0]);
	*state = ordo_failure_set_find(set, a, b);
	if (*state != ORDO_NONE)
		return true;
	snprintf(what, sizeof what,
		"--fail-link: found %" PRIu32 "-%" PRIu32
		", which is no link of the set's topology",
		a, b);
	return refuse_choice(call, path, set, what);
}

static struct ordo_schedule *open_state(
	struct call *call, const struct ordo_failure_set *set, uint32_t state)
{
	struct ordo_error error;
	struct progress progress = {0};
	const struct ordo_read_options options = {.progress = show_progress, .closure = &progress};
	show_progress(&progress, "reading", 0, 0);
	struct ordo_schedule *schedule = ordo_failure_set_open(set, state, &options, &error);
	hide_progress(&progress);
	return tame_schedule(call, schedule, &error);
}

bool choose_state(struct call *call, const char *path, struct topology_choice *choice,
	struct chosen_state *chosen)
{
	struct ordo_failure_set *set = open_failures(call, path);
	uint32_t state = 0;
	*chosen = (struct chosen_state){.schedule = NULL};
	if (set && find_state(call, path, set, choice, &state))
		chosen->schedule = open_state(call, set, state);
	if (chosen->schedule) {
		snprintf(chosen->topology, sizeof chosen->topology, "%stopology.json",
			set->folder_name);
		if (!choice->name)
			choice->name = chosen->topology;
		note(call, "%s, the schedule for %s%s", set->states[state].schedule,
			state ? "the failed link " : "no failure",
			state ? choice->failed.items[0] : "");
		add_text(call->answer, "schedule", set->states[state].schedule);
	}
	ordo_failure_set_destroy(set);
	return chosen->schedule;
}

bool find_bound(struct call *call, const struct ordo_problem *problem,
	const struct ordo_topology *topology, struct ordo_failure_state *state)
{
	struct ordo_error error;
	struct ordo_wire_bound *bound =
		ordo_wire_bound_make(problem->op, problem->root, topology, false, &error);
	if (!bound)
		return refuse_error(call, &error);
	double unit = (double)bound->unit;
	for (int i = 0; i < bound->unit_digits; i++)
		unit /= 10;
	for (int i = bound->unit_digits; i < 0; i++)
		unit *= 10;
	state->numerator = bound->numerator;
	state->denominator = bound->denominator;
	state->bandwidth_gbs = unit;
	ordo_wire_bound_destroy(bound);
	return true;
}

static uint32_t count_files(const struct ordo_failure_set *set)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < set->nstate; i++)
		count += set->states[i].schedule && ordo_failure_set_first(set, i) == i;
	return count;
}

static const char *link_text(char out[32], const struct ordo_failure_state *state)
{
	snprintf(out, 32, "%" PRIu32 "-%" PRIu32, state->a, state->b);
	return state->a == ORDO_NONE ? "none" : out;
}

static void report_state(const struct report *list, const struct ordo_failure_state *state)
{
	const struct report one = report_item(list);
	char link[32], bound[100];
	add_text(one.json, "link", state->a == ORDO_NONE ? NULL : link_text(link, state));
	report_text(&one, "  %-9s  ", link_text(link, state));
	report_members(&one, "%s<schedule>", state->schedule);
	if (!state->schedule) {
		report_text(&one, "the network is in parts\n");
		return;
	}
	const int length = snprintf(bound, sizeof bound, "%" PRIu64, state->numerator);
	if (state->denominator > 1)
		snprintf(bound + length, sizeof bound - (size_t)length, "/%" PRIu64,
			state->denominator);
	report_text(&one, "%-9s<bound> %9.4g<bandwidth_gbs> %10.4g %7.3g<price>  %s<order_digest>",
		bound, state->bandwidth_gbs, state->time_ns / 1e3, state->price,
		state->order_digest);
	report_members(&one, "%g<seconds>", state->time_ns * 1e-9);
	report_text(&one, "  %-16s  %s<algorithm>\n", state->schedule, state->algorithm);
}

void report_states(
	const struct report *report, const struct ordo_failure_set *set, const char *verdict)
{
	const struct ordo_problem *problem = &set->problem;
	const uint32_t nfile = count_files(set);
	report_text(report, "%s<operator> on %u<ranks> rank%s, %s<topology>: %u<links> link%s%s",
		ordo_operator_facts(problem->op)->name, problem->nrank, plural(problem->nrank),
		set->topology_name, set->nstate - 1, plural(set->nstate - 1),
		set->nstate > 1 ? ", each down alone" : "");
	report_text(report, "; %u<schedules> schedule%s%s, for %g<:bytes>\n", nfile, plural(nfile),
		verdict, (double)set->bytes);
	report_members(report, "%" PRIu64 "<size_bytes>", set->bytes);
	report_text(report, "  %-9s  %-9s %9s %10s %7s  %-32s  %-16s  %s\n", "down", "bound n/b",
		"b GB/s", "time us", "price", "order digest", "schedule", "algorithm");
	const struct report list = report_list(report, "states");
	for (uint32_t i = 0; i < set->nstate; i++)
		report_state(&list, &set->states[i]);
}

int list_failures(struct call *call, const char *path)
{
	struct ordo_failure_set *set = open_failures(call, path);
	const struct report report = report_of(call, stdout);
	if (set)
		report_states(&report, set, "");
	ordo_failure_set_destroy(set);
	return set ? ORDO_OK : call->status;
}
