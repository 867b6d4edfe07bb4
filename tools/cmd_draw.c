/* cmd_draw.c - `ordo draw`: a schedule or a topology as a picture. */
#include "inputs.h"
#include "output.h"
#include "view/view.h"
#include <ordo/compiler.h>
#include <ordo/document.h>
#include <stdlib.h>
#include <string.h>

struct wish {
	const char *file, *as, *output;
	struct topology_choice topology;
	uint32_t nrank; /* of a topology by name */
	struct texts ranks, phases;
	uint32_t max_tasks;
};

/* The number of ranks a picture takes well. */
enum { FEW_RANKS = 8, MANY_RANKS = 64 };

static uint32_t *first_numbers(uint32_t count)
{
	uint32_t *numbers = calloc((size_t)count + 1, sizeof *numbers);
	for (uint32_t i = 0; numbers && i < count; i++)
		numbers[i] = i;
	return numbers;
}

static uint64_t count_chosen(const struct ordo_schedule *schedule, const struct selection *selection)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < selection->nrank; i++) {
		const struct ordo_program *program = &schedule->programs[selection->ranks[i]];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++) {
				uint32_t phase = schedule->tasks[t].phase;
				count += phase == ORDO_NO_PHASE || selection->phases[phase];
			}
	}
	return count;
}

static bool choose_phases(struct call *call, const struct wish *wish, const struct ordo_schedule *schedule,
	struct selection *selection)
{
	selection->phases = calloc((size_t)schedule->nphase + 1, sizeof *selection->phases);
	if (!selection->phases)
		return false;
	if (!wish->phases.count) {
		memset(selection->phases, true, schedule->nphase);
		return true;
	}
	uint32_t count, *phases = read_numbers(call, "phases", &wish->phases, schedule->nphase, &count);
	for (uint32_t i = 0; phases && i < count; i++)
		selection->phases[phases[i]] = true;
	free(phases);
	return phases;
}

/* What was not chosen is cut until the picture is small enough: first ranks beyond a few, then the last
 * phases. */
static void cut(const struct wish *wish, const struct ordo_schedule *schedule, struct selection *selection)
{
	if (!wish->ranks.count && selection->nrank > FEW_RANKS &&
		count_chosen(schedule, selection) > wish->max_tasks)
		selection->nrank = FEW_RANKS;
	for (uint32_t last = schedule->nphase; !wish->phases.count && last > 1; last--) {
		if (count_chosen(schedule, selection) <= wish->max_tasks)
			return;
		selection->phases[last - 1] = false;
	}
}

static bool choose(struct call *call, const struct wish *wish, const struct ordo_schedule *schedule,
	uint32_t **ranks, struct selection *selection)
{
	uint32_t nrank = schedule->problem.nrank;
	*selection = (struct selection){.nrank = nrank, .max_tasks = wish->max_tasks};
	*ranks = wish->ranks.count ? read_numbers(call, "ranks", &wish->ranks, nrank, &selection->nrank)
				   : first_numbers(nrank);
	selection->ranks = *ranks;
	if (!*ranks || !choose_phases(call, wish, schedule, selection))
		return false;
	cut(wish, schedule, selection);
	return true;
}

static void tell_omission(struct call *call, const struct ordo_schedule *schedule,
	const struct selection *selection, uint32_t drawn)
{
	uint32_t nphase = 0;
	for (uint32_t i = 0; i < schedule->nphase; i++)
		nphase += selection->phases[i];
	if (drawn < schedule->ntask)
		note(call,
			"drawn: %u of %u tasks (%u of %u ranks, %u of %u phases); choose others with --ranks "
			"0-3 and --phases "
			"0-2, or raise --max-tasks %u",
			drawn, schedule->ntask, selection->nrank, schedule->problem.nrank, nphase,
			schedule->nphase, selection->max_tasks);
}

