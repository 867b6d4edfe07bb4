/* schedule_dot.c - draws a schedule: ranks as clusters, streams as columns, time downwards. Every
 * task stands in the row of its longest chain of predecessors among the drawn tasks, so that an
 * arrow from a Notify to its Wait always goes down. All positions are computed here; `dot` only
 * draws. */
#include "drawings.h"
#include "graph.h"
#include "view/colours/palette.h"
#include "view/model/pairing.h"
#include "witness_dot.h"
#include <math.h>
#include <ordo/arena.h>
#include <ordo/detail/schedules.h>
#include <stdlib.h>
#include <string.h>

static const double column_width = 1.12, rank_gap = 0.25, wide_rank_gap = 1.7, move_height = 0.34,
		    sync_height = 0.24, top_margin = 0.62;

struct box {
	uint32_t task, column, row;
	/* the box of the Wait of this Notify, or of the Notify of this Wait; ORDO_NONE */
	uint32_t pair;
	uint32_t waiting; /* predecessors without a row so far */
	Agnode_t *node;
};

struct column {
	uint32_t stream, rank;
	uint32_t first, end; /* its boxes */
	double x;	     /* its middle */
};

struct drawing {
	const struct ordo_schedule *schedule;
	const struct selection *selection;
	const struct witness *witness; /* NULL: none */
	struct box *boxes;
	uint32_t nbox;
	struct column *columns;
	uint32_t ncolumn;
	uint32_t *partners; /* [ntask] of Notify and Wait */
	uint32_t *box_of;   /* [ntask] ORDO_NONE: not drawn */
	bool all_phases;
	double *row_y; /* [nrow] y of the middle */
	uint32_t nrow;
	double bottom, right;
	struct palette palette;
	Agraph_t *graph;
};

static bool is_chosen(const struct drawing *drawing, uint32_t task)
{
	const uint32_t phase = drawing->schedule->tasks[task].phase;
	if (drawing->selection->near && !drawing->selection->near[task])
		return false;
	return phase == ORDO_NO_PHASE ? drawing->all_phases : drawing->selection->phases[phase];
}

/* The number of drawn tasks of each stream, such that at most max_tasks are drawn in all. */
static uint32_t longest_column(const struct drawing *drawing)
{
	uint64_t total = 0;
	uint32_t ncolumn = 0;
	for (uint32_t i = 0; i < drawing->selection->nrank; i++) {
		const struct ordo_program *program =
			&drawing->schedule->programs[drawing->selection->ranks[i]];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++, ncolumn++)
			for (uint32_t t = drawing->schedule->streams[s].first;
				t < drawing->schedule->streams[s].end; t++)
				total += is_chosen(drawing, t);
	}
	if (total <= drawing->selection->max_tasks)
		return UINT32_MAX;
	uint32_t share = drawing->selection->max_tasks / (ncolumn ? ncolumn : 1);
	return share ? share : 1;
}

static void fill_column(struct drawing *drawing, struct column *column, uint32_t longest)
{
	const struct ordo_stream *stream = &drawing->schedule->streams[column->stream];
	column->first = drawing->nbox;
	for (uint32_t t = stream->first; t < stream->end; t++) {
		if (!is_chosen(drawing, t) || drawing->nbox - column->first >= longest)
			continue;
		drawing->box_of[t] = drawing->nbox;
		drawing->boxes[drawing->nbox++] = (struct box){.task = t,
			.column = (uint32_t)(column - drawing->columns),
			.pair = ORDO_NONE};
	}
	column->end = drawing->nbox;
}

/* A picture of few ranks has room for the texts of the witness. */
static double gap_between_ranks(const struct drawing *drawing)
{
	const struct witness *witness = drawing->witness;
	if (!witness || !witness->narrow || drawing->selection->nrank > 4)
		return rank_gap;
	return witness->arrows[0].link == WITNESS_WAITS ? wide_rank_gap / 2 : wide_rank_gap;
}

