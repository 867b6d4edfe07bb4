/* draw.c - `ordo draw`: a schedule or a topology as a picture. */
#include "base/progress.h"
#include "cli/inputs.h"
#include "cli/memory_limit.h"
#include "cli/sizes.h"
#include "commands.h"
#include "report/proof.h"
#include "view/dot/drawings.h"
#include "view/draw_times.h"
#include "view/model/excerpt.h"
#include "view/pictures.h"
#include "view/svg/space_time.h"
#include "view/text/contents_table.h"
#include <ordo/compiler.h>
#include <ordo/document.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The formats of pictures. */
struct form {
	const char *name;
	const char *ending;	 /* ending of OUT; NULL: none selects it */
	bool schedule, topology; /* the subjects it can show */
	bool graph;		 /* --graph, --load and --trees-of support it */
	bool table;		 /* has --chunks, --steps and --trees */
	bool straight;		 /* written here; otherwise rendered by `dot` */
	bool binary;		 /* cannot be a text in --json */
};

static const struct form forms[] = {
	{"dot", "dot", .schedule = true, .topology = true, .graph = true, .straight = true},
	{"svg", "svg", .schedule = true, .topology = true, .graph = true},
	{"png", "png", .schedule = true, .topology = true, .graph = true, .binary = true},
	{"pdf", "pdf", .schedule = true, .topology = true, .graph = true, .binary = true},
	{"text", "txt", .schedule = true, .straight = true},
	{"table", NULL, .schedule = true, .table = true, .straight = true},
	{"markdown", "md", .schedule = true, .table = true, .straight = true},
	{"json", "json", .topology = true, .straight = true},
};
enum { NFORM = sizeof forms / sizeof *forms };

static const struct form *find_form(const char *name)
{
	for (size_t i = 0; i < NFORM; i++)
		if (!strcmp(forms[i].name, name))
			return &forms[i];
	return NULL;
}

/* The kinds of pictures of a schedule; each but the first has an option. */
enum kind { TASKS, GRAPH, LOAD, SPACE_TIME, TREES, NKIND };

struct args {
	const char *file;
	struct picture_options picture;
	struct timeline_options times; /* also has the topology, with and without times */
	bool asked[NKIND];	       /* of its option */
	uint32_t root;		       /* of the trees; ORDO_NONE: none */
	enum kind kind;
	const struct form *form;
	bool hints;	/* DOT on a terminal, by default */
	uint32_t nrank; /* of a topology by name: the first of --ranks */
	struct excerpt_options excerpt;
	struct contents_options contents;
};

/* The findings to draw in red; *witness is NULL if the schedule is proved, or too large for a
 * proof. false: call->status. */
static bool find_verdict(struct call *call, const struct args *args,
	const struct ordo_schedule *schedule, const struct ordo_topology *topology,
	struct ordo_proof **proof, struct witness **witness)
{
	struct ordo_error error;
	struct progress progress = {0};
	const struct ordo_verify_options options = {.topology = topology,
		.through_ranks = args->times.predicting.through_ranks,
		.max_findings = MOST_FINDINGS,
		.progress = show_progress,
		.closure = &progress};
	*witness = NULL;
	show_progress(&progress, "proving", 0, schedule->ntask);
	*proof = ordo_verify(schedule, &options, &error);
	hide_progress(&progress);
	if (!*proof && error.code == ORDO_UNDECIDED) {
		note(call, "drawn unproved: %s", error.text);
		return true;
	}
	if (*proof && (*proof)->proved)
		return true;
	*witness = *proof ? find_witness(schedule, *proof, &error) : NULL;
	if (!*witness)
		call->status = fail(call, &error);
	return *witness;
}

static void report_refutation(
	struct call *call, const struct args *args, const struct witness *witness)
{
	note(call, "refuted by %s: %u finding%s in red; `ordo verify %s` prints them",
		witness->rules, witness->nfinding, plural(witness->nfinding), args->file);
}

/* A schedule with its witness if it was refuted; the proof may be NULL. */
struct subject {
	const struct ordo_schedule *schedule;
	const struct ordo_proof *proof;
	const struct witness *witness;
};

/* Draws one kind of picture. false: call->status. */
typedef bool draw_kind(
	struct call *call, const struct args *args, const struct subject *subject, FILE *out);

typedef bool draw_excerpt(FILE *out, const struct ordo_schedule *schedule,
	const struct selection *selection, const struct witness *witness, uint32_t *drawn,
	struct ordo_error *error);