static bool draw_chosen(
	struct call *call, const struct wish *wish, const struct ordo_schedule *schedule, FILE *out)
{
	struct ordo_error error = {.code = ORDO_OK};
	struct selection selection;
	uint32_t *ranks, drawn;
	bool worked = choose(call, wish, schedule, &ranks, &selection);
	if (worked) {
		worked = draw_schedule(out, schedule, &selection, &drawn, &error);
		if (worked)
			tell_omission(call, schedule, &selection, drawn);
		else
			call->status = fail(call, &error);
	}
	free(selection.phases);
	free(ranks);
	return worked;
}

static bool draw_file(struct call *call, const struct wish *wish, FILE *out)
{
	struct ordo_schedule *schedule = open_schedule(call, wish->file);
	if (!schedule)
		return false;
	struct ordo_error error;
	bool worked;
	if (strcmp(wish->as, "text") != 0)
		worked = draw_chosen(call, wish, schedule, out);
	else if (!(worked = ordo_schedule_print_text(schedule, out, &error)))
		call->status = fail(call, &error);
	ordo_schedule_destroy(schedule);
	return worked;
}

static bool draw_links(struct call *call, const struct wish *wish, FILE *out)
{
	struct ordo_topology *topology;
	struct ordo_error error;
	uint32_t nrank, *ranks;
	if (!choose_topology(call, &wish->topology, wish->nrank, &topology))
		return false;
	if (wish->ranks.count) {
		ranks = read_numbers(call, "ranks", &wish->ranks, topology->nrank, &nrank);
	} else {
		nrank = topology->nrank < MANY_RANKS ? topology->nrank : MANY_RANKS;
		ranks = first_numbers(nrank);
	}
	const bool document = !strcmp(wish->as, "json");
	bool worked = ranks && (document ? ordo_topology_print(topology, out, &error)
					 : draw_topology(out, topology, ranks, nrank, &error));
	if (ranks && !worked)
		call->status = fail(call, &error);
	if (worked && !document && nrank < topology->nrank)
		note(call, "drawn: %u of %u ranks; choose others with --ranks 0-3,8", nrank, topology->nrank);
	free(ranks);
	ordo_topology_destroy(topology);
	return worked;
}

/* The picture in the form wanted, in a temporary file. */
static bool make_picture(struct call *call, const struct wish *wish, FILE *dot, FILE *image)
{
	struct ordo_error error;
	bool straight = !strcmp(wish->as, "dot") || !strcmp(wish->as, "text") || !strcmp(wish->as, "json");
	if (!(wish->file ? draw_file(call, wish, straight ? image : dot)
			 : draw_links(call, wish, straight ? image : dot)))
		return false;
	if (straight || render(dot, wish->as, image, &error))
		return true;
	call->status = fail(call, &error);
	return false;
}

static int deliver(struct call *call, const struct wish *wish, FILE *image)
{
	struct ordo_error error;
	if (call->json) {
		add_text(call->answer, "as", wish->as);
		add_text(call->answer, "output", wish->output);
		if (!wish->output && !add_contents(call->answer, "picture", image, &error))
			return fail(call, &error);
	}
	if (wish->output ? save(image, wish->output, &error) : call->json || copy_out(image, stdout, &error))
		return ORDO_OK;
	return fail(call, &error);
}

static int draw_wish(struct call *call, const struct wish *wish)
{
	struct ordo_error error;
	FILE *dot = tmpfile(), *image = tmpfile();
	int status;
	call->status = ORDO_ENVIRONMENT;
	if (!dot || !image) {
		ordo_fail(&error, ORDO_ENVIRONMENT, 0, "cannot make a temporary file");
		status = fail(call, &error);
	} else {
		status = make_picture(call, wish, dot, image) ? deliver(call, wish, image) : call->status;
	}
	if (dot)
		fclose(dot);
	if (image)
		fclose(image);
	return status;
}