static void fill_columns(struct drawing *drawing)
{
	const double gap = gap_between_ranks(drawing);
	uint32_t longest = longest_column(drawing);
	double x = 0;
	for (uint32_t i = 0; i < drawing->selection->nrank; i++) {
		uint32_t rank = drawing->selection->ranks[i];
		const struct ordo_program *program = &drawing->schedule->programs[rank];
		for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
			struct column *column = &drawing->columns[drawing->ncolumn++];
			*column = (struct column){
				.stream = s, .rank = rank, .x = x + column_width / 2};
			x += column_width;
			fill_column(drawing, column, longest);
		}
		if (program->first_stream == program->end_stream)
			x += column_width;
		x += gap;
	}
	drawing->right = x;
}

static void pair_boxes(struct drawing *drawing)
{
	for (uint32_t i = 0; i < drawing->nbox; i++) {
		const uint32_t partner = drawing->partners[drawing->boxes[i].task];
		if (partner != ORDO_NONE)
			drawing->boxes[i].pair = drawing->box_of[partner];
	}
}

static bool is_wait(const struct drawing *drawing, const struct box *box)
{
	return drawing->schedule->tasks[box->task].kind == ORDO_WAIT;
}

static void settle(
	struct drawing *drawing, uint32_t from, uint32_t to, uint32_t *ready, uint32_t *nready)
{
	struct box *box = &drawing->boxes[to];
	if (box->row <= drawing->boxes[from].row)
		box->row = drawing->boxes[from].row + 1;
	if (--box->waiting == 0)
		ready[(*nready)++] = to;
}

/* Rows by longest chain. Tasks in or behind a cycle of waits keep the order of their stream. */
static bool find_rows(struct drawing *drawing)
{
	uint32_t nready = 0, *ready = calloc((size_t)drawing->nbox + 1, sizeof *ready);
	if (!ready)
		return false;
	for (uint32_t i = 0; i < drawing->nbox; i++) {
		struct box *box = &drawing->boxes[i];
		box->waiting = (i > drawing->columns[box->column].first) +
			       (is_wait(drawing, box) && box->pair != ORDO_NONE);
		if (!box->waiting)
			ready[nready++] = i;
	}
	for (uint32_t next = 0; next < nready; next++) {
		const struct box *box = &drawing->boxes[ready[next]];
		if (ready[next] + 1 < drawing->columns[box->column].end)
			settle(drawing, ready[next], ready[next] + 1, ready, &nready);
		if (!is_wait(drawing, box) && box->pair != ORDO_NONE)
			settle(drawing, ready[next], box->pair, ready, &nready);
	}
	free(ready);
	for (uint32_t i = 0; i < drawing->nbox; i++) {
		struct box *box = &drawing->boxes[i];
		if (box->waiting && i > drawing->columns[box->column].first &&
			box->row <= box[-1].row)
			box->row = box[-1].row + 1;
		if (box->row >= drawing->nrow)
			drawing->nrow = box->row + 1;
	}
	return true;
}

/* The least slope of arrows from one row to the next, so that they stay distinguishable. */
static const double least_slope = 0.03;
/* Room around a task at fault, inches. */
static const double room_for_witness = 0.28, room_for_cycle = 0.45;

/* Extra distance of each row from the row above. */
static double *find_drops(const struct drawing *drawing)
{
	double *drops = calloc((size_t)drawing->nrow + 1, sizeof *drops);
	for (uint32_t i = 0; drops && i < drawing->nbox; i++) {
		const struct box *box = &drawing->boxes[i];
		if (is_at_fault(drawing->witness, box->task))
			drops[box->row] = drops[box->row + 1] =
				drawing->witness->stopped ? room_for_cycle : room_for_witness;
	}
	for (uint32_t i = 0; drops && i < drawing->nbox; i++) {
		const struct box *box = &drawing->boxes[i];
		if (!is_wait(drawing, box) || box->pair == ORDO_NONE ||
			drawing->boxes[box->pair].row + 1 != box->row)
			continue;
		double from = drawing->columns[drawing->boxes[box->pair].column].x,
		       to = drawing->columns[box->column].x;
		double drop = least_slope * (from < to ? to - from : from - to) - sync_height / 2;
		if (drops[box->row] < drop)
			drops[box->row] = drop;
	}
	return drops;
}

