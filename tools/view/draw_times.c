/* draw_times.c - the space-time diagram of a schedule, for `ordo draw --space-time`. */
#include "draw_times.h"
#include "view/svg/space_time.h"
#include <string.h>

/* The aggregation of a map, and how to select fewer tasks. */
static void note_form(struct call *call, const struct space_time_facts *facts)
{
	if (facts->form == DENSE_BARS)
		note(call,
			"drawn: %u tasks; above %d only those of the critical path have arrows and "
			"tooltips; choose fewer with --ranks 0-3 and --phases 0-2",
			facts->ntask, MOST_TASK_BARS);
	if (facts->form != SPAN_MAP)
		return;
	char each[40] = "";
	if (facts->ranks_a_row > 1)
		snprintf(each, sizeof each, " of up to %u ranks", facts->ranks_a_row);
	note(call,
		"aggregated: %u tasks of %u ranks into %u rows%s and %u spans of %.3g us; choose "
		"fewer with --ranks 0-3 and --phases 0-2, or draw them all with --max-tasks %u",
		facts->ntask, facts->nchosen_rank, facts->nrow, each, facts->nspan,
		facts->span * 1e6, facts->ntask);
}

static void add_facts(struct call *call, const struct ordo_timeline *timeline,
	const struct space_time_facts *facts)
{
	static const char *const forms[] = {"tasks", "dense", "map"};
	if (!call->json)
		return;
	add_text(call->answer, "form", forms[facts->form]);
	add_count(call->answer, "tasks", facts->ntask);
	add_count(call->answer, "arrows", facts->narrow);
	add_number(call->answer, "seconds", timeline->total);
}

static bool draw_chosen(struct call *call, const struct chosen_timeline *times,
	const struct excerpt_options *excerpt, const struct selection *selection,
	const struct witness *witness, FILE *out)
{
	struct ordo_error error;
	struct space_time_facts facts;
	const struct space_time picture = {.timeline = times->timeline,
		.absent = times->absent,
		.selection = selection,
		.most_tasks = excerpt->max_tasks,
		.setting = times->setting,
		.witness = witness};
	if (!draw_space_time(out, &picture, &facts, &error))
		return refuse_error(call, &error);
	note_form(call, &facts);
	add_facts(call, times->timeline, &facts);
	return true;
}

/* Puts the first line of the first finding at the beginning of the line below the title. */
static void mention_findings(struct chosen_timeline *times, const struct witness *witness)
{
	enum { MOST_LETTERS = 60 };
	char setting[sizeof times->setting];
	if (!witness || !witness->nfinding)
		return;
	const char *text = witness->captions[0];
	const size_t whole = strcspn(text, "\n"),
		     length = whole < MOST_LETTERS ? whole : MOST_LETTERS;
	memcpy(setting, times->setting, sizeof setting);
	snprintf(times->setting, sizeof times->setting, "refuted, in red: %.*s%s; %.200s",
		(int)length, text, length < whole ? "..." : "", setting);
}

bool draw_times(struct call *call, const struct timeline_options *args,
	const struct excerpt_options *excerpt, const struct ordo_schedule *schedule,
	const struct witness *witness, FILE *out)
{
	/* A long schedule is aggregated, not cut. */
	const struct excerpt_options whole = {
		.ranks = excerpt->ranks, .phases = excerpt->phases, .max_tasks = UINT32_MAX};
	struct excerpt chosen;
	struct chosen_timeline times = {.timeline = NULL};
	bool worked = choose_excerpt(call, &whole, schedule, NULL, &chosen);
	if (worked && witness && witness->stopped)
		worked = choose_partial_timeline(call, args, schedule, witness->stopped, &times);
	else
		worked = worked && choose_timeline(call, args, schedule, &times);
	mention_findings(&times, witness);
	worked = worked && draw_chosen(call, &times, excerpt, &chosen.selection, witness, out);
	close_timeline(&times);
	free_excerpt(&chosen);
	return worked;
}