/* total: the number of all `what` */
static bool draw_chosen(struct call *call, const struct args *args, const struct subject *subject,
	draw_excerpt *draw, uint64_t total, const char *what, FILE *out)
{
	struct ordo_error error = {.code = ORDO_OK};
	struct excerpt excerpt;
	uint32_t drawn;
	bool worked =
		choose_excerpt(call, &args->excerpt, subject->schedule, subject->witness, &excerpt);
	if (worked) {
		worked = draw(out, subject->schedule, &excerpt.selection, subject->witness, &drawn,
			&error);
		if (worked)
			note_omission(call, subject->schedule, &excerpt, drawn, total, what);
		else
			call->status = fail(call, &error);
	}
	free_excerpt(&excerpt);
	return worked;
}

static bool draw_tasks(
	struct call *call, const struct args *args, const struct subject *subject, FILE *out)
{
	return draw_chosen(
		call, args, subject, draw_schedule, subject->schedule->ntask, "tasks", out);
}

static bool draw_graph(
	struct call *call, const struct args *args, const struct subject *subject, FILE *out)
{
	return can_be_followed(call, subject->schedule, subject->proof) &&
	       draw_chosen(call, args, subject, draw_task_graph,
		       count_tasks(subject->schedule).move, "moves", out);
}

static bool draw_in_time(
	struct call *call, const struct args *args, const struct subject *subject, FILE *out)
{
	return draw_times(
		call, &args->times, &args->excerpt, subject->schedule, subject->witness, out);
}

static bool draw_table(
	struct call *call, const struct args *args, const struct subject *subject, FILE *out)
{
	return draw_contents(call, &args->contents, subject->schedule, subject->proof,
		!strcmp(args->form->name, "markdown"), out);
}

static const struct {
	const char *option;
	draw_kind *draw; /* NULL: it does not use the proof */
} kinds[NKIND] = {
	[TASKS] = {NULL, draw_tasks},
	[GRAPH] = {"graph", draw_graph},
	[LOAD] = {"load", NULL},
	[SPACE_TIME] = {"space-time", draw_in_time},
	[TREES] = {"trees-of", NULL},
};

/* Proved or refuted; the witness is red. */
static bool draw_proved(
	struct call *call, const struct args *args, const struct ordo_schedule *schedule, FILE *out)
{
	struct ordo_topology *topology;
	struct ordo_proof *proof = NULL;
	struct witness *witness = NULL;
	if (!choose_topology(
		    call, &args->times.predicting.topology, schedule->problem.nrank, &topology))
		return false;
	bool worked = find_verdict(call, args, schedule, topology, &proof, &witness);
	const struct subject subject = {schedule, proof, witness};
	if (worked && args->form->table)
		worked = draw_table(call, args, &subject, out);
	else if (worked) {
		worked = kinds[args->kind].draw(call, args, &subject, out);
		if (worked && witness)
			report_refutation(call, args, witness);
	}
	free_witness(witness);
	ordo_proof_destroy(proof);
	ordo_topology_destroy(topology);
	return worked;
}

static bool draw_file(struct call *call, const struct args *args, FILE *out)
{
	struct ordo_schedule *schedule = open_schedule(call, args->file);
	if (!schedule)
		return false;
	struct ordo_error error;
	bool worked;
	if (strcmp(args->form->name, "text") != 0)
		worked = draw_proved(call, args, schedule, out);
	else if (!(worked = ordo_schedule_print_text(schedule, out, &error)))
		call->status = fail(call, &error);
	ordo_schedule_destroy(schedule);
	return worked;
}

/* The links of a topology, with the loads of a prediction (NULL: none). */
static bool draw_links(struct call *call, const struct args *args,
	const struct ordo_topology *topology, const struct ordo_prediction *prediction, FILE *out)
{
	struct ordo_error error;
	const uint32_t most = prediction ? MOST_MATRIX_RANKS : MANY_RANKS;
	uint32_t nrank = topology->nrank < most ? topology->nrank : most;
	uint32_t *ranks =
		args->excerpt.ranks.count
			? read_numbers(call, "ranks", &args->excerpt.ranks, topology->nrank, &nrank)
			: first_numbers(call, nrank);
	bool worked = ranks && draw_topology(out, topology, prediction, ranks, nrank, &error);
	if (ranks && !worked)
		call->status = fail(call, &error);
	if (worked && nrank < topology->nrank)
		note(call, "drawn: %u of %u ranks; choose others with --ranks 0-3,8", nrank,
			topology->nrank);
	free(ranks);
	return worked;
}