/* A row is as high as its highest box. */
static bool place_rows(struct drawing *drawing)
{
	drawing->row_y = calloc((size_t)drawing->nrow + 1, sizeof *drawing->row_y);
	if (!drawing->row_y)
		return false;
	for (uint32_t i = 0; i < drawing->nbox; i++) {
		bool moves = ordo_task_moves(&drawing->schedule->tasks[drawing->boxes[i].task]);
		double *height = &drawing->row_y[drawing->boxes[i].row];
		if (*height < (moves ? move_height : sync_height))
			*height = moves ? move_height : sync_height;
	}
	double y = top_margin, *drops = find_drops(drawing);
	if (!drops)
		return false;
	for (uint32_t row = 0; row < drawing->nrow; row++) {
		double height = drawing->row_y[row];
		drawing->row_y[row] = y + drops[row] + height / 2;
		y += drops[row] + height;
	}
	free(drops);
	drawing->bottom = y + 0.12;
	return true;
}

/* The data that a task moves, in a smaller font if the text is long. */
static void label_move(Agnode_t *node, const struct ordo_task *task)
{
	static const double usual = 10, smallest = 5, room = 0.95;
	char chunks[32], text[80] = "";
	if (task->count > 1)
		snprintf(
			chunks, sizeof chunks, "%u-%u", task->chunk, task->chunk + task->count - 1);
	else
		snprintf(chunks, sizeof chunks, "%u", task->chunk);
	switch ((enum ordo_task_kind)task->kind) {
	case ORDO_LOCAL_COPY:
		snprintf(text, sizeof text, "c%s copy", chunks);
		break;
	case ORDO_LOCAL_REDUCE:
		snprintf(text, sizeof text, "c%s add", chunks);
		break;
	case ORDO_SEND:
		snprintf(text, sizeof text, "c%s → r%u", chunks, task->peer);
		break;
	case ORDO_SEND_REDUCE:
		snprintf(text, sizeof text, "c%s +→ r%u", chunks, task->peer);
		break;
	case ORDO_NOTIFY:
	case ORDO_WAIT:
		break;
	}
	set(node, "label", text);
	const double width = width_of_text(text, usual);
	if (width > room)
		set_format(node, "fontsize", "%.1f", fmax(smallest, usual * room / width));
}

static void style_sync(Agnode_t *node, bool wait, uint32_t peer)
{
	set_all(node,
		"shape=%s; width=0.2; height=0.2; fontsize=8; label=%u; fillcolor=%s; fontcolor=%s",
		peer < 100 ? "circle" : "box", peer, wait ? "white" : "#404040",
		wait ? "#404040" : "white");
}

/* Is the task at or behind the Wait at which its stream blocks? */
static bool never_runs(const struct drawing *drawing, const struct box *box)
{
	const uint32_t *stopped = drawing->witness ? drawing->witness->stopped : NULL;
	return stopped && box->task >= stopped[drawing->columns[box->column].stream];
}

static void style_fault(const struct drawing *drawing, const struct box *box)
{
	if (never_runs(drawing, box))
		set_all(box->node, "style=filled,rounded,dashed; fillcolor=white; color=#b0b0b0; "
				   "fontcolor=#909090");
	if (!is_at_fault(drawing->witness, box->task))
		return;
	set_all(box->node,
		"style=filled,rounded; fillcolor=%s; color=%s; fontcolor=black; penwidth=2",
		WITNESS_FILL, WITNESS_RED);
}

static bool add_box(struct drawing *drawing, struct box *box)
{
	const struct ordo_task *task = &drawing->schedule->tasks[box->task];
	char name[24], tip[256];
	snprintf(name, sizeof name, "task%u", box->task);
	box->node = add_node(
		drawing->graph, name, drawing->columns[box->column].x, drawing->row_y[box->row]);
	if (!box->node)
		return false;
	ordo_task_locate(drawing->schedule, box->task, tip, sizeof tip);
	set_text(box->node, "tooltip", tip, "");
	if (!ordo_task_moves(task)) {
		style_sync(box->node, task->kind == ORDO_WAIT, task->peer);
	} else {
		set(box->node, "fillcolor", phase_colour(&drawing->palette, task->phase));
		label_move(box->node, task);
	}
	style_fault(drawing, box);
	return true;
}

