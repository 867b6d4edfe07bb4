/* task_graph_dot.c - draws the dependence graph: moves as nodes; edges are their data, their
 * streams, and the order made by Notify and Wait. A Notify and its Wait are one edge, from the last
 * move before the Notify to the first move after the Wait. An edge that also carries data is drawn
 * as data; dashed edges only keep an order. `dot` chooses the positions: moves without dependences
 * stand at the top. The witness is red: a cycle with its Notify and Wait as nodes, a race between
 * two moves that no other edge joins, missing edges. */
#include "drawings.h"
#include "graph.h"
#include "view/colours/palette.h"
#include "view/model/cells.h"
#include "view/model/pairing.h"
#include "witness_dot.h"
#include <ordo/arena.h>
#include <stdlib.h>

/* Why one move precedes another. */
enum { BY_DATA = 1, BY_SIGNAL = 2, BY_STREAM = 4 };

struct dependence {
	uint32_t from, to; /* moves */
	unsigned why;
	bool at_fault; /* its Wait is */
};

struct drawing {
	const struct ordo_schedule *schedule;
	const struct selection *selection;
	const struct witness *witness;
	bool all_phases;
	uint32_t *partners;
	Agnode_t **nodes; /* [ntask] NULL: not drawn */
	uint32_t ndrawn;
	struct dependence *found;
	size_t nfound, room;
	struct cells cells;
	uint32_t *writers; /* [cells] the last move that wrote the cell */
	bool out_of_memory;
	struct palette palette;
	Agraph_t *graph;
	bool has_data, has_signals, has_streams; /* edges */
};

static bool is_chosen(const struct drawing *drawing, uint32_t task)
{
	const struct ordo_task *what = &drawing->schedule->tasks[task];
	if (!ordo_task_moves(what) || (drawing->selection->near && !drawing->selection->near[task]))
		return false;
	return what->phase == ORDO_NO_PHASE ? drawing->all_phases
					    : drawing->selection->phases[what->phase];
}

static void add_dependence(
	struct drawing *drawing, uint32_t from, uint32_t to, unsigned why, bool at_fault)
{
	if (from == ORDO_NONE || to == ORDO_NONE || !drawing->nodes[from] || !drawing->nodes[to] ||
		from == to)
		return;
	if (!ordo_array_reserve(
		    &drawing->found, &drawing->room, drawing->nfound + 1, sizeof *drawing->found)) {
		drawing->out_of_memory = true;
		return;
	}
	drawing->found[drawing->nfound++] = (struct dependence){from, to, why, at_fault};
}

/* A move depends on the writers of the slots that it reads or adds to. */
static enum ordo_visit follow_data(void *closure, uint32_t stream, uint32_t task)
{
	struct drawing *drawing = closure;
	const struct ordo_task *what = &drawing->schedule->tasks[task];
	const uint32_t rank = drawing->schedule->streams[stream].rank,
		       target = ordo_task_crosses(what) ? what->peer : rank;
	if (!ordo_task_moves(what))
		return ORDO_VISIT_ON;
	for (uint32_t i = 0; i < what->count; i++) {
		const enum ordo_buffer source = (enum ordo_buffer)what->src_buffer;
		if (has_cell(&drawing->cells, source))
			add_dependence(drawing,
				drawing->writers[cell_of(
					&drawing->cells, rank, source, what->src + i)],
				task, BY_DATA, false);
		uint32_t *writer = &drawing->writers[cell_of(&drawing->cells, target,
			(enum ordo_buffer)what->dst_buffer, what->dst + i)];
		if (ordo_task_reduces(what))
			add_dependence(drawing, *writer, task, BY_DATA, false);
		*writer = task;
	}
	return ORDO_VISIT_ON;
}

static bool find_data(struct drawing *drawing)
{
	struct paired_run run;
	if (!number_cells(&drawing->cells, drawing->schedule))
		return false;
	drawing->writers =
		ordo_array_make(drawing->cells.count + 1, sizeof *drawing->writers, 0xff);
	const bool opened = open_paired_run(&run, drawing->schedule, drawing->partners);
	if (opened && drawing->writers)
		ordo_greedy_run(&run.greedy, follow_data, drawing);
	close_paired_run(&run);
	return opened && drawing->writers && !drawing->out_of_memory;
}