static bool draw_alone(struct call *call, const struct args *args, FILE *out)
{
	struct ordo_topology *topology;
	struct ordo_error error;
	uint32_t nrank = args->nrank;
	if (!count_remaining(call, &args->times.predicting.topology, &nrank) ||
		!choose_topology(call, &args->times.predicting.topology, nrank, &topology))
		return false;
	bool worked = true;
	if (strcmp(args->form->name, "json") != 0)
		worked = draw_links(call, args, topology, NULL, out);
	else if (!(worked = ordo_topology_print(topology, out, &error)))
		call->status = fail(call, &error);
	ordo_topology_destroy(topology);
	return worked;
}

/* The trees of a rank, on the topology of a prediction. */
static bool draw_trees_of(struct call *call, const struct args *args,
	const struct ordo_topology *topology, const struct ordo_prediction *prediction, FILE *out)
{
	struct ordo_error error;
	if (args->root >= topology->nrank)
		return refuse_usage(call, NULL,
			"--trees-of: found %u, wanted one of the ranks 0..%u", args->root,
			topology->nrank - 1);
	return draw_sent_trees(out, topology, prediction, args->root, &error) ||
	       refuse_error(call, &error);
}

/* The topology with the load of the schedule, or with its trees. */
static bool draw_load(struct call *call, const struct args *args, FILE *out)
{
	struct predicted predicted = {.topology = NULL};
	struct ordo_schedule *schedule = open_schedule(call, args->file);
	const bool worked = schedule &&
			    predict_schedule(call, &args->times.predicting, schedule, &predicted) &&
			    (args->kind == LOAD ? draw_links : draw_trees_of)(
				    call, args, predicted.topology, predicted.prediction, out);
	close_predicted(&predicted);
	ordo_schedule_destroy(schedule);
	return worked;
}

static bool draw_any(struct call *call, const void *closure, FILE *out)
{
	const struct args *args = closure;
	return !args->file				   ? draw_alone(call, args, out)
	       : args->kind == LOAD || args->kind == TREES ? draw_load(call, args, out)
							   : draw_file(call, args, out);
}

static int draw_with(struct call *call, const struct args *args)
{
	const bool straight = args->form->straight || args->kind == SPACE_TIME;
	call->status = ORDO_ENVIRONMENT;
	if (!deliver_picture(call, &args->picture, straight, draw_any, args))
		return call->status;
	if (args->hints)
		note(call,
			"this is DOT, the language of Graphviz; -o FILE.svg, .png or .pdf is a "
			"picture%s",
			args->file ? ", --as text or --as table is for terminals" : "");
	return ORDO_OK;
}

static const char *form_by_ending(const char *output)
{
	const char *ending = output ? strrchr(output, '.') : NULL;
	for (size_t i = 0; ending && i < NFORM; i++)
		if (forms[i].ending && !strcmp(ending + 1, forms[i].ending))
			return forms[i].name;
	return NULL;
}

/* Formats that ordo does not write; the DOT of a graph under such a name would not be a picture. */
static bool ends_in_another_form(const char *output)
{
	static const char *const others[] = {
		"gif", "jpg", "jpeg", "webp", "bmp", "tiff", "ps", "eps", "html", "htm"};
	const char *ending = output ? strrchr(output, '.') : NULL;
	for (size_t i = 0; ending && i < sizeof others / sizeof *others; i++)
		if (!strcmp(ending + 1, others[i]))
			return true;
	return false;
}

/* Checks the options for and against --space-time. false: call->status. */
static bool check_space_time(struct call *call, const struct args *args)
{
	const struct timeline_options *times = &args->times;
	if (args->kind != SPACE_TIME && !times->trace && times->call == LATEST_CALL &&
		times->round == MIDDLE_ROUND)
		return true;
	if (args->kind != SPACE_TIME)
		call->status = fail_usage(call, "times are drawn with --space-time",
			"--trace, --call and --round need --space-time");
	else if (!args->file)
		call->status =
			fail_usage(call, NULL, "--space-time: wanted the file of a schedule");
	else if (strcmp(args->picture.as, "svg") != 0)
		call->status = fail_usage(call, "a browser or rsvg-convert can convert it",
			"--as %s: --space-time writes only svg", args->picture.as);
	else
		return true;
	return false;
}