/* Is the Wait of this Notify part of a cycle? Then the witness draws the arrow. */
static bool is_in_circle(const struct drawing *drawing, const struct box *notify)
{
	return drawing->witness && drawing->witness->stopped &&
	       is_at_fault(drawing->witness, drawing->boxes[notify->pair].task);
}

static bool add_edges(struct drawing *drawing)
{
	for (uint32_t i = 0; i < drawing->nbox; i++) {
		const struct box *box = &drawing->boxes[i];
		if (is_wait(drawing, box) || box->pair == ORDO_NONE || is_in_circle(drawing, box))
			continue;
		Agedge_t *edge =
			agedge(drawing->graph, box->node, drawing->boxes[box->pair].node, NULL, 1);
		if (!edge)
			return false;
		set(edge, "color",
			phase_line_colour(
				&drawing->palette, drawing->schedule->tasks[box->task].phase));
	}
	return true;
}

/* The name of a stream above its column: in a smaller font if it is long, then cut. */
static bool add_stream(struct drawing *drawing, const struct column *column)
{
	const double largest = 9, smallest = 6;
	char name[40], title[256], text[MOST_NAME_BYTES];
	size_t most = sizeof text - 1;
	ordo_stream_title(drawing->schedule, column->stream, title, sizeof title);
	do
		shorten_name(text, title, most--);
	while (most > 8 && width_of_text(text, smallest) > column_width);
	const double points =
		fmin(largest, largest * column_width / fmax(0.1, width_of_text(text, largest)));
	snprintf(name, sizeof name, "stream%u", column->stream);
	Agnode_t *label = add_label(drawing->graph, name, column->x, top_margin - 0.16, text);
	if (!label)
		return false;
	set_all(label, "fontcolor=#707070; fontsize=%.1f; width=%.2f; margin=0", points,
		column_width);
	return true;
}

static bool put_into(Agraph_t *cluster, const struct drawing *drawing, const struct column *column)
{
	for (uint32_t i = column->first; i < column->end; i++)
		if (!agsubnode(cluster, drawing->boxes[i].node, 1))
			return false;
	return true;
}

/* A cluster around the columns of one rank: columns[first..end). */
static bool add_rank(struct drawing *drawing, uint32_t first, uint32_t end)
{
	const struct column *columns = drawing->columns;
	char name[40];
	double left = columns[first].x - column_width / 2,
	       right = columns[end - 1].x + column_width / 2;
	snprintf(name, sizeof name, "cluster_rank%u", columns[first].rank);
	Agraph_t *cluster = add_cluster(drawing->graph, name, left, 0.0, right, drawing->bottom);
	if (!cluster)
		return false;
	set_all(cluster, "style=rounded,filled; fillcolor=#f6f7f9; color=#c8ccd2");
	for (uint32_t i = first; i < end; i++)
		if (!put_into(cluster, drawing, &columns[i]) || !add_stream(drawing, &columns[i]))
			return false;
	snprintf(name, sizeof name, "rank %u", columns[first].rank);
	Agnode_t *label = add_label(drawing->graph, name, (left + right) / 2, 0.2, name);
	if (!label)
		return false;
	set_all(label, "fontsize=12; fontname=Helvetica-Bold");
	return true;
}

static bool add_ranks(struct drawing *drawing)
{
	for (uint32_t first = 0, end; first < drawing->ncolumn; first = end) {
		for (end = first; end < drawing->ncolumn &&
				  drawing->columns[end].rank == drawing->columns[first].rank;)
			end++;
		if (!add_rank(drawing, first, end))
			return false;
	}
	return true;
}

static bool add_title(struct drawing *drawing)
{
	const struct ordo_schedule *schedule = drawing->schedule;
	char text[512];
	const struct ordo_problem *problem = &schedule->problem;
	char shards[32] = "";
	if (problem->nshard != problem->nrank)
		snprintf(shards, sizeof shards, ", %u shards", problem->nshard);
	int length = snprintf(text, sizeof text, "%s on %u ranks by %s%s",
		ordo_operator_facts(problem->op)->name, problem->nrank, schedule->algorithm,
		shards);
	if (drawing->nbox < schedule->ntask && length > 0 && (size_t)length < sizeof text)
		length += snprintf(text + length, sizeof text - (size_t)length, " (%u of %u tasks)",
			drawing->nbox, schedule->ntask);
	if (drawing->witness && length > 0 && (size_t)length < sizeof text)
		snprintf(text + length, sizeof text - (size_t)length, ": refuted by %s",
			drawing->witness->rules);
	return add_left_label(drawing->graph, "title", 0.02, -0.3, text, 16);
}