/* The move before a task in its stream, or (step 1) after it; ORDO_NONE. */
static uint32_t next_move(const struct drawing *drawing, uint32_t task, int step)
{
	const struct ordo_schedule *schedule = drawing->schedule;
	const struct ordo_stream *stream = &schedule->streams[ordo_stream_of(schedule, task)];
	for (int64_t at = (int64_t)task + step; at >= stream->first && at < stream->end; at += step)
		if (ordo_task_moves(&schedule->tasks[at]))
			return (uint32_t)at;
	return ORDO_NONE;
}

/* Along the streams of the chosen ranks. */
static void find_orders(struct drawing *drawing)
{
	const struct ordo_schedule *schedule = drawing->schedule;
	for (uint32_t i = 0; i < drawing->selection->nrank; i++) {
		const struct ordo_program *program =
			&schedule->programs[drawing->selection->ranks[i]];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
			uint32_t before = ORDO_NONE;
			for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end;
				t++) {
				if (ordo_task_moves(&schedule->tasks[t])) {
					add_dependence(drawing, before, t, BY_STREAM, false);
					before = t;
				} else if (schedule->tasks[t].kind == ORDO_WAIT &&
					   drawing->partners[t] != ORDO_NONE) {
					add_dependence(drawing,
						next_move(drawing, drawing->partners[t], -1),
						next_move(drawing, t, 1), BY_SIGNAL,
						is_at_fault(drawing->witness, t));
				}
			}
		}
	}
}

static int compare(const void *left, const void *right)
{
	const struct dependence *a = left, *b = right;
	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

/* "r2 c3-4 +→ r3" */
static void name_task(const struct ordo_task *what, uint32_t rank, char *text, size_t size)
{
	char chunks[32];
	static const char *const words[] = {[ORDO_LOCAL_COPY] = "copy",
		[ORDO_LOCAL_REDUCE] = "add",
		[ORDO_SEND] = "→",
		[ORDO_SEND_REDUCE] = "+→",
		[ORDO_NOTIFY] = "Notify",
		[ORDO_WAIT] = "Wait"};
	snprintf(chunks, sizeof chunks, what->count > 1 ? "c%u-%u" : "c%u", what->chunk,
		what->chunk + what->count - 1);
	if (!ordo_task_moves(what))
		snprintf(text, size, "r%u %s r%u", rank, words[what->kind], what->peer);
	else if (ordo_task_crosses(what))
		snprintf(text, size, "r%u %s %s r%u", rank, chunks, words[what->kind], what->peer);
	else
		snprintf(text, size, "r%u %s %s", rank, chunks, words[what->kind]);
}

static bool add_task(struct drawing *drawing, uint32_t rank, uint32_t stream, uint32_t task)
{
	const struct ordo_task *what = &drawing->schedule->tasks[task];
	char name[24], text[64], tip[256];
	snprintf(name, sizeof name, "task%u", task);
	Agnode_t *node = agnode(drawing->graph, name, 1);
	if (!node)
		return false;
	name_task(what, rank, text, sizeof text);
	set(node, "label", text);
	ordo_task_locate(drawing->schedule, task, tip, sizeof tip);
	set_text(node, "tooltip", tip, "");
	set_all(node, "group=stream%u; fillcolor=%s", stream,
		phase_colour(&drawing->palette, what->phase));
	if (is_at_fault(drawing->witness, task))
		set_all(node, "fillcolor=%s; color=%s; penwidth=2", WITNESS_FILL, WITNESS_RED);
	drawing->nodes[task] = node;
	drawing->ndrawn += ordo_task_moves(what);
	return true;
}

static bool add_moves(struct drawing *drawing)
{
	const struct ordo_schedule *schedule = drawing->schedule;
	for (uint32_t i = 0; i < drawing->selection->nrank; i++) {
		const uint32_t rank = drawing->selection->ranks[i];
		const struct ordo_program *program = &schedule->programs[rank];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end;
				t++)
				if (is_chosen(drawing, t) &&
					drawing->ndrawn < drawing->selection->max_tasks &&
					!drawing->nodes[t] && !add_task(drawing, rank, s, t))
					return false;
	}
	return true;
}

static bool is_circle(const struct witness_arrow *arrow)
{
	return arrow->link == WITNESS_WAITS || arrow->link == WITNESS_BEHIND;
}

/* The Notify and Wait of a finding, between the moves before and after them: those of a cycle, or a
 * Notify whose token is never taken. */