static const char *form_by_name(const char *output)
{
	static const char *const forms[] = {"svg", "png", "pdf", "dot", "json"};
	const char *ending = output ? strrchr(output, '.') : NULL;
	for (size_t i = 0; ending && i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(ending + 1, forms[i]))
			return forms[i];
	return ending && !strcmp(ending, ".txt") ? "text" : "dot";
}

static int check_and_draw(struct call *call, struct wish *wish)
{
	static const char *const forms[] = {"dot", "svg", "png", "pdf", "text", "json"};
	if (call->noperand > 1)
		return fail_usage(call, NULL, "one schedule at a time: found %s and %s", call->operands[0],
			call->operands[1]);
	wish->file = call->noperand ? call->operands[0] : NULL;
	bool has_topology = wish->topology.name || wish->topology.failed.count;
	if (!wish->file && !has_topology)
		return fail_usage(call, NULL, "wanted the file of a schedule, or --topology T");
	if (wish->file && has_topology)
		return fail_usage(
			call, "draw them one after the other", "found both a schedule and a topology");
	if (wish->output && !strcmp(wish->output, "-"))
		wish->output = NULL;
	if (!wish->as)
		wish->as = form_by_name(wish->output);
	for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
		if (!strcmp(wish->as, forms[i])) {
			if (!wish->file && !strcmp(wish->as, "text"))
				return fail_usage(
					call, "its document: --as json", "a topology has no text form");
			if (wish->file && !strcmp(wish->as, "json"))
				return fail_usage(call, NULL, "--as json: a schedule is a document already");
			if (call->json && !wish->output &&
				(!strcmp(wish->as, "png") || !strcmp(wish->as, "pdf")))
				return fail_usage(call, NULL, "--json with --as %s needs --output", wish->as);
			return draw_wish(call, wish);
		}
	return fail_usage(call, NULL, "--as: found %s, wanted dot, svg, png, pdf, text or json", wish->as);
}

static int draw(struct call *call)
{
	struct wish wish = {.max_tasks = 500, .nrank = 0};
	const struct option options[] = {
		{"as", 0, TEXT, &wish.as, "dot|svg|png|pdf|text|json",
			"svg, png and pdf by the program dot; json of a topology alone (as OUT ends, else "
			"dot)"},
		{"ranks", 0, TEXTS, &wish.ranks, "A-B,C", "draw these ranks, in this order"},
		{"phases", 0, TEXTS, &wish.phases, "A-B,C", "draw these phases, by number"},
		{"max-tasks", 0, NUMBER, &wish.max_tasks, "N", "draw at most N tasks (500)"},
		TOPOLOGY_OPTIONS(wish.topology),
		{"size", 'n', NUMBER, &wish.nrank, "N", "ranks of a topology given by name"},
		{"output", 'o', TEXT, &wish.output, "OUT", "where to; stdout if left out"},
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	int status = check_and_draw(call, &wish);
	free_texts(&wish.ranks);
	free_texts(&wish.phases);
	free_texts(&wish.topology.failed);
	return status;
}

const struct command draw_command = {
	.name = "draw",
	.summary = "draws a schedule or a topology",
	.usage = "FILE | --topology T [OPTION]...",
	.description =
		"A schedule: a box around every rank, a column for every stream, time downwards, an arrow "
		"from every Notify to its\n"
		"Wait, a colour for every phase. A topology: its links, those that are down dashed and red. "
		"Long schedules are cut,\n"
		"and what was left out is said on stderr. Positions are part of the DOT; `dot` keeps them.",
	.examples = "  ordo draw ring.json -o ring.svg\n"
		    "  ordo draw ring.json --ranks 0-3 --phases 0-2 --as svg > ring.svg\n"
		    "  ordo draw ring.json --as text | less\n"
		    "  ordo draw --topology full-mesh --size 8 --fail-link 0-1 -o mesh.png\n"
		    "  ordo draw --topology torus:4x4 -o torus.json",
	.run = draw,
};