/* The number of ranks of a topology alone: a single number in --ranks or, if the topology's name
 * has no size, the first of several; the others select ranks to draw. false: call->status. */
static bool take_count(struct call *call, struct args *args, bool sized)
{
	struct texts *ranks = &args->excerpt.ranks;
	const char *name = args->times.predicting.topology.name;
	const bool has_size = name && strpbrk(name, ":/.");
	uint64_t count;
	if (sized)
		return refuse_usage(call, "--ranks N is the number of ranks of the topology",
			"--size is the size of a vector; a topology alone has none");
	if (!ranks->count || (has_size && ranks->count > 1) || !read_wide(ranks->items[0], &count))
		return true;
	if (!count || count > ORDO_LIMIT) {
		call->status = fail_usage(
			call, NULL, "--ranks: found %s, wanted 1..%u", ranks->items[0], ORDO_LIMIT);
		return false;
	}
	args->nrank = (uint32_t)count;
	ranks->count--;
	memmove(ranks->items, ranks->items + 1, ranks->count * sizeof *ranks->items);
	return true;
}

/* The kind that the options select. false: call->status. */
static bool take_kind(struct call *call, struct args *args)
{
	int nasked = 0;
	for (int i = 0; i < NKIND; i++)
		if (args->asked[i]) {
			args->kind = (enum kind)i;
			nasked++;
		}
	if (nasked > 1)
		call->status = fail_usage(call, NULL,
			"--graph, --load, --space-time and --trees-of: give one of them");
	else if (!args->file && args->kind != TASKS && args->kind != SPACE_TIME)
		call->status = fail_usage(call, NULL, "--%s: wanted the file of a schedule",
			kinds[args->kind].option);
	else
		return true;
	return false;
}

/* The format of --as, of the ending of OUT, or the default. false: call->status. */
static bool take_form(struct call *call, struct args *args)
{
	if (args->picture.output && !strcmp(args->picture.output, "-"))
		args->picture.output = NULL;
	if (!args->picture.as && ends_in_another_form(args->picture.output))
		return refuse_usage(call, "`ordo view` writes HTML; other programs convert svg",
			"--output: found %s, wanted a name in .svg, .png, .pdf, .dot, .txt, .md or "
			".json",
			args->picture.output);
	if (!args->picture.as)
		args->picture.as = form_by_ending(args->picture.output);
	args->hints = !args->picture.as && args->kind != SPACE_TIME && !args->picture.output &&
		      !call->json && isatty(STDOUT_FILENO);
	if (!args->picture.as)
		args->picture.as = args->kind == SPACE_TIME ? "svg" : "dot";
	args->form = find_form(args->picture.as);
	return true;
}

/* Checks that the format supports the options. */
static int check_form(struct call *call, const struct args *args)
{
	const struct form *form = args->form;
	if (!form)
		return fail_usage(call, NULL,
			"--as: found %s, wanted dot, svg, png, pdf, text, table, markdown or json",
			args->picture.as);
	if (!args->file && !form->topology)
		return fail_usage(call, "its document: --as json", "a topology has no text form");
	if (!form->table &&
		(args->contents.chunks.count || args->contents.steps.count || args->contents.trees))
		return fail_usage(
			call, NULL, "--chunks, --steps and --trees need --as table or markdown");
	if (args->file && !form->schedule)
		return fail_usage(call, NULL, "--as json: a schedule is a document already");
	if (args->kind != TASKS && args->kind != SPACE_TIME && !form->graph)
		return fail_usage(call, NULL, "--%s: wanted --as dot, svg, png or pdf",
			kinds[args->kind].option);
	if (call->json && !args->picture.output && form->binary)
		return fail_usage(
			call, NULL, "--json with --as %s needs --output", args->picture.as);
	return ORDO_OK;
}

static int check_and_draw(struct call *call, struct args *args, bool sized)
{
	if (call->noperand > 1)
		return fail_usage(call, NULL, "one schedule at a time: found %s and %s",
			call->operands[0], call->operands[1]);
	args->file = call->noperand ? call->operands[0] : NULL;
	const bool given = has_topology(&args->times.predicting.topology);
	if (!args->file && !given)
		return fail_usage(call, NULL, "wanted the file of a schedule, or --topology T");
	args->asked[TREES] = args->root != ORDO_NONE;
	if (!take_kind(call, args))
		return call->status;
	if ((args->kind == LOAD || args->kind == TREES) && !given)
		args->times.predicting.topology.name = "full-mesh";
	if (!args->file && !take_count(call, args, sized))
		return call->status;
	/* Both select the same ranks; excerpt owns the list. */
	args->contents.ranks = args->excerpt.ranks;
	if (!take_form(call, args) || !check_space_time(call, args))
		return call->status;
	if (args->excerpt.max_tasks == USUAL_TASKS && args->kind != SPACE_TIME)
		args->excerpt.max_tasks = 500;
	const int status = check_form(call, args);
	return status == ORDO_OK ? draw_with(call, args) : status;
}