static bool add_signals(struct drawing *drawing)
{
	const struct ordo_schedule *schedule = drawing->schedule;
	for (uint32_t i = 0; drawing->witness && i < drawing->witness->narrow; i++) {
		/* In a cycle both ends of an arrow also begin other arrows. */
		const struct witness_arrow *arrow = &drawing->witness->arrows[i];
		const uint32_t task = arrow->from == ORDO_NONE ? arrow->to : arrow->from,
			       stream = ordo_stream_of(schedule, task);
		if (drawing->nodes[task] || ordo_task_moves(&schedule->tasks[task]))
			continue;
		if (!add_task(drawing, schedule->streams[stream].rank, stream, task))
			return false;
		add_dependence(drawing, next_move(drawing, task, -1), task, BY_STREAM, false);
		add_dependence(drawing, task, next_move(drawing, task, 1), BY_STREAM, false);
	}
	return true;
}

static bool add_red_line(struct drawing *drawing, Agnode_t *from, Agnode_t *to, const char *text,
	const char *direction, const char *line)
{
	Agedge_t *edge = from && to ? agedge(drawing->graph, from, to, NULL, 1) : NULL;
	if (!edge)
		return false;
	set_all(edge,
		"color=%s; fontcolor=%s; fontsize=9; penwidth=2.4; class=witness; dir=%s; style=%s",
		WITNESS_RED, WITNESS_RED, direction, line);
	set_text(edge, "label", text, "");
	return true;
}

/* The text of a finding about one or two tasks. */
static Agnode_t *add_words(struct drawing *drawing, uint32_t number, const char *text)
{
	char name[24];
	snprintf(name, sizeof name, "words%u", number);
	Agnode_t *node = agnode(drawing->graph, name, 1);
	if (!node)
		return NULL;
	set_all(node, "shape=plaintext; style=; fontcolor=%s", WITNESS_RED);
	set_lines(node, "label", text);
	return node;
}

static Agnode_t *node_of(const struct drawing *drawing, uint32_t task)
{
	return task == ORDO_NONE ? NULL : drawing->nodes[task];
}

static bool add_arrow(struct drawing *drawing, const struct witness_arrow *arrow, uint32_t number)
{
	Agnode_t *from = node_of(drawing, arrow->from), *to = node_of(drawing, arrow->to);
	if (is_circle(arrow))
		return !from || !to || add_red_line(drawing, from, to, arrow->text, "forward", "");
	/* From a missing Notify to its Wait, or from a Notify to its missing Wait. */
	if (arrow->from == ORDO_NONE)
		return !to || add_red_line(drawing, add_words(drawing, number, arrow->text), to, "",
				      "forward", "dashed");
	if (arrow->to == ORDO_NONE)
		return !from || add_red_line(drawing, from, add_words(drawing, number, arrow->text),
					"", "forward", "dashed");
	if (arrow->link != WITNESS_RACE || !from || !to)
		return true;
	Agnode_t *words = add_words(drawing, number, arrow->text);
	return add_red_line(drawing, from, words, "", "back", "") &&
	       add_red_line(drawing, to, words, "", "back", "");
}

static bool add_witness(struct drawing *drawing)
{
	for (uint32_t i = 0; drawing->witness && i < drawing->witness->narrow; i++)
		if (!add_arrow(drawing, &drawing->witness->arrows[i], i))
			return false;
	return true;
}

/* Either of them comes first, depending on the execution. */
static bool is_race(const struct drawing *drawing, const struct dependence *one)
{
	for (uint32_t i = 0; drawing->witness && i < drawing->witness->narrow; i++) {
		const struct witness_arrow *arrow = &drawing->witness->arrows[i];
		if (arrow->link == WITNESS_RACE &&
			((arrow->from == one->from && arrow->to == one->to) ||
				(arrow->from == one->to && arrow->to == one->from)))
			return true;
	}
	return false;
}

static void style(struct drawing *drawing, Agedge_t *edge, const struct dependence *one)
{
	const bool data = one->why & BY_DATA, signal = !data && (one->why & BY_SIGNAL);
	drawing->has_data |= data;
	drawing->has_signals |= signal;
	drawing->has_streams |= !data && !signal;
	if (data) {
		set_all(edge, "color=%s; penwidth=1.6; weight=4; class=data",
			phase_line_colour(
				&drawing->palette, drawing->schedule->tasks[one->from].phase));
	} else if (signal) {
		set_all(edge, "color=#707070; style=dashed; class=signal");
	} else {
		set_all(edge, "color=#c0c0c0; class=stream");
	}
	if (one->at_fault)
		set_all(edge, "color=%s; penwidth=2.4", WITNESS_RED);
}

