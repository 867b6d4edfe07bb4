/* space_time_bars.c - draws a bar for every task, and the arrows between them. */
#include "space_time_plot.h"
#include "svg.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Pixels: the least visible width. */
static const double least_move = 0.35, least_notify = 1, letter_width = 6.3, least_inside = 9,
		    narrow_bar = 6;
enum { MOST_PATH_BARS = 4000, MOST_TIPS = 700 };

struct bar {
	double left, top, right, bottom;
};

/* The bar of a Wait is its own waiting time; delays before its begin are drawn as its queue. */
static struct bar bar_of(const struct plot *plot, uint32_t stream, uint32_t task)
{
	const struct ordo_timed_task *times = &plot->times[task];
	const enum ordo_task_kind kind = (enum ordo_task_kind)plot->schedule->tasks[task].kind;
	const double middle = plot_y(plot, stream), height = bar_height(plot, kind);
	struct bar bar = {.left = plot_x(plot, kind == ORDO_WAIT ? times->ready : times->begin),
		.right = plot_x(plot, times->end),
		.top = middle - height / 2,
		.bottom = middle + height / 2};
	const double least = kind == ORDO_NOTIFY ? least_notify
			     : kind == ORDO_WAIT ? 0
						 : least_move;
	bar.right = fmax(bar.right, bar.left + least);
	return bar;
}

static bool has_queue(const struct plot *plot, uint32_t task)
{
	return plot->schedule->tasks[task].kind != ORDO_WAIT &&
	       plot->times[task].begin > plot->times[task].ready;
}

static struct bar queue_of(const struct plot *plot, uint32_t stream, uint32_t task)
{
	const double middle = plot_y(plot, stream), height = bar_height(plot, ORDO_WAIT);
	return (struct bar){.left = plot_x(plot, plot->times[task].ready),
		.right = plot_x(plot, plot->times[task].begin),
		.top = middle - height / 2,
		.bottom = middle + height / 2};
}

/* Bars of reductions have a dark lower edge. */
static struct bar foot_of(struct bar bar)
{
	bar.top = bar.bottom - (bar.bottom - bar.top) * 0.26;
	return bar;
}

static void put_box(const struct plot *plot, struct bar bar)
{
	svg_box(plot->out, bar.left, bar.top, bar.right, bar.bottom);
}

/* Every task of the plot with these marks, in the order of rows. */
typedef void visit_task(const struct plot *plot, uint32_t stream, uint32_t task);
static void visit(const struct plot *plot, uint8_t mask, uint8_t marks, visit_task *what)
{
	for (uint32_t s = 0; s < plot->schedule->nstream; s++)
		for (uint32_t t = plot->schedule->streams[s].first;
			t < plot->schedule->streams[s].end; t++)
			if ((plot->marks[t] & mask) == marks && is_in_plot(plot, s, t))
				what(plot, s, t);
}

static void put_tip(const struct plot *plot, uint32_t task)
{
	const struct ordo_timed_task *times = &plot->times[task];
	const bool wait = plot->schedule->tasks[task].kind == ORDO_WAIT;
	char text[512], begin[40], end[40], length[40];
	ordo_task_locate(plot->schedule, task, text, sizeof text);
	fputs("<title>", plot->out);
	svg_escape(plot->out, text);
	print_duration(wait ? times->ready : times->begin, begin, sizeof begin);
	print_duration(times->end, end, sizeof end);
	print_duration(times->end - (wait ? times->ready : times->begin), length, sizeof length);
	fprintf(plot->out, "\n%s – %s: %s", begin, end, length);
	if (has_queue(plot, task)) {
		print_duration(times->begin - times->ready, length, sizeof length);
		fprintf(plot->out, ", after waiting %s", length);
	}
	if (plot->marks[task] & ON_PATH)
		fputs("\non the critical path", plot->out);
	fputs("</title>", plot->out);
}

static bool is_dark(const char *colour)
{
	const unsigned long rgb = strtoul(colour + 1, NULL, 16);
	return 0.299 * (double)(rgb >> 16) + 0.587 * (double)(rgb >> 8 & 255) +
		       0.114 * (double)(rgb & 255) <
	       120;
}

