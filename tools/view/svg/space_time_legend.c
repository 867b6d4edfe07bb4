/* space_time_legend.c - the legend of a space-time diagram. */
#include "space_time_plot.h"
#include "svg.h"
#include <stdio.h>
#include <string.h>

static const double limit = 1256, line_height = 22, swatch_width = 30, letter_width = 7.2;

/* The position of the next entry. */
struct pen {
	const struct plot *plot;
	double x, y;
	int ngradient;
};

static double width_of(const char *text)
{
	double width = 0;
	for (; *text; text++)
		width += ((unsigned char)*text & 0xc0) != 0x80 ? letter_width : 0;
	return width;
}

/* Reserves room for a swatch and its text; returns the position of the swatch. */
static double place(struct pen *pen, const char *text)
{
	const double width = swatch_width + 8 + width_of(text) + 18;
	if (pen->x > pen->plot->scale.left && pen->x + width > limit) {
		pen->x = pen->plot->scale.left;
		pen->y += line_height;
	}
	const double x = pen->x;
	pen->x += width;
	svg_label(pen->plot->out, "soft", x + swatch_width + 8, pen->y + 4, text);
	return x;
}

static void put_gradient(struct pen *pen, const char *text, uint32_t first, uint32_t end)
{
	enum { STOPS = 5 };
	FILE *out = pen->plot->out;
	const double x = place(pen, text);
	const uint32_t nstop = end - first > 1 ? STOPS : 1;
	fprintf(out, "<linearGradient id=\"st-phase-%d\">", pen->ngradient);
	for (uint32_t i = 0; i < nstop; i++)
		fprintf(out, "<stop offset=\"%.2f\" stop-color=\"%s\"/>", (double)i / (STOPS - 1),
			phase_bar_colour(&pen->plot->palette,
				first + (uint32_t)((uint64_t)(end - first - 1) * i / (STOPS - 1))));
	fprintf(out, "</linearGradient><rect class=\"phase\" fill=\"url(#st-phase-%d)\"",
		pen->ngradient++);
	svg_attribute(out, "x", x);
	svg_attribute(out, "y", pen->y - 7);
	fprintf(out, " width=\"%.0f\" height=\"14\"/>\n", swatch_width);
}

/* With more names than colours: from the first drawn phase to the last. */
static void put_all_phases(struct pen *pen)
{
	const struct ordo_schedule *schedule = pen->plot->schedule;
	const bool *seen = pen->plot->seen.phases;
	const size_t most = MOST_NAME_BYTES / 2;
	char first_name[MOST_NAME_BYTES], last_name[MOST_NAME_BYTES],
		text[2 * MOST_NAME_BYTES + 32];
	uint32_t first = 0, end = schedule->nphase, count = 0;
	for (uint32_t i = 0; i < schedule->nphase; i++)
		count += seen[i];
	while (first < end && !seen[first])
		first++;
	while (first < end && !seen[end - 1])
		end--;
	if (first == end)
		return;
	shorten_name(first_name, schedule->phases[first], most);
	shorten_name(last_name, schedule->phases[end - 1], most);
	if (count > 1)
		snprintf(text, sizeof text, "%u phases, %s to %s", count, first_name, last_name);
	else
		snprintf(text, sizeof text, "%s", first_name);
	put_gradient(pen, text, first, end);
}

static void put_phases(struct pen *pen)
{
	const struct plot *plot = pen->plot;
	if (plot->palette.nlegend > MOST_BAR_NAMES) {
		put_all_phases(pen);
		return;
	}
	for (uint32_t i = 0; i < plot->palette.nlegend; i++) {
		struct legend legend;
		if (legend_of_seen(&plot->palette, plot->schedule, i, plot->seen.phases, &legend))
			put_gradient(pen, legend.text, legend.first, legend.end);
	}
}

static void put_move(struct pen *pen, enum ordo_task_kind kind, const char *text)
{
	const struct plot *plot = pen->plot;
	const double x = place(pen, text), height = kind >= ORDO_SEND ? 16 : 10;
	fputs("<rect fill=\"#8fa3bf\"", plot->out);
	svg_attribute(plot->out, "x", x);
	svg_attribute(plot->out, "y", pen->y - height / 2);
	fprintf(plot->out, " width=\"%.0f\" height=\"%.0f\"/>", swatch_width, height);
	if (kind == ORDO_LOCAL_REDUCE || kind == ORDO_SEND_REDUCE)
		svg_rect(plot->out, "adds", x, pen->y + height * 0.24, x + swatch_width,
			pen->y + height / 2);
	fputc('\n', plot->out);
}