/* Several reasons become one line. */
static bool add_dependences(struct drawing *drawing)
{
	if (drawing->nfound)
		qsort(drawing->found, drawing->nfound, sizeof *drawing->found, compare);
	for (size_t i = 0, next; i < drawing->nfound; i = next) {
		struct dependence one = drawing->found[i];
		for (next = i + 1; next < drawing->nfound && !compare(&one, &drawing->found[next]);
			next++) {
			one.why |= drawing->found[next].why;
			one.at_fault |= drawing->found[next].at_fault;
		}
		if (is_race(drawing, &one))
			continue;
		Agedge_t *edge = agedge(
			drawing->graph, drawing->nodes[one.from], drawing->nodes[one.to], NULL, 1);
		if (!edge)
			return false;
		style(drawing, edge, &one);
	}
	return true;
}

/* The second line: the drawn kinds of lines and their meaning. */
static void describe_lines(const struct drawing *drawing, char *text, size_t size)
{
	const struct {
		bool seen;
		const char *what, *rules;
	} lines[] = {{drawing->has_data, "coloured: data", ""},
		{drawing->has_signals, "dashed: order alone", ""},
		{drawing->has_streams, "grey: stream", ""},
		{drawing->witness, "red: refuted by ",
			drawing->witness ? drawing->witness->rules : ""}};
	size_t length = (size_t)snprintf(text, size, "\\l");
	for (size_t i = 0, count = 0; i < sizeof lines / sizeof *lines && length < size; i++)
		if (lines[i].seen)
			length += (size_t)snprintf(text + length, size - length, "%s%s%.100s",
				count++ ? ", " : "", lines[i].what, lines[i].rules);
	if (length > 2 && length < size)
		snprintf(text + length, size - length, "\\l");
}

static bool add_title(struct drawing *drawing)
{
	const struct ordo_schedule *schedule = drawing->schedule;
	uint32_t nmove = 0;
	for (uint32_t t = 0; t < schedule->ntask; t++)
		nmove += ordo_task_moves(&schedule->tasks[t]);
	char text[512], legend[512];
	snprintf(text, sizeof text, "%s on %u ranks by %.200s: %u of %u moves",
		ordo_operator_facts(schedule->problem.op)->name, schedule->problem.nrank,
		schedule->algorithm, drawing->ndrawn, nmove);
	describe_lines(drawing, legend, sizeof legend);
	set_text(drawing->graph, "label", text, legend);
	set_all(drawing->graph, "labelloc=t; labeljust=l");
	return true;
}

static bool add_all(struct drawing *drawing)
{
	set_defaults(drawing->graph, AGRAPH,
		"layout=dot; splines=true; ranksep=0.3; nodesep=0.14; fontsize=14");
	set_defaults(drawing->graph, AGNODE,
		"shape=box; style=filled,rounded; color=#606060; penwidth=0.8; height=0.26; "
		"width=0.6; margin=0.06,0.02");
	if (!add_moves(drawing) || !add_signals(drawing) || !find_data(drawing))
		return false;
	find_orders(drawing);
	return !drawing->out_of_memory && add_dependences(drawing) && add_witness(drawing) &&
	       add_title(drawing);
}

bool draw_task_graph(FILE *out, const struct ordo_schedule *schedule,
	const struct selection *selection, const struct witness *witness, uint32_t *drawn,
	struct ordo_error *error)
{
	struct drawing drawing = {.schedule = schedule,
		.selection = selection,
		.witness = witness,
		.all_phases = true,
		.partners = pair_tasks(schedule),
		.nodes = calloc((size_t)schedule->ntask + 1, sizeof(Agnode_t *))};
	for (uint32_t i = 0; i < schedule->nphase; i++)
		drawing.all_phases &= selection->phases[i];
	bool worked = drawing.partners && drawing.nodes && make_palette(&drawing.palette, schedule);
	drawing.graph = worked ? open_picture("tasks", error) : NULL;
	worked = drawing.graph && add_all(&drawing);
	*drawn = drawing.ndrawn;
	if (!worked && drawing.graph)
		agclose(drawing.graph);
	free_palette(&drawing.palette);
	free_cells(&drawing.cells);
	free(drawing.partners);
	free(drawing.nodes);
	free(drawing.found);
	free(drawing.writers);
	return worked ? close_picture(drawing.graph, out, error) : ordo_fail_memory(error);
}
