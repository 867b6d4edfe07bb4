/* space_time.c - draws a space-time diagram as SVG: the frame, the axis and the labels around the
 * rows. */
#include "space_time.h"
#include "base/memory_stream.h"
#include "space_time_plot.h"
#include "svg.h"
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <ordo/detail/schedules.h>
#include <stdlib.h>
#include <string.h>

static const double picture_width = 1280; /* pixels */
enum { MOST_TITLE = 150 };		  /* letters */

/* The longest text in a title. */
static void put_short(const struct plot *plot, const char *class_name, double y, const char *text)
{
	char cut[MOST_TITLE * 4 + 8];
	size_t letters = 0, length = 0;
	for (; text[length] && length + 8 < sizeof cut; length++) {
		letters += ((unsigned char)text[length] & 0xc0) != 0x80;
		if (letters > MOST_TITLE)
			break;
	}
	while (text[length] && length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	memcpy(cut, text, length);
	snprintf(cut + length, sizeof cut - length, "%s", text[length] ? "…" : "");
	svg_label(plot->out, class_name, rank_label_x, y, cut);
}

static void put_title(const struct plot *plot)
{
	char text[1024], total[40];
	const struct ordo_problem *problem = &plot->schedule->problem;
	int length = snprintf(text, sizeof text, "%s on %u ranks by %.400s",
		ordo_operator_facts(problem->op)->name, problem->nrank, plot->schedule->algorithm);
	if (problem->nshard != problem->nrank && length > 0 && (size_t)length < sizeof text)
		length += snprintf(text + length, sizeof text - (size_t)length, ", %u shards",
			problem->nshard);
	print_duration(plot->picture->timeline->total, total, sizeof total);
	if (length > 0 && (size_t)length < sizeof text)
		snprintf(text + length, sizeof text - (size_t)length, ": %s", total);
	put_short(plot, "title", 30, text);
	put_short(plot, "soft", 50, plot->picture->setting);
}

static void put_bands(const struct plot *plot)
{
	const bool narrow = plot->row_height < least_label_distance;
	for (uint32_t i = 0; i < plot->nband; i++) {
		const struct band *band = &plot->bands[i];
		if (band->first_row < band->end_row && i % 2 == 0 &&
			(!narrow || plot->facts->nrow > plot->nband))
			svg_rect(plot->out, "zebra", plot->scale.left,
				plot->row_top[band->first_row], plot_right,
				row_bottom(plot, band->end_row - 1));
	}
}

static void put_axis(const struct plot *plot)
{
	FILE *out = plot->out;
	char text[48];
	fputs("<path class=\"grid\" d=\"", out);
	for (int64_t tick = plot->scale.first_tick; tick <= plot->scale.last_tick; tick++) {
		const double x = plot_x(plot, (double)tick * plot->scale.step);
		svg_line(out, x, plot_top - 6, x, plot->bottom);
	}
	fputs("\"/>\n", out);
	for (int64_t tick = plot->scale.first_tick; tick <= plot->scale.last_tick; tick++) {
		print_tick(&plot->scale, tick, text, sizeof text);
		svg_label(out, "soft middle", plot_x(plot, (double)tick * plot->scale.step),
			plot_top - 12, text);
	}
	svg_label(out, "soft end", plot->scale.left - 20, plot_top - 12, plot->scale.unit_name);
	if (plot->facts->ranks_a_row > 1)
		svg_label(out, "soft", rank_label_x, plot_top - 12, "ranks");
}

/* The names of the streams of a band, if there is room. */
static void put_stream_labels(const struct plot *plot, const struct band *band)
{
	const struct ordo_program *program = plot_program(plot, band->first_rank);
	if (!has_stream_labels(plot))
		return;
	for (uint32_t s = program->first_stream; s < program->end_stream; s++) {
		char title[256], name[64];
		if (plot->row_idle[plot->row_of[s]] && plot->facts->nrow > plot->nband)
			continue;
		ordo_stream_title(plot->schedule, s, title, sizeof title);
		snprintf(name, sizeof name, "%.*s", letters_shown(title), title);
		svg_label(
			plot->out, "small end", plot->scale.left - 8, plot_y(plot, s) + 3.5, name);
	}
}

static void put_band_label(const struct plot *plot, const struct band *band)
{
	char text[64];
	const uint32_t first = plot->ranks[band->first_rank],
		       last = plot->ranks[band->end_rank - 1];
	const double middle =
		(plot->row_top[band->first_row] + row_bottom(plot, band->end_row - 1)) / 2;
	if (first == last)
		snprintf(text, sizeof text, "rank %" PRIu32, first);
	else if (last - first == band->end_rank - band->first_rank - 1)
		snprintf(text, sizeof text, "%" PRIu32 "–%" PRIu32, first, last);
	else
		snprintf(text, sizeof text, "%" PRIu32 ", … %" PRIu32, first, last);
	svg_label(plot->out, "rank", rank_label_x, middle + 4, text);
}

static void put_labels(const struct plot *plot)
{
	double last = -least_label_distance;
	for (uint32_t i = 0; i < plot->nband; i++) {
		const struct band *band = &plot->bands[i];
		const double top = plot->row_top[band->first_row];
		put_stream_labels(plot, band);
		if (top - last < least_label_distance)
			continue;
		put_band_label(plot, band);
		last = top;
	}
}

static bool put_contents(const struct plot *plot)
{
	bool worked = true;
	put_title(plot);
	put_bands(plot);
	put_axis(plot);
	if (plot->facts->form == SPAN_MAP)
		worked = put_map(plot);
	else if ((worked = put_bars(plot)))
		put_arrows(plot);
	put_labels(plot);
	return worked;
}

/* The contents are printed into memory first, because their height is known at their end. */
static bool put_picture(struct plot *plot, FILE *out)
{
	struct memory_stream stream;
	plot->out = open_memory_stream(&stream);
	if (!plot->out)
		return false;
	bool worked = put_contents(plot);
	const double height = put_legend(plot, plot->bottom + 26) + 10;
	char *contents = close_memory_stream(&stream);
	worked = contents && worked;
	if (worked) {
		fprintf(out,
			"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"st\" role=\"img\" "
			"viewBox=\"0 0 %.0f ",
			picture_width);
		svg_number(out, height);
		fprintf(out, "\" width=\"%.0f\"", picture_width);
		svg_attribute(out, "height", height);
		fprintf(out, ">\n%s", space_time_style);
		fputs("<defs><pattern id=\"st-hatch\" width=\"5\" height=\"5\" "
		      "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\"><rect "
		      "class=\"queue\" width=\"5\" height=\"5\"/><path class=\"hatch\" d=\"M0 "
		      "0V5\" stroke-width=\"3\"/></pattern></defs>\n",
			out);
		svg_rect(out, "paper", 0, 0, picture_width, height);
		fwrite(contents, 1, stream.size, out);
		fputs("</svg>\n", out);
	}
	free(contents);
	return worked;
}

bool draw_space_time(FILE *out, const struct space_time *picture, struct space_time_facts *facts,
	struct ordo_error *error)
{
	*facts = (struct space_time_facts){.form = TASK_BARS};
	struct plot plot = {.picture = picture,
		.schedule = picture->timeline->schedule,
		.times = picture->timeline->tasks,
		.facts = facts};
	const bool worked = lay_out_plot(&plot) && put_picture(&plot, out);
	release_plot(&plot);
	if (!worked)
		return ordo_fail_memory(error);
	return (!fflush(out) && !ferror(out)) ||
	       ordo_fail(
		       error, ORDO_ENVIRONMENT, 0, "cannot write the picture: %s", strerror(errno));
}