static int draw(struct call *call)
{
	struct args args = {
		.excerpt = {.max_tasks = USUAL_TASKS}, .times = TIMELINE_USUAL, .root = ORDO_NONE};
	const struct option options[] = {
		{"as", 0, TEXT, &args.picture.as, "dot|svg|png|pdf|text|table|markdown|json",
			"svg, png and pdf need the program dot; json: a topology (by the ending of "
			"OUT, else dot)"},
		{"ranks", 'n', TEXTS, &args.excerpt.ranks, "A-B,C",
			"draw these ranks, in this order; with a topology by name alone: N, its "
			"number of ranks"},
		{"phases", 0, TEXTS, &args.excerpt.phases, "A-B,C", "draw these phases, by number"},
		{"max-tasks", 0, NUMBER, &args.excerpt.max_tasks, "N",
			"draw at most N tasks (500); --space-time aggregates larger schedules "
			"(40000)"},
		{"chunks", 0, TEXTS, &args.contents.chunks, "A-B,C",
			"table: slots that hold these chunks at some time"},
		{"steps", 0, TEXTS, &args.contents.steps, "A-B,C",
			"table: these steps, counted from 1"},
		{"trees", 0, SWITCH, &args.contents.trees, NULL,
			"table: the tree of each sum, not only its leaves"},
		{"graph", 0, SWITCH, &args.asked[GRAPH], NULL,
			"draw dependences: moves, their data, and the order made by Notify and "
			"Wait"},
		{"load", 0, SWITCH, &args.asked[LOAD], NULL,
			"draw the topology with the load of each link; a matrix above 16 ranks"},
		{"space-time", 0, SWITCH, &args.asked[SPACE_TIME], NULL,
			"draw when tasks run, predicted or traced: a row per rank and stream; svg"},
		{"trees-of", 0, NUMBER, &args.root, "RANK",
			"draw the trees by which RANK's results reach the others, a colour for "
			"each"},
		TRACE_OPTIONS(args.times),
		PREDICTING_OPTIONS(args.times.predicting),
		{"output", 'o', WRITTEN, &args.picture.output, "OUT", "where to write (stdout)"},
		MEMORY_LIMIT_OPTION,
	};
	if (!READ_OPTIONS(call, options))
		return call->status;
	const bool sized =
		args.times.predicting.bytes != UNSET_SIZE || args.times.predicting.counts;
	int status = check_and_draw(call, &args, sized);
	free_texts(&args.excerpt.ranks);
	free_texts(&args.excerpt.phases);
	free_texts(&args.contents.chunks);
	free_texts(&args.contents.steps);
	free_topology_choice(&args.times.predicting.topology);
	return status;
}

const struct command draw_command = {
	.name = "draw",
	.summary = "draws a schedule or a topology",
	.usage = "FILE | --topology T [OPTION]...",
	.examples =
		"  ordo draw ring.json -o ring.svg\n"
		"  ordo draw ring.json --ranks 0-3 --phases 0-2 --as svg > ring.svg\n"
		"  ordo draw ring.json --as text | less\n"
		"  ordo draw ring.json --as table --ranks 0-3 --chunks 0-3\n"
		"  ordo draw ring.json --graph --phases 0-3 -o graph.svg\n"
		"  ordo draw wrong.json -o wrong.svg\n"
		"  ordo draw ring.json --load --topology full-mesh --size 16MiB -o load.svg\n"
		"  ordo draw ring.json --space-time --topology full-mesh --size 16MiB -o time.svg\n"
		"  ordo draw ring.json --trees-of 0 --topology full-mesh -o trees.svg\n"
		"  ordo draw ring.json --space-time --trace trace.json -o traced.svg\n"
		"  ordo draw --topology full-mesh --ranks 8 --fail-link 0-1 -o mesh.png\n"
		"  ordo draw --topology torus:4x4 -o torus.json",
	.reads = true,
	.run = draw,
};