/* The data and the destination, if there is room for the text. */
static void put_inside(const struct plot *plot, uint32_t index, struct bar bar)
{
	const struct ordo_task *task = &plot->schedule->tasks[index];
	const bool dark = !(plot->marks[index] & RED) &&
			  is_dark(phase_bar_colour(&plot->palette, task->phase));
	char text[64];
	int length = task->count > 1 ? snprintf(text, sizeof text, "%" PRIu32 "–%" PRIu32,
					       task->chunk, task->chunk + task->count - 1)
				     : snprintf(text, sizeof text, "%" PRIu32, task->chunk);
	if (ordo_task_crosses(task))
		length += snprintf(text + length, sizeof text - (size_t)length, "→%" PRIu32,
				  task->peer) -
			  2;
	if (ordo_task_reduces(task))
		bar.bottom = foot_of(bar).top;
	if (bar.bottom - bar.top < least_inside ||
		(length + 1) * letter_width > bar.right - bar.left)
		return;
	plot->facts->ninside += ordo_task_crosses(task);
	svg_label(plot->out, dark ? "in middle on-dark" : "in middle", (bar.left + bar.right) / 2,
		(bar.top + bar.bottom) / 2 + 3.5, text);
}

static void put_bar(const struct plot *plot, uint32_t stream, uint32_t task)
{
	FILE *out = plot->out;
	const struct ordo_task *facts = &plot->schedule->tasks[task];
	const struct bar bar = bar_of(plot, stream, task);
	fprintf(out, "<rect class=\"%s%s%s%s\"",
		facts->kind == ORDO_WAIT     ? "wait hatched"
		: facts->kind == ORDO_NOTIFY ? "notify"
					     : "bar ",
		ordo_task_moves(facts) ? ordo_task_kind_name((enum ordo_task_kind)facts->kind) : "",
		plot->marks[task] & ON_PATH ? " critical" : "",
		plot->marks[task] & RED ? " red" : "");
	if (ordo_task_moves(facts))
		fprintf(out, " fill=\"%s\"", phase_bar_colour(&plot->palette, facts->phase));
	svg_attribute(out, "x", bar.left);
	svg_attribute(out, "y", bar.top);
	svg_attribute(out, "width", bar.right - bar.left);
	svg_attribute(out, "height", bar.bottom - bar.top);
	if (plot->marks[task] && bar.right - bar.left < narrow_bar)
		svg_attribute(out, "stroke-width", (bar.right - bar.left) * 0.2 + 0.4);
	fputc('>', out);
	put_tip(plot, task);
	fputs("</rect>\n", out);
	if (ordo_task_moves(facts))
		put_inside(plot, task, bar);
}

static void put_foot(const struct plot *plot, uint32_t stream, uint32_t task)
{
	if (ordo_task_reduces(&plot->schedule->tasks[task]))
		put_box(plot, foot_of(bar_of(plot, stream, task)));
}

static void put_queue(const struct plot *plot, uint32_t stream, uint32_t task)
{
	if (has_queue(plot, task))
		put_box(plot, queue_of(plot, stream, task));
}

/* The boxes of many tasks as one path. */
static void put_as_one(const struct plot *plot, const char *class_name, uint8_t mask, uint8_t marks,
	visit_task *what)
{
	fprintf(plot->out, "<path class=\"%s\" d=\"", class_name);
	visit(plot, mask, marks, what);
	fputs("\"/>\n", plot->out);
}

static void put_any_box(const struct plot *plot, uint32_t stream, uint32_t task)
{
	put_box(plot, bar_of(plot, stream, task));
}

/* A waiting task is not the cause of the delay. */
static void put_unless_wait(const struct plot *plot, uint32_t stream, uint32_t task)
{
	if (plot->schedule->tasks[task].kind != ORDO_WAIT)
		put_any_box(plot, stream, task);
}

static void put_if_wait(const struct plot *plot, uint32_t stream, uint32_t task)
{
	if (plot->schedule->tasks[task].kind == ORDO_WAIT)
		put_any_box(plot, stream, task);
}

static void put_if_notify(const struct plot *plot, uint32_t stream, uint32_t task)
{
	if (plot->schedule->tasks[task].kind == ORDO_NOTIFY)
		put_any_box(plot, stream, task);
}

struct move {
	uint32_t phase, stream, task;
};