static bool add_symbol(
	struct drawing *drawing, const char *name, double y, const char *text, bool wait)
{
	Agnode_t *symbol = add_node(drawing->graph, name, drawing->right + 0.35, y);
	if (!symbol || !add_left_label(drawing->graph, text, drawing->right + 0.6, y, text, 10))
		return false;
	style_sync(symbol, wait, 0);
	set(symbol, "label", "1");
	return true;
}

static bool add_swatch(struct drawing *drawing, const struct legend *legend, uint32_t i, double y)
{
	char name[32];
	snprintf(name, sizeof name, "phase%u", i);
	Agnode_t *swatch = add_node(drawing->graph, name, drawing->right + 0.35, y);
	snprintf(name, sizeof name, "phase%u name", i);
	if (!swatch ||
		!add_left_label(drawing->graph, name, drawing->right + 0.6, y, legend->text, 10))
		return false;
	set_all(swatch, "width=0.3; height=0.2; label=; fillcolor=%s", legend->colour);
	return true;
}

/* The phases of the drawn tasks. */
static bool add_phases(struct drawing *drawing, double *y)
{
	bool *seen = calloc((size_t)drawing->schedule->nphase + 1, sizeof *seen), worked = seen;
	for (uint32_t i = 0; worked && i < drawing->nbox; i++) {
		const uint32_t phase = drawing->schedule->tasks[drawing->boxes[i].task].phase;
		seen[phase < drawing->schedule->nphase ? phase : drawing->schedule->nphase] = true;
	}
	for (uint32_t i = 0; worked && i < drawing->palette.nlegend; i++) {
		struct legend legend;
		if (!legend_of_seen(&drawing->palette, drawing->schedule, i, seen, &legend))
			continue;
		worked = add_swatch(drawing, &legend, i, *y);
		*y += 0.26;
	}
	free(seen);
	return worked;
}

/* *bottom: below its last line. */
static bool add_legend(struct drawing *drawing, double *bottom)
{
	double y = 0.2;
	if (!add_phases(drawing, &y))
		return false;
	y += 0.1;
	static const char *const moves[] = {"c3 → r1   Send chunk 3 to rank 1",
		"c3 +→ r1   SendReduce", "c3 copy   LocalCopy", "c3 add   LocalReduce"};
	bool seen[ORDO_NTASK_KIND] = {false};
	static const enum ordo_task_kind kinds[] = {
		ORDO_SEND, ORDO_SEND_REDUCE, ORDO_LOCAL_COPY, ORDO_LOCAL_REDUCE};
	for (uint32_t i = 0; i < drawing->nbox; i++)
		seen[drawing->schedule->tasks[drawing->boxes[i].task].kind] = true;
	for (int i = 0; i < 4; i++)
		if (seen[kinds[i]]) {
			if (!add_left_label(drawing->graph, moves[i], drawing->right + 0.2, y,
				    moves[i], 10))
				return false;
			y += 0.26;
		}
	if (seen[ORDO_NOTIFY] && !add_symbol(drawing, "notify", y, "Notify that rank", false))
		return false;
	y += seen[ORDO_NOTIFY] ? 0.26 : 0;
	if (seen[ORDO_WAIT] && !add_symbol(drawing, "wait", y, "Wait for that rank", true))
		return false;
	*bottom = y + (seen[ORDO_WAIT] ? 0.26 : 0);
	return true;
}

static struct witness_spot spot_of_task(const void *closure, uint32_t task)
{
	const struct drawing *drawing = closure;
	const uint32_t index = drawing->box_of[task];
	if (index == ORDO_NONE)
		return (struct witness_spot){.node = NULL};
	const struct box *box = &drawing->boxes[index];
	const bool moves = ordo_task_moves(&drawing->schedule->tasks[task]);
	return (struct witness_spot){box->node, drawing->columns[box->column].x,
		drawing->row_y[box->row], moves ? 0.95 : 0.2, moves ? 0.26 : 0.2};
}