static void put_path_line(struct pen *pen, const char *class_name, double x, double y0, double y1)
{
	fprintf(pen->plot->out, "<path class=\"%s\" d=\"", class_name);
	svg_line(pen->plot->out, x, y0, x + swatch_width, y1);
	fputs("\"/>\n", pen->plot->out);
}

static void put_outlined(struct pen *pen, const char *class_name, const char *text)
{
	const double x = place(pen, text);
	fprintf(pen->plot->out, "<rect fill=\"#8fa3bf\" class=\"%s\" stroke-width=\"1.8\"",
		class_name);
	svg_attribute(pen->plot->out, "x", x + 1);
	svg_attribute(pen->plot->out, "y", pen->y - 7);
	fprintf(pen->plot->out, " width=\"%.0f\" height=\"14\"/>\n", swatch_width - 2);
}

static void put_forms(struct pen *pen)
{
	static const struct {
		enum ordo_task_kind kind;
		const char *text;
	} moves[] = {{ORDO_SEND, "Send"}, {ORDO_SEND_REDUCE, "SendReduce"},
		{ORDO_LOCAL_COPY, "LocalCopy"}, {ORDO_LOCAL_REDUCE, "LocalReduce"}};
	const struct plot *plot = pen->plot;
	for (int i = 0; i < 4; i++)
		if (plot->seen.kinds[moves[i].kind])
			put_move(pen, moves[i].kind, moves[i].text);
	if (plot->facts->ninside) {
		const double x = place(pen, "chunk 3 to rank 1");
		svg_label(plot->out, "soft middle", x + swatch_width / 2, pen->y + 4, "3→1");
	}
	if (plot->seen.waiting) {
		const double x = place(pen, "waiting");
		svg_rect(plot->out, plot->facts->form == TASK_BARS ? "wait hatched" : "wait", x,
			pen->y - 3, x + swatch_width, pen->y + 3);
	}
	if (plot->facts->narrow) {
		const double x = place(pen, "Notify to its Wait");
		put_path_line(pen, "token", x, pen->y - 4, pen->y + 4);
	}
	if (plot->seen.path)
		put_outlined(pen, "critical", "critical path");
	if (plot->seen.fault)
		put_outlined(pen, "fault", "at fault");
}

static void put_shade(struct pen *pen, const char *fill, double opacity, const char *text)
{
	const double x = place(pen, text);
	fprintf(pen->plot->out, "<rect fill=\"%s\"", fill);
	svg_attribute(pen->plot->out, "fill-opacity", opacity);
	svg_attribute(pen->plot->out, "x", x);
	svg_attribute(pen->plot->out, "y", pen->y - 7);
	fprintf(pen->plot->out, " width=\"%.0f\" height=\"14\"/>\n", swatch_width);
}

static void put_shades(struct pen *pen)
{
	const struct seen *seen = &pen->plot->seen;
	if (seen->kinds[ORDO_SEND] || seen->kinds[ORDO_SEND_REDUCE])
		put_shade(pen, "#6a9bd8", 1, "working, between ranks");
	if (seen->kinds[ORDO_LOCAL_COPY] || seen->kinds[ORDO_LOCAL_REDUCE])
		put_shade(pen, "#355080", 1, "on a rank");
	if (seen->waiting)
		put_shade(pen, "#8c959f", WAITING_SHADE, "waiting");
	put_shade(pen, "#6a9bd8", 0.4, "part of the time");
	if (seen->path) {
		const double x = place(pen, "critical path");
		put_path_line(pen, "way", x, pen->y, pen->y);
	}
}

double put_legend(const struct plot *plot, double top)
{
	struct pen pen = {.plot = plot, .x = plot->scale.left, .y = top};
	put_phases(&pen);
	if (pen.x > plot->scale.left) {
		pen.x = plot->scale.left;
		pen.y += line_height + 2;
	}
	if (plot->facts->form == SPAN_MAP)
		put_shades(&pen);
	else
		put_forms(&pen);
	return pen.y + line_height / 2;
}