static int compare_moves(const void *a, const void *b)
{
	const struct move *x = a, *y = b;
	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

/* Moves as one path for each phase, in its colour. */
static bool put_moves_by_phase(const struct plot *plot, uint8_t mask)
{
	const struct ordo_schedule *schedule = plot->schedule;
	struct move *moves = malloc(((size_t)plot->facts->ntask + 1) * sizeof *moves);
	size_t nmove = 0;
	if (!moves)
		return false;
	for (uint32_t s = 0; s < schedule->nstream; s++)
		for (uint32_t t = schedule->streams[s].first; t < schedule->streams[s].end; t++)
			if (ordo_task_moves(&schedule->tasks[t]) && !(plot->marks[t] & mask) &&
				is_in_plot(plot, s, t))
				moves[nmove++] = (struct move){schedule->tasks[t].phase, s, t};
	qsort(moves, nmove, sizeof *moves, compare_moves);
	for (size_t first = 0, end; first < nmove; first = end) {
		fprintf(plot->out, "<path class=\"bars\" fill=\"%s\" d=\"",
			phase_bar_colour(&plot->palette, moves[first].phase));
		for (end = first; end < nmove && moves[end].phase == moves[first].phase; end++)
			put_any_box(plot, moves[end].stream, moves[end].task);
		fputs("\"/>\n", plot->out);
	}
	free(moves);
	return true;
}

/* Is the critical path short enough for bars of its own? Otherwise it is one outline. */
static bool has_path_bars(const struct plot *plot)
{
	return plot->facts->form == TASK_BARS || plot->npath <= MOST_PATH_BARS;
}

bool put_bars(const struct plot *plot)
{
	const uint8_t own = has_path_bars(plot) ? ON_PATH | RED : RED;
	fputs("<g", plot->out);
	svg_attribute(plot->out, "stroke-width", fmin(1.8, plot->row_height * 0.2));
	fputs(">\n", plot->out);
	put_as_one(plot, "queue", 0, 0, put_queue);
	if (plot->facts->form == TASK_BARS) {
		visit(plot, own, 0, put_bar);
	} else {
		put_as_one(plot, "waits wait", own, 0, put_if_wait);
		if (!put_moves_by_phase(plot, own))
			return false;
		put_as_one(plot, "notifies notify", own, 0, put_if_notify);
	}
	put_as_one(plot, "adds", own, 0, put_foot);
	if (has_path_bars(plot))
		visit(plot, own, ON_PATH, put_bar);
	else
		put_as_one(plot, "outline critical", own | ON_PATH, ON_PATH, put_unless_wait);
	visit(plot, RED, RED, put_bar);
	put_as_one(plot, "adds", RED, RED, put_foot);
	if (has_path_bars(plot))
		put_as_one(plot, "adds", own, ON_PATH, put_foot);
	fputs("</g>\n", plot->out);
	return true;
}

struct arrow {
	double x0, y0, x1, y1;
};

/* Does the picture show an arrow to this task? */
static bool find_arrow(
	const struct plot *plot, uint32_t stream, uint32_t task, uint32_t from, struct arrow *arrow)
{
	if (from == ORDO_NONE)
		return false;
	const uint32_t source = ordo_stream_of(plot->schedule, from);
	if (!is_in_plot(plot, source, from))
		return false;
	*arrow = (struct arrow){.x0 = plot_x(plot, plot->times[from].end),
		.y0 = plot_y(plot, source),
		.x1 = plot_x(plot, plot->times[task].begin),
		.y1 = plot_y(plot, stream)};
	return true;
}

/* Did the Notify determine the end of the Wait? */
static bool is_critical_token(const struct plot *plot, uint32_t wait)
{
	return (plot->marks[wait] & ON_PATH) && plot->times[wait].cause == plot->times[wait].notify;
}

static void put_line(const struct plot *plot, const struct arrow *arrow)
{
	svg_line(plot->out, arrow->x0, arrow->y0, arrow->x1, arrow->y1);
}

/* The head of an arrow. */
static void put_head(const struct plot *plot, const struct arrow *arrow, double size)
{
	const double dx = arrow->x1 - arrow->x0, dy = arrow->y1 - arrow->y0, length = hypot(dx, dy);
	if (!(length > 0))
		return;
	const double ux = dx / length * size, uy = dy / length * size;
	fputc('M', plot->out);
	svg_number(plot->out, arrow->x1);
	fputc(' ', plot->out);
	svg_number(plot->out, arrow->y1);
	fputc('L', plot->out);
	svg_number(plot->out, arrow->x1 - ux - uy * 0.45);
	fputc(' ', plot->out);
	svg_number(plot->out, arrow->y1 - uy + ux * 0.45);
	fputc('L', plot->out);
	svg_number(plot->out, arrow->x1 - ux + uy * 0.45);
	fputc(' ', plot->out);
	svg_number(plot->out, arrow->y1 - uy - ux * 0.45);
	fputc('z', plot->out);
}

static void put_token(const struct plot *plot, uint32_t stream, uint32_t wait)
{
	struct arrow arrow;
	const bool critical = is_critical_token(plot, wait);
	if (plot->schedule->tasks[wait].kind != ORDO_WAIT ||
		(plot->facts->form != TASK_BARS && !critical) ||
		!find_arrow(plot, stream, wait, plot->times[wait].notify, &arrow))
		return;
	plot->facts->narrow++;
	fprintf(plot->out, "<path class=\"token%s\" d=\"", critical ? " critical" : "");
	put_line(plot, &arrow);
	fputs("\"/>\n", plot->out);
}

static void put_token_head(const struct plot *plot, uint32_t stream, uint32_t wait)
{
	struct arrow arrow;
	const double size = fmin(6, fmax(3, plot->row_height * 0.4));
	if (plot->schedule->tasks[wait].kind == ORDO_WAIT &&
		find_arrow(plot, stream, wait, plot->times[wait].notify, &arrow))
		put_head(plot, &arrow, size);
}

static void put_critical_head(const struct plot *plot, uint32_t stream, uint32_t wait)
{
	if (is_critical_token(plot, wait))
		put_token_head(plot, stream, wait);
}

static void put_critical_halo(const struct plot *plot, uint32_t stream, uint32_t wait)
{
	struct arrow arrow;
	if (is_critical_token(plot, wait) &&
		find_arrow(plot, stream, wait, plot->times[wait].notify, &arrow))
		put_line(plot, &arrow);
}

/* The other causes of waiting on the critical path: a port, an adder or the thread was busy. */
static void put_holder(const struct plot *plot, uint32_t stream, uint32_t task)
{
	struct arrow arrow;
	const uint32_t cause = plot->times[task].cause;
	if (cause == ORDO_NONE || cause == plot->times[task].notify ||
		(cause + 1 == task && cause >= plot->schedule->streams[stream].first) ||
		!find_arrow(plot, stream, task, cause, &arrow))
		return;
	put_line(plot, &arrow);
}

static void put_red_arrows(const struct plot *plot)
{
	const struct witness *witness = plot->picture->witness;
	struct arrow arrow;
	for (uint32_t i = 0; witness && i < witness->narrow; i++) {
		const uint32_t from = witness->arrows[i].from, to = witness->arrows[i].to;
		if (to == ORDO_NONE)
			continue;
		const uint32_t stream = ordo_stream_of(plot->schedule, to);
		if (!is_in_plot(plot, stream, to) || !find_arrow(plot, stream, to, from, &arrow))
			continue;
		fputs("<path class=\"token red\" d=\"", plot->out);
		put_line(plot, &arrow);
		fputs("\"/>\n<path class=\"head\" d=\"", plot->out);
		put_head(plot, &arrow, 6);
		fputs("\"/>\n", plot->out);
	}
}

void put_arrows(const struct plot *plot)
{
	visit(plot, ON_PATH, 0, put_token);
	if (plot->facts->form == TASK_BARS && plot->kinds[ORDO_WAIT] <= MOST_TIPS)
		put_as_one(plot, "tip", ON_PATH, 0, put_token_head);
	put_as_one(plot, "held", ON_PATH, ON_PATH, put_holder);
	put_as_one(plot, "halo", ON_PATH, ON_PATH, put_critical_halo);
	visit(plot, ON_PATH, ON_PATH, put_token);
	put_as_one(plot, "tip critical", ON_PATH, ON_PATH, put_critical_head);
	put_red_arrows(plot);
}