static struct witness_spot spot_of_rank(const void *closure, uint32_t rank)
{
	const struct drawing *drawing = closure;
	double left = 0, right = 0;
	for (uint32_t i = 0; i < drawing->ncolumn; i++) {
		if (drawing->columns[i].rank != rank)
			continue;
		left = right > 0 ? left : drawing->columns[i].x - column_width / 2;
		right = drawing->columns[i].x + column_width / 2;
	}
	return (struct witness_spot){NULL, (left + right) / 2, 0, right - left, 0};
}

static bool add_witness(struct drawing *drawing, double legend_y)
{
	const struct witness_canvas canvas = {.graph = drawing->graph,
		.schedule = drawing->schedule,
		.drawing = drawing,
		.spot_of_task = spot_of_task,
		.spot_of_rank = spot_of_rank,
		.right = drawing->right,
		.bottom = drawing->bottom,
		.legend_y = legend_y};
	return !drawing->witness || draw_witness(&canvas, drawing->witness);
}

static bool add_all(struct drawing *drawing)
{
	set_defaults(drawing->graph, AGNODE,
		"shape=box; style=filled,rounded; color=#606060; penwidth=0.8; fixedsize=true; "
		"width=0.95; height=0.26; margin=0.02");
	set_default(drawing->graph, AGEDGE, "penwidth", "1.1");
	for (uint32_t i = 0; i < drawing->nbox; i++)
		if (!add_box(drawing, &drawing->boxes[i]))
			return false;
	double legend_bottom;
	return add_edges(drawing) && add_ranks(drawing) && add_title(drawing) &&
	       add_legend(drawing, &legend_bottom) && add_witness(drawing, legend_bottom + 0.1);
}

static bool reserve(struct drawing *drawing)
{
	uint32_t nstream = 0;
	uint64_t ntask = 0;
	for (uint32_t i = 0; i < drawing->selection->nrank; i++) {
		const struct ordo_program *program =
			&drawing->schedule->programs[drawing->selection->ranks[i]];
		nstream += program->end_stream - program->first_stream;
		for (uint32_t s = program->first_stream; s < program->end_stream; s++)
			ntask += drawing->schedule->streams[s].end -
				 drawing->schedule->streams[s].first;
	}
	uint64_t most = (uint64_t)drawing->selection->max_tasks + nstream;
	drawing->columns = calloc((size_t)nstream + 1, sizeof *drawing->columns);
	drawing->boxes = calloc((size_t)(ntask < most ? ntask : most) + 1, sizeof *drawing->boxes);
	drawing->partners = pair_tasks(drawing->schedule);
	drawing->box_of = ordo_array_make(
		(size_t)drawing->schedule->ntask + 1, sizeof *drawing->box_of, 0xff);
	if (!drawing->columns || !drawing->boxes || !drawing->partners || !drawing->box_of)
		return false;
	drawing->all_phases = true;
	for (uint32_t i = 0; i < drawing->schedule->nphase; i++)
		drawing->all_phases &= drawing->selection->phases[i];
	return make_palette(&drawing->palette, drawing->schedule);
}

static void release(struct drawing *drawing)
{
	free_palette(&drawing->palette);
	free(drawing->columns);
	free(drawing->boxes);
	free(drawing->partners);
	free(drawing->box_of);
	free(drawing->row_y);
}

static bool lay_out(struct drawing *drawing)
{
	if (!reserve(drawing))
		return false;
	fill_columns(drawing);
	pair_boxes(drawing);
	return find_rows(drawing) && place_rows(drawing);
}

bool draw_schedule(FILE *out, const struct ordo_schedule *schedule,
	const struct selection *selection, const struct witness *witness, uint32_t *drawn,
	struct ordo_error *error)
{
	struct drawing drawing = {.schedule = schedule, .selection = selection, .witness = witness};
	bool worked = lay_out(&drawing);
	drawing.graph = worked ? open_picture("schedule", error) : NULL;
	worked = drawing.graph && add_all(&drawing);
	*drawn = drawing.nbox;
	if (!worked && drawing.graph)
		agclose(drawing.graph);
	release(&drawing);
	return worked ? close_picture(drawing.graph, out, error) : ordo_fail_memory(error);
}
